//! Which format bytes are, and what a file is that isn't a log.

use super::other_file;
use crate::card_image::is_card;
use crate::outcome::Failure;
use binlog::LogFormat;

/// How much of a file shows what it is: unless a log is damaged, its beginning is here.
pub(crate) const BEGINNING: usize = 64 * 1024;

/// The bytes in which a card has its partition table or file system, and a log its first definition.
const FIRST_BLOCK: usize = 512;

/// The format of a log.
///
/// # Errors
///
/// If it has no format, and if the file is the image of a card, which may have logs in it.
pub(super) fn of(log: &[u8]) -> Result<LogFormat, Failure> {
    if is_card_image(log) {
        return Err(Failure::new(other_file::card(log)));
    }
    if let Some(card) = unread_card(log) {
        return Err(Failure::new(card));
    }
    if let Some(format) = LogFormat::of(log) {
        return Ok(format);
    }
    Err(match log.len() {
        0 => Failure::new("it is empty"),
        _ if is_blank(log) => Failure::new(other_file::BLANK),
        _ if log.iter().all(|byte| *byte == 0xFF) => {
            Failure::new("it has only bytes FF, as erased flash has: there is no log in it")
        }
        _ => {
            let text = "it is neither an ArduPilot log (.bin) nor a Blackbox log (.bbl)";
            match other_file::looks_like(log) {
                Some(other) => Failure::new(format_args!("{text}; {other}")),
                None => Failure::new(text),
            }
        }
    })
}

/// Whether a file is the image of a card, whether its file system is read here or not.
pub(super) fn is_any_card(bytes: &[u8]) -> bool {
    is_card_image(bytes) || unread_card(bytes).is_some()
}

/// Whether a file is the image of a card: its first block is a partition table or the beginning of a file system, and
/// not of a log.
pub(crate) fn is_card_image(bytes: &[u8]) -> bool {
    is_card(bytes) && !begins_log(bytes)
}

/// What to do with the image of a card without a partition table, whose file system isn't read here and has no mark at
/// the end of its first block; `None` if the file isn't one.
pub(crate) fn unread_card(bytes: &[u8]) -> Option<String> {
    if begins_log(bytes) { None } else { other_file::unread_card(bytes) }
}

/// Whether a log begins in the first block. After that, it may be a file on a card.
fn begins_log(bytes: &[u8]) -> bool {
    LogFormat::of(&bytes[..bytes.len().min(FIRST_BLOCK)]).is_some()
}

/// Whether there are only zeros.
fn is_blank(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| *byte == 0)
}

/// What a file is that is neither a log nor the image of a card; `None` if that isn't known.
pub(crate) fn looks_like(bytes: &[u8]) -> Option<String> {
    if is_blank(bytes) { Some(other_file::BLANK.into()) } else { other_file::looks_like(bytes) }
}
