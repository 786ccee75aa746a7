// Held by tests/tests/blackbox/anonymised.rs.

//! Anonymises Blackbox logs.

use super::kind::Kind;
use super::names::{self, Axis};
use super::place::{Place, Position};
use super::{Anonymise, Anonymised};
use crate::blackbox::header::LoggedLine;
use crate::blackbox::log::{Frame, Item, Session};
use crate::blackbox::{BlackboxLog, Event, FrameBuffer, Header, LoggedEncoder};
use crate::tools::repair::{Removed, RepairedBlackbox};
use std::io::{self, Write};

/// What [`Anonymise::write_blackbox`] has done.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AnonymisedBlackbox {
    sessions: usize,
    done: Anonymised,
    lines: u64,
    lost: Vec<Removed>,
}

impl AnonymisedBlackbox {
    /// Sessions of the copy.
    pub fn sessions(&self) -> usize {
        self.sessions
    }

    /// Frames and events of the copy.
    pub fn frames(&self) -> u64 {
        self.done.records
    }

    /// Positions that were moved.
    pub fn positions(&self) -> u64 {
        self.done.positions
    }

    /// Positions that became 0, 0, because they are more than 1000 km from the first one, or not on the earth.
    pub fn elsewhere(&self) -> u64 {
        self.done.elsewhere
    }

    /// Header lines whose values were removed.
    pub fn lines(&self) -> u64 {
        self.lines
    }

    /// Frames and events that the copy lacks, because nobody knows what they mean.
    pub fn unknown(&self) -> u64 {
        self.done.dropped
    }

    /// What the copy lacks because it is damaged, or isn't part of a session.
    pub fn lost(&self) -> &[Removed] {
        &self.lost
    }
}

impl Anonymise {
    /// Writes a copy of a Blackbox log: see [`write`](Anonymise::write). Frames without positions are copied byte for
    /// byte, and so are header lines with numbers. Values of others are removed, unless all logs of a firmware have
    /// them. Frames and events of unknown kinds are left out. Types can't be dropped.
    ///
    /// # Errors
    ///
    /// Errors of the writer.
    pub fn write_blackbox(
        &self,
        log: &BlackboxLog<'_>,
        secret: [u8; 16],
        mut out: impl Write,
    ) -> io::Result<AnonymisedBlackbox> {
        let place = log.sessions().find_map(|session| first(&session)).map(|first| Place::draw(first, secret));
        let mut repaired = RepairedBlackbox::default();
        let mut done = AnonymisedBlackbox::default();
        for session in log.sessions() {
            let Some(clean) = repaired.session(&session) else { continue };
            let session = Session::new(&clean, 0..clean.len());
            let mut copy = self.header(session.header(), session.bytes(), &mut done.lines);
            Copying { options: self, place: place.as_ref(), done: &mut done.done }.frames(&session, &mut copy);
            // How a frame is read may depend on the bytes after it.
            let again = Session::new(&copy, 0..copy.len());
            if let Some(bytes) = RepairedBlackbox::default().session(&again) {
                out.write_all(&bytes)?;
                done.sessions += 1;
            }
        }
        done.lost = repaired.removed().to_vec();
        out.flush()?;
        Ok(done)
    }

    /// The header without what tells something.
    fn header(&self, header: &Header<'_>, session: &[u8], changed: &mut u64) -> Vec<u8> {
        let mut copy = Vec::new();
        for line in header.lines() {
            let value = self.value(line);
            *changed += u64::from(value != line.value());
            match value == line.value() {
                true => {
                    let rest = session.get(line.offset()..).unwrap_or_default();
                    let line = rest.split_inclusive(|&byte| byte == b'\n').next().unwrap_or_default();
                    copy.extend_from_slice(line);
                }
                false => copy.extend_from_slice(format!("H {}:{value}\n", line.name()).as_bytes()),
            }
        }
        copy
    }

    /// The value that a line of the header gets.
    fn value<'l>(&self, line: &'l LoggedLine<'_>) -> &'l str {
        let (name, value) = (line.name(), line.value());
        let is_number = is_numbers(value);
        let blank = if is_number && !value.is_empty() { "0" } else { "" };
        if is_of_all(name) || self.keeps_name(name) {
            return value;
        }
        if name == START {
            // What Betaflight writes without a clock.
            return if self.removes(Kind::Dates) { "0000-01-01T00:00:00.000+00:00" } else { value };
        }
        if names::coordinate(name).is_some() || names::is_home(name) && value.contains(',') {
            return blank;
        }
        let removed = names::removed_parameter(name).or_else(|| names::removed_column("", name, false));
        let kind = match removed {
            Some(kind) => kind,
            None if OWNERS.contains(&name) || !is_number => Kind::Ids,
            None => return value,
        };
        if self.removes(kind) { blank } else { value }
    }
}

/// The line with the date of a flight.
const START: &str = "Log start datetime";

/// The lines that a pilot gives names in.
const OWNERS: [&str; 3] = ["Craft name", "Pilot name", "DeviceUID"];

/// Whether the line is a definition, or names a firmware and a kind of board.
fn is_of_all(name: &str) -> bool {
    const OF_FIRMWARE: [&str; 5] =
        ["Product", "Firmware type", "Firmware revision", "Firmware date", "Board information"];
    name.starts_with("Field ") || OF_FIRMWARE.contains(&name)
}

/// Whether a value is numbers, as of settings.
fn is_numbers(value: &str) -> bool {
    value.split([',', ' ', '/']).all(|part| {
        let hexadecimal = part.strip_prefix("0x").or_else(|| part.strip_prefix("0X"));
        let is_hexadecimal = hexadecimal.is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        part.is_empty() || is_hexadecimal || part.bytes().all(|byte| byte.is_ascii_digit() || b"+-.".contains(&byte))
    })
}

/// The steps of coordinates, in degrees.
const STEP: f64 = 1e-7;

/// The fields of a frame that have a position.
type Pair = [Option<usize>; 2];

/// The fields of the frames with a letter that have positions.
fn positions(header: &Header<'_>, letter: u8) -> Vec<Pair> {
    let letter = if letter == b'P' { b'I' } else { letter };
    let mut pairs: Vec<(String, Pair)> = Vec::new();
    for (i, field) in header.fields(letter).iter().enumerate() {
        let Some((axis, stem)) = names::coordinate(field.name()) else { continue };
        let place = usize::from(axis == Axis::Longitude);
        // Two fields may have the same stem: `GPS_lat` and `GPS_latitude`.
        match pairs.iter_mut().find(|(of, pair)| *of == stem && pair[place].is_none()) {
            Some((_, pair)) => pair[place] = Some(i),
            None => {
                let mut pair = [None; 2];
                pair[place] = Some(i);
                pairs.push((stem, pair));
            }
        }
    }
    pairs.into_iter().map(|(_, pair)| pair).collect()
}

/// The degrees in a frame's values.
fn degrees(values: &[u32], pair: &Pair) -> [Option<f64>; 2] {
    pair.map(|field| field.and_then(|field| values.get(field)).map(|&bits| f64::from(bits as i32) * STEP))
}

/// The first position of a session.
fn first(session: &Session<'_>) -> Option<Position> {
    let header = session.header();
    let with_positions: Vec<(u8, Vec<Pair>)> =
        letters(header).map(|letter| (letter, positions(header, letter))).collect();
    if with_positions.iter().all(|(_, pairs)| pairs.is_empty()) {
        return None;
    }
    let mut frames = session.frames();
    while let Some(item) = frames.next() {
        let Item::Frame(frame) = item else { continue };
        let pairs = with_positions.iter().find(|(letter, _)| *letter == frame.letter()).map(|(_, pairs)| pairs);
        let mut found = pairs.into_iter().flatten().filter_map(|pair| Place::first(degrees(frame.values(), pair)));
        if let Some(first) = found.next() {
            return Some(first);
        }
    }
    None
}

fn letters<'h>(header: &'h Header<'_>) -> impl Iterator<Item = u8> + 'h {
    header.frames().iter().map(|frame| frame.letter())
}

/// What is done with the frames of a letter.
struct Plan {
    letter: u8,
    positions: Vec<Pair>,
    heights: Vec<usize>,
}

/// Copies the frames of a session.
struct Copying<'c> {
    options: &'c Anonymise,
    place: Option<&'c Place>,
    done: &'c mut Anonymised,
}

impl Copying<'_> {
    fn plan(&self, header: &Header<'_>, letter: u8) -> Plan {
        let positions = positions(header, letter);
        let mut heights = Vec::new();
        if !positions.is_empty() && self.options.removes(Kind::Heights) {
            let fields = header.fields(if letter == b'P' { b'I' } else { letter });
            heights.extend((0..fields.len()).filter(|&i| names::is_height(fields[i].name())));
        }
        Plan { letter, positions, heights }
    }

    fn frames(&mut self, session: &Session<'_>, copy: &mut Vec<u8>) {
        let header = session.header();
        let plans: Vec<Plan> = letters(header).map(|letter| self.plan(header, letter)).collect();
        let changed: Vec<u8> = plans.iter().filter(|plan| !plan.positions.is_empty()).map(|plan| plan.letter).collect();
        let mut encoder = LoggedEncoder::new(header);
        let mut buffer = FrameBuffer::new();
        let mut frames = session.frames();
        while let Some(item) = frames.next() {
            let start = match item {
                Item::Frame(frame) => {
                    let plan = plans.iter().find(|plan| plan.letter == frame.letter());
                    match plan.filter(|plan| changed.contains(&plan.letter)) {
                        Some(plan) => {
                            buffer.clear();
                            match self.encode(&frame, plan, &mut encoder, &mut buffer) {
                                true => self.done.records += 1,
                                false => self.done.dropped += 1,
                            }
                            copy.extend_from_slice(buffer.bytes());
                            continue;
                        }
                        // Nobody knows what it means.
                        None if frame.values().is_empty() => {
                            self.done.dropped += 1;
                            continue;
                        }
                        None => encoder.frame(frame.letter(), frame.values()),
                    }
                    frame.offset()
                }
                Item::Event { event: Event::Unknown { .. }, .. } => {
                    self.done.dropped += 1;
                    continue;
                }
                Item::Event { offset, event, .. } => {
                    encoder.event(&event);
                    offset
                }
                Item::Lost(_) => continue,
            };
            self.done.records += 1;
            copy.extend_from_slice(session.bytes().get(start..frames.offset()).unwrap_or_default());
        }
    }

    /// Encodes a frame with other positions. Returns whether it can be.
    fn encode(
        &mut self,
        frame: &Frame<'_>,
        plan: &Plan,
        encoder: &mut LoggedEncoder<'_>,
        out: &mut FrameBuffer,
    ) -> bool {
        let mut values = frame.values().to_vec();
        for pair in &plan.positions {
            let position = degrees(&values, pair);
            if position.iter().flatten().all(|degrees| *degrees == 0.0) {
                continue;
            }
            let moved = self.place.and_then(|place| match position {
                [Some(latitude), Some(longitude)] => place.moved([latitude, longitude]),
                [latitude, longitude] => place.moved_alone(latitude, longitude),
            });
            self.done.positions += u64::from(moved.is_some());
            self.done.elsewhere += u64::from(moved.is_none());
            for (axis, field) in pair.iter().enumerate() {
                let Some(value) = field.and_then(|field| values.get_mut(field)) else { continue };
                *value = moved.map_or(0, |moved| (moved[axis] / STEP).round() as i32 as u32);
            }
        }
        for &height in &plan.heights {
            values.get_mut(height).into_iter().for_each(|value| *value = 0);
        }
        let letter = frame.letter();
        // A value may be too far from the one before.
        encoder.encode(letter, &values, out).is_ok() || letter == b'P' && encoder.encode(b'I', &values, out).is_ok()
    }
}
