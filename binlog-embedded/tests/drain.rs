//! From the ring to a file: the file's beginning first, piece by piece, and every lost record is counted.
#![cfg(not(loom))]

mod flight;

use binlog::field::Chars;
use binlog::messages::{self, Dropped, Dsf, Msg};
use binlog::{LogSchema, Records};
use binlog_embedded::Logger;
use core::cell::Cell;
use embedded_io::{ErrorKind, ErrorType, Write};
use flight::{Flight, Small, Tiny, Vital, length, log, numbers};

thread_local! {
    static NOW: Cell<u64> = const { Cell::new(0) };
}

fn now() -> u64 {
    NOW.get()
}

fn started<const N: usize>() -> Box<Logger<Flight, N>> {
    let logger = Box::new(Logger::new());
    logger.start(now);
    logger
}

/// A file that accepts `piece` bytes at a time and fails for good after `room` bytes.
#[derive(Default)]
struct File {
    bytes: Vec<u8>,
    flushed: usize,
    piece: usize,
    room: usize,
}

impl ErrorType for File {
    type Error = ErrorKind;
}

impl Write for File {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, ErrorKind> {
        if self.bytes.len() >= self.room {
            return Err(ErrorKind::Other);
        }
        let taken = bytes.len().min(self.piece).min(self.room - self.bytes.len());
        self.bytes.extend_from_slice(&bytes[..taken]);
        Ok(taken)
    }

    fn flush(&mut self) -> Result<(), ErrorKind> {
        self.flushed = self.bytes.len();
        Ok(())
    }
}

fn prologue(i: usize) -> Option<Flight> {
    let text = ["ArduCopter V4.6.0", "Frame: QUAD"].get(i)?;
    Some(Flight::Msg(Msg { time_us: 0, id: i as u8, seq: 0, message: Chars::cut(text) }))
}

#[test]
fn files_begin_with_preamble_and_prologue_in_pieces_of_any_size() {
    for piece in if cfg!(miri) { &[7, 4096][..] } else { &[1, 2, 3, 7, 64, 255, 4096] } {
        let piece = *piece;
        let logger = started::<4096>();
        let mut drain = logger.drain().unwrap().with_prologue(prologue);
        for file_number in 0..2 {
            for number in 0..10 {
                assert!(log(&logger, number as usize % 5, number));
            }
            let mut file = File { piece, room: usize::MAX, ..File::default() };
            while drain.step(&mut file).unwrap() > 0 {}
            drain.flush(&mut file).unwrap();
            assert_eq!(drain.byte_count() as usize, file.bytes.len());
            assert!(file.bytes.starts_with(Flight::PREAMBLE), "file {file_number} in pieces of {piece}");
            let records = Records::new(&file.bytes).map(|record| record.unwrap_or_else(|skipped| panic!("{skipped}")));
            let after = records.filter(|record| record.offset() >= Flight::PREAMBLE.len());
            let after: Vec<_> = after.map(|record| record.id()).take(2).collect();
            assert_eq!(after, [133, 133], "the prologue");
            assert_eq!(numbers(&file.bytes).len(), 10);
            drain.restart();
        }
        assert_eq!(logger.statistics().lost, 0);
    }
}

/// Wherever a file fails: its records up to the last flush, the records of the next file, and the records counted as
/// lost are together all accepted records.
#[test]
fn what_a_failed_file_takes_along_is_counted() {
    let accepted = 30;
    let beginning = Flight::PREAMBLE.len() + 2 * 77;
    // Miri takes seconds a round.
    for room in (beginning - 80..beginning + 1200).step_by(if cfg!(miri) { 311 } else { 1 }) {
        let logger = started::<4096>();
        let mut drain = logger.drain().unwrap().with_prologue(prologue);
        let mut first = File { piece: 100, room, ..File::default() };
        let mut failed = false;
        for number in 0..accepted {
            assert!(log(&logger, number as usize % 4, number));
            failed = failed || drain.step(&mut first).is_err();
            if number % 8 == 7 && !failed {
                // A flush in the middle of a record, too.
                drain.flush(&mut first).unwrap();
            }
        }
        while !failed && drain.step(&mut first).is_ok_and(|taken| taken > 0) {}
        drain.restart();
        let mut second = File { piece: 100, room: usize::MAX, ..File::default() };
        while drain.step(&mut second).unwrap() > 0 {}
        drain.flush(&mut second).unwrap();
        let flushed = whole(&first.bytes[..first.flushed]);
        let rest = numbers(&second.bytes);
        let statistics = logger.statistics();
        let prologue = logger.tally::<Msg>();
        let texts = |log: &[u8]| Records::new(log).flatten().filter(|record| record.decode::<Msg>().is_ok()).count();
        assert_eq!(prologue.written as usize, texts(&first.bytes[..first.flushed]) + 2, "room for {room}");
        let lost = (statistics.lost - prologue.lost) as usize;
        assert_eq!(flushed.len() + rest.len() + lost, accepted as usize, "room for {room}");
        let written = (statistics.written - prologue.written) as usize;
        assert_eq!(written, flushed.len() + rest.len(), "room for {room}");
        for index in 0..4 {
            let lost = logger.tally_of(index).unwrap().lost as usize;
            let of_kind = flushed.iter().chain(&rest).filter(|record| record.0 == index).count();
            let logged = (0..accepted).filter(|&number| number as usize % 4 == index).count();
            assert_eq!(of_kind + lost, logged, "kind {index}, room for {room}");
        }
    }
}

/// The whole records of a log that may end in the middle of one.
fn whole(log: &[u8]) -> Vec<(usize, u64)> {
    let end = Records::new(log).flatten().last().map_or(0, |record| record.offset() + record.payload().len() + 3);
    numbers(&log[..end])
}

#[test]
fn a_finished_file_ends_with_all_statistics() {
    let logger = started::<512>();
    let mut drain = logger.drain().unwrap();
    drain.report_every(u64::MAX);
    let mut file = File { piece: 4096, room: usize::MAX, ..File::default() };
    drain.catch_up(&mut file).unwrap();
    for number in 0..300 {
        log(&logger, number as usize % 5, number);
    }
    logger.stop();
    drain.finish(&mut file).unwrap();
    assert_eq!(file.flushed, file.bytes.len());
    let records: Vec<_> = Records::new(&file.bytes).map(|record| record.unwrap()).collect();
    assert_eq!(records.iter().filter(|record| record.decode::<Dsf>().is_ok()).count(), 1);
    let drops: Vec<_> = records.iter().filter_map(|record| record.decode::<Dropped>().ok()).collect();
    let dropped: Vec<u32> = (0..5).map(|index| logger.tally_of(index).unwrap().dropped).collect();
    assert_eq!(drops.iter().map(|drop| drop.dropped).collect::<Vec<_>>(), dropped);
}

#[test]
fn a_drain_that_is_dropped_leaves_whole_records() {
    let logger = started::<512>();
    log(&logger, 3, 1);
    log(&logger, 3, 2);
    let mut first = File { piece: 50, room: usize::MAX, ..File::default() };
    let mut drain = logger.drain().unwrap();
    while drain.is_between_records() {
        drain.step(&mut first).unwrap();
    }
    drop(drain);
    let mut second = File { piece: 50, room: usize::MAX, ..File::default() };
    let mut drain = logger.drain().unwrap();
    while drain.step(&mut second).unwrap() > 0 {}
    assert_eq!(numbers(&second.bytes), [(3, 2)]);
    assert_eq!(logger.statistics().lost, 1);
}

#[test]
fn statistics_are_records_of_the_log() {
    NOW.set(1_000_000);
    let logger = started::<512>();
    let mut drain = logger.drain().unwrap();
    drain.report_every(1_000_000);
    let mut file = File { piece: 40, room: usize::MAX, ..File::default() };
    while drain.step(&mut file).unwrap() > 0 {}
    assert!(!file.bytes.is_empty());
    for number in 0..40 {
        logger.log(&Small::numbered(number));
    }
    let dropped = logger.tally::<Small>().dropped;
    assert!(dropped > 0);
    NOW.set(2_000_000);
    while drain.step(&mut file).unwrap() > 0 {}
    // A round in which nothing was lost has a DSF record only.
    logger.log(&Tiny::numbered(1));
    drain.report();
    while drain.step(&mut file).unwrap() > 0 {}
    // Records that are lost with a file are reported as dropped.
    logger.log(&Vital::numbered(1));
    while drain.step(&mut file).unwrap() > 0 {}
    drain.flush(&mut file).unwrap();
    logger.log(&Vital::numbered(2));
    while drain.step(&mut file).unwrap() > 0 {}
    drain.restart();
    drain.report();
    let mut second = File { piece: 40, room: usize::MAX, ..File::default() };
    while drain.step(&mut second).unwrap() > 0 {}

    let reports = |log: &[u8]| {
        let records: Vec<_> = Records::new(log).map(|record| record.unwrap()).collect();
        let dsf: Vec<_> = records.iter().filter_map(|record| record.decode::<Dsf>().ok()).collect();
        let drops: Vec<_> = records.iter().filter_map(|record| record.decode::<Dropped>().ok()).collect();
        (dsf, drops)
    };
    let (dsf, drops) = reports(&file.bytes);
    assert_eq!(dsf.len(), 2);
    assert_eq!((dsf[0].time_us, dsf[0].dropped), (2_000_000, dropped));
    assert_eq!(dsf[0].bytes as usize, Flight::PREAMBLE.len());
    // The ring was never fuller than its reserve allows.
    assert!((64..=64 + 12).contains(&{ dsf[0].free_min }) && dsf[0].free_max == 512, "{:?}", dsf[0]);
    assert!(dsf[0].free_min <= dsf[0].free_mean && dsf[0].free_mean <= dsf[0].free_max);
    assert_eq!(drops, [Dropped { time_us: 2_000_000, id: 2, dropped, decimated: 0 }]);
    let (dsf, drops) = reports(&second.bytes);
    assert_eq!({ dsf[0].dropped }, dropped + 1);
    // What the file before said of dropped records, this one says, too: its DSF counts them.
    let drop = |id, dropped| Dropped { time_us: 2_000_000, id, dropped, decimated: 0 };
    assert_eq!(drops, [drop(2, dropped), drop(6, 1)]);
}

/// The DSF records of a log.
fn dsf(log: &[u8]) -> Vec<Dsf> {
    Records::new(log).flatten().filter_map(|record| record.decode().ok()).collect()
}

#[test]
fn statistics_go_on_after_the_clock_was_set_back() {
    NOW.set(3_600_000_000);
    let logger = started::<512>();
    let mut drain = logger.drain().unwrap();
    drain.report_every(1_000_000);
    let mut file = File { piece: 512, room: usize::MAX, ..File::default() };
    let times = [3_600_500_000, 3_601_000_000, 5_000_000, 5_999_999, 6_000_000, 6_500_000, 7_000_000];
    for time_us in times {
        NOW.set(time_us);
        while drain.step(&mut file).unwrap() > 0 {}
    }
    let written: Vec<_> = dsf(&file.bytes).iter().map(|dsf| dsf.time_us).collect();
    assert_eq!(written, [3_601_000_000, 5_000_000, 6_000_000, 7_000_000]);
}

#[test]
fn the_mean_of_the_free_bytes_is_that_of_all_samples() {
    NOW.set(1_000_000);
    let logger = started::<512>();
    let mut drain = logger.drain().unwrap();
    drain.report_every(1_000_000);
    let mut file = File { piece: 4096, room: usize::MAX, ..File::default() };
    drain.catch_up(&mut file).unwrap();
    drain.report();
    drain.catch_up(&mut file).unwrap();
    // The ring is empty for most of the time, and once it has 212 bytes.
    for _ in 0..40 {
        assert_eq!(drain.step(&mut file), Ok(0));
    }
    assert!(log(&logger, 4, 1));
    drain.catch_up(&mut file).unwrap();
    NOW.set(2_000_000);
    drain.catch_up(&mut file).unwrap();
    let dsf = *dsf(&file.bytes).last().expect("a second record");
    let (min, mean) = (512 - length(4) as u32, { dsf.free_mean });
    assert_eq!((dsf.free_min, dsf.free_max), (min, 512));
    // One to three samples of the about 43 are the smallest.
    assert!((512 - length(4) as u32 / 12..512).contains(&mean), "{mean}");
    assert!(dsf.bytes > 0 && u32::from(dsf.blocks) == dsf.bytes / 512, "{dsf:?}");
}

#[test]
#[cfg_attr(miri, ignore = "a ring of 4 MiB takes Miri too long")]
fn mean_of_free_bytes_is_right_beyond_a_32_bit_sum() {
    // A static, because it is too large for a test's stack.
    static LOGGER: Logger<Flight, { 1 << 22 }> = Logger::new();
    NOW.set(1_000_000);
    let logger = &LOGGER;
    logger.start(now);
    let mut drain = logger.drain().unwrap();
    drain.report_every(1_000_000);
    let mut file = File { piece: 4096, room: usize::MAX, ..File::default() };
    drain.catch_up(&mut file).unwrap();
    for _ in 0..3000 {
        assert_eq!(drain.step(&mut file), Ok(0));
    }
    // Half of the ring is used in half of the samples.
    for number in 0.. {
        let used = logger.statistics().used as usize;
        if used >= 1 << 21 {
            break;
        }
        assert!(log(logger, 4, number));
    }
    let mut full = File { piece: 0, room: usize::MAX, ..File::default() };
    for _ in 0..3000 {
        assert_eq!(drain.step(&mut full), Ok(0));
    }
    NOW.set(2_000_000);
    while dsf(&file.bytes).is_empty() {
        drain.step(&mut file).unwrap();
    }
    let mean = dsf(&file.bytes)[0].free_mean;
    let expected = 3 << 20;
    assert!((expected - (expected >> 3)..expected + (expected >> 3)).contains(&mean), "{mean}");
}

#[test]
fn counts_in_a_file_that_is_lost_are_in_the_next_one() {
    NOW.set(1_000_000);
    let logger = started::<512>();
    let mut drain = logger.drain().unwrap();
    drain.report_every(1_000_000);
    for number in 0..40 {
        logger.log(&Small::numbered(number));
    }
    let dropped = logger.tally::<Small>().dropped;
    assert!(dropped > 0);
    let mut lost = File { piece: 40, room: usize::MAX, ..File::default() };
    drain.report();
    while drain.step(&mut lost).unwrap() > 0 {}
    assert!(Records::new(&lost.bytes).flatten().any(|record| record.decode::<Dropped>().is_ok()));
    drain.restart();
    let mut next = File { piece: 40, room: usize::MAX, ..File::default() };
    drain.report();
    while drain.step(&mut next).unwrap() > 0 {}
    let drops: Vec<_> =
        Records::new(&next.bytes).flatten().filter_map(|record| record.decode::<Dropped>().ok()).collect();
    let small = logger.tally::<Small>();
    assert!(drops.iter().any(|drop| drop.id == 2 && drop.dropped == small.dropped + small.lost), "{drops:?}");
}

#[test]
fn records_of_prologue_and_statistics_count_as_written() {
    NOW.set(1_000_000);
    let logger = started::<512>();
    let mut drain = logger.drain().unwrap().with_prologue(prologue);
    drain.report_every(1_000_000);
    for number in 0..40 {
        logger.log(&Small::numbered(number));
    }
    let mut file = File { piece: 7, room: usize::MAX, ..File::default() };
    drain.finish(&mut file).unwrap();
    let count = |name| Records::new(&file.bytes).flatten().filter(|record| record.name() == name).count() as u32;
    for (message, tally) in logger.tallies() {
        assert_eq!(tally.written, count(message.definition.name), "{}", message.definition.name);
        assert_eq!((tally.unflushed, tally.lost), (0, 0), "{}", message.definition.name);
    }
    assert_eq!((count("MSG"), count("DSF"), count("DROP")), (2, 1, 1));
}

#[test]
fn catching_up_returns_the_bytes_written_and_flushes_none() {
    let logger = started::<4096>();
    let mut drain = logger.drain().unwrap();
    assert!(!drain.is_dirty());
    for number in 0..20 {
        assert!(log(&logger, number as usize % 4, number));
    }
    let mut file = File { piece: 50, room: usize::MAX, ..File::default() };
    assert_eq!(drain.catch_up(&mut file), Ok(file.bytes.len()));
    assert!(drain.is_dirty());
    drain.flush(&mut file).unwrap();
    assert!(!drain.is_dirty());
    assert_eq!(drain.catch_up(&mut file), Ok(0));
    assert!(!drain.is_dirty());
}

/// A slow writer: while it writes, two more records are logged.
struct Slow<'a> {
    logger: &'a Logger<Flight, 4096>,
    writes: usize,
}

impl ErrorType for Slow<'_> {
    type Error = ErrorKind;
}

impl Write for Slow<'_> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, ErrorKind> {
        self.writes += 1;
        assert!(self.writes < 1000, "catching up ends");
        self.logger.log(&Small::numbered(1));
        self.logger.log(&Small::numbered(2));
        Ok(bytes.len().min(12))
    }

    fn flush(&mut self) -> Result<(), ErrorKind> {
        Ok(())
    }
}

#[test]
fn catching_up_with_loggers_faster_than_the_writer_ends() {
    let logger = started::<4096>();
    let mut drain = logger.drain().unwrap();
    logger.log(&Small::numbered(0));
    drain.catch_up(&mut Slow { logger: &logger, writes: 0 }).unwrap();
}

#[test]
fn end_of_a_file_tells_whether_all_is_written_and_is_repeatable() {
    let logger = started::<4096>();
    let mut drain = logger.drain().unwrap();
    drain.report_every(u64::MAX);
    for number in 0..20 {
        assert!(log(&logger, number as usize % 4, number));
    }
    // It takes nothing, and says nothing.
    let mut stuck = File { piece: 0, room: usize::MAX, ..File::default() };
    assert_eq!(drain.finish(&mut stuck), Ok(false));
    assert!(logger.statistics().used > 0);
    // It fails in the middle, again and again.
    let mut file = File { piece: 100, room: 0, ..File::default() };
    let mut tries = 0;
    while drain.finish(&mut file).is_err() {
        file.room += 100;
        tries += 1;
    }
    assert!(tries > 10);
    assert_eq!(numbers(&file.bytes).len(), 20);
    let reports = Records::new(&file.bytes).flatten().filter(|record| record.decode::<Dsf>().is_ok()).count();
    assert_eq!(reports, 1, "the last statistics, once");
    assert_eq!((drain.finish(&mut file), logger.statistics().used), (Ok(true), 0));
}

#[test]
fn another_drain_tells_the_losses_of_the_one_before() {
    NOW.set(1_000_000);
    let logger = started::<512>();
    for number in 0..60 {
        logger.log(&Small::numbered(number));
    }
    let drops = || {
        let mut drain = logger.drain().unwrap();
        drain.report_every(1_000_000);
        let mut file = File { piece: 4096, room: usize::MAX, ..File::default() };
        drain.finish(&mut file).unwrap();
        let drops = Records::new(&file.bytes).flatten().filter_map(|record| record.decode::<Dropped>().ok());
        drops.map(|drop| drop.dropped).collect::<Vec<_>>()
    };
    let dropped = logger.tally::<Small>().dropped;
    assert_eq!((drops(), drops()), (vec![dropped], vec![dropped]));
}

/// A card that is busy for a while: its writes take time, in which an interrupt logs.
struct Busy<'a> {
    logger: &'a Logger<Flight, 4096>,
    us: u64,
    records: u64,
    bytes: Vec<u8>,
}

impl ErrorType for Busy<'_> {
    type Error = ErrorKind;
}

impl Write for Busy<'_> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, ErrorKind> {
        for number in 0..self.records {
            assert!(log(self.logger, 3, number));
        }
        NOW.set(NOW.get() + self.us);
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<(), ErrorKind> {
        Ok(())
    }
}

#[test]
fn longest_stall_and_most_bytes_in_use_are_exact() {
    NOW.set(1_000_000);
    let logger = started::<4096>();
    let mut drain = logger.drain().unwrap();
    drain.report_ring_every(1_000_000);
    let mut file = Busy { logger: &logger, us: 0, records: 0, bytes: Vec::new() };
    drain.catch_up(&mut file).unwrap();
    // An empty ring doesn't stall, however long nobody logs.
    NOW.set(1_500_000);
    drain.catch_up(&mut file).unwrap();
    assert_eq!(logger.statistics().longest_stall_us, 0);
    // 3 ms until the drain's call, and 250 ms of the card, in which ten records come.
    log(&logger, 3, 1);
    NOW.set(1_503_000);
    (file.us, file.records) = (250_000, 10);
    drain.step(&mut file).unwrap();
    (file.us, file.records) = (10, 0);
    let statistics = logger.statistics();
    assert_eq!((statistics.longest_stall_us, statistics.high_water as usize), (253_000, 11 * length(3)));
    drain.catch_up(&mut file).unwrap();
    // The statistics, two records of 10 us each.
    NOW.set(2_000_000);
    drain.catch_up(&mut file).unwrap();
    // Since the report, less.
    log(&logger, 3, 1);
    NOW.set(2_040_000);
    drain.catch_up(&mut file).unwrap();
    NOW.set(3_100_000);
    drain.catch_up(&mut file).unwrap();
    let rings: Vec<_> =
        Records::new(&file.bytes).flatten().filter_map(|record| record.decode::<messages::Ring>().ok()).collect();
    let rings: Vec<_> = rings.iter().map(|ring| ({ ring.size }, { ring.used }, { ring.stall_us })).collect();
    assert_eq!(rings, [(4096, 11 * length(3) as u32, 253_000), (4096, length(3) as u32, 39_990)]);
    assert_eq!(logger.statistics().longest_stall_us, 253_000);
}
