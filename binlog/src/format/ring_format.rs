//! What a logger needs to know of a file format, so that the same ring, drain and storage serve each of them.
//!
//! Producers put records into the logger's ring, and its drain makes a file of them. The two formats differ in what
//! happens between: the ring of [`ArduPilot`] has the bytes of the file, which the drain passes on; that of a format
//! with prediction has the structs, which the drain encodes, because prediction is too slow for an interrupt and needs
//! the records before.
//!
//! Schemas are derived, and the derive chooses the format. A program names none of this.

mod fnv;
mod packed;
mod tag_table;

use crate::format::counts::{Counters, Rate};
use core::ops::Range;
pub use fnv::Fnv;
pub use packed::{packed, packed_length, unpack};
pub use tag_table::{Rows, TagTable};

/// The set of things that one program logs, in any format. [`LogSchema`](crate::LogSchema) is that of ArduPilot's.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a log schema",
    label = "not a log schema",
    note = "a schema is an enum with `#[derive(LogSchema)]`, a variant for each message"
)]
pub trait Schema: Sized {
    /// The format of the files.
    type Format: FileFormat<Self>;
}

/// The format of `.BIN` files.
pub enum ArduPilot {}

/// A format of files with the schema `S`.
pub trait FileFormat<S> {
    /// Alignment of records in the ring, in bytes: 1 or 4.
    const UNIT: usize;

    /// Whether the ring's bytes are those of the file.
    const VERBATIM: bool;

    /// What is in the ring, in the order of the schema. Only for use in constants: it is large.
    const RECORDS: &'static [RecordShape];

    /// The most bytes of a record in the ring.
    const LONGEST: usize;

    /// What every file begins with.
    const PREAMBLE: &'static [u8];

    /// The preamble without its runs of zeros, for a drain; empty if the format has none.
    const PACKED: &'static [u8] = &[];

    /// A hash of the payload layout in the ring, for what the preamble doesn't cover.
    const LAYOUT: u64 = 0;

    /// The extension of the files' names, in capital letters.
    const EXTENSION: &'static str;

    /// The counts for each of [`RECORDS`](FileFormat::RECORDS).
    type Counters: Counters + Rows<S>;

    /// An item of the prologue, which follows the preamble.
    type Prologue;

    /// What the drain encodes with.
    type Encoder: Encoder<Self::Prologue>;
}

/// What is known of one kind of record in the ring without its type.
#[derive(Clone, Copy, Debug)]
pub struct RecordShape {
    /// The third byte of the record in the ring.
    pub tag: u8,
    /// The name, for a program that counts on how often it logs what.
    pub name: &'static str,
    /// Bytes in the ring, header included; 0 for a kind of record that the schema doesn't have.
    pub length: usize,
    /// How a sink decimates it.
    pub rate: Option<Rate>,
}

impl RecordShape {
    /// Nothing.
    pub(crate) const NONE: Self = RecordShape { tag: 0, name: "", length: 0, rate: None };
}

/// A format that takes values of `M` into logs with the schema `S`. It makes `LOG.log(&attitude)` compile.
#[diagnostic::on_unimplemented(
    message = "`{M}` is not in the schema `{S}`",
    label = "this log doesn't take it",
    note = "add a variant that holds `{M}` to the enum `{S}`",
    note = "a Blackbox log has frames (`#[derive(BlackboxFrame)]`), an ArduPilot log messages (`#[derive(LogMessage)]`)"
)]
pub trait Accepts<S, M> {
    /// The place in [`FileFormat::RECORDS`].
    const INDEX: usize;

    /// The third byte of the record in the ring.
    const TAG: u8;

    /// Bytes of the payload: of the record in the ring without its header.
    const PAYLOAD: usize;

    /// Whether a sink with a bounded buffer keeps a reserve for the record.
    const CRITICAL: bool;

    /// The rate at which a sink decimates the record.
    const RATE: Option<Rate>;

    /// The payload. It has another length only if the message was implemented by hand and contradicts itself.
    fn payload(value: &M) -> &[u8];

    /// Whether [`is_kept`](Accepts::is_kept) may reject a value.
    const HAS_FILTER: bool;

    /// Whether the format keeps a value; a value that it leaves out counts as decimated.
    fn is_kept(value: &M) -> bool;
}

/// A format that has a place for a text about the whole log.
#[diagnostic::on_unimplemented(
    message = "`Msg` is not in the schema `{S}`",
    label = "this log has no such message",
    note = "add a variant that holds `Msg` to the enum `{S}`"
)]
pub trait Notes<S> {
    /// Encodes a part of a text, at most 64 bytes of ASCII, for the place after the prologue. Returns its length;
    /// `None` if `out` is too short.
    fn encode_note(part: u8, text: &str, out: &mut [u8]) -> Option<usize>;
}

/// The buffer of a drain, and what it remembers from one record to the next.
pub trait Encoder<P> {
    /// At the beginning of a file.
    fn new() -> Self;

    /// What was encoded last.
    fn encoded(&self) -> &[u8];

    /// Room for bytes that the drain encodes by itself, at least 255. They then are those of
    /// [`encoded`](Encoder::encoded).
    fn buffer(&mut self) -> &mut [u8];

    /// Encodes an item of the prologue. Returns its length; `None` if it has no place in a log.
    fn encode_prologue(&mut self, item: &P) -> Option<usize>;

    /// The line of the preamble whose place an item of the prologue takes: its bytes. `None` if the item follows the
    /// preamble.
    fn replaces(preamble: &[u8], item: &P) -> Option<Range<usize>>;

    /// The tag of what was encoded last, if it is a record that is counted though it didn't come from the ring.
    fn synthetic_tag(&self) -> Option<u8>;

    /// Begins a session, after the preamble: what is encoded next refers to nothing before.
    fn begin_session(&mut self);

    /// Forgets the state that a session repeats from the one before, because that was another boot's. The counts stay.
    fn forget(&mut self);

    /// Room for the payload of a record with this tag, which is encoded next.
    fn room(&mut self, tag: u8) -> &mut [u8];

    /// Encodes the record whose payload is in its [`room`](Encoder::room). Returns the length, 0 if it needs no bytes
    /// of its own; `None` if the format can't hold it.
    fn encode(&mut self, tag: u8) -> Option<usize>;

    /// Encodes what ends the session. Returns the length, 0 if nothing was encoded in it.
    fn end(&mut self) -> usize;

    /// Whether the session has ended, so that another one begins with the next record.
    fn has_ended(&self) -> bool;

    /// How many records with this tag needed no bytes of their own, because they wait for others.
    fn waiting(&self, tag: u8) -> u32;

    /// Records that needed no bytes of their own, and that the log lacks after all: their tag, and how many they are.
    /// Each is returned once.
    fn take_unwritten(&mut self) -> Option<(u8, u32)>;
}

/// The format of a schema's files.
pub type FormatOf<S> = <S as Schema>::Format;

/// An item of the prologue of a schema's files: of ArduPilot's format, a value of the schema.
pub type PrologueOf<S> = <FormatOf<S> as FileFormat<S>>::Prologue;

/// What the drain of a schema's logger encodes with.
pub type EncoderOf<S> = <FormatOf<S> as FileFormat<S>>::Encoder;
