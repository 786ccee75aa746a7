//! Frames that are written when they change, and again after a while.

use crate::blackbox::BlackboxFrame;

/// The last frame of a kind, with room for the next.
pub(super) struct Repeated<F> {
    frames: [F; 2],
    /// The index of the last frame.
    last: usize,
    /// Whether there is a last frame.
    known: bool,
    /// Whether it has to be written (again).
    due: bool,
    /// I frames since it was written.
    i_frames: u16,
}

impl<F: BlackboxFrame> Repeated<F> {
    pub(super) fn new() -> Self {
        Repeated { frames: [F::zeros(), F::zeros()], last: 0, known: false, due: false, i_frames: 0 }
    }

    /// The bytes of the next frame.
    pub(super) fn room(&mut self) -> &mut [u8] {
        self.frames[1 - self.last].wire_mut()
    }

    /// Makes the next frame the last one, which is due if it is another. Returns whether it is.
    pub(super) fn accept(&mut self) -> bool {
        let next = 1 - self.last;
        let is_another = !self.known || self.frames[next].wire() != self.frames[self.last].wire();
        if is_another {
            self.last = next;
            self.known = true;
            self.due = true;
        }
        is_another
    }

    /// The last frame can't be written, so that the next one is another, even if it is equal.
    pub(super) fn refuse(&mut self) {
        self.known = false;
    }

    /// If no frame was accepted yet, accepts one of zeros.
    pub(super) fn accept_zeros(&mut self) {
        if !self.known {
            self.room().fill(0);
            self.accept();
        }
    }

    /// Makes the last frame due, if there is one.
    pub(super) fn repeat(&mut self) {
        self.due = self.known;
    }

    /// An I frame was written; the last frame is due after `period` of them.
    pub(super) fn after_i_frame(&mut self, period: u16) {
        self.i_frames = self.i_frames.saturating_add(1);
        if self.i_frames >= period {
            self.repeat();
        }
    }

    /// The last frame if it is due, which it isn't any more.
    pub(super) fn take(&mut self) -> Option<&F> {
        if !self.due {
            return None;
        }
        self.due = false;
        self.i_frames = 0;
        Some(&self.frames[self.last])
    }
}
