//! What reading learns from a log: which records declare something, and the lengths of all.

use super::catalogue::declaration::Declaration;
use super::catalogue::definition::{FMT_OF_FMT, Fmt, LoggedDefinition};
use super::catalogue::fmtu_layout::FmtuLayout;
use super::framing::Framing;
use crate::format::Definition;
use crate::format::header::FMT_ID;

/// Finds the declarations among a log's records, and learns what reading needs: the lengths of records, and the id and
/// the layout of FMTU.
#[derive(Clone)]
pub(crate) struct Learner {
    pub(crate) framing: Framing,
    /// The id of FMTU and its layout.
    fmtu: Option<(u8, FmtuLayout)>,
    /// By id, whether records are looked at: those that declare something, or all.
    are_noted: [bool; 256],
}

/// By id, the length of records that declare nothing, header included; 0 for all others.
#[cfg(feature = "read")]
pub(crate) type PlainLengths = [u8; 256];

impl Learner {
    /// Knows FMT only, as every reader does at the start.
    pub(crate) fn new() -> Self {
        let mut framing = Framing::new();
        framing.learn(FMT_ID, FMT_OF_FMT[1]);
        let mut are_noted = [false; 256];
        are_noted[usize::from(FMT_ID)] = true;
        Learner { framing, fmtu: None, are_noted }
    }

    #[cfg(feature = "read")]
    pub(crate) fn plain_lengths(&self) -> PlainLengths {
        let mut lengths = *self.framing.lengths();
        let declaring = [Some(FMT_ID), self.fmtu_id()];
        declaring.into_iter().flatten().for_each(|id| lengths[usize::from(id)] = 0);
        lengths
    }

    /// Whether the records of an id are FMTUs.
    #[cfg(feature = "read")]
    pub(crate) fn is_fmtu(&self, id: u8) -> bool {
        self.fmtu_id() == Some(id)
    }

    fn fmtu_id(&self) -> Option<u8> {
        self.fmtu.map(|(id, _)| id)
    }

    /// Whether the records of an id declare something, or all are looked at.
    #[inline(always)]
    pub(crate) fn notes(&self, id: u8) -> bool {
        self.are_noted[usize::from(id)]
    }

    /// From here on, [`notes`](Self::notes) is true for all records.
    pub(crate) fn note_all(&mut self) {
        self.are_noted = [true; 256];
    }

    /// The declaration in a record, if it contains one.
    #[inline(always)]
    pub(crate) fn learn<'a>(&mut self, id: u8, payload: &'a [u8]) -> Option<Declaration<'a>> {
        if self.notes(id) { self.learn_from(id, payload) } else { None }
    }

    #[cold]
    #[inline(never)]
    fn learn_from<'a>(&mut self, id: u8, payload: &'a [u8]) -> Option<Declaration<'a>> {
        if id != FMT_ID {
            let (_, layout) = self.fmtu.filter(|(fmtu_id, _)| *fmtu_id == id)?;
            let (id, fmtu) = layout.read(payload)?;
            return Some(Declaration::Fmtu(id, fmtu));
        }
        let fmt: &Fmt = payload.first_chunk()?;
        let [id, length, ..] = *fmt;
        // A record has at least a header, and records of FMT were read with the known length of FMT.
        if usize::from(length) < Definition::HEADER_LENGTH || (id == FMT_ID && length != FMT_OF_FMT[1]) {
            return None;
        }
        self.framing.learn(id, length);
        let definition = LoggedDefinition::new(fmt, None);
        let layout = if definition.name() == "FMTU" { FmtuLayout::of(&definition) } else { None };
        if layout.is_some() || self.fmtu_id() == Some(id) {
            self.fmtu = layout.map(|layout| (id, layout));
            self.are_noted[usize::from(id)] = true;
        }
        Some(Declaration::Fmt(fmt))
    }
}
