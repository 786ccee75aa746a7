//! What is wrong with a card, for who reads its image: the recorder's own texts advise who writes to a card.

use binlog_embedded::sd_log::{Cause, Damage, Fault, Operation, SdError, Unusable};
use std::io;

/// Why a log ends where its clusters come back to one that it had.
pub(super) const LEADS_BACK: &str = "its chain of clusters leads back into itself";

/// Why the rest of a log can't be read.
pub(super) fn of_log(error: &SdError<io::Error>) -> String {
    match (error.operation, &error.cause) {
        (Operation::Extract, Cause::Fault(Fault::Damaged(damage))) => match damage {
            Damage::Short => "its chain of clusters ends before the log does".into(),
            Damage::Outside => "its chain of clusters leads to a cluster that doesn't exist".into(),
            Damage::Endless => LEADS_BACK.into(),
            damage => damage.to_string(),
        },
        (_, Cause::Fault(Fault::Beyond4Gib)) => "it has 4 GiB or more, of which this program can't read the end".into(),
        (_, cause) => of_cause(cause),
    }
}

/// Why not all logs can be listed; `None` if there is just no folder for them.
pub(super) fn of_list(error: &SdError<io::Error>) -> Option<String> {
    let what = match (error.operation, &error.cause) {
        // The recorder creates a folder that is missing, for which the card may have no room.
        (Operation::OpenFolder, Cause::Fault(Fault::Full | Fault::DirectoryFull)) => return None,
        (Operation::OpenFolder, Cause::Fault(Fault::Folder)) => return Some(of_cause(&error.cause)),
        (Operation::OpenFolder, _) => "can't open the folder of the logs",
        (Operation::List, _) => "can't list the logs",
        _ => "can't use the card",
    };
    Some(format!("{what}: {}", of_cause(&error.cause)))
}

fn of_cause(cause: &Cause<io::Error>) -> String {
    match cause {
        Cause::Card(error) => error.to_string(),
        Cause::Changed => "the file system is damaged: its tables contradict each other".into(),
        Cause::Fault(fault) => of_fault(*fault),
        cause => cause.to_string(),
    }
}

/// What --folder takes.
const FOLDER: &str = "--folder must name a folder of the root directory, with up to 8 letters, digits, `_` or `-`; to get \
                      logs from another folder, mount the card and copy them";

/// How to get the logs where the program can't.
const INSTEAD: &str = "mount the card and copy the logs, if a computer can read it";

/// What to do with a card whose partition table names no partition.
pub(super) fn no_partition() -> String {
    format!("its partition table has no partition, so there is no file system to read: {INSTEAD}")
}

fn of_fault(fault: Fault) -> String {
    match fault {
        Fault::Folder => FOLDER.into(),
        Fault::Unusable(why) => of_unusable(why),
        Fault::Damaged(damage) => {
            let leads = match damage {
                Damage::Outside => "leads to a cluster that doesn't exist",
                Damage::Endless => "leads back into itself",
                Damage::Short => "ends too early",
                damage => return damage.to_string(),
            };
            format!("the file system is damaged: the chain of clusters of a directory {leads}")
        }
        fault => fault.to_string(),
    }
}

/// Why a card, or its partition, can't be read.
pub(super) fn of_unusable(why: Unusable) -> String {
    match why {
        Unusable::Blank => "it has neither a partition table nor a file system".into(),
        Unusable::PartitionOption { partition } | Unusable::NoPartition { partition } => {
            format!("the card has no partition {partition}; --partition names another one, 0 to 3")
        }
        Unusable::PartitionType { found } => {
            format!("the partition is of type 0x{found:02X}, not FAT16, FAT32 or exFAT; {INSTEAD}")
        }
        Unusable::Sectors { bytes } => {
            format!("the file system has sectors of {bytes} bytes; only sectors of 512 bytes are read; {INSTEAD}")
        }
        Unusable::NotFat(flaw) => {
            format!("the partition has no FAT16, FAT32 or exFAT that can be read: {flaw}; {INSTEAD}")
        }
        why => why.to_string(),
    }
}
