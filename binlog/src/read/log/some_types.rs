// Held by tests/tests/read/some_types.rs.

//! Reads a file for the records of some types.

use super::select::TypeName;
use crate::format::Format;
use crate::format::header::{FMT_ID, HEAD_BYTES};
use crate::read::catalogue::DEFINITIONS;
use crate::read::records::time::TimeSource;
use crate::read::{Log, LoggedDefinition, RecordStream, Skipped};
use crate::source::OpenError;
use crate::source::bytes::{self, Bytes};
use std::io::{self, Read, Seek};
use std::path::Path;

/// The file is read in pieces of this many bytes, which stay in the processor's cache. New memory for the whole file
/// would cost several times as much as reading it.
const PIECE: usize = 64 * 1024;

/// The types that say what values are called: the descriptions, and the vehicle, to whose modes numbers belong.
const NAMING: [&str; 3] = ["FILE", "MSG", "VER"];

impl Log<'static> {
    /// Reads the records of some types from a file: in pieces, so that only these records take memory. Where few types
    /// are needed, this is several times as fast as [`open`](Log::open), and as safe.
    ///
    /// Their rows have the same values, times, units and names as those of the whole log. For this, the log also has
    /// all definitions, and the records of FILE, MSG and VER, which have the descriptions and name the vehicle. All
    /// other records are left out, and so is what they say: the [`clock`](Log::clock) needs GPS.
    /// [`boots`](Log::boots) are told apart if they have any of the records. Also returns the stretches of the file
    /// that contain no record, which the log lacks.
    ///
    /// The whole file is read if a type has no TimeUS of 64 bits, because its times depend on other records, and if it
    /// isn't a regular file.
    ///
    /// ```no_run
    /// use binlog::{Log, Scaling};
    ///
    /// let (log, skipped) = Log::open_types("flight.bin", &["ATT"])?;
    /// let roll = log.numbers("ATT.Roll", Scaling::Shown)?;
    /// for skipped in skipped {
    ///     eprintln!("{skipped}");
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`open`](Log::open). A type that the log doesn't define isn't one.
    pub fn open_types<N: AsRef<str>>(path: impl AsRef<Path>, names: &[N]) -> Result<(Self, Vec<Skipped>), OpenError> {
        let path = path.as_ref();
        let (mut file, metadata) = bytes::open(path)?;
        let names: Vec<&str> = names.iter().map(|name| TypeName::parse(name.as_ref()).name).collect();
        if let Some(length) = bytes::length(&metadata) {
            let (kept, skipped) = read((&file).take(length), &names).map_err(bytes::read_error(path))?;
            let log = Log::from_bytes(kept);
            let are_complete = |name: &&str| log.all(name).definitions().all(|definition| has_own_times(&definition));
            if names.iter().all(are_complete) {
                return Ok((log, skipped));
            }
            file.rewind().map_err(bytes::read_error(path))?;
        }
        let log = Log::of(Bytes::Owned(bytes::read_opened(path, file, &metadata)?));
        let skipped = log.skipped().to_vec();
        Ok((log, skipped))
    }
}

/// Whether the times of its records depend on no other record.
fn has_own_times(definition: &LoggedDefinition<'_>) -> bool {
    matches!(TimeSource::of(definition), TimeSource::Micros { format: Format::U64, .. })
}

/// The records of these types, what they are read by, and the skipped stretches.
fn read(mut file: impl Read, names: &[&str]) -> io::Result<(Vec<u8>, Vec<Skipped>)> {
    let is_kept = |name: &str| [names, &DEFINITIONS, &NAMING].iter().any(|kept| kept.contains(&name));
    let mut stream = Box::new(RecordStream::<PIECE>::new());
    // By id, of the definition in force.
    let mut are_kept = [false; 256];
    let (mut kept, mut skipped) = (Vec::new(), Vec::new());
    loop {
        let read = match file.read(stream.space()) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read?,
        };
        if read == 0 {
            stream.finish();
        }
        stream.filled(read);
        loop {
            stream.pass(|id, record| {
                if are_kept[usize::from(id)] {
                    kept.extend_from_slice(record);
                }
            });
            match stream.next() {
                None => break,
                Some(Err(stretch)) => skipped.push(stretch),
                Some(Ok(record)) => {
                    if is_kept(record.name()) {
                        kept.extend(HEAD_BYTES);
                        kept.push(record.id());
                        kept.extend_from_slice(record.payload());
                    }
                    let defined = if record.id() == FMT_ID { record.payload().first().copied() } else { None };
                    if let Some(id) = defined {
                        are_kept[usize::from(id)] = stream.definition(id).is_some_and(|of_id| is_kept(of_id.name()));
                    }
                }
            }
        }
        if read == 0 {
            return Ok((kept, skipped));
        }
    }
}
