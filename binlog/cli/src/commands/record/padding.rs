//! Zeros that fill the last block of a log.

use binlog::Log;
use binlog::blackbox::log::Item;
use binlog::blackbox::{self, BlackboxLog};
use std::path::Path;

/// The length of a log without the zeros after its last whole record or frame; `None` if it doesn't end so.
pub(super) fn without_padding(path: &Path) -> Option<u64> {
    let log = Log::open(path).ok()?;
    let bytes = log.bytes();
    let end = match blackbox::log::find_session(bytes) {
        Some(0) => end_of_frames(bytes)?,
        _ => log.records().last()?.err().filter(|skipped| skipped.is_padding(bytes))?.offset,
    };
    let padding = bytes.get(end..).filter(|padding| !padding.is_empty())?;
    (end > 0 && padding.iter().all(|&byte| byte == 0)).then_some(end as u64)
}

/// Where the last frame of a Blackbox log ends; `None` if bytes after it are lost.
fn end_of_frames(bytes: &[u8]) -> Option<usize> {
    let log = BlackboxLog::from_bytes(bytes);
    let session = log.sessions().last()?;
    let (mut frames, mut is_whole) = (session.frames(), true);
    while let Some(item) = frames.next() {
        is_whole = !matches!(item, Item::Lost(_));
    }
    is_whole.then(|| frames.offset())
}
