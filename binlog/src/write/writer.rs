// Held by tests/tests/write/writer.rs.

//! Writes logs to any `std::io::Write`.

pub(crate) mod buffered;
mod error;
mod shared;

pub use error::{FinishError, WriteError};
pub use shared::SharedWriter;

use crate::declare::messages::{File, Mode, Msg, Parm};
use crate::describe::log_messages::{self, FILE_NAME};
use crate::format::{LogMessage, LogSchema, Logs};
use crate::write::encode::{encode_any_at, encode_at};
use buffered::{Buffered, CountRecords};
pub(crate) use error::Progress;
use std::io::{self, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::{fmt, fs};

/// Writes a log to any [`Write`]: first the preamble, then the records of the schema's messages.
///
/// Records are buffered; [`flush`](LogWriter::flush) and [`finish`](LogWriter::finish) write them to the destination.
/// Each record is accepted whole, or not at all with an error. Accepted records stay in the buffer until the
/// destination takes them, so you can continue writing after a temporary error. Dropping the writer writes the buffer
/// but can't report errors, so end with `finish`.
///
/// ```
/// use binlog::{LogSchema, LogWriter, messages::{Mode, Msg, Parm}};
///
/// #[derive(LogSchema)]
/// enum FlightLog {
///     Parm(Parm),
///     Msg(Msg),
///     Mode(Mode),
/// }
///
/// let mut log = LogWriter::<FlightLog, _>::new(Vec::new())?; // `create("flight.bin")` for a file
/// log.parameter(0, "FRAME_CLASS", 1.0, None)?;
/// log.text(0, "ArduCopter V4.6.0")?;
/// log.mode(0, 5, 0)?;
/// log.write(&Msg { time_us: 1, id: 1, seq: 0, message: "ready".try_into()? })?;
/// let bytes = log.finish()?;
/// # assert_eq!(binlog::Records::new(&bytes).flatten().filter(|record| record.name() == "MSG").count(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Only messages of the schema compile:
///
/// ```compile_fail
/// # use binlog::{LogSchema, LogWriter, messages::{Ev, Msg}};
/// # #[derive(LogSchema)]
/// # enum FlightLog { Msg(Msg) }
/// let mut log = LogWriter::<FlightLog, _>::new(Vec::new())?;
/// log.write(&Ev { time_us: 0, id: 10 })?; // `Ev` is not in the schema `FlightLog`
/// # Ok::<(), binlog::WriteError>(())
/// ```
pub struct LogWriter<S: LogSchema, W: Write> {
    buffered: Buffered<W, Lengths<S>>,
    text_id: u8,
}

/// Small enough for the first-level cache, large enough to make the cost of system calls per record small.
const DEFAULT_CAPACITY: usize = 16 * 1024;
/// The buffer holds at least one record.
pub(crate) const LONGEST_RECORD: usize = 255;

impl<S: LogSchema> LogWriter<S, fs::File> {
    /// Creates a log in a file. An existing file is overwritten.
    ///
    /// # Errors
    ///
    /// If the file can't be created or the preamble can't be written. All errors of this writer name the file.
    pub fn create(path: impl AsRef<Path>) -> Result<Self, WriteError> {
        Self::open(path.as_ref(), fs::File::create(path.as_ref()))
    }

    /// A log in a new file.
    ///
    /// # Errors
    ///
    /// As [`create`](LogWriter::create), and if the file exists.
    pub fn create_new(path: impl AsRef<Path>) -> Result<Self, WriteError> {
        Self::open(path.as_ref(), fs::File::create_new(path.as_ref()))
    }

    fn open(path: &Path, file: io::Result<fs::File>) -> Result<Self, WriteError> {
        let file = file.map_err(|error| WriteError::new(error, Some(path), Progress::default()))?;
        Self::start(file, Vec::with_capacity(DEFAULT_CAPACITY), Some(path.into()))
    }
}

impl<S: LogSchema, W: Write> LogWriter<S, W> {
    /// Creates a log on any writer, with a buffer of 16 KiB, and writes the preamble.
    ///
    /// # Errors
    ///
    /// If the preamble can't be written.
    pub fn new(out: W) -> Result<Self, WriteError> {
        Self::with_buffer(Vec::with_capacity(DEFAULT_CAPACITY), out)
    }

    /// As [`new`](LogWriter::new), with a buffer of your own.
    ///
    /// If it holds the whole log, only the preamble reaches the destination before [`flush`](LogWriter::flush). A
    /// simulation or a test bench that must not wait for a disk can so log into memory and write the file at the end. A
    /// buffer shorter than the longest record, 255 bytes, is enlarged.
    ///
    /// # Errors
    ///
    /// If the preamble can't be written.
    pub fn with_buffer(buffer: Vec<u8>, out: W) -> Result<Self, WriteError> {
        Self::start(out, buffer, None)
    }

    fn start(out: W, mut buffer: Vec<u8>, path: Option<PathBuf>) -> Result<Self, WriteError> {
        // Use the vector's whole capacity.
        buffer.resize(buffer.capacity().max(LONGEST_RECORD), 0);
        let buffered = Buffered::new(out, S::PREAMBLE, buffer.into(), Lengths(PhantomData), path)?;
        Ok(LogWriter { buffered, text_id: 0 })
    }

    /// Writes a record.
    ///
    /// # Errors
    ///
    /// If the buffer is full and the destination fails. The record is not accepted then.
    #[inline]
    pub fn write<M: LogMessage>(&mut self, message: &M) -> Result<(), WriteError>
    where
        S: Logs<M>,
    {
        let (buffer, end) = self.buffered.bytes_and_end();
        match encode_at::<S, M>(message, buffer, end) {
            Some(end) => {
                self.buffered.accept(end);
                Ok(())
            }
            None => self.write_to_full(message),
        }
    }

    #[cold]
    fn write_to_full<M: LogMessage>(&mut self, message: &M) -> Result<(), WriteError>
    where
        S: Logs<M>,
    {
        self.buffered.drain()?;
        let (buffer, end) = self.buffered.bytes_and_end();
        let end = encode_at::<S, M>(message, buffer, end).ok_or_else(|| self.contradiction())?;
        self.buffered.accept(end);
        Ok(())
    }

    /// Only a message that is implemented by hand can be like that.
    fn contradiction(&self) -> WriteError {
        self.refuse("the record", "its payload differs in length from its definition")
    }

    /// Writes the message that a value of the schema holds, for example one that a [`Decoder`](crate::Decoder)
    /// returned.
    ///
    /// # Errors
    ///
    /// As [`write`](LogWriter::write).
    pub fn write_any(&mut self, message: &S) -> Result<(), WriteError> {
        let (buffer, end) = self.buffered.bytes_and_end();
        let mut end = encode_any_at(message, buffer, end);
        if end.is_none() {
            self.buffered.drain()?;
            end = encode_any_at(message, self.buffered.bytes_and_end().0, 0);
        }
        let end = end.ok_or_else(|| self.contradiction())?;
        self.buffered.accept(end);
        Ok(())
    }

    /// Logs a parameter: its name of at most 16 bytes, its value, and the default value of the firmware if there is
    /// one.
    ///
    /// # Errors
    ///
    /// As [`write`](LogWriter::write), and if the name is too long or contains a NUL.
    pub fn parameter(&mut self, time_us: u64, name: &str, value: f32, default: Option<f32>) -> Result<(), WriteError>
    where
        S: Logs<Parm>,
    {
        let parm = Parm::new(time_us, name, value, default)
            .map_err(|error| self.refuse(format_args!("the parameter's name `{name}`"), error))?;
        self.write(&parm)
    }

    /// Logs a text of up to 256 records of 64 bytes.
    ///
    /// Readers recognise the vehicle by a text early in the log that names the firmware (`ArduCopter V4.6.0`).
    ///
    /// # Errors
    ///
    /// As [`write`](LogWriter::write); the parts before the error are accepted then. If the text is too long or
    /// contains a NUL; nothing is accepted then.
    pub fn text(&mut self, time_us: u64, text: &str) -> Result<(), WriteError>
    where
        S: Logs<Msg>,
    {
        let parts = Msg::parts(time_us, self.text_id, text).map_err(|error| self.refuse("the text", error))?;
        self.text_id = self.text_id.wrapping_add(1);
        for part in parts {
            self.write(&part)?;
        }
        Ok(())
    }

    /// Logs a change of the flight mode: its number in the vehicle's list, 0 to 127, and the reason (ArduPilot's
    /// `ModeReason`, 0 if unknown).
    ///
    /// # Errors
    ///
    /// As [`write`](LogWriter::write), and if the number is above 127.
    pub fn mode(&mut self, time_us: u64, number: u8, reason: u8) -> Result<(), WriteError>
    where
        S: Logs<Mode>,
    {
        let mode = Mode::new(time_us, number, reason).map_err(|error| self.refuse("the mode", error))?;
        self.write(&mode)
    }

    /// Logs the descriptions of the schema's messages, names of values and bits included, as the embedded file
    /// [`LogMessages.xml`](crate::log_messages::FILE_NAME). A reader then explains the log without the program, by
    /// [`Log::descriptions`](crate::Log::descriptions). It takes about 250 bytes a column.
    ///
    /// # Errors
    ///
    /// As [`file`](LogWriter::file).
    pub fn descriptions(&mut self) -> Result<(), WriteError>
    where
        S: Logs<File>,
    {
        self.file(FILE_NAME, log_messages::xml::<S>().to_string().as_bytes())
    }

    /// Logs a whole file in records of 64 bytes. Its name has at most 16 bytes.
    ///
    /// # Errors
    ///
    /// As [`write`](LogWriter::write); the pieces before the error are accepted then. If the name or the file is too
    /// long; nothing is accepted then.
    pub fn file(&mut self, name: &str, contents: &[u8]) -> Result<(), WriteError>
    where
        S: Logs<File>,
    {
        let parts = File::parts(name, contents);
        let parts = parts.map_err(|error| self.refuse(format_args!("the file `{name}`"), error))?;
        for part in parts {
            self.write(&part)?;
        }
        Ok(())
    }

    /// Writes all buffered records to the destination and flushes it. The bytes of a file are then with the operating
    /// system.
    ///
    /// # Errors
    ///
    /// The destination's. Records that it didn't take stay in the buffer; call `flush` again to continue.
    pub fn flush(&mut self) -> Result<(), WriteError> {
        self.buffered.flush()
    }

    /// Flushes and returns the destination. To survive a power cut as well, call `log.finish()?.sync_all()?` for a
    /// file.
    ///
    /// # Errors
    ///
    /// As [`flush`](LogWriter::flush). The error says how many records the destination has; the others are lost, and so
    /// is the destination. If you want to retry, call `flush` before `finish`.
    pub fn finish(mut self) -> Result<W, WriteError> {
        self.buffered.finish(Ok(()))
    }

    /// Turns the writer into a handle that can be cloned and shared between threads.
    pub fn into_shared(self) -> SharedWriter<S, W> {
        SharedWriter::new(self)
    }

    /// Number of accepted records, without those of the preamble.
    pub fn record_count(&self) -> u64 {
        self.buffered.record_count()
    }

    /// Number of accepted bytes, with those of the preamble.
    pub fn byte_count(&self) -> u64 {
        self.buffered.byte_count()
    }

    /// An error about an argument; nothing about the destination.
    fn refuse(&self, what: impl fmt::Display, why: impl fmt::Display) -> WriteError {
        WriteError::refused(io::ErrorKind::InvalidInput, format!("{what}: {why}"), self.buffered.path())
    }
}

/// Counts records on demand by the lengths of their messages, so that writing a record stays fast.
struct Lengths<S>(PhantomData<fn() -> S>);

impl<S: LogSchema> CountRecords for Lengths<S> {
    fn count(&self, bytes: &[u8]) -> u64 {
        let mut lengths = [0; 256];
        for message in S::MESSAGES {
            lengths[usize::from(message.id)] = message.definition.length();
        }
        let mut records = 0;
        let mut at = 0;
        while let Some(&id) = bytes.get(at + 2) {
            at += lengths[usize::from(id)];
            // An accepted record never has a length of 0.
            if at > bytes.len() || lengths[usize::from(id)] == 0 {
                break;
            }
            records += 1;
        }
        records
    }
}

impl<S: LogSchema, W: Write> fmt::Debug for LogWriter<S, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LogWriter")
            .field("path", &self.buffered.path())
            .field("records", &self.record_count())
            .field("bytes", &self.byte_count())
            .finish_non_exhaustive()
    }
}
