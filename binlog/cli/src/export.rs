//! Logs in the formats of other programs: CSV, JSON lines, Parquet, MCAP, KML and GPX.
//!
//! # The map
//!
//! - [`choice`] is `--types`. [`tables`] has the chosen columns of a session as
//!   [`ChosenTable`](chosen_table::ChosenTable)s, in their stored types; [`objects`] has the records in the order of
//!   the log, as JSON.
//! - [`csv`], [`wide`], [`json_lines`], [`kml`] and [`gpx`] write to any `io::Write`, `mcap` to a file that grows. Only
//!   `parquet` has files of its own, in the folder of a data set.
//! - [`number`](crate::number) and [`time`] are the text of cells.
//!
#![doc = include_str!("export/guide.md")]

mod blackbox;
pub mod choice;
pub mod chosen_table;
pub mod csv;
pub mod gpx;
pub mod json_lines;
pub mod kml;
#[cfg(feature = "mcap")]
pub mod mcap;
pub mod objects;
#[cfg(feature = "parquet")]
pub mod parquet;
pub mod tables;
pub mod time;
pub mod wide;

pub(crate) use blackbox::described;
