// Held by tests/tests/blackbox/reference.rs, tests/tests/blackbox/damage_scored.rs.

//! The frames of a session, one after the other, damaged or not.
//!
//! A frame is valid if it has at most 256 bytes and the letter of another frame follows it, or padding. A main frame
//! must also be near the one before: forward by less than 5000 iterations and less than 10 seconds, unless a Resume
//! event says otherwise. After an invalid frame, P frames have lost what they refer to, and are skipped up to the next
//! I frame. These are the rules of the format's description and of Cleanflight's decoder.
//!
//! Where that decoder loses the rest of a log, this one continues: an I frame that agrees with a rejected one before it
//! is accepted even if both are far from the last good frame. P frames survive events that nobody has heard of. P
//! frames after damage are kept if the next I frame proves that none of them is missing.
//!
//! That decoder reads on into another session; this one doesn't. After a power cut, a file or a chip continues with its
//! earlier content, often frames of an older log. [`Pace`] tells them apart: over a gap, the iterations of a session
//! take the session's own time. After damage, and over a jump, an I frame that breaks this rule is of another session,
//! and so are the frames that continue it. Frames between damage and the next I frame wait for the verdict on that
//! frame. A step of the time while the iterations continue one by one breaks no rule: see [`Sync`].

mod pace;
mod resync;

use super::letters::{Begins, Letters, NoFrame};
use super::lost::{Lost, LostReason};
use super::session::Session;
use crate::blackbox::decode::{Context, Derived, FrameDecoder, NO_VALUES, Values};
use crate::blackbox::definition::FrameKind;
use crate::blackbox::event::Event;
use crate::blackbox::header::LoggedField;
use crate::blackbox::limits::{JUMP_US, MAX_FRAME_BYTES};
use crate::blackbox::place::{FramePlace, ReferredFields};
use pace::Pace;
use resync::{Sync, Verdict};
use std::fmt;
use std::mem;
use std::ops::Range;

/// What is in a session: what [`Frames`] returns, with its [`Frame`]s, and what [`Typed`](super::Typed) and
/// [`TypedFrames`](super::TypedFrames) return, with the program's structs.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Item<F> {
    /// A frame with values.
    Frame(F),
    /// An event.
    Event {
        /// Where it begins, in bytes from the start of the log.
        offset: usize,
        /// The time of the main frame before it, in microseconds, extended beyond 32 bits. An event before the first
        /// main frame has the time of that frame, and 0 if the session has no main frame.
        time_us: u64,
        /// The event.
        event: Event,
    },
    /// A stretch without frames.
    Lost(Lost),
}

/// A frame: the values of its fields.
#[derive(Clone, Copy)]
pub struct Frame<'f> {
    letter: u8,
    offset: usize,
    length: usize,
    time_us: u64,
    /// Those of the fields, and room after them.
    values: &'f Values,
    fields: &'f [LoggedField],
}

impl<'f> Frame<'f> {
    /// The letter that it begins with.
    pub fn letter(&self) -> u8 {
        self.letter
    }

    /// Its kind; `None` for a letter that only the session's header defines.
    pub fn kind(&self) -> Option<FrameKind> {
        FrameKind::from_letter(self.letter)
    }

    /// Where it begins, in bytes from the start of the log.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Its length in bytes, the letter included. A frame without values ends where the next one begins.
    pub fn length(&self) -> usize {
        self.length
    }

    /// Its time in microseconds, extended beyond the 32 bits of the field `time`. For a frame without that field, the
    /// time of the main frame before, or of the first main frame if none is before.
    pub fn time_us(&self) -> u64 {
        self.time_us
    }

    /// The values as 32 bits, in the order of the fields. None, like [`fields`](Self::fields), for frames of a letter
    /// that only the session's header defines, if that doesn't say how they are decoded.
    pub fn values(&self) -> &'f [u32] {
        // There is room for the fields of any frame.
        self.values.get(..self.fields.len()).unwrap_or_default()
    }

    /// The values, and the room after them.
    pub(super) fn all_values(&self) -> &'f Values {
        self.values
    }

    /// The fields.
    pub fn fields(&self) -> &'f [LoggedField] {
        self.fields
    }

    /// The value of the field with this name, with its sign.
    pub fn value(&self, name: &str) -> Option<i64> {
        let (field, &bits) = self.fields.iter().zip(self.values()).find(|(field, _)| field.name() == name)?;
        Some(field.value(bits))
    }
}

impl PartialEq for Frame<'_> {
    fn eq(&self, other: &Self) -> bool {
        let Frame { letter, offset, length, time_us, fields, .. } = *self;
        (letter, offset, length, time_us, fields)
            == (other.letter, other.offset, other.length, other.time_us, other.fields)
            && self.values() == other.values()
    }
}

impl fmt::Debug for Frame<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = self.fields.iter().zip(self.values()).map(|(field, &bits)| (field.name(), field.value(bits)));
        f.debug_struct("Frame")
            .field("letter", &char::from(self.letter))
            .field("offset", &self.offset)
            .field("length", &self.length)
            .field("time_us", &self.time_us)
            .field("values", &named.collect::<Vec<_>>())
            .finish()
    }
}

/// What was found, until it is returned.
#[derive(Clone, Copy)]
enum Found {
    Main { letter: u8, at: usize, end: usize },
    Other { letter: u8, at: usize, end: usize, time_us: u64 },
    Event { at: usize, event: Event },
}

/// The frames of a session: returned by [`Session::frames`].
///
/// It lends each frame: the values of one are replaced by those of the next, so that nothing is allocated or copied for
/// a frame.
pub struct Frames<'s> {
    letters: Letters<'s>,
    session: &'s Session<'s>,
    main_fields: &'s [LoggedField],
    referred: ReferredFields,
    at: usize,
    /// The frame that is being decoded, and the main frames before it.
    history: [Box<Values>; 3],
    /// The last frame of another kind.
    other: Box<Values>,
    sync: Sync,
    /// Up to here, an I frame has proved that no main frame is missing.
    proven_until: usize,
    /// The verdict on the frames up to this offset, by the I frame there.
    ahead: (usize, Verdict),
    /// The last main frame that was accepted, or the Resume event after it.
    last: Option<FramePlace>,
    /// The time of the last main frame, from which other frames are predicted; 0 before there is one.
    main_time: u32,
    pace: Pace,
    /// The time of an iteration by the header.
    looptime_us: Option<f64>,
    /// The time of the last main frame, or of the Resume event after it.
    time_us: u64,
    /// The time of the first main frame, once something before it has asked for it.
    first_us: Option<u64>,
    /// The time of the last other frame that has one.
    other_us: Option<u64>,
    home: Option<[u32; 2]>,
    lost: Option<(usize, LostReason)>,
    /// Whether the last I frame is read only because bytes before it are lost.
    needs_resume: bool,
    /// Whether the lost stretch ends where the next frame is looked for, because another one begins there.
    is_split: bool,
    found: Option<Found>,
}

impl<'s> Frames<'s> {
    pub(super) fn new(session: &'s Session<'s>) -> Self {
        let header = session.header();
        Frames {
            letters: Letters::new(header, session.log(), session.end()),
            session,
            main_fields: header.fields(b'I'),
            referred: ReferredFields::of(header),
            at: session.frames_offset(),
            history: [(); 3].map(|()| Box::new(NO_VALUES)),
            other: Box::new(NO_VALUES),
            sync: Sync::Begin,
            proven_until: 0,
            ahead: (0, Verdict::Unproven),
            last: None,
            main_time: 0,
            pace: Pace::UNKNOWN,
            looptime_us: resync::looptime_us(header),
            time_us: 0,
            first_us: None,
            other_us: None,
            home: None,
            lost: None,
            needs_resume: false,
            is_split: false,
            found: None,
        }
    }

    /// Decodes the frames with a letter by derived code, which does the same as the header's plan.
    pub(super) fn derive(&mut self, letter: u8, derived: Derived) {
        self.letters.derive(letter, derived);
    }

    /// The next frame, event or lost stretch; `None` at the end of the session.
    #[expect(clippy::should_implement_trait, reason = "it lends, which an iterator can't")]
    #[inline]
    pub fn next(&mut self) -> Option<Item<Frame<'_>>> {
        if self.found.is_none() {
            self.find();
        }
        if let Some((offset, reason)) = self.lost.take() {
            let end = match self.found {
                Some(Found::Main { at, .. } | Found::Other { at, .. } | Found::Event { at, .. }) => at,
                None => self.at,
            };
            return Some(Item::Lost(Lost { offset, length: end - offset, reason }));
        }
        let (letter, at, end, time_us, values, fields) = match self.found.take()? {
            Found::Event { at, event } => {
                return Some(Item::Event { offset: at, time_us: self.main_time_us(), event });
            }
            Found::Main { letter, at, end } => (letter, at, end, self.time_us, &self.history[1], self.main_fields),
            Found::Other { letter, at, end, time_us } => {
                (letter, at, end, time_us, &self.other, self.session.columns(letter))
            }
        };
        Some(Item::Frame(Frame { letter, offset: at, length: end - at, time_us, values, fields }))
    }

    /// The offset at which the search for the next frame begins, in bytes from the start of the log. After the last
    /// frame, it is the end of the session's frames; later bytes of the session are foreign.
    pub fn offset(&self) -> usize {
        self.at
    }

    /// The Resume event that has to precede the I frame that was returned last where the bytes before it are removed:
    /// without the damage, readers would take the frame for damaged, because iterations are missing before it. `None`
    /// if the frame needs none.
    pub(crate) fn missing_resume(&self) -> Option<Event> {
        let FramePlace { iteration, time } = self.last.filter(|_| self.needs_resume)?;
        Some(Event::Resume { iteration, time })
    }

    /// Finds the next frame or event and stores it in `found`. Stops without one at the end of a lost stretch that
    /// another stretch follows, and at the end of the session.
    fn find(&mut self) {
        while self.found.is_none() && !mem::take(&mut self.is_split) {
            let at = self.at;
            let Some(letter) = self.letters.byte(at) else { return self.leave_out_padding() };
            match self.letters.of(letter) {
                Begins::Frame(decoder) if letter == b'P' => self.inter(&decoder, at),
                Begins::Frame(decoder) if letter == b'I' => self.intra(&decoder, at),
                Begins::Frame(decoder) => self.other(&decoder, letter, at),
                Begins::Event => self.event(at),
                Begins::Unusable => self.unusable(letter, at),
                Begins::Nothing if self.letters.is_padding_to_the_end(at) => self.letters.end = at,
                Begins::Nothing => self.damaged(at, LostReason::NoFrame(letter)),
            }
        }
    }

    /// The time of the last main frame. Before the first main frame, the time of that one.
    #[cold]
    fn main_time_us(&mut self) -> u64 {
        match (self.last, self.first_us) {
            (Some(_), _) => self.time_us,
            (None, Some(first_us)) => first_us,
            (None, None) => *self.first_us.insert(self.first_time_us()),
        }
    }

    /// The time of the first main frame from here on; 0 without one.
    fn first_time_us(&self) -> u64 {
        // This search doesn't need the times of the frames before that one.
        let mut ahead = Frames { at: self.at, first_us: Some(0), ..Frames::new(self.session) };
        ahead.letters.end = self.letters.end;
        loop {
            ahead.find();
            match ahead.found.take() {
                Some(Found::Main { .. }) => return ahead.time_us,
                Some(_) => {}
                None => return 0,
            }
        }
    }

    #[inline]
    fn inter(&mut self, decoder: &FrameDecoder<'s>, at: usize) {
        if !matches!(self.sync, Sync::Synced) && !self.is_proven(at) {
            return self.skip_inter(decoder, at);
        }
        let [values, before, older] = &mut self.history;
        let end = match self.letters.read(decoder, at, values) {
            Ok(end) => end,
            Err(error) => return self.broken(b'P', at, error),
        };
        let last = self.last.unwrap_or_default();
        let iterations = self.session.header().intervals().step(last.iteration);
        let context = Context { home: self.home.unwrap_or_default(), main_time: self.main_time, iterations };
        decoder.predict(values, before, older, &context);
        let place = self.place();
        if !last.may_be_followed_by(place) {
            self.sync = Sync::Stepped { frames: 1 };
            return self.leave_out(at..end, jump(b'P', place));
        }
        self.accept(place);
        self.history.rotate_right(1);
        self.found = Some(Found::Main { letter: b'P', at, end });
        self.at = end;
    }

    fn intra(&mut self, decoder: &FrameDecoder<'s>, at: usize) {
        let end = match self.decode_intra(decoder, at) {
            Ok(end) => end,
            Err(error) => return self.broken(b'I', at, error),
        };
        let place = self.place();
        match self.verdict(place, end) {
            Verdict::Continues => {}
            Verdict::Jumps | Verdict::Unproven => {
                self.sync = Sync::NeedsIntra { after: Some(place) };
                return self.leave_out(at..end, jump(b'I', place));
            }
            Verdict::Elsewhere(place) => {
                self.sync = self.sync.elsewhere(place, self.session.header().intervals());
                return self.leave_out(at..end, other_session(place));
            }
        }
        self.needs_resume = match self.sync {
            Sync::Begin | Sync::Synced => false,
            _ => !self.continues_undamaged(place, end),
        };
        let intervals = self.session.header().intervals();
        self.pace.intra(self.last, place, matches!(self.sync, Sync::Begin), intervals);
        self.accept(place);
        self.sync = Sync::Synced;
        self.at = end;
        // A P frame after an I frame doesn't look further back.
        let [values, before, older] = &mut self.history;
        older.copy_from_slice(&values[..]);
        mem::swap(values, before);
        self.found = Some(Found::Main { letter: b'I', at, end });
    }

    /// Decodes an I frame into `history[0]`. It stands alone: it has no history.
    fn decode_intra(&mut self, decoder: &FrameDecoder<'_>, at: usize) -> Result<usize, NoFrame> {
        let values = &mut self.history[0];
        let end = self.letters.read(decoder, at, values)?;
        let context = Context { home: self.home.unwrap_or_default(), main_time: self.main_time, iterations: 1 };
        decoder.predict(values, &NO_VALUES, &NO_VALUES, &context);
        Ok(end)
    }

    /// A frame other than a main frame: it has no history, either.
    fn other(&mut self, decoder: &FrameDecoder<'s>, letter: u8, at: usize) {
        let doubt = self.doubt(letter, at);
        let end = match self.letters.read_one(decoder, at, &mut self.other) {
            Ok(end) => end,
            Err(error) => return self.broken(letter, at, error),
        };
        if let Some(reason) = doubt {
            return self.leave_out(at..end, reason);
        }
        self.at = end;
        if self.session.columns(letter).is_empty() {
            self.found = Some(Found::Other { letter, at, end, time_us: self.main_time_us() });
            return;
        }
        if decoder.needs_home() && self.home.is_none() {
            self.lost.get_or_insert((at, LostReason::NoHome));
            return;
        }
        let context = Context { home: self.home.unwrap_or_default(), main_time: self.main_time, iterations: 1 };
        decoder.predict(&mut self.other, &NO_VALUES, &NO_VALUES, &context);
        let time = self.session.time_field(letter).and_then(|field| self.other.get(field).copied());
        let time_us = match time {
            None => self.main_time_us(),
            Some(time) => {
                let Some(time_us) = self.near(time) else {
                    self.lost.get_or_insert((at, LostReason::Time { letter, time }));
                    return;
                };
                self.other_us = Some(time_us);
                time_us
            }
        };
        if letter == b'H' {
            self.home = Some(self.referred.home(&self.other));
        }
        self.found = Some(Found::Other { letter, at, end, time_us });
    }

    fn event(&mut self, at: usize) {
        let (event, end) = match self.letters.event(at) {
            Ok(found) => found,
            Err(error) => return self.broken(b'E', at, error),
        };
        let doubt = match event {
            Event::End { .. } => self.doubt_of_end(),
            Event::Resume { iteration, time } => self.doubt_of_resume(FramePlace { iteration, time }, end),
            _ => self.doubt(b'E', at),
        };
        if let Some(reason) = doubt {
            return self.leave_out(at..end, reason);
        }
        self.at = end;
        match event {
            Event::End { .. } => self.letters.end = end,
            Event::Resume { iteration, time } => {
                // Frames of other kinds may have continued for more than half of the range of a time.
                self.time_us = self.near_other(time).unwrap_or_else(|| self.extended(time));
                let place = FramePlace { iteration, time };
                self.last = Some(place);
                self.pace.continue_from(place);
            }
            Event::Unknown { .. } => {
                let Some(payload_end) = self.unknown_event_end(end) else {
                    return self.damaged(at, LostReason::Broken(b'E'));
                };
                if matches!(self.sync, Sync::Synced)
                    && at >= self.proven_until
                    && self.has_main_frame(end..payload_end)
                    && !self.none_is_missing(payload_end)
                {
                    return self.damaged(at, LostReason::Broken(b'E'));
                }
                self.at = payload_end;
            }
            _ => {}
        }
        self.found = Some(Found::Event { at, event });
    }

    /// The frame's length is unknown: it ends where the next frames stand. P frames after it refer to the main frames
    /// before it.
    #[cold]
    fn unusable(&mut self, letter: u8, at: usize) {
        let end = self.next_valid_frame(at + 1);
        if let Some(reason) = self.doubt(letter, at) {
            return self.leave_out(at..end, reason);
        }
        self.at = end;
        match FrameKind::from_letter(letter) {
            Some(_) => drop(self.lost.get_or_insert((at, LostReason::Unusable(letter)))),
            None => self.found = Some(Found::Other { letter, at, end, time_us: self.main_time_us() }),
        }
    }

    #[cold]
    fn broken(&mut self, letter: u8, at: usize, error: NoFrame) {
        self.damaged(
            at,
            match error {
                NoFrame::Broken => LostReason::Broken(letter),
                NoFrame::Truncated => LostReason::Truncated(letter),
            },
        );
    }

    /// Bytes that are not a frame.
    #[cold]
    fn damaged(&mut self, at: usize, reason: LostReason) {
        self.sync = self.sync.damaged();
        self.lost.get_or_insert((at, reason));
        self.at = self.next_valid_frame(at + 1);
    }

    /// Leaves out a valid frame. Frames of another session are a stretch of their own.
    #[cold]
    fn leave_out(&mut self, frame: Range<usize>, reason: LostReason) {
        let is_other = |reason| matches!(reason, LostReason::OtherSession { .. });
        if is_other(reason) && self.lost.is_some_and(|(_, before)| !is_other(before)) {
            // The frame is looked at again after the stretch before it.
            (self.at, self.is_split) = (frame.start, true);
            return;
        }
        self.lost.get_or_insert((frame.start, reason));
        self.at = frame.end;
    }

    /// A lost stretch doesn't include the padding after it.
    #[cold]
    fn leave_out_padding(&mut self) {
        let Some((offset, reason)) = &mut self.lost else { return };
        let Some(end) = self.letters.start_of_padding().filter(|end| end > offset) else { return };
        if let LostReason::Broken(letter) = *reason
            && end - *offset < MAX_FRAME_BYTES
        {
            *reason = LostReason::Truncated(letter);
        }
        (self.letters.end, self.at) = (end, end);
    }

    /// The place of the main frame in `history[0]`.
    #[inline(always)]
    fn place(&self) -> FramePlace {
        self.referred.place(&self.history[0], self.last.unwrap_or_default())
    }

    #[inline(always)]
    fn accept(&mut self, place: FramePlace) {
        self.time_us = self.extended(place.time);
        (self.last, self.main_time) = (Some(place), place.time);
    }

    /// The time of a frame that isn't a main frame, from its low 32 bits; `None` if it is too far from the last main
    /// frame and from the last other frame after it. Main frames without a time say nothing about others.
    fn near(&self, time: u32) -> Option<u64> {
        if let Some(time_us) = self.near_other(time) {
            return Some(time_us);
        }
        let last = self.last.filter(|_| self.referred.has_time());
        let is_far = last.is_some_and(|last| (time.wrapping_sub(last.time) as i32).unsigned_abs() >= JUMP_US);
        (!is_far).then(|| self.extended(time))
    }

    /// The time near the last other frame after the last main frame that has these low 32 bits: a GPS may be logged
    /// while main frames aren't.
    fn near_other(&self, time: u32) -> Option<u64> {
        let other_us = self.other_us.filter(|&other_us| other_us > self.time_us)?;
        let moved = time.wrapping_sub(other_us as u32) as i32;
        (moved.unsigned_abs() < JUMP_US).then(|| other_us.saturating_add_signed(moved.into()))
    }

    /// The time near the last one that has these low 32 bits.
    #[inline(always)]
    fn extended(&self, time: u32) -> u64 {
        let Some(last) = self.last else { return time.into() };
        let moved = time.wrapping_sub(last.time) as i32;
        // Before the first wrap, nothing is below 0.
        self.time_us.checked_add_signed(moved.into()).unwrap_or(time.into())
    }
}

fn jump(letter: u8, place: FramePlace) -> LostReason {
    LostReason::Jump { letter, iteration: place.iteration, time: place.time }
}

fn other_session(place: FramePlace) -> LostReason {
    LostReason::OtherSession { iteration: place.iteration, time: place.time }
}
