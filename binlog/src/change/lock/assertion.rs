//! The lock as a file that a test checks.

use super::{Check, Lock, LockError};
use crate::describe::golden_file;
use crate::describe::golden_file::{Annotation, Environment, Failure, Request};
use crate::format::LogSchema;
use std::any::type_name;
use std::path::Path;

/// Checks the schema against its lock file; a failed check panics with all differences.
///
/// See the [module](super) for the file, the levels and the environment variables. Under GitHub Actions, each
/// difference is also printed as an annotation, which GitHub shows beside the code.
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
    golden_file::assert(path.as_ref(), hold::<S>);
}

/// Does what is requested. Returns what was done, if anything was.
pub(super) fn hold<S: LogSchema>(path: &Path, environment: &Environment) -> Result<Option<String>, Failure> {
    let schema = type_name::<S>();
    let (lock, before, done) = match environment.open(path)? {
        None => (made::<S>(&environment.request)?, None, format!("made the lock of {schema}")),
        Some(text) => {
            let mut lock: Lock = text.parse().map_err(|error: LockError| {
                let text = format!("not a lock: {error}");
                Failure { annotations: vec![Annotation::new(Some(path), Some(error.line()), &text)], text }
            })?;
            let check = lock.check::<S>();
            let failed = |text| Failure { text, annotations: check.annotated(Some(path)) };
            let done = match &environment.request {
                Request::Check => return reviewed(&check, schema).map_err(failed),
                Request::Accept => match check.unused_exceptions() {
                    [] => format!("the facts of {schema} are entered"),
                    unused => format!(
                        "the facts of {schema} are entered; exceptions that allow nothing are removed: {}",
                        unused.join("; ")
                    ),
                },
                Request::Release(name) => format!("{name} is a release now"),
            };
            enter::<S>(&mut lock, &check, &environment.request).map_err(failed)?;
            (lock, Some(text), done)
        }
    };
    let text = lock.to_string();
    if before.as_ref() == Some(&text) {
        return Ok(None);
    }
    golden_file::write(path, &text)?;
    Ok(Some(done))
}

/// A lock where there was none.
fn made<S: LogSchema>(request: &Request) -> Result<Lock, String> {
    let mut lock = Lock::of::<S>();
    if let Request::Release(name) = request {
        lock.release(name)?;
    }
    Ok(lock)
}

const ALLOWED: &str = "To allow changes, paste their lines into the lock, after its `release` lines, with reasons; \
                       then: BINLOG_LOCK=accept cargo test";

/// Whether everything is entered.
fn reviewed(check: &Check, schema: &str) -> Result<Option<String>, String> {
    let next = match check.unaccepted().is_empty() && !check.unused_exceptions().is_empty() {
        true => "Or have it removed, and commit the lock: BINLOG_LOCK=accept cargo test",
        false => "Review them, then enter them into the lock and commit it: BINLOG_LOCK=accept cargo test",
    };
    match (check.is_ok(), check.violations().is_empty()) {
        (true, _) => Ok(None),
        (false, false) => Err(format!("{schema} has {check}\n{ALLOWED}")),
        (false, true) => Err(format!("{schema} has {check}\n{next}")),
    }
}

/// Enters the facts of today, unless they break a rule.
fn enter<S: LogSchema>(lock: &mut Lock, check: &Check, request: &Request) -> Result<(), String> {
    if !check.violations().is_empty() {
        return Err(format!("{} has {check}\n{ALLOWED}", type_name::<S>()));
    }
    let was_released = lock.is_released();
    if let Request::Release(_) = request
        && !check.is_ok()
    {
        let next = "A release is of what is reviewed; first: BINLOG_LOCK=accept cargo test";
        return Err(format!("{} has {check}\n{next}", type_name::<S>()));
    }
    lock.accept::<S>();
    lock.remove_exceptions(check.unused_exceptions());
    if let Request::Release(name) = request {
        // Asked for again, by the next test for instance.
        let is_there = was_released && lock.is_released() && lock.releases.last() == Some(name);
        if !is_there {
            lock.release(name)?;
        }
    }
    Ok(())
}
