//! Slow, GPS and home frames before the first I frame of a session, which wait for it.

use crate::blackbox::FrameKind;

/// Frames that wait for the first I frame, and frames that the log lacks, by kind.
#[derive(Clone, Copy)]
pub(super) struct Waiting {
    /// Accepted frames that wait. Several of a kind are equal, and one frame in the log stands for them.
    waiting: [u32; 3],
    /// Frames that the log lacks, until they are taken.
    unwritten: [u32; 3],
}

/// The kinds of frames that wait.
const KINDS: [FrameKind; 3] = [FrameKind::Slow, FrameKind::Gps, FrameKind::Home];

/// The place in [`KINDS`]; one beyond it for other frames.
const fn index(kind: FrameKind) -> usize {
    match kind {
        FrameKind::Slow => 0,
        FrameKind::Gps => 1,
        FrameKind::Home => 2,
        FrameKind::Intra | FrameKind::Inter | FrameKind::Event => KINDS.len(),
    }
}

impl Waiting {
    pub(super) const NONE: Self = Waiting { waiting: [0; 3], unwritten: [0; 3] };

    /// How many frames of a kind wait.
    pub(super) fn of(&self, kind: FrameKind) -> u32 {
        self.waiting.get(index(kind)).copied().unwrap_or(0)
    }

    /// Another frame waits.
    pub(super) fn add(&mut self, kind: FrameKind) {
        if let Some(waiting) = self.waiting.get_mut(index(kind)) {
            *waiting = waiting.saturating_add(1);
        }
    }

    /// Ends the wait of a kind's frames: they are written, or lacking. Returns how many the log lacks.
    pub(super) fn settle(&mut self, kind: FrameKind, is_written: bool) -> u32 {
        let (Some(waiting), Some(unwritten)) = (self.waiting.get_mut(index(kind)), self.unwritten.get_mut(index(kind)))
        else {
            return 0;
        };
        let settled = core::mem::take(waiting);
        if is_written {
            return 0;
        }
        *unwritten = unwritten.saturating_add(settled);
        settled
    }

    /// Ends the wait of all frames without writing them. Returns how many there were.
    pub(super) fn lose_all(&mut self) -> u32 {
        KINDS.into_iter().map(|kind| self.settle(kind, false)).sum()
    }

    /// The frames of a kind that the log lacks. Each is returned once.
    pub(super) fn take_unwritten(&mut self) -> Option<(FrameKind, u32)> {
        let mut all = KINDS.into_iter().zip(&mut self.unwritten);
        all.find(|(_, unwritten)| **unwritten > 0).map(|(kind, unwritten)| (kind, core::mem::take(unwritten)))
    }
}
