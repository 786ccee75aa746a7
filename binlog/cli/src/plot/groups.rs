//! What divides a flight: its modes, or ranges of a value such as the throttle.

use super::align::{Origin, seconds};
use super::curves::Plotted;
use super::expression::Expression;
use super::figure::NewCurve;
use std::ops::Range;
use std::str::FromStr;

/// What a flight is divided by.
#[derive(Clone, PartialEq, Debug)]
pub enum By {
    /// The flight modes.
    Mode,
    /// The throttle in percent, of the column that the log has.
    Throttle,
    /// An expression.
    Value(Box<Expression>),
}

impl FromStr for By {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "mode" => Ok(By::Mode),
            "throttle" => Ok(By::Throttle),
            text => Expression::parse(text).map(|value| By::Value(Box::new(value))).map_err(|error| error.to_string()),
        }
    }
}

/// The expressions that have the throttle, and their values without and with full throttle.
///
/// The throttle of Copter's CTUN and RATE is a share, that of Plane's CTUN is in percent.
const THROTTLES: [(&str, Scale); 6] = [
    ("CTUN.ThO", Scale::ShareOrPercent),
    ("RATE.AOut", Scale::ShareOrPercent),
    ("(RCOU.C1+RCOU.C2+RCOU.C3+RCOU.C4)/4", Scale::Pulses),
    ("(RCOU.Ch1+RCOU.Ch2+RCOU.Ch3+RCOU.Ch4)/4", Scale::Pulses),
    ("rcCommand[3]", Scale::Pulses),
    ("(motor[0]+motor[1]+motor[2]+motor[3])/4", Scale::Motors),
];

/// What numbers of a throttle mean.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scale {
    /// 1 or 100 is full throttle.
    ShareOrPercent,
    /// Pulses in microseconds: 1000 to 2000.
    Pulses,
    /// 1000 to 2000, or 48 to 2047 of digital motors.
    Motors,
}

/// The expressions of the throttle in the order of preference.
pub fn throttles() -> impl Iterator<Item = (&'static str, Scale)> {
    THROTTLES.into_iter()
}

/// A value by time.
#[derive(Clone, PartialEq, Debug)]
pub struct Value {
    /// Its name.
    pub name: String,
    /// Its unit; may be empty.
    pub unit: String,
    /// Its range.
    pub range: Range<f64>,
    /// Ascending times in seconds.
    x: Vec<f64>,
    y: Vec<f64>,
}

/// How long a value holds without a next one, in seconds.
const HOLDS: f64 = 1.0;

impl Value {
    /// The value of a curve, from its lowest to its highest one. `None` if it has no two.
    pub fn of_curve(curve: NewCurve) -> Option<Self> {
        let NewCurve { name, unit, x, y, .. } = curve;
        let finite = || y.iter().copied().filter(|value| value.is_finite());
        let range = finite().fold(f64::INFINITY, f64::min)..finite().fold(f64::NEG_INFINITY, f64::max);
        (range.start < range.end).then_some(Value { name, unit, range, x, y })
    }

    /// The throttle of a curve in percent.
    pub fn throttle(mut curve: NewCurve, scale: Scale) -> Option<Self> {
        let highest = curve.y.iter().copied().filter(|value| value.is_finite()).fold(0.0, f64::max);
        let (zero, full) = match scale {
            Scale::ShareOrPercent if highest <= 1.5 => (0.0, 1.0),
            Scale::ShareOrPercent => (0.0, 100.0),
            Scale::Motors if highest > 2001.0 => (48.0, 2047.0),
            Scale::Pulses | Scale::Motors => (1000.0, 2000.0),
        };
        curve.y.iter_mut().for_each(|value| *value = (*value - zero) / (full - zero) * 100.0);
        let value = Value::of_curve(curve)?;
        Some(Value { name: "throttle".into(), unit: "%".into(), range: 0.0..100.0, ..value })
    }

    /// The name with the unit.
    pub fn label(&self) -> String {
        if self.unit.is_empty() { self.name.clone() } else { format!("{} ({})", self.name, self.unit) }
    }

    /// The mean during a stretch of time; the last value before it if there is none in it, for a second.
    pub fn mean(&self, during: Range<f64>) -> Option<f64> {
        let from = self.x.partition_point(|time| *time < during.start);
        let to = self.x.partition_point(|time| *time < during.end);
        let values = self.y[from..to.max(from)].iter().filter(|value| value.is_finite());
        let (count, sum) = values.fold((0usize, 0.0), |(count, sum), value| (count + 1, sum + value));
        if count > 0 {
            return Some(sum / count as f64);
        }
        let before = from.checked_sub(1)?;
        (during.start - self.x[before] <= HOLDS).then_some(self.y[before]).filter(|value| value.is_finite())
    }
}

/// The groups of a session's windows.
#[derive(Clone, PartialEq, Debug)]
pub enum Groups {
    /// All are in one, which has no name.
    All,
    /// By mode: the modes with their times in seconds, and the names, each once.
    Modes(Vec<(Range<f64>, usize)>, Vec<String>),
    /// Four ranges of a value.
    Ranges(Value),
}

/// The number of ranges of a value.
const RANGES: usize = 4;

impl Groups {
    /// The modes of a session.
    pub fn of_modes(plotted: &Plotted<'_>, origin: Origin) -> Self {
        let zero_us = origin.zero_us(plotted.session);
        let (mut modes, mut names) = (Vec::new(), Vec::new());
        for mode in plotted.session.modes() {
            let name = names.iter().position(|name| *name == mode.name).unwrap_or_else(|| {
                names.push(mode.name);
                names.len() - 1
            });
            let [from, to] = [mode.time_us.start, mode.time_us.end].map(|time_us| seconds(time_us, zero_us));
            modes.push((from..to, name));
        }
        Groups::Modes(modes, names)
    }

    /// The names of the groups.
    pub fn names(&self) -> Vec<String> {
        match self {
            Groups::All => vec![String::new()],
            Groups::Modes(_, names) => names.clone(),
            Groups::Ranges(value) => {
                let width = (value.range.end - value.range.start) / RANGES as f64;
                let digits = (1.0 - width.log10()).ceil().clamp(0.0, 9.0) as usize;
                let edge = |i: usize| format!("{:.digits$}", value.range.start + i as f64 * width);
                let unit = if value.unit.is_empty() { String::new() } else { format!(" {}", value.unit) };
                (0..RANGES).map(|i| format!("{} {}–{}{unit}", value.name, edge(i), edge(i + 1))).collect()
            }
        }
    }

    /// The group of a window: of the mode that it is in as a whole, or of the value's mean.
    pub fn of(&self, window: Range<f64>) -> Option<usize> {
        match self {
            Groups::All => Some(0),
            Groups::Modes(modes, _) => {
                let is_in = |(mode, _): &&(Range<f64>, usize)| mode.start <= window.start && window.end <= mode.end;
                modes.iter().find(is_in).map(|(_, name)| *name)
            }
            Groups::Ranges(value) => {
                let Range { start, end } = value.range;
                let place = (value.mean(window)? - start) / (end - start) * RANGES as f64;
                Some(place.clamp(0.0, (RANGES - 1) as f64) as usize)
            }
        }
    }
}
