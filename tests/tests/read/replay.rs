//! Replay: inputs in the order of time, with boots, gaps and damage said.

mod assertions;
mod by_label;

use binlog::replay::{Flight, Gap, Item, Replay, ReplayError, messages};
use binlog::{AnyLog, LogMessage, LogSchema, LogWriter};
use proptest::prelude::*;
use std::io::Read;
use zerocopy::{Immutable, IntoBytes};

#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[log(name = "AAA")]
#[repr(C, packed)]
struct Single {
    time_us: u64,
    value: u32,
}

#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[log(name = "BBB")]
#[repr(C, packed)]
struct Double {
    time_us: u64,
    #[log(label = "I", instance)]
    instance: u8,
    value: u32,
}

#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[log(name = "ZZZ")]
#[repr(C, packed)]
struct Other {
    time_us: u64,
}

/// What is logged.
#[derive(LogSchema, Clone, Copy, PartialEq, Debug)]
enum Logged {
    Other(Other),
    Double(Double),
    Single(Single),
}

/// What is replayed.
#[derive(LogSchema, Clone, Copy, PartialEq, Debug)]
enum Asked {
    Single(Single),
    Double(Double),
}

fn single(time_us: u64, value: u32) -> Logged {
    Logged::Single(Single { time_us, value })
}

fn double(time_us: u64, instance: u8, value: u32) -> Logged {
    Logged::Double(Double { time_us, instance, value })
}

fn other(time_us: u64) -> Logged {
    Logged::Other(Other { time_us })
}

fn log(messages: impl IntoIterator<Item = Logged>) -> Vec<u8> {
    let mut log = LogWriter::<Logged, _>::new(Vec::new()).expect("memory takes all");
    messages.into_iter().for_each(|message| log.write_any(&message).expect("memory takes all"));
    log.finish().expect("memory takes all")
}

/// The time of a message, its instance or 9, its value.
fn said(input: &Asked) -> (u64, u8, u32) {
    match *input {
        Asked::Single(Single { time_us, value }) => (time_us, 9, value),
        Asked::Double(Double { time_us, instance, value }) => (time_us, instance, value),
    }
}

fn items(log: &[u8]) -> Vec<Item<Asked>> {
    messages::<Asked>(log).map(|item| item.expect("no error")).collect()
}

/// The inputs of each boot.
fn inputs(items: &[Item<Asked>]) -> Vec<Vec<(u64, u8, u32)>> {
    let mut boots: Vec<Vec<_>> = Vec::new();
    for item in items {
        match item {
            Item::Begin { number } => {
                boots.push(Vec::new());
                assert_eq!(*number, boots.len());
            }
            Item::Input { time_us, input } => {
                let said = said(input);
                assert_eq!(*time_us, said.0);
                boots.last_mut().expect("a boot began").push(said);
            }
            _ => {}
        }
    }
    boots
}

/// A reader of chunks of these lengths, in turn.
struct Chunks<'a>(&'a [u8], Vec<usize>, usize);

impl Read for Chunks<'_> {
    fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
        self.2 += 1;
        let length = self.1[self.2 % self.1.len()].min(to.len()).min(self.0.len());
        let (now, later) = self.0.split_at(length);
        to[..length].copy_from_slice(now);
        self.0 = later;
        Ok(length)
    }
}

prop_compose! {
    /// Records at 400 Hz whose times are up to 90 ms early.
    fn boot()(records in prop::collection::vec((0..4_u8, 0..90_000_u64), 1..300)) -> Vec<(u8, u64)> {
        records.into_iter().enumerate().map(|(i, (kind, early))| (kind, 100_000 + 2500 * i as u64 - early)).collect()
    }
}

fn logged(boot: &[(u8, u64)]) -> Vec<Logged> {
    let message = |(i, (kind, time_us)): (usize, &(u8, u64))| match kind {
        0 => other(*time_us),
        1 => single(*time_us, i as u32),
        instance => double(*time_us, instance - 2, i as u32),
    };
    boot.iter().enumerate().map(message).collect()
}

/// What a boot's inputs are: in the order of time, and of the log where times are equal.
fn expected(boot: &[(u8, u64)]) -> Vec<(u64, u8, u32)> {
    let inputs = boot.iter().enumerate().filter(|(_, (kind, _))| *kind > 0);
    let instance = |kind: u8| if kind == 1 { 9 } else { kind - 2 };
    let mut inputs: Vec<_> = inputs.map(|(i, (kind, time_us))| (*time_us, instance(*kind), i as u32)).collect();
    inputs.sort_by_key(|(time_us, ..)| *time_us);
    inputs
}

proptest! {
    #[test]
    fn inputs_of_all_types_come_in_the_order_of_time(
        boots in prop::collection::vec(boot(), 1..4),
        chunks in prop::collection::vec(1..5000_usize, 1..5),
    ) {
        prop_assume!(boots.iter().any(|boot| boot.iter().any(|(kind, _)| *kind > 0)));
        let bytes: Vec<u8> = boots.iter().flat_map(|boot| log(logged(boot))).collect();
        let all = items(&bytes);
        let wanted: Vec<_> = boots.iter().map(|boot| expected(boot)).collect();
        prop_assert_eq!(inputs(&all), wanted);
        let is_usual = |item: &Item<Asked>| matches!(item, Item::Begin { .. } | Item::Input { .. });
        prop_assert!(all.iter().all(is_usual));
        let chunked: Vec<_> = messages::<Asked>(Chunks(&bytes, chunks, 0)).map(|item| item.expect("no error")).collect();
        prop_assert_eq!(chunked, all);
    }

    #[test]
    fn each_step_back_of_the_time_is_reported(
        boot in boot(),
        damage in prop::collection::vec((any::<usize>(), any::<u8>()), 0..40),
    ) {
        let mut bytes = log(logged(&boot));
        let preamble = log([]).len();
        for (at, byte) in damage {
            let at = preamble + at % (bytes.len() - preamble);
            bytes[at] = byte;
        }
        let mut last_us = 0;
        for item in messages::<Asked>(&bytes[..]).flatten() {
            match item {
                Item::Begin { .. } | Item::Back { .. } => last_us = 0,
                Item::Input { time_us, .. } => {
                    prop_assert!(time_us >= last_us, "{} after {}", time_us, last_us);
                    last_us = time_us;
                }
                _ => {}
            }
        }
    }

    #[test]
    fn every_pause_of_regular_inputs_is_a_gap(
        pauses in prop::collection::vec(5..400_u64, 1..6),
        instance in 0..3_u8,
    ) {
        let (mut time_us, mut logged, mut gaps) = (0, Vec::new(), Vec::new());
        for (i, pause) in pauses.iter().enumerate() {
            for _ in 0..600 {
                time_us += 2500;
                logged.push(double(time_us, instance, 0));
                // Another source without a gap.
                logged.push(single(time_us, 0));
            }
            let to_us = time_us + 2500 * pause;
            if i + 1 < pauses.len() {
                gaps.push(Gap { source: format!("BBB[{instance}]"), from_us: time_us, to_us: to_us + 2500 });
                while time_us < to_us {
                    time_us += 2500;
                    logged.push(single(time_us, 0));
                }
            }
        }
        let found = items(&log(logged));
        let found = found.into_iter().filter_map(|item| if let Item::Gap(gap) = item { Some(gap) } else { None });
        prop_assert_eq!(found.collect::<Vec<_>>(), gaps);
    }
}

#[test]
fn a_clock_that_goes_back_is_said() {
    let times = (1000..1400).chain(10..500).map(|i| 2500 * i);
    let all = items(&log(times.map(|time_us| single(time_us, 0))));
    let at = all.iter().position(|item| matches!(item, Item::Back { .. })).expect("it goes back");
    assert_eq!(all[at], Item::Back { from_us: 2500 * 1399, to_us: 25_000 });
    let count = |items: &[Item<Asked>]| items.iter().filter(|item| matches!(item, Item::Input { .. })).count();
    assert_eq!((count(&all[..at]), count(&all[at..]), all.len()), (400, 490, 892));
}

#[test]
fn a_time_that_does_not_fit_moves_no_clock() {
    for wild in [0, 1_000_000, 3_900_000, 4_200_000, 6_000_000, 13_700_000, 60_000_000, 1 << 40, u64::MAX] {
        let regular = |from: u64, to: u64| (from..to).map(|i| single(2500 * i, 0));
        let bytes = log(regular(1000, 1500).chain([single(wild, 7)]).chain(regular(1500, 2000)));
        let mut replay = messages::<Asked>(&bytes[..]);
        let clock = replay.clock();
        let strange: Vec<_> = replay
            .by_ref()
            .map(|item| item.expect("no error"))
            .filter(|item| !matches!(item, Item::Begin { .. } | Item::Input { .. }))
            .collect();
        let input = Asked::Single(Single { time_us: wild, value: 7 });
        assert_eq!(strange, [Item::OutOfOrder { time_us: wild, input }], "{wild}");
        assert_eq!(clock.now_us(), 2500 * 1999);
    }
}

#[test]
fn a_short_pause_of_the_whole_log_is_a_gap() {
    let times = (0..800).chain(1000..1400).map(|i| 2500 * i);
    let all = items(&log(times.map(|time_us| single(time_us, 0))));
    let strange: Vec<_> = all.iter().filter(|item| !matches!(item, Item::Begin { .. } | Item::Input { .. })).collect();
    let gap = Gap { source: "AAA".into(), from_us: 2500 * 799, to_us: 2_500_000 };
    assert_eq!(strange, [&Item::Gap(gap)]);
}

#[test]
fn inputs_that_end_before_the_log_have_a_gap() {
    let gaps = |log: &[u8]| -> Vec<Gap> {
        items(log).into_iter().filter_map(|item| if let Item::Gap(gap) = item { Some(gap) } else { None }).collect()
    };
    let sorted = |at: u64| {
        let step = |i| (i < at).then_some(single(10_000 * i, 0)).into_iter().chain([double(10_000 * i, 0, 0)]);
        log((0..300).flat_map(step))
    };
    let gap = Gap { source: "AAA".into(), from_us: 1_490_000, to_us: 2_990_000 };
    assert_eq!(gaps(&sorted(150)), std::slice::from_ref(&gap));
    // It is said before the next boot.
    let two = [sorted(150), sorted(300)].concat();
    let at = |wanted: &Item<Asked>| items(&two).iter().position(|item| item == wanted);
    assert!(at(&Item::Gap(gap)) < at(&Item::Begin { number: 2 }));
    // Not all end at the same moment.
    assert_eq!(gaps(&sorted(280)), []);
    // A record that isn't an input shows that the log is longer.
    let longer = log((0..150).map(|i| single(10_000 * i, 0)).chain((150..300).map(|i| other(10_000 * i))));
    assert_eq!(gaps(&longer).len(), 1);
}

#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[log(name = "BBB")]
#[repr(C, packed)]
struct WithoutInstance {
    time_us: u64,
    value: u32,
}

#[derive(LogSchema, Clone, Copy, PartialEq, Debug)]
enum Mixed {
    Without(WithoutInstance),
}

#[test]
fn instances_that_the_program_cannot_tell_apart_are_an_error() {
    let errors = |log: &[u8]| -> Vec<String> {
        messages::<Mixed>(log).filter_map(|item| item.err().map(|error| error.to_string())).collect()
    };
    assert_eq!(errors(&log((0..50).map(|i| double(1000 * i, 3, 0)))), [""; 0]);
    let two = log((0..50).map(|i| double(1000 * i, i as u8 % 2, 0)));
    let text = "the log has several instances of BBB, and the program's BBB lacks their column: add a field with \
                #[log(label = \"I\", instance)]";
    assert_eq!(errors(&[two.clone(), two].concat()), [text]);
}

#[test]
fn a_pause_of_the_whole_log_is_no_damage() {
    let hour = 3_600_000_000;
    let times = [1, 2, 20, 21, 3700, 3701].map(|second| 1_000_000 * second);
    let all = items(&log(times.map(|time_us| single(time_us, 0))));
    assert_eq!(inputs(&all), [times.map(|time_us| (time_us, 9, 0)).to_vec()]);
    assert_eq!(all.len(), 7);
    // A last record that nothing confirms.
    let all = items(&log([1, 2, 3 + 2 * hour].map(|time_us| single(time_us, 0))));
    assert!(matches!(all.last(), Some(Item::Input { time_us: 2, .. })), "{all:?}");
    assert!(all.iter().any(|item| matches!(item, Item::OutOfOrder { .. })));
}

#[test]
fn what_is_before_the_start_comes_first() {
    let bytes = log((0..2000).map(|i| single(2500 * i, i as u32)));
    let replay = messages::<Asked>(&bytes[..]).from_us(2_000_000);
    let (mut earlier, mut after) = (0, 0);
    for item in replay.map(|item| item.expect("no error")) {
        match item {
            Item::Earlier { time_us, .. } => {
                assert!(time_us < 2_000_000 && after == 0);
                earlier += 1;
            }
            Item::Input { time_us, .. } => {
                assert!(time_us >= 2_000_000);
                after += 1;
            }
            _ => {}
        }
    }
    assert_eq!((earlier, after), (800, 1200));
}

#[test]
fn real_time_is_waited_for_and_the_past_is_not() {
    let bytes = log((0..24_080).map(|i| single(2500 * i, 0)));
    let begun = std::time::Instant::now();
    let replay = messages::<Asked>(&bytes[..]).from_us(60_000_000).in_real_time();
    let mut times = replay.flatten().filter_map(|item| match item {
        Item::Input { time_us, .. } => Some((time_us, begun.elapsed())),
        _ => None,
    });
    let (first_us, first) = times.next().expect("an input");
    let (last_us, last) = times.last().expect("an input");
    assert_eq!((first_us, last_us), (60_000_000, 60_197_500));
    assert!((last - first).as_micros() >= 197_000, "{first:?} {last:?}");
}

#[test]
fn lost_bytes_are_said_where_they_are() {
    let mut bytes = log((0..100).map(|i| single(2500 * i, 0)));
    let at = bytes.len() - 50 * 15;
    bytes.splice(at..at, [7; 40]);
    let all = items(&bytes);
    let lost = all.iter().position(|item| matches!(item, Item::Lost { .. })).expect("bytes are lost");
    let Item::Lost { offset, length, .. } = all[lost] else { unreachable!() };
    assert_eq!((offset, length), (at, 40));
    assert_eq!(all[..lost].iter().filter(|item| matches!(item, Item::Input { .. })).count(), 50);
    assert_eq!(all.len(), 102);
}

#[test]
fn a_log_without_the_types_says_what_it_has() {
    let errors =
        |log: &[u8]| messages::<Asked>(log).filter_map(Result::err).map(|it| it.to_string()).collect::<Vec<_>>();
    assert_eq!(errors(&log([other(1), other(2)])), ["the log has no AAA, no BBB; it has ZZZ"]);
    assert_eq!(errors(&log([])), ["the log has no AAA, no BBB; it has no records"]);
    assert_eq!(errors(b""), ["the log has no AAA, no BBB; it has no records"]);
    assert_eq!(errors(&log([single(1, 1)])), [""; 0]);
}

#[test]
fn records_that_all_fail_to_decode_are_not_absent() {
    #[derive(LogSchema)]
    enum Events {
        Ev(binlog::messages::Ev),
    }
    let mut log = LogWriter::<Events, _>::new(Vec::new()).expect("memory takes all");
    for time_us in [1, 2] {
        log.write(&binlog::messages::Ev { time_us, id: 201 }).expect("memory takes all");
    }
    let log = log.finish().expect("memory takes all");
    let errors: Vec<_> = messages::<simulator::FlightLog>(&log[..]).filter_map(Result::err).collect();
    assert!(matches!(errors[..], [ReplayError::Decode { .. }, ReplayError::Decode { .. }]), "{errors:?}");
}

#[test]
fn a_type_that_would_lose_something_is_an_error_once() {
    #[derive(LogMessage, IntoBytes, Immutable, Clone, Copy)]
    #[log(name = "AAA")]
    #[repr(C, packed)]
    struct Narrow {
        time_us: u64,
        value: u16,
    }
    #[derive(LogSchema, Clone, Copy)]
    enum Asked {
        Narrow(Narrow),
        Double(Double),
    }
    let mut bytes = log([single(1, 1), double(2, 0, 5), single(3, 1)]);
    // A log may repeat a definition: FMT's header and number, type and length, name.
    let definition = bytes.windows(3).position(|name| name == b"AAA").expect("its definition") - 5;
    let one = bytes[bytes.len() - 15..].to_vec();
    bytes.extend([bytes[definition..][..89].to_vec(), one].concat());
    let all: Vec<Result<Item<Asked>, ReplayError>> = messages(&bytes[..]).collect();
    let errors: Vec<_> = all.iter().filter_map(|item| item.as_ref().err()).collect();
    assert!(matches!(errors[..], [ReplayError::Differs(mismatches)] if mismatches.len() == 1), "{errors:?}");
    let inputs: Vec<_> = all.into_iter().flatten().filter(|item| matches!(item, Item::Input { .. })).collect();
    assert!(matches!(inputs[..], [Item::Input { time_us: 2, input: Asked::Double(_) }]));
}

#[test]
fn a_reader_that_fails_ends_the_replay() {
    struct Fails(Vec<u8>);
    impl Read for Fails {
        fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
            let bytes = std::mem::take(&mut self.0);
            if bytes.is_empty() {
                return Err(std::io::Error::other("the cable"));
            }
            to[..bytes.len()].copy_from_slice(&bytes);
            Ok(bytes.len())
        }
    }
    let replay: Replay<'_, Asked> = messages(Fails(log((0..9).map(|i| single(i, 0)))));
    let all: Vec<_> = replay.collect();
    // What was read before comes first, and nothing follows.
    let (last, before) = all.split_last().expect("an error");
    assert_eq!(format!("{:?}", last.as_ref().expect_err("an error")), "can't read the log: the cable");
    assert_eq!(before.iter().filter(|item| matches!(item, Ok(Item::Input { .. }))).count(), 8);
}

#[test]
fn each_format_has_its_own_inputs() {
    let ardupilot = AnyLog::from_bytes(log([single(1, 1)])).expect("a log");
    let blackbox = simulator::blackbox::log_of(simulator::Simulation::new(1, 1));
    let blackbox = AnyLog::from_bytes(blackbox).expect("a log");
    let error = Flight::of(&blackbox).messages::<Asked>().find_map(Result::err).expect("an error");
    assert_eq!(error.to_string(), "messages can't be replayed from a Blackbox log, which has frames");
    let flight = Flight::of(&ardupilot);
    let error = flight.frames::<simulator::blackbox::frames::FlightLog>().find_map(Result::err).expect("an error");
    assert_eq!(error.to_string(), "frames can't be replayed from an ArduPilot log, which has messages");
}

#[test]
fn frames_of_all_kinds_come_with_their_events() {
    use simulator::blackbox::frames::FlightLog;
    let one = simulator::blackbox::log_of(simulator::Simulation::new(1, 8));
    let log = AnyLog::from_bytes([&one[..], &one].concat()).expect("a log");
    let flight = Flight::of(&log);
    let all: Vec<_> = flight.frames::<FlightLog>().map(|item| item.expect("no error")).collect();
    let count = |is: fn(&Item<FlightLog>) -> bool| all.iter().filter(|item| is(item)).count();
    assert_eq!(count(|item| matches!(item, Item::Begin { .. })), 2);
    assert_eq!(count(|item| matches!(item, Item::Input { input: FlightLog::Main(_), .. })), 2 * 3200);
    assert!(count(|item| matches!(item, Item::Input { input: FlightLog::Gps(_), .. })) > 20);
    assert!(count(|item| matches!(item, Item::Input { input: FlightLog::Slow(_), .. })) > 2);
    assert!(count(|item| matches!(item, Item::Event { .. })) >= 4);
    assert_eq!(count(|item| matches!(item, Item::Gap(_) | Item::Lost { .. } | Item::OutOfOrder { .. })), 0);
}
