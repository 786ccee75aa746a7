//! Samples of an ArduPilot log's records.

use super::{Join, Sample, Signal, Signals};
use crate::format::{Format, Scaling, Value};
use crate::read::catalogue::column::ResolvedColumn;
use crate::read::catalogue::units::UnitsAt;
use crate::read::log::{Scale, SelectError, TypeName, column_name};
use crate::read::{Log, LoggedDefinition, Record};
use crate::replay::error::ReplayError;
use crate::replay::item::Item;
use crate::replay::records::{Inputs, Payload, Records};

/// The rows of these signals.
///
/// # Errors
///
/// If the log doesn't have one of them.
pub(in crate::replay) fn of_records<'l, const N: usize>(
    log: &'l Log<'_>,
    signals: [Signal; N],
) -> Result<impl Iterator<Item = Result<Item<[f64; N]>, ReplayError>> + use<'l, N>, ReplayError> {
    const { assert!(N > 0 && N <= 64, "a row has 1 to 64 signals") };
    let columns = Columns::<N>::find(log, &signals)?;
    Ok(Join::new(Records::new(log.bytes(), columns), &signals))
}

/// The columns of the signals, by type and instance.
struct Columns<const N: usize> {
    tables: Vec<Table>,
}

/// The signals of one type, or of one of its instances.
struct Table {
    name: String,
    instance: Option<Instance>,
    labels: Vec<Label>,
}

/// The column of a signal, with what the log says of it later than in its first definition: units come after records.
struct Label {
    signal: usize,
    label: String,
    multiplier_id: Option<u8>,
    /// The column that separates instances.
    separates: Option<String>,
}

/// The value of the column that separates instances.
#[derive(Clone, PartialEq, Eq)]
enum Instance {
    Number(i128),
    Text(Vec<u8>),
}

impl Instance {
    fn of(value: &Value<'_>) -> Option<Self> {
        let text = || value.text().map(|text| Instance::Text(text.as_bytes().to_vec()));
        value.to_integer().map(Instance::Number).or_else(text)
    }

    fn is(&self, value: &Value<'_>) -> bool {
        match self {
            Instance::Number(number) => value.to_integer() == Some(*number),
            Instance::Text(bytes) => value.text().is_some_and(|text| text.as_bytes() == bytes),
        }
    }
}

/// How the records of a definition become samples of a table.
struct TablePlan {
    instance: Option<(Format, usize, Instance)>,
    columns: Vec<ColumnPlan>,
    signals: Signals,
    source: u32,
}

struct ColumnPlan {
    signal: usize,
    format: Format,
    offset: usize,
    scale: Scale,
}

impl<const N: usize> Columns<N> {
    /// Reads the log until each signal has a record whose definition has units, or to the end if the log has none.
    fn find(log: &Log<'_>, signals: &[Signal; N]) -> Result<Self, ReplayError> {
        let mut tables: Vec<Table> = Vec::new();
        let mut missing = Vec::new();
        for (number, Signal { name, .. }) in signals.iter().enumerate() {
            let (of_type, label) = column_name(name).map_err(ReplayError::Select)?;
            missing.push((number, TypeName::parse(of_type), label));
        }
        let mut found: Vec<Option<(Option<Instance>, Label)>> = missing.iter().map(|_| None).collect();
        for record in log.records().flatten() {
            let has_units = record.definition().unit_ids().is_some();
            missing.retain(|(number, of_type, label)| {
                let Some(column) = found_in(&record, *number, of_type, label) else { return true };
                if has_units || found[*number].is_none() {
                    found[*number] = Some(column);
                }
                !has_units
            });
            if missing.is_empty() {
                break;
            }
        }
        for (number, of_type, label) in &missing {
            if found[*number].is_some() {
                continue;
            }
            // Its definition has units after its last record: the index knows them.
            let name = &signals[*number].name;
            let (rows, _) = log.select(name).map_err(ReplayError::Select)?;
            found[*number] = rows.records().find_map(|record| found_in(&record, *number, of_type, label));
            if found[*number].is_some() {
                continue;
            }
            return Err(match rows.is_empty() {
                true => {
                    let has = log.types().map(|rows| rows.name().to_owned()).collect();
                    ReplayError::NoInputs { asked: vec![name.clone()], has }
                }
                false => {
                    let (name, label) = (of_type.name.to_owned(), (*label).to_owned());
                    ReplayError::Select(SelectError::NotNumbers { name, label })
                }
            });
        }
        for (Signal { name, .. }, (instance, label)) in signals.iter().zip(found).filter_map(|(it, f)| Some((it, f?))) {
            let of_type = column_name(name).map_or("", |(of_type, _)| TypeName::parse(of_type).name);
            match tables.iter_mut().find(|table| table.name == of_type && table.instance == instance) {
                Some(table) => table.labels.push(label),
                None => tables.push(Table { name: of_type.into(), instance, labels: vec![label] }),
            }
        }
        Ok(Columns { tables })
    }
}

/// What a record says of a signal, if it has the number: its instance, `None` without instances, and its column.
fn found_in(
    record: &Record<'_>,
    signal: usize,
    of_type: &TypeName<'_>,
    label: &str,
) -> Option<(Option<Instance>, Label)> {
    if record.name() != of_type.name {
        return None;
    }
    record.value(label)?.to_f64()?;
    let definition = record.definition();
    let column = definition.instance_column();
    let value = column.and_then(|column| Value::of(column.format, record.payload().get(column.offset..)?));
    let instance = match (of_type.instance, value) {
        (Some(asked), Some(value)) if value.to_string() == asked => Instance::of(&value),
        (Some(_), _) => return None,
        (None, value) => value.as_ref().and_then(Instance::of),
    };
    let multiplier_id = definition.column(label)?.multiplier_id;
    let separates = column.map(|column| column.label.to_owned());
    Some((instance, Label { signal, label: label.to_owned(), multiplier_id, separates }))
}

impl<const N: usize> Inputs for Columns<N> {
    type Input = Sample<N>;
    type Plan = Vec<TablePlan>;

    fn plan(
        &mut self,
        logged: &LoggedDefinition<'_>,
        units: UnitsAt<'_>,
        source: &mut dyn FnMut(&str) -> u32,
    ) -> Result<Option<Vec<TablePlan>>, ReplayError> {
        let mut plans = Vec::new();
        for Table { name, instance, labels } in self.tables.iter().filter(|table| table.name == logged.name()) {
            let column = |Label { signal, label, multiplier_id, .. }: &Label| {
                let mut column = logged.column(label)?;
                column.multiplier_id = column.multiplier_id.or(*multiplier_id);
                let factor = ResolvedColumn::of_log(&column, units).factor();
                // A value that its format scales is scaled when it is read.
                let scale = match column.format.divisor() {
                    Some(_) => Scale::None,
                    None => Scale::of(column.format, factor, Scaling::Units),
                };
                Some(ColumnPlan { signal: *signal, format: column.format, offset: column.offset, scale })
            };
            let columns: Vec<ColumnPlan> = labels.iter().filter_map(column).collect();
            let separates = labels.iter().find_map(|label| label.separates.as_deref());
            let column = logged.instance_column().or_else(|| logged.column(separates?));
            let instance = match (instance, column) {
                (Some(instance), Some(column)) => Some((column.format, column.offset, instance.clone())),
                (None, None) => None,
                // A later definition with or without such a column: nobody knows whose records these are.
                _ => continue,
            };
            let shown = match &instance {
                None => name.clone(),
                Some((.., Instance::Number(number))) => format!("{name}[{number}]"),
                Some((.., Instance::Text(text))) => format!("{name}[{}]", String::from_utf8_lossy(text)),
            };
            let signals = columns.iter().fold(Signals::NONE, |signals, column| signals.with(column.signal));
            plans.push(TablePlan { instance, columns, signals, source: source(&shown) });
        }
        Ok(Some(plans).filter(|plans| !plans.is_empty()))
    }

    #[inline]
    fn read(
        &mut self,
        plans: &mut Vec<TablePlan>,
        record: Payload<'_>,
        _: &mut dyn FnMut(&str) -> u32,
    ) -> Result<Option<(u32, Sample<N>)>, ReplayError> {
        let value = |format, offset| Value::of(format, record.bytes.get(offset..)?);
        let is_of = |plan: &&TablePlan| match &plan.instance {
            None => true,
            Some((format, offset, instance)) => value(*format, *offset).is_some_and(|value| instance.is(&value)),
        };
        let Some(plan) = plans.iter().find(is_of) else { return Ok(None) };
        let mut values = [f64::NAN; N];
        for ColumnPlan { signal, format, offset, scale } in &plan.columns {
            if let Some(number) = value(*format, *offset).and_then(|value| value.to_f64()) {
                values[*signal] = scale.apply(number);
            }
        }
        Ok(Some((plan.source, Sample { signals: plan.signals, values })))
    }

    fn asked(&self) -> Vec<String> {
        self.tables.iter().map(|table| table.name.clone()).collect()
    }
}
