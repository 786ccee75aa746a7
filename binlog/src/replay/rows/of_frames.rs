//! Samples of a Blackbox log's frames.

use super::{Join, Sample, Signal, Signals};
use crate::blackbox::Quantity;
use crate::blackbox::log::{Frames, Item as FrameItem, Session, table_name};
use crate::replay::error::ReplayError;
use crate::replay::frames::lost_item;
use crate::replay::item::Item;
use crate::replay::order::Order;

/// The rows of these signals.
///
/// # Errors
///
/// If no session of the log has all of them.
pub(in crate::replay) fn of_frames<'f, const N: usize>(
    sessions: &'f [Session<'f>],
    signals: [Signal; N],
) -> Result<impl Iterator<Item = Result<Item<[f64; N]>, ReplayError>> + use<'f, N>, ReplayError> {
    const { assert!(N > 0 && N <= 64, "a row has 1 to 64 signals") };
    let mut missing = None;
    let has_all = sessions.iter().enumerate().any(|(i, session)| match tables(session, i + 1, &signals) {
        Ok(_) => true,
        Err(error) => {
            missing.get_or_insert(error);
            false
        }
    });
    if !has_all {
        let asked = signals.iter().map(|signal| signal.name.clone()).collect();
        return Err(missing.unwrap_or(ReplayError::NoInputs { asked, has: Vec::new() }));
    }
    let sessions = sessions.iter().enumerate();
    let samples = Samples { sessions, signals: signals.clone(), now: None, order: Order::new(), is_over: false };
    Ok(Join::new(samples, &signals))
}

/// The samples of all sessions.
struct Samples<'f, const N: usize> {
    /// Those that follow, with their numbers.
    sessions: std::iter::Enumerate<std::slice::Iter<'f, Session<'f>>>,
    signals: [Signal; N],
    /// The frames of the session that is read.
    now: Option<(Frames<'f>, Vec<Table>)>,
    order: Order<Sample<N>>,
    is_over: bool,
}

/// The signals in frames of one letter.
struct Table {
    letter: u8,
    fields: Vec<Field>,
    signals: Signals,
}

struct Field {
    signal: usize,
    place: usize,
    quantity: Option<Quantity>,
}

/// Where a session has the signals: in main frames, or else in others, or in those that a name begins with, as in
/// `gps.GPS_speed`. I and P frames are one table.
fn tables<const N: usize>(
    session: &Session<'_>,
    number: usize,
    signals: &[Signal; N],
) -> Result<Vec<Table>, ReplayError> {
    let header = session.header();
    let letters = || b"ISGH".iter().copied().filter(|&letter| header.frame(letter).is_some());
    let mut tables: Vec<Table> = Vec::new();
    for (signal, Signal { name, .. }) in signals.iter().enumerate() {
        let (table, label) = match name.split_once('.') {
            Some((table, label)) if letters().any(|letter| table_name(letter) == table) => (Some(table), label),
            _ => (None, name.as_str()),
        };
        let is_asked = |letter: &u8| table.is_none_or(|table| table_name(*letter) == table);
        let place = |letter| header.fields(letter).iter().position(|field| field.name() == label);
        let Some((letter, place)) = letters().filter(is_asked).find_map(|letter| Some((letter, place(letter)?))) else {
            let has = letters().flat_map(|letter| header.fields(letter)).map(|field| field.name().to_owned());
            return Err(ReplayError::NoField { session: number, name: name.clone(), has: has.collect() });
        };
        let field = Field { signal, place, quantity: Quantity::of(header, label) };
        match tables.iter_mut().find(|table| table.letter == letter) {
            Some(table) => {
                table.fields.push(field);
                table.signals = table.signals.with(signal);
            }
            None => tables.push(Table { letter, fields: vec![field], signals: Signals::NONE.with(signal) }),
        }
    }
    Ok(tables)
}

impl<const N: usize> Iterator for Samples<'_, N> {
    type Item = Result<Item<Sample<N>>, ReplayError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(item) = self.order.pop() {
                return Some(Ok(item));
            }
            if self.is_over {
                return None;
            }
            let Some((frames, tables)) = &mut self.now else {
                match self.sessions.next() {
                    None => {
                        self.is_over = true;
                        self.order.end();
                    }
                    Some((i, session)) => {
                        self.order.begin(i + 1);
                        match self::tables(session, i + 1, &self.signals) {
                            Ok(tables) => self.now = Some((session.frames(), tables)),
                            Err(error) => return Some(Err(error)),
                        }
                    }
                }
                continue;
            };
            match frames.next() {
                None => self.now = None,
                Some(FrameItem::Event { time_us, event, .. }) => self.order.between(Item::Event { time_us, event }),
                Some(FrameItem::Lost(lost)) => self.order.between(lost_item(&lost)),
                Some(FrameItem::Frame(frame)) => {
                    let letter = if frame.letter() == b'P' { b'I' } else { frame.letter() };
                    let Some(table) = tables.iter().find(|table| table.letter == letter) else {
                        self.order.other(frame.time_us());
                        continue;
                    };
                    let mut values = [f64::NAN; N];
                    for Field { signal, place, quantity } in &table.fields {
                        if let Some((&bits, field)) = frame.values().get(*place).zip(frame.fields().get(*place)) {
                            let logged = field.value(bits);
                            values[*signal] = quantity.map_or(logged as f64, |quantity| quantity.value(logged));
                        }
                    }
                    let source = self.order.source(&table_name(letter));
                    self.order.input(Some(frame.time_us()), source, Sample { signals: table.signals, values });
                }
            }
        }
    }
}
