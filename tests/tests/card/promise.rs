//! The promise of `SdLog`'s documentation, checked on a card: as another system sees it before `SdLog` mounts it
//! again, and after `SdLog` has mended it.
//!
//! Each item of the promise is an [`Item`]. Checks of a card as it is are here. What a step may remove is checked by
//! `history.rs`, which knows the step; items of which one test is enough also have that in `promise_facts.rs` or
//! `broken_cards.rs`.

use crate::fixture::Sd;
use crate::history::{Logged, Mark, contents, path};
use binlog_embedded::SdLog;
use binlog_embedded::sd_log::{Options, Undated};
use binlog_tests::ram_card::RamCard;
use binlog_tests::volume::{Flaw, Report, Volume};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::ControlFlow;

/// What must hold of a card at a moment between two marks.
pub(crate) struct Promise<'a> {
    pub(crate) before: &'a Mark,
    pub(crate) after: &'a Mark,
    pub(crate) folder: &'a str,
    /// Files that aren't logs, and what they hold.
    pub(crate) others: &'a BTreeMap<String, Vec<u8>>,
}

/// The items of the promise, in the order of `SdLog`'s documentation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Item {
    /// 1. What a flush returned for is readable.
    FlushedBytesStay,
    /// 2. A torn set of exFAT hides the log that it is of until the next mount, and no other.
    TornSetsAreMended,
    /// 3. No cluster belongs to two files, and every chain is whole.
    AClusterHasOneOwner,
    /// 4. After the next boot, no cluster is lost.
    NoClusterIsLost,
    /// 5. Checked by `history.rs`.
    LogsOfThisBootAreNeverRemoved,
    /// 6. A log is there with all that was flushed of it, or it was removed. Checked by `history.rs`: the oldest first,
    ///    and only for room.
    OldLogsMakeRoom,
    /// 7. A log has what was written to it and nothing else.
    NoOldContents,
    /// 8. Other files keep their contents. `broken_cards.rs` checks all that is outside of the file system.
    TheRestStays,
}

/// Who looks at the card.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reader {
    /// Another system, before `SdLog` mounts the card; whether the last block was torn.
    Other { torn: bool },
    /// Any, after `SdLog` has mounted it.
    Mended,
}

impl Promise<'_> {
    /// Checks a card, and says what is broken.
    pub(crate) fn check(&self, card: &RamCard, reader: Reader) -> Result<(), String> {
        let volume = Volume::of(card);
        let report = volume.check();
        let allowed = |flaw: &Flaw| match (reader, flaw) {
            // Sets of entries of exFAT have a checksum, so a torn one is unreadable until `SdLog` mends it.
            (Reader::Other { torn }, Flaw::BadSet { .. }) => torn,
            (Reader::Other { .. }, flaw) => flaw.is_waste(),
            (Reader::Mended, _) => false,
        };
        let flaws: Vec<_> = report.flaws.iter().filter(|flaw| !allowed(flaw)).collect();
        if let Some(flaw) = flaws.first() {
            let item = match flaw {
                Flaw::BadSet { .. } => Item::TornSetsAreMended,
                flaw if flaw.is_waste() => Item::NoClusterIsLost,
                _ => Item::AClusterHasOneOwner,
            };
            return broken(item, format_args!("{flaws:#?}\n{report:?}"));
        }
        let torn_sets = report.flaws.iter().filter(|flaw| matches!(flaw, Flaw::BadSet { .. })).count();
        self.check_logs(&volume, &report, reader, torn_sets)?;
        for (path, contents) in self.others {
            if report.tree.get(path).is_none_or(|file| volume.contents(file) != *contents) {
                return broken(Item::TheRestStays, format_args!("{path} isn't what it was\n{report:?}"));
            }
        }
        Ok(())
    }

    fn check_logs(&self, volume: &Volume, report: &Report, reader: Reader, torn_sets: usize) -> Result<(), String> {
        let mut hidden = 0;
        let find = |mark: &Mark, serial| mark.logs.iter().find(|log| log.serial == serial).cloned();
        for log in &self.before.logs {
            let later = find(self.after, log.serial);
            let most = later.as_ref().map_or(log.written, |later| later.written);
            let file = report.tree.get(&path(self.folder, log.number));
            let has_number = |other: &&Logged| other.number == log.number && other.serial != log.serial;
            if let (0, None, Some(next)) = (log.flushed, &later, self.after.logs.iter().find(has_number))
                && file.is_some_and(|file| check_contents(next, 0, next.written, &volume.contents(file)).is_ok())
            {
                // Nothing of it was promised, and the next log has its number.
                continue;
            }
            // It is being removed, or nothing of it was promised yet.
            let may_be_gone = later.is_none() || log.flushed == 0;
            match file {
                None if may_be_gone => {}
                Some(file) if file.size == 0 && may_be_gone => {}
                None if hidden < torn_sets => hidden += 1,
                None => return broken(Item::OldLogsMakeRoom, format_args!("{log:?} is gone\n{report:?}")),
                Some(file) => {
                    let found = volume.contents(file);
                    check_contents(log, log.flushed, most, &found).map_err(|error| format!("{error}\n{report:?}"))?;
                }
            }
        }
        for log in self.after.logs.iter().filter(|log| find(self.before, log.serial).is_none()) {
            if let Some(file) = report.tree.get(&path(self.folder, log.number)) {
                let found = volume.contents(file);
                check_contents(log, 0, log.written, &found).map_err(|error| format!("{error}\n{report:?}"))?;
            }
        }
        let is_known = |number: u32| {
            let mut logs = self.before.logs.iter().chain(&self.after.logs);
            logs.any(|log| log.number == number)
        };
        for file in report.tree.files(self.folder) {
            let name = file.path.rsplit('/').next().unwrap_or_default();
            let number = name.strip_suffix(".BIN").and_then(|digits| digits.parse().ok());
            // A log that is being begun is empty, and gone after the next boot.
            let is_begun = reader != Reader::Mended && file.size == 0;
            if number.is_some_and(|number| !is_known(number)) && !is_begun && !self.others.contains_key(&file.path) {
                return broken(
                    Item::NoOldContents,
                    format_args!("{} is not a log of the vehicle's\n{report:?}", file.path),
                );
            }
        }
        Ok(())
    }
}

/// An error that names the item of the promise that doesn't hold.
fn broken(item: Item, what: impl fmt::Display) -> Result<(), String> {
    Err(format!("{item:?}: {what}"))
}

fn check_contents(log: &Logged, least: usize, most: usize, found: &[u8]) -> Result<(), String> {
    let expected = contents(log.serial, most);
    let range = format_args!("{log:?} has {} bytes instead of {least} to {most}", found.len()).to_string();
    if found.len() < least {
        return broken(Item::FlushedBytesStay, range);
    }
    if found.len() > most {
        return broken(Item::NoOldContents, range);
    }
    if *found == expected[..found.len()] {
        return Ok(());
    }
    match found.iter().zip(&expected).position(|(found, expected)| found != expected) {
        Some(at) if at < least => broken(Item::FlushedBytesStay, format_args!("{log:?} has wrong bytes from {at} on")),
        Some(at) => broken(Item::NoOldContents, format_args!("{log:?} has wrong bytes from {at} on")),
        None => Ok(()),
    }
}

/// Lets an `SdLog` find the card after a boot. Returns it, and the logs that it lists: number and bytes.
pub(crate) fn mount(card: &RamCard, options: Options) -> Result<(Sd, Vec<(u32, u32)>), String> {
    let mut sd: Sd = SdLog::with_blocks(card.clone(), Undated, options);
    let mut listed = Vec::new();
    let list = sd.list(|file| {
        listed.push((file.number, file.bytes));
        ControlFlow::Continue(())
    });
    list.map_err(|error| format!("the next boot can't list the logs: {error}"))?;
    listed.sort_unstable();
    Ok((sd, listed))
}

/// Checks that a mount has nothing to mend. A note that is left over would give back clusters that others may have by
/// then.
pub(crate) fn check_mended(card: &RamCard, options: Options) -> Result<(), String> {
    let before = card.writes();
    mount(card, options)?;
    match card.writes() - before {
        0 => Ok(()),
        writes => {
            broken(Item::AClusterHasOneOwner, format_args!("a mount that has nothing to mend writes {writes} blocks"))
        }
    }
}

/// Checks that `SdLog` lists the logs that a computer sees.
pub(crate) fn check_list(card: &RamCard, folder: &str, listed: &[(u32, u32)]) -> Result<(), String> {
    let tree = Volume::of(card).tree();
    let mut seen: Vec<(u32, u32)> = tree
        .files(folder)
        .filter_map(|file| {
            let number = file.path.rsplit('/').next()?.strip_suffix(".BIN")?.parse().ok()?;
            Some((number, file.size as u32))
        })
        .collect();
    seen.sort_unstable();
    if seen == listed { Ok(()) } else { Err(format!("`SdLog` lists {listed:?} instead of {seen:?}")) }
}
