//! Shared by the tests: cards, flash chips and MAVLink links in memory, a file system checker, other readers and
//! viewers, real logs, and the list of what is left out.

pub mod against;
pub mod any_bytes;
pub mod betaflight;
pub mod image;
mod left_out;
pub mod logs;
pub mod mavlink;
pub mod nor_chip;
pub mod pymavlink;
pub mod ram_card;
pub mod raw_log;
pub mod text_log;
pub mod viewer;
pub mod volume;

pub use left_out::left_out;
use std::path::PathBuf;

/// A file in the folder of real logs: `shared` beside the checkout, or the folder that `BINLOG_SHARED` names. `None`
/// without it; stderr then says which test is left out.
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

/// The real logs of that folder, by name. Empty without it; stderr then says so.
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
