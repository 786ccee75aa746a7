//! Zeros or erased bytes at the end of a session, as flash chips and files of a fixed length have them.

use crate::raw_session::RawSession;
use binlog::blackbox::BlackboxLog;
use binlog::blackbox::log::{LostReason, Tables};
use binlog::check::Rule;
use binlog_tests::shared;

/// Three main frames, the last of which has this difference.
fn session(last: i32) -> Vec<u8> {
    let mut log = RawSession::simple(&["x"], &["looptime:10", "Firmware revision:Betaflight 4.5.0 (x) Y"]);
    log.intra(0, 1000, &[5]).inter(10, &[1]).inter(0, &[last]);
    log.bytes
}

fn tables(log: &[u8]) -> Vec<Tables> {
    BlackboxLog::from_bytes(log).tables()
}

fn rules(log: &[u8]) -> Vec<Rule> {
    BlackboxLog::from_bytes(log).check().findings().iter().map(|finding| finding.rule()).collect()
}

#[test]
fn the_last_frame_before_padding_is_kept() {
    for last in [0, 1, -70] {
        for padding in [0, 0xFF] {
            for length in [1, 2, 5, 31, 32, 33, 300, 5000] {
                let log = [session(last), vec![padding; length]].concat();
                let all = tables(&log);
                assert_eq!((all[0].main().len(), all[0].lost()), (3, &[][..]), "{last}, {length} of {padding}");
                assert_eq!(rules(&log), [Rule::NoEnd]);
                let twice = [&log[..], &log].concat();
                let all = tables(&twice);
                assert!(all.iter().all(|tables| tables.main().len() == 3 && tables.lost().is_empty()), "{length}");
            }
        }
    }
}

#[test]
fn cut_off_frame_is_truncated_and_padding_is_no_damage() {
    let whole = session(1000);
    let frame = whole.len() - 4;
    for end in frame + 1..whole.len() {
        let log = [&whole[..end], &[0xFF; 400]].concat();
        let all = tables(&log);
        assert_eq!(all[0].main().len(), 2, "{end}");
        let [lost] = all[0].lost() else { panic!("{:?}", all[0].lost()) };
        assert_eq!((lost.offset, lost.length, lost.reason), (frame, end - frame, LostReason::Truncated(b'P')));
        assert_eq!(all[0].foreign(), end..log.len());
    }
}

#[test]
fn the_shared_case_keeps_its_last_frames() {
    let Some(path) = shared("cases/sessions-without-end.bbl") else { return };
    let log = BlackboxLog::open(path).expect("a readable log");
    for tables in log.tables() {
        assert_eq!((tables.main().len(), tables.lost()), (640, &[][..]));
    }
}
