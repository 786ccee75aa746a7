//! The names of file systems that cards have and that aren't read here.

/// A block of 512 bytes.
type Block = [u8; 512];

/// The place of a mark, in bytes from the beginning of the file system, the mark, and whose it is.
const MARKS: [(usize, &[u8], &str); 22] = [
    (3, b"NTFS    ", "NTFS"),
    (3, b"-FVE-FS-", "BitLocker"),
    (3, b"ReFS\0\0\0\0", "ReFS"),
    (0x20, b"NXSB", "APFS"),
    (0x400, b"H+\0\x04", "HFS+"),
    (0x400, b"HX\0\x05", "HFS+"),
    (0x400, b"\x10\x20\xF5\xF2", "F2FS"),
    (0x1_0040, b"_BHRfS_M", "Btrfs"),
    (0, b"XFSB", "XFS"),
    (0, b"LUKS\xBA\xBE", "LUKS"),
    (0xFF6, b"SWAPSPACE2", "Linux swap"),
    (0x3FF6, b"SWAPSPACE2", "Linux swap"),
    (0xFFF6, b"SWAPSPACE2", "Linux swap"),
    (0x218, b"LVM2 001", "LVM"),
    (0x1_0034, b"ReIsEr", "ReiserFS"),
    (0x8000, b"JFS1", "JFS"),
    (0x400, b"\xE2\xE1\xF5\xE0", "EROFS"),
    (0, b"hsqs", "SquashFS"),
    (0, b"UBI#", "UBI"),
    (0, b"-rom1fs-", "romfs"),
    (0x8001, b"CD001", "ISO 9660"),
    (8, b"littlefs", "littlefs"),
];

/// The name of a file system. `block` reads a block of it, counted from its first one; `None` after its end.
pub fn name(mut block: impl FnMut(u32) -> Option<Block>) -> Option<&'static str> {
    let mut has_mark = |at: usize, mark: &[u8]| {
        let block = block((at / 512) as u32);
        block.is_some_and(|block| block[at % 512..].starts_with(mark))
    };
    if let Some((_, _, name)) = MARKS.iter().find(|(at, mark, _)| has_mark(*at, mark)) {
        return Some(name);
    }
    block(2).is_some_and(|superblock| is_ext(&superblock)).then_some("ext2, ext3 or ext4")
}

/// Whether a block is the superblock of ext2, ext3 or ext4: the magic number, and a state and a way to deal with errors
/// that there are.
fn is_ext(superblock: &Block) -> bool {
    superblock[0x38..0x3A] == [0x53, 0xEF] && superblock[0x3A] < 8 && matches!(superblock[0x3C..0x3E], [1..=3, 0])
}

/// What to do with a card whose file system isn't read here.
pub fn instead(name: &str) -> String {
    format!(
        "its file system is {name}, which binlog doesn't read: copy the logs from the card with a computer (info, dump, \
         export and plot read the copies), and format it as FAT16, FAT32 or exFAT before the next flight"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_system_is_known_by_its_mark() {
        let image = |at: usize, mark: &[u8]| {
            let mut image = vec![0; 0x1_0200];
            image[at..at + mark.len()].copy_from_slice(mark);
            image
        };
        let name_of = |image: &[u8]| name(|number| image.get(number as usize * 512..)?.first_chunk().copied());
        for (at, mark, expected) in MARKS {
            assert_eq!(name_of(&image(at, mark)), Some(expected));
            assert_eq!(name_of(&image(at + 1, mark)), None, "{expected}");
        }
        let mut ext4 = image(0x438, b"\x53\xEF\x01\0\x01\0");
        assert_eq!(name_of(&ext4), Some("ext2, ext3 or ext4"));
        ext4[0x43C] = 0;
        assert_eq!(name_of(&ext4), None);
        assert_eq!(name_of(&[0; 100]), None, "it is too short for a block");
    }
}
