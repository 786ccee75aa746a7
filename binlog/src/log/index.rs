//! Where the records of each type stand.

use super::offsets::Offsets;
use crate::records::definitions::{Lesson, Lessons, PlainLengths};
use crate::records::framing::Step;
use crate::records::logged::{FMT_OF_FMT, Fmt, Fmtu};
use crate::{Definition, HEAD_BYTES, LoggedDefinition, Reason, Skipped};
use std::collections::{HashMap, HashSet};
use std::hint;
use std::ops::Range;

/// The records of a log by kind: in one pass over it.
#[derive(Debug, Default)]
pub(super) struct Index {
    /// In the order of their definitions.
    pub(super) kinds: Vec<Kind>,
    /// Which of the kinds have a name.
    by_name: HashMap<String, Vec<usize>>,
    pub(super) skipped: Vec<Skipped>,
    /// Offsets of the records that something else than a header follows.
    pub(super) suspects: Vec<usize>,
}

/// One definition of a message, and its records. A message that is defined anew in the middle of a log is two kinds;
/// one that is defined twice alike is one, whatever its ids.
#[derive(Debug)]
pub(super) struct Kind {
    /// Where the payload of its FMT stands in the log; the FMT of a log that doesn't define FMT stands in none.
    fmt: Option<usize>,
    fmtu: Option<usize>,
    pub(super) offsets: Offsets,
}

impl Kind {
    pub(super) fn definition<'a>(&self, log: &'a [u8]) -> LoggedDefinition<'a> {
        let fmt: Option<&Fmt> = self.fmt.and_then(|at| log.get(at..)?.first_chunk());
        let fmtu: Option<&Fmtu> = self.fmtu.and_then(|at| log.get(at..)?.first_chunk());
        LoggedDefinition::new(fmt.unwrap_or(&FMT_OF_FMT), fmtu)
    }

    /// Where its FMTU stands, or else its FMT.
    pub(super) fn defined_at(&self) -> usize {
        self.fmtu.or(self.fmt).unwrap_or(0)
    }
}

/// What makes two definitions one kind: all of FMT but the id; all of FMTU but time and id, and how often the log had
/// said before it that a unit or a multiplier is now another one.
type Key = ([u8; 85], Option<([u8; 32], usize)>);

/// Bytes that offsets of four bytes reach.
const REACH: usize = u32::MAX as usize;

/// Records of an id that the index doesn't hold, or that has none.
const NO_KIND: usize = usize::MAX;

impl Index {
    /// Of all records.
    pub(super) fn new(log: &[u8]) -> Self {
        Builder::new(log, None).build::<REACH>()
    }

    /// Of the records with one of these names, and no others. What was skipped is complete all the same.
    pub(super) fn of(log: &[u8], names: &[&str]) -> Self {
        Builder::new(log, Some(names)).build::<REACH>()
    }

    /// The kinds with a name.
    pub(super) fn named(&self, name: &str) -> impl Iterator<Item = &Kind> {
        self.by_name.get(name).into_iter().flatten().filter_map(|&kind| self.kinds.get(kind))
    }

    /// The names of the kinds that have records, in the order of their definitions.
    pub(super) fn names<'log>(&self, log: &'log [u8]) -> Vec<&'log str> {
        let mut seen = HashSet::new();
        let names = self.kinds.iter().filter(|kind| kind.offsets.len() > 0).map(|kind| kind.definition(log).name());
        names.filter(|name| seen.insert(*name)).collect()
    }
}

/// By id, offsets from a base.
type Lists = [Vec<u32>; 256];

/// The longest record, the header behind it, and some more: a byte at the window's end is looked at before its time, so
/// that the memory there is in the cache when the records are. A third of the time is won by that.
const WINDOW: usize = 1024;

/// Records that are in step, define nothing and don't stand at the end of the log, which is nearly all of them. Returns
/// the place of the first one that isn't like that.
#[inline(always)]
fn skim(
    log: &[u8],
    range: Range<usize>,
    base: usize,
    lengths: &PlainLengths,
    is_wanted: impl Fn(u8) -> bool,
    lists: &mut Lists,
) -> usize {
    let Range { start: mut at, end: until } = range;
    if !log.get(at..).is_some_and(|rest| rest.starts_with(&HEAD_BYTES)) {
        return at;
    }
    let mut ahead = 0;
    while at < until
        && let Some(window) = log.get(at..at + WINDOW).and_then(<[u8]>::first_chunk::<WINDOW>)
    {
        ahead ^= window[WINDOW - 1];
        let id = window[2];
        let length = usize::from(lengths[usize::from(id)]);
        if length == 0 || [window[length], window[length + 1]] != HEAD_BYTES {
            break;
        }
        if is_wanted(id) {
            lists[usize::from(id)].push((at - base) as u32);
        }
        at += length;
    }
    hint::black_box(ahead);
    at
}

struct Builder<'a> {
    log: &'a [u8],
    only: Option<&'a [&'a str]>,
    lessons: Lessons,
    plain: PlainLengths,
    /// The ids of `only`.
    wanted: [bool; 256],
    index: Index,
    by_key: HashMap<Key, usize>,
    /// What the log says of units and multipliers, by type and id.
    declared: HashMap<(&'a str, &'a [u8]), &'a [u8]>,
    /// How often that became something else.
    redeclared: usize,
    /// The kind that an FMT, but for its id, was last.
    by_fmt: HashMap<[u8; 85], usize>,
    /// The kind of each id, where the log stands.
    kind_of: [usize; 256],
    base: usize,
}

impl<'a> Builder<'a> {
    fn new(log: &'a [u8], only: Option<&'a [&'a str]>) -> Self {
        let lessons = Lessons::new();
        let mut builder = Builder {
            log,
            only,
            plain: lessons.plain_lengths(),
            lessons,
            wanted: [false; 256],
            index: Index::default(),
            by_key: HashMap::new(),
            declared: HashMap::new(),
            redeclared: 0,
            by_fmt: HashMap::new(),
            kind_of: [NO_KIND; 256],
            base: 0,
        };
        let fmt = usize::from(FMT_OF_FMT[0]);
        builder.kind_of[fmt] = builder.kind(None, None);
        builder.wanted[fmt] = builder.is_wanted(FMT_OF_FMT[0]);
        builder
    }

    /// One pass. Offsets are gathered by id, in lists that are handed to the kinds when an id changes its kind and when
    /// the offsets pass what four bytes hold.
    fn build<const REACH: usize>(mut self) -> Index {
        let log = self.log;
        let mut lists: Box<Lists> = Box::new([const { Vec::new() }; 256]);
        let mut at = 0;
        while at < log.len() {
            let until = self.base.saturating_add(REACH).min(log.len());
            while at < until {
                at = match self.only {
                    None => skim(log, at..until, self.base, &self.plain, |_| true, &mut lists),
                    Some(_) => {
                        let is_wanted = |id| self.wanted[usize::from(id)];
                        skim(log, at..until, self.base, &self.plain, is_wanted, &mut lists)
                    }
                };
                if at < until {
                    at = self.step(at, &mut lists);
                }
            }
            (0..=255).for_each(|id| self.hand_over(id, &mut lists));
            self.base = at;
        }
        self.index.kinds.iter_mut().for_each(|kind| kind.offsets.sort());
        self.index
    }

    /// What stands at `at`, whatever it is; returns where it ends.
    fn step(&mut self, at: usize, lists: &mut Lists) -> usize {
        match self.lessons.framing.step::<true>(self.log, at) {
            Step::Record { id, end, suspect } => {
                let payload = at + Definition::HEADER_LENGTH;
                let bytes = self.log.get(payload..end).unwrap_or_default();
                let lesson = self.lessons.learn(id, bytes);
                if let Some(kind) = self.index.kinds.get(self.kind_of[usize::from(id)])
                    && let definition = kind.definition(self.log)
                    && matches!(definition.name(), "UNIT" | "MULT")
                {
                    self.declare(bytes, &definition);
                }
                let is_read_by_itself = lesson.as_ref().is_some_and(Lesson::is_of_fmt);
                if !is_read_by_itself {
                    self.note(id, at, lists);
                }
                if suspect {
                    self.index.suspects.push(at);
                }
                if let Some(lesson) = lesson {
                    self.hand_over(lesson.id(), lists);
                    self.learn(&lesson, payload);
                    self.wanted[usize::from(lesson.id())] = self.is_wanted(lesson.id());
                    self.plain = self.plain_lengths();
                }
                if is_read_by_itself {
                    self.note(id, at, lists);
                }
                end
            }
            Step::Skip { end, reason, .. } => self.skip(at, end, reason),
            // A log that has ended is never undecided.
            Step::More => self.skip(at, self.log.len(), Reason::NoHeader),
        }
    }

    /// Lengths of the records that say nothing of others, neither definitions nor units.
    fn plain_lengths(&self) -> PlainLengths {
        let mut lengths = self.lessons.plain_lengths();
        for (length, kind) in lengths.iter_mut().zip(self.kind_of) {
            let name = self.index.kinds.get(kind).map(|kind| kind.definition(self.log).name());
            if matches!(name, Some("UNIT" | "MULT")) {
                *length = 0;
            }
        }
        lengths
    }

    /// Takes a record into the lists.
    fn note(&self, id: u8, at: usize, lists: &mut Lists) {
        if self.wanted[usize::from(id)] {
            lists[usize::from(id)].push((at - self.base) as u32);
        }
    }

    fn skip(&mut self, offset: usize, end: usize, reason: Reason) -> usize {
        self.index.skipped.push(Skipped { offset, length: end - offset, reason });
        end
    }

    fn is_wanted(&self, id: u8) -> bool {
        let kind = self.index.kinds.get(self.kind_of[usize::from(id)]);
        kind.is_some_and(|kind| self.only.is_none_or(|names| names.contains(&kind.definition(self.log).name())))
    }

    fn hand_over(&mut self, id: u8, lists: &mut Lists) {
        let offsets = std::mem::take(&mut lists[usize::from(id)]);
        if let Some(kind) = self.index.kinds.get_mut(self.kind_of[usize::from(id)]) {
            kind.offsets.append(self.base, offsets);
        }
    }

    /// `payload` is where the lesson's stands.
    #[cold]
    fn learn(&mut self, lesson: &Lesson<'_>, payload: usize) {
        let current = self.kind_of[usize::from(lesson.id())];
        self.kind_of[usize::from(lesson.id())] = match lesson {
            Lesson::Fmt(fmt) => match self.index.kinds.get(current) {
                // ArduPilot repeats identical FMTs without their FMTU.
                Some(kind) if kind.definition(self.log).is_defined_by(fmt) => current,
                // It gives way to the log's own, which has a label less in old firmware.
                Some(kind) if self.is_made_up(kind) && fmt[2..6] == FMT_OF_FMT[2..6] => {
                    self.by_key.remove(&self.key(None, None));
                    self.index.kinds[current].fmt = Some(payload);
                    *self.by_key.entry(self.key(Some(payload), None)).or_insert(current)
                }
                // What was defined before is repeated, its FMTU with it or not.
                _ => match self.by_fmt.get(&fmt[1..]) {
                    Some(&known) => known,
                    None => self.kind(Some(payload), None),
                },
            },
            Lesson::Fmtu(_) => match self.index.kinds.get(current) {
                None => NO_KIND,
                Some(kind) => {
                    let (fmt, is_new) = (kind.fmt, kind.fmtu.is_none());
                    let key = self.key(fmt, Some(payload));
                    match self.by_key.get(&key) {
                        Some(&known) => known,
                        // Its first FMTU is also for the records before it.
                        None if is_new && self.kind_of.iter().filter(|&&kind| kind == current).count() == 1 => {
                            self.by_key.remove(&self.key(fmt, None));
                            self.index.kinds[current].fmtu = Some(payload);
                            self.by_key.insert(key, current);
                            current
                        }
                        None => self.kind(fmt, Some(payload)),
                    }
                }
            },
        };
        let new = self.kind_of[usize::from(lesson.id())];
        if let Some(kind) = self.index.kinds.get(new) {
            self.by_fmt.insert(kind.definition(self.log).without_ids().0, new);
        }
    }

    /// The kind of a definition, which may be a new one.
    fn kind(&mut self, fmt: Option<usize>, fmtu: Option<usize>) -> usize {
        let Index { kinds, by_name, .. } = &mut self.index;
        let kind = Kind { fmt, fmtu, offsets: Offsets::default() };
        let definition = kind.definition(self.log);
        let (fmt, fmtu) = definition.without_ids();
        *self.by_key.entry((fmt, fmtu.map(|fmtu| (fmtu, self.redeclared)))).or_insert_with(|| {
            by_name.entry(definition.name().into()).or_default().push(kinds.len());
            kinds.push(kind);
            kinds.len() - 1
        })
    }

    /// Whether a kind is FMT as it stands in no log, of which there are no records either.
    fn is_made_up(&self, kind: &Kind) -> bool {
        kind.fmt.is_none() && kind.fmtu.is_none() && kind.offsets.len() == 0
    }

    fn key(&self, fmt: Option<usize>, fmtu: Option<usize>) -> Key {
        let (fmt, fmtu) = Kind { fmt, fmtu, offsets: Offsets::default() }.definition(self.log).without_ids();
        (fmt, fmtu.map(|fmtu| (fmtu, self.redeclared)))
    }

    /// Takes note of a UNIT or MULT record: a log of two boots may mean other units by the same ids.
    fn declare(&mut self, payload: &'a [u8], definition: &LoggedDefinition<'a>) {
        let cell = |label| {
            definition.column(label).and_then(|column| payload.get(column.offset..)?.get(..column.format.size()))
        };
        let (Some(id), Some(value)) = (cell("Id"), cell("Label").or_else(|| cell("Mult"))) else { return };
        if self.declared.insert((definition.name(), id), value).is_some_and(|before| before != value) {
            self.redeclared += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LogSchema, LogWriter, Records, messages};

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

    /// Offsets of four bytes are as good in a log that they don't reach the end of.
    #[test]
    fn offsets_have_any_reach() {
        let log = log();
        let offsets = |index: &Index, name: &str| {
            let kind = index.kinds.iter().find(|kind| kind.definition(&log).name() == name).expect("a kind");
            kind.offsets.iter().collect::<Vec<_>>()
        };
        let near = Builder::new(&log, None).build::<1000>();
        let far = Index::new(&log);
        for name in ["EV", "ERR", "FMT", "UNIT"] {
            let records = Records::new(&log).flatten().filter(|record| record.name() == name);
            let expected: Vec<_> = records.map(|record| record.offset()).collect();
            assert!(!expected.is_empty());
            assert_eq!(offsets(&near, name), expected, "{name}");
            assert_eq!(offsets(&far, name), expected, "{name}");
            let only = Builder::new(&log, Some(&[name])).build::<1000>();
            assert_eq!(offsets(&only, name), expected, "{name}");
            assert_eq!(only.kinds.iter().map(|kind| kind.offsets.len()).sum::<usize>(), expected.len());
        }
        assert!(near.kinds.iter().any(|kind| kind.offsets.parts().len() > 10));
    }
}
