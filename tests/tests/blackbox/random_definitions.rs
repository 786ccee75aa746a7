//! Random definitions and values: what is encoded by a header is decoded by it.

use crate::by_header::{HeaderLog, frames_of, header_of};
use crate::raw_session::MARKER;
use binlog::blackbox::{BlackboxLog, Encoding, Event, Predictor, UnencodableFrame};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use std::fmt::Write;

/// A field of main frames.
#[derive(Clone, Debug)]
struct Field {
    signed: bool,
    intra: (Predictor, Encoding),
    inter: (Predictor, Encoding),
}

/// Encodings that take every number, and those that take 14 or 16 bits.
const WIDE: [Encoding; 6] = [
    Encoding::SignedVb,
    Encoding::UnsignedVb,
    Encoding::EliasDeltaU32,
    Encoding::EliasDeltaS32,
    Encoding::Tag8_8Svb,
    Encoding::Tag2_3S32,
];
const NARROW: [Encoding; 8] = [
    Encoding::SignedVb,
    Encoding::UnsignedVb,
    Encoding::EliasDeltaU32,
    Encoding::EliasDeltaS32,
    Encoding::Tag8_8Svb,
    Encoding::Tag2_3S32,
    Encoding::Tag8_4S16,
    Encoding::Neg14Bit,
];
const INTRA: [Predictor; 7] = [
    Predictor::Zero,
    Predictor::MinThrottle,
    Predictor::Motor0,
    Predictor::HomeCoordinate,
    Predictor::Fixed1500,
    Predictor::VbatRef,
    Predictor::MinMotor,
];
const INTER: [Predictor; 6] = [
    Predictor::Zero,
    Predictor::Previous,
    Predictor::StraightLine,
    Predictor::Average2,
    Predictor::Motor0,
    Predictor::Fixed1500,
];

fn field(encodings: &'static [Encoding]) -> impl Strategy<Value = Field> {
    let coding = move |predictors: &'static [Predictor]| (select(predictors), select(encodings));
    (any::<bool>(), coding(&INTRA), coding(&INTER)).prop_map(|(signed, intra, inter)| Field { signed, intra, inter })
}

/// The lines of a header. One of the fields may be `motor[0]`.
fn header(fields: &[Field], motor_0: Option<Index>, version: u32, i_interval: u32, p_rate: (u32, u32)) -> String {
    let motor_0 = motor_0.map(|index| index.index(fields.len()));
    let name = |i: usize| if Some(i) == motor_0 { "motor[0]".to_owned() } else { format!("field{i}") };
    let mut lines = format!("{MARKER}H Data version:{version}\nH I interval:{i_interval}\n");
    let mut line = |what: &str, start: &str, of: &dyn Fn(usize) -> String| {
        let rest: String = (0..fields.len()).map(|i| format!(",{}", of(i))).collect();
        let _ = writeln!(lines, "H Field {what}:{start}{rest}");
    };
    line("I name", "loopIteration,time", &name);
    line("I signed", "0,0", &|i| u8::from(fields[i].signed).to_string());
    line("I predictor", "0,0", &|i| fields[i].intra.0.number().to_string());
    line("I encoding", "1,1", &|i| fields[i].intra.1.number().to_string());
    line("P predictor", "6,2", &|i| fields[i].inter.0.number().to_string());
    line("P encoding", "9,0", &|i| fields[i].inter.1.number().to_string());
    let (numerator, denominator) = p_rate;
    let _ = write!(
        lines,
        "H P interval:{numerator}/{denominator}\nH minthrottle:1070\nH motorOutput:158,2047\nH vbatref:2466\n"
    );
    lines
}

/// Encodes values of the iterations that a header says are logged, and compares what is decoded. Returns how many P
/// frames there were.
fn check(
    lines: &str,
    values: &[Vec<u32>],
    (numerator, denominator): (u32, u32),
    i_interval: u32,
    start: u32,
) -> Result<usize, TestCaseError> {
    let log = BlackboxLog::from_bytes(lines.as_bytes());
    let header = header_of(&log);
    let mut log = HeaderLog::new(lines, &header);
    let mut expected = Vec::new();
    let mut inter = 0;
    for (iteration, fields) in (start..).zip(values) {
        let place = iteration % i_interval;
        let time = 125_u32.wrapping_mul(iteration).wrapping_add(u32::MAX - 5000);
        let frame: Vec<u32> = [iteration, time].iter().chain(fields).copied().collect();
        let is_logged = place == 0 || (place + numerator - 1) % denominator < numerator;
        let wanted = match (expected.is_empty(), place) {
            (true, 0) | (false, 0) => b'I',
            (true, _) => continue,
            (false, _) if is_logged => b'P',
            (false, _) => continue,
        };
        let letter = match log.frame(wanted, &frame) {
            Ok(()) => wanted,
            // As a firmware does whose value doesn't fit.
            Err(UnencodableFrame::DoesNotFit { letter: b'P' }) => {
                prop_assert_eq!(log.frame(b'I', &frame), Ok(()));
                b'I'
            }
            Err(error) => return Err(TestCaseError::fail(error.to_string())),
        };
        inter += usize::from(letter == b'P');
        expected.push((letter, frame));
    }
    log.event(&Event::End { disarm_reason: None });
    prop_assert_eq!(frames_of(&log.bytes), expected);
    Ok(inter)
}

fn rate() -> impl Strategy<Value = (u32, u32)> {
    prop_oneof![Just((1, 1)), Just((1, 2)), Just((2, 3)), Just((5, 6)), Just((3, 7)), Just((1, 16))]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    // More fields could need more than 256 bytes: a residual below 0 has 5 as UNSIGNED_VB.
    fn values_of_twelve_bits_in_all_encodings(
        fields in proptest::collection::vec(field(&NARROW), 1..=45),
        motor_0: Option<Index>,
        version in 1..=2_u32,
        i_interval in 1..40_u32,
        p_rate in rate(),
        seed: [u8; 8],
    ) {
        let lines = header(&fields, motor_0, version, i_interval, p_rate);
        // Steps of different sizes, small ones most often, so that all forms of the groups are met.
        let mut state = u64::from_le_bytes(seed) | 1;
        let mut random = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        let values: Vec<Vec<u32>> = (0..60).map(|_| {
            fields.iter().map(|field| {
                let bits = random() % 12;
                let value = (random() & ((1 << bits) - 1)) as i32;
                (if field.signed && random() % 2 == 0 { -value } else { value }) as u32
            }).collect()
        }).collect();
        check(&lines, &values, p_rate, i_interval, 0)?;
    }

    #[test]
    fn all_values_of_32_bits_in_the_encodings_that_take_them(
        fields in proptest::collection::vec(field(&WIDE), 1..=40),
        motor_0: Option<Index>,
        i_interval in 1..40_u32,
        p_rate in rate(),
        start in 0..100_000_u32,
        values in proptest::collection::vec(proptest::collection::vec(any::<u32>(), 40), 50),
    ) {
        let lines = header(&fields, motor_0, 2, i_interval, p_rate);
        let values: Vec<Vec<u32>> = values.into_iter().map(|mut values| {
            values.truncate(fields.len());
            values
        }).collect();
        check(&lines, &values, p_rate, i_interval, start)?;
    }
}

#[test]
fn a_residual_that_does_not_fit_is_an_error_and_changes_nothing() {
    let field = Field {
        signed: false,
        intra: (Predictor::Zero, Encoding::UnsignedVb),
        inter: (Predictor::Previous, Encoding::Tag8_4S16),
    };
    let lines = header(&[field.clone(), field.clone(), field.clone(), field], None, 2, 32, (1, 1));
    let log = BlackboxLog::from_bytes(lines.as_bytes());
    let header = header_of(&log);
    let mut log = HeaderLog::new(&lines, &header);
    assert_eq!(log.frame(b'P', &[0, 0, 0, 0, 0, 0]), Err(UnencodableFrame::NoIntra));
    assert_eq!(log.frame(b'I', &[0, 0, 0, 0, 0, 0]), Ok(()));
    let before = log.bytes.clone();
    let too_far = UnencodableFrame::DoesNotFit { letter: b'P' };
    assert_eq!(log.frame(b'P', &[1, 125, 0, 0, 0, 32768]), Err(too_far));
    assert_eq!(log.frame(b'P', &[2, 250, 0, 0, 0, 0]), Err(too_far), "the next iteration is 1");
    let count = UnencodableFrame::Count { letter: b'P', values: 2, fields: 6 };
    assert_eq!(log.frame(b'P', &[1, 125]), Err(count));
    assert_eq!(log.frame(b'G', &[1]), Err(UnencodableFrame::Undefined { letter: b'G' }));
    assert_eq!(log.bytes, before);
    assert_eq!(log.frame(b'P', &[1, 125, 0, 0, 0, 32767]), Ok(()));
    assert_eq!(frames_of(&log.bytes), [(b'I', vec![0; 6]), (b'P', vec![1, 125, 0, 0, 0, 32767])]);
}
