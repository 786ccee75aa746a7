//! `binlog export`: what the program writes, read back by other programs' readers, in Rust and in Python.

mod csv;
mod failing_outputs;
mod ingest;
mod instances;
mod json_lines;
mod mcap;
mod mission_log;
mod missions;
mod parquet;
mod places;
mod python;
mod same_labels;
mod strange_names;
mod support;
mod track;
mod value_names;
