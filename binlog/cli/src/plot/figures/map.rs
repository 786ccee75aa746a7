//! What is drawn on a track: missions, fences and rally points.

use crate::mission::{self, Place, Points};
use crate::outcome::warn;
use crate::plot::curves::Plotted;
use crate::plot::expression::Expression;
use crate::plot::figure::NewCurve;

/// A figure of latitudes over longitudes, or the reverse.
pub(super) struct Map {
    is_latitude_over_longitude: bool,
    drawn: Vec<Shape>,
}

/// The shapes of one kind, of one session or of several.
struct Shape {
    kind: String,
    /// Of one session: its name has that of the session.
    curve: NewCurve,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Coordinate {
    Latitude,
    Longitude,
}

impl Coordinate {
    /// Which one a column is, by its unit, or by its label in a log without units. An expression that computes isn't
    /// a place.
    fn of(expression: &Expression, unit: &str) -> Option<Self> {
        match (unit, expression.column()?.label.as_str()) {
            ("deglatitude", _) | ("", "Lat") => Some(Coordinate::Latitude),
            ("deglongitude", _) | ("", "Lng" | "Lon") => Some(Coordinate::Longitude),
            _ => None,
        }
    }
}

/// What is more degrees from the track is of another flight. It would make a dot of the track.
const FAR: f64 = 0.2;

impl Map {
    /// The map that two expressions make, of which the units are given: `x` and `y`. `None` if they make none.
    pub(super) fn of(x: (&Expression, &str), y: (&Expression, &str)) -> Option<Self> {
        let [x, y] = [Coordinate::of(x.0, x.1)?, Coordinate::of(y.0, y.1)?];
        (x != y).then(|| Map { is_latitude_over_longitude: y == Coordinate::Latitude, drawn: Vec::new() })
    }

    /// Adds what a session has to the axis of its track, whose first curve is given. What is far is left out, with a
    /// warning.
    pub(super) fn add(&mut self, Plotted { session, intervals, name: of_session }: &Plotted<'_>, track: &[NewCurve]) {
        let Some(first) = track.first() else { return };
        let point = |(latitude, longitude, _): Place| match self.is_latitude_over_longitude {
            true => (longitude, latitude),
            false => (latitude, longitude),
        };
        let Points { paths, points } = mission::on_map(session, intervals);
        let paths = paths.into_iter().map(|path| (path.name, path.places, false));
        let marks = points.into_iter().filter(|point| !point.is_on_path);
        let marks = marks.map(|point| (point.kind, vec![point.place], true));
        let mut shapes: Vec<Shape> = Vec::new();
        for (kind, places, is_marked) in paths.chain(marks) {
            let (x, y): (Vec<f64>, Vec<f64>) = places.into_iter().map(point).unzip();
            let degrees = distance(&x, track, |curve| &curve.x).max(distance(&y, track, |curve| &curve.y));
            if degrees > FAR {
                let whose = if of_session.is_empty() { String::new() } else { format!("{of_session}: ") };
                warn(format_args!("{whose}{kind}: not drawn, because it is {degrees:.1} degrees from the track"));
                continue;
            }
            match shapes.iter_mut().find(|shape| shape.kind == kind) {
                Some(Shape { curve, .. }) => {
                    // The border of a fence doesn't lead on to that of the next one.
                    let end = (!is_marked).then_some(f64::NAN);
                    curve.x.extend(end.into_iter().chain(x));
                    curve.y.extend(end.into_iter().chain(y));
                }
                None => {
                    let name = if of_session.is_empty() { kind.clone() } else { format!("{kind} · {of_session}") };
                    let (unit, is_right) = (first.unit.clone(), first.is_right);
                    shapes.push(Shape {
                        kind,
                        curve: NewCurve { name, unit, x, y, is_right, is_marked, ..NewCurve::default() },
                    });
                }
            }
        }
        for shape in shapes {
            match self.drawn.iter_mut().find(|drawn| drawn.is_same(&shape)) {
                Some(drawn) => drawn.curve.name.clone_from(&drawn.kind),
                None => self.drawn.push(shape),
            }
        }
    }

    /// What was added; of shapes that are equal, one without the name of a session.
    pub(super) fn curves(self) -> impl Iterator<Item = NewCurve> {
        self.drawn.into_iter().map(|shape| shape.curve)
    }
}

impl Shape {
    /// Whether both are of the same kind, through the same points of the same axis.
    fn is_same(&self, other: &Shape) -> bool {
        let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
        let of = |Shape { kind, curve }: &Shape| {
            (kind.clone(), curve.unit.clone(), curve.is_right, bits(&curve.x), bits(&curve.y))
        };
        of(self) == of(other)
    }
}

/// How far values are from the range of a track on an axis.
fn distance<'c>(values: &[f64], track: &'c [NewCurve], of: impl Fn(&'c NewCurve) -> &'c [f64]) -> f64 {
    let ends = |low_high: (f64, f64), value: &f64| (low_high.0.min(*value), low_high.1.max(*value));
    let none = (f64::INFINITY, f64::NEG_INFINITY);
    let (low, high) = values.iter().fold(none, ends);
    let (from, to) = track.iter().flat_map(of).filter(|value| value.is_finite()).fold(none, ends);
    (low - to).max(from - high).max(0.0)
}
