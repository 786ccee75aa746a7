//! The conversion between binlog's messages and those of the crate `mavlink`, and a loop with it. The guide's chapter
//! about MAVLink shows this file from here on, and then the loop.

#![no_std]

use binlog::mavlink::{Address, MAX_PAYLOAD, Message};
use core::convert::Infallible;
use core::marker::PhantomData;
use mavlink::dialects::ardupilotmega::MavMessage;
use mavlink::error::ParserError;
use mavlink::{Dialect, MAVLinkMessageRaw, MavlinkVersion, Message as _};

/// The sender and the contents of a received message, if it is about logs.
pub fn received(raw: &MAVLinkMessageRaw) -> Option<(Address, Message<'_>)> {
    let system = u8::try_from(raw.system_id()).ok()?; // clients have ids up to 255
    Some((Address::new(system, raw.component_id()), Message::parse(raw.message_id(), raw.payload())?))
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

mod main_loop;

#[cfg(feature = "std")]
extern crate std;

pub use main_loop::{NonBlocking, step};
