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
    let text = if is_telemetry(bytes) {
        "it looks like a MAVLink telemetry log (.tlog), which binlog doesn't read: use the log that the vehicle wrote \
         (.bin), from its card or by `binlog download`"
    } else if bytes.starts_with(b"\xFF\xFE") || bytes.starts_with(b"\xFE\xFF") {
        "it is text in UTF-16: save it as UTF-8"
    } else if !is_text(bytes) {
        return None;
    } else if has_undefined_records(bytes) {
        "it is an ArduPilot log as text whose FMT lines, the definitions of its records, are missing: put those of a log \
         of the same firmware in front of it, or use the .bin"
    } else {
        "it is text, but no log: a text log of ArduPilot has FMT lines"
    };
    Some(text.into())
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

/// Whether a file begins as .tlog files do, or as what is received without times: with MAVLink frames. The first one
/// may be cut off.
fn is_telemetry(bytes: &[u8]) -> bool {
    const FIRST_FRAME: usize = 8 + 280;
    let follows = |at: usize, next: fn(&[u8], usize) -> Option<usize>| {
        let second = next(bytes, at)?;
        let third = next(bytes, second)?;
        next(bytes, third)
    };
    after_timed_frame(bytes, 0).is_some()
        || follows(0, after_frame).is_some()
        || (1..FIRST_FRAME).any(|at| follows(at, after_timed_frame).is_some())
}

/// Where an entry of a .tlog file ends: a time from 2000 to 2100, in microseconds since 1970, and a frame.
fn after_timed_frame(bytes: &[u8], at: usize) -> Option<usize> {
    const YEARS: std::ops::Range<u64> = 946_684_800_000_000..4_102_444_800_000_000;
    let time = bytes.get(at..)?.first_chunk().map(|time| u64::from_be_bytes(*time))?;
    if YEARS.contains(&time) { after_frame(bytes, at + 8) } else { None }
}

/// Where a frame of MAVLink 1 or 2 ends.
fn after_frame(bytes: &[u8], at: usize) -> Option<usize> {
    const SIGNATURE: usize = 13;
    let &[magic, length, flags] = bytes.get(at..)?.first_chunk()?;
    match magic {
        0xFE => Some(at + 8 + usize::from(length)),
        0xFD => Some(at + 12 + usize::from(length) + if flags & 1 == 1 { SIGNATURE } else { 0 }),
        _ => None,
    }
}

/// Whether most lines of a text are records as ArduPilot's text logs have them: `ATT, 0.00, 1.25`.
fn has_undefined_records(text: &[u8]) -> bool {
    let beginning = &text[..text.len().min(16 * 1024)];
    let is_record = |line: &[u8]| {
        let mut values = line.split(|byte| *byte == b',').map(<[u8]>::trim_ascii);
        let name = values.next().unwrap_or_default();
        let is_of_name = |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit();
        let is_name = (2..=4).contains(&name.len()) && name[0].is_ascii_uppercase() && name.iter().all(is_of_name);
        let is_number = |value: &[u8]| str::from_utf8(value).is_ok_and(|value| value.parse::<f64>().is_ok());
        is_name && values.any(is_number)
    };
    let lines = beginning.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
    let (records, others): (Vec<&[u8]>, Vec<&[u8]>) = lines.partition(|line| is_record(line));
    records.len() >= 3 && records.len() > others.len()
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
        let frame = [&telemetry(0xFE)[..], &[0; 13]].concat();
        for (bytes, said) in [
            (b"\x1f\x8b\x08\0".to_vec(), "gzip"),
            (b"PK\x03\x04".to_vec(), "zip"),
            (telemetry(0xFD), ".tlog"),
            (telemetry(0xFE), ".tlog"),
            // The first frame is cut off, or none has a time.
            (frame.repeat(4)[15..].to_vec(), ".tlog"),
            (frame[8..].repeat(4), ".tlog"),
            (b"FMT, 128, 89\r\n".to_vec(), "no log"),
            (
                b"\r\nATT, 0.00, 1.25\r\nCTUN, 5\r\nMSG, Hello\r\nGPS, 3, 1.5, x\r\n".to_vec(),
                "FMT lines, the definitions",
            ),
            ("Höhe\t1 °C\n".as_bytes().to_vec(), "no log"),
            (b"\xFF\xFEF\0M\0T\0".to_vec(), "UTF-16"),
        ] {
            let text = looks_like(&bytes).unwrap_or_default();
            assert!(text.contains(said), "{said}: {text}");
        }
        for bytes in [&telemetry(0xFC)[..], b"\0\0\0\0\0\0\0\0\xFE\x09", b"\x7fELF\x02", &[0xFE; 9]] {
            assert_eq!(looks_like(bytes), None, "{bytes:?}");
        }
    }
}
