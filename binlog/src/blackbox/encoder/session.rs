//! Sessions that follow each other in one encoder, as in a logger that runs on.

use super::Encoder;
use crate::blackbox::preamble::InvalidHeader;
use crate::blackbox::{BlackboxSchema, FrameKind, References, preamble};

impl<S: BlackboxSchema> Encoder<S> {
    /// Begins another session, with the schema's header: the next main frame becomes an I frame, and the slow and home
    /// frames of the session before follow it. The counts continue.
    pub fn begin(&mut self) {
        self.lose_waiting();
        self.references = S::REFERENCES;
        (self.started, self.intra_next, self.resume_next) = (false, true, false);
        (self.resumed, self.has_motor_output, self.has_home) = (None, false, false);
        self.slow.repeat();
        self.home.repeat();
    }

    /// Forgets all frames, so that none of this session is repeated in the next one. The counts continue.
    pub fn forget(&mut self) {
        self.lose_waiting();
        *self = Encoder { counts: self.counts, waiting: self.waiting, ..Self::new() };
    }

    /// How many accepted frames of a kind wait for the first I frame.
    pub(in crate::blackbox) fn waiting(&self, kind: FrameKind) -> u32 {
        if Self::HAS_WAITING { self.waiting.of(kind) } else { 0 }
    }

    /// Counts frames that wait for the first I frame, because the session ends without one.
    pub(in crate::blackbox) fn lose_waiting(&mut self) {
        if Self::HAS_WAITING {
            self.counts.unwritten += self.waiting.lose_all();
        }
    }

    /// The frames of a kind that were accepted and aren't in the log, because they waited for the first I frame. Each
    /// is returned once.
    pub(in crate::blackbox) fn take_unwritten(&mut self) -> Option<(FrameKind, u32)> {
        if Self::HAS_WAITING { self.waiting.take_unwritten() } else { None }
    }

    /// Takes a further header line of the session, because predictors refer to some. To be called before the first main
    /// frame.
    ///
    /// # Errors
    ///
    /// If the line can't be in a header: also if a main frame was encoded before, or if it is `minthrottle` after
    /// `motorOutput`. Then nothing changes.
    pub fn refer(&mut self, name: &str, value: &str) -> Result<(), InvalidHeader> {
        preamble::check("", References::NEW, &[(name, value)])?;
        self.refer_checked(name.as_bytes(), value.as_bytes())
    }

    /// As [`refer`](Encoder::refer), with a line that could be in another schema's header.
    pub(in crate::blackbox) fn refer_checked(&mut self, name: &[u8], value: &[u8]) -> Result<(), InvalidHeader> {
        if self.started {
            return Err(InvalidHeader::LATE);
        }
        if preamble::hides_motor_output(S::HEADER, name, self.has_motor_output) {
            return Err(InvalidHeader::ORDER);
        }
        // Checked, so it isn't an error.
        let _ = self.references.take(name, value);
        self.has_motor_output |= name == preamble::MOTOR_OUTPUT.as_bytes();
        Ok(())
    }
}
