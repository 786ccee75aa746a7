//! Sessions that follow each other in one encoder, as in a logger that runs on.

use super::Encoder;
use crate::blackbox::BlackboxSchema;
use crate::blackbox::preamble::{self, InvalidHeader};

impl<S: BlackboxSchema> Encoder<S> {
    /// Begins another session, with the schema's header: the next main frame becomes an I frame, and the slow and home
    /// frames of the session before follow it. The counts go on.
    pub fn begin(&mut self) {
        self.references = S::REFERENCES;
        (self.started, self.intra_next, self.resume_next, self.gps_waits) = (false, true, false, false);
        self.resumed = None;
        self.slow.repeat();
        self.home.repeat();
    }

    /// Takes a further header line of the session, because predictors refer to some. To be called before the first frame.
    ///
    /// # Errors
    ///
    /// If the line can't be in a header. Then nothing changes.
    pub fn refer(&mut self, name: &str, value: &str) -> Result<(), InvalidHeader> {
        self.references = preamble::check(self.references, &[(name, value)])?;
        Ok(())
    }
}
