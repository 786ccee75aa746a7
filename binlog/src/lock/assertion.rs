//! The lock as a file that a test checks, and that a person brings up to date by an environment variable.

use super::Lock;
use crate::schema::LogSchema;
use std::any::type_name;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::{env, fs};

/// What the environment says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Environment {
    pub(super) request: Request,
    /// Nothing is written where nobody reviews it.
    pub(super) is_ci: bool,
}

/// `BINLOG_LOCK`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Request {
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
}

/// Checks the schema against its lock file; a failed check panics with all differences.
///
/// See the [module](super) for the file, the levels and the environment variables.
///
/// A relative path starts at the package's folder: `CARGO_MANIFEST_DIR`, which cargo sets while it runs tests, or else
/// the working directory.
///
/// # Panics
///
/// If the schema breaks what the lock's level keeps working, or if the lock isn't up to date. If the file is missing
/// under CI, can't be read or written, or isn't a lock.
#[track_caller]
pub fn assert<S: LogSchema>(path: impl AsRef<Path>) {
    let folder = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from).unwrap_or_default();
    let held = Environment::of_process().and_then(|environment| hold::<S>(&folder.join(&path), &environment));
    match held {
        Ok(None) => {}
        // Unlike `eprintln!`, this isn't captured in a test that passes.
        Ok(Some(done)) => drop(writeln!(io::stderr(), "{done}")),
        Err(what) => panic!("{}: {what}", path.as_ref().display()),
    }
}

/// Does what is requested. Returns what was written, if anything was.
pub(super) fn hold<S: LogSchema>(path: &Path, environment: &Environment) -> Result<Option<String>, String> {
    let Environment { request, is_ci } = environment;
    if *is_ci && *request != Request::Check {
        return Err(
            "BINLOG_LOCK changes nothing under CI: do it where the change is reviewed, and commit the file".into()
        );
    }
    let text = match fs::read_to_string(path) {
        Ok(text) => Some(text),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(format!("can't be read: {error}")),
    };
    let Some(text) = text else {
        if *is_ci {
            return Err("the lock file is missing: run the test once on your machine, and commit the file".into());
        }
        let mut lock = Lock::of::<S>();
        if let Request::Release(name) = request {
            lock.release(name)?;
        }
        write(path, &lock)?;
        let (path, schema) = (path.display(), type_name::<S>());
        return Ok(Some(format!("{path}: made the lock of {schema}; commit it with the code")));
    };
    let mut lock: Lock = text.parse().map_err(|error| format!("not a lock: {error}"))?;
    let check = lock.check::<S>();
    let schema = type_name::<S>();
    if !check.violations().is_empty() {
        return Err(format!("{schema} has {check}"));
    }
    match request {
        Request::Check if check.is_ok() => return Ok(None),
        Request::Check => {
            return Err(format!(
                "{schema} has {check}\nReview them, then enter them into the lock and commit it: BINLOG_LOCK=accept cargo test"
            ));
        }
        Request::Accept => lock.accept::<S>(),
        Request::Release(name) => {
            let is_released = lock.is_released();
            lock.accept::<S>();
            // Asked for again, by the next test for instance.
            if !(is_released && lock.is_released() && lock.releases.last() == Some(name)) {
                lock.release(name)?;
            }
        }
    }
    if lock.to_string() == text {
        return Ok(None);
    }
    write(path, &lock)?;
    let done = match request {
        Request::Release(name) => format!("{name} is a release now"),
        _ => format!("the facts of {schema} are entered"),
    };
    Ok(Some(format!("{}: {done}; commit it with the code", path.display())))
}

/// Writes beside the file and renames, so that a file is whole at any time.
fn write(path: &Path, lock: &Lock) -> Result<(), String> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{}.tmp", std::process::id()));
    let written = fs::write(&beside, lock.to_string()).and_then(|()| fs::rename(&beside, path));
    written.map_err(|error| {
        // It may not be there.
        let _ = fs::remove_file(&beside);
        format!("can't be written: {error}")
    })
}
