//! Blackbox logs that this crate writes: the encoder's rules, and what other decoders read.

mod decoders;
mod frames;
mod header;
mod round_trip;
mod rules;
mod writer;
