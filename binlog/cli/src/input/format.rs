//! Which format bytes are.

use super::other_file;
use crate::card_image::is_card;
use crate::outcome::Failure;
use binlog::blackbox::log::find_session;
use memchr::memmem;

/// The format of a log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Format {
    ArduPilot,
    /// Records of an ArduPilot log without a definition: its beginning is missing.
    ArduPilotRecords,
    Blackbox,
}

/// The header of the records that define the messages of an ArduPilot log.
const FMT: [u8; 3] = binlog::record_header(128);

/// How much of a file shows what it is: unless a log is damaged, its beginning is here.
pub(crate) const BEGINNING: usize = 64 * 1024;

/// The bytes in which a card has its partition table or file system, and a log its first definition.
const FIRST_BLOCK: usize = 512;

impl Format {
    /// The format of a log: what begins first in it, a definition or a session.
    ///
    /// # Errors
    ///
    /// If there is neither, and if there are no records, or if the file is the image of a card, which may have logs in
    /// it.
    pub(super) fn of(log: &[u8]) -> Result<Self, Failure> {
        if is_card_image(log) {
            return Err(Failure::new(other_file::card(log)));
        }
        if let Some(card) = unread_card(log) {
            return Err(Failure::new(card));
        }
        let format = match Format::of_beginning(log) {
            // Definitions may come later.
            beginning @ (None | Some(Format::ArduPilotRecords)) => Format::in_(log).or(beginning),
            beginning => beginning,
        };
        if let Some(format) = format {
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

    /// As [`of`](Format::of), by the beginning of the log only.
    pub(super) fn of_beginning(beginning: &[u8]) -> Option<Self> {
        Format::in_(&beginning[..beginning.len().min(BEGINNING)])
    }

    fn in_(bytes: &[u8]) -> Option<Self> {
        let mut headers = memmem::find_iter(bytes, &FMT);
        match (headers.find(|&at| is_definition(&bytes[at + FMT.len()..])), find_session(bytes)) {
            (Some(fmt), Some(session)) if session < fmt => Some(Format::Blackbox),
            (Some(_), _) => Some(Format::ArduPilot),
            (None, Some(_)) => Some(Format::Blackbox),
            (None, None) => has_records(bytes).then_some(Format::ArduPilotRecords),
        }
    }
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
    Format::in_(&bytes[..bytes.len().min(FIRST_BLOCK)]).is_some()
}

/// Whether there are only zeros.
fn is_blank(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| *byte == 0)
}

/// What a file is that is neither a log nor the image of a card; `None` if that isn't known.
pub(crate) fn looks_like(bytes: &[u8]) -> Option<String> {
    if is_blank(bytes) { Some(other_file::BLANK.into()) } else { other_file::looks_like(bytes) }
}

/// Whether bytes without a definition are records of an ArduPilot log, whose beginning is lost. Each record begins with
/// a header and has 255 bytes at most; elsewhere the header's bytes are rare. Half of the records may be damaged.
fn has_records(bytes: &[u8]) -> bool {
    let headers = memmem::find_iter(bytes, &FMT[..2]).count();
    headers >= 4 && headers * 2 * 255 >= bytes.len()
}

/// Whether the payload of a definition begins here: the type's id and length, a name of four bytes, and the formats of
/// the columns. A large file that isn't a log has any three bytes somewhere.
fn is_definition(payload: &[u8]) -> bool {
    let Some(&[_, length, ref name @ ..]) = payload.first_chunk::<6>() else { return false };
    let text = |bytes: &[u8]| bytes.iter().take_while(|byte| **byte != 0).all(u8::is_ascii_graphic);
    length >= 3 && name[0] != 0 && text(name) && payload.get(6..22).is_some_and(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_begins_first_decides() {
        let session = b"H Product:Blackbox flight data recorder by Nicholas Sherlock\n";
        let fmt = &[&FMT[..], b"\x80\x59FMT\0BBnNZ", &[0; 80]].concat()[..];
        for (bytes, format) in [
            ([fmt, session].concat(), Some(Format::ArduPilot)),
            ([b"\n\x7f", &session[..], fmt].concat(), Some(Format::Blackbox)),
            ([&[0; BEGINNING][..], fmt].concat(), Some(Format::ArduPilot)),
            (b"H Xroduct:\nH Field I name:time\n".to_vec(), Some(Format::Blackbox)),
            (b"TimeUS,Roll\n1,2\n".to_vec(), None),
            // The beginning of a log is lost.
            ([&[0xA3, 0x95, 7][..], &[0; 200]].concat().repeat(20), Some(Format::ArduPilotRecords)),
            ([&[&[0xA3, 0x95, 7][..], &[0; 200]].concat().repeat(400), fmt].concat(), Some(Format::ArduPilot)),
            ([&[0xA3, 0x95, 7][..], &[0; 800]].concat().repeat(20), None),
            ([0xA3, 0x95, 7].repeat(3), None),
            ([&FMT[..], &[200; 100]].concat(), None),
            (vec![], None),
        ] {
            assert_eq!(Format::of(&bytes).ok(), format, "{:?}", bytes.get(..20));
        }
    }
}
