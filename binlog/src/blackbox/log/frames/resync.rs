//! Finding the next frames after damage, and which P frames survive it.

use super::Frames;
use crate::blackbox::decode::Context;
use crate::blackbox::event::Event;
use crate::blackbox::log::letters::Begins;
use crate::blackbox::place::Place;
use std::ops::Range;

/// The payload of an unknown event is at most this long.
const LONGEST_UNKNOWN_EVENT: usize = 64;

impl Frames<'_> {
    /// Whether the P frames from `at` on refer to the frames in `history`: the next I frame then comes at the iteration
    /// and the time at which one is due after them. A missing P frame puts off both.
    #[cold]
    pub(super) fn none_is_missing(&mut self, at: usize) -> bool {
        let Some(from) = self.last else { return false };
        let history = self.history.clone();
        let proof = self.due_after(at, from);
        self.history = history;
        self.last = Some(from);
        proof.unwrap_or(false)
    }

    /// Decodes up to the next I frame, and returns whether that frame has the expected iteration and time. `None` if damage
    /// comes first.
    fn due_after(&mut self, mut at: usize, from: Place) -> Option<bool> {
        let intervals = self.session.header().intervals();
        let mut last = from;
        let mut moved = 0;
        loop {
            let letter = self.letters.byte(at)?;
            match self.letters.of(letter) {
                Begins::Frame(decoder) if letter == b'P' => {
                    let [values, previous, before_it] = &mut self.history;
                    at = self.letters.read(&decoder, at, values).ok()?;
                    let iterations = intervals.step(last.iteration);
                    let context = Context { home: self.home.unwrap_or_default(), main_time: last.time, iterations };
                    decoder.predict(values, previous, before_it, &context);
                    let place = self.place();
                    if !last.may_be_followed_by(place) {
                        return None;
                    }
                    moved = place.time.wrapping_sub(last.time);
                    last = place;
                    self.last = Some(place);
                    self.history.rotate_right(1);
                }
                Begins::Frame(decoder) if letter == b'I' => {
                    self.decode_intra(&decoder, at).ok()?;
                    let place = self.place();
                    let early = place.time.wrapping_sub(last.time.wrapping_add(moved)) as i32;
                    let is_in_time = early.unsigned_abs() <= moved / 2;
                    let is_next = place.iteration == last.iteration.wrapping_add(intervals.step(last.iteration));
                    if is_in_time && is_next {
                        self.proven_until = at;
                    }
                    return Some(is_in_time && is_next);
                }
                Begins::Frame(decoder) => at = self.letters.read(&decoder, at, &mut self.other).ok()?,
                Begins::Event => match self.letters.event(at).ok()? {
                    (Event::End { .. } | Event::Resume { .. }, _) => return None,
                    (Event::Unknown { .. }, end) => at = self.unknown_event_end(end)?,
                    (_, end) => at = end,
                },
                Begins::Nothing | Begins::Unusable => return None,
            }
        }
    }

    /// Where the payload of an unknown event ends that begins at `from`: at the next frames that stand, at `from` itself if
    /// they do.
    pub(super) fn unknown_event_end(&mut self, from: usize) -> Option<usize> {
        (from..(from + LONGEST_UNKNOWN_EVENT).min(self.letters.end)).find(|&at| self.stands(at, false))
    }

    /// Whether a main frame may be in a range that is taken for the payload of an unknown event.
    pub(super) fn has_main_frame(&mut self, mut range: Range<usize>) -> bool {
        let end = range.end;
        range.any(|at| {
            let Some(letter @ (b'I' | b'P')) = self.letters.byte(at) else { return false };
            let Begins::Frame(decoder) = self.letters.of(letter) else { return false };
            self.letters.read(&decoder, at, &mut self.other).is_ok_and(|frame_end| frame_end <= end)
        })
    }

    /// The first place from `from` on where a frame stands, or the end of the session.
    pub(super) fn next_that_stands(&mut self, from: usize) -> usize {
        (from..self.letters.end).find(|&at| self.stands(at, true)).unwrap_or(self.letters.end)
    }

    /// Whether a frame stands at a place, and others after it do.
    ///
    /// Letters are frequent in any bytes, and one frame stands by chance in one of forty places. An I frame is believed on
    /// less if it continues the iterations at a multiple of the I interval. One that doesn't continue them is believed if
    /// `jumps` are expected, and two frames after it stand.
    pub(super) fn stands(&mut self, at: usize, jumps: bool) -> bool {
        let Some(letter) = self.letters.byte(at) else { return false };
        match self.letters.of(letter) {
            Begins::Nothing | Begins::Unusable => false,
            Begins::Event => match self.letters.event(at) {
                Ok((Event::End { .. }, _)) => true,
                // After damage, any byte would do as its number.
                Ok((Event::Unknown { .. }, _)) if jumps => false,
                _ => self.letters.stand(at, 3, &mut self.other),
            },
            Begins::Frame(decoder) if letter == b'I' => {
                if self.decode_intra(&decoder, at).is_err() {
                    return false;
                }
                let place = self.place();
                let continues = self.last.is_some_and(|last| last.may_be_followed_by(place));
                let i_interval = self.session.header().intervals().i_interval();
                let others = match continues {
                    true if i_interval > 1 && place.iteration.is_multiple_of(i_interval) => 0,
                    true => 1,
                    false if jumps || self.last.is_none() => 2,
                    false => return false,
                };
                self.letters.stand(at, 1 + others, &mut self.other)
            }
            Begins::Frame(_) => self.letters.stand(at, 3, &mut self.other),
        }
    }
}
