//! What `check` finds in Blackbox logs.

#[path = "../blackbox/raw_session.rs"]
#[allow(dead_code, reason = "the tests of reading use the rest")]
mod raw_session;

use binlog::blackbox::BlackboxLog;
use binlog::check::Rule;
use binlog_tests::shared;
use raw_session::{RawSession, signed, unsigned};

const LINES: [&str; 4] =
    ["Firmware revision:Betaflight 4.5.0 (x) Y", "looptime:125", "I interval:32", "P interval:1/1"];

/// A session with three main frames; `lines` follow those of the header.
fn session(lines: &[&str]) -> RawSession {
    let mut session = RawSession::simple(&[], &[&LINES[..], lines].concat());
    main_frames(&mut session);
    session
}

fn main_frames(session: &mut RawSession) {
    session.push(b'I', &[unsigned(0), unsigned(1000)]);
    session.push(b'P', &[signed(125)]).push(b'P', &[signed(0)]);
}

fn ended(mut session: RawSession) -> Vec<u8> {
    session.bytes.extend(b"E\xFFEnd of log\0");
    session.bytes
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

/// Checks that a log breaks one rule, about this.
fn breaks(log: &[u8], rule: Rule, subject: &str) {
    assert_eq!(rules(log), [(rule, subject.to_owned())], "{}", BlackboxLog::from_bytes(log).check());
}

/// H frames, without their encoding.
const HOME: [&str; 3] = ["Field H name:GPS_home[0],GPS_home[1]", "Field H signed:1,1", "Field H predictor:0,0"];

/// H and G frames as Betaflight has them.
fn gps() -> RawSession {
    let gps = [
        "Field H encoding:0,0",
        "Field G name:time,GPS_coord[0],GPS_coord[1]",
        "Field G signed:0,1,1",
        "Field G predictor:10,7,7",
        "Field G encoding:1,0,0",
    ];
    RawSession::simple(&[], &[&LINES[..], &HOME, &gps].concat())
}

/// The log without the header lines that begin so.
fn without(log: &[u8], beginning: &str) -> Vec<u8> {
    let beginning = format!("H {beginning}");
    let lines = log.split_inclusive(|&byte| byte == b'\n').filter(|line| !line.starts_with(beginning.as_bytes()));
    lines.flatten().copied().collect()
}

#[test]
fn bytes_without_a_session_are_found() {
    breaks(b"nothing", Rule::NoSession, "");
}

#[test]
fn a_missing_end_is_found() {
    breaks(&session(&[]).bytes, Rule::NoEnd, "");
    breaks(&[ended(session(&[])), session(&[]).bytes].concat(), Rule::NoEnd, "session 2");
}

#[test]
fn bytes_beside_sessions_are_found() {
    let sound = ended(session(&[]));
    breaks(&[b"older", &*sound].concat(), Rule::ForeignBytes, "");
    let more = [&*sound, b"more"].concat();
    breaks(&more, Rule::ForeignBytes, "");
    let report = BlackboxLog::from_bytes(more).check();
    let [finding] = report.findings() else { panic!("{report}") };
    assert_eq!((finding.offset(), finding.count(), finding.bytes()), (sound.len(), 1, 4));
}

#[test]
fn bytes_between_header_lines_are_found() {
    let mut damaged = RawSession::simple(&[], &LINES);
    damaged.raw(b"zz\nH Notes:none\n");
    main_frames(&mut damaged);
    breaks(&ended(damaged), Rule::HeaderDamage, "");
}

#[test]
fn a_wrong_value_of_a_header_line_is_found() {
    breaks(&ended(session(&["I interval:none"])), Rule::HeaderValue, "I interval");
}

#[test]
fn a_header_line_that_decoders_have_no_room_for_is_found() {
    breaks(&ended(session(&[&format!("Notes:{}", "x".repeat(1100))])), Rule::LongLine, "Notes");
}

#[test]
fn a_missing_header_line_is_found() {
    breaks(&without(&ended(session(&[])), "Data version"), Rule::MissingLine, "Data version");
    for (predictor, line) in [(4, "minthrottle"), (9, "vbatref"), (11, "motorOutput")] {
        let predictors = format!("Field G predictor:10,{predictor}");
        let field = ["Field G name:time,x", "Field G signed:0,1", &predictors, "Field G encoding:1,0"];
        breaks(&ended(session(&field)), Rule::MissingLine, line);
    }
}

#[test]
fn a_header_without_main_frames_is_found() {
    let slow = ["Field S name:flags", "Field S signed:0", "Field S predictor:0", "Field S encoding:1"];
    let session = RawSession::new(&[&["Data version:2"], &LINES[..], &slow].concat());
    breaks(&ended(session), Rule::NoMainFrames, "");
}

#[test]
fn frames_that_the_header_does_not_explain_are_found() {
    let undecodable = [&HOME[..], &["Field H encoding:10,10"]].concat();
    breaks(&ended(session(&undecodable)), Rule::UndecodableFrames, "H frames");
}

#[test]
fn bytes_that_begin_no_frame_are_found() {
    let mut garbage = RawSession::simple(&[], &LINES);
    garbage.raw(b"zzz");
    main_frames(&mut garbage);
    breaks(&ended(garbage), Rule::NoFrame, "");
}

#[test]
fn a_damaged_frame_is_found() {
    let mut broken = session(&[]);
    broken.raw(b"zzz").intra(3, 1375, &[]).inter(125, &[]).inter(0, &[]);
    breaks(&ended(broken), Rule::BrokenFrame, "P frames");
}

#[test]
fn an_end_inside_of_a_frame_is_found() {
    let mut truncated = session(&[]);
    truncated.raw(b"I\x80");
    let mut found = rules(&truncated.bytes);
    found.retain(|(rule, _)| *rule != Rule::NoEnd);
    assert_eq!(found, [(Rule::TruncatedFrame, "I frames".to_owned())]);
}

#[test]
fn a_jump_is_found() {
    let mut main = session(&[]);
    main.push(b'I', &[unsigned(1_000_000), unsigned(2000)]);
    breaks(&ended(main), Rule::FrameJump, "I frames");
    let mut other = gps();
    main_frames(&mut other);
    other.push(b'H', &[signed(1), signed(2)]).push(b'G', &[unsigned(20_000_000), signed(3), signed(4)]);
    breaks(&ended(other), Rule::FrameJump, "G frames");
}

#[test]
fn frames_without_the_frame_that_they_refer_to_are_found() {
    let mut no_intra = RawSession::simple(&[], &LINES);
    no_intra.push(b'P', &[signed(125)]);
    main_frames(&mut no_intra);
    breaks(&ended(no_intra), Rule::NoIntra, "P frames");
    let mut no_home = gps();
    main_frames(&mut no_home);
    no_home.push(b'G', &[unsigned(0), signed(3), signed(4)]);
    breaks(&ended(no_home), Rule::NoHome, "G frames");
}

#[test]
fn a_home_frame_at_the_beginning_is_found() {
    let mut first = gps();
    first.push(b'H', &[signed(1), signed(2)]);
    main_frames(&mut first);
    breaks(&ended(first), Rule::HomeFirst, "");
}

#[test]
fn what_some_decoders_do_not_read_is_found() {
    breaks(&ended(session(&["Firmware revision:Betaflight 2025.12.0 (x) Y"])), Rule::NotPortable, "firmware");
    let sound = ended(session(&[]));
    breaks(&without(&sound, "looptime"), Rule::NotPortable, "looptime");
    breaks(&without(&sound, "Field S"), Rule::NotPortable, "S frames");
    let mut acceleration = RawSession::simple(&["accSmooth[0]"], &LINES);
    acceleration.intra(0, 1000, &[1]).inter(125, &[0]);
    breaks(&ended(acceleration), Rule::NotPortable, "acc_1G");
    let mut untimed = RawSession::simple(&[], &LINES);
    let at = untimed.bytes.windows(5).position(|bytes| bytes == b",time").expect("the field");
    untimed.bytes[at..at + 5].copy_from_slice(b",tick");
    main_frames(&mut untimed);
    breaks(&ended(untimed), Rule::NotPortable, "I frames");
    let frames = |letter: char, name: &str| {
        let line = |what: &str| format!("Field {letter} {what}");
        [line(&format!("name:{name}")), line("signed:0"), line("predictor:0"), line("encoding:1")]
    };
    for (letter, name, subject) in [('G', "GPS_numSat", "G frames"), ('H', "home", "H frames")] {
        let lines = frames(letter, name);
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        breaks(&ended(session(&lines)), Rule::NotPortable, subject);
    }
}

/// A log's name, and the rules that it breaks: about what, and how often.
type Known = (&'static str, &'static [(Rule, &'static str, u64)]);

#[test]
fn real_blackbox_logs_have_the_findings_of_their_damage() {
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
