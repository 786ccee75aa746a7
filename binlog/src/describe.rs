//! What a schema says of its messages to people and programs: ArduPilot's `LogMessages.xml`, a page, Markdown. And the
//! reviewed files that hold such texts.

pub mod log_messages;
#[cfg(feature = "std")]
pub(crate) mod reviewed_file;
