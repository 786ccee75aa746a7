//! Files that a test holds against a schema, and that a person brings up to date by an environment variable: the lock,
//! and the descriptions.

mod annotation;

pub(crate) use annotation::Annotation;
#[cfg(feature = "read")]
pub(crate) use annotation::shown;

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::{env, fs, process};

/// Why a file isn't what the schema says.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) text: String,
    /// The same, each part at its place.
    pub(crate) annotations: Vec<Annotation>,
}

impl From<String> for Failure {
    fn from(text: String) -> Self {
        Failure { text, annotations: Vec::new() }
    }
}

/// What the environment says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Environment {
    pub(crate) request: Request,
    /// Nothing is written where nobody reviews it.
    pub(crate) is_ci: bool,
}

/// `BINLOG_LOCK`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Request {
    Check,
    Accept,
    Release(String),
}

impl Environment {
    fn of_process() -> Result<Self, String> {
        Self::read(env::var_os("BINLOG_LOCK"), env::var_os("CI"))
    }

    fn read(request: Option<OsString>, ci: Option<OsString>) -> Result<Self, String> {
        let request = request.unwrap_or_default();
        let request = match request.to_str() {
            Some("") => Request::Check,
            Some("accept") => Request::Accept,
            Some(text) if text.starts_with("release:") => Request::Release(text["release:".len()..].to_owned()),
            _ => return Err(format!("BINLOG_LOCK={} is neither `accept` nor `release:NAME`", request.display())),
        };
        let is_ci = ci.is_some_and(|ci| !matches!(ci.to_str(), Some("" | "0" | "false")));
        Ok(Environment { request, is_ci })
    }

    /// The file's text; `None` if it is to be made.
    ///
    /// # Errors
    ///
    /// If it can't be read. Under CI, if it is missing, and if a change is requested.
    pub(crate) fn open(&self, path: &Path) -> Result<Option<String>, String> {
        if self.is_ci && self.request != Request::Check {
            return Err(
                "BINLOG_LOCK changes nothing under CI: do it where the change is reviewed, and commit the file".into(),
            );
        }
        match fs::read_to_string(path) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(format!("can't be read: {error}")),
            // Written now, it would replace the link.
            Err(_) if path.is_symlink() => {
                let target = fs::read_link(path).unwrap_or_default();
                Err(format!(
                    "is a link to {}, which doesn't exist: restore that file, or remove the link",
                    target.display()
                ))
            }
            Err(_) if self.is_ci => {
                Err("the file is missing: run the test once on your machine, and commit the file".into())
            }
            Err(_) => Ok(None),
        }
    }
}

/// Does with a file what the environment requests, and says so. `hold` returns what was done, if anything was.
///
/// A relative path starts at the package's folder, `CARGO_MANIFEST_DIR`, or else at the working directory. Under GitHub
/// Actions, errors are printed as annotations, too.
///
/// # Panics
///
/// With the error of `hold`.
#[track_caller]
pub(crate) fn assert(path: &Path, hold: impl FnOnce(&Path, &Environment) -> Result<Option<String>, Failure>) {
    let folder = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from).unwrap_or_default();
    let file = folder.join(path);
    match Environment::of_process().map_err(Failure::from).and_then(|environment| hold(&file, &environment)) {
        Ok(None) => {}
        // Unlike `eprintln!`, this isn't captured in a test that passes.
        Ok(Some(done)) => print(io::stderr(), format!("{}: {done}; commit it with the code\n", file.display())),
        Err(Failure { text, mut annotations }) => {
            if annotations.is_empty() {
                annotations.push(Annotation::new(Some(&file), None, &text));
            }
            annotations.retain(|_| Annotation::are_wanted());
            // A command begins a line, and the name of the test may be on this one.
            print(io::stderr(), annotations.iter().map(|annotation| format!("\n{annotation}\n")).collect());
            panic!("{}: {text}{}", path.display(), where_to_run(path, &folder, &text))
        }
    }
}

/// Prints in one piece: other tests print meanwhile, and the runner itself.
fn print(mut to: impl Write, text: String) {
    // If nobody reads it, the test decides all the same.
    let _ = to.write_all(text.as_bytes());
}

/// Where the command of the text applies, if the file isn't in the folder of the test's package: people run commands in
/// the folder of the file.
fn where_to_run(file: &Path, package: &Path, text: &str) -> String {
    let is_elsewhere = file.components().any(|part| part == Component::ParentDir);
    match is_elsewhere && text.contains("cargo test") {
        true => format!("\n`cargo test` is that of the package in {}, with the options of this run", package.display()),
        false => String::new(),
    }
}

/// Writes beside the file and renames, so that a file is whole at any time. A link stays one.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), String> {
    // Tests of one process may write the same file at once.
    static WRITTEN: AtomicU32 = AtomicU32::new(0);
    let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
    let target = fs::canonicalize(path);
    let path = target.as_deref().unwrap_or(path);
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{}.{number}.tmp", process::id()));
    let written = fs::write(&beside, text).and_then(|()| fs::rename(&beside, path));
    written.map_err(|error| {
        // It may not be there.
        let _ = fs::remove_file(&beside);
        match path.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.exists()) {
            Some(folder) => format!("can't be written: there is no folder {}; make it", folder.display()),
            None => format!("can't be written: {error}"),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_known_or_an_error_that_says_what_is_possible() {
        let read = |request: &str, ci: Option<&str>| Environment::read(Some(request.into()), ci.map(Into::into));
        let requested = |request| Ok(Environment { request, is_ci: false });
        assert_eq!(Environment::read(None, None), requested(Request::Check));
        assert_eq!(read("", Some("")), requested(Request::Check));
        assert_eq!(read("accept", Some("false")), requested(Request::Accept));
        assert_eq!(read("release:1.4", Some("0")), requested(Request::Release("1.4".into())));
        assert_eq!(read("", Some("true")), Ok(Environment { request: Request::Check, is_ci: true }));
        for unknown in ["yes", "Accept", "release"] {
            let error = read(unknown, None).expect_err("no request");
            assert!(error.contains(unknown) && error.contains("neither `accept` nor `release:NAME`"), "{error}");
        }
    }

    /// Counts the calls.
    struct Pieces(usize);

    impl Write for &mut Pieces {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += 1;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn what_is_printed_is_one_piece() {
        let mut pieces = Pieces(0);
        print(&mut pieces, format!("{}: {}\n", "flight.lock", "made the lock"));
        assert_eq!(pieces.0, 1);
    }

    #[test]
    fn where_a_command_applies_is_said_if_the_file_is_elsewhere() {
        let said = |file| where_to_run(Path::new(file), Path::new("/falcon/format"), "do it: cargo test");
        assert_eq!(said("flight.lock"), "");
        assert!(said("../flight.lock").contains("the package in /falcon/format"));
        assert_eq!(where_to_run(Path::new("../flight.lock"), Path::new("/falcon/format"), "is a link"), "");
    }

    #[test]
    fn a_missing_folder_is_named() {
        let error = write(Path::new("/nowhere/at/all/file"), "text").expect_err("no such folder");
        assert_eq!(error, "can't be written: there is no folder /nowhere/at/all; make it");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_and_its_target_is_written() {
        let folder = env::temp_dir().join(format!("binlog-golden-link-{}", process::id()));
        fs::create_dir_all(&folder).expect("a writable folder");
        let (target, link) = (folder.join("target"), folder.join("link"));
        fs::write(&target, "before").expect("a writable folder");
        std::os::unix::fs::symlink(&target, &link).expect("a writable folder");
        write(&link, "after").expect("a writable folder");
        assert!(link.is_symlink());
        assert_eq!(fs::read_to_string(&target).expect("it was written"), "after");
        fs::remove_dir_all(&folder).expect("a writable folder");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_nothing_is_an_error_and_stays() {
        let folder = env::temp_dir().join(format!("binlog-golden-dangling-{}", process::id()));
        fs::create_dir_all(&folder).expect("a writable folder");
        let link = folder.join("link");
        std::os::unix::fs::symlink("gone", &link).expect("a writable folder");
        for request in [Request::Check, Request::Accept, Request::Release("1".into())] {
            let error = Environment { request, is_ci: false }.open(&link).expect_err("no file");
            assert_eq!(error, "is a link to gone, which doesn't exist: restore that file, or remove the link");
        }
        assert!(link.is_symlink());
        fs::remove_dir_all(&folder).expect("a writable folder");
    }

    #[test]
    fn threads_may_write_a_file_at_once() {
        let folder = env::temp_dir().join(format!("binlog-golden-{}", process::id()));
        fs::create_dir_all(&folder).expect("a writable folder");
        let file = folder.join("file");
        std::thread::scope(|scope| {
            let write = || (0..50).for_each(|_| write(&file, "text\n").expect("a writable folder"));
            (0..4).for_each(|_| drop(scope.spawn(write)));
        });
        assert_eq!(fs::read_to_string(&file).expect("it was written"), "text\n");
        assert_eq!(fs::read_dir(&folder).expect("the folder").count(), 1);
        fs::remove_dir_all(&folder).expect("a writable folder");
    }
}
