//! Logs made to be expensive: memory and steps grow linearly with the log.
//!
//! Time isn't measured: a single operation that is quadratic in one of these logs would take hours.

use binlog::log::Rows;
use binlog::{Log, LogSchema, Scaling, messages};
use binlog_tests::payload;
use binlog_tests::raw_log::RawLog;
use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Counts the bytes that are in use.
struct Counting;

static NOW: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

/// One test at a time, as the count is of all.
fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Counting {
    fn grow(bytes: usize) {
        let now = NOW.fetch_add(bytes, Ordering::Relaxed) + bytes;
        PEAK.fetch_max(now, Ordering::Relaxed);
    }
}

// SAFETY: all is left to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        Counting::grow(layout.size());
        // SAFETY: the caller's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        Counting::grow(layout.size());
        // SAFETY: the caller's.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // Where it moves, both are there for a moment.
        Counting::grow(size);
        NOW.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's.
        unsafe { System.realloc(at, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[derive(LogSchema)]
#[allow(dead_code, reason = "only read")]
enum Schema {
    Mode(messages::Mode),
    Parm(messages::Parm),
    Msg(messages::Msg),
}

type Operation = (&'static str, fn(&Log<'_>));
type Maker = (&'static str, fn(u32) -> RawLog);

/// Every operation of [`Log`], on the log as a whole or on the types that [`each`] picks.
const OPERATIONS: [Operation; 25] = [
    ("skipped and suspects", |log| done((log.skipped().len(), log.suspects().len()))),
    ("types", |log| done(log.types().map(|rows| rows.len()).sum::<usize>())),
    ("records", |log| done(log.records().count())),
    ("definitions", |log| each(log, |rows| done(rows.definitions().count()))),
    ("by_definition", |log| {
        each(log, |rows| done(rows.by_definition().map(|rows| rows.len()).sum::<usize>()));
    }),
    ("labels", |log| each(log, |rows| done(rows.labels()))),
    ("a rows' records", |log| {
        each(log, |rows| done(rows.records().map(|record| record.values().count()).sum::<usize>()));
    }),
    ("instances", |log| each(log, |rows| done(rows.instances()))),
    ("instance", |log| {
        each(log, |rows| done(log.rows(&format!("{}[7]", rows.name())).map(|rows| rows.len())));
    }),
    ("column", |log| each_column(log, |rows, label| done(rows.column(label)))),
    ("numbers", |log| each_column(log, |rows, label| done(rows.numbers(label, Scaling::Units)))),
    ("times_us", |log| each(log, |rows| done(rows.times_us()))),
    ("tables", |log| done(log.tables())),
    ("tables_f64", |log| done(log.tables_f64(Scaling::Shown))),
    ("typed", |log| {
        done(log.typed::<messages::Parm>().map(Iterator::count));
        done(log.typed::<messages::Fmt>().map(Iterator::count));
    }),
    ("messages", |log| done(log.messages::<Schema>().map(Iterator::count))),
    ("schema", |log| done(log.schema())),
    ("clock, time_range_us and vehicle", |log| done((log.clock(), log.time_range_us(), log.vehicle()))),
    ("boots", |log| done(log.boots().map(|boot| boot.time_range_us()).collect::<Vec<_>>())),
    ("parameters", |log| done(log.parameters())),
    ("texts", |log| done(log.texts())),
    ("modes", |log| done(log.modes())),
    ("armed", |log| done(log.armed())),
    ("files", |log| log.files().iter().for_each(|file| done(file.contents()))),
    ("batches", |log| done(log.batches())),
];

/// Keeps the compiler from removing an operation whose result isn't used.
fn done<T>(result: T) {
    drop(black_box(result));
}

/// Looks at the first types; one that has no times is a pass over the log.
fn each(log: &Log<'_>, look: impl Fn(&Rows<'_>)) {
    log.types().take(5).for_each(|rows| look(&rows));
}

fn each_column(log: &Log<'_>, look: impl Fn(&Rows<'_>, &str)) {
    each(log, |rows| rows.labels().into_iter().take(2).for_each(|label| look(rows, label)));
}

/// A name of four letters for each number.
fn name(number: u32) -> String {
    (0..4).map(|i| char::from(b'A' + (number / 26_u32.pow(i) % 26) as u8)).collect()
}

/// A number for each number, in no order.
fn scattered(number: u32) -> u32 {
    number.wrapping_mul(2_654_435_761)
}

/// Logs of about `records` records, by what makes them expensive.
const LOGS: [Maker; 25] = [
    ("redefinitions of one name", |count| {
        let mut log = RawLog::with_units();
        for i in 0..count / 3 {
            log.fmt(1, "ABC", "QB", &format!("TimeUS,L{i}")).fmtu(1, "s#", "F-");
            log.record(1, &payload![u64::from(i), i as u8]);
        }
        log
    }),
    ("redefinitions there and back", |count| {
        let mut log = RawLog::with_units();
        for i in 0..count / 3 {
            log.fmt(1, "ABC", "QB", &format!("TimeUS,L{}", i % 2)).fmtu(1, "s#", "F-");
            log.record(1, &payload![u64::from(i), i as u8]);
        }
        log
    }),
    ("names", |count| {
        let mut log = RawLog::new();
        for i in 0..count / 2 {
            log.fmt(1, &name(i), "B", "A").record(1, &[i as u8]);
        }
        log
    }),
    ("definitions of 16 columns with units that change each time", |count| {
        let mut log = RawLog::with_units();
        for i in 0..count / 5 {
            let labels = format!("L{i:07},a,b,c,d,e,f,g,h,i,j,k,l,m,n,o");
            log.unit('m', "m").mult('B', 0.01).fmt(1, "ABC", "BBBBBBBBBBBBBBBB", &labels);
            log.fmtu(1, "mmmmmmmmmmmmmmmm", "BBBBBBBBBBBBBBBB").record(1, &[0; 16]);
        }
        log
    }),
    ("records of nothing but a header", |count| {
        let mut log = RawLog::new();
        log.fmt(1, "NULL", "", "");
        (0..count).for_each(|_| _ = log.record(1, &[]));
        log
    }),
    ("records of two layouts in turn", |count| {
        let mut log = RawLog::new();
        log.fmt(1, "TWO", "", "").fmt(2, "TWO", "B", "A");
        (0..count / 2).for_each(|_| _ = log.record(1, &[]).record(2, &[1]));
        log
    }),
    ("boots, each with a type of its own", |count| {
        let mut log = RawLog::empty();
        for i in 0..count / 3 {
            log.raw(&RawLog::new().bytes).fmt(1, &name(i), "Q", "TimeUS").record(1, &payload![u64::from(i)]);
        }
        log
    }),
    ("junk between records", |count| {
        let mut log = RawLog::new();
        log.fmt(1, "NULL", "", "");
        (0..count / 3).for_each(|_| _ = log.record(1, &[]).record(1, &[]).record(1, &[0]));
        log
    }),
    ("unknown ids between records", |count| {
        let mut log = RawLog::new();
        log.fmt(1, "NULL", "", "");
        (0..count / 2).for_each(|_| _ = log.record(1, &[]).record(7, &[]));
        log
    }),
    ("headers of long records in each other", |count| {
        let mut log = RawLog::new();
        log.fmt_of_length(1, 255, "LONG", "", "");
        (0..count).for_each(|_| _ = log.record(1, &[]));
        log
    }),
    ("halves of headers", |count| {
        let mut log = RawLog::new();
        (0..count).for_each(|_| _ = log.raw(&[0xA3]));
        log
    }),
    ("instances", |count| {
        let mut log = RawLog::with_units();
        log.fmt(1, "X", "I", "I").fmtu(1, "#", "-");
        (0..count).for_each(|i| _ = log.record(1, &payload![scattered(i)]));
        log
    }),
    ("instances with names", |count| {
        let mut log = RawLog::with_units();
        log.fmt(1, "X", "n", "I").fmtu(1, "#", "-");
        (0..count).for_each(|i| _ = log.record(1, &payload![scattered(i)]));
        log
    }),
    ("a file whose pieces descend", |count| file(count, |i| u32::MAX - 64 * i)),
    ("a file with gaps", |count| file(count, |i| i << 10)),
    ("a file whose pieces overlap", |count| file(count / 4, |i| 1_000_000_000 - i)),
    ("a file in bytes in no order", |count| {
        let mut log = RawLog::new();
        log.fmt(1, "FILE", "nIBn", "FileName,Offset,Length,Data");
        (0..count).for_each(|i| _ = log.record(1, &payload![*b"file", scattered(i), 1_u8, *b"byte"]));
        log
    }),
    ("files", |count| {
        let mut log = RawLog::new();
        log.fmt(1, "FILE", "nBn", "FileName,Offset,Data");
        (0..count).for_each(|i| _ = log.record(1, &payload![i, 0_u8, *b"file"]));
        log
    }),
    ("texts", |count| {
        let mut log = RawLog::new();
        log.fmt(1, "MSG", "n", "Message");
        (0..count).for_each(|_| _ = log.record(1, b"text"));
        log
    }),
    ("parts of texts", |count| {
        let mut log = RawLog::new();
        log.fmt(1, "MSG", "BBn", "ID,Seq,Message");
        (0..count).for_each(|i| _ = log.record(1, &payload![i as u8, (i >> 8) as u8, *b"part"]));
        log
    }),
    ("modes", |count| {
        let mut log = RawLog::new();
        log.fmt(2, "VER", "B", "BU").record(2, &[2]).fmt(1, "MODE", "M", "Mode");
        (0..count).for_each(|i| _ = log.record(1, &[i as u8]));
        log
    }),
    ("parameters", |count| {
        let mut log = RawLog::new();
        log.fmt(1, "PARM", "nB", "Name,Value");
        (0..count).for_each(|i| _ = log.record(1, &payload![i, 1_u8]));
        log
    }),
    ("arming", |count| {
        let mut log = RawLog::new();
        log.fmt(1, "ARM", "B", "ArmState");
        (0..count).for_each(|i| _ = log.record(1, &[i as u8 & 1]));
        log
    }),
    ("batches", |count| {
        let mut log = RawLog::new();
        log.fmt(1, "ISBH", "HBBBHBB", "N,type,instance,mul,smp_cnt,SampleUS,smp_rate");
        log.fmt(2, "ISBD", "HHaaa", "N,seqno,x,y,z");
        for i in 0..count / 8 {
            log.record(1, &payload![i as u16, 1_u8, 1_u8, 100_u8, u16::MAX, 1_u8, 1_u8]);
            log.record(2, &payload![i as u16, 2047_u16, [1_i16; 32], [1_i16; 32], [1_i16; 32]]);
        }
        log
    }),
    ("batches without samples", |count| {
        let mut log = RawLog::new();
        log.fmt(1, "ISBH", "HBBBBBB", "N,type,instance,mul,smp_cnt,SampleUS,smp_rate");
        (0..count).for_each(|i| _ = log.record(1, &payload![i as u16, 1_u8, 1_u8, 100_u8, 255_u8, 1_u8, 1_u8]));
        log
    }),
];

fn file(count: u32, offset: fn(u32) -> u32) -> RawLog {
    let mut log = RawLog::new();
    log.fmt(1, "FILE", "NIBZ", "FileName,Offset,Length,Data");
    for i in 0..count / 4 {
        log.record(1, &payload![[b'x'; 16], offset(i), 64_u8, [7_u8; 64]]);
    }
    log
}

fn log_called(name: &str, count: u32) -> RawLog {
    let (_, make) = LOGS.iter().find(|(other, _)| *other == name).expect("one of them");
    make(count)
}

/// The memory that reading may use: a number of bytes for each byte of the log, results included, plus a constant.
const A_BYTE: usize = 64;
const BESIDES: usize = 256 << 10;

#[test]
fn the_memory_of_every_operation_grows_linearly_with_the_log() {
    let _turn = turn();
    for (name, make) in LOGS {
        let bytes = make(20_000).bytes;
        let before = NOW.load(Ordering::Relaxed);
        let log = Log::from_bytes(&bytes);
        let mut most = 0;
        for (operation, operate) in OPERATIONS {
            PEAK.store(NOW.load(Ordering::Relaxed), Ordering::Relaxed);
            operate(&log);
            let peak = PEAK.load(Ordering::Relaxed) - before;
            let allowed = A_BYTE * bytes.len() + BESIDES;
            assert!(peak <= allowed, "{name}: {operation} takes {peak} bytes, {allowed} are allowed");
            most = most.max(peak);
        }
        println!("{name}: {} bytes, {:.1} times as much at most", bytes.len(), most as f64 / bytes.len() as f64);
    }
}

/// A batch of which only the last block exists: the numbers before it are missing.
#[test]
fn the_samples_of_a_batch_are_bounded_by_its_numbers() {
    let _turn = turn();
    let mut log = RawLog::new();
    log.fmt(1, "ISBH", "HBBBQBB", "N,type,instance,mul,smp_cnt,SampleUS,smp_rate");
    log.fmt(2, "ISBD", "HHaaa", "N,seqno,x,y,z");
    log.record(1, &payload![1_u16, 1_u8, 1_u8, 100_u8, u64::MAX, 1_u8, 1_u8]);
    log.record(2, &payload![1_u16, u16::MAX, [1_i16; 32], [1_i16; 32], [1_i16; 32]]);
    let batches = Log::from_bytes(&log.bytes).batches();
    assert_eq!(
        batches.iter().map(|batch| batch.samples().map(|axis| axis.len())).collect::<Vec<_>>(),
        [[65_536 * 32; 3]]
    );
}

/// What would be searched for again and again, of the number that it takes. With a search that isn't a look-up, each of
/// these operations is ten billion steps and more.
#[test]
fn the_steps_of_every_operation_grow_linearly_with_the_log() {
    let _turn = turn();
    let bytes = log_called("redefinitions of one name", 600_000).bytes;
    let log = Log::from_bytes(&bytes);
    let rows = log.rows("ABC").expect("the log has it");
    assert_eq!((rows.definitions().count(), rows.len()), (200_000, 200_000));
    assert_eq!(rows.numbers("TimeUS", Scaling::Stored).map(|times| times.len()), Ok(200_000));
    assert_eq!(rows.by_definition().count(), 200_000);
    assert_eq!(log.types().count(), 3);
    assert_eq!(log.tables().len(), 200_002);
    assert_eq!(log.schema().messages().count(), 200_004);

    let bytes = log_called("names", 200_000).bytes;
    let log = Log::from_bytes(&bytes);
    assert_eq!(log.types().count(), 100_001);
    assert_eq!(log.tables().len(), 100_001);
    assert!(log.types().skip(1).all(|rows| rows.numbers("A", Scaling::Shown).is_ok_and(|values| values.len() == 1)));

    let bytes = log_called("definitions of 16 columns with units that change each time", 500_000).bytes;
    assert_eq!(Log::from_bytes(&bytes).numbers("ABC.a", Scaling::Units).map(|values| values.len()), Ok(100_000));

    let bytes = log_called("instances", 1_000_000).bytes;
    assert_eq!(Log::from_bytes(&bytes).rows("X").map(|rows| rows.instances().len()), Ok(1_000_000));

    let bytes = log_called("a file whose pieces descend", 800_000).bytes;
    let [file] = &Log::from_bytes(&bytes).files()[..] else { panic!("one file") };
    assert_eq!(file.pieces.values().map(Vec::len).collect::<Vec<_>>(), [200_000 * 64]);

    let bytes = log_called("boots, each with a type of its own", 600_000).bytes;
    let log = Log::from_bytes(&bytes);
    assert_eq!((log.boots().len(), log.time_range_us()), (200_000, Some(0..=199_999)));

    let bytes = log_called("junk between records", 900_000).bytes;
    assert_eq!(Log::from_bytes(&bytes).skipped().len(), 300_000);
}
