//! The commands, each in its file: it parses, calls, prints.

pub mod anonymise;
pub mod check;
pub mod completions;
pub mod convert;
pub mod cut;
pub mod diff;
pub mod download;
pub mod dump;
mod durable;
pub mod export;
pub mod extract;
pub mod find;
pub mod info;
pub mod lock;
pub mod manual;
pub mod merge;
pub mod params;
pub mod plot;
pub mod record;
pub mod repair;
pub mod report;
pub mod schema;
pub mod stats;
pub mod texts;
mod written;
