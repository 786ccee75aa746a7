//! What can be wrong with a card, a file system or the options, and in which operation.

use crate::plain_text::{Pieces, PlainText, display, texts_in};
use core::fmt;

/// The operation of the writer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Operation {
    /// Finding the card and its file system, and mending what a power cut left.
    Mount,
    /// Opening or creating the folder of the logs.
    OpenFolder,
    /// Listing the logs.
    List,
    /// Creating a new log.
    Create,
    /// Writing to the log.
    Write,
    /// Flushing the log.
    Flush,
    /// Ending the log.
    End,
    /// Reading a log.
    Extract,
    /// Removing an old log.
    Remove,
}

/// Why an operation failed, where the card's driver reported no error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Fault {
    /// The card has no file system that logs can be written to.
    Unusable(Unusable),
    /// The file system is damaged.
    Damaged(Damage),
    /// No cluster is free, and no log may be removed: only logs of earlier boots that aren't read-only may, and none
    /// after cards were exchanged twice in this boot. An open log stays open, to be flushed and ended. On exFAT,
    /// it is also the error of a card on which every piece of free space is shorter than a log's preamble.
    Full,
    /// On exFAT, where a log's clusters are contiguous, the next cluster is another file's. The log stays open, to be
    /// flushed and ended. [`run`](crate::SdLog::run) begins the next log by itself.
    Blocked,
    /// The directory has no room for another entry: FAT16's root directory and all directories on exFAT keep their
    /// size.
    DirectoryFull,
    /// A log has less than 4 GiB. It stays open, to be flushed and ended.
    TooLong,
    /// All numbers up to [`Options::last_number`](crate::sd_log::Options::last_number) are taken, and the log that has
    /// the next one is read-only or of this boot.
    NoNumber,
    /// There is no open log to write to, or an error of another call ended the log that is to be ended.
    Closed,
    /// The folder has no log of this number.
    NoLog,
    /// On exFAT, another system's log has 4 GiB or more. Its first 4,294,967,295 bytes were read.
    Beyond4Gib,
    /// [`Options::folder`](crate::sd_log::Options::folder) doesn't consist of up to 8 letters, digits, `_` and `-`, or
    /// a file has that name.
    Folder,
    /// [`Options::extension`](crate::sd_log::Options::extension) doesn't consist of 1 to 3 letters and digits.
    Extension,
}

/// Why a card can't be logged to as it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Unusable {
    /// The first block has no signature: the card is blank or damaged.
    Blank,
    /// [`Options::partition`](crate::sd_log::Options::partition) is not 0 to 3.
    PartitionOption {
        /// The option's value.
        partition: u8,
    },
    /// The partition table has nothing in this place, 0 to 3.
    NoPartition {
        /// The place that was looked at.
        partition: u8,
    },
    /// The partition is of a type other than FAT12 (1), FAT16 (4, 6, 0x0E), FAT32 (0x0B, 0x0C) and exFAT (7).
    PartitionType {
        /// The type that the table gives.
        found: u8,
    },
    /// The file system has sectors of another size than 512 bytes, in bytes.
    Sectors {
        /// The size of a sector in bytes.
        bytes: u16,
    },
    /// The partition holds no FAT16, FAT32 or exFAT that logs can be written to.
    NotFat(Flaw),
}

/// What is wrong with a partition, or what the recorder doesn't support.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Flaw {
    /// Its row of the partition table is damaged.
    PartitionTable,
    /// The GPT and its copy at the end of the card are damaged, or the partition is beyond 2 TB.
    Gpt,
    /// The partition table says more blocks than 32 bits can count.
    BeyondTable,
    /// The partition begins after the end of the card.
    BeyondCard,
    /// Its first block isn't a boot sector.
    NoBootSector,
    /// Its boot sector has values that no file system has.
    BootSector,
    /// It is NTFS.
    Ntfs,
    /// It is exFAT, and the feature `exfat` is off.
    WithoutExfat,
    /// It is FAT12, which smaller cards have.
    Fat12,
    /// It has more than two FATs.
    Fats,
    /// It is FAT32 with fewer than 65,525 clusters, which others take for FAT16.
    FewClusters,
    /// It is an unknown version of FAT32 or exFAT.
    Version,
    /// It is TexFAT: exFAT with two FATs.
    TexFat,
    /// The file system is too small for its own tables.
    Tables,
    /// The boot sector says more clusters than are possible or than the FAT describes.
    Clusters,
    /// The boot sector says more blocks than the partition has.
    BeyondPartition,
    /// The root directory has no place.
    Root,
    /// The boot sector names a FAT that doesn't exist.
    ActiveFat,
    /// exFAT's allocation bitmap is missing.
    NoBitmap,
    /// exFAT's allocation bitmap is too short, or outside of the file system.
    Bitmap,
    /// exFAT's allocation bitmap isn't contiguous. Formatters make it so.
    FragmentedBitmap,
}

/// What is wrong with a file system. Nothing is written because of it: the recorder repairs only what it left itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Damage {
    /// A directory entry or a chain leads to a cluster that doesn't exist.
    Outside,
    /// A directory has more blocks than FAT (4,096) or exFAT (524,288) allows, a log more clusters than a file has, or
    /// either leads back into itself.
    Endless,
    /// A log's clusters end before the log does.
    Short,
}

/// What the text of a [`Flaw`] is, in their order.
const FLAWS: &str = concat!(
    "its row of the partition table is damaged\0",
    "its GPT is damaged, or it is beyond 2 TB\0",
    "it ends beyond the 2 TB that a partition table can say\0",
    "it begins after the end of the card\0",
    "its boot sector has no signature\0",
    "its boot sector is damaged\0",
    "it is NTFS\0",
    "it is exFAT, which the program was built without (feature `exfat`)\0",
    "it is FAT12; a card of 16 MB or more can be FAT16, FAT32 or exFAT\0",
    "it has more than two FATs\0",
    "it is FAT32 with fewer than 65,525 clusters; smaller clusters make more\0",
    "its version is unknown\0",
    "its exFAT has two FATs (TexFAT)\0",
    "its boot sector is damaged: the file system has no room for its own tables\0",
    "its boot sector is damaged: it says an impossible number of clusters\0",
    "its boot sector says more blocks than the partition has\0",
    "its boot sector is damaged: the root directory has no place\0",
    "its boot sector is damaged: the active FAT doesn't exist\0",
    "it has no allocation bitmap\0",
    "its allocation bitmap is damaged\0",
    "its allocation bitmap is fragmented\0",
);
const _: () = assert!(texts_in(FLAWS) == Flaw::FragmentedBitmap as usize + 1, "each flaw has a text");

impl PlainText for Flaw {
    fn put(&self, out: &mut dyn Pieces) {
        out.one_of(FLAWS, *self as usize);
    }
}

impl PlainText for Unusable {
    fn put(&self, out: &mut dyn Pieces) {
        match self {
            Unusable::Blank => {
                out.text("the card is blank or damaged: it has no partition table; format it as FAT32 or exFAT");
            }
            Unusable::PartitionOption { partition } => {
                out.text("Options::partition is ");
                out.number((*partition).into());
                out.text("; a partition table has the partitions 0 to 3");
            }
            Unusable::NoPartition { partition } => {
                out.text("the card has no partition ");
                out.number((*partition).into());
                out.text("; set Options::partition, or format the card as FAT32");
            }
            Unusable::PartitionType { found } => {
                out.text("the partition is of type 0x");
                out.hex(*found);
                out.text(", not FAT16, FAT32 or exFAT; format the card as FAT32 or exFAT");
            }
            Unusable::Sectors { bytes } => {
                out.text("the file system has sectors of ");
                out.number((*bytes).into());
                out.text(" bytes; format the card with sectors of 512 bytes");
            }
            Unusable::NotFat(why) => {
                out.text("the partition must be formatted as FAT16, FAT32 or exFAT: ");
                why.put(out);
            }
        }
    }
}

impl PlainText for Damage {
    fn put(&self, out: &mut dyn Pieces) {
        out.text("the file system is damaged: ");
        out.text(match self {
            Damage::Outside => "a directory or a log leads to a cluster that doesn't exist",
            Damage::Endless => "a directory or a log is too long, or leads back into itself",
            Damage::Short => "a log's clusters end before the log does",
        });
        out.text("; copy the files, and repair or format it");
    }
}

/// What the text of a [`Fault`] without details is, in their order.
const FAULTS: &str = concat!(
    "the card is full, and no log of an earlier boot can be removed; remove files from it\0",
    "the clusters after the log's are another file's; begin another log\0",
    "the directory is full; remove files from it, or set Options::folder to another one\0",
    "the log has the most bytes that FAT allows (4 GiB); begin another log\0",
    "all log numbers are taken, and the log to replace is read-only or of this boot; remove old logs\0",
    "no log is open; begin_log begins one\0",
    "no log has this number; list has the numbers\0",
    "the log has 4 GiB or more, and only 4,294,967,295 bytes of a log can be read; copy it with a computer\0",
    "Options::folder must have up to 8 letters, digits, `_` or `-`, and no file may have that name\0",
    "Options::extension must have 1 to 3 letters or digits\0",
);
const _: () = assert!(texts_in(FAULTS) == 10, "each fault has a text");

impl PlainText for Fault {
    fn put(&self, out: &mut dyn Pieces) {
        let index = match self {
            Fault::Unusable(why) => return why.put(out),
            Fault::Damaged(damage) => return damage.put(out),
            Fault::Full => 0,
            Fault::Blocked => 1,
            Fault::DirectoryFull => 2,
            Fault::TooLong => 3,
            Fault::NoNumber => 4,
            Fault::Closed => 5,
            Fault::NoLog => 6,
            Fault::Beyond4Gib => 7,
            Fault::Folder => 8,
            Fault::Extension => 9,
        };
        out.one_of(FAULTS, index);
    }
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        display(f, |out| self.put(out))
    }
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        display(f, |out| self.put(out))
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        display(f, |out| self.put(out))
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        display(f, |out| self.put(out))
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::{Fault, Flaw};
    use std::string::ToString;

    #[test]
    fn texts_are_in_the_order_of_what_they_are_about() {
        assert_eq!(Flaw::PartitionTable.to_string(), "its row of the partition table is damaged");
        assert_eq!(Flaw::Ntfs.to_string(), "it is NTFS");
        assert_eq!(
            Flaw::Tables.to_string(),
            "its boot sector is damaged: the file system has no room for its own tables"
        );
        assert_eq!(Flaw::FragmentedBitmap.to_string(), "its allocation bitmap is fragmented");
        assert!(Fault::Full.to_string().starts_with("the card is full"));
        assert_eq!(Fault::Closed.to_string(), "no log is open; begin_log begins one");
        assert!(Fault::Extension.to_string().starts_with("Options::extension"));
    }
}
