//! What a log has defined so far.

use super::framing::Framing;
use super::logged::{FMT_ID, FMT_OF_FMT, Fmt, Fmtu, text};
use crate::{Definition, LoggedDefinition};

/// Learns from the records that define others: how long records are, and which id FMTU has.
#[derive(Clone)]
pub(crate) struct Lessons {
    pub(crate) framing: Framing,
    fmtu_id: Option<u8>,
}

/// By id, the length of records that define nothing, header included; 0 for all others.
#[cfg(feature = "std")]
pub(crate) type PlainLengths = [u8; 256];

/// What a record defines.
pub(crate) enum Lesson<'a> {
    /// A message, by its FMT.
    Fmt(&'a Fmt),
    /// The units and multipliers of a message, by its FMTU.
    Fmtu(&'a Fmtu),
}

impl Lesson<'_> {
    /// The id of the message that is defined.
    pub(crate) fn id(&self) -> u8 {
        match self {
            Lesson::Fmt(fmt) => fmt[0],
            Lesson::Fmtu(fmtu) => fmtu[8],
        }
    }

    /// Whether it defines FMT, and so itself: the record is read by what it says.
    pub(crate) fn is_of_fmt(&self) -> bool {
        matches!(self, Lesson::Fmt(fmt) if fmt[0] == FMT_ID)
    }
}

impl Lessons {
    pub(crate) fn new() -> Self {
        let mut framing = Framing::new();
        framing.learn(FMT_ID, FMT_OF_FMT[1]);
        Lessons { framing, fmtu_id: None }
    }

    #[cfg(feature = "std")]
    pub(crate) fn plain_lengths(&self) -> PlainLengths {
        let mut lengths = *self.framing.lengths();
        let defining = [Some(FMT_ID), self.fmtu_id];
        defining.into_iter().flatten().for_each(|id| lengths[usize::from(id)] = 0);
        lengths
    }

    /// What a record defines, if it defines something.
    #[inline(always)]
    pub(crate) fn learn<'a>(&mut self, id: u8, payload: &'a [u8]) -> Option<Lesson<'a>> {
        if id == FMT_ID || Some(id) == self.fmtu_id { self.learn_from(id, payload) } else { None }
    }

    #[cold]
    #[inline(never)]
    fn learn_from<'a>(&mut self, id: u8, payload: &'a [u8]) -> Option<Lesson<'a>> {
        if id != FMT_ID {
            return payload.first_chunk().map(Lesson::Fmtu);
        }
        let fmt: &Fmt = payload.first_chunk()?;
        let [id, length, ..] = *fmt;
        // A record is no shorter than its header, and FMT's own length is what this definition was read by.
        if usize::from(length) < Definition::HEADER_LENGTH || (id == FMT_ID && length != FMT_OF_FMT[1]) {
            return None;
        }
        self.framing.learn(id, length);
        if text(&fmt[2..6]) == "FMTU" && text(&fmt[6..22]) == "QBNN" {
            self.fmtu_id = Some(id);
        } else if self.fmtu_id == Some(id) {
            self.fmtu_id = None;
        }
        Some(Lesson::Fmt(fmt))
    }
}

/// The definitions in force, by id: references into a log in memory.
#[derive(Clone)]
pub(super) struct Borrowed<'a>([Option<(LoggedDefinition<'a>, u64)>; 256]);

impl<'a> Borrowed<'a> {
    pub(super) fn new() -> Self {
        let mut definitions = Borrowed([None; 256]);
        definitions.learn(&Lesson::Fmt(&FMT_OF_FMT));
        definitions
    }

    #[inline(always)]
    pub(super) fn get(&self, id: u8) -> Option<(LoggedDefinition<'a>, u64)> {
        self.0[usize::from(id)]
    }

    pub(super) fn learn(&mut self, lesson: &Lesson<'a>) {
        match *lesson {
            Lesson::Fmt(fmt) => {
                let slot = &mut self.0[usize::from(lesson.id())];
                // ArduPilot repeats identical FMTs without their FMTU.
                if slot.is_none_or(|(old, _)| !old.is_defined_by(fmt)) {
                    *slot = Some(with_fingerprint(LoggedDefinition::new(fmt, None)));
                }
            }
            Lesson::Fmtu(fmtu) => {
                if let Some(slot) = &mut self.0[usize::from(lesson.id())] {
                    *slot = with_fingerprint(slot.0.with(fmtu));
                }
            }
        }
    }
}

fn with_fingerprint(definition: LoggedDefinition<'_>) -> (LoggedDefinition<'_>, u64) {
    (definition, definition.fingerprint())
}

/// Copies of the definitions in force, by id, for a log that passes by: 34 KiB.
#[derive(Clone)]
pub(super) struct Copied([Option<CopiedDefinition>; 256]);

#[derive(Clone, Copy)]
pub(super) struct CopiedDefinition {
    fmt: Fmt,
    fmtu: Option<Fmtu>,
    fingerprint: u64,
}

impl Copied {
    pub(super) fn new() -> Self {
        let mut definitions = Copied([None; 256]);
        definitions.learn(&Lesson::Fmt(&FMT_OF_FMT));
        definitions
    }

    pub(super) fn get(&self, id: u8) -> Option<(LoggedDefinition<'_>, u64)> {
        self.0[usize::from(id)].as_ref().map(CopiedDefinition::definition)
    }

    pub(super) fn clone_of(&self, id: u8) -> Option<CopiedDefinition> {
        self.0[usize::from(id)]
    }

    pub(super) fn learn(&mut self, lesson: &Lesson<'_>) {
        let slot = match *lesson {
            Lesson::Fmt(fmt) => {
                let slot = &mut self.0[usize::from(lesson.id())];
                if slot.as_ref().is_none_or(|old| old.fmt != *fmt) {
                    *slot = Some(CopiedDefinition { fmt: *fmt, fmtu: None, fingerprint: 0 });
                }
                slot
            }
            Lesson::Fmtu(fmtu) => {
                let slot = &mut self.0[usize::from(lesson.id())];
                if let Some(entry) = slot {
                    entry.fmtu = Some(*fmtu);
                }
                slot
            }
        };
        if let Some(entry) = slot {
            entry.fingerprint = entry.definition().0.fingerprint();
        }
    }
}

impl CopiedDefinition {
    pub(super) fn definition(&self) -> (LoggedDefinition<'_>, u64) {
        (LoggedDefinition::new(&self.fmt, self.fmtu.as_ref()), self.fingerprint)
    }
}
