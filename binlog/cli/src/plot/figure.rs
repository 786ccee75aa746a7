//! What a picture shows, without saying how it is drawn: panels with axes and curves, modes, messages.

use binlog::log::ValueNames;
use std::iter;

/// A picture: panels above each other with a common axis of time or frequency.
#[derive(Clone, PartialEq, Debug)]
pub struct Figure {
    /// The heading; empty for none.
    pub title: String,
    /// What the horizontal axis shows, with its unit.
    pub x_label: String,
    /// The range of the horizontal axis.
    pub x_range: (f64, f64),
    /// The panels, from top to bottom.
    pub panels: Vec<Panel>,
    /// Intervals to shade and to name, in the order of time.
    pub bands: Vec<Band>,
    /// Moments to mark, in the order of time.
    pub marks: Vec<Mark>,
}

impl Figure {
    /// The panels of both, over one axis. Title and axis are this one's.
    #[must_use]
    pub fn with(mut self, other: Figure) -> Self {
        self.x_range = (self.x_range.0.min(other.x_range.0), self.x_range.1.max(other.x_range.1));
        self.panels.extend(other.panels);
        self
    }

    /// The picture with corners in the curves whose values hold until the next one, for who draws straight lines.
    #[must_use]
    pub fn with_steps(mut self) -> Self {
        let curves = self.panels.iter_mut().flat_map(|panel| &mut panel.curves);
        for curve in curves.filter(|curve| curve.is_stepped) {
            let ends = curve.x.iter().skip(1).map(Some).chain([None]);
            let (mut x, mut y) = (Vec::new(), Vec::new());
            for ((&at, &value), end) in curve.x.iter().zip(&curve.y).zip(ends) {
                x.extend(iter::once(at).chain(end.copied()));
                y.extend(iter::repeat_n(value, 1 + usize::from(end.is_some())));
            }
            (curve.x, curve.y, curve.is_stepped) = (x, y, false);
        }
        self
    }
}

/// A panel: curves with a left axis, and with a right one if there are two units; or a spectrogram.
#[derive(Clone, PartialEq, Debug)]
pub struct Panel {
    /// The curves, in the order of the legend.
    pub curves: Vec<Curve>,
    /// The spectrogram in the background of the curves.
    pub heat: Option<Heat>,
    /// The left axis.
    pub left: Axis,
    /// The right axis, if any curve needs it.
    pub right: Option<Axis>,
}

/// A vertical axis.
#[derive(Clone, PartialEq, Debug)]
pub struct Axis {
    /// Its label, the unit of its curves; may be empty.
    pub label: String,
    /// The range of values.
    pub range: (f64, f64),
    /// The values that have names, ascending, if the curves show states; the axis has these in place of numbers.
    pub states: Vec<(f64, String)>,
}

/// A curve.
#[derive(Clone, PartialEq, Debug)]
pub struct Curve {
    /// Its name in the legend.
    pub name: String,
    /// The unit of its values; may be empty.
    pub unit: String,
    /// Its samples' places on the horizontal axis, ascending if that is time or frequency.
    pub x: Vec<f64>,
    /// Its values. One that isn't finite, here or in `x`, interrupts the curve.
    pub y: Vec<f64>,
    /// Whether it belongs to the right axis.
    pub is_right: bool,
    /// Whether a value holds until the next one.
    pub is_stepped: bool,
    /// Whether each sample is a mark of its own, without a line to the next one.
    pub is_marked: bool,
    /// The number of its style: colour and dashes.
    pub style: usize,
    /// The values that it has and that have names, ascending.
    pub states: Vec<(f64, String)>,
    /// What was measured of it, by names for programs.
    pub measured: Vec<Measured>,
}

/// A number that was measured of a curve, and its name for programs.
pub type Measured = (&'static str, f64);

/// A spectrogram: a colour for each time and frequency.
#[derive(Clone, PartialEq, Debug)]
pub struct Heat {
    /// Its name in the legend.
    pub name: String,
    /// The unit of the amplitudes; may be empty.
    pub unit: String,
    /// The middle of each column.
    pub x: Vec<f64>,
    /// The width of a column.
    pub width: f64,
    /// The frequency of each row, equally spaced.
    pub y: Vec<f64>,
    /// The amplitudes of each column.
    pub values: Vec<Vec<f64>>,
}

/// An interval with a name: a flight mode.
#[derive(Clone, PartialEq, Debug)]
pub struct Band {
    /// Where it begins.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
    /// Its name. Bands of one name have one colour.
    pub name: String,
}

/// A moment with a text: a message, an event.
#[derive(Clone, PartialEq, Debug)]
pub struct Mark {
    /// Where it is.
    pub at: f64,
    /// Its text.
    pub text: String,
}

/// A curve before it has a panel.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct NewCurve {
    /// Its name in the legend.
    pub name: String,
    /// The unit of its values; may be empty.
    pub unit: String,
    /// Its samples' places on the horizontal axis.
    pub x: Vec<f64>,
    /// Its values.
    pub y: Vec<f64>,
    /// Whether it must be on the right axis.
    pub is_right: bool,
    /// Whether a value holds until the next one.
    pub is_stepped: bool,
    /// Whether each sample is a mark of its own, without a line to the next one.
    pub is_marked: bool,
    /// What the log calls its values.
    pub names: Option<ValueNames>,
    /// What was measured of it.
    pub measured: Vec<Measured>,
}

/// What curves on one axis have in common: the unit, and the names of values.
type Quantity = (String, Option<ValueNames>);

impl NewCurve {
    fn quantity(&self) -> Quantity {
        (self.unit.clone(), self.names.clone())
    }

    /// Its values that have names: the first ones of bits in endless combinations.
    fn states(&self) -> Vec<(f64, String)> {
        const MAX_STATES: usize = 100;
        let Some(names) = &self.names else { return Vec::new() };
        let mut states: Vec<(f64, String)> = Vec::new();
        let mut last = f64::NAN;
        for &value in self.y.iter().filter(|value| value.is_finite()) {
            if value != last && states.len() < MAX_STATES && !states.iter().any(|(known, _)| *known == value) {
                states.extend(names.of(value as i128).map(|name| (value, name.into_owned())));
            }
            last = value;
        }
        states.sort_by(|a, b| a.0.total_cmp(&b.0));
        states
    }
}

/// Gives each unit an axis: the first one the left axis, the second one the right axis, the next two those of the next
/// panel. Curves of states with other names have axes of their own. Curves that must be on the right share the first
/// right axis, even if their units differ.
pub fn panels(curves: Vec<NewCurve>) -> Vec<Panel> {
    let must_be_right = |curve: &&NewCurve| curve.is_right;
    let right_units = distinct(curves.iter().filter(must_be_right));
    let left_units = distinct(curves.iter().filter(|curve| !curve.is_right));
    // The axes of units on the left, as panel and side.
    let axes: Vec<(usize, bool)> = match right_units.is_empty() {
        true => (0..left_units.len()).map(|i| (i / 2, i % 2 == 1)).collect(),
        false => (0..left_units.len()).map(|i| (i.div_ceil(2), i > 0 && i % 2 == 0)).collect(),
    };
    let count = axes.iter().map(|(panel, _)| panel + 1).max().unwrap_or(1);
    let mut panels: Vec<Panel> =
        (0..count).map(|_| Panel { curves: Vec::new(), heat: None, left: Axis::of(&[]), right: None }).collect();
    for (style, curve) in curves.into_iter().enumerate() {
        let states = curve.states();
        let axis = left_units.iter().position(|known| *known == curve.quantity()).filter(|_| !curve.is_right);
        let NewCurve { name, unit, x, y, is_stepped, is_marked, measured, .. } = curve;
        let (panel, is_right) = axis.map_or((0, true), |axis| axes[axis]);
        panels[panel].curves.push(Curve { name, unit, x, y, is_right, is_stepped, is_marked, style, states, measured });
    }
    for panel in &mut panels {
        let of_side = |is_right: bool| panel.curves.iter().filter(move |curve| curve.is_right == is_right);
        let [left, right] = [false, true].map(|side| of_side(side).collect::<Vec<_>>());
        let axes = (Axis::of(&left), (!right.is_empty()).then(|| Axis::of(&right)));
        (panel.left, panel.right) = axes;
    }
    panels
}

/// Gives each unit a panel of its own, in the order of the curves.
pub fn panels_by_unit(curves: Vec<NewCurve>) -> Vec<Panel> {
    let mut groups: Vec<Vec<NewCurve>> = Vec::new();
    for curve in curves {
        let same =
            groups.iter_mut().find(|group| group.first().is_some_and(|first| first.quantity() == curve.quantity()));
        match same {
            Some(group) => group.push(NewCurve { is_right: false, ..curve }),
            None => groups.push(vec![NewCurve { is_right: false, ..curve }]),
        }
    }
    groups.into_iter().flat_map(panels).collect()
}

fn distinct<'c>(curves: impl Iterator<Item = &'c NewCurve>) -> Vec<Quantity> {
    let mut units: Vec<Quantity> = Vec::new();
    for curve in curves {
        let unit = curve.quantity();
        if !units.contains(&unit) {
            units.push(unit);
        }
    }
    units
}

impl Axis {
    /// The axis that shows all values of these curves, with a little room above and below.
    fn of(curves: &[&Curve]) -> Self {
        let mut units: Vec<&str> = Vec::new();
        for curve in curves {
            if !curve.unit.is_empty() && !units.contains(&curve.unit.as_str()) {
                units.push(&curve.unit);
            }
        }
        let mut states: Vec<(f64, String)> = curves.iter().flat_map(|curve| curve.states.iter().cloned()).collect();
        states.sort_by(|a, b| a.0.total_cmp(&b.0));
        states.dedup();
        // Numbers beside states, or another name for one, need an axis of numbers.
        let are_states = curves.iter().all(|curve| !curve.states.is_empty()) && states.is_sorted_by(|a, b| a.0 < b.0);
        let range = range(curves.iter().flat_map(|curve| curve.y.iter().copied()), 0.04);
        Axis { label: units.join(", "), range, states: if are_states { states } else { Vec::new() } }
    }
}

/// The range of finite values, wider by a share of itself. A range around 0 without values; around a single value if
/// all are equal.
pub fn range(values: impl Iterator<Item = f64>, room: f64) -> (f64, f64) {
    let (low, high) = values
        .filter(|value| value.is_finite())
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
    if low > high {
        return (-1.0, 1.0);
    }
    let room = match high - low {
        0.0 if low == 0.0 => 1.0,
        0.0 => low.abs() * 0.1,
        width => width * room,
    };
    (low - room, high + room)
}

impl Figure {
    /// The names of the bands, each once.
    pub fn band_names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for band in &self.bands {
            if !names.contains(&band.name.as_str()) {
                names.push(&band.name);
            }
        }
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(unit: &str, is_right: bool) -> NewCurve {
        NewCurve {
            name: unit.into(),
            unit: unit.into(),
            x: vec![0.0, 1.0],
            y: vec![-2.0, 5.0],
            is_right,
            ..NewCurve::default()
        }
    }

    fn sides(curves: &[(&str, bool)]) -> Vec<(usize, String, bool)> {
        let panels = panels(curves.iter().map(|(unit, is_right)| curve(unit, *is_right)).collect());
        let of_panel = |(i, panel): (usize, Panel)| {
            panel.curves.into_iter().map(move |curve| (i, curve.unit, curve.is_right)).collect::<Vec<_>>()
        };
        panels.into_iter().enumerate().flat_map(of_panel).collect()
    }

    #[test]
    fn units_get_the_axes_in_turn() {
        assert_eq!(
            sides(&[("deg", false), ("m", false), ("deg", false), ("V", false)]),
            [(0, "deg".into(), false), (0, "m".into(), true), (0, "deg".into(), false), (1, "V".into(), false)]
        );
    }

    #[test]
    fn a_value_holds_until_the_next_one() {
        let stepped = NewCurve { y: vec![2.0, 3.0, 1.0], x: vec![0.0, 1.0, 5.0], is_stepped: true, ..curve("", false) };
        let panels = panels(vec![stepped, curve("", false)]);
        let (title, x_label) = (String::new(), String::new());
        let figure = Figure { title, x_label, x_range: (0.0, 5.0), panels, bands: Vec::new(), marks: Vec::new() };
        let drawn = figure.with_steps();
        let [stepped, straight] = &drawn.panels[0].curves[..] else { panic!("two curves") };
        assert_eq!(stepped.x, [0.0, 1.0, 1.0, 5.0, 5.0]);
        assert_eq!(stepped.y, [2.0, 2.0, 3.0, 3.0, 1.0]);
        assert_eq!(straight.x, [0.0, 1.0]);
    }

    #[test]
    fn a_curve_that_must_be_right_is_right() {
        assert_eq!(
            sides(&[("deg", false), ("deg", true), ("m", false), ("V", false)]),
            [(0, "deg".into(), false), (0, "deg".into(), true), (1, "m".into(), false), (1, "V".into(), true)]
        );
        assert_eq!(sides(&[("deg", true)]), [(0, "deg".into(), true)]);
    }

    #[test]
    fn axes_contain_all_values() {
        let panels = panels(vec![curve("m", false)]);
        let (low, high) = panels[0].left.range;
        assert!((low + 2.28).abs() < 1e-9 && (high - 5.28).abs() < 1e-9, "4 % of the range above and below");
        assert_eq!(range([f64::NAN, 0.0].into_iter(), 0.1), (-1.0, 1.0));
        assert_eq!(range([f64::NAN, 5.0].into_iter(), 0.1), (4.5, 5.5));
        assert_eq!(range([].into_iter(), 0.1), (-1.0, 1.0));
    }
}
