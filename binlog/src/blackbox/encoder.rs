// Held by tests/tests/blackbox_write/round_trip.rs, tests/tests/blackbox_write/rules.rs.

//! Turns the frames of a schema into the bytes of a session.

mod counts;
mod repeated;
mod session;
mod waiting;

pub use counts::Counts;

use super::limits::{JUMP_US, STEADY_I_FRAMES};
use super::place::FramePlace;
use super::preamble::{self, InvalidHeader};
use super::schema::LogsFrame;
use super::{
    BlackboxFrame, BlackboxSchema, Event, FieldDefinition, FrameBuffer, FrameKind, HomeFrame, MainFrame, References,
    RefusedEvent, event,
};
use crate::wording::const_text::same;
use core::fmt;
use repeated::Repeated;
use waiting::Waiting;

/// A home frame is repeated after this number of I frames, as Betaflight does (`blackboxShouldLogGpsHomeFrame`).
const HOME_PERIOD: u16 = 128;
/// A slow frame is repeated after this number of I frames, as Betaflight does (`blackboxSInterval`).
const SLOW_PERIOD: u16 = 256;

/// Turns the frames of a schema into the bytes of one session of a log. It does no I/O and allocates nothing;
/// `BlackboxWriter` has one, and so has the drain of a microcontroller's logger.
///
/// - A main frame becomes an I or a P frame, or nothing, by its iteration and the schema's intervals.
/// - A main frame becomes an I frame as well if it is the first, after [`resume`](Encoder::resume), if frames before it
///   are missing, and if a residual doesn't fit the encoding of its P frame. After a jump that decoders would take for
///   damage, a resume event comes before it, and in a session of more than 8 I frames after a gap of half a second or
///   more, which readers could take for the beginning of another session.
/// - A slow or home frame is written if it differs from the last one, after a resume, and again after 256 or 128 I
///   frames. A home frame comes before the GPS frame that refers to it.
/// - A session begins with an I frame, as decoders want it. Slow, GPS and home frames before that wait for it, the last
///   one of each kind. A waiting frame is dropped, and counted in [`unwritten`](Counts::unwritten), if a newer frame of
///   its kind replaces it, if the session ends first, or if it is a GPS frame that is 10 s or more older than the I
///   frame.
///
/// ```
/// use binlog::blackbox::{BlackboxFrame, BlackboxSchema, Encoder};
/// use zerocopy::{FromBytes, Immutable, IntoBytes};
///
/// #[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
/// #[blackbox(main)]
/// #[repr(C)]
/// struct MainFrame {
///     loop_iteration: u32,
///     time: u32,
///     gyro_adc: [i16; 2],
/// }
///
/// #[derive(BlackboxSchema)]
/// #[blackbox(header("looptime" = "125"))]
/// enum FlightLog {
///     Main(MainFrame),
/// }
///
/// let mut encoder = Encoder::<FlightLog>::new();
/// let first = MainFrame { loop_iteration: 0, time: 100, gyro_adc: [3, -3] };
/// assert_eq!(encoder.encode(&first), Ok(&[b'I', 0, 100, 6, 5][..]));
/// let second = MainFrame { loop_iteration: 1, time: 225, gyro_adc: [4, -3] };
/// assert_eq!(encoder.encode(&second), Ok(&[b'P', 0xFA, 1, 2, 0][..]));
/// ```
pub struct Encoder<S: BlackboxSchema> {
    /// The main frames that P frames refer to, and room for the next one.
    main: [S::Main; 3],
    /// The indices of the next main frame, of the one before it, and of the one before that. P frames refer to the last
    /// two, which are one after an I frame.
    next: u8,
    before: u8,
    older: u8,
    /// Whether there is a main frame before.
    started: bool,
    /// Whether the next main frame has to be an I frame.
    intra_next: bool,
    /// Whether a resume event has to come before it.
    resume_next: bool,
    /// A resume event that the program logged, from which decoders count until the next main frame.
    resumed: Option<FramePlace>,
    slow: Repeated<S::Slow>,
    home: Repeated<S::Home>,
    gps: S::Gps,
    waiting: Waiting,
    references: References,
    /// Whether a header line of run time was `motorOutput`.
    has_motor_output: bool,
    /// Whether the session has a home frame.
    has_home: bool,
    out: FrameBuffer,
    counts: Counts,
}

impl<S: BlackboxSchema> Encoder<S> {
    // What only frames need that the schema lacks isn't linked.
    const HAS_SLOW: bool = !S::Slow::FIELDS.is_empty();
    const HAS_GPS: bool = !S::Gps::FIELDS.is_empty();
    const HAS_HOME: bool = !S::Home::FIELDS.is_empty();
    /// Whether there are frames that wait for the first I frame.
    const HAS_WAITING: bool = Self::HAS_SLOW || Self::HAS_GPS || Self::HAS_HOME;

    /// An encoder at the beginning of a session with the schema's header.
    pub fn new() -> Self {
        Self::with_references(S::REFERENCES)
    }

    /// An encoder at the beginning of a session with further header lines, names and values. It needs them because
    /// predictors refer to some.
    ///
    /// # Errors
    ///
    /// If a line can't be in a header: see [`InvalidHeader`].
    pub fn with_headers(headers: &[(&str, &str)]) -> Result<Self, InvalidHeader> {
        preamble::check(S::HEADER, S::REFERENCES, headers).map(Self::with_references)
    }

    fn with_references(references: References) -> Self {
        Encoder {
            main: [S::Main::zeros(), S::Main::zeros(), S::Main::zeros()],
            next: 1,
            before: 0,
            older: 0,
            started: false,
            intra_next: true,
            resume_next: false,
            resumed: None,
            slow: Repeated::new(),
            home: Repeated::new(),
            gps: S::Gps::zeros(),
            waiting: Waiting::NONE,
            references,
            has_motor_output: false,
            has_home: false,
            out: FrameBuffer::new(),
            counts: Counts::NEW,
        }
    }

    /// The header of the session, in pieces: the schema's lines, then `headers`, names and values. A line of `headers`
    /// takes the place of the schema's line of that name. They are those that [`with_headers`](Encoder::with_headers)
    /// has accepted.
    pub fn header<'h>(headers: &'h [(&'h str, &'h str)]) -> impl Iterator<Item = &'h str> + Clone {
        preamble::pieces(S::HEADER, headers)
    }

    /// Encodes a frame. The bytes are empty if there is nothing to write: an iteration that the rate leaves out, a
    /// frame that didn't change.
    ///
    /// # Errors
    ///
    /// If a residual doesn't fit its encoding in a frame that refers to none before it. The frame is not written.
    pub fn encode<F: BlackboxFrame>(&mut self, frame: &F) -> Result<&[u8], DoesNotFit>
    where
        S: LogsFrame<F>,
    {
        self.encode_bytes(S::KIND, frame.wire())
    }

    /// Encodes the frame that a value of the schema holds, as [`encode`](Encoder::encode) does.
    ///
    /// # Errors
    ///
    /// Those of [`encode`](Encoder::encode).
    pub fn encode_any(&mut self, frame: &S) -> Result<&[u8], DoesNotFit> {
        let (kind, bytes) = frame.frame();
        self.encode_bytes(kind, bytes)
    }

    #[inline(always)]
    fn encode_bytes(&mut self, kind: FrameKind, bytes: &[u8]) -> Result<&[u8], DoesNotFit> {
        let room = self.room(kind);
        // Both are of one type, unless a schema is implemented by hand.
        if room.len() != bytes.len() {
            return Err(DoesNotFit);
        }
        room.copy_from_slice(bytes);
        self.encode_room(kind)
    }

    /// Room for the bytes of the next frame of a kind (the main frame's for I and P), which
    /// [`encode_room`](Encoder::encode_room) encodes. A ring's drain copies a struct here. Events have no room.
    #[inline]
    pub fn room(&mut self, kind: FrameKind) -> &mut [u8] {
        match kind {
            FrameKind::Intra | FrameKind::Inter => self.main[slot(self.next)].wire_mut(),
            FrameKind::Slow if Self::HAS_SLOW => self.slow.room(),
            FrameKind::Gps if Self::HAS_GPS => self.gps.wire_mut(),
            FrameKind::Home if Self::HAS_HOME => self.home.room(),
            _ => &mut [],
        }
    }

    /// Encodes the frame in the [room](Encoder::room) of its kind, as [`encode`](Encoder::encode) does.
    ///
    /// # Errors
    ///
    /// Those of [`encode`](Encoder::encode).
    #[inline]
    pub fn encode_room(&mut self, kind: FrameKind) -> Result<&[u8], DoesNotFit> {
        self.out.clear();
        match kind {
            FrameKind::Intra | FrameKind::Inter => self.main()?,
            FrameKind::Slow if Self::HAS_SLOW => match (self.slow.accept(), self.started) {
                (_, true) => self.slow()?,
                (is_another, false) => self.wait(kind, is_another),
            },
            FrameKind::Home if Self::HAS_HOME => match (self.home.accept(), self.started) {
                (_, true) => self.home()?,
                (is_another, false) => self.wait(kind, is_another),
            },
            FrameKind::Gps if Self::HAS_GPS && self.started && !self.resume_next => self.gps()?,
            FrameKind::Gps if Self::HAS_GPS => self.wait(kind, true),
            _ => {}
        }
        Ok(self.out.bytes())
    }

    /// Encodes an event. After a resume event the next main frame becomes an I frame.
    ///
    /// # Errors
    ///
    /// If readers would take the bytes after it for something else: see [`RefusedEvent`]. The event is not written.
    pub fn event(&mut self, event: &Event) -> Result<&[u8], RefusedEvent> {
        if let Err(refused) = event.check() {
            self.out.clear();
            self.counts.refused += 1;
            return Err(refused);
        }
        Ok(self.encoded_event(event.encode(&mut [0; Event::MAX_BYTES])))
    }

    /// Takes an event that is encoded and checked.
    pub(in crate::blackbox) fn encoded_event(&mut self, bytes: &[u8]) -> &[u8] {
        self.out.clear();
        self.append_event(bytes);
        if let Some(place) = event::resumed(bytes) {
            self.intra_next = true;
            self.resumed = Some(place);
        }
        self.out.bytes()
    }

    /// Encodes the event that ends the session. Readers ignore what follows it. Frames that still wait for the first I
    /// frame aren't written.
    pub fn end(&mut self) -> &[u8] {
        self.lose_waiting();
        self.out.clear();
        self.append_event(event::ENCODED_END);
        self.out.bytes()
    }

    /// Call this after bytes of the encoder were lost. The next main frame is written as an I frame after a resume
    /// event, followed by the slow and home frames. GPS frames wait for it, because they store the time since a main
    /// frame, which may be lost.
    pub fn resume(&mut self) {
        self.intra_next = true;
        self.resume_next = self.started;
        self.slow.repeat();
        self.home.repeat();
    }

    /// The bytes that the last call made.
    pub fn bytes(&self) -> &[u8] {
        self.out.bytes()
    }

    /// What became of the frames so far.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    fn main(&mut self) -> Result<(), DoesNotFit> {
        let [frame, before, older] = [self.next, self.before, self.older].map(|i| &self.main[slot(i)]);
        let place = FramePlace { iteration: frame.iteration(), time: frame.time() };
        let Some(kind) = S::INTERVALS.kind_of(place.iteration) else {
            self.counts.left_out += 1;
            return Ok(());
        };
        let last = FramePlace { iteration: before.iteration(), time: before.time() };
        let missing = S::INTERVALS.logged_between(last.iteration, place.iteration);
        // The first frame, and the one after a resume, is an I frame.
        let is_in_place =
            !self.intra_next && place.iteration > last.iteration && missing == 0 && last.may_be_followed_by(place);
        if kind == FrameKind::Inter && is_in_place {
            self.references.skipped = place.iteration - last.iteration - 1;
            self.out.byte(b'P');
            frame.encode_inter(before, older, &self.references, &mut self.out);
            if self.out.fits() {
                self.counts.p_frames += 1;
                (self.before, self.older) = (self.next, self.before);
                self.next = 3 - self.before - self.older;
                self.references.main_frame_time = place.time;
                return Ok(());
            }
            self.counts.misfits += 1;
            self.out.clear();
        }
        // A reader that knows the session's ratio of iterations and time takes a frame out of it for another session's.
        let has_ratio = self.counts.i_frames > STEADY_I_FRAMES;
        let is_late = |from: FramePlace| has_ratio && !from.is_soon_followed_by(place);
        let is_gap = missing > 0 || place.iteration < last.iteration;
        let jumps = self.started
            && (self.resume_next
                || place.iteration == last.iteration
                || !last.may_be_followed_by(place)
                || is_gap && is_late(last));
        let missing = match self.started {
            true if place.iteration < last.iteration && !jumps => {
                S::INTERVALS.logged_across_end(last.iteration, place.iteration)
            }
            true => missing,
            false => 0,
        };
        let resumes = match self.resumed {
            Some(resumed) => self.resume_next || !resumed.may_be_followed_by(place) || is_late(resumed),
            None => jumps,
        };
        self.intra(missing, resumes)
    }

    /// Appends the next main frame as an I frame, with what belongs around it.
    fn intra(&mut self, missing: u32, resumes: bool) -> Result<(), DoesNotFit> {
        let frame = &self.main[slot(self.next)];
        let (iteration, time) = (frame.iteration(), frame.time());
        let events = self.counts.events;
        if resumes {
            self.append_event(&[FrameKind::Event.letter(), event::RESUME]);
            let mut fields = self.out.fields();
            fields.unsigned_vb(iteration);
            fields.unsigned_vb(time);
            fields.finish();
        }
        self.out.byte(b'I');
        self.main[slot(self.next)].encode_intra(&self.references, &mut self.out);
        if !self.out.fits() {
            self.counts.refused += 1;
            self.counts.events = events;
            // Whichever frame follows has to show that this one is missing.
            self.intra_next = true;
            self.out.clear();
            return Err(DoesNotFit);
        }
        self.counts.i_frames += 1;
        self.counts.gaps += u32::from(missing > 0 || resumes);
        self.counts.missing = self.counts.missing.saturating_add(missing);
        (self.before, self.older) = (self.next, self.next);
        self.next = (self.next + 1) % 3;
        self.references.main_frame_time = time;
        let has_waited = !self.started || self.resume_next;
        (self.started, self.intra_next, self.resume_next, self.resumed) = (true, false, false, None);
        self.slow.after_i_frame(SLOW_PERIOD);
        self.home.after_i_frame(HOME_PERIOD);
        // The I frame stands, also if one of these doesn't fit, which is counted.
        let (slow, home) = (self.slow(), self.home());
        if Self::HAS_WAITING && has_waited {
            let gps = self.waiting.of(FrameKind::Gps) > 0 && self.is_gps_near(time) && self.gps().is_ok();
            for (kind, written) in
                [(FrameKind::Slow, slow.is_ok()), (FrameKind::Home, home.is_ok()), (FrameKind::Gps, gps)]
            {
                self.counts.unwritten += self.waiting.settle(kind, written);
            }
        }
        Ok(())
    }

    /// Notes a frame that waits for the first I frame, and takes the place of the one that waits, if it is another.
    fn wait(&mut self, kind: FrameKind, is_another: bool) {
        if is_another {
            self.counts.unwritten += self.waiting.settle(kind, false);
        }
        self.waiting.add(kind);
    }

    /// Appends the slow frame if it is due.
    fn slow(&mut self) -> Result<(), DoesNotFit> {
        if !Self::HAS_SLOW {
            return Ok(());
        }
        let Some(frame) = self.slow.take() else { return Ok(()) };
        let written = append(frame, FrameKind::Slow, &self.references, &mut self.out);
        if !written {
            self.slow.refuse();
        }
        count(written, &mut self.counts.slow_frames, &mut self.counts.refused)
    }

    /// Appends the home frame if it is due.
    fn home(&mut self) -> Result<(), DoesNotFit> {
        if !Self::HAS_HOME {
            return Ok(());
        }
        let Some(frame) = self.home.take() else { return Ok(()) };
        let written = append(frame, FrameKind::Home, &self.references, &mut self.out);
        match written {
            true => (self.references.home, self.has_home) = (frame.coordinates(), true),
            false => self.home.refuse(),
        }
        count(written, &mut self.counts.home_frames, &mut self.counts.refused)
    }

    /// Whether the time of the GPS frame, if it has one, is near enough to that of the main frame before it.
    /// `BlackboxLog` takes others for damage.
    fn is_gps_near(&self, main_time: u32) -> bool {
        let at = const { time_offset(S::Gps::FIELDS) };
        let time = self.gps.wire().get(at..).and_then(|bytes| bytes.first_chunk());
        time.is_none_or(|&time| (u32::from_ne_bytes(time).wrapping_sub(main_time) as i32).unsigned_abs() < JUMP_US)
    }

    /// Appends the GPS frame, and the home frame that it refers to if that is due.
    fn gps(&mut self) -> Result<(), DoesNotFit> {
        if Self::HAS_HOME {
            if !self.has_home {
                self.home.accept_zeros();
            }
            self.home()?;
        }
        let written = append(&self.gps, FrameKind::Gps, &self.references, &mut self.out);
        count(written, &mut self.counts.gps_frames, &mut self.counts.refused)
    }

    /// Appends an event, or what it begins with.
    fn append_event(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.out.byte(byte);
        }
        self.counts.events += 1;
    }
}

/// Where the struct of a frame has its time, which is 32 bits; beyond its end if it has none. It has the bytes of its
/// fields, and no padding.
const fn time_offset(fields: &[FieldDefinition]) -> usize {
    let (mut at, mut i) = (0, 0);
    while i < fields.len() {
        if same(fields[i].name, "time") && fields[i].bits == 32 {
            return at;
        }
        at += fields[i].bits as usize / 8;
        i += 1;
    }
    usize::MAX
}

/// The index of a main frame, which the compiler then knows to be one.
#[inline(always)]
fn slot(index: u8) -> usize {
    usize::from(index.min(2))
}

/// Appends a frame that refers to none before it. Returns whether it fits.
fn append<F: BlackboxFrame>(frame: &F, kind: FrameKind, references: &References, out: &mut FrameBuffer) -> bool {
    let start = out.length();
    out.byte(kind.letter());
    frame.encode_intra(references, out);
    let fits = out.fits();
    if !fits {
        out.truncate(start);
    }
    fits
}

/// Counts a frame.
fn count(written: bool, frames: &mut u32, refused: &mut u32) -> Result<(), DoesNotFit> {
    match written {
        true => *frames += 1,
        false => *refused += 1,
    }
    if written { Ok(()) } else { Err(DoesNotFit) }
}

impl<S: BlackboxSchema> Default for Encoder<S> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: BlackboxSchema> fmt::Debug for Encoder<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Encoder").field("counts", &self.counts).finish_non_exhaustive()
    }
}

/// A frame has a residual that its encoding can't hold: with `NEG_14BIT`, a value more than 8191 below or 8192 above
/// its reference; with `TAG8_4S16` and a reference, a difference of more than 16 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DoesNotFit;

impl fmt::Display for DoesNotFit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "a value of the frame is too far from its prediction for the field's encoding; take another encoding",
        )
    }
}

impl core::error::Error for DoesNotFit {}
