//! A stream in the main loop. The guide's chapter about MAVLink shows this file from here on.

use crate::{LogMessages, received};
#[cfg(feature = "embedded")]
use embedded_io::{Read, Write};
#[cfg(feature = "std")]
use std::io::{Read, Write};

use binlog_embedded::mavlink::Stream;
use core::marker::PhantomData;
use embedded_io::{ErrorType, ReadReady};
use mavlink::dialects::ardupilotmega::MavMessage;
use mavlink::error::MessageWriteError;
use mavlink::{MavHeader, MavlinkReader, MavlinkVersion, write_versioned_msg_with_dialect};

/// A UART whose `read` doesn't wait: it returns 0 bytes if none is there.
pub struct NonBlocking<U>(pub U);

impl<U: ErrorType> ErrorType for NonBlocking<U> {
    type Error = U::Error;
}

impl<U: embedded_io::Read + ReadReady> embedded_io::Read for NonBlocking<U> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, U::Error> {
        if self.0.read_ready()? { self.0.read(into) } else { Ok(0) }
    }
}

/// In the main loop, after `while stream.run(now_us, &mut drain) {}`. `has_room` says whether a frame fits into the
/// sender's queue; `header` has the vehicle's ids and the sequence of all its messages:
/// `MavHeader { system_id: address.system.into(), component_id: address.component, sequence: 0 }`.
pub fn step<const BLOCKS: usize, W: Write>(
    now_us: u64,
    stream: &mut Stream<BLOCKS>,
    reader: &mut MavlinkReader<impl Read>, // MavlinkReader::new(NonBlocking(receiver))
    sender: &mut W,
    has_room: impl Fn(&W) -> bool,
    header: &mut MavHeader,
) -> Result<(), MessageWriteError> {
    // It is an error if nothing is left to read. The reader keeps the beginning of a frame.
    while let Ok(raw) = reader.read_any_raw_message::<MavMessage>() {
        if let Some((client, message)) = received(&raw) {
            stream.receive(now_us, client, &message);
        }
        // … the rest of your messages: MavMessage::parse(raw.version(), raw.message_id(), raw.payload())
    }
    while has_room(sender)
        && let Some(message) = stream.next(now_us)
    {
        let logs = LogMessages(PhantomData);
        write_versioned_msg_with_dialect(sender, MavlinkVersion::V2, *header, &logs, &message)?;
        header.sequence = header.sequence.wrapping_add(1);
    }
    Ok(())
}
