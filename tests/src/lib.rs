//! What the tests share: the folder of real logs, and saying aloud what is left out.

pub mod exercise;
pub mod image;
pub mod pymavlink;
pub mod ram_card;
pub mod raw_log;

use std::io::Write;
use std::path::PathBuf;

/// The toolchain that the expected compiler messages are exact for.
pub const PINNED_RUSTC: &str = "1.95.0";

/// A file in the shared folder beside the checkout, which holds real logs, or in the folder that `BINLOG_SHARED` names.
/// Without it the test is left out, and says so.
pub fn shared(name: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("BINLOG_SHARED")
        .map_or_else(|| concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared").into(), PathBuf::from);
    let path = folder.join(name);
    if path.exists() {
        return Some(path);
    }
    left_out(&format!("tests on {name} of the folder of real logs, which is not beside this checkout"));
    None
}

/// The real logs of the shared folder, by name; none without it, which is said aloud.
pub fn real_logs() -> Vec<(String, Vec<u8>)> {
    let Some(folder) = shared("ardupilot-logs") else { return Vec::new() };
    let files = std::fs::read_dir(&folder).expect("a readable folder").map(|entry| entry.expect("an entry").path());
    let is_log = |path: &PathBuf| path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("bin"));
    let read = |path: PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        (name, std::fs::read(path).expect("a readable log"))
    };
    let mut logs: Vec<_> = files.filter(is_log).map(read).collect();
    assert!(!logs.is_empty(), "{} has no logs", folder.display());
    logs.sort();
    logs
}

/// Says what is left out, past the capture of the test harness. `tests/run` lists these lines at its end.
pub fn left_out(what: &str) {
    // A closed stderr is no reason to fail a test that does not run.
    // In one piece, or the harness writes into the middle of the line.
    let _ = std::io::stderr().write_all(format!("\nleft out: {what}\n").as_bytes());
}
