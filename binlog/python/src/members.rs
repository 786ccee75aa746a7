//! The logs of a fleet: files that are named, and those of folders.

use crate::errors::{FleetError, OnError, Skipped};
use crate::signals::Signals;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// A log and its id: its path, from the folder if one folder is given.
#[derive(Clone)]
pub struct Member {
    /// What the column `log_id` has.
    pub id: String,
    /// Where it is.
    pub path: PathBuf,
    /// Its length.
    pub bytes: u64,
    /// When it changed, if it was found.
    pub changed: Option<SystemTime>,
    /// Whether its name says that it is a log. Others in a folder may be something else.
    pub is_named_as_log: bool,
}

/// Extensions of logs, in lower case.
const EXTENSIONS: [&str; 5] = ["bin", "bbl", "bfl", "log", "txt"];

/// Those of them that other files have, too.
const OF_TEXTS: [&str; 2] = ["log", "txt"];

/// What ArduPilot writes into a folder of logs beside them: the number of the last one.
const LAST_LOG: &str = "LASTLOG.TXT";

impl Member {
    /// What to do with the log if it can't be read.
    pub fn on_error(&self, on_error: OnError, error: &FleetError) -> OnError {
        match error {
            FleetError::Open(error) if error.kind() == ErrorKind::InvalidData && !self.is_named_as_log => OnError::Skip,
            _ => on_error,
        }
    }
}

/// The logs of these files and folders, by path, and each once: a link is the file that it leads to. Links to folders
/// aren't followed, since they may lead back. Empty files are skipped.
pub fn find(paths: &[PathBuf], on_error: OnError) -> Result<(Vec<Member>, Skipped), FleetError> {
    if paths.is_empty() {
        return Err(FleetError::Value("no folder and no log is given: the list of them is empty".into()));
    }
    let mut walk = Walk { found: Vec::new(), skipped: Skipped::default(), on_error, signals: Signals::new() };
    for path in paths {
        let root = if paths.len() == 1 { path.as_path() } else { Path::new("") };
        match fs::metadata(path) {
            Ok(file) if file.is_dir() => walk.folder(root, path)?,
            file => walk.file(root, path, file, true)?,
        }
    }
    let Walk { found, skipped, .. } = walk;
    if found.is_empty() && skipped.is_empty() {
        let paths: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
        let text = format!("no log in {}: no file that ends in .{}", paths.join(", "), EXTENSIONS.join(", ."));
        return Err(FleetError::NoLog(text));
    }
    // A file is itself rather than a link to it.
    let mut of_file: HashMap<&FileId, usize> = HashMap::new();
    for (place, here) in found.iter().enumerate() {
        let first = of_file.entry(&here.file).or_insert(place);
        if found[*first].is_link && !here.is_link {
            *first = place;
        }
    }
    let mut places: Vec<usize> = of_file.into_values().collect();
    places.sort_unstable();
    Ok((places.into_iter().map(|place| found[place].member.clone()).collect(), skipped))
}

struct Found {
    member: Member,
    is_link: bool,
    file: FileId,
}

/// What is the same for all names of a file.
type FileId = (u64, u64, PathBuf);

struct Walk {
    found: Vec<Found>,
    skipped: Skipped,
    on_error: OnError,
    signals: Signals,
}

impl Walk {
    fn folder(&mut self, root: &Path, folder: &Path) -> Result<(), FleetError> {
        let entries = folder.read_dir().and_then(|entries| entries.collect::<Result<Vec<_>, _>>());
        let entries = match entries {
            Ok(entries) => entries,
            Err(error) => {
                let error = FleetError::Find(folder.to_owned(), error);
                return self.skipped.add(id(root, folder), error, self.on_error);
            }
        };
        let is_folder = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
        let mut paths: Vec<_> = entries.into_iter().map(|entry| (entry.path(), is_folder(&entry))).collect();
        paths.sort();
        for (path, is_folder) in paths {
            self.signals.check().map_err(FleetError::Raised)?;
            if is_folder {
                self.folder(root, &path)?;
            } else if has_extension(&path, &EXTENSIONS) && path.file_name().is_none_or(|name| name != LAST_LOG) {
                match fs::metadata(&path) {
                    // A link to a folder; opening a pipe would wait for a writer.
                    Ok(file) if !file.is_file() => {}
                    file => self.file(root, &path, file, false)?,
                }
            }
        }
        Ok(())
    }

    fn file(
        &mut self,
        root: &Path,
        path: &Path,
        file: io::Result<fs::Metadata>,
        is_given: bool,
    ) -> Result<(), FleetError> {
        let id = id(root, path);
        // A pipe can be read once only, and a device may have no end.
        let regular = file.and_then(|file| match file.is_file() {
            true => Ok((same_file(path, &file)?, file)),
            false => Err(io::Error::new(ErrorKind::Unsupported, "a fleet has files only")),
        });
        let (same, file) = match regular {
            Ok(regular) => regular,
            Err(error) => return self.skipped.add(id, FleetError::Find(path.to_owned(), error), self.on_error),
        };
        if file.len() == 0 {
            return self.skipped.add(id, FleetError::Value("it is empty".into()), OnError::Skip);
        }
        let is_named_as_log = is_given || !has_extension(path, &OF_TEXTS);
        let (path, bytes, changed) = (path.to_owned(), file.len(), file.modified().ok());
        let is_link = path.is_symlink();
        let member = Member { id, path, bytes, changed, is_named_as_log };
        self.found.push(Found { member, is_link, file: same });
        Ok(())
    }
}

fn id(root: &Path, path: &Path) -> String {
    let below = path.strip_prefix(root).ok().filter(|below| !below.as_os_str().is_empty());
    below.unwrap_or(path).to_string_lossy().into_owned()
}

fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    let is = |extension: &OsStr| extensions.iter().any(|known| extension.eq_ignore_ascii_case(known));
    path.extension().is_some_and(is)
}

#[cfg(unix)]
fn same_file(_: &Path, file: &fs::Metadata) -> io::Result<FileId> {
    use std::os::unix::fs::MetadataExt as _;
    Ok((file.dev(), file.ino(), PathBuf::new()))
}

#[cfg(not(unix))]
fn same_file(path: &Path, _: &fs::Metadata) -> io::Result<FileId> {
    Ok((0, 0, path.canonicalize()?))
}
