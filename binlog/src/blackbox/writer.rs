//! Writes Blackbox logs to any `std::io::Write`.

use super::encoder::Encoder;
use super::schema::LogsFrame;
use super::{BlackboxFrame, BlackboxSchema, Counts, DoesNotFit, Event, FrameBuffer};
use crate::write::WriteError;
use crate::write::writer::Progress;
use crate::write::writer::buffered::{Buffered, CountRecords};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::{fmt, fs, mem};

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
    buffered: Buffered<W, Ends>,
    encoder: Encoder<S>,
}

/// Where the buffered frames end: their number is not in the bytes.
#[derive(Default)]
struct Ends(Vec<usize>);

impl CountRecords for Ends {
    fn count(&self, bytes: &[u8]) -> u64 {
        self.0.partition_point(|&end| end <= bytes.len()) as u64
    }

    fn emptied(&mut self) {
        self.0.clear();
    }
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

    /// As [`new`](BlackboxWriter::new), with further header lines, names and values. A line replaces the schema's line
    /// of that name: `("vbatref", "1623")`.
    ///
    /// # Errors
    ///
    /// As [`new`](BlackboxWriter::new), and if a line can't be in a header. Nothing is written then.
    pub fn with_headers(out: W, headers: &[(&str, &str)]) -> Result<Self, WriteError> {
        Self::start(out, encoder(headers, None)?, headers, None)
    }

    fn start(out: W, encoder: Encoder<S>, headers: &[(&str, &str)], path: Option<PathBuf>) -> Result<Self, WriteError> {
        let header: String = Encoder::<S>::header(headers).collect();
        let buffered = Buffered::new(out, header.as_bytes(), vec![0; BUFFER].into(), Ends::default(), path)?;
        Ok(BlackboxWriter { buffered, encoder })
    }

    /// Writes a frame, or nothing if the rate leaves out its iteration or if it didn't change: see [`Encoder`]. Slow,
    /// GPS and home frames wait for the session's first main frame; [`unwritten`](Counts::unwritten) counts those that
    /// others follow before it. A session without main frames has none of them, and counts them when it ends.
    ///
    /// # Errors
    ///
    /// If the buffer is full and the destination fails, or if a value is too far from its prediction for an encoding
    /// that holds less than 32 bits. The frame is not accepted then.
    #[inline]
    pub fn write<F: BlackboxFrame>(&mut self, frame: &F) -> Result<(), WriteError>
    where
        S: LogsFrame<F>,
    {
        self.make_room(FrameBuffer::CAPACITY)?;
        let bytes = match self.encoder.encode(frame) {
            Ok(bytes) => bytes,
            Err(error) => return Err(refused(error, self.buffered.path())),
        };
        accept(bytes, &mut self.buffered);
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
            Err(error) => return Err(refused(error, self.buffered.path())),
        };
        accept(bytes, &mut self.buffered);
        Ok(())
    }

    /// Writes an event. [`finish`](BlackboxWriter::finish) and [`next_session`](BlackboxWriter::next_session) write the
    /// one that ends the log.
    ///
    /// # Errors
    ///
    /// If the buffer is full and the destination fails, or if readers would take the frames after the event for
    /// something else: see [`RefusedEvent`](super::RefusedEvent). The event is not accepted then.
    pub fn event(&mut self, event: &Event) -> Result<(), WriteError> {
        self.make_room(FrameBuffer::CAPACITY)?;
        let bytes = match self.encoder.event(event) {
            Ok(bytes) => bytes,
            Err(error) => {
                let text = format!("the event can't be written: {error}");
                return Err(WriteError::refused(io::ErrorKind::InvalidInput, text, self.buffered.path()));
            }
        };
        accept(bytes, &mut self.buffered);
        Ok(())
    }

    /// Ends the session and begins another one in the same log: a header, and all counts at 0. Its lines are those of
    /// the schema and `headers`; lines that the session before was given aren't repeated. Firmware begins a session
    /// with each flight. Returns the counts of the session that ended, as
    /// [`finish_with_counts`](BlackboxWriter::finish_with_counts) does for the last one.
    ///
    /// # Errors
    ///
    /// If a header line can't be in a header, or if the buffer is full and the destination fails. The session then
    /// stays open.
    pub fn next_session(&mut self, headers: &[(&str, &str)]) -> Result<Counts, WriteError> {
        let encoder = encoder(headers, self.buffered.path())?;
        let header: String = Encoder::<S>::header(headers).collect();
        let length = header.len() + Event::MAX_BYTES;
        self.make_room(length)?;
        if self.buffered.room() < length {
            // A header of many lines.
            self.buffered.enlarge(header.len() + BUFFER)?;
        }
        self.end_session()?;
        let (buffer, start) = self.buffered.bytes_and_end();
        let end = start + header.len();
        buffer[start..end].copy_from_slice(header.as_bytes());
        self.buffered.accept(end);
        Ok(*mem::replace(&mut self.encoder, encoder).counts())
    }

    /// Writes all buffered frames to the destination and flushes it. The bytes of a file are then with the operating
    /// system.
    ///
    /// # Errors
    ///
    /// The destination's. Frames that it didn't take stay in the buffer; call `flush` again to continue.
    pub fn flush(&mut self) -> Result<(), WriteError> {
        self.buffered.flush()
    }

    /// Writes the event that ends the log, flushes, and returns the destination.
    ///
    /// # Errors
    ///
    /// As [`flush`](BlackboxWriter::flush). The error says how many frames the destination has; the others are lost,
    /// and so is the destination. If you want to retry, call `flush` before `finish`.
    pub fn finish(self) -> Result<W, WriteError> {
        self.finish_with_counts().map(|(out, _)| out)
    }

    /// As [`finish`](BlackboxWriter::finish), and returns what became of the session's frames, too. Slow, GPS and home
    /// frames that still wait for a main frame are lost, which these counts say:
    ///
    /// ```
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
    /// # enum FlightLog { Main(MainFrame), Slow(SlowFrame) }
    /// let mut log = BlackboxWriter::<FlightLog, _>::new(Vec::new())?;
    /// log.write(&SlowFrame { flight_mode_flags: 1 })?;
    /// let (_bytes, counts) = log.finish_with_counts()?;
    /// assert_eq!((counts.slow_frames, counts.unwritten), (0, 1));
    /// # Ok::<(), binlog::WriteError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`finish`](BlackboxWriter::finish).
    pub fn finish_with_counts(mut self) -> Result<(W, Counts), WriteError> {
        let ended = self.end_session();
        let counts = *self.counts();
        self.buffered.finish(ended).map(|out| (out, counts))
    }

    /// What became of the frames of this session so far.
    pub fn counts(&self) -> &Counts {
        self.encoder.counts()
    }

    /// Number of accepted bytes, with those of the headers.
    pub fn byte_count(&self) -> u64 {
        self.buffered.byte_count()
    }

    /// Writes the event that ends the session.
    fn end_session(&mut self) -> Result<(), WriteError> {
        self.make_room(Event::MAX_BYTES)?;
        accept(self.encoder.end(), &mut self.buffered);
        Ok(())
    }

    /// Makes room for `bytes` bytes after the buffered frames.
    #[inline]
    fn make_room(&mut self, bytes: usize) -> Result<(), WriteError> {
        if self.buffered.room() >= bytes { Ok(()) } else { self.buffered.drain() }
    }
}

/// An encoder for a session with these header lines.
fn encoder<S: BlackboxSchema>(headers: &[(&str, &str)], path: Option<&Path>) -> Result<Encoder<S>, WriteError> {
    Encoder::with_headers(headers)
        .map_err(|error| WriteError::refused(io::ErrorKind::InvalidInput, error.about(headers), path))
}

#[cold]
fn refused(error: DoesNotFit, path: Option<&Path>) -> WriteError {
    WriteError::refused(io::ErrorKind::InvalidInput, format!("the frame can't be written: {error}"), path)
}

/// Appends the frames of one call to the buffer, which has room for them.
#[inline]
fn accept<W: Write>(bytes: &[u8], buffered: &mut Buffered<W, Ends>) {
    if bytes.is_empty() {
        return;
    }
    let (buffer, start) = buffered.bytes_and_end();
    let end = start + bytes.len();
    buffer[start..end].copy_from_slice(bytes);
    buffered.accept(end).0.push(end);
}

impl<S: BlackboxSchema, W: Write> fmt::Debug for BlackboxWriter<S, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BlackboxWriter")
            .field("path", &self.buffered.path())
            .field("counts", self.counts())
            .field("bytes", &self.byte_count())
            .finish_non_exhaustive()
    }
}
