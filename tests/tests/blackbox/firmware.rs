//! Logs with the headers of each firmware and version: all values of all frames are read, with any name, and as other
//! decoders read them.

mod layouts;
mod older;

use crate::by_header::{HeaderLog, frames_of, header_of};
use crate::damage::Random;
use crate::other_decoders::{Read, assert_rows, by_blackbox_log, by_fc_blackbox, by_us, right_in_blackbox_log};
use crate::raw_session::MARKER;
use crate::reference::Reference;
use binlog::blackbox::log::Item;
use binlog::blackbox::{BlackboxLog, Event, FrameKind};
use layouts::{Layout, layouts};
use std::fmt::Write;

/// A field by itself: name, signed or not, and the codings in I and P frames.
struct Field {
    name: String,
    signed: bool,
    codings: [String; 2],
}

/// The fields of `gyroADC[3] s 0/0 3/0`.
fn fields(specs: &[&str]) -> Vec<Field> {
    let each = |spec: &&str| {
        let words: Vec<&str> = spec.split(' ').collect();
        let (name, numbers) = words[0].trim_end_matches(']').split_once('[').unwrap_or((words[0], ""));
        let (from, to) = numbers.split_once("..").unwrap_or(("0", numbers));
        let names: Vec<String> = match to.parse::<usize>() {
            Ok(to) => (from.parse().expect("a number")..to).map(|i| format!("{name}[{i}]")).collect(),
            Err(_) => vec![name.to_owned()],
        };
        let codings = [words[2], words.get(3).copied().unwrap_or_default()].map(str::to_owned);
        let signed = words[1] == "s";
        names.into_iter().map(move |name| Field { name, signed, codings: codings.clone() }).collect::<Vec<_>>()
    };
    specs.iter().flat_map(each).collect()
}

/// The header, as a firmware writes it: the fields, then the other lines.
fn header(layout: &Layout) -> String {
    // blackbox-log wants the version second.
    let (version, others) = layout.lines.split_first().expect("the data version");
    let mut text = format!("{MARKER}H {version}\n");
    let mut list = |what: &str, of: &dyn Fn(&Field) -> String, fields: &[Field]| {
        let list: Vec<String> = fields.iter().map(of).collect();
        let _ = writeln!(text, "H Field {what}:{}", list.join(","));
    };
    for (letter, specs) in [('I', layout.main), ('H', layout.home), ('G', layout.gps), ('S', layout.slow)] {
        let fields = fields(specs);
        if fields.is_empty() {
            continue;
        }
        let part = |coding: &str, at: usize| coding.split('/').nth(at).expect("two numbers").to_owned();
        list(&format!("{letter} name"), &|field| field.name.clone(), &fields);
        list(&format!("{letter} signed"), &|field| u8::from(field.signed).to_string(), &fields);
        list(&format!("{letter} predictor"), &|field| part(&field.codings[0], 0), &fields);
        list(&format!("{letter} encoding"), &|field| part(&field.codings[0], 1), &fields);
        if letter == 'I' {
            list("P predictor", &|field| part(&field.codings[1], 0), &fields);
            list("P encoding", &|field| part(&field.codings[1], 1), &fields);
        }
    }
    others.iter().for_each(|line| {
        let _ = writeln!(text, "H {line}");
    });
    text
}

/// A walk of values from one frame to the next, small steps most often. Unsigned fields stay below 4,096.
struct Walk {
    random: Random,
    values: Vec<u32>,
    signed: Vec<bool>,
}

impl Walk {
    fn new(specs: &[&str], seed: u64) -> Self {
        let fields = fields(specs);
        let (values, signed) = (vec![1200; fields.len()], fields.iter().map(|field| field.signed).collect());
        Walk { random: Random::new(seed), values, signed }
    }

    fn step(&mut self) -> Vec<u32> {
        for (value, &signed) in self.values.iter_mut().zip(&self.signed) {
            let size = [1, 2, 12, 70, 900][self.random.below(5)];
            let step = self.random.below(2 * size + 1) as i32 - size as i32;
            let next = *value as i32 + step;
            *value = if signed { next.clamp(-9000, 9000) } else { next.clamp(0, 4095) } as u32;
        }
        self.values.clone()
    }
}

/// A flight with the frames of a layout: its log, and the frames that are in it.
fn flight(layout: &Layout) -> (Vec<u8>, Vec<(u8, Vec<u32>)>) {
    let lines = header(layout);
    let empty = BlackboxLog::from_bytes(lines.as_bytes());
    let header = header_of(&empty);
    let mut log = HeaderLog::new(&lines, &header);
    let mut written = Vec::new();
    let mut frame = |log: &mut HeaderLog<'_>, letter: u8, values: Vec<u32>| {
        log.frame(letter, &values).unwrap_or_else(|error| panic!("{}: {error}", layout.name));
        written.push((letter, values));
    };
    let [mut main, mut slow, mut gps, mut home] =
        [layout.main, layout.slow, layout.gps, layout.home].map(|specs| Walk::new(specs, 7));
    let (intervals, mut iteration, mut time) = (header.intervals(), 0, 5_000_000);
    for i in 0..400_u32 {
        let values = [vec![iteration, time], main.step()[2..].to_vec()].concat();
        frame(&mut log, if intervals.kind_of(iteration) == Some(FrameKind::Intra) { b'I' } else { b'P' }, values);
        if i == 0 && !layout.home.is_empty() {
            frame(&mut log, b'H', [vec![473_977_418, -85_455_940_i32 as u32], home.step()[2..].to_vec()].concat());
        }
        if i % 97 == 0 && !layout.slow.is_empty() {
            frame(&mut log, b'S', slow.step());
        }
        if i % 20 == 3 && !layout.gps.is_empty() {
            let mut values = gps.step();
            values[0] = time + 30;
            let latitude = fields(layout.gps).iter().position(|field| field.name == "GPS_coord[0]").expect("a fix");
            values[latitude] = 473_977_418 + i * 7;
            values[latitude + 1] = (-85_455_940 - i as i32) as u32;
            frame(&mut log, b'G', values);
        }
        let next = (iteration + 1..).find(|&next| intervals.kind_of(next).is_some()).expect("an I frame");
        time += (next - iteration) * 125 + i % 3;
        iteration = next;
    }
    for event in [Event::SyncBeep { time }, Event::End { disarm_reason: layout.name.starts_with("INAV").then_some(4) }]
    {
        log.event(&event);
    }
    (log.bytes, written)
}

#[test]
fn all_values_of_each_firmware_are_read() {
    for layout in layouts() {
        let (log, written) = flight(&layout);
        let read = frames_of(&log);
        assert_eq!(read.len(), written.len(), "{}", layout.name);
        for (i, (read, written)) in read.iter().zip(&written).enumerate() {
            assert_eq!(read, written, "{} frame {i}", layout.name);
        }
        if layout.lines[0] == "Data version:1" {
            // The reference reads version 2.
            continue;
        }
        let by_reference: Vec<Vec<u32>> = Reference::new(&log).main_frames().into_iter().map(|(_, row)| row).collect();
        assert_eq!(by_reference.len(), 400, "{}", layout.name);
        for (i, (read, written)) in
            by_reference.iter().zip(written.iter().filter(|(letter, _)| b"IP".contains(letter))).enumerate()
        {
            assert_eq!(*read, written.1, "{} main frame {i}", layout.name);
        }
    }
}

/// The frames of each kind in a log, by our reader.
fn read_by_us(log: &[u8]) -> Read {
    by_us(&BlackboxLog::from_bytes(log), 0)
}

#[test]
fn fc_blackbox_reads_the_same_values_of_each_firmware() {
    // It reads no log without looptime or `gyro_scale`, without slow frames, or of data version 1.
    for layout in layouts().filter(|layout| layout.lines.iter().any(|line| line.starts_with("looptime:"))) {
        let (log, _) = flight(&layout);
        let (ours, theirs) = (read_by_us(&log), by_fc_blackbox(&log));
        let all = |rows: &[Vec<u32>]| (0..rows.first().map_or(0, Vec::len)).collect::<Vec<_>>();
        // It counts iterations up by one a frame where Betaflight's header says `P interval:4`.
        assert_rows(layout.name, &ours.main, &theirs.main, &all(&ours.main)[1..]);
        assert_rows(layout.name, &ours.slow, &theirs.slow, &all(&ours.slow));
        // It takes home coordinates from frames of two fields only.
        let has_home = fields(layout.home).len() == 2;
        let right: Vec<_> = all(&ours.gps).into_iter().filter(|field| has_home || ![2, 3].contains(field)).collect();
        assert_rows(layout.name, &ours.gps, &theirs.gps, &right);
    }
}

#[test]
fn blackbox_log_reads_equal_values_under_a_name_that_it_knows() {
    for layout in layouts() {
        let Some(known_as) = layout.known_as else { continue };
        let (log, _) = flight(&layout);
        let ours = BlackboxLog::from_bytes(&*log);
        let revision = ours.session(0).expect("a session").header().value("Firmware revision").map(str::to_owned);
        let from = format!("H Firmware revision:{}\n", revision.expect("a revision"));
        let at = log.windows(from.len()).position(|line| line == from.as_bytes()).expect("the line");
        let line = format!("H Firmware revision:{known_as}\n");
        let renamed = [&log[..at], line.as_bytes(), &log[at + from.len()..]].concat();
        let (right, mut ours) = (right_in_blackbox_log(&ours, 0), by_us(&ours, 0));
        let theirs = by_blackbox_log(&renamed, 0);
        assert_rows(layout.name, &ours.main, &theirs.main, &right);
        let all = |rows: &[Vec<u32>]| (0..rows.first().map_or(0, Vec::len)).collect::<Vec<_>>();
        assert_rows(layout.name, &ours.slow, &theirs.slow, &all(&ours.slow));
        ours.gps.iter_mut().for_each(|fix| {
            fix.remove(0);
        });
        assert_rows(layout.name, &ours.gps, &theirs.gps, &all(&ours.gps));
    }
}

/// Frames of protoflight, whose letters nobody else defines: decoded if the header says how, counted otherwise.
#[test]
fn letters_of_one_firmware_are_read_or_counted() {
    let layout = layouts().find(|layout| layout.name == "Betaflight 4.2 to 4.5").expect("a layout");
    let (log, written) = flight(&layout);
    let start = header(&layout).len();
    let lines = "H Field T name:baro,temperature\nH Field T signed:1,1\nH Field T predictor:0,0\nH Field T encoding:0,0\n\
                 H Field Q name:q[0],q[1]\n";
    // At the end, where the frames of known length end at the letters.
    let end = log.len() - b"E\xFFEnd of log\0".len();
    let frames = [&b"T\x02\x04"[..], b"Q\x01\x02\x03", b"T\x06\x08"].concat();
    let with_letters = [&log[..start], lines.as_bytes(), &log[start..end], &frames, &log[end..]].concat();
    let read = BlackboxLog::from_bytes(with_letters);
    let session = read.session(0).expect("a session");
    let (mut known, mut letters) = (0, Vec::new());
    let mut frames = session.frames();
    while let Some(item) = frames.next() {
        match item {
            Item::Frame(frame) if b"TQ".contains(&frame.letter()) => {
                letters.push((frame.letter(), frame.values().to_vec()))
            }
            Item::Frame(_) => known += 1,
            Item::Event { .. } => {}
            Item::Lost(lost) => panic!("{lost}"),
        }
    }
    assert_eq!(known, written.len());
    assert_eq!(letters, [(b'T', vec![1, 2]), (b'Q', vec![]), (b'T', vec![3, 4])]);
}
