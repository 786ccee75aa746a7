//! Finding the next frames after damage, which P frames survive it, and which frames are those of another session.

use super::pace::Passed;
use super::{Frames, LostReason, other_session};
use crate::blackbox::Intervals;
use crate::blackbox::decode::{Context, FrameDecoder};
use crate::blackbox::event::Event;
use crate::blackbox::header::Header;
use crate::blackbox::log::letters::Begins;
use crate::blackbox::place::FramePlace;
use std::ops::Range;

/// The payload of an unknown event is at most this long.
const LONGEST_UNKNOWN_EVENT: usize = 64;

/// What the next main frame continues.
#[derive(Clone, Copy, Debug)]
pub(super) enum Sync {
    /// The session begins. No byte of it is lost, and no main frame was there.
    Begin,
    /// The last main frame. A P frame refers to the frames in `history`.
    Synced,
    /// The last main frame, or one in the bytes that were lost after it. The next I frame shows which: if no main frame
    /// was lost, P frames refer to the frames in `history`.
    Damaged,
    /// A P frame that was rejected because its time stepped by too much. No byte was lost.
    Stepped {
        /// The number of P frames since the last main frame that was accepted.
        frames: u32,
    },
    /// An I frame: the frames that P frames refer to are lost.
    NeedsIntra {
        /// An I frame that was rejected for its jump. One that agrees with it is accepted.
        after: Option<FramePlace>,
    },
    /// The last I frame is of another session.
    Elsewhere {
        /// Where it is in that.
        place: FramePlace,
        /// Whether it continues an earlier I frame of another session. Frames that continue a stream belong to it, even
        /// where their times meet those of this session. A single I frame may be one of this session with a damaged
        /// time.
        is_stream: bool,
    },
}

impl Sync {
    /// After bytes that are not a frame.
    pub(super) fn damaged(self) -> Self {
        match self {
            Sync::Begin | Sync::Stepped { .. } => Sync::NeedsIntra { after: None },
            Sync::Synced => Sync::Damaged,
            Sync::Damaged | Sync::NeedsIntra { .. } | Sync::Elsewhere { .. } => self,
        }
    }

    /// After an I frame or a Resume event of another session.
    pub(super) fn elsewhere(self, place: FramePlace, intervals: Intervals) -> Self {
        let is_stream = match self {
            // A frame is judged again if another lost stretch ends before it.
            Sync::Elsewhere { place: last, is_stream } if last == place => is_stream,
            Sync::Elsewhere { place: last, .. } => last.is_continued_at(place, intervals),
            _ => false,
        };
        Sync::Elsewhere { place, is_stream }
    }

    /// After a valid P frame that has lost what it refers to.
    fn skipped_inter(self) -> Self {
        match self {
            Sync::Begin => Sync::NeedsIntra { after: None },
            Sync::Stepped { frames } => Sync::Stepped { frames: frames + 1 },
            other => other,
        }
    }
}

/// What the place of an I frame or of a Resume event says about the frames up to there.
#[derive(Clone, Copy, Debug)]
pub(super) enum Verdict {
    /// They belong to this session.
    Continues,
    /// They belong to this session if the next I frame agrees with the place.
    Jumps,
    /// They belong to another session. This is the place.
    Elsewhere(FramePlace),
    /// Nothing: no I frame and no Resume event follows.
    Unproven,
}

/// The time of an iteration by the header, in microseconds. `looptime` is that of the gyro loop, and an iteration is
/// one of the PID loop.
pub(super) fn looptime_us(header: &Header) -> Option<f64> {
    let number = |name| header.value(name)?.trim().parse::<f64>().ok();
    Some(number("looptime")? * number("pid_process_denom").unwrap_or(1.0))
}

impl<'s> Frames<'s> {
    /// The verdict on a place: that of an I frame, or the one in a Resume event. The frame or the event ends at `end`.
    pub(super) fn verdict(&mut self, place: FramePlace, end: usize) -> Verdict {
        self.verdict_in(self.sync, place, end)
    }

    /// As [`verdict`](Self::verdict), for a place further on. `sync` is the state of the frames before it.
    fn verdict_in(&mut self, sync: Sync, place: FramePlace, end: usize) -> Verdict {
        let Some(last) = self.last else { return Verdict::Continues };
        let is_near = last.may_be_followed_by(place);
        let intervals = self.session.header().intervals();
        if is_near
            && matches!(sync, Sync::Synced)
            && (!self.pace.is_steady()
                || intervals.is_after(last.iteration, place.iteration, 0)
                || last.is_soon_followed_by(place) && self.pace.is_soon_and_slow(Passed::between(last, place)))
        {
            return Verdict::Continues;
        }
        if let Sync::NeedsIntra { after: Some(after) } = sync
            && after.may_be_followed_by(place)
        {
            return Verdict::Continues;
        }
        let continues_elsewhere = match sync {
            Sync::Elsewhere { place: there, is_stream } if there.is_continued_at(place, intervals) => {
                if is_stream {
                    return Verdict::Elsewhere(place);
                }
                true
            }
            _ => false,
        };
        let continues = if is_near { Verdict::Continues } else { Verdict::Jumps };
        let Some(pace) = self.pace.up_to(last, intervals) else { return continues };
        let gap = Passed::between(last, place);
        let may_lack_frames = !matches!(sync, Sync::Synced) && !continues_elsewhere;
        // P frames after a few lost bytes may be valid with wrong times, so the last I frame counts, too.
        let since_intra = self.pace.since_intra(place);
        if may_lack_frames && pace.is_soon(gap)
            || pace.allows(gap, intervals)
            || since_intra.is_some_and(|gap| self.pace.allows(gap, intervals))
        {
            return continues;
        }
        let others = [self.looptime_us, self.mean_us_after(place, end)];
        if pace.allows_with(gap, intervals, others) {
            return continues;
        }
        // No iteration is missing: the time alone stepped.
        let frames = match sync {
            Sync::Synced => Some(0),
            Sync::Stepped { frames } => Some(frames),
            _ => None,
        };
        match frames {
            Some(frames) if intervals.is_after(last.iteration, place.iteration, frames) => Verdict::Jumps,
            _ => Verdict::Elsewhere(place),
        }
    }

    /// Whether an I frame at a place, which ends at `end`, would be read if no byte were lost before it.
    #[cold]
    pub(super) fn continues_undamaged(&mut self, place: FramePlace, end: usize) -> bool {
        let pace = self.pace;
        self.pace = pace.as_from_the_start();
        let verdict = self.verdict_in(Sync::Synced, place, end);
        self.pace = pace;
        matches!(verdict, Verdict::Continues)
    }

    /// Why a frame that isn't a main frame is left out, though it is valid: bytes were lost before it, and the next I
    /// frame doesn't show that it is of this session.
    #[inline]
    pub(super) fn doubt(&mut self, letter: u8, at: usize) -> Option<LostReason> {
        match self.sync {
            Sync::Begin | Sync::Synced => None,
            _ => self.doubt_after_damage(letter, at),
        }
    }

    #[cold]
    fn doubt_after_damage(&mut self, letter: u8, at: usize) -> Option<LostReason> {
        match (self.shown_ahead(at), self.sync) {
            (Verdict::Continues | Verdict::Jumps, _) => None,
            (Verdict::Elsewhere(place), _) | (Verdict::Unproven, Sync::Elsewhere { place, .. }) => {
                Some(other_session(place))
            }
            (Verdict::Unproven, _) if self.last.is_none() => None,
            (Verdict::Unproven, _) => Some(LostReason::Unproven(letter)),
        }
    }

    /// As [`doubt`](Self::doubt), of the event that ends the session: random bytes don't have its text.
    #[cold]
    pub(super) fn doubt_of_end(&self) -> Option<LostReason> {
        match self.sync {
            Sync::Elsewhere { place, .. } => Some(other_session(place)),
            _ => None,
        }
    }

    /// As [`doubt`](Self::doubt), of a Resume event that leads to a place. After damage, it may be that of another
    /// session.
    #[cold]
    pub(super) fn doubt_of_resume(&mut self, place: FramePlace, end: usize) -> Option<LostReason> {
        if matches!(self.sync, Sync::Begin | Sync::Synced) {
            return None;
        }
        let Verdict::Elsewhere(place) = self.verdict(place, end) else { return None };
        self.sync = self.sync.elsewhere(place, self.session.header().intervals());
        Some(other_session(place))
    }

    /// What the next I frame or Resume event from `at` on shows.
    fn shown_ahead(&mut self, at: usize) -> Verdict {
        if at >= self.ahead.0 {
            self.ahead = self.look_ahead(at);
        }
        self.ahead.1
    }

    /// The next I frame or Resume event from `at` on: where it is, and what it shows.
    fn look_ahead(&mut self, mut at: usize) -> (usize, Verdict) {
        let mut sync = self.sync;
        let is_elsewhere = matches!(sync, Sync::Elsewhere { .. });
        while let Some(letter) = self.letters.byte(at) {
            let end = match self.letters.of(letter) {
                Begins::Frame(decoder) if letter == b'I' => match self.decode_intra(&decoder, at) {
                    Ok(end) => return (at, self.verdict_in(sync, self.place(), end)),
                    Err(_) => None,
                },
                Begins::Frame(decoder) => {
                    sync = if letter == b'P' { sync.skipped_inter() } else { sync };
                    self.letters.read_one(&decoder, at, &mut self.other).ok()
                }
                Begins::Event => match self.letters.event(at).ok() {
                    Some((Event::Resume { iteration, time }, end)) => {
                        return (at, self.verdict_in(sync, FramePlace { iteration, time }, end));
                    }
                    Some((Event::End { .. }, end)) if !is_elsewhere => return (end, Verdict::Unproven),
                    Some((Event::Unknown { .. }, end)) => self.unknown_event_end(end),
                    other => other.map(|(_, end)| end),
                },
                Begins::Nothing | Begins::Unusable => None,
            };
            at = end.unwrap_or_else(|| {
                sync = sync.damaged();
                self.next_valid_frame(at + 1)
            });
        }
        (usize::MAX, Verdict::Unproven)
    }

    /// The mean time of an iteration from an I frame that ends at `at` to the next one. `None` if damage comes first.
    fn mean_us_after(&mut self, place: FramePlace, at: usize) -> Option<f64> {
        let kept = self.history[0].clone();
        let next = self.next_intra(at);
        self.history[0] = kept;
        next.filter(|&next| place.may_be_followed_by(next)).map(|next| Passed::between(place, next).mean_us())
    }

    /// Where the next I frame from `at` on is. `None` if damage comes first.
    fn next_intra(&mut self, mut at: usize) -> Option<FramePlace> {
        loop {
            let letter = self.letters.byte(at)?;
            at = match self.letters.of(letter) {
                Begins::Frame(decoder) if letter == b'I' => {
                    self.decode_intra(&decoder, at).ok()?;
                    return Some(self.place());
                }
                Begins::Frame(decoder) => self.letters.read_one(&decoder, at, &mut self.other).ok()?,
                Begins::Event => match self.letters.event(at).ok()? {
                    (Event::End { .. } | Event::Resume { .. }, _) => return None,
                    (Event::Unknown { .. }, end) => self.unknown_event_end(end)?,
                    (_, end) => end,
                },
                Begins::Nothing | Begins::Unusable => return None,
            }
        }
    }

    /// Whether the P frame at `at` refers to the frames in `history`, though bytes were lost after them.
    #[cold]
    pub(super) fn is_proven(&mut self, at: usize) -> bool {
        if !matches!(self.sync, Sync::Damaged) {
            return false;
        }
        let is_proven = self.none_is_missing(at);
        self.sync = if is_proven { Sync::Synced } else { Sync::NeedsIntra { after: None } };
        is_proven
    }

    /// A P frame that has lost what it refers to.
    #[cold]
    pub(super) fn skip_inter(&mut self, decoder: &FrameDecoder<'s>, at: usize) {
        let reason = match self.sync {
            Sync::Begin | Sync::Stepped { .. } => LostReason::NoIntra,
            _ => match self.doubt_after_damage(b'P', at) {
                Some(reason @ LostReason::OtherSession { .. }) => reason,
                _ => LostReason::NoIntra,
            },
        };
        let end = match self.letters.read_one(decoder, at, &mut self.other) {
            Ok(end) => end,
            Err(error) => return self.broken(b'P', at, error),
        };
        self.sync = self.sync.skipped_inter();
        self.leave_out(at..end, reason);
    }

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

    /// Decodes up to the next I frame, and returns whether that frame has the expected iteration and time. `None` if
    /// damage comes first.
    fn due_after(&mut self, mut at: usize, from: FramePlace) -> Option<bool> {
        let intervals = self.session.header().intervals();
        let mut last = from;
        let mut moved = 0;
        loop {
            let letter = self.letters.byte(at)?;
            match self.letters.of(letter) {
                Begins::Frame(decoder) if letter == b'P' => {
                    let [values, before, older] = &mut self.history;
                    at = self.letters.read_one(&decoder, at, values).ok()?;
                    let iterations = intervals.step(last.iteration);
                    let context = Context { home: self.home.unwrap_or_default(), main_time: last.time, iterations };
                    decoder.predict(values, before, older, &context);
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
                Begins::Frame(decoder) => at = self.letters.read_one(&decoder, at, &mut self.other).ok()?,
                Begins::Event => match self.letters.event(at).ok()? {
                    (Event::End { .. } | Event::Resume { .. }, _) => return None,
                    (Event::Unknown { .. }, end) => at = self.unknown_event_end(end)?,
                    (_, end) => at = end,
                },
                Begins::Nothing | Begins::Unusable => return None,
            }
        }
    }

    /// Where the payload of an unknown event ends that begins at `from`: at the next valid frames, at `from` itself if
    /// they begin there.
    pub(super) fn unknown_event_end(&mut self, from: usize) -> Option<usize> {
        (from..(from + LONGEST_UNKNOWN_EVENT).min(self.letters.end)).find(|&at| self.is_valid_frame(at, false))
    }

    /// Whether a main frame may be in a range that is taken for the payload of an unknown event.
    pub(super) fn has_main_frame(&mut self, mut range: Range<usize>) -> bool {
        let end = range.end;
        range.any(|at| {
            let Some(letter @ (b'I' | b'P')) = self.letters.byte(at) else { return false };
            let Begins::Frame(decoder) = self.letters.of(letter) else { return false };
            self.letters.read_one(&decoder, at, &mut self.other).is_ok_and(|frame_end| frame_end <= end)
        })
    }

    /// The first place from `from` on where a valid frame begins, or the end of the session.
    pub(super) fn next_valid_frame(&mut self, from: usize) -> usize {
        (from..self.letters.end).find(|&at| self.is_valid_frame(at, true)).unwrap_or(self.letters.end)
    }

    /// Whether a valid frame begins at a place, and others follow it.
    ///
    /// Letters are frequent in any bytes, and one of forty places begins a valid frame by chance. An I frame is
    /// believed on less if it continues the iterations at a multiple of the I interval. One that doesn't continue them
    /// is believed if `jumps` are expected, and two valid frames follow it.
    pub(super) fn is_valid_frame(&mut self, at: usize, jumps: bool) -> bool {
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
