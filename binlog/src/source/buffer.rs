//! The values of a column: in memory of their own, or in a piece that the columns of a table share.

use memmap2::MmapMut;
use std::fmt;
use std::ops::{Deref, Range};
use std::sync::Arc;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// A type of which any bytes are a value, and whose values are their bytes.
pub trait Plain: FromBytes + IntoBytes + KnownLayout + Immutable + Clone + 'static {}

impl<T: FromBytes + IntoBytes + KnownLayout + Immutable + Clone + 'static> Plain for T {}

/// The values of a column, one after the other: a slice.
///
/// The columns of a long table share one piece of memory, which is freed with the last of them and their clones: one
/// column keeps the memory of all. [`into_owned`](Buffer::into_owned) is a `Vec` of these values alone.
#[derive(Clone)]
pub struct Buffer<T> {
    own: Vec<T>,
    /// In place of its own values.
    shared: Option<Box<Shared>>,
}

/// Values in a piece of memory, and where they are in it.
#[derive(Clone)]
struct Shared {
    piece: Arc<MmapMut>,
    place: Range<usize>,
}

impl<T: Plain> Buffer<T> {
    pub(super) fn shared(piece: &Arc<MmapMut>, place: Range<usize>) -> Self {
        Buffer { own: Vec::new(), shared: Some(Shared { piece: piece.clone(), place }.into()) }
    }

    /// Whether their memory is a piece that others share.
    #[cfg(test)]
    pub(super) fn is_shared(&self) -> bool {
        self.shared.is_some()
    }

    /// The values as a `Vec` that can be changed. Those of a long table are copied.
    pub fn to_mut(&mut self) -> &mut Vec<T> {
        if self.shared.is_some() {
            *self = self.to_vec().into();
        }
        &mut self.own
    }

    /// The values as a `Vec`. Those of a long table are copied.
    pub fn into_owned(mut self) -> Vec<T> {
        std::mem::take(self.to_mut())
    }
}

impl<T: Plain> Deref for Buffer<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match self.shared.as_deref() {
            None => &self.own,
            Some(Shared { piece, place }) => {
                let values = <[T]>::ref_from_bytes(&piece[place.clone()]);
                debug_assert!(values.is_ok(), "a place has whole values and is aligned");
                values.unwrap_or_default()
            }
        }
    }
}

impl<T: Plain> Default for Buffer<T> {
    fn default() -> Self {
        Vec::new().into()
    }
}

impl<T: Plain> From<Vec<T>> for Buffer<T> {
    fn from(values: Vec<T>) -> Self {
        Buffer { own: values, shared: None }
    }
}

impl<T: Plain> FromIterator<T> for Buffer<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        Vec::from_iter(values).into()
    }
}

impl<'b, T: Plain> IntoIterator for &'b Buffer<T> {
    type Item = &'b T;
    type IntoIter = std::slice::Iter<'b, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T: Plain + PartialEq> PartialEq for Buffer<T> {
    fn eq(&self, other: &Self) -> bool {
        self[..] == other[..]
    }
}

impl<T: Plain + fmt::Debug> fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self[..].fmt(f)
    }
}
