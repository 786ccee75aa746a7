// Held by tests/tests/tools/anonymised.rs.

//! Anonymises logs: copies that can be shared, because they don't show where, by whom and with which vehicle they were
//! recorded.
//!
//! All positions are moved to a random place, another one for each copy. Distances stay, as do metres north and east to
//! 1 in 10^4 within 10 km of the first position. For that, the latitude moves by 7 degrees at most: where meridians
//! converge more or less, north turns. Beyond 70° of latitude it may move by more, and only distances stay to that
//! precision. The longitude moves by any angle of more than 20 degrees. Each column keeps its resolution.
//!
//! A position of 0, 0 means that there is none, and stays. One that is more than 1000 km from the first becomes 0, 0:
//! if somebody knows it, such as the default of a parameter, it would tell where the others were.
//!
//! Positions are found by the format `L`, by the units of latitude and longitude, by labels, names of parameters, and
//! names of Blackbox fields, and in columns of integers and doubles that have nothing but such numbers. Named ones that
//! can't be moved, such as in metres, become 0. What else tells something is a [`Kind`]: most are removed unless they
//! are kept, heights and dates stay unless they are dropped. Of all logs, damaged stretches, padding, records
//! without a definition and bytes after the end of a text are removed.
//!
//! What stays are numbers without a known meaning, and what the vehicle measures. Some of it hints at a place: the
//! magnetometer at the latitude, the profile of heights at the ground below, and the date and time, with light and
//! weather, at the region. Calibrations are the same in all logs of a vehicle. Drop their types if this matters.
//!
//! ```
//! use binlog::anonymise::{Anonymise, Kind};
//! use binlog::{Log, LogSchema, LogWriter, messages::Msg};
//!
//! #[derive(LogSchema)]
//! enum FlightLog {
//!     Msg(Msg),
//! }
//!
//! let mut writer = LogWriter::<FlightLog, _>::new(Vec::new())?;
//! writer.text(0, "Falcon V1.0")?;
//! writer.text(1_000_000, "Take-off beside the barn")?;
//! let log = Log::from_bytes(writer.finish()?);
//!
//! let secret = [0; 16]; // in a program: bytes of the system's random source, for this copy only
//! let mut shared = Vec::new();
//! let report = Anonymise::new().drop_kind(Kind::Dates).write(&log, secret, &mut shared)?;
//! assert_eq!(report.removed(), [(Kind::Texts, 1)]);
//! let texts = Log::from_bytes(shared).texts();
//! assert_eq!(texts.iter().map(|text| text.text.as_str()).collect::<Vec<_>>(), ["Falcon V1.0"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(feature = "blackbox")]
mod blackbox;
mod kind;
mod names;
mod place;
mod plan;
mod unnamed;

#[cfg(feature = "blackbox")]
pub use blackbox::AnonymisedBlackbox;
pub use kind::Kind;
pub use names::matches;

use crate::format::header::{FMT_ID, HEAD_BYTES};
use crate::format::{Definition, Value};
use crate::read::catalogue::definition::{FmtContent, LoggedDefinition};
use crate::read::catalogue::units::UnitsAt;
use crate::read::learner::Learner;
use crate::read::{Log, Record, Skipped};
use names::Axis;
use place::{Place, Position};
use plan::{Cells, Plan, Text};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::{self, Write};

/// What is kept and dropped.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[must_use]
pub struct Anonymise {
    kept: BTreeSet<Kind>,
    dropped: BTreeSet<Kind>,
    kept_names: BTreeSet<String>,
    dropped_types: BTreeSet<String>,
}

/// What [`Anonymise::write`] has done.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Anonymised {
    records: u64,
    positions: u64,
    elsewhere: u64,
    removed: BTreeMap<Kind, u64>,
    values: BTreeMap<Kind, u64>,
    dropped: u64,
    skipped: Vec<Skipped>,
    suspects: u64,
}

impl Anonymised {
    /// Records of the copy.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// Positions that were moved.
    pub fn positions(&self) -> u64 {
        self.positions
    }

    /// Positions that became 0, 0, because they are more than 1000 km from the first one, or not on the earth, and
    /// coordinates of parameters whose other one isn't there.
    pub fn elsewhere(&self) -> u64 {
        self.elsewhere
    }

    /// The records that the copy lacks, by what was removed with them.
    pub fn removed(&self) -> Vec<(Kind, u64)> {
        self.removed.iter().map(|(kind, count)| (*kind, *count)).collect()
    }

    /// The numbers that became 0 and the texts that were cut in the records of the copy, by why.
    pub fn values(&self) -> Vec<(Kind, u64)> {
        self.values.iter().map(|(kind, count)| (*kind, *count)).collect()
    }

    /// Records that the copy lacks because their types were dropped.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Stretches of the log that contain no records, so that the copy lacks them.
    pub fn skipped(&self) -> &[Skipped] {
        &self.skipped
    }

    /// Records that the copy lacks because their end may be damaged.
    pub fn suspects(&self) -> u64 {
        self.suspects
    }
}

impl Anonymise {
    /// Removes what is removed by default.
    pub fn new() -> Self {
        Anonymise::default()
    }

    /// Keeps a kind that is removed by default.
    pub fn keep_kind(mut self, kind: Kind) -> Self {
        self.kept.insert(kind);
        self
    }

    /// Keeps all but the positions of a type, with its texts and the coordinates that can't be moved, or a parameter.
    /// `*` in the name stands for any text, `?` for a character.
    pub fn keep(mut self, name: impl Into<String>) -> Self {
        self.kept_names.insert(name.into());
        self
    }

    /// Removes a kind that stays by default.
    pub fn drop_kind(mut self, kind: Kind) -> Self {
        self.dropped.insert(kind);
        self
    }

    /// Leaves out the records of a type.
    pub fn drop_type(mut self, name: impl Into<String>) -> Self {
        self.dropped_types.insert(name.into());
        self
    }

    /// Writes a copy of a log. `secret` draws the place of its positions: 16 bytes of the system's random source, for
    /// this copy only. Whoever knows them knows the places. It is two passes over the log.
    ///
    /// # Errors
    ///
    /// Errors of the writer.
    pub fn write(&self, log: &Log<'_>, secret: [u8; 16], out: impl Write) -> io::Result<Anonymised> {
        let mut known = Known::of(log, self);
        let first = known.first(log);
        if let Some(first) = first {
            known.find_unnamed(log, first);
        }
        let place = first.map(|first| Place::draw(first, secret));
        let parameters = parameters(log);
        let mut plans: [Option<Plan>; 256] = [const { None }; 256];
        let mut learner = Learner::new();
        let mut writing =
            Writing { options: self, place, parameters, out, buffer: Vec::new(), done: Anonymised::default() };
        for item in log.records() {
            let record = match item {
                Ok(record) => record,
                Err(skipped) => {
                    writing.done.skipped.push(skipped);
                    continue;
                }
            };
            if let Some(declaration) = learner.learn(record.id(), record.payload()) {
                plans[usize::from(declaration.id())] = None;
            }
            let plan = &*plans[usize::from(record.id())].get_or_insert_with(|| known.plan(&record.definition()));
            writing.record(&record, plan)?;
        }
        writing.finish()
    }

    fn removes(&self, kind: Kind) -> bool {
        self.dropped.contains(&kind) || kind.is_removed() && !self.kept.contains(&kind)
    }

    fn keeps_name(&self, name: &str) -> bool {
        self.kept_names.iter().any(|pattern| matches(pattern, name))
    }

    fn removed_type(&self, name: &str) -> Option<Kind> {
        names::removed_type(name).filter(|kind| self.removes(*kind) && !self.keeps_name(name))
    }

    fn drops(&self, name: &str) -> bool {
        self.dropped_types.contains(name)
    }

    fn removed_parameter(&self, name: &str) -> Option<Kind> {
        names::removed_parameter(name).filter(|kind| self.removes(*kind) && !self.keeps_parameter(name))
    }

    fn keeps_parameter(&self, name: &str) -> bool {
        self.keeps_name(name) || self.keeps_name("PARM")
    }
}

/// The definitions of a log with their units, also those that follow the records.
struct Known<'l> {
    options: &'l Anonymise,
    /// By the contents of their FMTs, those with different units.
    definitions: HashMap<FmtContent, Vec<(LoggedDefinition<'l>, UnitsAt<'l>)>>,
    /// The positions that are found by their values, by the contents of FMTs.
    unnamed: HashMap<FmtContent, Vec<Cells>>,
    names: BTreeSet<&'l str>,
}

/// The types whose first position is that of the flight: what the GPS and the filters say.
const FIRST: [&str; 8] = ["GPS", "GPS2", "POS", "GPOS", "AHR2", "EAHR", "SIM", "ORGN"];

/// ArduPilot's GPS_OK_FIX_3D.
const FIX_3D: f64 = 3.0;

impl<'l> Known<'l> {
    fn of(log: &'l Log<'_>, options: &'l Anonymise) -> Self {
        let mut definitions: HashMap<_, Vec<_>> = HashMap::new();
        let mut names = BTreeSet::new();
        for (definition, units, _) in log.decisive_definitions() {
            definitions.entry(definition.fmt_content()).or_default().push((definition, units));
            names.insert(definition.name());
        }
        Known { options, definitions, unnamed: HashMap::new(), names }
    }

    /// The plan for the records of a definition, whose FMTU may follow them.
    fn plan(&self, definition: &LoggedDefinition<'_>) -> Plan {
        if definition.id() == FMT_ID {
            return Plan::of_fmt();
        }
        let (content, ids) = (definition.fmt_content(), definition.fmtu_content());
        let of_content = self.definitions.get(&content).into_iter().flatten();
        let is_same = |known: &LoggedDefinition<'_>| ids.is_none() || known.fmtu_content() == ids;
        let same = of_content.filter(|(known, _)| is_same(known));
        let Some((known, units)) = same.max_by_key(|(known, _)| known.fmtu_content().is_some()) else {
            // The index has read other records than these, which isn't to be expected.
            return Plan { is_dropped: true, ..Plan::default() };
        };
        let mut plan = Plan::of(known, *units, self.options);
        plan.add(self.unnamed.get(&content).map_or(&[], Vec::as_slice));
        plan
    }

    /// Finds the positions in columns that don't say that they have some.
    fn find_unnamed(&mut self, log: &Log<'_>, first: Position) {
        let rows: Vec<_> = self.names.iter().filter_map(|name| log.rows(name).ok()).collect();
        for rows in rows.iter().flat_map(|rows| rows.by_definition()) {
            let Some(definition) = rows.definitions().next() else { continue };
            let plan = self.plan(&definition);
            if !plan.is_definition && !plan.is_dropped && plan.removed.is_none() {
                let cells = unnamed::positions(&rows, first, &plan);
                self.unnamed.extend((!cells.is_empty()).then_some((definition.fmt_content(), cells)));
            }
        }
    }

    /// The first position of the flight.
    fn first(&self, log: &Log<'_>) -> Option<Position> {
        let of_flight = FIRST.into_iter().find_map(|name| self.first_of(log, name, FIX_3D));
        of_flight.or_else(|| self.names.iter().find_map(|name| self.first_of(log, name, 0.0)))
    }

    /// The first position of a type, with this fix if it says one.
    fn first_of(&self, log: &Log<'_>, name: &str, fix: f64) -> Option<Position> {
        log.rows(name).ok()?.by_definition().find_map(|rows| {
            let plan = self.plan(&rows.definitions().next()?);
            let has_fix = |record: &Record<'_>| {
                let status = record.value("Status").or_else(|| record.value("Fix"));
                status.and_then(|status| status.to_f64()).is_none_or(|status| status >= fix)
            };
            let mut records = rows.records().filter(has_fix).take_while(|_| !plan.positions.is_empty());
            records
                .find_map(|record| plan.positions.iter().find_map(|cells| Place::first(cells.read(record.payload())?)))
        })
    }
}

/// The last coordinates in parameters, by which of both they are and the rest of their names.
type Parameters = BTreeMap<(Axis, String), f64>;

fn parameters(log: &Log<'_>) -> Parameters {
    let Ok(rows) = log.rows("PARM") else { return Parameters::new() };
    let records = rows.records();
    let coordinate = |record: Record<'_>| {
        let name = record.value("Name")?.text()?.to_string();
        Some((names::coordinate(&name)?, record.value("Value")?.to_f64()?))
    };
    records.filter_map(coordinate).collect()
}

/// The number of bytes that are gathered before they are written.
const BUFFER: usize = 64 * 1024;

struct Writing<'w, W> {
    options: &'w Anonymise,
    place: Option<Place>,
    parameters: Parameters,
    out: W,
    buffer: Vec<u8>,
    done: Anonymised,
}

impl<W: Write> Writing<'_, W> {
    fn record(&mut self, record: &Record<'_>, plan: &Plan) -> io::Result<()> {
        if let Some(kind) = plan.removed {
            self.removed(kind);
            return Ok(());
        }
        if plan.is_dropped {
            self.done.dropped += 1;
            return Ok(());
        }
        // Its columns may have what belongs to others. Without a definition, more would be lost.
        if record.is_suspect() && !plan.is_definition {
            self.done.suspects += 1;
            return Ok(());
        }
        let start = self.buffer.len();
        let [head_0, head_1] = HEAD_BYTES;
        self.buffer.extend_from_slice(&[head_0, head_1, record.id()]);
        self.buffer.extend_from_slice(record.payload());
        if !plan.is_copy() {
            let payload = self.buffer.get_mut(start + Definition::HEADER_LENGTH..).unwrap_or_default();
            let removed = match edit(payload, plan, self.place.as_ref(), &mut self.done) {
                None => self.parameter(record, plan, start),
                removed => removed,
            };
            if let Some(kind) = removed {
                self.buffer.truncate(start);
                self.removed(kind);
                return Ok(());
            }
        }
        self.done.records += 1;
        if self.buffer.len() >= BUFFER { self.flush() } else { Ok(()) }
    }

    fn removed(&mut self, kind: Kind) {
        *self.done.removed.entry(kind).or_default() += 1;
    }

    /// Moves the coordinate in a parameter. Returns why the record is left out, if it is.
    fn parameter(&mut self, record: &Record<'_>, plan: &Plan, start: usize) -> Option<Kind> {
        let columns = plan.parameter.as_ref()?;
        let name = Value::of(columns.name_format, record.payload().get(columns.name.clone())?)?.text()?.to_string();
        if let Some(kind) = self.options.removed_parameter(&name) {
            return Some(kind);
        }
        let (axis, stem) = names::coordinate(&name)?;
        let Some(values) = &columns.values else {
            let is_kept = self.options.keeps_parameter(&name) || !self.options.removes(Kind::Coordinates);
            return (!is_kept).then_some(Kind::Coordinates);
        };
        let payload = self.buffer.get_mut(start + Definition::HEADER_LENGTH..)?;
        for cell in &columns.defaults {
            cell.write(payload, 0.0, 1.0);
        }
        let other = match axis {
            Axis::Latitude => Axis::Longitude,
            Axis::Longitude => Axis::Latitude,
        };
        let other = self.parameters.get(&(other, stem)).copied();
        for cell in values {
            let Some((degrees, step)) = cell.read(payload).filter(|(degrees, _)| *degrees != 0.0) else { continue };
            let moved = self.place.as_ref().zip(other).and_then(|(place, other)| match axis {
                Axis::Latitude => place.moved([degrees, other]).map(|[latitude, _]| latitude),
                Axis::Longitude => place.moved([other, degrees]).map(|[_, longitude]| longitude),
            });
            self.done.positions += u64::from(moved.is_some());
            self.done.elsewhere += u64::from(moved.is_none());
            cell.write(payload, moved.unwrap_or(0.0), step);
        }
        None
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.write_all(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }

    fn finish(mut self) -> io::Result<Anonymised> {
        self.flush()?;
        self.out.flush()?;
        Ok(self.done)
    }
}

/// Changes a payload as planned. Returns why its record is left out, if nothing is left.
fn edit(payload: &mut [u8], plan: &Plan, place: Option<&Place>, done: &mut Anonymised) -> Option<Kind> {
    for (range, kind) in &plan.zeros {
        let bytes = payload.get_mut(range.clone()).unwrap_or_default();
        if let Some(kind) = kind.filter(|_| bytes.iter().any(|&byte| byte != 0)) {
            *done.values.entry(kind).or_default() += 1;
        }
        bytes.fill(0);
    }
    for (range, text) in &plan.texts {
        let bytes = payload.get_mut(range.clone()).unwrap_or_default();
        let length = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
        let kept = match text {
            Text::All => length,
            Text::Firmware => names::vehicle_and_version(&bytes[..length]).map_or(0, <[u8]>::len),
            Text::Nothing => 0,
        };
        bytes.get_mut(kept..).unwrap_or_default().fill(0);
        if kept == 0 && length > 0 && plan.is_text_alone {
            return Some(Kind::Texts);
        }
        if kept < length {
            *done.values.entry(Kind::Texts).or_default() += 1;
        }
    }
    for cells in &plan.positions {
        match cells.move_in(payload, place) {
            Some(true) => done.positions += 1,
            Some(false) => done.elsewhere += 1,
            None => {}
        }
    }
    None
}
