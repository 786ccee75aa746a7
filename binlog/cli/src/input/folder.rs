//! The logs of a folder.

use super::format::BEGINNING;
use super::shown;
use crate::outcome::Failure;
use binlog::LogFormat;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The names that logs have. Others aren't opened: a folder may have anything.
const EXTENSIONS: [&str; 5] = ["bin", "bbl", "bfl", "log", "txt"];

/// Those of them that hardly anything else has.
const OF_LOGS: [&str; 3] = ["bin", "bbl", "bfl"];

/// Whether a path has a name that logs have, which end in .bin, .bbl, .bfl, .log or .txt.
pub fn looks_like_log(path: &Path) -> bool {
    ends_with(path, &EXTENSIONS)
}

fn ends_with(path: &Path, extensions: &[&str]) -> bool {
    path.extension().is_some_and(|extension| extensions.iter().any(|known| extension.eq_ignore_ascii_case(known)))
}

/// What a folder and the folders in it have, sorted by path.
#[derive(Default)]
pub(super) struct Contents {
    pub(super) logs: Vec<PathBuf>,
    pub(super) left_out: Vec<LeftOut>,
}

/// What a folder has beside logs: a file that is named like a log and is empty or no log, or a folder that can't be
/// read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LeftOut {
    /// Where it is.
    pub path: PathBuf,
    /// Why it is left out: `it is empty`.
    pub reason: String,
    /// The length of a file; `None` for a folder.
    pub bytes: Option<u64>,
}

impl Contents {
    /// Those of a folder. Links to folders aren't followed.
    ///
    /// # Errors
    ///
    /// If the folder itself can't be read.
    pub(super) fn of(folder: &Path) -> Result<Self, Failure> {
        let mut contents = Contents::default();
        let mut folders = Vec::new();
        contents
            .add(folder, &mut folders)
            .map_err(|error| Failure::new(format_args!("can't read the folder {}: {error}", shown(folder))))?;
        while let Some(path) = folders.pop() {
            if let Err(error) = contents.add(&path, &mut folders) {
                let reason = format!("can't read the folder: {error}");
                contents.left_out.push(LeftOut { path, reason, bytes: None });
            }
        }
        contents.logs.sort_unstable();
        contents.left_out.sort_unstable_by(|one, other| one.path.cmp(&other.path));
        Ok(contents)
    }

    fn add(&mut self, folder: &Path, folders: &mut Vec<PathBuf>) -> io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let path = entry.path();
            if entry.file_type()?.is_dir() {
                folders.push(path);
                continue;
            }
            match kind(&path) {
                Kind::Log => self.logs.push(path),
                Kind::Other => {}
                Kind::LeftOut { reason, bytes } => {
                    self.left_out.push(LeftOut { path, reason: reason.into(), bytes: Some(bytes) });
                }
            }
        }
        Ok(())
    }
}

enum Kind {
    Log,
    LeftOut { reason: &'static str, bytes: u64 },
    Other,
}

fn kind(path: &Path) -> Kind {
    // Opening a pipe would wait for a writer.
    if !looks_like_log(path) || !path.is_file() {
        return Kind::Other;
    }
    // The command says why a file can't be read.
    match File::open(path).and_then(kind_of).unwrap_or(Kind::Log) {
        Kind::Other if ends_with(path, &OF_LOGS) => {
            let bytes = path.metadata().map_or(0, |file| file.len());
            Kind::LeftOut { reason: "it is neither an ArduPilot log nor a Blackbox log", bytes }
        }
        kind => kind,
    }
}

fn kind_of(mut file: File) -> io::Result<Kind> {
    let mut beginning = Vec::new();
    file.by_ref().take(BEGINNING as u64).read_to_end(&mut beginning)?;
    if LogFormat::of(&beginning).is_some() {
        return Ok(Kind::Log);
    }
    if beginning.iter().any(|byte| *byte != 0) {
        return Ok(Kind::Other);
    }
    let mut bytes = beginning.len() as u64;
    let mut chunk = vec![0; BEGINNING];
    loop {
        match file.read(&mut chunk) {
            Ok(0) => break,
            Ok(length) if chunk[..length].iter().all(|byte| *byte == 0) => bytes += length as u64,
            // A log whose beginning is lost may follow.
            Ok(_) => return Ok(Kind::Log),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    let reason = if bytes == 0 { "it is empty" } else { "it has only zeros" };
    Ok(Kind::LeftOut { reason, bytes })
}
