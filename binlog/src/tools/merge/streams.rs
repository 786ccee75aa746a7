//! The records of several logs, in the order of their times.

use super::ids::Ids;
use crate::format::header::record_header;
use crate::read::descriptions::is_description;
use crate::read::learner::Learner;
use crate::read::{Log, LoggedDefinition, Record, Records, Skipped};

/// The records of several logs, as the merged log has them.
pub(super) struct Streams<'a> {
    ids: &'a Ids,
    streams: Vec<Stream<'a>>,
    is_begun: bool,
}

/// A record of the merged log.
pub(super) struct Merging {
    pub(super) bytes: Vec<u8>,
    /// Its time; of a record without one, that of the last one with a time.
    pub(super) time_us: u64,
    /// Whether other logs may have the same record among those of another time.
    pub(super) is_in_each_part: bool,
    /// Whether it is a piece of the embedded descriptions.
    pub(super) is_description: bool,
    /// Whether it has a time of its own.
    pub(super) is_timed: bool,
}

struct Stream<'a> {
    records: Records<'a>,
    learner: Learner,
    /// By id, of the definition in force.
    targets: [Option<Target>; 256],
    /// The next record that isn't a definition, with its time.
    next: Option<(u64, Record<'a>)>,
    time_us: u64,
}

/// What becomes of the records of one definition.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Target {
    /// They are definitions, which the merged log has already.
    LeftOut,
    Copied {
        id: u8,
        /// The offset of a column with the id of a type.
        type_id: Option<usize>,
    },
}

impl<'a> Streams<'a> {
    pub(super) fn new(logs: &[&'a Log<'a>], ids: &'a Ids) -> Self {
        let stream = |log: &&'a Log<'a>| Stream {
            records: log.records(),
            learner: Learner::new(),
            targets: [None; 256],
            next: None,
            time_us: 0,
        };
        Streams { ids, streams: logs.iter().map(stream).collect(), is_begun: false }
    }

    /// The next record, and the log that it is from. `skipped` is called with the stretches that are left out.
    pub(super) fn next(&mut self, mut skipped: impl FnMut(usize, Skipped)) -> Option<(usize, Merging)> {
        if !std::mem::replace(&mut self.is_begun, true) {
            for (log, stream) in self.streams.iter_mut().enumerate() {
                stream.advance(self.ids, |stretch| skipped(log, stretch));
            }
        }
        let time = |(log, stream): (usize, &Stream<'_>)| Some((stream.next.as_ref()?.0, log));
        let (_, log) = self.streams.iter().enumerate().filter_map(time).min()?;
        let stream = self.streams.get_mut(log)?;
        let merging = stream.merging(self.ids)?;
        stream.advance(self.ids, |stretch| skipped(log, stretch));
        Some((log, merging))
    }
}

impl Stream<'_> {
    /// Advances to the next record that isn't a definition.
    fn advance(&mut self, ids: &Ids, mut skipped: impl FnMut(Skipped)) {
        self.next = None;
        for item in self.records.by_ref() {
            let record = match item {
                Ok(record) => record,
                Err(stretch) => {
                    skipped(stretch);
                    continue;
                }
            };
            if let Some(declaration) = self.learner.learn(record.id(), record.payload()) {
                self.targets[usize::from(declaration.id())] = None;
                continue;
            }
            let target = self.targets[usize::from(record.id())];
            let target = target.unwrap_or_else(|| Target::of(&record.definition(), ids));
            self.targets[usize::from(record.id())] = Some(target);
            if target != Target::LeftOut {
                self.time_us = record.time_us().unwrap_or(self.time_us);
                self.next = Some((self.time_us, record));
                return;
            }
        }
    }

    /// The next record as the merged log has it.
    fn merging(&self, ids: &Ids) -> Option<Merging> {
        let (time_us, record) = self.next.as_ref()?;
        let Some(Target::Copied { id, type_id }) = self.targets[usize::from(record.id())] else {
            return None;
        };
        let mut bytes = record_header(id).to_vec();
        bytes.extend(record.payload());
        let slot = type_id.and_then(|at| bytes.get_mut(record_header(id).len() + at));
        if let Some(slot) = slot
            && let Some(id) = self.records.definition(*slot).and_then(|definition| ids.id(definition.name()))
        {
            *slot = id;
        }
        Some(Merging {
            bytes,
            time_us: *time_us,
            is_in_each_part: is_in_each_part(record),
            is_description: record.name() == "FILE" && is_description(record),
            is_timed: record.time_us().is_some(),
        })
    }
}

/// Whether each part that was cut out of a log has its own copy of a record.
pub(super) fn is_in_each_part(record: &Record<'_>) -> bool {
    match record.name() {
        "PARM" | "MSG" | "MODE" | "VER" | "ARM" | "EV" => true,
        "FILE" => is_description(record),
        _ => false,
    }
}

impl Target {
    fn of(definition: &LoggedDefinition<'_>, ids: &Ids) -> Self {
        let name = definition.name();
        let Some(id) = ids.id(name) else { return Target::LeftOut };
        // `Dropped` of `messages` counts by the id of a type.
        let column = definition.column("Id").filter(|column| name == "DROP" && column.format.size() == 1);
        Target::Copied { id, type_id: column.map(|column| column.offset) }
    }
}
