//! What the path of an output stands for.

use crate::one_line::shown;
use crate::outcome::Failure;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// Linux follows as many links one after the other.
const MAX_LINKS: u32 = 40;

/// Whether a path stands for standard output.
pub fn is_stdout(path: &Path) -> bool {
    let names = ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];
    path == Path::new("-") || cfg!(unix) && names.iter().any(|name| path == Path::new(name))
}

/// Whether a path is a folder, or ends as only that of a folder does: `out/`.
pub fn names_folder(path: &Path) -> bool {
    path.is_dir() || path.as_os_str().to_string_lossy().ends_with(std::path::is_separator)
}

/// Whether a path leads to a pipe or a device.
pub fn is_stream(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
}

/// Whether a path stands for a file that the program was started with: `3> out.csv` of a shell makes it /dev/fd/3.
pub(super) fn is_open_file(path: &Path) -> bool {
    let folders = ["/dev/fd", "/proc/self/fd"];
    cfg!(unix) && (path == Path::new("/dev/stderr") || folders.iter().any(|folder| path.starts_with(folder)))
}

/// The path of standard input. Windows has none.
pub(super) const STANDARD_INPUT: &str = "/dev/stdin";

/// Whether two paths lead to one file, be it through links. A path that leads to none, as before the file is written,
/// is like no other.
pub fn is_same_file(one: &Path, other: &Path) -> bool {
    #[cfg(unix)]
    if let (Ok(one), Ok(other)) = (one.metadata(), other.metadata()) {
        use std::os::unix::fs::MetadataExt;
        // Hard links have the same inode, but other paths. A device such as /dev/null isn't changed by writing.
        if one.is_file() && (one.dev(), one.ino()) == (other.dev(), other.ino()) {
            return true;
        }
    }
    matches!((one.canonicalize(), other.canonicalize()), (Ok(a), Ok(b)) if a == b && a.is_file())
}

/// Where a path leads by its links, even if no file is there yet.
pub(super) fn linked(path: &Path) -> io::Result<PathBuf> {
    if let Ok(place) = path.canonicalize() {
        return Ok(place);
    }
    let mut place = path.to_owned();
    for _ in 0..MAX_LINKS {
        match place.read_link() {
            Ok(target) => place = place.parent().unwrap_or(Path::new("")).join(target),
            Err(_) => return Ok(place),
        }
    }
    Err(io::Error::other("its links lead to one another"))
}

/// Checks that the folder of a file is there.
pub(super) fn check_folder_of(place: &Path, name: &str) -> Result<(), Failure> {
    let Some(folder) = place.parent().filter(|folder| !folder.as_os_str().is_empty()) else { return Ok(()) };
    let folder_name = shown(folder);
    match folder.metadata() {
        Ok(metadata) if !metadata.is_dir() => {
            Err(Failure::new(format_args!("can't create {name}: {folder_name} is not a folder; name another one")))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            Err(Failure::new(format_args!("can't create {name}: there is no folder {folder_name}; create it first")))
        }
        _ => Ok(()),
    }
}
