//! Frames of the crate `mavlink` and binlog's own are the same, in both directions.

use binlog::mavlink::{Address, Frames, Link, MAX_FRAME, Message, Version};
use binlog_mavlink_crate::{LogMessages, received};
use core::marker::PhantomData;
use mavlink::dialects::ardupilotmega::MavMessage;
use mavlink::{MavHeader, MavlinkVersion, Message as _, write_versioned_msg, write_versioned_msg_with_dialect};

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
        let mut buffer = [0; binlog::mavlink::MAX_PAYLOAD];
        let payload = message.payload(&mut buffer);
        // Only its clients receive a block, whose number isn't in the enum.
        let Ok(theirs) = MavMessage::parse(MavlinkVersion::V2, message.id(), payload) else {
            assert_eq!(message.id(), 184);
            continue;
        };
        assert_eq!(received(&theirs, &mut [0; 255]).as_ref().map(Message::id), Some(message.id()));
        let mut buffer = [0; 255];
        let ours = received(&theirs, &mut buffer).expect("a message about logs");
        assert_eq!(ours.payload(&mut [0; binlog::mavlink::MAX_PAYLOAD]), payload);

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
    let attitude = MavMessage::default_message_from_id(30).expect("ATTITUDE");
    assert_eq!(received(&attitude, &mut [0; 255]), None);
}

#[test]
fn the_guide_shows_this_conversion() {
    let source = include_str!("../src/lib.rs");
    let shown = source.split_once("#![no_std]\n\n").expect("the crate's attributes").1;
    let guide = include_str!("../../../binlog-embedded/src/guide/mavlink.md");
    assert!(guide.contains(shown), "binlog-embedded/src/guide/mavlink.md doesn't have the text of src/lib.rs");
}
