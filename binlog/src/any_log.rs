//! A log of either format. The bytes decide about the format, never the name of a file.

mod folder;

pub use folder::{FoundLogs, LeftOut};

use crate::blackbox::BlackboxLog;
use crate::blackbox::log::find_session;
use crate::format::record_header;
use crate::read::Log;
use crate::source::bytes::{self, Bytes};
use crate::source::{OpenError, text_log};
use crate::wording::debug_text::debug_is_text;
use crate::wording::plural::Plural;
use memchr::memmem;
use std::borrow::Cow;
use std::fmt;
use std::io::{self, Read};
use std::path::Path;

/// A log of either format.
///
/// A text log of ArduPilot, as Mission Planner writes it (.log), becomes a binary one when it is opened:
/// [`bytes`](AnyLog::bytes) are those of the binary log, [`Log::damaged_lines`] says which lines of the text it lacks.
/// The binary log is about half as long as the text, and takes memory. A text that is read is in memory, too, until it
/// is converted; one that is [mapped](AnyLog::map) isn't.
///
/// ```no_run
/// use binlog::AnyLog;
///
/// match AnyLog::open("flight.log")? {
///     AnyLog::ArduPilot(log) => println!("{} messages", log.types().count()),
///     AnyLog::Blackbox(log) => println!("{} sessions", log.sessions().len()),
/// }
/// # Ok::<(), binlog::log::OpenError>(())
/// ```
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "there is one for each open log")]
pub enum AnyLog<'a> {
    /// ArduPilot's binary log.
    ArduPilot(Log<'a>),
    /// A Blackbox log.
    Blackbox(BlackboxLog<'a>),
}

impl AnyLog<'static> {
    /// Reads a file, as [`Log::open`] does.
    ///
    /// # Errors
    ///
    /// Those of [`Log::open`], and [`InvalidData`](io::ErrorKind::InvalidData) if the file isn't a log.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, OpenError> {
        let path = path.as_ref();
        AnyLog::of_file(path, bytes::read(path)?)
    }

    /// Reads a reader to its end.
    ///
    /// # Errors
    ///
    /// Errors of the reader, and [`InvalidData`](io::ErrorKind::InvalidData) if the bytes aren't a log.
    pub fn from_reader(reader: impl Read) -> io::Result<Self> {
        AnyLog::of(Bytes::Owned(bytes::read_all(reader, 0)?)).map_err(io::Error::from)
    }

    /// The log in the bytes of a file.
    pub(crate) fn of_file(path: &Path, bytes: Bytes<'static>) -> Result<Self, OpenError> {
        AnyLog::of(bytes).map_err(|error| bytes::read_error(path)(error.into()))
    }
}

impl<'a> AnyLog<'a> {
    /// Uses bytes in memory as a log: a `Vec<u8>` or a `&[u8]`.
    ///
    /// # Errors
    ///
    /// If the bytes aren't a log.
    pub fn from_bytes(bytes: impl Into<Cow<'a, [u8]>>) -> Result<Self, UnknownFormat> {
        AnyLog::of(match bytes.into() {
            Cow::Borrowed(bytes) => Bytes::Borrowed(bytes),
            Cow::Owned(bytes) => Bytes::Owned(bytes),
        })
    }

    fn of(bytes: Bytes<'a>) -> Result<Self, UnknownFormat> {
        match LogFormat::of(&bytes) {
            Some(LogFormat::ArduPilot | LogFormat::ArduPilotRecords) => Ok(AnyLog::ArduPilot(Log::of(bytes))),
            Some(LogFormat::ArduPilotText) => {
                let log = text_log::convert(&bytes);
                Ok(AnyLog::ArduPilot(Log::of(Bytes::OfText(Box::new(log)))))
            }
            Some(LogFormat::Blackbox) => Ok(AnyLog::Blackbox(BlackboxLog::of(bytes))),
            None => Err(UnknownFormat { bytes: bytes.len() }),
        }
    }

    /// The log's bytes.
    pub fn bytes(&self) -> &[u8] {
        match self {
            AnyLog::ArduPilot(log) => log.bytes(),
            AnyLog::Blackbox(log) => log.bytes(),
        }
    }
}

/// The log of either format in the bytes of one, which aren't copied.
impl<'a> TryFrom<Log<'a>> for AnyLog<'a> {
    type Error = UnknownFormat;

    fn try_from(log: Log<'a>) -> Result<Self, UnknownFormat> {
        AnyLog::of(log.into_source())
    }
}

/// The format of a log.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LogFormat {
    /// ArduPilot's binary log.
    ArduPilot,
    /// Records of an ArduPilot log without a definition: its beginning is missing, so nothing in it can be read.
    ArduPilotRecords,
    /// ArduPilot's log as text, a record a line, with definitions.
    ArduPilotText,
    /// A Blackbox log.
    Blackbox,
}

/// The header of the records that define the messages of an ArduPilot log.
const FMT: [u8; 3] = record_header(128);

/// How much of a file shows what it is, unless the log is damaged.
const BEGINNING: usize = 64 * 1024;

impl LogFormat {
    /// The format of a log, or of its beginning: what begins first in it, a definition or a session. `None` if there is
    /// neither, and no records either.
    ///
    /// ```
    /// use binlog::LogFormat;
    ///
    /// let beginning = b"H Product:Blackbox flight data recorder by Nicholas Sherlock\n";
    /// assert_eq!(LogFormat::of(beginning), Some(LogFormat::Blackbox));
    /// assert_eq!(LogFormat::of(b"TimeUS,Roll\n1,2\n"), None);
    /// ```
    pub fn of(log: &[u8]) -> Option<Self> {
        match log.get(..BEGINNING).and_then(LogFormat::in_) {
            // Definitions may come later.
            beginning @ (None | Some(LogFormat::ArduPilotRecords)) => LogFormat::in_(log).or(beginning),
            beginning => beginning,
        }
    }

    fn in_(bytes: &[u8]) -> Option<Self> {
        let mut headers = memmem::find_iter(bytes, &FMT);
        let found = [
            (headers.find(|&at| is_definition(&bytes[at + FMT.len()..])), LogFormat::ArduPilot),
            (find_session(bytes), LogFormat::Blackbox),
            (text_log::first_definition(bytes), LogFormat::ArduPilotText),
        ];
        let first = found.into_iter().filter_map(|(at, format)| Some((at?, format))).min_by_key(|(at, _)| *at);
        let records = || has_records(bytes).then_some(LogFormat::ArduPilotRecords);
        first.map(|(_, format)| format).or_else(records)
    }
}

/// Whether bytes without a definition are records of an ArduPilot log, whose beginning is lost. Each record begins with
/// a header and has 255 bytes at most; elsewhere the header's bytes are rare. Half of the records may be damaged.
fn has_records(bytes: &[u8]) -> bool {
    let headers = memmem::find_iter(bytes, &FMT[..2]).count();
    headers >= 4 && headers * 2 * 255 >= bytes.len()
}

/// Whether the payload of a definition begins here: the type's id and length, a name of four bytes, and the formats of
/// the columns. A large file that isn't a log has any three bytes somewhere.
fn is_definition(payload: &[u8]) -> bool {
    let Some(&[_, length, ref name @ ..]) = payload.first_chunk::<6>() else { return false };
    let text = |bytes: &[u8]| bytes.iter().take_while(|byte| **byte != 0).all(u8::is_ascii_graphic);
    length >= 3 && name[0] != 0 && text(name) && payload.get(6..22).is_some_and(text)
}

/// Bytes aren't a log of either format.
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownFormat {
    /// How many they are.
    pub bytes: usize,
}

impl fmt::Display for UnknownFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.bytes {
            0 => f.write_str("the log is empty"),
            bytes => write!(
                f,
                "neither an ArduPilot log (.bin) nor a Blackbox log (.bbl): no definition and no session in {}",
                Plural(bytes, "byte")
            ),
        }
    }
}

debug_is_text!(UnknownFormat);

impl std::error::Error for UnknownFormat {}

impl From<UnknownFormat> for io::Error {
    fn from(error: UnknownFormat) -> Self {
        io::Error::new(io::ErrorKind::InvalidData, error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SESSION: &[u8] = b"H Product:Blackbox flight data recorder by Nicholas Sherlock\n";

    fn fmt() -> Vec<u8> {
        [&FMT[..], b"\x80\x59FMT\0BBnNZ", &[0; 80]].concat()
    }

    #[test]
    fn what_begins_first_decides() {
        for (bytes, format) in [
            ([&fmt(), SESSION].concat(), Some(LogFormat::ArduPilot)),
            ([b"\n\x7f", SESSION, &fmt()].concat(), Some(LogFormat::Blackbox)),
            ([&[0; BEGINNING][..], &fmt()].concat(), Some(LogFormat::ArduPilot)),
            (b"H Xroduct:\nH Field I name:time\n".to_vec(), Some(LogFormat::Blackbox)),
            (b"TimeUS,Roll\n1,2\n".to_vec(), None),
            (
                b"\xEF\xBB\xBF FMT, 128, 89, FMT, BBnNZ, Type,Length,Name,Format\r\n".to_vec(),
                Some(LogFormat::ArduPilotText),
            ),
            (b"1\n\nArduCopter V3.1\nFMT, 10, 3, STRT, , \n".to_vec(), Some(LogFormat::ArduPilotText)),
            (b"a,FMT,1,3,A,B,C\nFMT,x,3,A,B,C\nFMT,1,3,ABCDE,B,C\nFMT\n".to_vec(), None),
            // The beginning of a log is lost.
            ([&[0xA3, 0x95, 7][..], &[0; 200]].concat().repeat(20), Some(LogFormat::ArduPilotRecords)),
            (
                [&[&[0xA3, 0x95, 7][..], &[0; 200]].concat().repeat(400)[..], &fmt()].concat(),
                Some(LogFormat::ArduPilot),
            ),
            ([&[0xA3, 0x95, 7][..], &[0; 800]].concat().repeat(20), None),
            ([0xA3, 0x95, 7].repeat(3), None),
            ([&FMT[..], &[200; 100]].concat(), None),
            (vec![], None),
        ] {
            assert_eq!(LogFormat::of(&bytes), format, "{:?}", bytes.get(..20));
        }
    }

    #[test]
    fn a_log_is_opened_in_its_format() {
        assert!(matches!(AnyLog::from_bytes(fmt()), Ok(AnyLog::ArduPilot(log)) if log.bytes() == fmt()));
        assert!(matches!(AnyLog::from_bytes(SESSION), Ok(AnyLog::Blackbox(log)) if log.sessions().len() == 1));
        let read_as_ardupilot = Log::from_bytes(SESSION);
        assert!(matches!(AnyLog::try_from(read_as_ardupilot), Ok(AnyLog::Blackbox(log)) if log.bytes() == SESSION));
        assert!(matches!(AnyLog::from_reader(SESSION), Ok(AnyLog::Blackbox(_))));
        let error = AnyLog::from_bytes(&b"text"[..]).expect_err("not a log").to_string();
        let text = "neither an ArduPilot log (.bin) nor a Blackbox log (.bbl): no definition and no session in 4 bytes";
        assert_eq!(error, text);
        let error = AnyLog::from_reader(io::empty()).expect_err("not a log");
        assert_eq!((error.kind(), error.to_string()), (io::ErrorKind::InvalidData, "the log is empty".into()));
    }

    #[test]
    fn a_file_that_is_no_log_is_named() {
        let path = std::env::temp_dir().join(format!("binlog-no-log-{}.txt", std::process::id()));
        std::fs::write(&path, "text").expect("room");
        let error = AnyLog::open(&path).expect_err("not a log");
        std::fs::remove_file(&path).expect("it is there");
        assert_eq!((error.path(), error.kind()), (&*path, io::ErrorKind::InvalidData));
        assert!(error.to_string().starts_with(&format!("can't read {}: neither", path.display())), "{error}");
    }
}
