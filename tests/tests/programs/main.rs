//! Other programs: parsers and viewers that read our logs, firmware under QEMU, and those that README shows.

mod date;
mod every_format;
mod firmware;
mod ground_stations;
mod log_against_pymavlink;
mod log_messages;
mod other_parsers;
mod pymavlink;
mod readme;
mod text_logs;
mod viewers;
