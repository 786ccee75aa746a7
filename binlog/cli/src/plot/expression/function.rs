//! The functions of expressions.

use super::error::Problem;
use super::of_messages::{self, OfMessages};
use super::{Node, Unary};
use std::f64::consts::TAU;
use std::ops::Range;

/// A function with a name: what it takes, and what it does.
pub(super) enum Found {
    OfSamples(OfSamples),
    OfRows(&'static Filter),
    OfMessages(&'static OfMessages),
    Unavailable,
    /// No such function; one with a similar name.
    Nothing(Option<&'static str>),
}

/// A function of numbers, the same for each sample.
#[derive(Debug)]
pub(super) struct Scalar {
    pub(super) name: &'static str,
    /// The number of arguments: at least, at most.
    pub(super) takes: (usize, usize),
    apply: fn(&[f64]) -> f64,
    pub(super) unit: UnitRule,
}

/// The unit of a function's result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum UnitRule {
    /// That of the arguments.
    Same,
    /// The root of the argument's.
    Root,
    /// A ratio, a sine.
    None,
    Radians,
    /// Radians in the argument's unit become degrees, and the other way.
    ToDegrees,
    ToRadians,
    Metres,
}

/// A [`Scalar`].
#[derive(Clone, Copy, Debug)]
pub(super) struct OfSamples(&'static Scalar);

impl PartialEq for OfSamples {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl std::ops::Deref for OfSamples {
    type Target = Scalar;

    fn deref(&self) -> &Scalar {
        self.0
    }
}

impl Scalar {
    /// The result; NaN if an argument is missing, or where Python raises an error.
    pub(super) fn apply(&self, arguments: &[f64]) -> f64 {
        if arguments.iter().any(|argument| argument.is_nan()) {
            return f64::NAN;
        }
        let result = (self.apply)(arguments);
        let raises = !result.is_finite() && arguments.iter().all(|argument| argument.is_finite());
        if raises { f64::NAN } else { result }
    }
}

const fn one(name: &'static str, apply: fn(&[f64]) -> f64, unit: UnitRule) -> Scalar {
    Scalar { name, takes: (1, 1), apply, unit }
}

const fn two(name: &'static str, apply: fn(&[f64]) -> f64, unit: UnitRule) -> Scalar {
    Scalar { name, takes: (2, 2), apply, unit }
}

static SCALARS: [Scalar; 42] = [
    one("abs", |x| x[0].abs(), UnitRule::Same),
    one("acos", |x| x[0].acos(), UnitRule::Radians),
    one("acosh", |x| x[0].acosh(), UnitRule::None),
    two("angle_diff", |x| wrap(x[0] - x[1], 180.0), UnitRule::Same),
    one("asin", |x| x[0].asin(), UnitRule::Radians),
    one("asinh", |x| x[0].asinh(), UnitRule::None),
    one("atan", |x| x[0].atan(), UnitRule::Radians),
    two("atan2", |x| x[0].atan2(x[1]), UnitRule::Radians),
    one("atanh", |x| x[0].atanh(), UnitRule::None),
    one("ceil", |x| x[0].ceil(), UnitRule::Same),
    Scalar { name: "constrain", takes: (3, 3), apply: |x| x[0].max(x[1]).min(x[2]), unit: UnitRule::Same },
    two("copysign", |x| x[0].copysign(x[1]), UnitRule::Same),
    one("cos", |x| x[0].cos(), UnitRule::None),
    one("cosh", |x| x[0].cosh(), UnitRule::None),
    one("degrees", |x| x[0].to_degrees(), UnitRule::ToDegrees),
    Scalar { name: "distance_lat_lon", takes: (4, 4), apply: great_circle, unit: UnitRule::Metres },
    one("exp", |x| x[0].exp(), UnitRule::None),
    one("fabs", |x| x[0].abs(), UnitRule::Same),
    one("feet", |x| x[0] / 0.3048, UnitRule::None),
    one("float", |x| x[0], UnitRule::Same),
    one("floor", |x| x[0].floor(), UnitRule::Same),
    two("fmod", |x| x[0] % x[1], UnitRule::Same),
    Scalar {
        name: "hypot",
        takes: (1, usize::MAX),
        apply: |x| x.iter().fold(0.0, |a, b| b.hypot(a)),
        unit: UnitRule::Same,
    },
    one("int", |x| x[0].trunc(), UnitRule::Same),
    one("kmh", |x| x[0] * 3.6, UnitRule::None),
    one("knots", |x| x[0] * 3600.0 / 1852.0, UnitRule::None),
    Scalar {
        name: "log",
        takes: (1, 2),
        apply: |x| match x {
            [x, base] => x.ln() / base.ln(),
            x => x[0].ln(),
        },
        unit: UnitRule::None,
    },
    one("log10", |x| x[0].log10(), UnitRule::None),
    one("log2", |x| x[0].log2(), UnitRule::None),
    Scalar {
        name: "max",
        takes: (2, usize::MAX),
        apply: |x| x.iter().copied().fold(f64::MIN, f64::max),
        unit: UnitRule::Same,
    },
    Scalar {
        name: "min",
        takes: (2, usize::MAX),
        apply: |x| x.iter().copied().fold(f64::MAX, f64::min),
        unit: UnitRule::Same,
    },
    two("pow", |x| x[0].powf(x[1]), UnitRule::None),
    one("radians", |x| x[0].to_radians(), UnitRule::ToRadians),
    Scalar {
        name: "round",
        takes: (1, 2),
        apply: |x| match *x {
            // Formatting rounds the exact value, as Python does.
            [x, digits] if digits > 0.0 => format!("{x:.*}", digits.min(300.0) as usize).parse().unwrap_or(f64::NAN),
            _ => x[0].round_ties_even(),
        },
        unit: UnitRule::Same,
    },
    one("sin", |x| x[0].sin(), UnitRule::None),
    one("sinh", |x| x[0].sinh(), UnitRule::None),
    one("sqrt", |x| x[0].sqrt(), UnitRule::Root),
    one("tan", |x| x[0].tan(), UnitRule::None),
    one("tanh", |x| x[0].tanh(), UnitRule::None),
    one("trunc", |x| x[0].trunc(), UnitRule::Same),
    one("wrap_180", |x| wrap(x[0], 180.0), UnitRule::Same),
    one("wrap_360", |x| wrap(x[0], 360.0), UnitRule::Same),
];

/// One turn less or more, for an angle beyond the end of its range.
fn wrap(angle: f64, end: f64) -> f64 {
    if angle > end {
        angle - 360.0
    } else if angle < end - 360.0 {
        angle + 360.0
    } else {
        angle
    }
}

/// The earth's mean radius in metres, as `mavextra.py` has it.
const EARTH_RADIUS: f64 = 6_371_000.0;

/// The distance on the ground between two points in degrees of latitude and longitude: the haversine formula.
pub(super) fn great_circle(points: &[f64]) -> f64 {
    let [lat_a, lng_a, lat_b, lng_b] = *points else { return f64::NAN };
    let [a, b] = [lat_a, lat_b].map(f64::to_radians);
    let (lat, lng) = ((lat_b - lat_a).to_radians(), (lng_b - lng_a).to_radians());
    let h = (lat / 2.0).sin().powi(2) + (lng / 2.0).sin().powi(2) * a.cos() * b.cos();
    2.0 * EARTH_RADIUS * h.sqrt().atan2((1.0 - h).sqrt())
}

/// A function of a whole curve, as it is called.
#[derive(Debug)]
pub(super) struct Filter {
    pub(super) name: &'static str,
    pub(super) takes: (usize, usize),
    kind: FilterKind,
}

#[derive(Clone, Copy, Debug)]
enum FilterKind {
    Average,
    Delta,
    Diff,
    DistanceFirst,
    Integral,
    Lowpass,
    LowpassHz,
    Sum,
}

/// The second argument names the filter's state in MAVExplorer, where calls with the same name share it.
static FILTERS: [Filter; 8] = [
    Filter { name: "average", takes: (3, 3), kind: FilterKind::Average },
    Filter { name: "delta", takes: (2, 3), kind: FilterKind::Delta },
    Filter { name: "diff", takes: (2, 2), kind: FilterKind::Diff },
    Filter { name: "distance_first", takes: (3, 3), kind: FilterKind::DistanceFirst },
    Filter { name: "integral", takes: (2, 3), kind: FilterKind::Integral },
    Filter { name: "lowpass", takes: (3, 3), kind: FilterKind::Lowpass },
    Filter { name: "lowpassHz", takes: (4, 4), kind: FilterKind::LowpassHz },
    Filter { name: "sum", takes: (2, 2), kind: FilterKind::Sum },
];

/// A function of a whole curve, with its constants.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum OfRows {
    /// The moving average over this number of samples. At first, the first sample stands for those before it.
    Average(usize),
    /// The slope in units per second. A second argument is the time in microseconds.
    Delta,
    /// The difference to the sample before; 0 at first.
    Diff,
    /// The distance in metres from the first point with a fix. Its arguments: latitude, longitude, status of the fix.
    DistanceFirst,
    /// The sum of values times seconds. A second argument is the time in microseconds.
    Integral,
    /// `keep · before + (1 - keep) · sample`.
    Lowpass(f64),
    /// The sum of all samples so far.
    Sum,
}

impl OfRows {
    /// The part of an expression that calls a filter. The number of arguments is right.
    pub(super) fn node(filter: &Filter, arguments: Vec<(Node, Range<usize>)>) -> Result<Node, (Range<usize>, Problem)> {
        let name = filter.name;
        let constant = |i: usize, what: &'static str, needed: &'static str, is_valid: fn(f64) -> bool| {
            let (node, range) = &arguments[i];
            let number = match node {
                Node::Number(number) => Some(*number),
                Node::Unary(Unary::Minus, of) => match **of {
                    Node::Number(number) => Some(-number),
                    _ => None,
                },
                _ => None,
            };
            number
                .filter(|number| is_valid(*number))
                .ok_or((range.clone(), Problem::NotAConstant { name, what, needed }))
        };
        let (of_rows, of) = match filter.kind {
            FilterKind::Average => {
                let count = constant(2, "the number of samples", "a constant from 1 to 1000000", |count| {
                    (1.0..=1e6).contains(&count)
                })?;
                (OfRows::Average(count as usize), vec![0])
            }
            FilterKind::Delta => (OfRows::Delta, vec![0, 2]),
            FilterKind::Diff => (OfRows::Diff, vec![0]),
            FilterKind::DistanceFirst => (OfRows::DistanceFirst, vec![0, 1, 2]),
            FilterKind::Integral => (OfRows::Integral, vec![0, 2]),
            FilterKind::Lowpass => (
                OfRows::Lowpass(constant(2, "the factor of the last value", "a constant number", f64::is_finite)?),
                vec![0],
            ),
            FilterKind::LowpassHz => {
                let rate = constant(2, "the sample rate in Hz", "a constant above 0", |rate| rate > 0.0)?;
                let cutoff = constant(3, "the cutoff frequency in Hz", "a constant above 0", |cutoff| cutoff > 0.0)?;
                let (step, time_constant) = (1.0 / rate, 1.0 / (TAU * cutoff));
                (OfRows::Lowpass(1.0 - step / (step + time_constant)), vec![0])
            }
            FilterKind::Sum => (OfRows::Sum, vec![0]),
        };
        let used = arguments.into_iter().enumerate().filter(|(i, _)| of.contains(i));
        let used = used.map(|(_, (node, range))| match node {
            Node::Text(_) => Err((range, Problem::MisplacedText)),
            node => Ok(node),
        });
        Ok(Node::OfRows(of_rows, used.collect::<Result<_, _>>()?))
    }
}

/// Finds a function by its name.
pub(super) fn find(name: &str) -> Found {
    if let Some(function) = SCALARS.iter().find(|function| function.name == name) {
        return Found::OfSamples(OfSamples(function));
    }
    if let Some(filter) = FILTERS.iter().find(|filter| filter.name == name) {
        return Found::OfRows(filter);
    }
    if let Some(function) = of_messages::FUNCTIONS.iter().find(|function| function.name == name) {
        return Found::OfMessages(function);
    }
    if of_messages::UNAVAILABLE.contains(&name) {
        return Found::Unavailable;
    }
    let similar =
        names().map(|known| (strsim::damerau_levenshtein(&known.to_lowercase(), &name.to_lowercase()), known));
    Found::Nothing(similar.filter(|(distance, _)| *distance <= 1 + name.len() / 4).min().map(|(_, known)| known))
}

/// The names of all functions.
pub fn names() -> impl Iterator<Item = &'static str> {
    let of_messages = of_messages::FUNCTIONS.iter().map(|function| function.name);
    let filters = FILTERS.iter().map(|filter| filter.name);
    SCALARS.iter().map(|function| function.name).chain(filters).chain(of_messages)
}
