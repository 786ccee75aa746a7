//! The fields of one kind of frame, found by name.

use crate::blackbox::Header;
use crate::blackbox::Quantity;
use crate::blackbox::firmware::Family;
use crate::blackbox::header::{LoggedField, Number};

/// The fields of the frames of one letter, and which of them are converted without loss.
pub(super) struct Fields<'s> {
    header: &'s Header<'s>,
    fields: &'s [LoggedField],
    converted: Vec<bool>,
}

/// Where a value is in a frame, and what it is multiplied by.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct ValueSource {
    index: usize,
    number: Number,
    zero: f64,
    factor: f64,
}

impl<'s> Fields<'s> {
    pub(super) fn of(header: &'s Header<'s>, letter: u8) -> Self {
        let fields = header.fields(letter);
        Fields { header, fields, converted: vec![false; fields.len()] }
    }

    /// The firmware that logged them.
    pub(super) fn family(&self) -> Family {
        Family::of(self.header)
    }

    /// The number as it is logged.
    pub(super) fn raw(&self, name: &str) -> Option<ValueSource> {
        let index = self.fields.iter().position(|field| field.name() == name)?;
        Some(ValueSource { index, number: self.fields[index].number(), zero: 0.0, factor: 1.0 })
    }

    /// The value in a unit; `None` if the field isn't there or measures something else.
    pub(super) fn quantity(&self, name: &str, unit: &str) -> Option<ValueSource> {
        let raw = self.raw(name)?;
        let quantity = Quantity::of(self.header, name).filter(|quantity| quantity.unit.name() == unit)?;
        Some(ValueSource { zero: quantity.zero, factor: quantity.factor, ..raw })
    }

    /// The elements 0 to `N - 1` of an array. `None` if one is missing.
    pub(super) fn array<const N: usize>(&self, name: &str, unit: &str) -> Option<[ValueSource; N]> {
        let mut sources = [ValueSource { index: 0, number: Number::Unsigned, zero: 0.0, factor: 1.0 }; N];
        for (i, source) in sources.iter_mut().enumerate() {
            *source = self.quantity(&format!("{name}[{i}]"), unit)?;
        }
        Some(sources)
    }

    /// The elements of an array from 0 on, as logged.
    pub(super) fn elements(&self, name: &str) -> Vec<ValueSource> {
        (0..).map_while(|i| self.raw(&format!("{name}[{i}]"))).collect()
    }

    /// Marks fields as converted without loss, so that they aren't among the remaining ones.
    pub(super) fn convert<'f>(&mut self, sources: impl IntoIterator<Item = &'f ValueSource>) {
        for source in sources {
            self.converted[source.index] = true;
        }
    }

    /// The fields that no message has yet: index, field and quantity.
    pub(super) fn remaining(&self) -> impl Iterator<Item = (usize, &'s LoggedField, Option<Quantity>)> {
        let all = self.fields.iter().zip(&self.converted).enumerate();
        all.filter(|(_, (_, converted))| !**converted)
            .map(|(index, (field, _))| (index, field, Quantity::of(self.header, field.name())))
    }
}

impl ValueSource {
    /// The number as it is logged.
    pub(super) fn raw(self, values: &[u32]) -> i64 {
        self.number.value(values.get(self.index).copied().unwrap_or_default())
    }

    /// The value in its unit.
    pub(super) fn value(self, values: &[u32]) -> f64 {
        // Of a reversed 0, which is -0, the sum is 0.
        (self.raw(values) as f64 - self.zero) * self.factor + 0.0
    }

    /// The value in the opposite direction: of an axis that ArduPilot has the other way round.
    pub(super) fn reversed(self) -> Self {
        ValueSource { factor: -self.factor, ..self }
    }

    /// The value times a factor.
    pub(super) fn times(self, factor: f64) -> Self {
        ValueSource { factor: self.factor * factor, ..self }
    }
}

/// Three axes forward, left, up as ArduPilot's forward, right, down.
pub(super) fn forward_right_down([forward, left, up]: [ValueSource; 3]) -> [ValueSource; 3] {
    [forward, left.reversed(), up.reversed()]
}

/// The values of several sources.
pub(super) fn values<const N: usize>(sources: [ValueSource; N], values: &[u32]) -> [f32; N] {
    sources.map(|source| source.value(values) as f32)
}
