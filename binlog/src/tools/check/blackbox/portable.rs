//! What some decoders don't read: the lint `not_portable` of the derive, for logs. A test in binlog-derive checks that
//! both agree about firmware.

use crate::blackbox::header::{Header, LoggedField};
use crate::blackbox::log::Session;
use crate::blackbox::{Encoding, Predictor};

/// A predictor and an encoding.
type Coding = (Predictor, Encoding);

const INTRA: Coding = (Predictor::Zero, Encoding::UnsignedVb);
const ITERATION_INTER: Coding = (Predictor::Increment, Encoding::Null);
const TIME_INTER: Coding = (Predictor::StraightLine, Encoding::SignedVb);
const GPS_TIME: Coding = (Predictor::LastMainFrameTime, Encoding::UnsignedVb);

/// What decoders stumble over.
pub(super) struct Obstacle {
    /// A header line or frames.
    pub(super) part: &'static str,
    pub(super) offset: usize,
    pub(super) text: String,
}

pub(super) fn obstacles(session: &Session<'_>) -> Vec<Obstacle> {
    let header = session.header();
    let line_at = |name: &str| {
        let line = header.lines().iter().find(|line| line.name() == name);
        line.map_or(session.offset(), |line| line.offset())
    };
    let mut obstacles = Vec::new();
    let mut add = |part, offset, text| obstacles.push(Obstacle { part, offset, text });
    if header.value("looptime").is_none() {
        add("looptime", session.offset(), "fc-blackbox reads no log without the header line `looptime`".into());
    }
    let has_acceleration = header.fields(b'I').iter().any(|field| field.name().starts_with("accSmooth"));
    if has_acceleration && header.value("acc_1G").is_none() {
        let text = "blackbox-log reads no log with `accSmooth` and without the header line `acc_1G`";
        add("acc_1G", session.offset(), text.into());
    }
    let revision = header.value("Firmware revision").unwrap_or_default();
    if !is_known(revision) {
        let text = format!(
            "the firmware is `{}`; blackbox-log reads Betaflight 4.2 to 4.5 and INAV 5 to 8",
            revision.escape_debug()
        );
        add("firmware", line_at("Firmware revision"), text);
    }
    if header.frame(b'S').is_none() {
        add("S frames", session.offset(), "blackbox-log reads only logs that define S frames".into());
    }
    let frames = [
        (
            b'I',
            "I frames",
            is_main(header),
            "main frames that begin with `loopIteration` and `time`, coded as Betaflight does",
        ),
        (
            b'G',
            "G frames",
            is(header, b'G', 0, "time", GPS_TIME),
            "G frames that begin with `time`, coded as Betaflight does",
        ),
        (b'H', "H frames", is_home(header), "H frames that begin with `GPS_home`"),
    ];
    for (letter, part, is_read, text) in frames {
        if header.frame(letter).is_some() && !is_read {
            let at = line_at(&format!("Field {} name", char::from(letter)));
            add(part, at, format!("blackbox-log reads only {text}"));
        }
    }
    obstacles
}

fn is_main(header: &Header<'_>) -> bool {
    let inter = |index, coding| header.frame(b'P').is_none() || is_coded(header.fields(b'P').get(index), coding);
    is(header, b'I', 0, "loopIteration", INTRA)
        && inter(0, ITERATION_INTER)
        && is(header, b'I', 1, "time", INTRA)
        && inter(1, TIME_INTER)
}

fn is_home(header: &Header<'_>) -> bool {
    let name = |index: usize| header.fields(b'H').get(index).map(LoggedField::name);
    (name(0), name(1)) == (Some("GPS_home[0]"), Some("GPS_home[1]"))
}

/// Whether the field at a place of the frame has this name and this coding.
fn is(header: &Header<'_>, letter: u8, index: usize, name: &str, coding: Coding) -> bool {
    let field = header.fields(letter).get(index);
    field.is_some_and(|field| field.name() == name) && is_coded(field, coding)
}

fn is_coded(field: Option<&LoggedField>, (predictor, encoding): Coding) -> bool {
    field.is_some_and(|field| (field.predictor(), field.encoding()) == (Some(predictor), Some(encoding)))
}

/// Whether `blackbox-log` 0.4.3 reads logs of a firmware: `Betaflight 4.5.0 …`.
fn is_known(revision: &str) -> bool {
    let mut words = revision.split(' ');
    let (name, version) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let numbers: Vec<Option<u16>> = version.split('.').map(|number| number.parse().ok()).collect();
    let [Some(major), Some(minor), Some(_)] = numbers[..] else { return false };
    match name.to_ascii_lowercase().as_str() {
        "betaflight" => (major, minor) >= (4, 2) && (major, minor) <= (4, 5),
        "inav" => (5..=8).contains(&major),
        _ => false,
    }
}
