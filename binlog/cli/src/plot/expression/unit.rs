//! The unit of an expression, if it can be known.

use super::function::{OfRows, UnitRule};
use super::{Binary, ColumnName, Node, Unary};

/// The unit of a part.
#[derive(Clone, PartialEq, Debug)]
enum Of {
    /// A constant, which may be in any unit.
    Constant,
    /// A ratio or a truth value, which changes no unit.
    Ratio,
    /// A unit to a power, in halves: 2 for the unit itself.
    Unit(String, i32),
    Unknown,
}

/// The unit of an expression whose columns have these units. Empty if it has none, or if it can't be known: the product
/// of a column and a constant may be anything.
pub(super) fn unit(node: &Node, of_column: &impl Fn(&ColumnName) -> String) -> String {
    match of(node, of_column) {
        Of::Unit(name, 2) => name,
        Of::Unit(name, 4) => format!("({name})²"),
        Of::Unit(name, 6) => format!("({name})³"),
        _ => String::new(),
    }
}

fn of(node: &Node, of_column: &impl Fn(&ColumnName) -> String) -> Of {
    let of = |node: &Node| of(node, of_column);
    match node {
        Node::Number(number) if number.abs() == 1.0 => Of::Ratio,
        Node::Number(_) => Of::Constant,
        Node::Text(_) => Of::Unknown,
        Node::Column(name, _) => match of_column(name) {
            name if name.is_empty() => Of::Unknown,
            name => Of::Unit(name, 2),
        },
        Node::Unary(Unary::Plus | Unary::Minus, value) => of(value),
        Node::Unary(Unary::Not | Unary::Invert, _) | Node::Compare(..) => Of::Ratio,
        Node::Binary(operator, left, right) => binary(*operator, of(left), of(right), right),
        Node::And(left, right) | Node::Or(left, right) => common([of(left), of(right)]),
        Node::Choice { value, other, .. } => common([of(value), of(other)]),
        Node::OfSamples(function, arguments) => {
            let argument = common(arguments.iter().map(of));
            match (function.unit, argument) {
                (UnitRule::Same, argument) => argument,
                (UnitRule::Root, Of::Unit(name, power)) => Of::Unit(name, power / 2),
                (UnitRule::Root, other) => other,
                (UnitRule::None, _) => Of::Ratio,
                (UnitRule::Radians, _) => named("rad"),
                (UnitRule::ToDegrees, Of::Unit(name, 2)) => named(&name.replacen("rad", "deg", 1)),
                (UnitRule::ToDegrees, _) => named("deg"),
                (UnitRule::ToRadians, Of::Unit(name, 2)) => named(&name.replacen("deg", "rad", 1)),
                (UnitRule::ToRadians, _) => named("rad"),
                (UnitRule::Metres, _) => named("m"),
            }
        }
        Node::OfRows(filter, arguments) => match (filter, arguments.first().map_or(Of::Unknown, of)) {
            (OfRows::DistanceFirst, _) => named("m"),
            (OfRows::Delta, Of::Unit(name, 2)) => named(&format!("{name}/s")),
            (OfRows::Integral, Of::Unit(name, 2)) => match name.strip_suffix("/s") {
                Some(name) => named(name),
                None => named(&format!("{name}·s")),
            },
            (OfRows::Delta | OfRows::Integral, _) => Of::Unknown,
            (_, argument) => argument,
        },
    }
}

fn named(name: &str) -> Of {
    Of::Unit(name.into(), 2)
}

/// The unit that several parts have in common; constants and ratios have that of the others.
fn common(parts: impl IntoIterator<Item = Of>) -> Of {
    let is_neutral = |part: &Of| matches!(part, Of::Constant | Of::Ratio);
    let agree = |a: Of, b: Of| match (a, b) {
        (a, b) if a == b || is_neutral(&b) => a,
        (a, b) if is_neutral(&a) => b,
        _ => Of::Unknown,
    };
    parts.into_iter().reduce(agree).unwrap_or(Of::Unknown)
}

fn binary(operator: Binary, left: Of, right: Of, exponent: &Node) -> Of {
    match (operator, left, right) {
        (Binary::Add | Binary::Subtract | Binary::Remainder, left, right) => common([left, right]),
        (Binary::Multiply | Binary::Divide | Binary::FloorDivide, left, Of::Ratio) => left,
        (Binary::Multiply, Of::Ratio, right) => right,
        (Binary::Multiply | Binary::Divide | Binary::FloorDivide, Of::Constant, Of::Constant) => Of::Constant,
        (Binary::Multiply, Of::Unit(left, a), Of::Unit(right, b)) if left == right => Of::Unit(left, a + b),
        (Binary::Divide | Binary::FloorDivide, Of::Unit(left, a), Of::Unit(right, b)) if left == right => {
            if a == b {
                Of::Ratio
            } else {
                Of::Unit(left, a - b)
            }
        }
        (Binary::Power, Of::Unit(name, power), _) => match exponent {
            Node::Number(number) if number.fract() == 0.0 && (1.0..=8.0).contains(number) => {
                Of::Unit(name, power * *number as i32)
            }
            Node::Number(0.5) => Of::Unit(name, power / 2),
            _ => Of::Unknown,
        },
        (Binary::Power, neutral, _) => neutral,
        (Binary::BitAnd | Binary::BitOr | Binary::BitXor | Binary::ShiftLeft | Binary::ShiftRight, ..) => Of::Ratio,
        _ => Of::Unknown,
    }
}
