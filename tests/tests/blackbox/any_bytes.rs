//! Any bytes are read without panics, and each of them is accounted for.

use crate::damage::Random;
use crate::raw_session::RawSession;
use crate::real_logs;
use binlog_tests::any_bytes;
use proptest::prelude::*;

const HEADERS: [&[&str]; 4] = [
    &[],
    &["Field H name:GPS_home[0],GPS_home[1]", "Field H signed:1,1", "Field H predictor:0,0", "Field H encoding:0,0"],
    &["Field P predictor:6,2,3,5", "Field P encoding:9,0,7,7", "I interval:0", "P interval:0/0", "minthrottle:x"],
    &["Field T name:a,b,c,d,e", "Field T predictor:0,7,10,11,9", "Field T encoding:4,5,8,3,1", "Data version:1"],
];

proptest! {
    #[test]
    fn frames_of_any_bytes(header in 0..HEADERS.len(), bytes: Vec<u8>) {
        any_bytes::blackbox::log(&RawSession::simple(&["motor[0]", "x"], HEADERS[header]).raw(&bytes).bytes);
    }

    #[test]
    fn frames_of_letters_and_small_numbers(header in 0..HEADERS.len(), bytes in "[IPSGHET\u{0}-\u{10}]{0,400}") {
        any_bytes::blackbox::log(&RawSession::simple(&["motor[0]", "x"], HEADERS[header]).raw(bytes.as_bytes()).bytes);
    }

    #[test]
    fn header_lines_of_any_numbers(
        predictors in proptest::collection::vec(0..14_u32, 1..12), encodings in proptest::collection::vec(0..11_u32, 1..12),
        bytes: Vec<u8>,
    ) {
        let text = |numbers: &[u32]| numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
        let count = predictors.len().min(encodings.len());
        let (predictors, encodings) = (text(&predictors[..count]), text(&encodings[..count]));
        let names = (0..count).map(|i| format!("f{i}")).collect::<Vec<_>>().join(",");
        let lines = [
            format!("Field I name:{names}"), format!("Field I predictor:{predictors}"),
            format!("Field I encoding:{encodings}"), format!("Field P predictor:{predictors}"),
            format!("Field P encoding:{encodings}"),
        ];
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        any_bytes::blackbox::log(&RawSession::new(&lines).raw(&bytes).bytes);
    }
}

#[test]
fn real_logs_with_changed_bytes() {
    for (_, log) in real_logs::all() {
        let log = &log[..log.len().min(40_000)];
        for seed in 0..60 {
            let mut random = Random::new(seed);
            let mut changed = log.to_vec();
            for _ in 0..1 + random.below(40) {
                let at = random.below(changed.len());
                match random.below(4) {
                    0 => changed[at] = random.below(256) as u8,
                    1 => changed[at] ^= 1 << random.below(8),
                    2 if changed.len() > 1000 => drop(changed.drain(at..(at + random.below(300)).min(changed.len()))),
                    _ => changed.truncate(at.max(500)),
                }
            }
            any_bytes::blackbox::log(&changed);
        }
    }
}
