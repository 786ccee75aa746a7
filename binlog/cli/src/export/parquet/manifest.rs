//! The file that says which logs and files belong to a data set. It is written last.

use crate::outcome::Failure;
use crate::output::interrupt;
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::Path;

/// Its name. Readers of folders ignore names that begin with an underscore.
pub const NAME: &str = "_manifest.json";

/// The version of the layout of folders, columns and manifest.
const VERSION: u32 = 1;

/// What belongs to a data set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    version: u32,
    /// What was chosen of each log: a data set has one choice.
    pub choice: String,
    /// The number of exports that added logs.
    pub runs: u32,
    /// The logs.
    pub logs: Vec<LogEntry>,
    /// The files, as paths in the data set with `/`.
    pub files: Vec<String>,
}

/// A log of a data set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogEntry {
    /// The hash of its bytes.
    pub log_id: String,
    /// Its name when it was added.
    pub name: String,
}

impl Manifest {
    /// That of an empty data set.
    pub fn new(choice: &str) -> Self {
        Manifest { version: VERSION, choice: choice.into(), runs: 0, logs: Vec::new(), files: Vec::new() }
    }

    /// Reads the manifest of a folder; `None` if it has none.
    ///
    /// # Errors
    ///
    /// If it can't be read, or is of a later version of this program.
    pub fn read(folder: &Path) -> Result<Option<Self>, Failure> {
        let place = folder.join(NAME);
        let failure =
            |error: &dyn std::fmt::Display| Failure::new(format_args!("can't read {}: {error}", place.display()));
        let text = match fs::read(&place) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failure(&error)),
        };
        let manifest: Manifest = serde_json::from_slice(&text).map_err(|error| failure(&error))?;
        if manifest.version > VERSION {
            return Err(failure(&"a later version of binlog has written it; update binlog"));
        }
        Ok(Some(manifest))
    }

    /// Writes the manifest of a folder: beside its place, then renamed.
    ///
    /// # Errors
    ///
    /// If it can't be written.
    pub fn write(&self, folder: &Path) -> Result<(), Failure> {
        let (place, part) = (folder.join(NAME), folder.join("_manifest.json.part"));
        self.replace(&place, &part)
            .inspect_err(|_| drop(fs::remove_file(&part)))
            .map_err(|error| Failure::new(format_args!("can't write {}: {error}", place.display())))
    }

    fn replace(&self, place: &Path, part: &Path) -> io::Result<()> {
        let mut file = BufWriter::new(interrupt::create(&[part], || File::create(part))?);
        serde_json::to_writer_pretty(&mut file, self)?;
        file.write_all(b"\n")?;
        file.into_inner()?.sync_all()?;
        fs::rename(part, place)?;
        interrupt::keep(part);
        Ok(())
    }
}
