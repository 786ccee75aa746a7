//! A decoder that reads one field after the other and follows the rules of Cleanflight's decoder, to compare with. It
//! is written from the format's description and shares no code with the crate.

use std::collections::HashMap;

#[derive(Default)]
struct Definition {
    names: Vec<String>,
    signed: Vec<u32>,
    predictors: Vec<u32>,
    encodings: Vec<u32>,
}

/// A session to decode.
pub(crate) struct Reference<'a> {
    bytes: &'a [u8],
    frames: HashMap<u8, Definition>,
    values: HashMap<String, String>,
    from: usize,
}

/// A main frame: its values, and where it begins.
pub(crate) type Row = (usize, Vec<u32>);

struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    bit: u32,
}

impl Cursor<'_> {
    fn byte(&mut self) -> Option<u32> {
        self.align();
        self.at += 1;
        self.bytes.get(self.at - 1).map(|&byte| byte.into())
    }

    fn align(&mut self) {
        if self.bit > 0 {
            (self.bit, self.at) = (0, self.at + 1);
        }
    }

    fn unsigned(&mut self) -> Option<u32> {
        let mut value = 0;
        for i in 0..5 {
            let byte = self.byte()?;
            value |= ((byte & 0x7F) as u64) << (7 * i);
            if byte < 0x80 {
                break;
            }
        }
        Some(value as u32)
    }

    fn signed(&mut self) -> Option<i32> {
        let folded = self.unsigned()?;
        Some(if folded % 2 == 0 { (folded / 2) as i32 } else { -((folded / 2) as i32) - 1 })
    }

    fn little_endian(&mut self, bytes: u32) -> Option<i32> {
        let mut value = 0;
        for i in 0..bytes {
            value |= self.byte()? << (8 * i);
        }
        Some(extended(value, 8 * bytes))
    }
}

fn extended(value: u32, bits: u32) -> i32 {
    let value = i64::from(value) & ((1 << bits) - 1);
    (if value >> (bits - 1) == 1 { value - (1 << bits) } else { value }) as i32
}

impl<'a> Reference<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        let (mut frames, mut values) = (HashMap::<u8, Definition>::new(), HashMap::new());
        let mut from = 0;
        while bytes[from..].starts_with(b"H ") {
            let length = bytes[from..].iter().position(|&byte| byte == b'\n').expect("a line");
            let line = String::from_utf8_lossy(&bytes[from + 2..from + length]).into_owned();
            from += length + 1;
            let Some((name, value)) = line.split_once(':') else { continue };
            values.insert(name.to_owned(), value.to_owned());
            let Some((letter, what)) = name.strip_prefix("Field ").and_then(|name| name.split_once(' ')) else {
                continue;
            };
            let frame = frames.entry(letter.as_bytes()[0]).or_default();
            let numbers = || value.split(',').map(|number| number.parse().expect("a number")).collect();
            match what {
                "name" => frame.names = value.split(',').map(str::to_owned).collect(),
                "signed" => frame.signed = numbers(),
                "predictor" => frame.predictors = numbers(),
                _ => frame.encodings = numbers(),
            }
        }
        if let Some(intra) = frames.get(&b'I') {
            let (names, signed) = (intra.names.clone(), intra.signed.clone());
            if let Some(inter) = frames.get_mut(&b'P') {
                (inter.names, inter.signed) = (names, signed);
            }
        }
        Reference { bytes, frames, values, from }
    }

    fn number(&self, name: &str, default: i64) -> i64 {
        let value = self.values.get(name).and_then(|value| value.split(',').next());
        value.map_or(default, |value| value.parse().expect("a number"))
    }

    /// How far the iteration moves from this one to the next.
    fn step(&self, iteration: u32) -> u32 {
        let interval = self.number("I interval", 32) as u32;
        let rate = self.values.get("P interval").map_or("1", String::as_str);
        let (numerator, denominator) = rate.split_once('/').unwrap_or(("1", rate));
        let (numerator, denominator): (u32, u32) = (numerator.parse().expect("P"), denominator.parse().expect("P"));
        let is_logged = |iteration: u32| {
            let place = iteration % interval;
            place == 0 || (place + numerator - 1) % denominator < numerator
        };
        (1..).find(|step| is_logged(iteration.wrapping_add(*step))).expect("an I frame")
    }

    /// The residuals of the frame at `at`, and its end.
    fn residuals(&self, letter: u8, at: usize) -> Option<(Vec<i32>, usize)> {
        let frame = self.frames.get(&letter)?;
        let mut cursor = Cursor { bytes: self.bytes, at: at + 1, bit: 0 };
        let mut values = Vec::new();
        while values.len() < frame.encodings.len() {
            let i = values.len();
            if frame.predictors[i] == 6 {
                values.push(0);
                continue;
            }
            match frame.encodings[i] {
                0 => values.push(cursor.signed()?),
                1 => values.push(cursor.unsigned()? as i32),
                3 => values.push(-extended(cursor.unsigned()?, 14)),
                6 => {
                    let count = frame.encodings[i..].iter().take(8).take_while(|encoding| **encoding == 6).count();
                    let tag = if count == 1 { 1 } else { cursor.byte()? };
                    for field in 0..count {
                        values.push(if tag >> field & 1 == 1 { cursor.signed()? } else { 0 });
                    }
                }
                7 => {
                    let tag = cursor.byte()?;
                    match tag >> 6 {
                        0 => values.extend([4, 2, 0].map(|shift| extended(tag >> shift, 2))),
                        1 => {
                            let next = cursor.byte()?;
                            values.extend([tag, next >> 4, next].map(|value| extended(value, 4)));
                        }
                        2 => values.extend([tag, cursor.byte()?, cursor.byte()?].map(|value| extended(value, 6))),
                        _ => {
                            for field in 0..3 {
                                values.push(cursor.little_endian((tag >> (2 * field) & 3) + 1)?);
                            }
                        }
                    }
                }
                8 => {
                    let tags = cursor.byte()?;
                    let mut nibbles = Vec::new();
                    let sizes = [0, 2, 4, 6].map(|shift| [0, 1, 2, 4][(tags >> shift & 3) as usize]);
                    for _ in 0..sizes.iter().sum::<usize>().div_ceil(2) {
                        let byte = cursor.byte()?;
                        nibbles.extend([byte >> 4, byte & 15]);
                    }
                    let mut nibbles = nibbles.into_iter();
                    for size in sizes {
                        let value = nibbles.by_ref().take(size).fold(0, |value, nibble| value << 4 | nibble);
                        values.push(if size == 0 { 0 } else { extended(value, 4 * size as u32) });
                    }
                }
                9 => values.push(0),
                other => panic!("encoding {other}"),
            }
        }
        cursor.align();
        values.truncate(frame.encodings.len());
        Some((values, cursor.at))
    }

    fn values(&self, letter: u8, residuals: &[i32], history: Option<(&[u32], &[u32])>, step: u32) -> Vec<u32> {
        let frame = &self.frames[&letter];
        let mut values: Vec<u32> = Vec::new();
        for (i, &residual) in residuals.iter().enumerate() {
            let number = |bits: u32| if frame.signed[i] == 1 { i64::from(bits as i32) } else { i64::from(bits) };
            let last = history.map_or(0, |(last, _)| number(last[i]));
            let before = history.map_or(0, |(_, before)| number(before[i]));
            let minthrottle = self.number("minthrottle", 1150);
            let prediction = match frame.predictors[i] {
                0 => 0,
                1 => last,
                2 => 2 * last - before,
                3 => (last + before) / 2,
                4 => minthrottle,
                5 => values[frame.names.iter().position(|name| name == "motor[0]").expect("motor[0]")].into(),
                6 => last + i64::from(step),
                8 => 1500,
                9 => self.number("vbatref", 4095),
                11 => self.number("motorOutput", minthrottle),
                other => panic!("predictor {other}"),
            };
            values.push((i64::from(residual) + prediction) as u32);
        }
        values
    }

    /// Where the event at `at` ends, if Cleanflight's decoder knows it. An unknown one ends after its number.
    fn event(&self, at: usize) -> (Option<u32>, usize) {
        let mut cursor = Cursor { bytes: self.bytes, at: at + 1, bit: 0 };
        let id = cursor.byte();
        let mut numbers = |count| (0..count).all(|_| cursor.unsigned().is_some());
        match id {
            Some(0) => drop(numbers(1)),
            Some(14) => drop(numbers(2)),
            Some(13) => {
                let function = cursor.byte().unwrap_or(0);
                if function >= 128 {
                    cursor.at += 4;
                } else {
                    let _ = cursor.signed();
                }
            }
            Some(255) if self.bytes[cursor.at..].starts_with(b"End of log\0") => cursor.at += 11,
            _ => return (None, cursor.at),
        }
        (id, cursor.at)
    }

    /// The main frames by the rules of Cleanflight's decoder.
    pub(crate) fn main_frames(&self) -> Vec<Row> {
        let is_letter = |at: usize| self.bytes.get(at).is_none_or(|byte| b"IPGHES".contains(byte));
        let mut rows: Vec<Row> = Vec::new();
        let mut history: Option<(Vec<u32>, Vec<u32>)> = None;
        let mut last: Option<(u32, u64)> = None;
        let mut at = self.from;
        while let Some(&letter) = self.bytes.get(at) {
            let (event, residuals) = match letter {
                b'E' => (Some(self.event(at)), None),
                _ => (None, self.residuals(letter, at)),
            };
            let end = event.map(|(_, end)| end).or(residuals.as_ref().map(|(_, end)| *end));
            let Some(end) = end.filter(|&end| end <= self.bytes.len() && end - at <= 256 && is_letter(end)) else {
                history = None;
                at += 1;
                continue;
            };
            match event {
                Some((Some(255), _)) => break,
                Some((Some(14), _)) => {
                    let mut cursor = Cursor { bytes: self.bytes, at: at + 2, bit: 0 };
                    last = cursor.unsigned().zip(cursor.unsigned()).map(|(iteration, time)| (iteration, time.into()));
                }
                _ => {}
            }
            if let (b'I' | b'P', Some((residuals, _))) = (letter, residuals) {
                let step = last.map_or(1, |(iteration, _)| self.step(iteration));
                let before = history.as_ref().filter(|_| letter == b'P').map(|(last, before)| (&last[..], &before[..]));
                if letter == b'I' || before.is_some() {
                    let values = self.values(letter, &residuals, before, step);
                    let is_near = last.is_none_or(|(iteration, time)| {
                        (iteration..iteration.saturating_add(5000)).contains(&values[0])
                            && (time..time + 10_000_000).contains(&values[1].into())
                    });
                    history = match history {
                        _ if !is_near => None,
                        Some((last, _)) if letter == b'P' => Some((values.clone(), last)),
                        _ => Some((values.clone(), values.clone())),
                    };
                    if is_near {
                        last = Some((values[0], values[1].into()));
                        rows.push((at, values));
                    }
                }
            }
            at = end;
        }
        rows
    }
}
