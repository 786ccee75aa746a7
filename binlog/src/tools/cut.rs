// Held by tests/tests/tools/cuts.rs.

//! Cuts a part out of a log: by time, by type, or both.
//!
//! The part is a log of its own. Its records are copies, byte for byte, in the order of the log. It also has what
//! readers need to understand them:
//!
//! - all definitions: FMT, FMTU, UNIT and MULT; of boots without an interval, only those that later boots need,
//! - each parameter's last value before an interval (PARM), the last MODE, VER, ARM and event (EV) of arming before it,
//!   the texts (MSG) that name the firmware, and the embedded descriptions, in front of the interval's first record.
//!   They are in the part even if their types are left out. Any text may name the firmware, so the part has the texts
//!   of the boot's first second, and later ones with a version (`Falcon V1.0`) or the name of a vehicle.
//!
//! Times of 32 bits begin again at 0 after 71.6 minutes, and no record says how often they have. So that they are read
//! as in the log, a part that begins after such a wrap has a few records from either side of it and one in nine minutes
//! from before its beginning, of the chosen types.
//! [`Part::misread_times`] counts the records whose times are off by a multiple of 71.6 minutes nevertheless.
//!
//! ```
//! use binlog::{Log, LogSchema, LogWriter, cut::Cut, messages};
//!
//! #[derive(LogSchema)]
//! enum FlightLog {
//!     Ev(messages::Ev),
//!     Parm(messages::Parm),
//! }
//!
//! let mut writer = LogWriter::<FlightLog, _>::new(Vec::new())?;
//! writer.parameter(0, "RATE", 50.0, None)?;
//! for second in 0..10_u8 {
//!     writer.write(&messages::Ev { time_us: u64::from(second) * 1_000_000, id: second })?;
//! }
//! let log = Log::from_bytes(writer.finish()?);
//!
//! let mut part = Vec::new();
//! Cut::new().during([2_000_000..5_000_000]).write(&log, &mut part)?;
//! let part = Log::from_bytes(part);
//! assert_eq!(part.rows("EV")?.len(), 3);
//! assert_eq!(part.parameters()["RATE"].last(), 50.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Blackbox logs
//!
//! [`Cut::write_blackbox`] copies the frames and events of the intervals. Each part of a session begins with the last I
//! frame at or before the interval, because P frames refer to the frames before them. After it are the slow and home
//! frames that apply there. Headers are copied, and sessions without a frame in their intervals are left out.
//!
//! A Resume event precedes the I frame where frames are left out in the middle of a session. A few of them precede the
//! first one of a part that begins after 71.6 minutes, so that its times are those of the log. Each session ends with
//! an End event. What is damaged isn't in the part.

#[cfg(feature = "blackbox")]
mod blackbox;
mod wraps;

#[cfg(feature = "blackbox")]
pub use blackbox::BlackboxPart;

use crate::format::Value;
use crate::read::catalogue::DEFINITIONS;
use crate::read::catalogue::declaration::Declaration;
use crate::read::descriptions::is_description;
use crate::read::learner::Learner;
use crate::read::log::{EVENT_ARMED, EVENT_DISARMED, names_vehicle};
use crate::read::records::wraps::OwnTime;
use crate::read::{Log, LoggedDefinition, Record, Skipped};
use std::collections::{BTreeSet, HashMap};
use std::io::{self, Write};
use std::ops::Range;
use wraps::Wrapping;

/// Which part of a log [`write`](Cut::write) copies: everything, unless intervals or types are chosen.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[must_use]
pub struct Cut {
    times: Times,
    types: Types,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
enum Times {
    #[default]
    All,
    /// In each boot.
    Same(Vec<Range<u64>>),
    /// By boot.
    ByBoot(Vec<Vec<Range<u64>>>),
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
enum Types {
    #[default]
    All,
    Only(BTreeSet<String>),
    Without(BTreeSet<String>),
}

/// What [`Cut::write`] has written.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Part {
    definitions: u64,
    chosen: u64,
    carried: u64,
    misread_times: u64,
    skipped: Vec<Skipped>,
}

impl Part {
    /// Records that define types or units.
    pub fn definitions(&self) -> u64 {
        self.definitions
    }

    /// Records of the chosen intervals and types.
    pub fn chosen(&self) -> u64 {
        self.chosen
    }

    /// Records from before an interval that say what applies at its beginning, or show how often times have wrapped.
    pub fn carried(&self) -> u64 {
        self.carried
    }

    /// Records of the part, chosen and carried, whose times of 32 bits are off by a multiple of 71.6 minutes in it: the
    /// log has too few records of the chosen types beside a wrap to show it.
    pub fn misread_times(&self) -> u64 {
        self.misread_times
    }

    /// Stretches of the whole log that contain no records, so that the part lacks them.
    pub fn skipped(&self) -> &[Skipped] {
        &self.skipped
    }
}

impl Cut {
    /// Everything.
    pub fn new() -> Self {
        Cut::default()
    }

    /// Only records in these intervals of time, in microseconds since boot. A record without a time has that of the
    /// last record before it, or else of the first one after it. In a log of several [boots](Log::boots), the intervals
    /// apply to each of them.
    pub fn during(mut self, intervals: impl IntoIterator<Item = Range<u64>>) -> Self {
        self.times = Times::Same(intervals.into_iter().collect());
        self
    }

    /// As [`during`](Cut::during), with intervals for each [boot](Log::boots). Boots without intervals, and those
    /// beyond the last entry, are left out with their definitions, unless that would leave out all.
    pub fn during_boots(mut self, boots: impl IntoIterator<Item = Vec<Range<u64>>>) -> Self {
        self.times = Times::ByBoot(boots.into_iter().collect());
        self
    }

    /// Only types with these names.
    pub fn types(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.types = Types::Only(names.into_iter().map(Into::into).collect());
        self
    }

    /// Only types other than those with these names.
    pub fn without(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.types = Types::Without(names.into_iter().map(Into::into).collect());
        self
    }

    /// Writes the part. It is one pass over the log, and one more to find its boots.
    ///
    /// # Errors
    ///
    /// Errors of the writer.
    pub fn write(&self, log: &Log<'_>, mut out: impl Write) -> io::Result<Part> {
        let mut writing = Writing {
            bytes: log.bytes(),
            whole: 0..0,
            kinds: [None; 256],
            state: HashMap::new(),
            left_out: HashMap::new(),
            wraps: Wrapping::default(),
            part: Part::default(),
        };
        let boots: Vec<Range<usize>> = log.boots().map(|boot| boot.range()).collect();
        let mut boots = boots.into_iter().enumerate().peekable();
        let mut learner = Learner::new();
        let (mut boot, mut start_us, mut time_us) = (0, 0, 0);
        for item in log.records() {
            let record = match item {
                Ok(record) => record,
                Err(skipped) => {
                    writing.part.skipped.push(skipped);
                    continue;
                }
            };
            while let Some((i, range)) = boots.next_if(|(_, range)| range.start <= record.offset()) {
                boot = i;
                start_us = first_time(log.bytes().get(range).unwrap_or_default());
                time_us = start_us;
                writing.state.clear();
                writing.wraps.begin();
            }
            let declaration = learner.learn(record.id(), record.payload());
            let is_left_out = self.leaves_out(boot);
            if let Some(declaration) = declaration {
                // What applies in a boot that is left out is of no use after it.
                if is_left_out {
                    writing.state.clear();
                }
                // Records of the id that come before must not be read by another definition.
                writing.carry(|record| record.id == declaration.id(), None, &mut out)?;
                writing.wraps.declare(&declaration);
                writing.kinds[usize::from(declaration.id())] = None;
            }
            let definition = record.definition();
            let kind = *writing.kinds[usize::from(record.id())].get_or_insert_with(|| self.kind(&definition));
            if declaration.is_some() || kind == Kind::Definition {
                if is_left_out {
                    if let Some(declaration) = declaration {
                        writing.leave_out(&record, &declaration);
                    }
                    continue;
                }
                if let Some(declaration @ Declaration::Fmt(_)) = declaration {
                    writing.left_out.remove(&declaration.id());
                }
                writing.part.definitions += 1;
                writing.copy(&record, &mut out)?;
                continue;
            }
            time_us = record.time_us().unwrap_or(time_us);
            let key = state_key(&record, kind, time_us.saturating_sub(start_us) < STARTING_US);
            writing.record(&record, kind, key, self.is_during(boot, time_us), &mut out)?;
        }
        writing.flush(&mut out)?;
        out.flush()?;
        Ok(writing.part)
    }

    fn is_during(&self, boot: usize, time_us: u64) -> bool {
        let intervals = match &self.times {
            Times::All => return true,
            Times::Same(intervals) => Some(intervals),
            Times::ByBoot(boots) => boots.get(boot),
        };
        intervals.is_some_and(|intervals| intervals.iter().any(|interval| interval.contains(&time_us)))
    }

    /// Whether the part has nothing of the boot.
    fn leaves_out(&self, boot: usize) -> bool {
        let Times::ByBoot(boots) = &self.times else { return false };
        boots.get(boot).is_none_or(Vec::is_empty) && !boots.iter().all(Vec::is_empty)
    }

    fn kind(&self, definition: &LoggedDefinition<'_>) -> Kind {
        let name = definition.name();
        let is_chosen = match &self.types {
            Types::All => true,
            Types::Only(names) => names.contains(name),
            Types::Without(names) => !names.contains(name),
        };
        match name {
            name if DEFINITIONS.contains(&name) => Kind::Definition,
            "PARM" => Kind::Parameter,
            "MODE" | "VER" | "ARM" => Kind::State,
            "EV" => Kind::Event { is_chosen },
            "MSG" => Kind::Text { is_chosen },
            "FILE" => Kind::File { is_chosen },
            _ => Kind::Other { is_chosen },
        }
    }
}

/// What a record is to a cut.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Definition,
    /// The last one of each parameter applies.
    Parameter,
    /// The last one applies.
    State,
    /// The last one that arms or disarms applies.
    Event {
        is_chosen: bool,
    },
    /// Those that may name the firmware apply to the whole log.
    Text {
        is_chosen: bool,
    },
    /// The descriptions of the log apply to the whole log.
    File {
        is_chosen: bool,
    },
    Other {
        is_chosen: bool,
    },
}

/// What applies until a record with the same key replaces it: the id of the type, and a name within it.
type StateKey = (u8, Vec<u8>);

/// A record of the log that is not written yet.
#[derive(Clone, Copy)]
struct Place {
    id: u8,
    offset: usize,
    length: usize,
    time: Option<OwnTime>,
    /// How often times of 32 bits have wrapped before.
    wraps: u32,
}

impl Place {
    fn of(record: &Record<'_>) -> Self {
        let time = OwnTime::of(&record.definition(), record.payload());
        Place { id: record.id(), offset: record.offset(), length: record.len(), time, wraps: record.wraps() }
    }
}

struct Writing<'c> {
    bytes: &'c [u8],
    /// Records that are next to one another in the log, to be written at once.
    whole: Range<usize>,
    /// By id, of the definition in force.
    kinds: [Option<Kind>; 256],
    /// What applies and the part lacks.
    state: HashMap<StateKey, Place>,
    /// By id, the FMT and FMTU in force that are in a boot that is left out.
    left_out: HashMap<u8, Vec<Place>>,
    wraps: Wrapping,
    part: Part,
}

impl Writing<'_> {
    fn record(
        &mut self,
        record: &Record<'_>,
        kind: Kind,
        key: Option<StateKey>,
        is_during: bool,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let is_chosen = match kind {
            Kind::Text { is_chosen }
            | Kind::File { is_chosen }
            | Kind::Event { is_chosen }
            | Kind::Other { is_chosen } => is_chosen || key.is_some(),
            Kind::Definition | Kind::Parameter | Kind::State => true,
        };
        let followed = (is_chosen && self.wraps.is_needed()).then(|| Place::of(record));
        if !is_during {
            if let Some(place) = followed {
                self.wraps.pass(place);
            }
            if let Some(key) = key {
                self.state.insert(key, Place::of(record));
            }
            return Ok(());
        }
        if !is_chosen {
            return Ok(());
        }
        self.carry(|_| true, followed.as_ref(), out)?;
        self.part.chosen += 1;
        if let Some(place) = followed {
            self.part.misread_times += u64::from(!self.wraps.write(&place));
        }
        self.define(record.id(), out)?;
        self.copy(record, out)
    }

    /// Writes what applies, in the order of the log: before a chosen record whose time may have wrapped, or before a
    /// definition.
    fn carry(
        &mut self,
        is_due: impl Fn(&Place) -> bool,
        chosen: Option<&Place>,
        out: &mut impl Write,
    ) -> io::Result<()> {
        if self.state.is_empty() && chosen.is_none() {
            return Ok(());
        }
        let mut due: Vec<Place> = self.state.extract_if(|_, place| is_due(place)).map(|(_, place)| place).collect();
        due.sort_unstable_by_key(|place| place.offset);
        if let Some(chosen) = chosen {
            self.wraps.show(&mut due, chosen);
        }
        for place in due {
            self.part.carried += 1;
            self.part.misread_times += u64::from(!self.wraps.write(&place));
            self.define(place.id, out)?;
            self.copy_range(place.offset..place.offset + place.length, out)?;
        }
        Ok(())
    }

    /// A definition in a boot that is left out. Later boots define their types again, but need not.
    fn leave_out(&mut self, record: &Record<'_>, declaration: &Declaration<'_>) {
        let of_id = self.left_out.entry(declaration.id()).or_default();
        // An FMT replaces all, an FMTU the FMTU before it.
        of_id.truncate(usize::from(matches!(declaration, Declaration::Fmtu(..))));
        of_id.push(Place::of(record));
    }

    /// Writes the definition of an id that the part lacks.
    fn define(&mut self, id: u8, out: &mut impl Write) -> io::Result<()> {
        if self.left_out.is_empty() {
            return Ok(());
        }
        for Place { offset, length, .. } in self.left_out.remove(&id).into_iter().flatten() {
            self.part.definitions += 1;
            self.copy_range(offset..offset + length, out)?;
        }
        Ok(())
    }

    fn copy(&mut self, record: &Record<'_>, out: &mut impl Write) -> io::Result<()> {
        self.copy_range(record.offset()..record.offset() + record.len(), out)
    }

    fn copy_range(&mut self, range: Range<usize>, out: &mut impl Write) -> io::Result<()> {
        if self.whole.end != range.start {
            self.flush(out)?;
            self.whole.start = range.start;
        }
        self.whole.end = range.end;
        Ok(())
    }

    fn flush(&mut self, out: &mut impl Write) -> io::Result<()> {
        let whole = std::mem::replace(&mut self.whole, 0..0);
        out.write_all(self.bytes.get(whole).unwrap_or_default())
    }
}

/// A boot's texts of this time are about the firmware.
const STARTING_US: u64 = 1_000_000;

/// What a record replaces, if it says something that applies from then on. `is_starting` says whether the boot has just
/// begun.
fn state_key(record: &Record<'_>, kind: Kind, is_starting: bool) -> Option<StateKey> {
    let text = |label| record.value(label).as_ref().and_then(Value::text);
    let name = match kind {
        Kind::Parameter => text("Name")?.as_bytes().to_vec(),
        Kind::State => Vec::new(),
        Kind::Text { .. } => {
            // Parts of a long text may be equal.
            let part = ["ID", "Seq"].map(|label| record.value(label).and_then(|value| value.to_integer()).unwrap_or(0));
            let text = text("Message")?;
            let name = text.to_string();
            if !is_starting && !names_vehicle(&name) {
                return None;
            }
            [text.as_bytes(), &part.map(|part| part as u8)].concat()
        }
        Kind::File { .. } => {
            let offset = record.value("Offset")?.to_integer()?;
            is_description(record).then(|| offset.to_le_bytes().to_vec())?
        }
        Kind::Event { .. } => {
            let id = record.value("Id").and_then(|id| id.to_integer());
            id.filter(|id| [EVENT_ARMED, EVENT_DISARMED].map(i128::from).contains(id))?;
            Vec::new()
        }
        Kind::Definition | Kind::Other { .. } => return None,
    };
    Some((record.id(), name))
}

/// The first time of a boot's records; 0 without times.
fn first_time(boot: &[u8]) -> u64 {
    let records = crate::read::records::Records::new(boot).flatten();
    records.filter(|record| !DEFINITIONS.contains(&record.name())).find_map(|record| record.time_us()).unwrap_or(0)
}
