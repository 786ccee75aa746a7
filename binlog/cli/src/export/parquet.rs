//! Parquet: a folder of logs becomes one data set, which DuckDB, polars and pyarrow read as tables.
//!
//! ```text
//! fleet/
//!   ATT/0001-000.parquet    the ATT records of many logs, about 128 MB
//!   IMU/0001-000.parquet
//!   logs/0001-000.parquet   a row for each log: vehicle, firmware, duration, damage
//!   _manifest.json          which logs and files there are
//! ```
//!
//! Each record has `log_id` (a hash of the log's bytes), `session` (its number in the log, from 1 on), `instance`,
//! `TimeUS` and `UTC`, then the columns of its type as pymavlink shows them. NaN is null, so that aggregates leave it
//! out. Units, descriptions, and the names of values and bits (as JSON: `{"0":"Pad"}`) are metadata of the fields.
//!
//! - `schema`: the columns of a file, and which tables fit into it.
//! - `arrays`: the values of a table in the types of a file.
//! - [`data_set`]: the folder; it adds logs that it doesn't have, and is whole after a crash at any moment.
//! - [`manifest`]: the file that says which logs and files belong to it.
//! - `facts`: what is known of a log; `logs`: the table of it.

mod arrays;
pub mod data_set;
mod facts;
mod file;
mod logs;
pub mod manifest;
mod schema;

pub use data_set::DataSet;
pub use facts::{Facts, log_id};
pub use file::writer_properties;
