// Held by tests/tests/blackbox/cuts.rs.

//! Cuts a part out of a Blackbox log, by time.

use super::{Cut, Times, Types};
use crate::blackbox::log::{Item, Session};
use crate::blackbox::{BlackboxLog, Event};
use crate::tools::repair::{Removed, RepairedBlackbox};
use std::io::{self, Write};
use std::ops::Range;

/// What [`Cut::write_blackbox`] has written.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BlackboxPart {
    sessions: usize,
    chosen: u64,
    carried: u64,
    removed: Vec<Removed>,
}

impl BlackboxPart {
    /// Sessions of which the part has frames.
    pub fn sessions(&self) -> usize {
        self.sessions
    }

    /// Frames and events of the chosen intervals.
    pub fn chosen(&self) -> u64 {
        self.chosen
    }

    /// Frames and events that the chosen ones need: main frames from the last I frame on, and the slow and home frames
    /// that apply there.
    pub fn carried(&self) -> u64 {
        self.carried
    }

    /// What the part lacks because it is damaged in the whole log, or isn't part of a session.
    pub fn removed(&self) -> &[Removed] {
        &self.removed
    }
}

impl Cut {
    /// Writes the part of a Blackbox log: see [the module](crate::cut#blackbox-logs). The intervals are those of
    /// sessions instead of boots, in microseconds of the field `time`, extended beyond 32 bits.
    ///
    /// It decodes each frame twice, those of the part three times, and takes the memory of the longest session.
    ///
    /// # Errors
    ///
    /// [`InvalidInput`](io::ErrorKind::InvalidInput) if types are chosen: frames refer to one another. Errors of the
    /// writer.
    pub fn write_blackbox(&self, log: &BlackboxLog<'_>, mut out: impl Write) -> io::Result<BlackboxPart> {
        if self.types != Types::All {
            let text = "a Blackbox log can't be cut by type, because its frames refer to one another";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
        }
        let mut repaired = RepairedBlackbox::default();
        let mut part = BlackboxPart::default();
        let mut empty = Vec::new();
        for (i, session) in log.sessions().enumerate().filter(|(i, _)| !self.leaves_out(*i)) {
            let Some(clean) = repaired.session(&session) else { continue };
            let session = Session::new(&clean, 0..clean.len());
            let mut writing = Writing::new(&session);
            let (chosen, carried) = writing.write(&session, |time_us| self.is_during(i, time_us));
            if chosen == 0 && self.times != Times::All {
                empty.extend_from_slice(&writing.part);
                continue;
            }
            part.sessions += 1;
            part.chosen += chosen;
            part.carried += carried;
            // An event of unknown length ends where frames begin: other frames follow it now.
            let again = Session::new(&writing.part, 0..writing.part.len());
            if let Some(bytes) = RepairedBlackbox::default().session(&again) {
                out.write_all(&bytes)?;
            }
        }
        if part.sessions == 0 {
            out.write_all(&empty)?;
        }
        part.removed = repaired.removed().to_vec();
        out.flush()?;
        Ok(part)
    }
}

/// Times that a reader extends beyond 32 bits move by this much at most.
const LONGEST_STEP_US: u64 = i32::MAX as u64;

/// Writes the part of a session without damage.
struct Writing<'s> {
    log: &'s [u8],
    part: Vec<u8>,
    /// Up to here, the session is written or left out.
    written: Option<usize>,
    /// The last main frame and what follows it: a main frame refers to it, from its I frame on.
    group: Group,
    /// The last slow frame and the last home frame, in the session and in the part.
    state: State,
    state_of_part: State,
    /// The time of the last main frame or Resume event, in the session and in the part.
    main_us: u64,
    main_us_of_part: Option<u64>,
    /// Frames and events that are not written, since the last one that is and since the group begins.
    since_written: u64,
    since_group: u64,
}

/// Main frames that refer to one another, and what is between them: from an I frame up to the next one.
#[derive(Clone, Default)]
struct Group {
    /// The I frame. At the beginning of a session, frames and events may precede the first one: then it is empty.
    intra: Range<usize>,
    iteration: u32,
    time_us: u64,
    /// The state at its beginning.
    state: State,
}

/// The slow frame and the home frame that apply.
#[derive(Clone, PartialEq, Eq, Default)]
struct State {
    slow: Option<Range<usize>>,
    home: Option<Range<usize>>,
}

impl<'s> Writing<'s> {
    fn new(session: &Session<'s>) -> Self {
        let (log, start) = (session.bytes(), session.frames_offset());
        Writing {
            log,
            part: log.get(..start).unwrap_or_default().to_vec(),
            written: None,
            group: Group { intra: start..start, ..Group::default() },
            state: State::default(),
            state_of_part: State::default(),
            main_us: 0,
            main_us_of_part: None,
            since_written: 0,
            since_group: 0,
        }
    }

    /// Writes the part, and returns how many frames and events were chosen, and how many carried.
    fn write(&mut self, session: &Session<'_>, is_chosen: impl Fn(u64) -> bool) -> (u64, u64) {
        let (mut chosen, mut carried) = (0, 0);
        let mut is_ended = false;
        let mut frames = session.frames();
        while let Some(item) = frames.next() {
            let (start, letter, iteration, time_us, event) = match item {
                Item::Frame(frame) => {
                    let is_intra = frame.letter() == b'I';
                    let iteration = if is_intra { frame.value("loopIteration").unwrap_or_default() } else { 0 };
                    (frame.offset(), frame.letter(), iteration as u32, frame.time_us(), None)
                }
                Item::Event { offset, time_us, event } => (offset, b'E', 0, time_us, Some(event)),
                // The session is sound.
                Item::Lost(_) => continue,
            };
            let place = start..frames.offset();
            let is_resume = matches!(event, Some(Event::Resume { .. }));
            self.since_written += 1;
            self.since_group += 1;
            match letter {
                b'I' => {
                    self.since_group = 1;
                    self.group = Group { intra: place.clone(), iteration, time_us, state: self.state.clone() };
                    self.main_us = time_us;
                }
                b'P' => self.main_us = time_us,
                b'S' => self.state.slow = Some(place.clone()),
                b'H' => self.state.home = Some(place.clone()),
                b'E' if is_resume => self.main_us = time_us,
                _ => {}
            }
            // A Resume event is written where it is needed, so none begins a part.
            if is_chosen(time_us) && (!is_resume || self.is_joined()) {
                chosen += 1;
                carried += self.copy_up_to(place.end);
                is_ended = matches!(event, Some(Event::End { .. }));
            }
        }
        if !is_ended {
            self.event(&Event::End { disarm_reason: None });
        }
        (chosen, carried)
    }

    /// Whether what comes next may follow what is written: the part has the group's I frame, or nothing precedes it.
    fn is_joined(&self) -> bool {
        self.group.intra.is_empty() || self.written.is_some_and(|written| written >= self.group.intra.start)
    }

    /// Copies the session up to the end of a chosen frame or event: from what is written on, if nothing is missing
    /// between, or else from the last I frame on. Returns how many others were copied.
    fn copy_up_to(&mut self, end: usize) -> u64 {
        let (start, copied) = match self.written.filter(|_| self.is_joined()) {
            Some(written) => (written, self.since_written),
            None => {
                let (start, carried) = self.begin();
                (start, self.since_group + carried)
            }
        };
        self.copy(start..end);
        self.written = Some(end);
        self.since_written = 0;
        self.state_of_part = self.state.clone();
        self.main_us_of_part = Some(self.main_us);
        copied - 1
    }

    /// Writes the I frame of the group, and after it the state that applies there, as firmware does: decoders expect an
    /// I frame first. Returns from where on the group is to be copied, and how many slow and home frames were written.
    fn begin(&mut self) -> (usize, u64) {
        let Group { intra, state: State { slow, home }, .. } = self.group.clone();
        if intra.is_empty() {
            return (intra.start, 0);
        }
        self.resume();
        let slow = slow.filter(|slow| self.state_of_part.slow.as_ref() != Some(slow));
        let home = home.filter(|home| self.state_of_part.home.as_ref() != Some(home));
        let count = u64::from(slow.is_some()) + u64::from(home.is_some());
        for place in [Some(intra.clone()), slow, home].into_iter().flatten() {
            self.copy(place);
        }
        (intra.end, count)
    }

    /// Writes Resume events up to the group's time: one after a gap, and those that a reader needs to count the times
    /// beyond 32 bits.
    fn resume(&mut self) {
        let Group { iteration, time_us, .. } = self.group;
        let steps = match self.main_us_of_part {
            Some(before) => time_us.saturating_sub(before).saturating_sub(1) / LONGEST_STEP_US,
            None if time_us <= u32::MAX.into() => return,
            None => (time_us - u64::from(u32::MAX)).div_ceil(LONGEST_STEP_US),
        };
        for step in (0..=steps).rev() {
            self.event(&Event::Resume { iteration, time: (time_us - step * LONGEST_STEP_US) as u32 });
        }
    }

    fn event(&mut self, event: &Event) {
        self.part.extend_from_slice(event.encode(&mut [0; Event::MAX_BYTES]));
    }

    fn copy(&mut self, range: Range<usize>) {
        self.part.extend_from_slice(self.log.get(range).unwrap_or_default());
    }
}
