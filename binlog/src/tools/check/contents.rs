//! What the records contain: times, texts, modes, counts of dropped records.

use super::findings::Findings;
use super::rule::Rule;
use super::times::{Timed, Times};
use super::zeros::{Dates, Wraps};
use crate::format::{Format, LoggedText};
use crate::read::log::{DescriptionPieces, Incomplete, names_vehicle};
use crate::read::records::time::TimeSource;
use crate::read::{LoggedDefinition, Record};
use std::collections::HashMap;

/// The contents so far.
pub(super) struct Contents<'a> {
    /// By id; `None` until the first record of a definition.
    plans: Box<[Option<Plan>; 256]>,
    times: Times,
    wraps: Wraps,
    dates: Dates,
    dropped: HashMap<Dropped, Count>,
    descriptions: DescriptionPieces<'a>,
    has_parameters: bool,
    has_texts: bool,
    has_vehicle: bool,
    has_modes: bool,
    boots: usize,
    /// Whether this boot has logged anything but definitions.
    is_running: bool,
}

/// What to look at in the records of one definition.
struct Plan {
    name: String,
    time: TimeSource,
    /// The offset of an instance of one byte.
    instance: Option<usize>,
    texts: Vec<(usize, Format, String)>,
    modes: Vec<(usize, String)>,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Parameter,
    Text,
    File,
    LoggerStatistics,
    Dropped,
    Receiver,
    Other,
}

/// Where a count of dropped records comes from: DSF, or DROP of an id.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Dropped {
    All,
    OfId(u8),
}

/// Dropped records: those of earlier boots, and the latest count of this boot, which only grows.
struct Count {
    offset: usize,
    before: u64,
    now: u64,
}

impl<'a> Contents<'a> {
    pub(super) fn new() -> Self {
        Contents {
            plans: Box::new([const { None }; 256]),
            times: Times::default(),
            wraps: Wraps::default(),
            dates: Dates::default(),
            dropped: HashMap::new(),
            descriptions: DescriptionPieces::default(),
            has_parameters: false,
            has_texts: false,
            has_vehicle: false,
            has_modes: false,
            boots: 1,
            is_running: false,
        }
    }

    /// The log defines the id again.
    pub(super) fn redefined(&mut self, id: u8) {
        self.plans[usize::from(id)] = None;
    }

    /// A record in which FMT defines itself: where a boot begins, unless the last one has only definitions so far.
    pub(super) fn begin(&mut self, offset: usize, findings: &mut Findings) {
        if !std::mem::take(&mut self.is_running) {
            return;
        }
        self.boots += 1;
        self.times.finish(|id| name(&self.plans, id), findings);
        std::mem::take(&mut self.wraps).finish(findings);
        std::mem::take(&mut self.dates).finish(findings);
        self.descriptions.begin_boot();
        for count in self.dropped.values_mut() {
            count.before += std::mem::take(&mut count.now);
        }
        findings.add(Rule::SeveralBoots, "", offset, || "another boot begins, with definitions of its own".into());
    }

    /// A record that defines neither types nor units.
    pub(super) fn data(&mut self) {
        self.is_running = true;
    }

    /// Any record.
    pub(super) fn record(&mut self, record: &Record<'a>, findings: &mut Findings) {
        let id = record.id();
        let slot = &mut self.plans[usize::from(id)];
        let plan = slot.get_or_insert_with(|| Plan::of(&record.definition()));
        let (payload, offset) = (record.payload(), record.offset());
        let time_us = plan.time.time_us(payload, record.wraps());
        if plan.kind == Kind::Receiver {
            self.dates.add(record, time_us);
        }
        if let Some(time_us) = time_us {
            if plan.time.is_narrow() {
                self.wraps.add(record, findings);
            }
            let instance = plan.instance.and_then(|at| payload.get(at).copied());
            let record = Timed { id, instance, time_us, offset };
            self.times.add(record, |id| name(&self.plans, id), findings);
        }
        let Some(plan) = &self.plans[usize::from(id)] else { return };
        for (at, format, column) in &plan.texts {
            let Some(text) = payload.get(*at..at + format.size()).map(LoggedText::new) else { continue };
            check_text(text, column, offset, findings);
        }
        self.has_modes |= !plan.modes.is_empty();
        for (at, column) in &plan.modes {
            if let Some(&mode @ 128..) = payload.get(*at) {
                findings.add(Rule::NegativeMode, column, offset, || format!("the mode is {mode}"));
            }
        }
        self.notice(record, id);
    }

    /// What is counted, or missed if no record has it.
    fn notice(&mut self, record: &Record<'a>, id: u8) {
        let Some(plan) = &self.plans[usize::from(id)] else { return };
        let integer = |label| record.value(label).and_then(|value| value.to_integer());
        let (source, dropped) = match plan.kind {
            Kind::Other | Kind::Receiver => return,
            Kind::Parameter => return self.has_parameters = true,
            Kind::File => return self.descriptions.add(record),
            Kind::Text => {
                let names_vehicle = |text: LoggedText<'_>| names_vehicle(&text.to_string());
                self.has_texts = true;
                self.has_vehicle |= record.value("Message").and_then(|value| value.text()).is_some_and(names_vehicle);
                return;
            }
            Kind::LoggerStatistics => (Dropped::All, integer("Dp")),
            Kind::Dropped => match integer("Id").and_then(|id| u8::try_from(id).ok()) {
                Some(id) => (Dropped::OfId(id), integer("Dropped")),
                None => return,
            },
        };
        if let Some(now) = dropped.and_then(|dropped| u64::try_from(dropped).ok()).filter(|&dropped| dropped > 0) {
            let count = self.dropped.entry(source).or_insert(Count { offset: record.offset(), before: 0, now });
            count.now = count.now.max(now);
        }
    }

    /// What only the whole log shows. `name` is the name of an id.
    pub(super) fn finish(mut self, name: impl Fn(u8) -> String, findings: &mut Findings) {
        self.times.finish(&name, findings);
        self.wraps.finish(findings);
        self.dates.finish(findings);
        for Incomplete { offset, text } in self.descriptions.incomplete() {
            findings.add(Rule::IncompleteDescriptions, "FILE", offset, || text);
        }
        if !self.has_parameters {
            findings.add(Rule::NoParameters, "", 0, || "no record is a PARM".into());
        }
        // Without modes, any text may be the name of a vehicle.
        if !self.has_vehicle && (self.has_modes || !self.has_texts) {
            findings.add(Rule::NoVehicle, "", 0, || "no MSG names a vehicle with its version".into());
        }
        for (source, Count { offset, before, now }) in self.dropped {
            let (subject, by) = match source {
                Dropped::All => (String::new(), "DSF"),
                Dropped::OfId(id) => (name(id), "DROP"),
            };
            let text = || format!("the firmware dropped records, by {by}");
            findings.add_times(Rule::DroppedRecords, &subject, offset, before.saturating_add(now), text);
        }
    }
}

/// The name of a type with records.
fn name(plans: &[Option<Plan>; 256], id: u8) -> String {
    plans[usize::from(id)].as_ref().map_or_else(String::new, |plan| plan.name.clone())
}

fn check_text(text: LoggedText<'_>, column: &str, offset: usize, findings: &mut Findings) {
    if text.to_str().is_err() {
        findings.add(Rule::InvalidUtf8, column, offset, || format!("the text is {text:?}"));
    }
    let rest = text.raw().get(text.as_bytes().len()..).unwrap_or_default();
    if rest.iter().any(|&byte| byte != 0) {
        let text = || format!("after the NUL there is \"{}\"", rest.trim_ascii_end().escape_ascii());
        findings.add(Rule::UnpaddedText, column, offset, text);
    }
}

impl Plan {
    fn of(definition: &LoggedDefinition<'_>) -> Self {
        let name = definition.shown_name();
        let time = if definition.defines_others() { TimeSource::None } else { TimeSource::of(definition) };
        let instance = definition.instance_column().filter(|column| column.format.size() == 1);
        let (mut texts, mut modes) = (Vec::new(), Vec::new());
        for column in definition.columns() {
            let shown = || format!("{name}.{}", column.label.escape_debug());
            // Raw bytes of a file.
            let is_data = (definition.name(), column.label) == ("FILE", "Data");
            if column.format.is_text() && !is_data {
                texts.push((column.offset, column.format, shown()));
            } else if column.format == Format::FlightMode {
                modes.push((column.offset, shown()));
            }
        }
        let kind = match definition.name() {
            "PARM" => Kind::Parameter,
            "MSG" => Kind::Text,
            "DSF" => Kind::LoggerStatistics,
            "DROP" => Kind::Dropped,
            "FILE" => Kind::File,
            name if LoggedDefinition::RECEIVERS.contains(&name) => Kind::Receiver,
            _ => Kind::Other,
        };
        Plan { name, time, instance: instance.map(|column| column.offset), texts, modes, kind }
    }
}
