//! What `check` finds in Blackbox logs.

#[path = "../blackbox/maker.rs"]
#[allow(dead_code, reason = "the tests of reading use the rest")]
mod maker;

use binlog::blackbox::BlackboxLog;
use binlog::check::Rule;
use binlog_tests::shared;
use maker::{Maker, signed, unsigned};

const LINES: [&str; 4] =
    ["Firmware revision:Betaflight 4.5.0 (x) Y", "looptime:125", "I interval:32", "P interval:1/1"];

/// A session with three main frames; `lines` follow those of the header.
fn session(lines: &[&str]) -> Maker {
    let mut maker = Maker::simple(&[], &[&LINES[..], lines].concat());
    main_frames(&mut maker);
    maker
}

fn main_frames(maker: &mut Maker) {
    maker.push(b'I', &[unsigned(0), unsigned(1000)]);
    maker.push(b'P', &[signed(125)]).push(b'P', &[signed(0)]);
}

fn ended(mut maker: Maker) -> Vec<u8> {
    maker.bytes.extend(b"E\xFFEnd of log\0");
    maker.bytes
}

fn rules(log: &[u8]) -> Vec<(Rule, String)> {
    let report = BlackboxLog::from_bytes(log).check();
    report.findings().iter().map(|finding| (finding.rule(), finding.subject().to_owned())).collect()
}

#[test]
fn a_sound_session_has_no_findings() {
    assert_eq!(rules(&ended(session(&[]))), []);
    let two = [ended(session(&[])), ended(session(&[]))].concat();
    assert_eq!(rules(&two), []);
}

#[test]
fn each_broken_rule_of_a_session_is_found() {
    let found = |log: &[u8], rule: Rule, subject: &str| {
        assert_eq!(rules(log), [(rule, subject.to_owned())], "{}", BlackboxLog::from_bytes(log).check());
    };
    found(b"nothing", Rule::NoSession, "");
    found(&session(&[]).bytes, Rule::NoEnd, "");
    let sound = ended(session(&[]));
    found(&[b"older", &*sound].concat(), Rule::ForeignBytes, "");
    found(&[&*sound, b"more"].concat(), Rule::ForeignBytes, "");
    found(&[&*sound, &*session(&[]).bytes].concat(), Rule::NoEnd, "session 2");
    found(&ended(session(&["I interval:none"])), Rule::HeaderValue, "I interval");
    found(&ended(session(&[&format!("Notes:{}", "x".repeat(1100))])), Rule::LongLine, "Notes");
    found(&ended(session(&["Firmware revision:Betaflight 2025.12.0 (x) Y"])), Rule::NotPortable, "firmware");
    let home = ["Field H name:GPS_home[0],GPS_home[1]", "Field H signed:1,1", "Field H predictor:0,0"];
    let undecodable = [&home[..], &["Field H encoding:10,10"]].concat();
    found(&ended(session(&undecodable)), Rule::UndecodableFrames, "H frames");
    let by_throttle = ["Field G name:time,x", "Field G signed:0,1", "Field G predictor:10,4", "Field G encoding:1,0"];
    found(&ended(session(&by_throttle)), Rule::MissingLine, "minthrottle");
    let mut first = Maker::simple(&[], &[&LINES[..], &home, &["Field H encoding:0,0"]].concat());
    first.push(b'H', &[signed(1), signed(2)]);
    main_frames(&mut first);
    found(&ended(first), Rule::HomeFirst, "");
    let mut no_intra = Maker::simple(&[], &LINES);
    no_intra.push(b'P', &[signed(125)]);
    main_frames(&mut no_intra);
    found(&ended(no_intra), Rule::NoIntra, "P frames");
    let mut jump = session(&[]);
    jump.push(b'I', &[unsigned(1_000_000), unsigned(2000)]);
    found(&ended(jump), Rule::FrameJump, "I frames");
    let mut garbage = Maker::simple(&[], &LINES);
    garbage.raw(b"zzz");
    main_frames(&mut garbage);
    found(&ended(garbage), Rule::NoFrame, "");
    let mut broken = session(&[]);
    broken.raw(b"zzz").intra(3, 1375, &[]).inter(125, &[]).inter(0, &[]);
    found(&ended(broken), Rule::BrokenFrame, "P frames");
}

/// A log's name, and the rules that it breaks: about what, and how often.
type Known = (&'static str, &'static [(Rule, &'static str, u64)]);

#[test]
fn real_blackbox_logs_have_the_findings_that_their_damage_explains() {
    let known: [Known; 3] = [
        ("bblog_error-recovery.bbl", &[(Rule::BrokenFrame, "S frames", 1), (Rule::NoIntra, "P frames", 122)]),
        ("fcbb_LOG00037.BFL", &[]),
        ("fcbb_btfl_001.bbl", &[(Rule::ForeignBytes, "session 2", 284)]),
    ];
    for (name, known) in known {
        let Some(path) = shared(&format!("blackbox-logs/{name}")) else { continue };
        let report = BlackboxLog::open(path).expect("a readable file").check();
        let found = report.findings().iter().map(|found| (found.rule(), found.subject(), found.bytes()));
        assert_eq!(found.collect::<Vec<_>>(), known, "{name}:\n{report}");
    }
}
