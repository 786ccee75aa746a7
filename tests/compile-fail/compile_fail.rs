//! Every mistake is one error, at the mistake and in the words of the format: `<topic>/<fact>.stderr`.
//!
//! `TRYBUILD=overwrite` rewrites the expected messages. Read every difference.

#[path = "../src/left_out.rs"]
mod left_out;

use left_out::left_out;
use std::process::Command;

/// The toolchain that the expected compiler messages are exact for.
const PINNED_RUSTC: &str = "1.95.0";

#[test]
fn a_mistake_is_one_error_in_the_words_of_the_format() {
    let rustc = rustc_version();
    if rustc != PINNED_RUSTC {
        left_out(&format!("the compile-fail cases, whose messages are exact for rustc {PINNED_RUSTC}, not {rustc}"));
        return;
    }
    trybuild::TestCases::new().compile_fail("*/*.rs");
}

/// `1.95.0` of `rustc 1.95.0 (59807616e 2026-04-14)`.
fn rustc_version() -> String {
    let rustc = std::env::var_os("RUSTC").unwrap_or("rustc".into());
    let output = Command::new(&rustc).arg("--version").output().expect("rustc runs: it has just built this test");
    let version = String::from_utf8_lossy(&output.stdout);
    version.split_whitespace().nth(1).unwrap_or("unknown").to_owned()
}
