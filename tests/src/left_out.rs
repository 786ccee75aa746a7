//! The list of tests that are left out. The compile-fail cases have this file as a module, too.

#![allow(unreachable_pub, reason = "it is public in binlog-tests")]

use std::collections::BTreeSet;
use std::io::Write;
use std::sync::{Mutex, PoisonError};

/// Prints what is left out, once in each test program and past the harness's capture. `tests/run` lists these lines at
/// its end.
pub fn left_out(what: &str) {
    static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    if !SAID.lock().unwrap_or_else(PoisonError::into_inner).insert(what.to_owned()) {
        return;
    }
    // A test that doesn't run must not fail because of a closed stderr. One call writes the whole line; otherwise the
    // harness could write into the middle of it.
    let _ = std::io::stderr().write_all(format!("\nleft out: {what}\n").as_bytes());
}
