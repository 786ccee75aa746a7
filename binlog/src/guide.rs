//! The guide: one chapter for each task, with examples that compile.
//!
//! | to write logs | to read logs | to know more |
//! | --- | --- | --- |
//! | [A first message](first_message) | [Reading](reading) | [Performance](performance) |
//! | [Attributes](attributes) | [Damaged logs](damaged_logs) | [What the format can't say](limits) |
//! | [Field types](field_types) | [Unknown firmware](unknown_firmware) | [Architecture](architecture) |
//! | [Units and multipliers](units) | [Formats over years](formats_over_years) | |
//! | [Nested fields](nested_fields) | [Descriptions](descriptions) | [The program](program) |
//! | [Your struct isn't a log message](your_struct) | [Whole logs](whole_logs): check, cut, merge, share | [Plots](plots) |
//! | [Viewers](viewers) | [Blackbox](blackbox) | [A report of a flight](report) |
//! | [Several threads](several_threads) | | |
//! | [Simulators](simulators) | [Companions](companions): logs over MAVLink | |
//! | | [Replay](replay): logs as a test of code | |
//!
//! Logging on a microcontroller (ring, SD card, porting, footprint, the firmware's application on a host) is the guide
//! of `binlog-embedded`: `cargo doc --open --all-features`, module `binlog_embedded::guide`.
//!
//! The chapters contain no code to call, and they are compiled by rustdoc only.

// Each chapter is a Markdown file, so that it reads as text in the source tree, too.
#[doc = include_str!("guide/first_message.md")]
pub mod first_message {}

#[doc = include_str!("guide/attributes.md")]
pub mod attributes {}

#[doc = include_str!("guide/field_types.md")]
pub mod field_types {}

#[doc = include_str!("guide/nested_fields.md")]
pub mod nested_fields {}

#[doc = include_str!("guide/your_struct.md")]
pub mod your_struct {}

#[doc = include_str!("guide/units.md")]
pub mod units {}

#[doc = include_str!("guide/viewers.md")]
pub mod viewers {}

#[doc = include_str!("guide/several_threads.md")]
pub mod several_threads {}

#[doc = include_str!("guide/simulators.md")]
pub mod simulators {}

#[doc = include_str!("guide/reading.md")]
pub mod reading {}

// What converts is little-endian: see `convert`.
#[cfg(target_endian = "little")]
#[doc = include_str!("guide/blackbox.md")]
pub mod blackbox {}

#[doc = include_str!("guide/damaged_logs.md")]
pub mod damaged_logs {}

#[doc = include_str!("guide/whole_logs.md")]
pub mod whole_logs {}

#[doc = include_str!("guide/unknown_firmware.md")]
pub mod unknown_firmware {}

#[doc = include_str!("guide/formats_over_years.md")]
pub mod formats_over_years {}

#[doc = include_str!("guide/descriptions.md")]
pub mod descriptions {}

#[doc = include_str!("guide/program.md")]
pub mod program {}

#[doc = include_str!("guide/replay.md")]
pub mod replay {}

#[doc = include_str!("guide/companions.md")]
pub mod companions {}

#[doc = include_str!("guide/plots.md")]
pub mod plots {}

#[doc = include_str!("guide/report.md")]
pub mod report {}

#[doc = include_str!("guide/performance.md")]
pub mod performance {}

#[doc = include_str!("guide/limits.md")]
pub mod limits {}

#[doc = include_str!("guide/architecture.md")]
pub mod architecture {}
