// Held by tests/tests/mavlink/stream.rs, tests/tests/mavlink/server.rs.

//! Logs over a MAVLink link: the third place for a log, beside cards and flash chips.
//!
//! [`Stream`] sends the log while it is written, to a companion computer or a ground station that acknowledges what it
//! has. Everything that the link can carry arrives; what it can't carry is counted. [`Follow`] does the same from the
//! log of a card, so that card and link have the same bytes. [`Server`] lists the logs of a card, a flash chip or a
//! folder, and sends them afterwards.
//!
//! These are state machines without I/O and without a MAVLink library. Give them the messages that your link receives,
//! and send the messages that they return when the link has room:
//!
//! ```
//! use binlog::{LogSchema, messages::Ev};
//! use binlog_embedded::Logger;
//! use binlog_embedded::mavlink::{Address, Frames, Link, MAX_FRAME, Stream, StreamOptions};
//!
//! #[derive(LogSchema)]
//! enum FlightLog {
//!     Ev(Ev),
//! }
//!
//! static LOG: Logger<FlightLog, 4096> = Logger::new();
//!
//! # trait Uart {
//! #     fn received(&mut self) -> &[u8];
//! #     fn has_room(&self, bytes: usize) -> bool;
//! #     fn send(&mut self, _: &[u8]);
//! # }
//! # fn micros() -> u64 { 0 }
//! fn fly(uart: &mut impl Uart) {
//!     let vehicle = Address::new(1, 1);
//!     let mut drain = LOG.drain().expect("LOG has a drain already");
//!     let mut stream = Stream::<40>::new(StreamOptions { address: vehicle, ..StreamOptions::DEFAULT });
//!     let (mut frames, mut link, mut buffer) = (Frames::new(), Link::new(vehicle), [0; MAX_FRAME]);
//!     loop {
//!         // All that was received comes first: an acknowledgement makes sending again needless.
//!         let mut received = uart.received();
//!         while let Some(frame) = frames.next(&mut received) {
//!             if let Some(message) = frame.message() {
//!                 stream.receive(micros(), frame.sender, &message);
//!             }
//!         }
//!         while stream.run(micros(), &mut drain) {}
//!         while uart.has_room(MAX_FRAME) {
//!             let Some(message) = stream.next(micros()) else { break };
//!             uart.send(link.frame(&message, &mut buffer));
//!         }
//!     }
//! }
//! ```

mod follow;
mod options;
mod server;
mod store;
mod stream;
mod window;

pub use binlog::mavlink::{Address, Counts, Frame, Frames, Link, MAX_FRAME, MAX_PAYLOAD, Message, Version};
pub use follow::Follow;
pub use options::{StreamCounts, StreamOptions, StreamState};
pub use server::{Server, ServerCounts, ServerOptions};
#[cfg(feature = "async")]
pub use store::AsyncLogStore;
#[cfg(feature = "flash")]
pub use store::FlashLogs;
#[cfg(feature = "std")]
pub use store::FolderLogs;
pub use store::{LogEntry, LogStore, Piece};
pub use stream::Stream;

/// Whether a message to `target` is for this address; 0 is everybody.
#[inline(never)]
fn is_for(address: Address, target: Address) -> bool {
    let is_it = |target, part| target == 0 || target == part;
    is_it(target.system, address.system) && is_it(target.component, address.component)
}
