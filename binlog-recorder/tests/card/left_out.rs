//! The list of tests that are left out. The compile-fail cases have this file as a module, too.

#![allow(unreachable_pub, reason = "it is public in binlog-tests")]

use std::io::Write;

/// Prints what is left out, past the test harness's capture. `tests/run` lists these lines at its end.
pub(crate) fn left_out(what: &str) {
    // A test that doesn't run must not fail because of a closed stderr. One call writes the whole line; otherwise the
    // harness could write into the middle of it.
    let _ = std::io::stderr().write_all(format!("\nleft out: {what}\n").as_bytes());
}
