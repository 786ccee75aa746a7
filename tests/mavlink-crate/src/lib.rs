//! The conversion between binlog's messages and those of the crate `mavlink`. The guide's chapter about MAVLink shows
//! this file from here on.

#![no_std]

use binlog::mavlink::{MAX_PAYLOAD, Message};
use core::convert::Infallible;
use core::marker::PhantomData;
use mavlink::dialects::ardupilotmega::MavMessage;
use mavlink::error::ParserError;
use mavlink::{Dialect, MavlinkVersion, Message as _};

/// A received message, if it is about logs. Its bytes are in `buffer`.
pub fn received<'a>(message: &MavMessage, buffer: &'a mut [u8; 255]) -> Option<Message<'a>> {
    let length = message.ser(MavlinkVersion::V2, buffer);
    Message::parse(message.message_id(), &buffer[..length])
}

/// Sends messages about logs: with `mavlink::write_versioned_msg_with_dialect`, which takes the header and sequence of
/// the program's other messages. A `MavMessage` has no room for a block's number, which is an enum in the dialect.
pub struct LogMessages<'a>(pub PhantomData<&'a [u8]>);

impl<'a> Dialect for LogMessages<'a> {
    type Message = Message<'a>;
    type EncodeError = Infallible;

    fn message_id(&self, message: &Message<'a>) -> u32 {
        message.id()
    }

    fn extra_crc(&self, id: u32) -> Option<u8> {
        Some(MavMessage::extra_crc(id))
    }

    fn encode(&self, version: MavlinkVersion, message: &Message<'a>, out: &mut [u8]) -> Result<usize, Infallible> {
        let mut buffer = [0; MAX_PAYLOAD];
        let payload = message.payload(&mut buffer);
        let zeros = match version {
            MavlinkVersion::V1 => 0,
            MavlinkVersion::V2 => payload[1..].iter().rev().take_while(|byte| **byte == 0).count(),
        };
        let payload = &payload[..payload.len() - zeros];
        out[..payload.len()].copy_from_slice(payload);
        Ok(payload.len())
    }

    fn decode(&self, _: MavlinkVersion, id: u32, _: &[u8]) -> Result<Message<'a>, ParserError> {
        Err(ParserError::UnknownMessage { id }) // received as the program's other messages
    }
}
