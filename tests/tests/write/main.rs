//! Writing on a host: accepted records reach the log, or an error says how many did.

mod bridges;
mod host_logger;
mod host_logs;
mod log_folder;
mod madflight;
mod returned_errors;
mod time_sorter;
mod writer;
