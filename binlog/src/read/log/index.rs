//! The index: the offsets of the records of each type.

use super::ahead::{Ahead, Sharing};
use super::offsets::Offsets;
use super::skim::{Lists, Skimmer, empty_lists};
use crate::format::Definition;
use crate::format::header::FMT_ID;
use crate::read::catalogue::declaration::Declaration;
use crate::read::catalogue::definition::{FMT_OF_FMT, Fmt};
use crate::read::catalogue::fmtu::{Fmtu, IdColumns};
use crate::read::catalogue::ledger::{Entered, Identity, Ledger};
use crate::read::catalogue::units::{TableRow, Units};
use crate::read::framing::Step;
use crate::read::learner::{Learner, PlainLengths};
use crate::read::{LoggedDefinition, Reason, Skipped};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::thread;

/// The records of a log by kind, found in one pass.
#[derive(Debug, Default)]
pub(super) struct Index {
    /// The kinds in the order of their definitions.
    pub(super) kinds: Vec<RecordKind>,
    /// The kinds with each name.
    by_name: HashMap<String, Vec<usize>>,
    pub(super) skipped: Vec<Skipped>,
    /// Offsets of the suspect records: bytes other than a header follow them.
    pub(super) suspects: Vec<usize>,
    /// The log's units and multipliers.
    pub(super) units: Arc<Units>,
    /// The offset of each boot except the first.
    pub(super) boots: Vec<usize>,
}

/// One definition of a message, and its records. A message that is redefined in the middle of a log has two kinds. A
/// repeated definition is one kind, even with another id.
#[derive(Debug)]
pub(super) struct RecordKind {
    pub(super) place: DefinitionPlace,
    /// Shared with the rows of the kind.
    pub(super) offsets: Arc<Offsets>,
}

/// Where a log has a definition.
#[derive(Clone, Copy, Debug)]
pub(super) struct DefinitionPlace {
    /// The offset of its FMT's payload in the log; `None` for FMT in a log that doesn't define FMT.
    fmt: Option<usize>,
    /// The offset of its FMTU's payload, and where that has the ids.
    fmtu: Option<(usize, IdColumns)>,
}

impl RecordKind {
    pub(super) fn definition<'a>(&self, log: &'a [u8]) -> LoggedDefinition<'a> {
        self.place.definition(log)
    }

    pub(super) fn defined_at(&self) -> usize {
        self.place.defined_at()
    }
}

impl DefinitionPlace {
    pub(super) fn definition<'a>(&self, log: &'a [u8]) -> LoggedDefinition<'a> {
        let fmt: Option<&Fmt> = self.fmt.and_then(|at| log.get(at..)?.first_chunk());
        let fmtu = self.fmtu.and_then(|(at, columns)| Some(Fmtu::new(log.get(at..)?, columns)));
        LoggedDefinition::new(fmt.unwrap_or(&FMT_OF_FMT), fmtu)
    }

    /// The offset of its FMTU, or else of its FMT.
    pub(super) fn defined_at(&self) -> usize {
        self.fmtu.map(|(at, _)| at).or(self.fmt).unwrap_or(0)
    }
}

/// The largest offset that four bytes hold.
const REACH: usize = u32::MAX as usize;

impl Index {
    /// Indexes all records.
    pub(super) fn new(log: &[u8]) -> Self {
        Builder::new(log, None).build::<REACH>(Sharing::of(log.len()))
    }

    /// Indexes the records with one of these names only. The skipped stretches are complete.
    pub(super) fn of(log: &[u8], names: &[&str]) -> Self {
        Builder::new(log, Some(names)).build::<REACH>(Sharing::of(log.len()))
    }

    /// The kinds with this name.
    pub(super) fn named(&self, name: &str) -> impl Iterator<Item = &RecordKind> {
        self.by_name.get(name).into_iter().flatten().filter_map(|&kind| self.kinds.get(kind))
    }

    /// The names of all kinds, in any order.
    pub(super) fn all_names(&self) -> impl Iterator<Item = &str> {
        self.by_name.keys().map(String::as_str)
    }

    /// The names of the kinds with records, in the order of their definitions.
    pub(super) fn names<'log>(&self, log: &'log [u8]) -> Vec<&'log str> {
        let mut seen = HashSet::new();
        let names = self.kinds.iter().filter(|kind| kind.offsets.len() > 0).map(|kind| kind.definition(log).name());
        names.filter(|name| seen.insert(*name)).collect()
    }
}

struct Builder<'a> {
    log: &'a [u8],
    only: Option<&'a [&'a str]>,
    learner: Learner,
    skimmer: Skimmer,
    index: Index,
    /// The place of a definition in the ledger is the place of its kind.
    ledger: Ledger<'a>,
    units: Units,
    /// Whether this boot has logged anything but definitions.
    is_running: bool,
}

impl<'a> Builder<'a> {
    fn new(log: &'a [u8], only: Option<&'a [&'a str]>) -> Self {
        let learner = Learner::new();
        Builder {
            log,
            only,
            skimmer: Skimmer {
                lengths: learner.plain_lengths(),
                wanted: [false; 256],
                wants_all: only.is_none(),
                base: 0,
            },
            learner,
            index: Index::default(),
            ledger: Ledger::new(Identity::Content),
            units: Units::default(),
            is_running: false,
        }
    }

    /// Indexes the log in one pass. Offsets are gathered by id, in lists that are moved to the kinds when an id changes
    /// its kind, when the offsets exceed four bytes, and when another thread's part takes the place of the lists.
    fn build<const REACH: usize>(mut self, sharing: Sharing) -> Index {
        let log = self.log;
        let mut lists = empty_lists();
        thread::scope(|scope| {
            let mut ahead = Ahead::new(scope, log, sharing);
            let mut at = 0;
            while at < log.len() {
                let until = self.skimmer.base.saturating_add(REACH).min(log.len());
                while at < until {
                    if let Some((end, found)) = ahead.take(&self.skimmer, at) {
                        self.hand_over_all(&mut lists);
                        lists = found;
                        self.is_running |= end > at;
                        at = end;
                        continue;
                    }
                    let (end, is_other) = ahead.skim(&self.skimmer, at..until, &mut lists);
                    self.is_running |= end > at;
                    at = if is_other { self.step(end, &mut lists) } else { end };
                }
                self.hand_over_all(&mut lists);
                self.skimmer.base = at;
            }
        });
        self.index.kinds.iter_mut().for_each(|kind| Arc::make_mut(&mut kind.offsets).sort());
        if let Some((last, before)) = self.index.skipped.split_last()
            && last.is_padding_after_record(log)
            && before.last().is_none_or(|before| before.offset + before.length < last.offset)
        {
            // The record in front of the padding, which is the last one.
            self.index.suspects.pop();
        }
        self.index.units = Arc::new(self.units);
        self.index
    }

    /// Handles any step at `at` and returns its end.
    fn step(&mut self, at: usize, lists: &mut Lists) -> usize {
        match self.learner.framing.step::<true>(self.log, at) {
            Step::Record { id, end, suspect } => {
                let payload_at = at + Definition::HEADER_LENGTH;
                let payload = self.log.get(payload_at..end).unwrap_or_default();
                let declaration = self.learner.learn(id, payload);
                let is_read_by_itself = declaration.is_some_and(|declaration| declaration.is_of_fmt());
                if id == FMT_ID && !is_read_by_itself && self.ledger.in_force(FMT_ID).is_none() {
                    // The log doesn't define FMT, which every reader knows.
                    self.enter(Declaration::Fmt(&FMT_OF_FMT), None);
                }
                if is_read_by_itself && std::mem::take(&mut self.is_running) {
                    self.index.boots.push(at);
                }
                match self.definition(id) {
                    Some(definition) if TableRow::are_records_of(&definition) => {
                        if let Some(row) = TableRow::of(&definition, payload) {
                            self.units.learn(at, row);
                        }
                    }
                    _ => self.is_running |= declaration.is_none() && id != FMT_ID,
                }
                if !is_read_by_itself {
                    self.note(id, at, lists);
                }
                if suspect {
                    self.index.suspects.push(at);
                }
                if let Some(declaration) = declaration {
                    let id = declaration.id();
                    self.hand_over(id, lists);
                    self.enter(declaration, Some(payload_at));
                    self.skimmer.lengths = self.plain_lengths();
                }
                if is_read_by_itself {
                    self.note(id, at, lists);
                }
                end
            }
            Step::Skip { end, reason, .. } => self.skip(at, end, reason),
            // Never returned for a log that has ended.
            Step::More => self.skip(at, self.log.len(), Reason::NoHeader),
        }
    }

    /// Lengths of the records that declare nothing: neither definitions nor units.
    fn plain_lengths(&self) -> PlainLengths {
        let mut lengths = self.learner.plain_lengths();
        for (length, id) in lengths.iter_mut().zip(0..=255) {
            if self.definition(id).is_some_and(|definition| TableRow::are_records_of(&definition)) {
                *length = 0;
            }
        }
        lengths
    }

    /// The definition in force for an id.
    fn definition(&self, id: u8) -> Option<LoggedDefinition<'a>> {
        self.ledger.get(self.ledger.in_force(id)?)
    }

    /// Adds a record to the lists.
    fn note(&self, id: u8, at: usize, lists: &mut Lists) {
        if self.skimmer.wanted[usize::from(id)] {
            lists[usize::from(id)].push((at - self.skimmer.base) as u32);
        }
    }

    fn skip(&mut self, offset: usize, end: usize, reason: Reason) -> usize {
        self.index.skipped.push(Skipped { offset, length: end - offset, reason });
        end
    }

    fn hand_over_all(&mut self, lists: &mut Lists) {
        (0..=255).for_each(|id| self.hand_over(id, lists));
    }

    fn hand_over(&mut self, id: u8, lists: &mut Lists) {
        let offsets = std::mem::take(&mut lists[usize::from(id)]);
        if let Some(kind) = self.ledger.in_force(id).and_then(|place| self.index.kinds.get_mut(place)) {
            Arc::make_mut(&mut kind.offsets).append(self.skimmer.base, offsets);
        }
    }

    /// Enters a declaration; `payload` is the offset of its record's payload.
    #[cold]
    fn enter(&mut self, declaration: Declaration<'a>, payload: Option<usize>) {
        let id = declaration.id();
        let before = self.ledger.in_force(id);
        let entered = self.ledger.enter(declaration, self.units.era());
        let definition = self.definition(id);
        let fmtu = match declaration {
            Declaration::Fmtu(_, fmtu) => payload.map(|at| (at, fmtu.columns())),
            Declaration::Fmt(_) => None,
        };
        let Index { kinds, by_name, .. } = &mut self.index;
        match (entered, definition) {
            (Entered::Amended(place), _) => kinds[place].place.fmtu = fmtu,
            (Entered::Added(place), Some(definition)) => {
                let fmt = match declaration {
                    Declaration::Fmt(_) => payload,
                    Declaration::Fmtu(..) => before.and_then(|place| kinds[place].place.fmt),
                };
                by_name.entry(definition.name().into()).or_default().push(place);
                kinds.push(RecordKind { place: DefinitionPlace { fmt, fmtu }, offsets: Arc::default() });
            }
            _ => {}
        }
        let is_wanted = |names: &[&str]| definition.is_some_and(|definition| names.contains(&definition.name()));
        self.skimmer.wanted[usize::from(id)] = self.only.map_or(definition.is_some(), is_wanted);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::messages;
    use crate::read::Records;
    use crate::write::LogWriter;
    use binlog_derive::LogSchema;

    #[derive(LogSchema)]
    enum TestLog {
        Ev(messages::Ev),
        Err(messages::Err),
    }

    fn log() -> Vec<u8> {
        let mut log = LogWriter::<TestLog, _>::new(Vec::new()).expect("memory takes all");
        for time_us in 0..2000 {
            let written = match time_us % 3 {
                0 => log.write(&messages::Err { time_us, subsystem: 1, code: 2 }),
                _ => log.write(&messages::Ev { time_us, id: 3 }),
            };
            written.expect("memory takes all");
        }
        log.finish().expect("memory takes all")
    }

    /// A log that exceeds the reach of its offsets has the same index.
    #[test]
    fn offsets_have_any_reach() {
        let log = log();
        let offsets = |index: &Index, name: &str| {
            let kind = index.kinds.iter().find(|kind| kind.definition(&log).name() == name).expect("a kind");
            kind.offsets.iter().collect::<Vec<_>>()
        };
        let near = Builder::new(&log, None).build::<1000>(Sharing::of(log.len()));
        let far = Index::new(&log);
        for name in ["EV", "ERR", "FMT", "UNIT"] {
            let records = Records::new(&log).flatten().filter(|record| record.name() == name);
            let expected: Vec<_> = records.map(|record| record.offset()).collect();
            assert!(!expected.is_empty());
            assert_eq!(offsets(&near, name), expected, "{name}");
            assert_eq!(offsets(&far, name), expected, "{name}");
            let only = Builder::new(&log, Some(&[name])).build::<1000>(Sharing::of(log.len()));
            assert_eq!(offsets(&only, name), expected, "{name}");
            assert_eq!(only.kinds.iter().map(|kind| kind.offsets.len()).sum::<usize>(), expected.len());
        }
        assert!(near.kinds.iter().any(|kind| kind.offsets.parts().len() > 10));
    }

    /// Parts of other threads change nothing, for any damage where they begin and any declaration before they end.
    #[test]
    fn threads_find_what_one_finds() {
        let mut random = 1_u32;
        let mut next = |below: usize| {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (random >> 8) as usize % below
        };
        let sound = log();
        let of_ev = |fmt: &[u8]| fmt.starts_with(b"\xa3\x95\x80") && fmt[5..9] == *b"EV\0\0";
        let ev = sound.windows(89).position(of_ev).expect("EV is defined");
        for round in 0..400 {
            let mut log = sound.clone();
            for _ in 0..next(4) {
                let at = next(log.len());
                match next(3) {
                    0 => log[at] ^= 1 << next(8),
                    1 => drop(log.drain(at..(at + next(40)).min(log.len()))),
                    // EV again, or with another length.
                    _ => {
                        let mut again = sound[ev..ev + 89].to_vec();
                        again[4] ^= next(3) as u8;
                        let start =
                            Records::new(&log).flatten().map(|record| record.offset()).find(|&start| start >= at);
                        let at = start.unwrap_or(log.len());
                        drop(log.splice(at..at, again));
                    }
                }
            }
            let only: Option<&[&str]> = [None, Some(&["EV"][..])][round % 2];
            let alone = Sharing { threads: 1, least: 1, settled: 1 };
            let together = Sharing { threads: 1 + next(4), least: 1 + next(2000), settled: 1 + next(500) };
            let facts = |index: &Index| {
                let of_kind = |kind: &RecordKind| (kind.defined_at(), kind.offsets.iter().collect::<Vec<_>>());
                let kinds: Vec<_> = index.kinds.iter().map(of_kind).collect();
                format!("{kinds:?} {:?} {:?} {:?}", index.skipped, index.suspects, index.boots)
            };
            let alone = Builder::new(&log, only).build::<REACH>(alone);
            let shared = Builder::new(&log, only).build::<REACH>(together);
            assert!(facts(&alone) == facts(&shared), "round {round}");
            let near = Builder::new(&log, only).build::<1000>(together);
            assert!(facts(&alone) == facts(&near), "round {round}");
        }
    }
}
