//! Blackbox logs are read as the decoders in use read them, damaged or not.

mod peers;
mod real_logs;
