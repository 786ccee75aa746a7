//! A logged record is in the ring whole, or it is counted.
#![cfg(not(loom))]

mod flight;

use binlog::messages::{Gps, Msg};
use binlog::sink::Tally;
use binlog::{LogSchema, Records, Sink};
use binlog_embedded::Logger;
use core::convert::Infallible;
use embedded_io::{ErrorType, Write};
use flight::{Flight, Giant, KINDS, Small, Vital, length, log, numbers};
use proptest::prelude::*;

fn clock() -> u64 {
    77
}

fn started<S: LogSchema, const N: usize>() -> Box<Logger<S, N>> {
    let logger = Box::new(Logger::new());
    logger.start(clock);
    logger
}

/// The records in the ring, after the preamble.
fn drained<S: LogSchema, const N: usize>(logger: &Logger<S, N>) -> Vec<u8> {
    let mut log = Vec::new();
    let mut drain = logger.drain().expect("the only drain");
    while drain.step(&mut log).expect("memory takes all") > 0 {}
    log
}

fn tally(change: impl FnOnce(&mut Tally)) -> Tally {
    let mut tally = Tally::default();
    change(&mut tally);
    tally
}

#[test]
fn before_start_and_after_stop_records_are_ignored_and_counted() {
    let logger = Logger::<Flight, 512>::new();
    assert!(!logger.log(&Small::numbered(1)));
    assert!(!logger.text("nobody listens"));
    logger.start(clock);
    assert!(logger.log(&Small::numbered(2)));
    logger.stop();
    assert!(!logger.log(&Small::numbered(3)));
    assert!(!logger.log(&Vital::numbered(4)));
    assert_eq!(logger.tally::<Small>(), tally(|tally| tally.ignored = 2));
    assert_eq!(logger.tally::<Vital>(), tally(|tally| tally.ignored = 1));
    assert_eq!(logger.tally::<Msg>(), tally(|tally| tally.ignored = 1));
    // Records accepted before the stop are still drained.
    assert_eq!(numbers(&drained(&logger)), [(1, 2)]);
    logger.start(clock);
    assert!(logger.log(&Small::numbered(5)));
}

#[test]
fn the_reserve_is_for_critical_messages() {
    let logger = started::<Flight, 512>();
    logger.set_reserve(100);
    let taken = (0..100).filter(|&number| logger.log(&Small::numbered(number))).count();
    assert_eq!(taken, (512 - 100) / length(1));
    let vital = (0..100).filter(|&number| logger.log(&Vital::numbered(number))).count();
    assert_eq!(vital, (512 - taken * length(1)) / length(5));
    assert_eq!(logger.tally::<Small>().dropped as usize, 100 - taken);
    assert_eq!(logger.tally::<Vital>().dropped as usize, 100 - vital);
    assert_eq!(logger.statistics().high_water as usize, taken * length(1) + vital * length(5));
    // Lifted while it runs.
    let logger = started::<Flight, 512>();
    logger.set_reserve(0);
    assert_eq!((0..100).filter(|&number| logger.log(&Small::numbered(number))).count(), 512 / length(1));
    // A reserve that is too large becomes the largest possible.
    let logger = started::<Flight, 512>();
    logger.set_reserve(usize::MAX);
    assert!(logger.log(&Giant::numbered(1)));
    assert!(!logger.log(&Giant::numbered(2)));
}

#[test]
fn a_masked_message_is_ignored() {
    let logger = started::<Flight, 512>();
    logger.set_masked::<Small>(true);
    assert!(!logger.log(&Small::numbered(1)));
    assert!(logger.log(&Vital::numbered(2)));
    assert!(logger.set_masked_by_name("VITA", true));
    assert!(!logger.log(&Vital::numbered(3)));
    assert!(!logger.set_masked_by_name("NONE", true));
    logger.set_masked::<Small>(false);
    assert!(logger.log(&Small::numbered(4)));
    assert_eq!(logger.tally::<Small>().ignored, 1);
    assert_eq!(numbers(&drained(&logger)), [(5, 2), (1, 4)]);
}

#[test]
fn a_library_logs_through_the_trait() {
    fn library(sink: &impl Sink<Vital>) -> bool {
        sink.log(&Vital::numbered(9))
    }
    let logger = started::<Flight, 512>();
    assert!(library(&*logger));
    assert!(library(&&*logger));
}

#[test]
fn a_ring_has_one_drain_at_a_time() {
    let logger = started::<Flight, 512>();
    let drain = logger.drain();
    assert!(drain.is_some());
    assert!(logger.drain().is_none());
    drop(drain);
    assert!(logger.drain().is_some());
}

fn texts<const N: usize>(logger: &Logger<Flight, N>) -> Vec<(u64, u8, u8, String)> {
    let log = drained(logger);
    let records = Records::new(&log).map(|record| record.expect("a whole record"));
    let texts = records.filter_map(|record| record.decode::<Msg>().ok());
    texts.map(|msg| (msg.time_us, msg.id, msg.seq, msg.message.to_str().unwrap().to_owned())).collect()
}

#[test]
fn a_text_takes_as_many_records_as_it_needs() {
    let logger = started::<Flight, 32768>();
    assert!(logger.text("armed"));
    assert!(logger.text(""));
    assert!(logger.text(format_args!("{} at {:.1} m{}", "höher", 12.34, "\0")));
    // 63 bytes and then a character of three, which isn't cut.
    let long = "x".repeat(63) + "€" + &"y".repeat(61);
    assert!(logger.text(&long));
    assert!(logger.text("z".repeat(64)));
    assert_eq!(
        texts(&logger),
        [
            (77, 1, 0, "armed".to_owned()),
            (77, 2, 0, String::new()),
            (77, 3, 0, "höher at 12.3 m?".to_owned()),
            (77, 4, 0, "x".repeat(63)),
            (77, 4, 1, "€".to_owned() + &"y".repeat(61)),
            (77, 5, 0, "z".repeat(64)),
        ]
    );
}

#[test]
fn an_error_is_logged_as_it_is_displayed() {
    use binlog_embedded::sd_log::{Cause, Damage, Fault, Flaw, Operation, SdError, Unusable};
    let faults = [
        Fault::Unusable(Unusable::Blank),
        Fault::Unusable(Unusable::PartitionOption { partition: 255 }),
        Fault::Unusable(Unusable::NoPartition { partition: 3 }),
        Fault::Unusable(Unusable::PartitionType { found: 0x0A }),
        Fault::Unusable(Unusable::Sectors { bytes: 4096 }),
        Fault::Unusable(Unusable::NotFat(Flaw::TexFat)),
        Fault::Damaged(Damage::Endless),
        Fault::Full,
    ];
    let causes = faults.map(Cause::<Infallible>::Fault).into_iter().chain([Cause::Changed]);
    for (cause, log) in causes.zip([None, Some(0), Some(7), Some(10), Some(u32::MAX)].into_iter().cycle()) {
        for operation in [Operation::Mount, Operation::Write, Operation::Remove] {
            let error = SdError { operation, log, cause: cause.clone() };
            let logger = started::<Flight, 1024>();
            assert!(logger.error(error.clone()));
            let logged: String = texts(&logger).into_iter().map(|(_, _, _, part)| part).collect();
            assert_eq!(logged, error.to_string());
            assert!(logged.is_ascii());
        }
    }
    let logger = started::<Flight, 512>();
    logger.stop();
    let error = SdError::<Infallible> { operation: Operation::List, log: None, cause: Cause::Changed };
    assert!(!logger.error(error));
    assert_eq!(logger.tally::<Msg>().ignored, 1);
}

#[test]
#[cfg_attr(miri, ignore = "hundreds of records, and no unsafe code of their own")]
fn a_text_has_at_most_256_records() {
    let logger = started::<Flight, 32768>();
    assert!(logger.text("a".repeat(256 * 64)));
    assert_eq!(texts(&logger).len(), 256);
    assert!(!logger.text("a".repeat(256 * 64 + 1)));
    assert_eq!(texts(&logger).len(), 256);
}

#[test]
fn a_text_that_does_not_fit_says_so() {
    let logger = started::<Flight, 512>();
    assert!(!logger.text("b".repeat(1000)));
    assert_eq!(logger.tally::<Msg>().dropped, 1);
    assert_eq!(texts(&logger).len(), 512 / 77);
}

#[derive(LogSchema)]
enum Decimated {
    #[log(rate = 50)]
    Gps(Gps),
    #[log(rate = 1000)]
    Vital(Vital),
}

/// How many of the records with these times a rate of 1000 takes.
fn taken(times: impl IntoIterator<Item = u64>) -> usize {
    let logger = started::<Decimated, 512>();
    let mut drain = logger.drain().expect("the only drain");
    let mut nowhere = Vec::new();
    let log = |time_us| {
        let is_taken = logger.log(&Vital::numbered(time_us));
        drain.catch_up(&mut nowhere).expect("memory takes all");
        is_taken
    };
    times.into_iter().map(log).filter(|is_taken| *is_taken).count()
}

#[test]
#[cfg_attr(miri, ignore = "thousands of records, and no unsafe code of their own")]
fn sources_of_one_message_share_its_rate_despite_their_times() {
    for lag in [0, 500, 1_000, 2_500, 41_000, 500_000] {
        // A second of records, each half a millisecond, from two sources.
        let times = (1..=2000).flat_map(|i| [lag + 500 * i, 500 * i]);
        let taken = taken(times);
        assert!((1000..=1002).contains(&taken), "{taken} of sources {lag} µs apart");
    }
}

#[test]
#[cfg_attr(miri, ignore = "thousands of records, and no unsafe code of their own")]
fn times_half_a_period_early_and_late_in_turn_lose_nothing() {
    // Each is 500 µs off: two come at the same time, and the next two 2 ms later.
    assert_eq!(taken((1..=5000).map(|i| i / 2 * 2000)), 5000);
}

/// Numbers from -1 to 1 that repeat exactly.
fn noise(seed: u64) -> impl Iterator<Item = f64> {
    let next =
        |state: &u64| Some(state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407));
    std::iter::successors(Some(seed), next).skip(1).map(|state| (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    #[cfg_attr(miri, ignore = "thousands of records, and no unsafe code of their own")]
    fn a_source_that_keeps_to_its_rate_loses_nothing(
        start in 0u64..u64::from(u32::MAX), period in 1000u64..1500, jitter in 0f64..=500.0, seed: u64,
    ) {
        let times = (1..).zip(noise(seed)).map(|(i, noise)| (start + i * period + 500).saturating_add_signed((jitter * noise) as i64));
        let times = times.take(5000).collect::<Vec<_>>();
        prop_assert_eq!(taken(times.iter().copied()), times.len());
    }

    #[test]
    #[cfg_attr(miri, ignore = "thousands of records, and no unsafe code of their own")]
    fn a_source_of_a_multiple_of_its_rate_is_thinned_to_it(
        start: u32, multiple in 2u64..20, jitter in 0f64..=0.5, seed: u64,
    ) {
        let period = 1000 / multiple;
        let jitter = jitter * period as f64;
        let times = (1..).zip(noise(seed)).map(|(i, noise)| (u64::from(start) + 500 + i * period).saturating_add_signed((jitter * noise) as i64));
        let times: Vec<u64> = times.take(10_000).collect();
        // Of the times' own span, in periods of the rate.
        let wanted = 10_000.0 * period as f64 / 1000.0;
        let taken = taken(times.iter().copied()) as f64;
        prop_assert!((wanted * 0.99 - 1.0..=wanted * 1.01 + 2.0).contains(&taken), "{taken} of {wanted}");
    }
}

fn gps(time_us: u64, instance: u8) -> Gps {
    binlog::LogMessage::decode(&[&time_us.to_le_bytes()[..], &[instance], &[0; 39]].concat()).expect("a GPS")
}

#[test]
#[cfg_attr(miri, ignore = "thousands of records, and no unsafe code of their own")]
fn a_rate_holds_for_each_instance() {
    let logger = started::<Decimated, 65536>();
    // Ten seconds at 400 Hz, two instances out of step.
    for tick in 0..4000 {
        logger.log(&gps(1_000_000 + tick * 2500, 0));
        logger.log(&gps(1_000_007 + tick * 2500, 7));
    }
    let taken = logger.statistics().used as usize / 51;
    assert!((1000..=1004).contains(&taken), "{taken}");
    assert_eq!(logger.tally::<Gps>().decimated as usize, 8000 - taken);
    // Instances above 7 are not decimated.
    assert!((0..10).all(|_| logger.log(&gps(1, 8)) && logger.log(&gps(1, 255))));
}

#[test]
fn a_clock_that_is_set_back_does_not_silence_a_message() {
    let logger = started::<Decimated, 4096>();
    assert!(logger.log(&gps(u64::MAX, 0)));
    // A schedule of 20 ms, with the one record that may come early.
    assert!(logger.log(&gps(5_000_000_000, 0)));
    assert!(logger.log(&gps(5_000_000_001, 0)));
    assert!(!logger.log(&gps(5_000_000_002, 0)));
    // By less than a second and three periods: the schedule holds, since sources overtake each other.
    assert!(!logger.log(&gps(4_999_980_000, 0)));
    assert!(!logger.log(&gps(5_000_040_000 - 1_060_000, 0)));
    // By more: a new one.
    assert!(logger.log(&gps(5_000_040_000 - 1_060_001, 0)));
    assert!(logger.log(&gps(5_000_040_000 - 1_060_000, 0)));
    assert!(!logger.log(&gps(5_000_040_000 - 1_059_999, 0)));
    assert!(logger.log(&gps(7, 0)));
}

#[test]
fn what_is_decimated_is_not_charged_when_it_found_no_room() {
    let logger = started::<Decimated, 512>();
    let taken = (0..20).filter(|&i| logger.log(&gps(i * 20_000 + 1, 0))).count();
    assert_eq!(taken, 448 / 51);
    let full = logger.tally::<Gps>();
    assert_eq!((full.dropped as usize, full.decimated), (20 - taken, 0));
    drained(&logger);
    // The time of those that were dropped was not used up.
    assert!(logger.log(&gps(20 * 20_000 + 1, 0)));
}

/// A writer with room for a number of bytes.
struct Upto<'a> {
    left: usize,
    log: &'a mut Vec<u8>,
}

impl ErrorType for Upto<'_> {
    type Error = Infallible;
}

impl Write for Upto<'_> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, Infallible> {
        let taken = bytes.len().min(self.left);
        self.log.extend_from_slice(&bytes[..taken]);
        self.left -= taken;
        Ok(taken)
    }

    fn flush(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}

proptest! {
    /// Against a queue: what goes in comes out, in order and whole, and everything else is counted.
    #[test]
    fn the_ring_is_a_queue_that_counts(
        operations in proptest::collection::vec((0..KINDS + 1, any::<u8>()), 1..400),
        reserve in 0usize..600,
        start in any::<u16>(),
    ) {
        let logger = started::<Flight, 512>();
        logger.set_reserve(reserve);
        let reserve = reserve.min(512 - 255);
        // Start somewhere in the ring.
        let mut drain = logger.drain().unwrap();
        let mut nowhere = Vec::new();
        while drain.step(&mut nowhere).unwrap() > 0 {}
        for number in 0..u64::from(start) % 700 {
            logger.log(&Small::numbered(number));
            while drain.step(&mut nowhere).unwrap() > 0 {}
        }
        let mut queue = Vec::new();
        let mut used = 0;
        // Records that left the ring, and bytes of the next one that are written. It stays until it is written whole.
        let (mut left, mut part) = (0, 0);
        let mut dropped = [0; KINDS];
        let mut bytes = Flight::PREAMBLE.to_vec();
        for (number, (operation, amount)) in operations.into_iter().enumerate() {
            if operation == KINDS {
                // A writer that accepts any part of what it is given.
                let mut writer = Upto { left: usize::from(amount), log: &mut bytes };
                loop {
                    match drain.step(&mut writer).unwrap() {
                        0 => break,
                        step => part += step,
                    }
                }
                while let Some(&(kind, _)) = queue.get(left).filter(|&&(kind, _)| length(kind) <= part) {
                    (left, part) = (left + 1, part - length(kind));
                    used -= length(kind);
                }
                continue;
            }
            let number = number as u64;
            let limit = if operation == 5 { 512 } else { 512 - reserve };
            let fits = used + length(operation) <= limit;
            prop_assert_eq!(log(&logger, operation, number), fits);
            if fits {
                queue.push((operation, number));
                used += length(operation);
            } else {
                dropped[operation] += 1;
            }
        }
        while drain.step(&mut bytes).unwrap() > 0 {}
        prop_assert_eq!(numbers(&bytes), queue);
        for (kind, dropped) in dropped.into_iter().enumerate() {
            prop_assert_eq!(logger.tally_of(kind).unwrap().dropped, dropped);
        }
    }
}
