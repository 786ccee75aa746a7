//! Logs that are sorted by time on their way.

use binlog::messages::{Ev, File, Msg};
use binlog::{HostLogger, LogSchema, LogWriter, Records, TimeSorter};
use proptest::prelude::*;
use std::cell::Cell;
use std::io::{self, ErrorKind, Write};
use std::rc::Rc;

#[derive(LogSchema)]
enum FlightLog {
    Ev(Ev),
    Msg(Msg),
    File(File),
}

/// A log of EV records (12 bytes) and MSG records (77 bytes), whose `ID` is their number.
fn log(records: &[(u64, bool)]) -> Vec<u8> {
    let mut log = LogWriter::<FlightLog, _>::new(Vec::new()).expect("memory takes all");
    for (i, &(time_us, is_long)) in records.iter().enumerate() {
        let id = i as u8;
        let message = "text".try_into().expect("four bytes");
        let written = match is_long {
            true => log.write(&Msg { time_us, id, seq: 0, message }),
            false => log.write(&Ev { time_us, id }),
        };
        written.expect("memory takes all");
    }
    log.finish().expect("memory takes all")
}

/// Time and number of each record.
fn read(log: &[u8]) -> Vec<(u64, u8)> {
    let mut decoder = binlog::Decoder::<FlightLog>::new();
    let records = Records::new(log).map(|record| record.expect("a sound log"));
    records
        .filter_map(|record| match decoder.decode(&record).expect("definitions that agree")? {
            FlightLog::Ev(ev) => Some((ev.time_us, ev.id)),
            FlightLog::Msg(msg) => Some((msg.time_us, msg.id)),
            FlightLog::File(_) => None,
        })
        .collect()
}

fn sorted(log: &[u8], window: usize, pieces: &[usize]) -> (Vec<u8>, u64) {
    let mut sorter = TimeSorter::<FlightLog, _>::new(Vec::new(), window);
    let mut rest = log;
    for piece in pieces.iter().cycle() {
        let (piece, after) = rest.split_at(rest.len().min(*piece));
        sorter.write_all(piece).expect("memory takes all");
        rest = after;
        if rest.is_empty() {
            break;
        }
    }
    // What is counted is known once all is written.
    sorter.flush().expect("memory takes all");
    let late = sorter.late();
    (sorter.finish().expect("memory takes all"), late)
}

proptest! {
    #[test]
    fn records_within_the_window_are_written_once_and_in_order(
        steps in prop::collection::vec((0u64..50, 0u64..40, any::<bool>()), 1..600),
        pieces in prop::collection::vec(1usize..3000, 1..5),
    ) {
        let mut clock = 0;
        let records: Vec<_> = steps.iter().map(|(step, delay, is_long)| {
            clock += step;
            (clock.saturating_sub(*delay), *is_long)
        }).collect();
        let window = 4096;
        let bytes = log(&records);
        let (out, late) = sorted(&bytes, window, &pieces);
        prop_assert_eq!(out.len(), bytes.len());
        prop_assert!(out.starts_with(FlightLog::PREAMBLE));
        let found = read(&out);
        let mut expected = read(&bytes);
        // Whether a record comes before the window has passed: by definition, the bytes with later times before it.
        let length = |(_, is_long): &(u64, bool)| if *is_long { 77 } else { 12 };
        let in_window = |i: usize| {
            let later: usize = records[..i].iter().filter(|other| other.0 > records[i].0).map(length).sum();
            later < window
        };
        if (0..records.len()).all(in_window) {
            expected.sort_by_key(|(time, _)| *time);
            prop_assert_eq!(&found, &expected);
            prop_assert_eq!(late, 0);
        }
        let mut latest = 0;
        let out_of_order = found.iter().filter(|(time, _)| {
            let is_late = *time < latest;
            latest = latest.max(*time);
            is_late
        }).count();
        prop_assert_eq!(late, out_of_order as u64);
        let (mut found, mut expected) = (found, expected);
        found.sort_unstable();
        expected.sort_unstable();
        prop_assert_eq!(found, expected);
    }
}

#[test]
fn record_later_than_the_window_is_written_and_counted() {
    let mut records: Vec<_> = (100..2000).map(|time| (time, false)).collect();
    records.push((5, false));
    let (out, late) = sorted(&log(&records), 4096, &[1 << 20]);
    assert_eq!(late, 1);
    let times: Vec<u64> = read(&out).into_iter().map(|(time, _)| time).collect();
    assert_eq!(times.len(), 1901);
    assert_eq!(times.iter().filter(|time| **time == 5).count(), 1);
}

/// Counts the bytes that it is given.
struct Counting(Rc<Cell<usize>>);

impl Write for Counting {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.set(self.0.get() + bytes.len());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn no_more_than_twice_the_window_waits() {
    let records: Vec<_> = (0..5000).map(|time| (time, false)).collect();
    let (log, window, written) = (log(&records), 4096, Rc::new(Cell::new(0)));
    for piece in [1, 100, 5000, log.len()] {
        written.set(0);
        let mut sorter = TimeSorter::<FlightLog, _>::new(Counting(Rc::clone(&written)), window);
        let mut taken = 0;
        for piece in log.chunks(piece) {
            sorter.write_all(piece).expect("it takes all");
            taken += piece.len();
            // Sorted records wait for the next call.
            assert!(taken - written.get() <= 4 * window + 2 * piece.len(), "{} of {taken}", written.get());
        }
        sorter.finish().expect("it takes all");
        assert_eq!(written.get(), log.len());
    }
}

#[test]
fn a_record_without_a_time_sorts_with_the_time_before_it() {
    let mut log = LogWriter::<FlightLog, _>::new(TimeSorter::<FlightLog, _>::new(Vec::new(), 4096)).expect("memory");
    log.write(&Ev { time_us: 9, id: 0 }).expect("memory takes all");
    log.file("a.txt", b"contents").expect("memory takes all");
    log.write(&Ev { time_us: 3, id: 1 }).expect("memory takes all");
    let bytes = log.finish().expect("memory takes all").finish().expect("memory takes all");
    let names: Vec<_> = Records::new(&bytes).flatten().map(|record| record.name()).collect();
    assert_eq!(names[names.len() - 3..], ["EV", "EV", "FILE"]);
}

#[test]
fn records_without_a_time_keep_their_order() {
    let mut log = LogWriter::<FlightLog, _>::new(TimeSorter::<FlightLog, _>::new(Vec::new(), 4096)).expect("memory");
    let contents = |number: u8| vec![number; 200];
    for (number, time_us) in [(0, 100), (1, 50), (2, 70), (3, 500), (4, 20)] {
        log.write(&Ev { time_us, id: number }).expect("memory takes all");
        log.file("a.txt", &contents(number)).expect("memory takes all");
    }
    let bytes = log.finish().expect("memory takes all").finish().expect("memory takes all");
    let log = binlog::Log::from_bytes(bytes);
    assert_eq!(log.rows("EV").expect("events").times_us(), [20, 50, 70, 100, 500]);
    let found: Vec<_> = log.files().iter().map(|file| file.contents().expect("a whole file")).collect();
    assert_eq!(found, Vec::from_iter((0..5).map(contents)));
}

#[test]
fn record_of_another_schema_is_an_error_and_earlier_ones_stay() {
    let mut sorter = TimeSorter::<FlightLog, _>::new(Vec::new(), 4096);
    let mut bytes = log(&[(1, false)]);
    bytes.extend([0xA3, 0x95, 77, 1, 2, 3]);
    let error = sorter.write_all(&bytes).expect_err("77 is not a message");
    assert_eq!(error.kind(), ErrorKind::InvalidData);
    assert!(error.to_string().contains("id 77"), "{error}");
    assert_eq!(read(&sorter.finish().expect("memory takes all")), [(1, 0)]);
}

#[test]
fn several_threads_log_in_the_order_of_their_times() {
    let sorter = TimeSorter::<FlightLog, _>::new(Vec::new(), 1 << 20);
    let thread = HostLogger::<FlightLog>::spawn(sorter).expect("memory takes all");
    std::thread::scope(|threads| {
        for id in 0..4 {
            let log = thread.logger();
            threads.spawn(move || (0..500).for_each(|i| assert!(log.log(&Ev { time_us: 4 * i + u64::from(id), id }))));
        }
    });
    let sorter = thread.finish().map_err(|error| error.error).expect("memory takes all");
    assert_eq!(sorter.late(), 0);
    let times: Vec<u64> = read(&sorter.finish().expect("memory takes all")).into_iter().map(|(time, _)| time).collect();
    assert_eq!(times, Vec::from_iter(0..2000));
}

/// A writer that a signal interrupts before each write, or always.
struct Interrupted {
    out: Vec<u8>,
    always: bool,
    was_interrupted: bool,
}

impl Write for Interrupted {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.was_interrupted = self.always || !self.was_interrupted;
        if self.was_interrupted {
            return Err(ErrorKind::Interrupted.into());
        }
        self.out.write(&bytes[..bytes.len().min(100)])
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn signals_cost_nothing_and_a_writer_with_only_these_has_failed() {
    let bytes = log(&(0..100).map(|time_us| (time_us, false)).collect::<Vec<_>>());
    let sort = |always| {
        let out = Interrupted { out: Vec::new(), always, was_interrupted: false };
        let mut sorter = TimeSorter::<FlightLog, _>::new(out, 4096);
        sorter.write_all(&bytes).and_then(|()| sorter.flush()).map(|()| sorter)
    };
    let sorter = sort(false).expect("signals are tried again");
    assert_eq!(sorter.finish().expect("signals are tried again").out, bytes);
    assert_eq!(sort(true).err().map(|error| error.kind()), Some(ErrorKind::Other));
}
