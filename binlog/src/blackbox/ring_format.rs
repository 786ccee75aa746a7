//! Blackbox in a logger: its ring has the structs, and its drain encodes them.

mod event;
mod line;
mod session;

use super::{BlackboxFrame, BlackboxSchema, FieldDefinition, FrameKind, LogsFrame, MainFrame};
use crate::format::counts::{CountersOf, Rate};
use crate::format::ring_format::{Accepts, FileFormat, Fnv, Notes, RecordShape, Schema};
use core::any::Any;
pub use event::EventRecord;
pub use line::{HeaderLine, InvalidLine};
pub use session::SessionEncoder;
use zerocopy::IntoBytes;

/// The format of Blackbox logs.
///
/// A logger counts main, slow, GPS and home frames and events, in this order: these are the indices of its tallies, and
/// `main`, `slow`, `gps`, `home` and `event` their names in a budget.
pub enum Blackbox {}

#[diagnostic::do_not_recommend]
impl<S: BlackboxSchema> Schema for S {
    type Format = Blackbox;
}

/// Bytes of the ring to which records are aligned.
const UNIT: usize = 4;

/// What may be in the ring.
const KINDS: [(FrameKind, &str); 5] = [
    (FrameKind::Intra, "main"),
    (FrameKind::Slow, "slow"),
    (FrameKind::Gps, "gps"),
    (FrameKind::Home, "home"),
    (FrameKind::Event, "event"),
];

/// The place of a kind of frame in [`KINDS`].
const fn index(kind: FrameKind) -> usize {
    match kind {
        FrameKind::Intra | FrameKind::Inter => 0,
        FrameKind::Slow => 1,
        FrameKind::Gps => 2,
        FrameKind::Home => 3,
        FrameKind::Event => 4,
    }
}

/// The kind with this tag in the ring.
const fn kind_of(tag: u8) -> FrameKind {
    match FrameKind::from_letter(tag) {
        Some(kind) => kind,
        None => FrameKind::Event,
    }
}

/// The shape of records whose payload has this many bytes; 0 for a kind of frame that the schema lacks.
const fn shape(kind: FrameKind, payload: usize) -> RecordShape {
    let (kind, name) = KINDS[index(kind)];
    let length = if payload == 0 { 0 } else { (UNIT + payload).next_multiple_of(UNIT) };
    RecordShape { tag: kind.letter(), name, length, rate: None }
}

const fn longest(shapes: &[RecordShape]) -> usize {
    let (mut longest, mut i) = (0, 0);
    while i < shapes.len() {
        if shapes[i].length > longest {
            longest = shapes[i].length;
        }
        i += 1;
    }
    longest
}

/// Adds the widths of a frame's fields, which the header doesn't have, and where the frame ends.
const fn widths(mut layout: Fnv, fields: &[FieldDefinition]) -> Fnv {
    let mut i = 0;
    while i < fields.len() {
        layout = layout.bytes(&[fields[i].bits]);
        i += 1;
    }
    layout.bytes(&[0])
}

impl<S: BlackboxSchema> FileFormat<S> for Blackbox {
    const UNIT: usize = UNIT;
    const VERBATIM: bool = false;
    const RECORDS: &'static [RecordShape] = &[
        shape(FrameKind::Intra, size_of::<S::Main>()),
        shape(FrameKind::Slow, size_of::<S::Slow>()),
        shape(FrameKind::Gps, size_of::<S::Gps>()),
        shape(FrameKind::Home, size_of::<S::Home>()),
        shape(FrameKind::Event, size_of::<EventRecord>()),
    ];
    const LONGEST: usize = longest(<Self as FileFormat<S>>::RECORDS);
    const PREAMBLE: &'static [u8] = S::HEADER.as_bytes();
    const LAYOUT: u64 = {
        let frames = [
            <S::Main as BlackboxFrame>::FIELDS,
            <S::Slow as BlackboxFrame>::FIELDS,
            <S::Gps as BlackboxFrame>::FIELDS,
            <S::Home as BlackboxFrame>::FIELDS,
        ];
        let (mut layout, mut i) = (Fnv::NEW, 0);
        while i < frames.len() {
            layout = widths(layout, frames[i]);
            i += 1;
        }
        layout.finish()
    };
    const EXTENSION: &'static str = "BBL";
    type Counters = CountersOf<{ KINDS.len() }, 0>;
    type Prologue = HeaderLine;
    type Encoder = SessionEncoder<S>;
}

#[diagnostic::do_not_recommend]
impl<S: LogsFrame<F>, F: BlackboxFrame> Accepts<S, F> for Blackbox {
    const INDEX: usize = index(S::KIND);
    const TAG: u8 = KINDS[index(S::KIND)].0.letter();
    const PAYLOAD: usize = size_of::<F>();
    // Without them, the frames after are read wrongly.
    const CRITICAL: bool = matches!(S::KIND, FrameKind::Slow | FrameKind::Home);
    const RATE: Option<Rate> = None;
    const HAS_FILTER: bool = {
        let (numerator, denominator) = S::INTERVALS.p_rate();
        index(S::KIND) == 0 && numerator != denominator
    };

    #[inline(always)]
    fn payload(frame: &F) -> &[u8] {
        frame.wire()
    }

    #[inline(always)]
    fn is_kept(frame: &F) -> bool {
        let main = (frame as &dyn Any).downcast_ref::<S::Main>();
        main.is_none_or(|main| S::INTERVALS.kind_of(main.iteration()).is_some())
    }
}

#[diagnostic::do_not_recommend]
impl<S: BlackboxSchema> Accepts<S, EventRecord> for Blackbox {
    const INDEX: usize = index(FrameKind::Event);
    const TAG: u8 = FrameKind::Event.letter();
    const PAYLOAD: usize = size_of::<EventRecord>();
    const CRITICAL: bool = true;
    const RATE: Option<Rate> = None;
    const HAS_FILTER: bool = false;

    #[inline(always)]
    fn payload(event: &EventRecord) -> &[u8] {
        event.as_bytes()
    }

    #[inline(always)]
    fn is_kept(_: &EventRecord) -> bool {
        true
    }
}

impl<S: BlackboxSchema> Notes<S> for Blackbox {
    /// A header line `Note 1`, `Note 2` and so on.
    fn encode_note(part: u8, text: &str, out: &mut [u8]) -> Option<usize> {
        let name = [b'N', b'o', b't', b'e', b' ', b'1'.saturating_add(part).min(b'9')];
        let line = HeaderLine::new(core::str::from_utf8(&name).ok()?, text).ok()?;
        out.get_mut(..line.bytes().len())?.copy_from_slice(line.bytes());
        Some(line.bytes().len())
    }
}
