//! All operations of the Blackbox reader, on any bytes: shared by the fuzz target and the property tests.
//!
//! What must hold for any bytes is asserted here.

use super::blackbox_tools;
use binlog::Scaling;
use binlog::blackbox::log::{Item, Lost, Session};
use binlog::blackbox::{BlackboxLog, MAX_FIELDS, MAX_FRAME_BYTES};
use binlog::convert::to_ardupilot;
use binlog::log::{Kind, Numbers, Values};

/// Reads a log frame by frame and as tables. Both give the same. Repairs and cuts it.
pub fn log(bytes: &[u8]) {
    blackbox_tools::whole_log(bytes);
    let log = BlackboxLog::from_bytes(bytes);
    let by_one = log.tables();
    let by_two = log.tables_with(2.try_into().expect("two"));
    assert_eq!(by_one, by_two);
    assert_eq!(log.sessions().len(), by_one.len());
    let mut end_before = 0;
    for (session, tables) in log.sessions().zip(&by_one) {
        assert!(session.offset() >= end_before && session.frames_offset() >= session.offset());
        end_before = session.offset() + session.bytes().len();
        let _ = (format!("{:?} {:?}", session, session.header()), session.header().intervals().p_rate());
        for problem in session.header().problems() {
            let _ = problem.to_string();
        }
        let counts = frames(&session);
        converted(&session);
        let of_tables: usize = tables.tables().iter().map(|table| table.len()).sum();
        assert_eq!(counts.frames, of_tables);
        assert_eq!(counts.events, tables.events().len());
        assert_eq!(counts.lost, tables.lost());
        assert_eq!(counts.end, tables.foreign().start);
        for table in tables.tables() {
            assert_eq!(table.times_us().len(), table.len());
            for scaling in [Scaling::Stored, Scaling::Shown, Scaling::Units] {
                for numbers in [Numbers::Native, Numbers::F64(scaling), Numbers::Scaled(scaling)] {
                    let said = session.schema(table.letter(), numbers).columns;
                    let kinds: Vec<Kind> = said.iter().map(|column| column.kind).collect();
                    let values: Vec<Values> = table.columns().iter().map(|column| column.to_values(numbers)).collect();
                    assert_eq!(kinds, values.iter().map(Values::kind).collect::<Vec<_>>());
                }
            }
            for column in table.columns() {
                assert_eq!(column.len(), table.len());
                assert_eq!(column.to_f64(Scaling::Units).len(), table.len());
            }
        }
    }
}

/// Converts a session. Our reader finds nothing wrong in the result.
fn converted(session: &Session<'_>) {
    let mut log = Vec::new();
    match to_ardupilot(session, &mut log) {
        Ok(_) => assert_eq!(binlog::Log::from_bytes(log).skipped(), []),
        Err(error) => assert!(!session.has_main_frames(), "{error}"),
    }
}

struct Counts {
    frames: usize,
    events: usize,
    lost: Vec<Lost>,
    end: usize,
}

/// Reads frame by frame. Each byte is in one frame, one event or one lost stretch.
fn frames(session: &Session<'_>) -> Counts {
    let mut counts = Counts { frames: 0, events: 0, lost: Vec::new(), end: 0 };
    let mut frames = session.frames();
    let mut at = session.frames_offset();
    let mut after_event = false;
    while let Some(item) = frames.next() {
        let (offset, length) = match item {
            Item::Frame(frame) => {
                counts.frames += 1;
                assert_eq!(frame.values().len(), frame.fields().len());
                assert!(frame.fields().len() <= MAX_FIELDS && frame.length() <= MAX_FRAME_BYTES);
                (frame.offset(), frame.length())
            }
            Item::Event { offset, .. } => {
                counts.events += 1;
                (offset, 2)
            }
            Item::Lost(lost) => {
                let _ = lost.to_string();
                counts.lost.push(lost);
                (lost.offset, lost.length)
            }
        };
        // The length of an event isn't known here.
        assert!(if after_event { offset >= at } else { offset == at }, "{item:?} doesn't begin at {at}");
        assert!(length > 0, "{item:?}");
        at = offset + length;
        after_event = matches!(item, Item::Event { .. });
    }
    counts.end = frames.offset();
    assert!(counts.end >= at && (after_event || counts.end == at), "the session ends at {at}, not {}", counts.end);
    counts
}
