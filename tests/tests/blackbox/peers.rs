//! The same values as `blackbox-log` and `fc-blackbox`, except where these are wrong.

use crate::real_logs;
use binlog::blackbox::log::Item;
use binlog::blackbox::{BlackboxLog, Predictor};
use blackbox_log::frame::Frame as _;
use blackbox_log::{File, ParserEvent};
use fc_blackbox::{BlackboxReader, BlackboxRecord};

/// The main frames of a session, as 32 bits.
pub(crate) fn main_frames(log: &BlackboxLog<'_>, session: usize) -> Vec<Vec<u32>> {
    let session = log.session(session).expect("a session");
    let mut frames = session.frames();
    let mut all = Vec::new();
    while let Some(item) = frames.next() {
        if let Item::Frame(frame) = item
            && matches!(frame.letter(), b'I' | b'P')
        {
            all.push(frame.values().to_vec());
        }
    }
    all
}

#[test]
fn fc_blackbox_reads_the_same_main_frames() {
    let logs = real_logs::all();
    let mut read = 0;
    for (name, bytes) in logs.iter().filter(|(name, _)| name.starts_with("fcbb")) {
        let log = BlackboxLog::from_bytes(&**bytes);
        for (i, session) in log.sessions().enumerate() {
            let ours = main_frames(&log, i);
            // It takes bytes of the next session for frames, and needs bytes after the last frame.
            let bytes = [&bytes[session.offset()..], &[0; 512]].concat();
            let mut reader = BlackboxReader::from_bytes(&bytes).expect("a header");
            read += 1;
            let mut theirs = Vec::new();
            while let Some(record) = reader.next() {
                if let BlackboxRecord::Main(values) = record {
                    theirs.push(values.iter().map(|&value| value as u32).collect::<Vec<_>>());
                }
            }
            assert!(ours.len() <= theirs.len(), "{name} {i}");
            for (at, (ours, theirs)) in ours.iter().zip(&theirs).enumerate() {
                // It counts iterations up by one a frame if the header says `P interval:16`.
                assert_eq!(ours[1..], theirs[1..], "{name} {i} frame {at}");
            }
        }
    }
    assert!(read > 0 || logs.is_empty());
}

/// The main frames of a session by `blackbox-log`, as 32 bits.
pub(crate) fn blackbox_log(log: &[u8], session: usize) -> Vec<Vec<u32>> {
    let headers = File::new(log).parse(session).expect("a session").expect("a header");
    let mut parser = headers.data_parser();
    let mut all = Vec::new();
    while let Some(event) = parser.next() {
        if let ParserEvent::Main(frame) = event {
            let mut values: Vec<u32> = frame.iter_raw().collect();
            values.insert(1, frame.time_raw() as u32);
            all.push(values);
        }
    }
    all
}

#[test]
fn blackbox_log_reads_the_same_main_frames() {
    // It keeps the P frames after the damage in the other log.
    for (name, bytes) in real_logs::all().into_iter().filter(|(name, _)| name.starts_with("fcbb")) {
        let log = BlackboxLog::from_bytes(&*bytes);
        assert_eq!(File::new(&bytes).log_count(), log.sessions().len());
        for (i, session) in log.sessions().enumerate() {
            let (ours, theirs) = (main_frames(&log, i), blackbox_log(&bytes, i));
            assert_eq!(ours.len(), theirs.len(), "{name} {i}");
            // After an I frame, it predicts averages from the frame before that, and doesn't recover before the next one.
            // With `P interval:16`, it counts iterations up by one a frame.
            let fields = session.header().fields(b'P');
            let is_right = |field: &usize| *field > 0 && fields[*field].predictor() != Some(Predictor::Average2);
            let right: Vec<usize> = (0..fields.len()).filter(is_right).collect();
            assert!(right.len() > 20);
            for (at, (ours, theirs)) in ours.iter().zip(&theirs).enumerate() {
                for &field in &right {
                    assert_eq!(ours[field], theirs[field], "{name} {i} frame {at} field {}", fields[field].name());
                }
            }
        }
    }
}
