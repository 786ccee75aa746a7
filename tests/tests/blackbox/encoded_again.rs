//! The frames of real logs, decoded and encoded again by the definitions of their headers, have the bytes that they
//! had.

use crate::real_logs;
use binlog::blackbox::log::Item;
use binlog::blackbox::{BlackboxLog, Event, FrameBuffer, LoggedEncoder};

#[test]
fn every_frame_of_real_logs_has_its_bytes_again() {
    let mut counts = Vec::new();
    for (name, bytes) in real_logs::all() {
        let log = BlackboxLog::from_bytes(&bytes[..]);
        let (mut same, mut others) = (0, Vec::new());
        for session in log.sessions() {
            let mut encoder = LoggedEncoder::new(session.header());
            let mut frames = session.frames();
            let mut again = FrameBuffer::new();
            while let Some(item) = frames.next() {
                match item {
                    Item::Frame(frame) => {
                        again.clear();
                        let logged = &bytes[frame.offset()..][..frame.length()];
                        match encoder.encode(frame.letter(), frame.values(), &mut again) {
                            Ok(()) if again.bytes() == logged => same += 1,
                            Ok(()) => {
                                others.push((frame.offset(), format!("{:02x?}, not {logged:02x?}", again.bytes())))
                            }
                            Err(error) => others.push((frame.offset(), error.to_string())),
                        }
                    }
                    Item::Event { offset, event, .. } => {
                        encoder.event(&event);
                        if matches!(event, Event::Unknown { .. }) {
                            continue;
                        }
                        let mut buffer = [0; Event::MAX_BYTES];
                        let again = event.encode(&mut buffer);
                        assert!(bytes[offset..].starts_with(again), "{name}: event at {offset}: {again:02x?}");
                    }
                    Item::Lost(_) => {}
                }
            }
        }
        assert_eq!(others, [], "{name}: {same} frames are the same");
        counts.push((name, same));
    }
    if !counts.is_empty() {
        let expected = [("bblog_error-recovery.bbl", 3), ("fcbb_LOG00037.BFL", 16_864), ("fcbb_btfl_001.bbl", 25_001)];
        assert_eq!(counts, expected, "frames that are the same");
    }
}
