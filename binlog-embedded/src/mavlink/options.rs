//! What a program chooses about a stream, and what it learns of one.

use super::Address;

/// How a stream is addressed and paced. `StreamOptions::default()` is [`DEFAULT`](StreamOptions::DEFAULT).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct StreamOptions {
    /// The vehicle's address. Messages to it, to component 155 (a logger), and to everybody (0) are for the stream.
    /// Default: system 1, component 1.
    pub address: Address,
    /// The most bytes that the stream sends in a second, frames of MAVLink 2 counted whole. Less than what the link
    /// carries keeps its queue short, and leaves room for other messages. Default: no limit.
    pub bytes_per_second: u32,
}

impl StreamOptions {
    /// The defaults given above.
    pub const DEFAULT: Self = StreamOptions { address: Address::new(1, 1), bytes_per_second: u32::MAX };
}

impl Default for StreamOptions {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// Whether there is a client, and what it does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum StreamState {
    /// No client has started the stream, or it stopped it. Nothing is sent.
    Idle,
    /// A client gets the log.
    Streaming,
    /// The client hasn't answered for 10 seconds. It gets one block a second, the oldest one, so that the stream
    /// continues when the link is back. After 10 minutes, the stream is [`Idle`](StreamState::Idle).
    Silent,
    /// The log is complete, and the client has all of it. Nothing is sent before a client starts the next log.
    Finished,
}

/// Blocks and messages of a stream since it was created. Each count stays at its maximum.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct StreamCounts {
    /// Blocks that were sent for the first time.
    pub sent: u32,
    /// Blocks that were sent again.
    pub sent_again: u32,
    /// Blocks that were acknowledged.
    pub acknowledged: u32,
    /// Messages of other clients while one has the stream.
    pub refused: u32,
}
