//! ArduPilot's format: the ring has the bytes of the file.

#[cfg(feature = "derive")]
use crate::declare::messages::Msg;
use crate::format::Definition;
use crate::format::LogMessage;
use crate::format::counts::Rate;
#[cfg(feature = "derive")]
use crate::format::field::Chars;
#[cfg(feature = "derive")]
use crate::format::ring_format::Notes;
use crate::format::ring_format::{Accepts, ArduPilot, Encoder, FileFormat, RecordShape, TagTable};
use crate::format::{LogSchema, Logs};
use core::marker::PhantomData;
use core::ops::Range;

impl<S: LogSchema> FileFormat<S> for ArduPilot {
    const UNIT: usize = 1;
    const VERBATIM: bool = true;
    const RECORDS: &'static [RecordShape] = Shapes::<S>::ALL.split_at(S::MESSAGES.len()).0;
    const LONGEST: usize = 255;
    const PREAMBLE: &'static [u8] = S::PREAMBLE;
    const PACKED: &'static [u8] = S::PACKED;
    const EXTENSION: &'static str = "BIN";
    type Counters = S::Counters;
    type Prologue = S;
    type Encoder = OwnRecord;
}

/// The shapes of a schema's records, for constants.
struct Shapes<S>(PhantomData<S>);

impl<S: LogSchema> Shapes<S> {
    const ALL: &'static [RecordShape; 256] = &{
        let mut shapes = [RecordShape::NONE; 256];
        let mut i = 0;
        while i < S::MESSAGES.len() {
            let message = &S::MESSAGES[i];
            assert!(i < 256, "a schema that was written by hand can't be logged");
            let Definition { name, .. } = *message.definition;
            shapes[i] = RecordShape { tag: message.id, name, length: message.definition.length(), rate: message.rate };
            i += 1;
        }
        shapes
    };
}

#[diagnostic::do_not_recommend]
impl<S: Logs<M>, M: LogMessage> Accepts<S, M> for ArduPilot {
    const INDEX: usize = <S as Logs<M>>::INDEX;
    const TAG: u8 = S::ID;
    const PAYLOAD: usize = M::DEFINITION.length() - Definition::HEADER_LENGTH;
    const CRITICAL: bool = S::CRITICAL;
    const RATE: Option<Rate> = S::RATE;
    const HAS_FILTER: bool = false;

    #[inline(always)]
    fn payload(value: &M) -> &[u8] {
        value.wire()
    }

    #[inline(always)]
    fn is_kept(_: &M) -> bool {
        true
    }
}

#[cfg(feature = "derive")]
#[diagnostic::do_not_recommend]
impl<S: Logs<Msg>> Notes<S> for ArduPilot {
    #[allow(clippy::useless_conversion, reason = "on a big-endian target the field is another type")]
    fn encode_note(part: u8, text: &str, out: &mut [u8]) -> Option<usize> {
        // Before all times of the records, so that time doesn't run backwards.
        let message = Msg { time_us: 0_u64.into(), id: 0, seq: part, message: Chars::cut(text) };
        crate::write::encode::<S, _>(&message, out).ok()
    }
}

/// A record that the drain encodes: one of the prologue or of statistics. The drain passes on the others.
pub struct OwnRecord([u8; 255]);

impl<S: LogSchema> Encoder<S> for OwnRecord {
    #[inline(always)]
    fn new() -> Self {
        OwnRecord([0; 255])
    }

    #[inline(always)]
    fn encoded(&self) -> &[u8] {
        &self.0
    }

    #[inline(always)]
    fn buffer(&mut self) -> &mut [u8] {
        &mut self.0
    }

    #[inline]
    fn encode_prologue(&mut self, item: &S) -> Option<usize> {
        let (id, payload) = item.record();
        let length = payload.len() + Definition::HEADER_LENGTH;
        // A message that is implemented by hand and contradicts itself is left out.
        let sound = length == TagTable::<S>::find(id).1;
        let (true, Some(record)) = (sound, self.0.get_mut(..length)) else { return None };
        record[..Definition::HEADER_LENGTH].copy_from_slice(&crate::format::header::record_header(id));
        record[Definition::HEADER_LENGTH..].copy_from_slice(payload);
        Some(length)
    }

    #[inline(always)]
    fn replaces(_: &[u8], _: &S) -> Option<Range<usize>> {
        None
    }

    #[inline(always)]
    fn synthetic_tag(&self) -> Option<u8> {
        Some(self.0[2])
    }

    #[inline(always)]
    fn begin_session(&mut self) {}

    #[inline(always)]
    fn forget(&mut self) {}

    #[inline(always)]
    fn room(&mut self, _: u8) -> &mut [u8] {
        &mut []
    }

    #[inline(always)]
    fn encode(&mut self, _: u8) -> Option<usize> {
        None
    }

    #[inline(always)]
    fn end(&mut self) -> usize {
        0
    }

    #[inline(always)]
    fn has_ended(&self) -> bool {
        false
    }

    #[inline(always)]
    fn waiting(&self, _: u8) -> u32 {
        0
    }

    #[inline(always)]
    fn take_unwritten(&mut self) -> Option<(u8, u32)> {
        None
    }
}
