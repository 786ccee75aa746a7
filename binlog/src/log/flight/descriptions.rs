//! What the log says about its messages.

use super::files::gathered;
use crate::Log;
use crate::log::Rows;
use crate::log_messages::{self, DescribedMessage, FILE_NAME};

impl Log<'_> {
    /// The descriptions of its messages that the log carries, written by [`LogWriter::descriptions`]. Empty without
    /// them.
    ///
    /// They come from the file, not from this program, and may contradict the log's definitions. A damaged file yields
    /// what could be read of it.
    ///
    /// [`LogWriter::descriptions`]: crate::LogWriter::descriptions
    pub fn descriptions(&self) -> Vec<DescribedMessage> {
        log_messages::read(self.xml.get_or_init(|| xml(&self.all("FILE"))))
    }
}

/// The text of the embedded file, given the records of FILE; empty without it.
pub(in crate::log) fn xml(rows: &Rows<'_>) -> String {
    let file = gathered(rows, |name| name == FILE_NAME).pop();
    let contents: Vec<u8> = file.into_iter().flat_map(|file| file.pieces.into_values().flatten()).collect();
    String::from_utf8_lossy(&contents).into_owned()
}
