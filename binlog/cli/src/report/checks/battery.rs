//! The battery: its voltage under load, and its resistance.

use super::{Bound, Candidate, Evidence, Finding, Flight, Rule, Sensor, Side, beyond, bound, short};
use crate::report::spans::{line, quantile};
use std::borrow::Cow;
use std::ops::RangeInclusive;

/// No flight battery has less: the log has no battery monitor, or only the USB plug.
const LEAST_VOLTS: f64 = 6.0;

/// The numbers of cells of batteries that are sold.
const CELLS: [f64; 9] = [2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 12.0, 14.0];

/// The highest voltage of a cell in flight, if its battery is charged as usual.
const USUAL_VOLTS: RangeInclusive<f64> = 3.5..=4.25;

/// The same, with full cells of LiHV and nearly empty ones.
const POSSIBLE_VOLTS: RangeInclusive<f64> = 3.2..=4.4;

/// The same of a battery whose number of cells a parameter says: it may be empty.
const KNOWN_VOLTS: RangeInclusive<f64> = 2.5..=4.5;

/// ArduPilot's default of BATT_LOW_VOLT, which says nothing about a battery.
const DEFAULT_LOW_VOLTS: f64 = 10.5;

/// Changes of current and voltage over this time are compared: the charge stays the same meanwhile.
const LAG_US: u64 = 1_000_000;

/// Voltage and current of a battery.
struct Battery<'c, 's> {
    sensor: &'c Sensor<'s>,
    volts_name: String,
    volts: Cow<'c, [f64]>,
    amperes: Option<(String, Cow<'c, [f64]>)>,
    /// `None` if neither the parameters nor the voltage say it.
    cells: Option<f64>,
    /// The highest voltage, without spikes.
    highest: f64,
}

/// The number of cells of a battery: by the parameters that are set for it, if its highest voltage fits, or else the
/// only one that this voltage allows.
fn cells(flight: &Flight<'_>, sensor: &str, highest: f64) -> Option<f64> {
    let is_second = sensor.contains("[1]") || sensor.ends_with('2');
    let is_first = sensor.contains("[0]") || !sensor.contains('[');
    let of_parameter = |name: &str, volts: f64, default: f64| {
        let cells = (flight.parameter(name).filter(|value| *value > 0.0 && *value != default)? / volts).round();
        (cells >= 1.0 && KNOWN_VOLTS.contains(&(highest / cells))).then_some(cells)
    };
    let said = match (is_second, is_first) {
        (true, _) => of_parameter("BATT2_LOW_VOLT", 3.5, DEFAULT_LOW_VOLTS),
        (_, true) => {
            of_parameter("MOT_BAT_VOLT_MAX", 4.2, 0.0).or_else(|| of_parameter("BATT_LOW_VOLT", 3.5, DEFAULT_LOW_VOLTS))
        }
        _ => None,
    };
    let only = |range: &RangeInclusive<f64>| {
        let mut fitting = CELLS.into_iter().filter(|cells| range.contains(&(highest / cells)));
        (fitting.next(), fitting.next().is_some())
    };
    said.or_else(|| match (only(&USUAL_VOLTS), only(&POSSIBLE_VOLTS)) {
        ((Some(cells), false), _) | ((None, _), (Some(cells), false)) => Some(cells),
        _ => None,
    })
}

/// The findings of the batteries. A battery without a known number of cells isn't checked.
fn of_batteries<'b, 's: 'b>(
    flight: &Flight<'_>,
    batteries: impl Iterator<Item = &'b Battery<'b, 's>>,
    check: impl Fn(&Battery<'_, '_>, f64) -> Option<Finding>,
) -> Option<Vec<Finding>> {
    let (mut found, mut unknown, mut count) = (Vec::new(), None, 0);
    for battery in batteries {
        count += 1;
        match battery.cells {
            Some(cells) => found.extend(check(battery, cells)),
            None => unknown = Some(battery),
        }
    }
    match unknown.filter(|_| found.is_empty()) {
        Some(Battery { volts_name, highest, .. }) => flight.lacks(format!(
            "the number of cells: {volts_name} is at most {} V, which batteries of several numbers have, and neither \
             MOT_BAT_VOLT_MAX nor BATT_LOW_VOLT says it",
            short(*highest)
        )),
        None => (count > 0).then_some(found),
    }
}

/// The sensors of batteries.
fn sensors<'s>(flight: &Flight<'s>) -> Vec<Sensor<'s>> {
    if flight.session.ardupilot().is_some() {
        return flight.sensors(&["BAT", "BAT2", "CURR", "CUR2"], &["Volt", "Curr"]);
    }
    flight.frames("main", &["vbatLatest", "vbat", "amperageLatest"]).into_iter().collect()
}

/// The batteries among them that have a plausible voltage.
fn batteries<'c, 's>(flight: &Flight<'_>, sensors: &'c [Sensor<'s>]) -> Vec<Battery<'c, 's>> {
    let of_sensor = |sensor: &'c Sensor<'s>| {
        let column = |labels: &[&'static str]| {
            let label = labels.iter().find(|label| sensor.column(label).is_some())?;
            let values = sensor.column(label)?;
            // Old firmware logs hundredths, as integers.
            let is_hundredths = sensor.name.starts_with("CUR") && values.iter().any(|value| *value > 200.0);
            let values = if is_hundredths { values.iter().map(|value| value / 100.0).collect() } else { values.into() };
            Some((sensor.name_of(label), values))
        };
        let (volts_name, volts): (String, Cow<'c, [f64]>) = column(&["Volt", "vbatLatest", "vbat"])?;
        let highest = quantile(volts.iter().copied(), 0.99).filter(|highest| *highest >= LEAST_VOLTS)?;
        let (cells, amperes) = (cells(flight, &sensor.name, highest), column(&["Curr", "amperageLatest"]));
        Some(Battery { sensor, volts_name, volts, amperes, cells, highest })
    };
    sensors.iter().filter_map(of_sensor).collect()
}

impl<'c, 's> Battery<'c, 's> {
    fn volts(&self) -> Candidate<'_, 's> {
        let (name, unit) = (self.volts_name.clone(), "V".into());
        Candidate { sensor: self.sensor, name, unit, values: self.volts.as_ref().into() }
    }

    fn amperes(&self) -> Option<Candidate<'_, 's>> {
        let (name, values) = self.amperes.as_ref()?;
        Some(Candidate { sensor: self.sensor, name: name.clone(), unit: "A".into(), values: values.as_ref().into() })
    }
}

pub(in crate::report) fn sag(flight: &Flight<'_>, rule: &Rule) -> Option<Vec<Finding>> {
    let sensors = sensors(flight);
    let batteries = batteries(flight, &sensors);
    let of_cell = bound(flight, rule, Side::Below, "V");
    let threshold = of_cell.limit;
    let of_battery = |battery: &Battery<'_, '_>, cells: f64| {
        let volts = [battery.volts()];
        let of_all = Bound { limit: threshold * cells, severe: of_cell.severe * cells, ..of_cell };
        let found = beyond(flight, rule, &volts, &of_all)?;
        let summary = format!("{} The limit is {threshold} V for each of {cells} cells.", found.summary);
        let curves: Vec<_> = [Some(battery.volts()), battery.amperes()].into_iter().flatten().collect();
        let (value, limit) = (found.value / cells, threshold);
        let worst =
            found.evidence.iter().min_by(|a, b| a.value.unwrap_or(0.0).total_cmp(&b.value.unwrap_or(0.0))).cloned();
        let curves = curves.iter().map(Candidate::curve).collect();
        Some(Finding { summary, value, limit, unit: "V a cell", ..found }.shown(
            flight,
            worst.as_ref(),
            curves,
            Some((threshold * cells, "V")),
        ))
    };
    of_batteries(flight, batteries.iter(), of_battery)
}

pub(in crate::report) fn resistance(flight: &Flight<'_>, rule: &Rule) -> Option<Vec<Finding>> {
    let sensors = sensors(flight);
    let batteries = batteries(flight, &sensors);
    if batteries.iter().all(|battery| battery.amperes.is_none()) {
        return None;
    }
    let measured: Vec<_> = batteries.iter().filter(|battery| Loaded::of(flight, rule, battery).is_some()).collect();
    if measured.is_empty() {
        let least = flight.rules.limit(rule, "current");
        return flight.lacks(format!("changes of the current by {least} A within a second"));
    }
    of_batteries(flight, measured.into_iter(), |battery, cells| of_battery(flight, rule, battery, cells))
}

/// What the current does to the voltage of a battery.
struct Loaded {
    /// In volts an ampere; 0 if voltage and current don't go together.
    slope: f64,
    /// The row with the largest change.
    row: usize,
}

impl Loaded {
    /// `None` if the current changes too little while armed.
    fn of(flight: &Flight<'_>, rule: &Rule, battery: &Battery<'_, '_>) -> Option<Self> {
        let Battery { sensor, volts, .. } = battery;
        let (_, amperes) = battery.amperes.as_ref()?;
        let times_us = &sensor.times_us;
        let mut before = 0;
        let mut changes: Vec<(f64, f64, usize)> = Vec::new();
        for (row, &time_us) in times_us.iter().enumerate() {
            while before < row && time_us.saturating_sub(times_us[before + 1]) >= LAG_US {
                before += 1;
            }
            let lag_us = time_us.saturating_sub(times_us[before]);
            let is_pair = before < row && (LAG_US..2 * LAG_US).contains(&lag_us);
            if is_pair && flight.armed.contains(time_us) && flight.armed.contains(times_us[before]) {
                changes.push((amperes[row] - amperes[before], volts[row] - volts[before], row));
            }
        }
        let least = flight.rules.limit(rule, "current");
        let deviation =
            (changes.iter().map(|(amperes, ..)| amperes * amperes).sum::<f64>() / changes.len() as f64).sqrt();
        let fitted = line(changes.iter().map(|(amperes, volts, _)| (*amperes, *volts)))?;
        // Voltage and current that don't go together show no resistance.
        let (_, _, row) = changes.iter().max_by(|a, b| a.0.abs().total_cmp(&b.0.abs()))?;
        let slope = if fitted.correlation <= -0.5 { fitted.slope } else { 0.0 };
        (deviation >= least).then_some(Loaded { slope, row: *row })
    }
}

fn of_battery(flight: &Flight<'_>, rule: &Rule, battery: &Battery<'_, '_>, cells: f64) -> Option<Finding> {
    let Loaded { slope, row } = Loaded::of(flight, rule, battery)?;
    let limits = flight.rules;
    let (limit, of_cell) = (limits.threshold(rule), -1000.0 * slope / cells);
    if of_cell < limit {
        return None;
    }
    let summary = format!(
        "{} falls by {} V with each 10 A: {} mOhm, or {} mOhm for each of {cells} cells.",
        battery.volts_name,
        short(-10.0 * slope),
        short(-1000.0 * slope),
        short(of_cell)
    );
    let place = Evidence::of_row(flight, battery.sensor, row).with_value(battery.volts[row]);
    let curves: Vec<Candidate<'_, '_>> = [Some(battery.volts()), battery.amperes()].into_iter().flatten().collect();
    let columns = curves.iter().map(|curve| curve.name.clone()).collect();
    Some(
        Finding::new(rule, summary, of_cell, limit, "mOhm a cell")
            .severe_if(of_cell >= limits.severe(rule))
            .at(vec![place.clone()])
            .of_columns(columns)
            .shown(flight, Some(&place), curves.iter().map(Candidate::curve).collect(), None),
    )
}
