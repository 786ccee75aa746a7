//! Headers that name fewer fields than the frames have.

use crate::raw_session::{RawSession, signed, unsigned};
use binlog::blackbox::BlackboxLog;
use binlog::blackbox::header::HeaderProblemKind;
use binlog::check::Rule;
use binlog_tests::shared;

/// A log whose frames have fields that the header doesn't name. `named` follow iteration and time; `state` follows the
/// others.
fn log(named: &[&str], more: usize, has_state: bool, frames: u32) -> Vec<u8> {
    let names: Vec<&str> = named.iter().copied().chain(has_state.then_some("state")).collect();
    let mut log = RawSession::simple(&names, &["I interval:8"]);
    let values = |i: u32| -> Vec<i32> {
        let fields = (0..named.len() + more).map(|field| field as i32 * 100 + (i % 3) as i32 * field as i32);
        fields.chain(has_state.then_some(i as i32)).collect()
    };
    for i in 0..frames {
        if i % 8 == 0 {
            let fields = values(i).into_iter().map(signed);
            log.push(b'I', &[unsigned(i), unsigned(1000 + 10 * i)].into_iter().chain(fields).collect::<Vec<_>>());
        } else {
            let differences: Vec<i32> = values(i).iter().zip(values(i - 1)).map(|(now, before)| now - before).collect();
            log.inter(if i % 8 == 1 { 10 } else { 0 }, &differences);
        }
    }
    log.end();
    log.bytes
}

#[test]
fn servos_that_the_header_does_not_name_are_read() {
    for (more, has_state) in [(1, false), (2, false), (2, true), (10, true)] {
        let log = log(&["motor[0]", "servo[0]", "servo[1]"], more, has_state, 100);
        let log = BlackboxLog::from_bytes(log);
        let session = log.session(0).expect("a session");
        let after = Some("servo[1]".to_owned());
        let [problem] = session.header().problems() else { panic!("{:?}", session.header().problems()) };
        assert_eq!(problem.kind, HeaderProblemKind::UnnamedFields { count: more, after });
        let tables = session.tables();
        assert_eq!((tables.main().len(), tables.lost()), (100, &[][..]), "{more}");
        let value = |name: &str, row| tables.column(name).and_then(|column| column.get(row));
        assert_eq!(value(&format!("servo[{}]", 1 + more), 98), Some((more as i64 + 2) * 100 + 2 * (more as i64 + 2)));
        assert_eq!(value("servo[1]", 98), Some(200 + 4));
        assert_eq!(value("state", 98), has_state.then_some(98));
        let report = log.check();
        let found = report.findings().iter().find(|finding| finding.rule() == Rule::UnnamedFields);
        assert!(found.is_some_and(|found| found.to_string().contains("more than the header names")), "{report}");
    }
}

#[test]
fn other_fields_that_the_header_does_not_name_are_said() {
    let log = log(&["motor[0]", "debug[0]"], 3, true, 100);
    let log = BlackboxLog::from_bytes(log);
    let session = log.session(0).expect("a session");
    let [problem] = session.header().problems() else { panic!("{:?}", session.header().problems()) };
    assert_eq!(problem.kind, HeaderProblemKind::UnnamedFields { count: 3, after: None });
    let text = problem.to_string();
    assert!(text.contains("3 fields more than the header names"), "{text}");
    assert_eq!(session.tables().main().len(), 0);
}

#[test]
fn damage_is_not_taken_for_fields() {
    for more in [0, 2] {
        let mut log = log(&["servo[0]"], more, false, 100);
        let at = log.iter().rposition(|&byte| byte == b'I').expect("an I frame");
        let frames = log.windows(2).position(|bytes| bytes == [b'I', 0]).expect("the first frame");
        // The first frame, or one of the first.
        for place in [frames + 1, frames + 30].map(|place| place.min(at)) {
            log[place] = 0xF5;
        }
        let log = BlackboxLog::from_bytes(log);
        let session = log.session(0).expect("a session");
        assert_eq!(session.header().problems(), [], "{more}");
    }
}

#[test]
fn the_shared_case_has_eighteen_servos() {
    let Some(path) = shared("cases/inav7-servos.bbl") else { return };
    let log = BlackboxLog::open(path).expect("a readable log");
    let tables = &log.tables()[0];
    assert!(tables.main().len() > 600 && tables.lost().is_empty(), "{} {:?}", tables.main().len(), tables.lost());
    assert!(tables.column("servo[17]").is_some() && tables.column("servo[18]").is_none());
}
