//! Blackbox logs are read as the decoders in use read them, damaged or not.

mod any_bytes;
mod damage;
mod maker;
mod peers;
mod real_logs;
mod reference;
mod synthetic;
