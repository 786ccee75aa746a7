//! Writes Blackbox logs to any `std::io::Write`.

use super::encoder::Encoder;
use super::schema::LogsFrame;
use super::{BlackboxFrame, BlackboxSchema, Counts, DoesNotFit, Event, FrameBuffer};
use crate::writer::{Progress, WriteError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::{fmt, fs};

/// Writes a Blackbox log to any [`Write`]: the header of a session, then the frames of the schema.
///
/// [`Encoder`] has the rules by which frames become I or P frames, or nothing. Frames are buffered;
/// [`flush`](BlackboxWriter::flush) and [`finish`](BlackboxWriter::finish) write them to the destination. Each frame is
/// accepted whole, or not at all with an error. Accepted frames stay in the buffer until the destination takes them, so
/// you can continue writing after a temporary error: the next main frame is an I frame then. Dropping the writer writes
/// the buffer but neither the event that ends the log nor an error, so end with `finish`.
///
/// ```
/// use binlog::blackbox::{BlackboxFrame, BlackboxSchema, BlackboxWriter, Event};
/// use zerocopy::{FromBytes, Immutable, IntoBytes};
///
/// #[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
/// #[blackbox(main)]
/// #[repr(C)]
/// struct MainFrame {
///     loop_iteration: u32,
///     time: u32,
///     gyro_adc: [i16; 3],
///     throttle: u16,
/// }
///
/// #[derive(BlackboxSchema)]
/// #[blackbox(i_interval = 32, header("looptime" = "1000"))]
/// enum FlightLog {
///     Main(MainFrame),
/// }
///
/// let mut log = BlackboxWriter::<FlightLog, _>::new(Vec::new())?; // `create("flight.bbl")` for a file
/// for loop_iteration in 0..100 {
///     let frame = MainFrame { loop_iteration, time: loop_iteration * 1000, gyro_adc: [1, 2, 3], throttle: 1100 };
///     log.write(&frame)?;
/// }
/// log.event(&Event::Disarm { reason: 4 })?;
/// let bytes = log.finish()?;
/// assert!(bytes.ends_with(b"E\xFFEnd of log\0"));
/// # Ok::<(), binlog::WriteError>(())
/// ```
///
/// Only frames of the schema compile:
///
/// ```compile_fail
/// # use binlog::blackbox::{BlackboxFrame, BlackboxSchema, BlackboxWriter};
/// # use zerocopy::{FromBytes, Immutable, IntoBytes};
/// # #[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
/// # #[blackbox(main)]
/// # #[repr(C)]
/// # struct MainFrame { loop_iteration: u32, time: u32 }
/// # #[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
/// # #[blackbox(slow)]
/// # #[repr(C)]
/// # struct SlowFrame { flight_mode_flags: u32 }
/// # #[derive(BlackboxSchema)]
/// # #[blackbox(header("looptime" = "1000"))]
/// # enum FlightLog { Main(MainFrame) }
/// let mut log = BlackboxWriter::<FlightLog, _>::new(Vec::new())?;
/// log.write(&SlowFrame { flight_mode_flags: 1 })?; // `SlowFrame` is not in the schema `FlightLog`
/// # Ok::<(), binlog::WriteError>(())
/// ```
pub struct BlackboxWriter<S: BlackboxSchema, W: Write> {
    /// `None` after `finish` has taken it.
    out: Option<W>,
    encoder: Encoder<S>,
    /// Buffered frames are in `..end`; the destination has those before `start`.
    buffer: Box<[u8]>,
    start: usize,
    end: usize,
    /// Where the buffered frames end: their number is not in the bytes.
    ends: Vec<usize>,
    /// Frames and bytes that left the buffer before.
    before: Progress,
    /// The file's path, for errors.
    path: Option<PathBuf>,
    /// After a panic in `W::write`, it is unknown how much was written, so nothing may follow.
    out_panicked: bool,
}

/// As of [`LogWriter`](crate::LogWriter).
const BUFFER: usize = 16 * 1024;

impl<S: BlackboxSchema> BlackboxWriter<S, fs::File> {
    /// Creates a log in a file. An existing file is overwritten.
    ///
    /// # Errors
    ///
    /// If the file can't be created or the header can't be written. All errors of this writer name the file.
    pub fn create(path: impl AsRef<Path>) -> Result<Self, WriteError> {
        Self::create_with_headers(path, &[])
    }

    /// As [`create`](BlackboxWriter::create), with further header lines, names and values. A line replaces the schema's
    /// line of that name: `("vbatref", "1623")`.
    ///
    /// # Errors
    ///
    /// As [`create`](BlackboxWriter::create), and if a line can't be in a header. No file is created then.
    pub fn create_with_headers(path: impl AsRef<Path>, headers: &[(&str, &str)]) -> Result<Self, WriteError> {
        let path = path.as_ref();
        let encoder = encoder(headers, Some(path))?;
        let file = fs::File::create(path);
        let file = file.map_err(|error| WriteError::new(error, Some(path), Progress::default()))?;
        Self::start(file, encoder, headers, Some(path.into()))
    }
}

impl<S: BlackboxSchema, W: Write> BlackboxWriter<S, W> {
    /// Creates a log on any writer, with a buffer of 16 KiB, and writes the header.
    ///
    /// # Errors
    ///
    /// If the header can't be written.
    pub fn new(out: W) -> Result<Self, WriteError> {
        Self::with_headers(out, &[])
    }

    /// As [`new`](BlackboxWriter::new), with further header lines, names and values. A line replaces the schema's line of
    /// that name: `("vbatref", "1623")`.
    ///
    /// # Errors
    ///
    /// As [`new`](BlackboxWriter::new), and if a line can't be in a header. Nothing is written then.
    pub fn with_headers(out: W, headers: &[(&str, &str)]) -> Result<Self, WriteError> {
        Self::start(out, encoder(headers, None)?, headers, None)
    }

    fn start(
        mut out: W,
        encoder: Encoder<S>,
        headers: &[(&str, &str)],
        path: Option<PathBuf>,
    ) -> Result<Self, WriteError> {
        let header: String = Encoder::<S>::header(headers).collect();
        if let Err(error) = out.write_all(header.as_bytes()) {
            return Err(WriteError::new(error, path.as_deref(), Progress::default()));
        }
        Ok(BlackboxWriter {
            out: Some(out),
            encoder,
            buffer: vec![0; BUFFER].into(),
            start: 0,
            end: 0,
            ends: Vec::new(),
            before: Progress { records: 0, bytes: header.len() as u64 },
            path,
            out_panicked: false,
        })
    }

    /// Writes a frame, or nothing if the rate leaves out its iteration or if it didn't change: see [`Encoder`].
    ///
    /// # Errors
    ///
    /// If the buffer is full and the destination fails, or if a value is too far from its prediction for an encoding that
    /// holds less than 32 bits. The frame is not accepted then.
    #[inline]
    pub fn write<F: BlackboxFrame>(&mut self, frame: &F) -> Result<(), WriteError>
    where
        S: LogsFrame<F>,
    {
        self.make_room(FrameBuffer::CAPACITY)?;
        let bytes = match self.encoder.encode(frame) {
            Ok(bytes) => bytes,
            Err(error) => return Err(refused(error, self.path.as_deref())),
        };
        accept(bytes, &mut self.buffer, &mut self.end, &mut self.ends);
        Ok(())
    }

    /// Writes the frame that a value of the schema holds.
    ///
    /// # Errors
    ///
    /// As [`write`](BlackboxWriter::write).
    pub fn write_any(&mut self, frame: &S) -> Result<(), WriteError> {
        self.make_room(FrameBuffer::CAPACITY)?;
        let bytes = match self.encoder.encode_any(frame) {
            Ok(bytes) => bytes,
            Err(error) => return Err(refused(error, self.path.as_deref())),
        };
        accept(bytes, &mut self.buffer, &mut self.end, &mut self.ends);
        Ok(())
    }

    /// Writes an event. [`finish`](BlackboxWriter::finish) and [`next_session`](BlackboxWriter::next_session) write the
    /// one that ends the log.
    ///
    /// # Errors
    ///
    /// If the buffer is full and the destination fails, or if readers would take the frames after the event for something
    /// else: see [`RefusedEvent`](super::RefusedEvent). The event is not accepted then.
    pub fn event(&mut self, event: &Event) -> Result<(), WriteError> {
        self.make_room(FrameBuffer::CAPACITY)?;
        let bytes = match self.encoder.event(event) {
            Ok(bytes) => bytes,
            Err(error) => {
                let text = format!("the event can't be written: {error}");
                return Err(WriteError::refused(io::ErrorKind::InvalidInput, text, self.path.as_deref()));
            }
        };
        accept(bytes, &mut self.buffer, &mut self.end, &mut self.ends);
        Ok(())
    }

    /// Ends the session and begins another one in the same log: a header, and all counts at 0. Firmware begins a session
    /// with each flight.
    ///
    /// # Errors
    ///
    /// If a header line can't be in a header, or if the buffer is full and the destination fails. The session goes on
    /// then.
    pub fn next_session(&mut self, headers: &[(&str, &str)]) -> Result<(), WriteError> {
        let encoder = encoder(headers, self.path.as_deref())?;
        let header: String = Encoder::<S>::header(headers).collect();
        if header.len() + Event::MAX_BYTES > self.buffer.len() {
            // A header of many lines: what is in the buffer goes first, so that it keeps its place.
            self.drain()?;
            self.buffer = vec![0; header.len() + BUFFER].into();
        }
        self.make_room(header.len() + Event::MAX_BYTES)?;
        self.end_session()?;
        let end = self.end + header.len();
        self.buffer[self.end..end].copy_from_slice(header.as_bytes());
        self.end = end;
        self.encoder = encoder;
        Ok(())
    }

    /// Writes all buffered frames to the destination and flushes it. The bytes of a file are then with the operating
    /// system.
    ///
    /// # Errors
    ///
    /// The destination's. Frames that it didn't take stay in the buffer; call `flush` again to continue.
    pub fn flush(&mut self) -> Result<(), WriteError> {
        self.drain()?;
        let flushed = self.out.as_mut().map_or(Ok(()), Write::flush);
        flushed.map_err(|error| self.error(error))
    }

    /// Writes the event that ends the log, flushes, and returns the destination.
    ///
    /// # Errors
    ///
    /// As [`flush`](BlackboxWriter::flush). The error says how many frames the destination has; the others are lost, and
    /// so is the destination. If you want to retry, call `flush` before `finish`.
    pub fn finish(mut self) -> Result<W, WriteError> {
        let ended = self.end_session();
        let flushed = ended.and_then(|()| self.flush());
        // Taken out of the writer, so that dropping it doesn't write what the error reports as lost.
        match (flushed, self.out.take()) {
            (Err(error), _) => Err(error),
            (Ok(()), Some(out)) => Ok(out),
            (Ok(()), None) => Err(self.error(io::Error::other("the log is already finished"))),
        }
    }

    /// What became of the frames of this session.
    pub fn counts(&self) -> &Counts {
        self.encoder.counts()
    }

    /// Number of accepted bytes, with those of the headers.
    pub fn byte_count(&self) -> u64 {
        self.before.bytes + self.end as u64
    }

    /// Writes the event that ends the session.
    fn end_session(&mut self) -> Result<(), WriteError> {
        self.make_room(Event::MAX_BYTES)?;
        accept(self.encoder.end(), &mut self.buffer, &mut self.end, &mut self.ends);
        Ok(())
    }

    /// Makes room for so many bytes behind the buffered frames.
    #[inline]
    fn make_room(&mut self, bytes: usize) -> Result<(), WriteError> {
        if self.buffer.len() - self.end >= bytes { Ok(()) } else { self.drain() }
    }

    /// Writes the buffer to the destination and empties it.
    #[cold]
    fn drain(&mut self) -> Result<(), WriteError> {
        let Some(out) = &mut self.out else { return Ok(()) };
        if self.out_panicked {
            return Err(self.error(io::Error::other("the destination panicked, so it is unknown how much it wrote")));
        }
        while self.start < self.end {
            self.out_panicked = true;
            let taken = out.write(&self.buffer[self.start..self.end]);
            self.out_panicked = false;
            match taken {
                Ok(0) => return Err(self.error(io::ErrorKind::WriteZero.into())),
                // A destination may claim to have written more than it was given.
                Ok(taken) => self.start += taken.min(self.end - self.start),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.error(error)),
            }
        }
        self.before.records += self.ends.len() as u64;
        self.before.bytes += self.end as u64;
        self.ends.clear();
        (self.start, self.end) = (0, 0);
        Ok(())
    }

    /// An error that says how much the destination has.
    fn error(&self, error: io::Error) -> WriteError {
        let whole = self.ends.iter().take_while(|&&end| end <= self.start).count();
        let written =
            Progress { records: self.before.records + whole as u64, bytes: self.before.bytes + self.start as u64 };
        WriteError::new(error, self.path.as_deref(), written)
    }
}

/// An encoder for a session with these header lines.
fn encoder<S: BlackboxSchema>(headers: &[(&str, &str)], path: Option<&Path>) -> Result<Encoder<S>, WriteError> {
    Encoder::with_headers(headers).map_err(|error| {
        let line = headers.get(error.index()).map_or_else(String::new, |(name, _)| format!(" (`{name}`)"));
        WriteError::refused(io::ErrorKind::InvalidInput, format!("{error}{line}"), path)
    })
}

#[cold]
fn refused(error: DoesNotFit, path: Option<&Path>) -> WriteError {
    WriteError::refused(io::ErrorKind::InvalidInput, format!("the frame can't be written: {error}"), path)
}

/// Appends the frames of one call to the buffer, which has room for them.
#[inline]
fn accept(bytes: &[u8], buffer: &mut [u8], end: &mut usize, ends: &mut Vec<usize>) {
    if bytes.is_empty() {
        return;
    }
    let start = *end;
    *end = start + bytes.len();
    buffer[start..*end].copy_from_slice(bytes);
    ends.push(*end);
}

impl<S: BlackboxSchema, W: Write> Drop for BlackboxWriter<S, W> {
    fn drop(&mut self) {
        // Drop can't return the error; `finish` does.
        let _ = self.drain();
    }
}

impl<S: BlackboxSchema, W: Write> fmt::Debug for BlackboxWriter<S, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BlackboxWriter")
            .field("path", &self.path)
            .field("counts", self.counts())
            .field("bytes", &self.byte_count())
            .finish_non_exhaustive()
    }
}
