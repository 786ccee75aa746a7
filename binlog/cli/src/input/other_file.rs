//! What a file is that isn't a log, and what to do with it.

use crate::card_image::{file_system, instead, readable_partition};
use std::io::Cursor;

/// The first bytes of compressed files, and what compressed them.
const COMPRESSED: [(&[u8], &str); 6] = [
    (b"\x1f\x8b", "it is compressed with gzip: unpack it first"),
    (b"PK\x03\x04", "it is a zip archive: unpack it first"),
    (b"7z\xbc\xaf\x27\x1c", "it is a 7-Zip archive: unpack it first"),
    (b"\xfd7zXZ\0", "it is compressed with xz: unpack it first"),
    (b"\x28\xb5\x2f\xfd", "it is compressed with Zstandard: unpack it first"),
    (b"BZh", "it is compressed with bzip2: unpack it first"),
];

/// What a file looks like that has no log; `None` if that isn't known.
pub(super) fn looks_like(bytes: &[u8]) -> Option<String> {
    if let Some((_, text)) = COMPRESSED.iter().find(|(magic, _)| bytes.starts_with(magic)) {
        return Some((*text).into());
    }
    if is_telemetry(bytes) {
        let text =
            "it looks like a MAVLink telemetry log (.tlog), which binlog doesn't read: use the log of the vehicle";
        return Some(text.into());
    }
    let text = "it is text, maybe a log that was converted to text: binlog reads the binary one";
    is_text(bytes).then(|| text.into())
}

/// What to do with the image of a card whose file system isn't read here; `None` if the file begins otherwise.
pub(super) fn unread_card(bytes: &[u8]) -> Option<String> {
    let name = file_system(|number| bytes.get(number as usize * 512..)?.first_chunk().copied())?;
    Some(format!("it is the image of a card: {}", instead(name)))
}

/// What a file without a byte that isn't zero is.
pub(super) const BLANK: &str = "it has only zeros, as a blank card has: there is no log in it";

/// What to do with the image of a card.
pub(super) fn card(image: &[u8]) -> String {
    match readable_partition(Cursor::new(image)) {
        Ok(0) => "it is the image of a card: `binlog extract` writes the logs in it as files".into(),
        Ok(partition) => format!(
            "it is the image of a card: `binlog extract --partition {partition}` writes the logs in it as files"
        ),
        Err(why) => format!("it is the image of a card: {why}"),
    }
}

/// Whether a file begins with a time from 2000 to 2100, in microseconds since 1970, and a MAVLink frame, as .tlog files
/// do.
fn is_telemetry(bytes: &[u8]) -> bool {
    const YEARS: std::ops::Range<u64> = 946_684_800_000_000..4_102_444_800_000_000;
    let time = bytes.first_chunk().map(|time| u64::from_be_bytes(*time));
    time.is_some_and(|time| YEARS.contains(&time)) && matches!(bytes.get(8), Some(0xFD | 0xFE))
}

/// Whether a file begins with text in UTF-8 or another encoding that has ASCII.
fn is_text(bytes: &[u8]) -> bool {
    let is_of_text = |byte: &u8| !byte.is_ascii_control() || byte.is_ascii_whitespace();
    let beginning = &bytes[..bytes.len().min(4096)];
    beginning.iter().all(is_of_text) && beginning.iter().any(u8::is_ascii_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_known_by_its_beginning() {
        let telemetry = |magic: u8| [&1_714_566_896_000_000_u64.to_be_bytes()[..], &[magic, 9, 0, 1]].concat();
        for (bytes, said) in [
            (b"\x1f\x8b\x08\0".to_vec(), "gzip"),
            (b"PK\x03\x04".to_vec(), "zip"),
            (telemetry(0xFD), ".tlog"),
            (telemetry(0xFE), ".tlog"),
            (b"FMT, 128, 89, FMT, BBnNZ, Type,Length\r\n".to_vec(), "it is text"),
            ("Höhe\t1 °C\n".as_bytes().to_vec(), "it is text"),
        ] {
            let text = looks_like(&bytes).unwrap_or_default();
            assert!(text.contains(said), "{said}: {text}");
        }
        for bytes in [&telemetry(0xFC)[..], b"\0\0\0\0\0\0\0\0\xFE\x09", b"\x7fELF\x02", &[0xFF; 9]] {
            assert_eq!(looks_like(bytes), None, "{bytes:?}");
        }
    }
}
