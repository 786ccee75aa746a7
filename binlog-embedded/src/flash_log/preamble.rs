//! What comes before a log whose beginning was overwritten.

use binlog::flash::schema_hash;
use binlog::ring_format::{FileFormat, FormatOf, Schema, unpack};

/// The bytes with which each log of a schema begins. [`FlashLog::read`](super::FlashLog::read) and
/// [`extract`](super::FlashLog::extract) put them in front of a log whose beginning was overwritten, if they are
/// those of the log's schema.
#[derive(Clone, Copy, Debug)]
pub struct Preamble {
    /// Their [`schema_hash`].
    pub(super) schema: u32,
    /// Puts the piece that begins at a place into a buffer of at least 64 bytes. Returns its length, which is 0 at the
    /// end, and where the next piece begins.
    // A function, so that a program without a preamble has none that unpacks one.
    pub(super) piece: fn(usize, &mut [u8]) -> (usize, usize),
}

impl Preamble {
    /// None: logs without their beginning stay as they are.
    pub const NONE: Preamble = Preamble { schema: 0, piece: |at, _| (0, at) };

    /// That of a schema, in the form in which the program has it for the drain.
    pub const fn of<S: Schema>() -> Self {
        Preamble { schema: const { schema_hash(<FormatOf<S> as FileFormat<S>>::PREAMBLE) }, piece: piece::<S> }
    }
}

fn piece<S: Schema>(at: usize, out: &mut [u8]) -> (usize, usize) {
    let packed = <FormatOf<S> as FileFormat<S>>::PACKED;
    if !packed.is_empty() {
        return unpack(packed, at, out);
    }
    let rest = <FormatOf<S> as FileFormat<S>>::PREAMBLE.get(at..).unwrap_or_default();
    let length = rest.len().min(out.len());
    out[..length].copy_from_slice(&rest[..length]);
    (length, at + length)
}
