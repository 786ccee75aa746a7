//! What a schema says of its messages to people and programs: ArduPilot's `LogMessages.xml`, a page, Markdown. And the
//! reviewed files that hold such texts.

#[cfg(feature = "std")]
pub(crate) mod golden_file;
pub mod log_messages;
