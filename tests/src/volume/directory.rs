//! The entries of a directory.

use super::check::Flaw;
use super::{u16_at, u32_at, u64_at};

/// A file or folder as its directory names it.
pub(super) struct Named {
    pub(super) name: String,
    pub(super) attributes: u8,
    pub(super) first: u32,
    pub(super) size: u64,
    /// exFAT: bytes that were written.
    pub(super) valid: u64,
    /// exFAT: its clusters follow each other, and the FAT says nothing of them.
    pub(super) contiguous: bool,
    /// The byte of the directory at which its (short) entry begins.
    pub(super) offset: usize,
    /// FAT: the entries `.` and `..`.
    pub(super) is_dot: bool,
}

pub(super) const READ_ONLY: u8 = 0x01;
pub(super) const LABEL: u8 = 0x08;
pub(super) const FOLDER: u8 = 0x10;
pub(super) const ARCHIVE: u8 = 0x20;
/// The entry is a part of a long name.
pub(super) const LONG_NAME: u8 = 0x0F;

/// The checksum of a short name that the parts of its long name hold.
pub(super) fn short_name_sum(name: &[u8]) -> u8 {
    name.iter().fold(0u8, |sum, &byte| sum.rotate_right(1).wrapping_add(byte))
}

/// exFAT's checksum of a set of entries; the second and third byte hold it and don't count.
pub fn set_sum(set: &[u8]) -> u16 {
    let counted = set.iter().enumerate().filter(|&(at, _)| at != 2 && at != 3);
    counted.fold(0u16, |sum, (_, &byte)| sum.rotate_right(1).wrapping_add(byte.into()))
}

/// The places in an entry of a long name that hold its 13 characters.
pub(super) const LONG_NAME_PLACES: [usize; 13] = [1, 3, 5, 7, 9, 14, 16, 18, 20, 22, 24, 28, 30];

fn text(units: &[u16]) -> String {
    let end = units.iter().position(|&unit| unit == 0).unwrap_or(units.len());
    String::from_utf16_lossy(&units[..end])
}

fn short_name(entry: &[u8]) -> String {
    let part = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_owned();
    let (name, extension) = (part(&entry[..8]), part(&entry[8..11]));
    if extension.is_empty() { name } else { format!("{name}.{extension}") }
}

/// The entries of a directory of FAT.
pub(super) fn fat(folder: &str, bytes: &[u8], flaws: &mut Vec<Flaw>) -> Vec<Named> {
    let mut named = Vec::new();
    // Parts of a long name, the last first: how many are to come, the checksum, and the characters so far.
    let mut long: Option<(u8, u8, Vec<u16>)> = None;
    let mut orphan = |long: Option<(u8, u8, Vec<u16>)>| {
        if let Some((_, _, units)) = long {
            flaws.push(Flaw::OrphanName { folder: folder.to_owned(), name: text(&units) });
        }
    };
    let mut end = bytes.len();
    for (offset, entry) in (0..).step_by(32).zip(bytes.chunks_exact(32)) {
        if entry[0] == 0 {
            end = offset;
            break;
        }
        if entry[0] == 0xE5 {
            orphan(long.take());
            continue;
        }
        if entry[11] & 0x3F == LONG_NAME {
            let part: Vec<u16> = LONG_NAME_PLACES.iter().map(|&at| u16_at(entry, at) as u16).collect();
            let number = entry[0] & 0x3F;
            long = match long.take() {
                _ if entry[0] & 0x40 != 0 => Some((number - 1, entry[13], part)),
                Some((left, sum, rest)) if left == number && left > 0 && sum == entry[13] => {
                    Some((left - 1, sum, [part, rest].concat()))
                }
                other => {
                    orphan(other);
                    None
                }
            };
            continue;
        }
        if entry[11] & LABEL != 0 {
            orphan(long.take());
            continue;
        }
        let name = match long.take() {
            Some((0, sum, units)) if sum == short_name_sum(&entry[..11]) => text(&units),
            other => {
                orphan(other);
                short_name(entry)
            }
        };
        named.push(Named {
            name,
            attributes: entry[11],
            first: u16_at(entry, 20) << 16 | u16_at(entry, 26),
            size: u32_at(entry, 28).into(),
            valid: u32_at(entry, 28).into(),
            contiguous: false,
            offset,
            is_dot: entry[0] == b'.',
        });
    }
    orphan(long);
    // Some systems read on after the end.
    if let Some(at) = (end..bytes.len()).step_by(32).find(|&at| !matches!(bytes[at], 0 | 0xE5)) {
        flaws.push(Flaw::BehindEnd { folder: folder.to_owned(), offset: at });
    }
    named
}

/// The entries of a directory of exFAT, and those of the root that name the bitmap and the up-case table.
pub(super) fn exfat(folder: &str, bytes: &[u8], flaws: &mut Vec<Flaw>) -> (Vec<Named>, Vec<Named>) {
    let (mut named, mut system) = (Vec::new(), Vec::new());
    let mut offset = 0;
    let mut end = bytes.len();
    while offset < bytes.len() {
        let entry = &bytes[offset..offset + 32];
        let mut length = 1;
        match entry[0] {
            0 => {
                end = offset;
                break;
            }
            0x81 | 0x82 => system.push(Named {
                name: if entry[0] == 0x81 { "(bitmap)" } else { "(up-case table)" }.to_owned(),
                attributes: 0,
                first: u32_at(entry, 20),
                size: u64_at(entry, 24),
                valid: u64_at(entry, 24),
                contiguous: false,
                offset,
                is_dot: false,
            }),
            0x85 => {
                length = 1 + usize::from(entry[1]);
                match file_set(bytes.get(offset..offset + 32 * length), offset) {
                    Ok(file) => named.push(file),
                    Err(why) => {
                        flaws.push(Flaw::BadSet { folder: folder.to_owned(), offset, why });
                        length = 1;
                    }
                }
            }
            // A volume's label, its GUID, padding, and unused entries.
            0x83 | 0xA0 | 0xA1 | 0x01..=0x7F => {}
            // Left over from a set that is broken.
            0xC0 | 0xC1 if matches!(flaws.last(), Some(Flaw::BadSet { .. })) => {}
            other => {
                let why = if other & 0x40 != 0 { "a secondary entry stands alone" } else { "its type is unknown" };
                flaws.push(Flaw::BadSet { folder: folder.to_owned(), offset, why });
            }
        }
        offset += 32 * length;
    }
    if let Some(at) = (end..bytes.len()).step_by(32).find(|&at| bytes[at] != 0) {
        flaws.push(Flaw::BehindEnd { folder: folder.to_owned(), offset: at });
    }
    (named, system)
}

fn file_set(set: Option<&[u8]>, offset: usize) -> Result<Named, &'static str> {
    let set = set.ok_or("it has no end")?;
    if set_sum(set) != u16_at(set, 2) as u16 {
        return Err("its checksum is wrong");
    }
    let stream = set.get(32..64).filter(|stream| stream[0] == 0xC0).ok_or("it has no stream entry")?;
    let names: Vec<u16> = set[64..]
        .chunks(32)
        .take_while(|entry| entry[0] == 0xC1)
        .flat_map(|entry| (2..32).step_by(2).map(|at| u16_at(entry, at) as u16))
        .collect();
    let name = names.get(..usize::from(stream[3])).ok_or("its name is cut short")?;
    if name_hash(name) != u16_at(stream, 4) as u16 {
        return Err("the hash of its name is wrong");
    }
    Ok(Named {
        name: String::from_utf16_lossy(name),
        attributes: set[4],
        first: u32_at(stream, 20),
        size: u64_at(stream, 24),
        valid: u64_at(stream, 8),
        contiguous: stream[1] & 2 != 0,
        offset,
        is_dot: false,
    })
}

/// exFAT's hash of a name, of which only ASCII is mapped to upper case: the up-case table of these tests does no more.
pub(super) fn name_hash(name: &[u16]) -> u16 {
    let upper = |&unit: &u16| if (0x61..=0x7A).contains(&unit) { unit - 0x20 } else { unit };
    let bytes = name.iter().map(upper).flat_map(u16::to_le_bytes);
    bytes.fold(0u16, |hash, byte| hash.rotate_right(1).wrapping_add(byte.into()))
}
