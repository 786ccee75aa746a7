//! Any frames through the Blackbox encoders and back through the reader: shared by the fuzz target and the tests.
//!
//! What the bytes choose: the header, or the derived schema; then frames and their values, and events between them.

mod by_header;
mod by_schema;

use binlog::blackbox::log::Item;
use binlog::blackbox::{Adjusted, BlackboxLog, Event};

/// Encodes the frames that the bytes choose, and asserts that the reader finds the same values and loses nothing.
pub fn frames(bytes: &[u8]) {
    let mut choices = Choices { rest: bytes };
    match choices.below(2) {
        0 => by_header::frames(&mut choices),
        _ => by_schema::frames(&mut choices),
    }
}

/// Choices that bytes make; all are 0 after the last byte.
struct Choices<'b> {
    rest: &'b [u8],
}

impl Choices<'_> {
    fn byte(&mut self) -> u8 {
        let Some((&byte, rest)) = self.rest.split_first() else { return 0 };
        self.rest = rest;
        byte
    }

    fn below(&mut self, end: u8) -> u8 {
        self.byte() % end
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[usize::from(self.byte()) % all.len()]
    }

    /// A number of 0 to 4 bytes, positive or negative.
    fn number(&mut self) -> u32 {
        let choice = self.byte();
        let number = (0..choice % 5).fold(0, |number, _| number << 8 | u32::from(self.byte()));
        if choice < 128 { number } else { number.wrapping_neg() }
    }

    fn numbers(&mut self, count: usize) -> Vec<u32> {
        (0..count).map(|_| self.number()).collect()
    }

    fn event(&mut self) -> Event {
        let (a, b) = (self.number(), self.number());
        match self.below(8) {
            0 => Event::SyncBeep { time: a },
            1 => Event::Adjustment { function: b as u8 & 0x7F, value: Adjusted::Integer(a as i32) },
            2 => Event::Adjustment { function: b as u8 & 0x7F, value: Adjusted::Float((a as i32) as f32) },
            3 => Event::Resume { iteration: a, time: b },
            4 => Event::Disarm { reason: a },
            5 => Event::FlightMode { new: a, old: b },
            6 => Event::ImuFailure { error: a },
            _ => Event::SyncBeep { time: b },
        }
    }

    fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }
}

/// A frame as it was read: where it begins, its letter and its values.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Read {
    offset: usize,
    letter: u8,
    values: Vec<u32>,
}

/// The frames and the number of events in a log of one session, in which nothing is lost.
fn read(log: &[u8]) -> (Vec<Read>, usize) {
    let log = BlackboxLog::from_bytes(log);
    let session = log.session(0).expect("a session");
    assert_eq!((log.sessions().len(), session.header().problems()), (1, &[][..]));
    let (mut frames, mut all, mut events) = (session.frames(), Vec::new(), 0);
    while let Some(item) = frames.next() {
        match item {
            Item::Frame(frame) => {
                let (offset, letter) = (frame.offset(), frame.letter());
                all.push(Read { offset, letter, values: frame.values().to_vec() });
            }
            Item::Event { .. } => events += 1,
            Item::Lost(lost) => panic!("{lost}"),
        }
    }
    (all, events)
}
