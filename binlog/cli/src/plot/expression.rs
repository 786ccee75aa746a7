//! What a plot shows: columns and arithmetic on them, as Python writes it.
//!
//! ```text
//! ATT.DesRoll-ATT.Roll
//! sqrt(VIBE.VibeX**2 + VIBE.VibeY**2)
//! lowpass(IMU[0].AccX, 0, 0.9)
//! BARO[0].Temp:2
//! GPS.Alt{GPS.Status>=3}
//! ```
//!
//! A column is `TYPE.Label`, `TYPE[instance].Label`, or the name of a Blackbox field: `gyroADC[0]`, `main.gyroADC[0]`.
//! Operators have Python's meaning and precedence. The functions are those of Python's `math`, and those of MAVExplorer
//! that work on ArduPilot's messages, so that graphs of `mavgraphs.xml` read alike. `:2` puts the curve on the right
//! axis; a condition in braces leaves out the samples for which it is false or 0.
//!
//! All numbers are `f64`. What Python refuses, such as a division by 0 or the root of -1, gives a missing sample (NaN).

mod error;
mod evaluate;
mod function;
mod of_messages;
mod parser;
mod token;
mod unit;

pub use error::{ExpressionError, Problem};
pub use evaluate::{EvaluationError, MissingColumn, Samples, Series, Source};

pub use function::names as functions;

use function::{OfRows, OfSamples};
use std::fmt;

/// An expression: `ATT.DesRoll-ATT.Roll`.
#[derive(Clone, PartialEq, Debug)]
pub struct Expression {
    text: String,
    root: Node,
    condition: Option<Node>,
    is_right: bool,
}

/// The name of a column, as it is written in an expression.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ColumnName {
    /// The type, with its instance if one is given: `ATT`, `IMU[1]`. `None` for a Blackbox field without the table.
    pub table: Option<String>,
    /// The label, with its index if one is given: `Roll`, `gyroADC[0]`.
    pub label: String,
}

/// A part of an expression.
#[derive(Clone, PartialEq, Debug)]
enum Node {
    Number(f64),
    /// The name of a filter's state. Each filter has its own state anyway.
    Text(String),
    /// A column, and where it is in the text.
    Column(ColumnName, usize),
    Unary(Unary, Box<Node>),
    Binary(Binary, Box<Node>, Box<Node>),
    /// `a < b <= c`: each pair must hold.
    Compare(Box<Node>, Vec<(Comparison, Node)>),
    And(Box<Node>, Box<Node>),
    Or(Box<Node>, Box<Node>),
    /// `value if condition else other`.
    Choice {
        condition: Box<Node>,
        value: Box<Node>,
        other: Box<Node>,
    },
    /// A function of numbers, sample by sample.
    OfSamples(OfSamples, Vec<Node>),
    /// A function of a whole curve: a filter, a difference.
    OfRows(OfRows, Vec<Node>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Unary {
    Plus,
    Minus,
    Not,
    Invert,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Binary {
    Add,
    Subtract,
    Multiply,
    Divide,
    FloorDivide,
    Remainder,
    Power,
    BitAnd,
    BitOr,
    BitXor,
    ShiftLeft,
    ShiftRight,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Comparison {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
    NotEqual,
}

impl Expression {
    /// Parses an expression.
    ///
    /// # Errors
    ///
    /// If it isn't one. The error says where, what was expected, and which function may be meant.
    pub fn parse(text: &str) -> Result<Self, ExpressionError> {
        parser::parse(text)
    }

    /// The expression as given, without `:2` and condition.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it ends with `:2` and so belongs to the right axis.
    pub fn is_right(&self) -> bool {
        self.is_right
    }

    /// The same expression, on the right axis.
    #[must_use]
    pub fn on_the_right(self) -> Self {
        Expression { is_right: true, ..self }
    }

    /// The column that it is, with a condition or without; `None` if it computes.
    pub fn column(&self) -> Option<&ColumnName> {
        match &self.root {
            Node::Column(name, _) => Some(name),
            _ => None,
        }
    }

    /// The columns that it needs, each once, in the order of the text.
    pub fn columns(&self) -> Vec<&ColumnName> {
        let mut columns = Vec::new();
        for node in [Some(&self.root), self.condition.as_ref()].into_iter().flatten() {
            node.visit(&mut |node| {
                if let Node::Column(name, _) = node
                    && !columns.contains(&name)
                {
                    columns.push(name);
                }
            });
        }
        columns
    }

    /// The same expression of one instance: `IMU.GyrX` becomes `IMU[1].GyrX`.
    pub fn of_instance(&self, table: &str, instance: &str) -> Self {
        let with_instance = format!("{table}[{instance}]");
        let mut expression = self.clone();
        let rename = &mut |node: &mut Node| {
            if let Node::Column(ColumnName { table: Some(name), .. }, _) = node
                && name == table
            {
                *name = with_instance.clone();
            }
        };
        expression.root.visit_mut(rename);
        expression.condition.iter_mut().for_each(|condition| condition.visit_mut(rename));
        expression.text = replace_table(&self.text, table, &with_instance);
        expression
    }
}

/// Replaces a table's name wherever it stands before a dot or as an argument.
fn replace_table(text: &str, table: &str, with_instance: &str) -> String {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut replaced = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(table) {
        let (before, after) = (&rest[..at], &rest[at + table.len()..]);
        let begins = !before.ends_with(|c| is_name(c) || c == '.') && (at > 0 || !replaced.ends_with(is_name));
        let ends = !after.starts_with(|c| is_name(c) || c == '[');
        replaced += before;
        replaced += if begins && ends { with_instance } else { table };
        rest = after;
    }
    replaced + rest
}

impl Node {
    /// Calls a function with this part and all parts of it, from left to right.
    fn visit<'n>(&'n self, see: &mut impl FnMut(&'n Node)) {
        see(self);
        match self {
            Node::Number(_) | Node::Text(_) | Node::Column(..) => {}
            Node::Unary(_, value) => value.visit(see),
            Node::Binary(_, left, right) | Node::And(left, right) | Node::Or(left, right) => {
                left.visit(see);
                right.visit(see);
            }
            Node::Compare(first, rest) => {
                first.visit(see);
                rest.iter().for_each(|(_, node)| node.visit(see));
            }
            Node::Choice { condition, value, other } => {
                for node in [value, condition, other] {
                    node.visit(see);
                }
            }
            Node::OfSamples(_, arguments) | Node::OfRows(_, arguments) => {
                arguments.iter().for_each(|node| node.visit(see));
            }
        }
    }

    /// As [`visit`](Self::visit), to change the parts.
    fn visit_mut(&mut self, see: &mut impl FnMut(&mut Node)) {
        see(self);
        match self {
            Node::Number(_) | Node::Text(_) | Node::Column(..) => {}
            Node::Unary(_, value) => value.visit_mut(see),
            Node::Binary(_, left, right) | Node::And(left, right) | Node::Or(left, right) => {
                left.visit_mut(see);
                right.visit_mut(see);
            }
            Node::Compare(first, rest) => {
                first.visit_mut(see);
                rest.iter_mut().for_each(|(_, node)| node.visit_mut(see));
            }
            Node::Choice { condition, value, other } => {
                for node in [value, condition, other] {
                    node.visit_mut(see);
                }
            }
            Node::OfSamples(_, arguments) | Node::OfRows(_, arguments) => {
                arguments.iter_mut().for_each(|node| node.visit_mut(see));
            }
        }
    }
}

impl fmt::Display for ColumnName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.table {
            Some(table) => write!(f, "{table}.{}", self.label),
            None => f.write_str(&self.label),
        }
    }
}

#[cfg(test)]
mod tests;
