//! One fact of a format, and the releases in which it holds.

use super::token::{CLOSED, Cursor, Subject, write_multiplier, write_name, write_text, write_unit};
use crate::change::compatibility::facts::MeaningFacts;
use crate::format::Format;
use std::fmt;

/// The versions in which something holds, by their place: releases from 0, then the version that isn't released yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Interval {
    pub(super) from: usize,
    /// The first version in which it doesn't hold any more; `None` if it holds today.
    pub(super) until: Option<usize>,
}

impl Interval {
    pub(super) fn contains(&self, version: usize) -> bool {
        self.from <= version && self.until.is_none_or(|until| version < until)
    }

    pub(super) fn overlaps(&self, other: &Interval) -> bool {
        let begins_in = |a: &Interval, b: &Interval| a.contains(b.from);
        begins_in(self, other) || begins_in(other, self)
    }
}

/// A fact with its interval: one line of the file.
#[derive(Clone, Debug)]
pub(super) struct Dated {
    pub(super) interval: Interval,
    pub(super) subject: Subject,
    pub(super) fact: Fact,
    /// Its line, from 1, if it was read from a file.
    pub(super) line: Option<usize>,
}

/// Wherever it was read.
impl PartialEq for Dated {
    fn eq(&self, other: &Self) -> bool {
        (self.interval, &self.subject, &self.fact) == (other.interval, &other.subject, &other.fact)
    }
}

/// What is said of a message or column.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Fact {
    Id(u8),
    /// Records a second.
    Rate(u32),
    /// The labels in the order of the record.
    Order(Vec<String>),
    Column {
        format: Format,
        /// Its id and its name.
        unit: (u8, String),
        /// Its id and its value.
        multiplier: (u8, f64),
        /// Whether its type refuses some numbers.
        is_closed: bool,
    },
    /// The name of a value.
    Value(i128, String),
    /// The name of a bit.
    Bit(i128, String),
}

/// What may be said once of a subject in one version.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Aspect {
    Id,
    Rate,
    Order,
    Column,
    Value(i128),
    Bit(i128),
}

impl Fact {
    pub(super) fn aspect(&self) -> Aspect {
        match self {
            Fact::Id(_) => Aspect::Id,
            Fact::Rate(_) => Aspect::Rate,
            Fact::Order(_) => Aspect::Order,
            Fact::Column { .. } => Aspect::Column,
            Fact::Value(value, _) => Aspect::Value(*value),
            Fact::Bit(bit, _) => Aspect::Bit(*bit),
        }
    }

    /// Reads the rest of a line, after its subject.
    pub(super) fn read(subject: &Subject, line: &mut Cursor<'_>) -> Result<Fact, String> {
        let word = line.word();
        let fact = match (&subject.column, word) {
            (_, "") => Err("the line ends before it says anything".into()),
            (None, "id") => {
                let id = line.word();
                let valid = id.parse().ok().filter(|&id: &u8| id < 255).map(Fact::Id);
                valid.ok_or_else(|| format!("`{id}` is not a valid id (0 to 254)"))
            }
            (None, "rate") => {
                let rate = line.word();
                let valid = rate.parse().ok().filter(|rate| (1..=1_000_000).contains(rate)).map(Fact::Rate);
                valid.ok_or_else(|| format!("`{rate}` is not a valid rate (1 to 1000000 records a second)"))
            }
            (None, "order") => line.labels().map(Fact::Order),
            (None, other) => Err(format!("`{other}` is nothing that a message has; that is `id`, `rate` or `order`")),
            (Some(_), "=") => meaning(line, MeaningFacts::VALUES).map(|(value, name)| Fact::Value(value, name)),
            (Some(_), "&") => meaning(line, MeaningFacts::BITS).map(|(bit, name)| Fact::Bit(bit, name)),
            (Some(_), format) => {
                let mut characters = format.bytes();
                let known = characters.next().and_then(Format::from_character).filter(|_| characters.next().is_none());
                let known = known.ok_or_else(|| format!("`{format}` is not a format character, `=` or `&`"));
                known.and_then(|format| {
                    let (unit, multiplier) = (line.unit()?, line.multiplier()?);
                    Ok(Fact::Column { format, unit, multiplier, is_closed: line.closed() })
                })
            }
        }?;
        line.end().map(|()| fact)
    }
}

/// A number and its name.
fn meaning(line: &mut Cursor<'_>, range: std::ops::RangeInclusive<i128>) -> Result<(i128, String), String> {
    let word = line.word();
    let number = word.parse().ok().filter(|number| range.contains(number));
    let number = number.ok_or_else(|| format!("`{word}` is not a number from {} to {}", range.start(), range.end()))?;
    Ok((number, line.text()?))
}

impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fact::Id(id) => write!(f, "id {id}"),
            Fact::Rate(rate) => write!(f, "rate {rate}"),
            Fact::Order(labels) => {
                f.write_str("order ")?;
                for (i, label) in labels.iter().enumerate() {
                    f.write_str(if i == 0 { "" } else { "," })?;
                    write_name(f, label)?;
                }
                Ok(())
            }
            Fact::Column { format, unit, multiplier, is_closed } => {
                write!(f, "{format} ")?;
                write_unit(f, unit.0, &unit.1)?;
                f.write_str(" ")?;
                write_multiplier(f, multiplier.0, multiplier.1)?;
                if *is_closed { write!(f, " {CLOSED}") } else { Ok(()) }
            }
            Fact::Value(value, name) => {
                write!(f, "= {value} ")?;
                write_text(f, name)
            }
            Fact::Bit(bit, name) => {
                write!(f, "& {bit} ")?;
                write_text(f, name)
            }
        }
    }
}
