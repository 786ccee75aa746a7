//! The same values as `blackbox-log` and `fc-blackbox`, except where these are wrong.

use crate::real_logs;
use binlog::blackbox::log::Item;
use binlog::blackbox::{BlackboxLog, Predictor};
use blackbox_log::frame::Frame as _;
use blackbox_log::{File, ParserEvent};
use fc_blackbox::{BlackboxReader, BlackboxRecord};

/// The values of a session's frames as 32 bits each.
#[derive(Default)]
pub(crate) struct Read {
    /// I and P frames.
    pub(crate) main: Vec<Vec<u32>>,
    pub(crate) slow: Vec<Vec<u32>>,
    pub(crate) gps: Vec<Vec<u32>>,
}

pub(crate) fn by_us(log: &BlackboxLog<'_>, session: usize) -> Read {
    let session = log.session(session).expect("a session");
    let mut frames = session.frames();
    let mut read = Read::default();
    while let Some(item) = frames.next() {
        let Item::Frame(frame) = item else { continue };
        let of_letter = match frame.letter() {
            b'I' | b'P' => &mut read.main,
            b'S' => &mut read.slow,
            b'G' => &mut read.gps,
            _ => continue,
        };
        of_letter.push(frame.values().to_vec());
    }
    read
}

/// By `blackbox-log`, whose GPS frames lack the time.
pub(crate) fn by_blackbox_log(log: &[u8], session: usize) -> Read {
    let headers = File::new(log).parse(session).expect("a session").expect("a header");
    let mut parser = headers.data_parser();
    let mut read = Read::default();
    while let Some(event) = parser.next() {
        match event {
            ParserEvent::Main(frame) => {
                let mut values: Vec<u32> = frame.iter_raw().collect();
                values.insert(1, frame.time_raw() as u32);
                read.main.push(values);
            }
            ParserEvent::Slow(frame) => read.slow.push(frame.iter_raw().collect()),
            ParserEvent::Gps(frame) => read.gps.push(frame.iter_raw().collect()),
            ParserEvent::Event(_) => {}
        }
    }
    read
}

/// By `fc-blackbox`, of the session that the bytes begin with.
pub(crate) fn by_fc_blackbox(session: &[u8]) -> Read {
    // It needs bytes after the last frame.
    let bytes = [session, &[0; 512]].concat();
    let mut reader = BlackboxReader::from_bytes(&bytes).expect("a header");
    let mut read = Read::default();
    let row = |values: &[i64]| values.iter().map(|&value| value as u32).collect();
    while let Some(record) = reader.next() {
        match record {
            BlackboxRecord::Main(values) => read.main.push(row(values)),
            BlackboxRecord::Slow(values) => read.slow.push(row(&values)),
            BlackboxRecord::GNSS(values) => read.gps.push(row(values)),
            BlackboxRecord::Event(_) | BlackboxRecord::Garbage(_) => {}
        }
    }
    read
}

/// Compares rows from a field on, one by one, so that a difference is short.
pub(crate) fn assert_rows(name: &str, ours: &[Vec<u32>], theirs: &[Vec<u32>], fields: &[usize]) {
    assert_eq!(ours.len(), theirs.len(), "{name}");
    for (at, (ours, theirs)) in ours.iter().zip(theirs).enumerate() {
        for &field in fields {
            assert_eq!(ours.get(field), theirs.get(field), "{name} frame {at} field {field}");
        }
    }
}

/// The fields of main frames that `blackbox-log` reads right. After an I frame, it predicts averages from the frame
/// before that, and doesn't recover before the next one; it counts iterations without those that the rate leaves out.
pub(crate) fn right_in_blackbox_log(log: &BlackboxLog<'_>, session: usize) -> Vec<usize> {
    let session = log.session(session).expect("a session");
    let fields = session.header().fields(b'P');
    let is_right = |field: &usize| *field > 0 && fields[*field].predictor() != Some(Predictor::Average2);
    (0..fields.len()).filter(is_right).collect()
}

#[test]
fn fc_blackbox_reads_the_same_frames() {
    let logs = real_logs::all();
    let mut read = 0;
    for (name, bytes) in logs.iter().filter(|(name, _)| name.starts_with("fcbb")) {
        let log = BlackboxLog::from_bytes(&**bytes);
        for (i, session) in log.sessions().enumerate() {
            let (ours, mut theirs) = (by_us(&log, i), by_fc_blackbox(&bytes[session.offset()..]));
            read += 1;
            // It takes bytes of the next session for frames.
            assert!(ours.main.len() <= theirs.main.len(), "{name} {i}");
            theirs.main.truncate(ours.main.len());
            theirs.slow.truncate(ours.slow.len());
            theirs.gps.truncate(ours.gps.len());
            let all = |letter| (0..session.header().fields(letter).len()).collect::<Vec<_>>();
            // It counts iterations up by one a frame if the header says `P interval:16`.
            assert_rows(name, &ours.main, &theirs.main, &all(b'I')[1..]);
            assert_rows(name, &ours.slow, &theirs.slow, &all(b'S'));
            assert_rows(name, &ours.gps, &theirs.gps, &all(b'G'));
        }
    }
    assert!(read > 0 || logs.is_empty());
}

#[test]
fn blackbox_log_reads_the_same_frames() {
    // It keeps the P frames after the damage in the other log.
    for (name, bytes) in real_logs::all().into_iter().filter(|(name, _)| name.starts_with("fcbb")) {
        let log = BlackboxLog::from_bytes(&*bytes);
        assert_eq!(File::new(&bytes).log_count(), log.sessions().len());
        for (i, session) in log.sessions().enumerate() {
            let (mut ours, theirs) = (by_us(&log, i), by_blackbox_log(&bytes, i));
            let right = right_in_blackbox_log(&log, i);
            assert!(right.len() > 20);
            assert_rows(name, &ours.main, &theirs.main, &right);
            let all = |letter| (0..session.header().fields(letter).len()).collect::<Vec<_>>();
            assert_rows(name, &ours.slow, &theirs.slow, &all(b'S'));
            ours.gps.iter_mut().for_each(|fix| {
                fix.remove(0);
            });
            assert_rows(name, &ours.gps, &theirs.gps, &all(b'G'));
        }
    }
}
