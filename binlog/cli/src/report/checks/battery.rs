//! The battery: its voltage under load, and its resistance.

use super::{Bound, Candidate, Evidence, Finding, Flight, Rule, Sensor, Side, beyond, bound, short};
use crate::report::spans::line;
use std::borrow::Cow;

/// No flight battery has less: the log has no battery monitor, or only the USB plug.
const LEAST_VOLTS: f64 = 6.0;

/// The highest voltage of a cell: that of LiHV is 4.35 V.
const FULL_CELL_VOLTS: f64 = 4.4;

/// Changes of current and voltage over this time are compared: the charge stays the same meanwhile.
const LAG_US: u64 = 1_000_000;

/// Voltage and current of a battery.
struct Battery<'c, 's> {
    sensor: &'c Sensor<'s>,
    volts_name: String,
    volts: Cow<'c, [f64]>,
    amperes: Option<(String, Cow<'c, [f64]>)>,
    cells: f64,
}

/// The sensors of batteries.
fn sensors<'s>(flight: &Flight<'s>) -> Vec<Sensor<'s>> {
    if flight.session.ardupilot().is_some() {
        return flight.sensors(&["BAT", "BAT2", "CURR", "CUR2"], &["Volt", "Curr"]);
    }
    flight.frames("main", &["vbatLatest", "vbat", "amperageLatest"]).into_iter().collect()
}

/// The batteries among them that have a plausible voltage.
fn batteries<'c, 's>(sensors: &'c [Sensor<'s>]) -> Vec<Battery<'c, 's>> {
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
        let highest = volts.iter().copied().filter(|volts| volts.is_finite()).fold(0.0, f64::max);
        let cells = (highest / FULL_CELL_VOLTS).ceil();
        let amperes = column(&["Curr", "amperageLatest"]);
        (highest >= LEAST_VOLTS).then_some(Battery { sensor, volts_name, volts, amperes, cells })
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
    let batteries = batteries(&sensors);
    let of_cell = bound(flight, rule, Side::Below, "V");
    let threshold = of_cell.limit;
    let of_battery = |battery: &Battery<'_, '_>| {
        let cells = battery.cells;
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
    (!batteries.is_empty()).then(|| batteries.iter().filter_map(of_battery).collect())
}

pub(in crate::report) fn resistance(flight: &Flight<'_>, rule: &Rule) -> Option<Vec<Finding>> {
    let sensors = sensors(flight);
    let batteries = batteries(&sensors);
    let measured = batteries.iter().filter(|battery| {
        let amperes = battery.amperes.as_ref().map(|(_, amperes)| amperes);
        amperes.is_some_and(|amperes| amperes.iter().any(|amperes| *amperes > 0.0))
    });
    let measured: Vec<&Battery<'_, '_>> = measured.collect();
    if measured.is_empty() {
        return None;
    }
    Some(measured.into_iter().filter_map(|battery| of_battery(flight, rule, battery)).collect())
}

fn of_battery(flight: &Flight<'_>, rule: &Rule, battery: &Battery<'_, '_>) -> Option<Finding> {
    let Battery { sensor, volts, cells, .. } = battery;
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
    let limits = flight.rules;
    let least = limits.limit(rule, "current");
    let deviation = (changes.iter().map(|(amperes, ..)| amperes * amperes).sum::<f64>() / changes.len() as f64).sqrt();
    let fitted = line(changes.iter().map(|(amperes, volts, _)| (*amperes, *volts)))?;
    // Voltage and current that don't go together measure no resistance.
    if !(deviation >= least && fitted.correlation <= -0.5) {
        return None;
    }
    let (limit, of_cell) = (limits.threshold(rule), -1000.0 * fitted.slope / cells);
    if of_cell < limit {
        return None;
    }
    let summary = format!(
        "{} falls by {} V with each 10 A: {} mOhm, or {} mOhm for each of {cells} cells.",
        battery.volts_name,
        short(-10.0 * fitted.slope),
        short(-1000.0 * fitted.slope),
        short(of_cell)
    );
    let (_, _, row) = changes.iter().max_by(|a, b| a.0.abs().total_cmp(&b.0.abs()))?;
    let place = Evidence::of_row(flight, sensor, *row).with_value(volts[*row]);
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
