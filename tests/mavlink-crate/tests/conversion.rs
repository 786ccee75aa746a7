//! Frames of the crate `mavlink` and binlog's own are the same, in both directions.

use binlog::LogSchema;
use binlog::mavlink::{Address, Frames, Link, MAX_FRAME, MAX_PAYLOAD, Message, Version};
use binlog::messages::Ev;
use binlog_embedded::Logger;
use binlog_embedded::mavlink::{Stream, StreamOptions};
use binlog_mavlink_crate::{LogMessages, NonBlocking, received, step};
use core::marker::PhantomData;
use mavlink::dialects::ardupilotmega::MavMessage;
use mavlink::{
    MAVLinkMessageRaw, MAVLinkV1MessageRaw, MAVLinkV2MessageRaw, MavHeader, MavlinkReader, MavlinkVersion,
    Message as _, write_versioned_msg, write_versioned_msg_with_dialect,
};
use std::collections::VecDeque;

const FROM: Address = Address::new(7, 1);
const TO: Address = Address::new(255, 155);

fn messages(data: &[u8]) -> [Message<'_>; 9] {
    [
        Message::Heartbeat { custom_mode: 5, kind: 2, autopilot: 3, base_mode: 128, system_status: 4 },
        Message::LogRequestList { target: TO, start: 0, end: 0xFFFF },
        Message::LogEntry { time_utc: 1_700_000_000, size: 77, id: 3, num_logs: 4, last_log_num: 4 },
        Message::LogRequestData { target: TO, id: 3, ofs: 180, count: u32::MAX },
        Message::LogData { id: 3, ofs: 90, count: 90, data: &data[..90] },
        Message::LogErase { target: TO },
        Message::LogRequestEnd { target: TO },
        Message::RemoteLogDataBlock { target: TO, seqno: 5, data },
        Message::RemoteLogBlockStatus { target: TO, seqno: Message::START, is_received: true },
    ]
}

fn data() -> Vec<u8> {
    (0..200).map(|i| if i < 150 { i + 100 } else { 0 }).collect()
}

#[test]
fn sent_frames_are_those_of_a_link() {
    let data = data();
    for (version, own) in [(MavlinkVersion::V1, Version::V1), (MavlinkVersion::V2, Version::V2)] {
        let mut link = Link::with_version(FROM, own);
        for (sequence, message) in (0..).zip(messages(&data)) {
            let header = MavHeader { system_id: FROM.system.into(), component_id: FROM.component, sequence };
            let mut sent = Vec::new();
            write_versioned_msg_with_dialect(&mut sent, version, header, &LogMessages(PhantomData), &message).unwrap();
            assert_eq!(sent, link.frame(&message, &mut [0; MAX_FRAME]), "{message:?}");
        }
    }
}

#[test]
fn received_messages_are_those_that_were_sent() {
    let data = data();
    for message in messages(&data) {
        let header = MavHeader { system_id: FROM.system.into(), component_id: FROM.component, sequence: 1 };
        let logs = LogMessages(PhantomData);
        let mut first = MAVLinkV1MessageRaw::new();
        first.serialize_message_with_dialect(header, &logs, &message).expect("a frame");
        let mut second = MAVLinkV2MessageRaw::new();
        second.serialize_message_with_dialect(header, &logs, &message).expect("a frame");
        let mut buffer = [0; MAX_PAYLOAD];
        let payload = message.payload(&mut buffer);
        for raw in [MAVLinkMessageRaw::V1(first), MAVLinkMessageRaw::V2(second)] {
            let (sender, found) = received(&raw).expect("a message about logs");
            assert_eq!((sender, found.id()), (FROM, message.id()));
            assert_eq!(found.payload(&mut [0; MAX_PAYLOAD]), payload);
        }

        // A block's number isn't in the enum.
        let Ok(theirs) = MavMessage::parse(MavlinkVersion::V2, message.id(), payload) else {
            assert_eq!(message.id(), 184);
            continue;
        };
        // The frame of the crate is one that binlog reads.
        let mut sent = Vec::new();
        write_versioned_msg(&mut sent, MavlinkVersion::V2, MavHeader::default(), &theirs).unwrap();
        let mut frames = Frames::new();
        let frame = frames.next(&mut sent.as_slice()).and_then(|frame| frame.message().map(|found| found.id()));
        assert_eq!(frame, Some(message.id()));
    }
}

#[test]
fn other_messages_are_not_about_logs() {
    let mut raw = MAVLinkV2MessageRaw::new();
    raw.serialize_message(MavHeader::default(), &MavMessage::default_message_from_id(30).expect("ATTITUDE"));
    assert_eq!(received(&MAVLinkMessageRaw::V2(raw)), None);
}

#[test]
fn senders_with_an_id_above_255_are_not_clients() {
    let header = MavHeader { system_id: 257, component_id: 1, sequence: 0 };
    let erase = Message::LogErase { target: TO };
    let mut raw = MAVLinkV2MessageRaw::new();
    raw.serialize_message_with_dialect(header, &LogMessages(PhantomData), &erase).expect("a frame");
    assert_eq!((raw.system_id(), received(&MAVLinkMessageRaw::V2(raw))), (257, None));
}

/// What a UART received, in pieces: between two pieces, nothing is there.
struct Pieces(VecDeque<Vec<u8>>);

impl embedded_io::ErrorType for Pieces {
    type Error = std::convert::Infallible;
}

impl embedded_io::ReadReady for Pieces {
    fn read_ready(&mut self) -> Result<bool, Self::Error> {
        let is_ready = self.0.front().is_some_and(|piece| !piece.is_empty());
        if !is_ready {
            self.0.pop_front();
        }
        Ok(is_ready)
    }
}

impl embedded_io::Read for Pieces {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, Self::Error> {
        let piece = self.0.front_mut().filter(|piece| !piece.is_empty()).expect("`read` would wait");
        let count = piece.len().min(into.len());
        into[..count].copy_from_slice(&piece[..count]);
        piece.drain(..count);
        Ok(count)
    }
}

/// With its feature `std`, the crate reads a `std::io::Read`.
struct Std<R>(R);

impl<R: embedded_io::Read> std::io::Read for Std<R> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        Ok(self.0.read(into).expect("infallible"))
    }
}

#[derive(LogSchema)]
enum FlightLog {
    Ev(Ev),
}

#[test]
fn the_loop_streams_to_a_client_whose_frames_come_in_pieces() {
    static LOG: Logger<FlightLog, 4096> = Logger::new();
    LOG.start(|| 0);
    (0..50).for_each(|id| assert!(LOG.log(&Ev { time_us: 0, id })));
    let mut drain = LOG.drain().expect("the only drain");
    let mut stream = Stream::<40>::new(StreamOptions { address: FROM, ..StreamOptions::DEFAULT });
    let mut client = Link::new(TO);
    let mut frame = |seqno| {
        let message = Message::RemoteLogBlockStatus { target: FROM, seqno, is_received: true };
        client.frame(&message, &mut [0; MAX_FRAME]).to_vec()
    };
    let (start, first) = (frame(Message::START), frame(0));
    let pieces = [&start[..5], &[&start[5..], &first[..1]].concat(), &[], &first[1..]].map(<[u8]>::to_vec);
    let mut reader = MavlinkReader::new(Std(NonBlocking(Pieces(pieces.into()))));
    let mut header = MavHeader { system_id: FROM.system.into(), component_id: FROM.component, sequence: 0 };
    let sent = [(); 4].map(|()| {
        let mut sent = Vec::new();
        step(0, &mut stream, &mut reader, &mut sent, |queue| queue.len() < 300, &mut header).expect("memory");
        while stream.run(0, &mut drain) {}
        let (mut bytes, mut frames, mut blocks) = (&sent[..], Frames::new(), Vec::new());
        while let Some(frame) = frames.next(&mut bytes) {
            let Some(Message::RemoteLogDataBlock { target: TO, seqno, .. }) = frame.message() else { panic!() };
            assert_eq!(frame.sender, FROM);
            blocks.push(seqno);
        }
        blocks
    });
    assert_eq!(sent, [vec![], vec![], vec![0], vec![1, 2]]);
}

#[test]
fn the_guide_shows_this_conversion_and_this_loop() {
    let guide = include_str!("../../../binlog-embedded/src/guide/mavlink.md");
    let shown = |source: &'static str, first: &str, last: &str| {
        let from = source.split_once(first).expect("what comes first").1;
        from.split_once(last).map_or(from, |(shown, _)| shown)
    };
    let conversion = shown(include_str!("../src/lib.rs"), "#![no_std]\n\n", "\nmod main_loop;");
    let main_loop = shown(include_str!("../src/main_loop.rs"), "use std::io::{Read, Write};\n\n", "\u{0}");
    for shown in [conversion, main_loop] {
        assert!(guide.contains(shown), "binlog-embedded/src/guide/mavlink.md doesn't have this text: {shown}");
    }
}
