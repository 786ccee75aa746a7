//! The host's logger: what it accepted is in the log or counted as lost, for any behaviour of the destination, and
//! nobody waits for it.

use binlog::messages::{Dropped, Dsf, Ev, File, Gps, Mode, Msg, Parm};
use binlog::sink::TimedSink;
use binlog::{HostLogger, Log, LogSchema, Records};
use binlog_embedded::Logger;
use proptest::prelude::*;
use std::collections::VecDeque;
use std::io::{self, ErrorKind, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

#[derive(LogSchema)]
#[log(sink = FlightSink)]
pub(crate) enum FlightLog {
    Ev(Ev),
    #[log(rate = 10)]
    Gps(Gps),
    Mode(Mode),
    Msg(Msg),
    Parm(Parm),
    Dsf(Dsf),
    Drop(Dropped),
}

/// Three messages that aren't critical, of different lengths.
#[derive(LogSchema)]
enum Plain {
    #[log(critical = false)]
    Parm(Parm),
    Dsf(Dsf),
    Drop(Dropped),
}

pub(crate) fn ev(number: u64) -> Ev {
    Ev { time_us: number, id: 10 }
}

fn gps(time_us: u64) -> Gps {
    let bytes = [0; 48];
    let mut gps: Gps = binlog::LogMessage::decode(&bytes).expect("zeros are a report");
    gps.time_us = time_us;
    gps
}

pub(crate) fn parm(number: u64) -> Parm {
    Parm::new(number, "NUMBER", number as f32, None).expect("a short name")
}

/// The times of a message's records, in the order of the log.
pub(crate) fn times(log: &[u8], name: &str) -> Vec<u64> {
    let log = Log::from_bytes(log.to_vec());
    assert_eq!(log.skipped().len(), 0);
    log.rows(name).map(|rows| rows.times_us()).unwrap_or_default()
}

/// The bytes that a destination got.
#[derive(Clone, Default)]
pub(crate) struct Shared(Arc<Mutex<Vec<u8>>>);

impl Shared {
    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.0.lock().expect("no panic while it is locked").clone()
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no panic while it is locked").extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A destination that takes the preamble, then waits until its `Key` is dropped.
pub(crate) struct Gate {
    taken: Shared,
    waits: Option<Receiver<()>>,
    has_preamble: bool,
}

/// Lets a [`Gate`] go when it is dropped.
pub(crate) type Key = Sender<()>;

pub(crate) fn gate() -> (Gate, Key, Shared) {
    let (key, waits) = channel();
    let taken = Shared::default();
    (Gate { taken: taken.clone(), waits: Some(waits), has_preamble: false }, key, taken)
}

impl Write for Gate {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if std::mem::replace(&mut self.has_preamble, true)
            && let Some(waits) = self.waits.take()
        {
            let _ = waits.recv();
        }
        self.taken.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn no_logger_waits_for_a_destination_that_stalls() {
    let (out, key, taken) = gate();
    let settings = HostLogger::<Plain>::builder().capacity(64 * 35).reserve(0).write_every(Duration::ZERO);
    let thread = settings.spawn(out).expect("it takes the preamble");
    let log = thread.logger().clone();
    // The first record is with the destination, which stalls.
    assert!(log.log(&parm(0)));
    while log.statistics().used > 0 {
        thread::yield_now();
    }
    // As many as there is room for are accepted, the others refused. Would one wait, the test would not end.
    let accepted = (1..=100).filter(|&number| log.log(&parm(number))).count();
    assert_eq!(accepted, 64);
    let tally = log.tally::<Parm>();
    let statistics = log.statistics();
    assert_eq!((tally.dropped, tally.written), (36, 0));
    assert_eq!((statistics.used, statistics.high_water), (64 * 35, 64 * 35));
    let stall = Duration::from_millis(20);
    thread::sleep(stall);
    drop(key);
    thread.finish().map_err(|error| error.error).expect("it takes all");
    assert!(u128::from(log.statistics().longest_stall_us) >= stall.as_micros());
    assert_eq!(times(&taken.bytes(), "PARM"), Vec::from_iter(0..=64));
}

#[test]
fn a_logger_that_waits_for_room_drops_nothing() {
    let (out, key, taken) = gate();
    let settings = HostLogger::<Plain>::builder().capacity(512).wait_for_room();
    let thread = settings.spawn(out).expect("it takes the preamble");
    let log = thread.logger().clone();
    let is_done = Arc::new(AtomicBool::new(false));
    let done = Arc::clone(&is_done);
    let threads = thread::spawn(move || {
        assert!((0..1000).all(|number| log.log(&parm(number))));
        done.store(true, Ordering::SeqCst);
    });
    thread::sleep(Duration::from_millis(50));
    assert!(!is_done.load(Ordering::SeqCst), "a thousand records don't fit");
    // `log_now` doesn't wait, also here.
    while thread.logger().log_now(&parm(7)) {}
    drop(key);
    threads.join().expect("it only asserts");
    assert_eq!(thread.logger().tally::<Parm>().dropped, 1);
    thread.finish().map_err(|error| error.error).expect("it takes all");
    let mut found = times(&taken.bytes(), "PARM");
    found.dedup();
    found.retain(|number| *number != 7);
    assert_eq!(found, (0..1000).filter(|number| *number != 7).collect::<Vec<_>>());
}

#[test]
fn the_reserve_is_for_critical_messages() {
    let reserved = [(Some(512), 512), (Some(0), 0), (None, 1024 / 8)];
    for (reserve, reserved) in reserved {
        let (out, key, _) = gate();
        let mut settings = HostLogger::<FlightLog>::builder().capacity(1024).write_every(Duration::ZERO);
        if let Some(reserve) = reserve {
            settings = settings.reserve(reserve);
        }
        let thread = settings.spawn(out).expect("it takes the preamble");
        let log = thread.logger();
        // The first record is with the destination, which stalls.
        assert!(log.log(&parm(0)));
        while log.statistics().used > 0 {
            thread::yield_now();
        }
        let parms = (0..100).filter(|&number| log.log(&parm(number))).count();
        assert_eq!(parms, (1024 - reserved) / 35, "{reserve:?}");
        // EV is critical.
        let events = (0..100).filter(|&number| log.log(&ev(number))).count();
        assert_eq!(events, (1024 - parms * 35) / 12, "{reserve:?}");
        drop(key);
    }
}

#[test]
fn each_record_is_accepted_or_counted_with_its_reason() {
    let thread = HostLogger::<FlightLog>::spawn(Vec::new()).expect("memory takes all");
    let log = thread.logger();
    // A second at 100 Hz, of which 10 are due.
    let due = (0..100).filter(|i| log.log(&gps(10_000_000 + 10_000 * i))).count();
    assert!((10..=11).contains(&due), "{due}");
    assert_eq!(log.tally::<Gps>().decimated as usize, 100 - due);
    log.set_masked::<Ev>(true);
    assert!(!log.log(&ev(1)));
    assert!(log.set_masked_by_name("EV", false) && !log.set_masked_by_name("NONE", true));
    assert!(log.log(&ev(2)));
    log.stop();
    assert!(!log.log(&ev(3)) && !log.new_log());
    log.start(|| 77);
    assert!(log.text("hello"));
    assert_eq!(log.tally::<Ev>().ignored, 2);
    let log = log.clone();
    let bytes = thread.finish().expect("memory takes all");
    assert_eq!((times(&bytes, "EV"), times(&bytes, "MSG")), (vec![2], vec![77]));
    assert_eq!(log.statistics().written as usize, due + 2);
    assert!(!log.log(&ev(4)));
    assert_eq!(log.tally::<Ev>().ignored, 3);
}

/// What a destination does in one call.
#[derive(Clone, Copy, Debug)]
enum Step {
    Takes(usize),
    Stalls(u64),
    Fails(ErrorKind),
    TakesNothing,
}

/// A destination that follows a plan, then takes everything, or nothing any more.
#[derive(Clone)]
struct Planned {
    taken: Shared,
    steps: VecDeque<Step>,
    dies: bool,
    has_preamble: bool,
}

impl Planned {
    fn new(steps: Vec<Step>, dies: bool) -> Self {
        Planned { taken: Shared::default(), steps: steps.into(), dies, has_preamble: false }
    }
}

impl Write for Planned {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !std::mem::replace(&mut self.has_preamble, true) {
            return self.taken.write(bytes);
        }
        match self.steps.pop_front() {
            Some(Step::Takes(count)) => self.taken.write(&bytes[..bytes.len().min(count)]),
            Some(Step::Stalls(millis)) => {
                thread::sleep(Duration::from_millis(millis));
                self.taken.write(bytes)
            }
            Some(Step::Fails(kind)) => Err(kind.into()),
            Some(Step::TakesNothing) => Ok(0),
            None if self.dies => Err(ErrorKind::StorageFull.into()),
            None => self.taken.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (1usize..400).prop_map(Step::Takes),
        1 => (0u64..5).prop_map(Step::Stalls),
        1 => Just(Step::Fails(ErrorKind::StorageFull)),
        1 => Just(Step::Fails(ErrorKind::Interrupted)),
        1 => Just(Step::TakesNothing),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn accepted_records_are_logged_in_thread_order_or_counted_lost(
        steps in prop::collection::vec(step(), 0..30),
        dies in any::<bool>(),
        waits in any::<bool>(),
        capacity in 512usize..4096,
        records in 1u64..300,
    ) {
        let out = Planned::new(steps, dies);
        let taken = out.taken.clone();
        // A dying destination is given up at its second error in a row; one that lives has time for all its errors.
        let patience = if dies { Duration::from_millis(1) } else { Duration::from_secs(60) };
        let mut settings = HostLogger::<FlightLog>::builder()
            .capacity(capacity)
            .write_every(Duration::from_millis(1))
            .retry_for(patience)
            .report_every(Duration::from_micros(1000));
        if waits {
            settings = settings.wait_for_room();
        }
        let thread = settings.spawn(out).expect("it takes the preamble");
        let accepted: Vec<Vec<u64>> = thread::scope(|scope| {
            let threads: Vec<_> = (0..3u64).map(|number| {
                let log = thread.logger();
                scope.spawn(move || {
                    let numbers = (0..records).map(|i| number * 1000 + i);
                    numbers.filter(|&number| log.log(&parm(number))).collect()
                })
            }).collect();
            threads.into_iter().map(|thread| thread.join().expect("it only logs")).collect()
        });
        let log = thread.logger().clone();
        let finished = thread.finish().map(drop).map_err(|error| error.error);
        let tally = log.tally::<Parm>();
        let found: Vec<u64> = Records::new(&taken.bytes())
            .flatten()
            .filter_map(|record| record.decode::<Parm>().ok())
            .map(|parm| parm.time_us)
            .collect();
        for (number, accepted) in (0..).zip(&accepted) {
            let found: Vec<u64> = found.iter().copied().filter(|time| time / 1000 == number).collect();
            match finished {
                Ok(()) => prop_assert_eq!(&found, accepted),
                Err(_) => prop_assert!(accepted.starts_with(&found)),
            }
        }
        let accepted = accepted.iter().map(Vec::len).sum::<usize>();
        prop_assert_eq!(3 * records as usize, accepted + (tally.dropped + tally.ignored) as usize);
        prop_assert_eq!(accepted, (tally.written + tally.lost) as usize);
        prop_assert_eq!(found.len(), tally.written as usize);
        prop_assert_eq!(finished.is_err(), log.has_failed());
        prop_assert!(finished.is_err() || tally.lost == 0);
        prop_assert!(!waits || finished.is_err() || tally.dropped == 0);
        prop_assert!(dies || finished.is_ok(), "{:?}", finished);
    }
}

#[test]
fn abandoned_destination_is_an_error_with_its_loss_counted() {
    let out = Planned::new(vec![Step::Takes(40)], true);
    let taken = out.taken.clone();
    let settings = HostLogger::<FlightLog>::builder().retry_for(Duration::ZERO).write_every(Duration::from_secs(60));
    let thread = settings.spawn(out).expect("it takes the preamble");
    let log = thread.logger().clone();
    assert!((0..10).all(|number| log.log(&ev(number))));
    let error = thread.finish().err().expect("the destination is full");
    assert_eq!((error.error.kind(), error.error.records_written(), error.refused), (ErrorKind::StorageFull, 3, 7));
    assert_eq!((log.tally::<Ev>().written, log.tally::<Ev>().lost, error.out.is_none()), (3, 7, true));
    assert_eq!(taken.bytes().len(), FlightLog::PREAMBLE.len() + 40);
}

#[test]
fn after_a_panic_nobody_waits_and_the_error_is_told() {
    struct Panics(bool);
    impl Write for Panics {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            assert!(!std::mem::replace(&mut self.0, true), "the destination panics");
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let settings = HostLogger::<FlightLog>::builder().capacity(600).wait_for_room();
    let thread = settings.spawn(Panics(false)).expect("it takes the preamble");
    let log = thread.logger().clone();
    let accepted = (0..1000).filter(|&number| log.log(&ev(number))).count();
    assert!(log.has_failed() && accepted < 1000);
    assert_eq!(thread.finish().err().expect("it panicked").error.kind(), ErrorKind::Other);
    assert_eq!(log.tally::<Ev>().lost as usize, accepted);
}

#[test]
fn dropping_the_thread_writes_everything() {
    let out = Shared::default();
    let thread = HostLogger::<FlightLog>::spawn(out.clone()).expect("memory takes all");
    assert!((0..1000).all(|number| thread.logger().log(&ev(number))));
    drop(thread);
    assert_eq!(times(&out.bytes(), "EV"), Vec::from_iter(0..1000));
}

#[test]
fn a_file_is_accepted_if_its_name_fits() {
    #[derive(LogSchema)]
    enum Files {
        File(File),
        Dsf(Dsf),
        Drop(Dropped),
    }
    let out = Shared::default();
    let thread = HostLogger::<Files>::builder().spawn(out.clone()).expect("it takes the preamble");
    assert!(thread.logger().file("a.txt", &[7; 200]));
    assert!(!thread.logger().file("a_name_of_17_char", b"contents"));
    drop(thread);
    let log = Log::from_bytes(out.bytes());
    let [file] = &log.files()[..] else { panic!("one file") };
    assert_eq!((&*file.name, file.contents().expect("all pieces")), ("a.txt", vec![7; 200]));
}

#[test]
fn statistics_are_in_the_log_as_on_a_target() {
    let (out, key, taken) = gate();
    let clock = Arc::new(AtomicU64::new(0));
    let settings = HostLogger::<FlightLog>::builder().capacity(1024).reserve(0).report_every(Duration::from_secs(1));
    let thread = settings.write_every(Duration::ZERO).spawn(out).expect("it takes the preamble");
    let log = thread.logger();
    let simulated = Arc::clone(&clock);
    log.start(move || simulated.load(Ordering::SeqCst));
    while log.tally::<Ev>().dropped < 5 {
        log.log(&ev(0));
    }
    let dropped = log.tally::<Ev>().dropped;
    drop(key);
    clock.store(2_000_000, Ordering::SeqCst);
    thread.finish().map_err(|error| error.error).expect("it takes all");
    let bytes = taken.bytes();
    let reports = Records::new(&bytes).flatten().filter_map(|record| record.decode::<Dsf>().ok());
    let last = reports.last().expect("a last report");
    assert_eq!(({ last.dropped }, { last.time_us }), (dropped, 2_000_000));
    assert!({ last.free_min } < 12 && { last.free_max } == 1024, "{last:?}");
    let drops = Records::new(&bytes).flatten().filter_map(|record| record.decode::<Dropped>().ok());
    let drops: Vec<_> = drops.map(|drop| (drop.id, { drop.dropped })).collect();
    assert_eq!(drops, [(FlightLog::MESSAGES[0].id, dropped)]);
}

#[test]
fn a_destination_that_is_always_interrupted_is_given_up() {
    struct Interrupted(bool);
    impl Write for Interrupted {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            match std::mem::replace(&mut self.0, true) {
                false => Ok(bytes.len()),
                true => Err(ErrorKind::Interrupted.into()),
            }
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let settings = || HostLogger::<FlightLog>::builder().retry_for(Duration::from_millis(50));
    let thread = settings().spawn(Interrupted(false)).expect("it takes the preamble");
    assert!(thread.logger().log(&ev(1)));
    let error = thread.finish().err().expect("it takes nothing");
    assert_eq!((error.error.kind(), error.refused), (ErrorKind::Interrupted, 1));
    assert_eq!(settings().spawn(Interrupted(true)).expect_err("it takes nothing").kind(), ErrorKind::Interrupted);
    // Also after a sorter.
    let sorter = binlog::TimeSorter::<FlightLog, _>::new(Interrupted(false), 4096);
    let thread = settings().spawn(sorter).expect("it takes the preamble");
    assert!(thread.logger().log(&ev(1)));
    let _ = thread.finish().map(binlog::TimeSorter::finish);
}

#[test]
fn whoever_lacks_room_wakes_the_thread_that_writes() {
    for reserve in [0, 64, 300, usize::MAX] {
        let settings = || HostLogger::<Plain>::builder().reserve(reserve).write_every(Duration::from_secs(3600));
        let thread = settings().capacity(512).wait_for_room().spawn(Vec::new()).expect("memory takes all");
        // Would nobody wake it, the test would not end.
        assert!((0..1000).all(|number| thread.logger().log(&parm(number))));
        assert_eq!(times(&thread.finish().expect("memory takes all"), "PARM"), Vec::from_iter(0..1000));

        // Also a logger that drops.
        let thread = settings().spawn(Vec::new()).expect("memory takes all");
        let log = thread.logger();
        while log.log(&parm(0)) && log.statistics().written == 0 {}
        while log.statistics().written == 0 {
            thread::yield_now();
        }
    }
}

#[test]
fn statistics_go_on_after_the_clock_was_set_back() {
    let clock = Arc::new(AtomicU64::new(3_600_000_000));
    let settings = HostLogger::<FlightLog>::builder().report_every(Duration::from_secs(1));
    let thread = settings.write_every(Duration::from_millis(1)).spawn(Vec::new()).expect("memory takes all");
    let simulated = Arc::clone(&clock);
    thread.logger().start(move || simulated.load(Ordering::SeqCst));
    let mut expected = Vec::new();
    for begin in [3_600_000_000, 5_000_000] {
        clock.store(begin, Ordering::SeqCst);
        thread::sleep(Duration::from_millis(100));
        for second in 1..=2 {
            let written = thread.logger().statistics().written;
            clock.store(begin + 1_000_000 * second, Ordering::SeqCst);
            expected.push(begin + 1_000_000 * second);
            while thread.logger().statistics().written == written {
                thread::yield_now();
            }
        }
    }
    let found = times(&thread.finish().expect("memory takes all"), "DSF");
    assert_eq!(found[found.len() - 1], 7_000_000);
    assert!(expected.iter().all(|time| found.contains(time)), "{found:?}");
}

#[test]
fn a_logger_runs_until_its_thread_is_dropped() {
    let thread = HostLogger::<FlightLog>::spawn(Vec::new()).expect("memory takes all");
    let log = thread.logger().clone();
    assert!(log.is_running());
    log.stop();
    assert!(!log.is_running());
    log.start(|| 1);
    assert!(log.is_running());
    drop(thread);
    assert!(!log.is_running() && !log.log(&ev(1)));
    assert_eq!(log.tally::<Ev>().ignored, 1);
}

fn application(log: &(impl FlightSink + TimedSink)) {
    assert!(log.parameter("FRAME_CLASS", 1.0, None) && !log.parameter("a name of 17 byte", 1.0, None));
    assert!(log.mode(5, 1) && !log.mode(128, 1), "modes are up to 127");
    assert!(log.text(format_args!("a text that needs two records, since one has no more than {} bytes\0", 64)));
    for i in 0..50 {
        log.log(&gps(1_000_000 + 20_000 * i));
        log.log(&ev(log.now_us()));
    }
}

#[test]
fn the_same_application_logs_the_same_bytes_on_target_and_host() {
    let target = Box::new(Logger::<FlightLog, 16384>::new());
    target.start(|| 5);
    application(&*target);
    let mut on_target = Vec::new();
    target.drain().expect("the only drain").finish(&mut on_target).expect("memory takes all");

    let thread = HostLogger::<FlightLog>::spawn(Vec::new()).expect("memory takes all");
    thread.logger().start(|| 5);
    application(thread.logger());
    let tallies: Vec<_> = thread.logger().tallies().map(|(_, tally)| tally.decimated).collect();
    assert_eq!(tallies, target.tallies().map(|(_, tally)| tally.decimated).collect::<Vec<_>>());
    assert!(thread.finish().expect("memory takes all") == on_target);
}
