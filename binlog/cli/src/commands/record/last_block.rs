//! What the last block of a log has after the last whole record.

use binlog::blackbox::log::Item;
use binlog::blackbox::{self, BlackboxLog};
use binlog::{Log, Reason};
use std::path::Path;

/// The length of a log up to its last whole record or frame: without the zeros that fill its last block, or without the
/// beginning of a record whose rest never came. `None` if it ends with neither.
pub(super) fn up_to_the_last_record(path: &Path) -> Option<u64> {
    let log = Log::open(path).ok()?;
    let bytes = log.bytes();
    let end = match blackbox::log::find_session(bytes) {
        Some(0) => end_of_frames(bytes)?,
        _ => {
            let end = log.records().last()?.err()?;
            if end.offset > 0 && matches!(end.reason, Reason::Truncated(_)) {
                return Some(end.offset as u64);
            }
            Some(end).filter(|end| end.is_padding(bytes))?.offset
        }
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
