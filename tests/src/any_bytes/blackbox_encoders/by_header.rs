//! Frames by a header of any fields.

use super::{Choices, Read, read};
use binlog::blackbox::header::{HeaderProblem, HeaderProblemKind};
use binlog::blackbox::{
    BlackboxLog, Encoding, Event, FrameBuffer, LoggedEncoder, Predictor, UnencodableFrame, Unusable,
};
use std::fmt::Write;

const INTRA: [Predictor; 8] = [
    Predictor::Zero,
    Predictor::MinThrottle,
    Predictor::Motor0,
    Predictor::HomeCoordinate,
    Predictor::Fixed1500,
    Predictor::VbatRef,
    Predictor::LastMainFrameTime,
    Predictor::MinMotor,
];

const P_RATES: [(u32, u32); 6] = [(1, 1), (1, 2), (2, 3), (5, 6), (3, 7), (1, 16)];

/// The lines of the header that the bytes choose, and the number of fields of I, S and G frames.
struct Lines {
    text: String,
    fields: [usize; 3],
    p_rate: (u32, u32),
    i_interval: u32,
}

fn lines(choices: &mut Choices<'_>) -> Lines {
    let version = 1 + choices.below(2);
    let (i_interval, p_rate) = (1 + u32::from(choices.below(40)), choices.one_of(&P_RATES));
    let fields = [1 + choices.below(40), 1 + choices.below(9), choices.below(9)].map(usize::from);
    let motor_0 = usize::from(choices.byte());
    let (numerator, denominator) = p_rate;
    let mut text = format!(
        "H Product:Blackbox flight data recorder by Nicholas Sherlock\nH Data version:{version}\nH minthrottle:1070\n\
         H motorOutput:158,2047\nH vbatref:2466\nH I interval:{i_interval}\nH P interval:{numerator}/{denominator}\n\
         H Field H name:GPS_home[0],GPS_home[1]\nH Field H signed:1,1\nH Field H predictor:0,0\nH Field H encoding:0,0\n"
    );
    let mut line = |name: &str, start: &str, count: usize, of: &mut dyn FnMut(usize) -> String| {
        let rest: String = (0..count).map(|i| format!(",{}", of(i))).collect();
        let _ = writeln!(text, "H Field {name}:{}", [start, &rest].concat().trim_start_matches(','));
    };
    for (letter, start, count) in [
        ('I', ["loopIteration,time", "0,0", "0,0", "1,1"], fields[0]),
        ('S', [""; 4], fields[1]),
        ('G', ["time", "0", "10", "1"], fields[2]),
    ] {
        let [names, signs, predictors, encodings] = start;
        line(&format!("{letter} name"), names, count, &mut |i| match i == motor_0 && letter == 'I' {
            true => "motor[0]".to_owned(),
            false => format!("{letter}{i}"),
        });
        line(&format!("{letter} signed"), signs, count, &mut |_| choices.below(2).to_string());
        line(&format!("{letter} predictor"), predictors, count, &mut |_| choices.one_of(&INTRA).number().to_string());
        line(&format!("{letter} encoding"), encodings, count, &mut |_| encoding(choices));
    }
    line("P predictor", "6,2", fields[0], &mut |_| {
        let predictor = choices.one_of(Predictor::ALL);
        // Nothing is stored of an incremented field.
        if predictor == Predictor::Increment { Predictor::Previous } else { predictor }.number().to_string()
    });
    line("P encoding", "9,0", fields[0], &mut |_| encoding(choices));
    Lines { text, fields, p_rate, i_interval }
}

fn encoding(choices: &mut Choices<'_>) -> String {
    choices.one_of(Encoding::ALL).number().to_string()
}

pub(super) fn frames(choices: &mut Choices<'_>) {
    let Lines { text, fields: [main, slow, gps], p_rate, i_interval } = lines(choices);
    let empty = BlackboxLog::from_bytes(text.as_bytes());
    let header = empty.session(0).expect("a session").header().clone();
    // Frames of many fields without bytes are refused, because a short log would have many values.
    let is_refused = |problem: &HeaderProblem| {
        matches!(problem.kind, HeaderProblemKind::Frame { reason: Unusable::TooFewBytes { .. }, .. })
    };
    if header.problems().iter().any(is_refused) {
        return;
    }
    assert_eq!(header.problems(), []);
    let mut encoder = LoggedEncoder::new(&header);
    let mut log = text.clone().into_bytes();
    let (mut expected, mut events) = (Vec::new(), 0);
    let (mut iteration, mut time) = (choices.number(), choices.number());
    let (mut has_main, mut has_home) = (false, false);
    let mut buffer = FrameBuffer::new();
    let mut encode = |encoder: &mut LoggedEncoder<'_>, log: &mut Vec<u8>, letter, values: Vec<u32>| {
        buffer.clear();
        let encoded = encoder.encode(letter, &values, &mut buffer);
        if encoded.is_ok() {
            expected.push(Read { offset: log.len(), letter, values });
            log.extend_from_slice(buffer.bytes());
        }
        encoded
    };
    while !choices.is_empty() && log.len() < 1 << 20 {
        match choices.below(8) {
            // GPS frames refer to both.
            0 if has_main && has_home => {
                let at = time.wrapping_add(choices.byte().into());
                let values = [vec![at], choices.numbers(gps)].concat();
                let _ = encode(&mut encoder, &mut log, b'G', values);
            }
            // Firmware begins with an I frame. An H frame of printable bytes would be a header line that is cut off.
            1 if has_main => has_home |= encode(&mut encoder, &mut log, b'H', choices.numbers(2)).is_ok(),
            // So may slow frames.
            2 if has_home => {
                let values = choices.numbers(slow);
                let _ = encode(&mut encoder, &mut log, b'S', values);
            }
            3 if has_main => {
                let event = choices.event();
                if let Event::Resume { iteration: to, time: at } = event {
                    (iteration, time) = (to, at);
                }
                encoder.event(&event);
                log.extend_from_slice(event.encode(&mut [0; Event::MAX_BYTES]));
                events += 1;
            }
            choice => {
                let step = if choice == 4 { choices.number() % 4999 } else { step(iteration, i_interval, p_rate) };
                let next = if has_main { iteration.wrapping_add(step) } else { iteration };
                let at = time.wrapping_add(choices.number() % 10_000_000);
                // Readers that know the rate take a frame out of it for another session's.
                if has_main && choice == 4 && at.wrapping_sub(time) >= 500_000 {
                    let event = Event::Resume { iteration: next, time: at };
                    (iteration, time) = (next, at);
                    encoder.event(&event);
                    log.extend_from_slice(event.encode(&mut [0; Event::MAX_BYTES]));
                    events += 1;
                }
                let values = [vec![next, at], choices.numbers(main)].concat();
                let written = match encode(&mut encoder, &mut log, b'P', values.clone()) {
                    Err(UnencodableFrame::DoesNotFit { .. } | UnencodableFrame::NoIntra) => {
                        encode(&mut encoder, &mut log, b'I', values)
                    }
                    other => other,
                };
                if written.is_ok() {
                    (iteration, time, has_main) = (next, at, true);
                }
            }
        }
    }
    assert_eq!(read(&log), (expected, events), "{text}");
}

/// How far it is to the next iteration that is logged, by the rule of the format's description.
fn step(iteration: u32, i_interval: u32, (numerator, denominator): (u32, u32)) -> u32 {
    let place = iteration % i_interval;
    let is_logged = |&step: &u32| {
        let place = (place + step) % i_interval;
        place == 0 || (place + numerator - 1) % denominator < numerator
    };
    (1..=i_interval).find(is_logged).unwrap_or(1)
}
