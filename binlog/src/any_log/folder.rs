//! The logs of a folder.

use super::{BEGINNING, LogFormat};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The names that logs have. Others aren't opened: a folder may have anything.
const EXTENSIONS: [&str; 5] = ["bin", "bbl", "bfl", "log", "txt"];

/// Those of them that hardly anything else has.
const OF_LOGS: [&str; 3] = ["bin", "bbl", "bfl"];

/// The logs in a folder and in the folders in it, sorted by path.
///
/// A log has a name that ends in .bin, .bbl, .bfl, .log or .txt, and its bytes are those of a log. Files and folders
/// whose names begin with a dot are hidden, and not looked at.
///
/// ```no_run
/// use binlog::{AnyLog, FoundLogs};
///
/// for path in FoundLogs::in_folder("flights")?.logs {
///     println!("{}: {} bytes", path.display(), AnyLog::open(&path)?.bytes().len());
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FoundLogs {
    /// The logs. One that can't be read is among them, so that whoever opens it says why.
    pub logs: Vec<PathBuf>,
    /// What else looks like a log, and folders that can't be read.
    pub left_out: Vec<LeftOut>,
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

impl FoundLogs {
    /// Those of a folder. Links to folders aren't followed.
    ///
    /// # Errors
    ///
    /// If the folder itself can't be read.
    pub fn in_folder(folder: impl AsRef<Path>) -> io::Result<Self> {
        let mut found = FoundLogs::default();
        let mut folders = Vec::new();
        found.add(folder.as_ref(), &mut folders)?;
        while let Some(path) = folders.pop() {
            if let Err(error) = found.add(&path, &mut folders) {
                let reason = format!("can't read the folder: {error}");
                found.left_out.push(LeftOut { path, reason, bytes: None });
            }
        }
        found.logs.sort_unstable();
        found.left_out.sort_unstable_by(|one, other| one.path.cmp(&other.path));
        Ok(found)
    }

    /// Whether a path has a name that logs have, which end in .bin, .bbl, .bfl, .log or .txt.
    pub fn has_log_name(path: impl AsRef<Path>) -> bool {
        ends_with(path.as_ref(), &EXTENSIONS)
    }

    fn add(&mut self, folder: &Path, folders: &mut Vec<PathBuf>) -> io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let path = entry.path();
            if entry.file_name().as_encoded_bytes().starts_with(b".") {
                continue;
            }
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

fn ends_with(path: &Path, extensions: &[&str]) -> bool {
    path.extension().is_some_and(|extension| extensions.iter().any(|known| extension.eq_ignore_ascii_case(known)))
}

enum Kind {
    Log,
    LeftOut { reason: &'static str, bytes: u64 },
    Other,
}

fn kind(path: &Path) -> Kind {
    // Opening a pipe would wait for a writer.
    if !FoundLogs::has_log_name(path) || !path.is_file() {
        return Kind::Other;
    }
    // Whoever opens it says why it can't be read.
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
    if beginning.starts_with(b"version https://git-lfs.github.com/") {
        let reason = "it is a Git LFS pointer; `git lfs pull` fetches the log";
        return Ok(Kind::LeftOut { reason, bytes: beginning.len() as u64 });
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
