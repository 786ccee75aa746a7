// Held by tests/tests/read/some_types.rs.

//! Reads a file for the records of some types.

use super::select::TypeName;
use crate::format::Format;
use crate::format::header::{FMT_ID, HEAD_BYTES};
use crate::read::catalogue::DEFINITIONS;
use crate::read::records::time::TimeSource;
use crate::read::{Log, LoggedDefinition, RecordStream, Skipped};
use crate::source::OpenError;
use crate::source::bytes;
use std::io::{self, Read, Seek};
use std::path::Path;

/// The file is read in pieces of this many bytes, which stay in the processor's cache. New memory for the whole file
/// would cost more time than reading it.
const PIECE: usize = 64 * 1024;

/// The types that say what values are called: the descriptions, and the vehicle, to whose modes numbers belong.
const NAMING: [&str; 3] = ["FILE", "MSG", "VER"];

impl Log<'static> {
    /// Reads the records of some types from a file: in pieces, so that only these records take memory. Where few types
    /// are needed, this takes less of the processor than [`open`](Log::open), and is as safe.
    ///
    /// Their rows have the same values, times, units and names as those of the whole log. For this, the log also has
    /// all definitions, and the records of FILE, MSG and VER, which have the descriptions and name the vehicle, and the
    /// first record of each boot, so that the [`boots`](Log::boots) are those of the whole log. All other records are
    /// left out, and so is what they say: the [`clock`](Log::clock) needs GPS. Also returns the stretches of the file
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
        let log = Log::of(bytes::read_opened(path, file, &metadata)?);
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
    let mut stream = Box::new(RecordStream::<PIECE>::new());
    let mut choice = Choice::new(names);
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
                if choice.keeps(id) {
                    kept.extend_from_slice(record);
                    choice.kept(id);
                }
            });
            match stream.next() {
                None => break,
                Some(Err(stretch)) => skipped.push(stretch),
                Some(Ok(record)) => {
                    let id = record.id();
                    if choice.keeps(id) || choice.is_of_types(record.name()) {
                        kept.extend(HEAD_BYTES);
                        kept.push(id);
                        kept.extend_from_slice(record.payload());
                        choice.kept(id);
                    }
                    let defined = if id == FMT_ID { record.payload().first().copied() } else { None };
                    if let Some(id) = defined {
                        choice.define(id, stream.definition(id).map_or("", |of_id| of_id.name()));
                    }
                }
            }
        }
        if read == 0 {
            return Ok((kept, skipped));
        }
    }
}

/// Which records are kept, by the definitions in force.
struct Choice<'n> {
    names: &'n [&'n str],
    /// By id.
    are_kept: [bool; 256],
    /// Those whose type is kept.
    are_of_types: [bool; 256],
    /// Those that define other records.
    are_definitions: [bool; 256],
    /// Whether the first record of the boot is to come. Any record may be it, so all are kept until then.
    is_new_boot: bool,
}

impl<'n> Choice<'n> {
    fn new(names: &'n [&'n str]) -> Self {
        let mut are_definitions = [false; 256];
        are_definitions[usize::from(FMT_ID)] = true;
        let are_kept = [true; 256];
        Choice { names, are_kept, are_of_types: are_definitions, are_definitions, is_new_boot: true }
    }

    fn is_of_types(&self, name: &str) -> bool {
        [self.names, &DEFINITIONS, &NAMING].iter().any(|kept| kept.contains(&name))
    }

    #[inline(always)]
    fn keeps(&self, id: u8) -> bool {
        self.are_kept[usize::from(id)]
    }

    /// Notes that a record is kept.
    #[inline(always)]
    fn kept(&mut self, id: u8) {
        if self.is_new_boot && !self.are_definitions[usize::from(id)] {
            self.is_new_boot = false;
            self.are_kept = self.are_of_types;
        }
    }

    /// Notes the name of the type that a record defines. The definition of FMT begins a boot.
    fn define(&mut self, id: u8, name: &str) {
        if id == FMT_ID {
            self.is_new_boot = true;
            self.are_kept = [true; 256];
            return;
        }
        let place = usize::from(id);
        self.are_of_types[place] = self.is_of_types(name);
        self.are_definitions[place] = DEFINITIONS.contains(&name);
        self.are_kept[place] = self.is_new_boot || self.are_of_types[place];
    }
}
