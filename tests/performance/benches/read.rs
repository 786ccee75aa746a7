//! Wall time of reading, compared with C and with `rust_dataflash_parser`. They take turns, so that noise hits all
//! alike.
//!
//! The log is in memory, except where a row says otherwise. Freeing the result is not part of the times; the page
//! faults of new memory are, and they are most of the cost of columns.

use binlog::{Log, LogMessage, Scaling};
use binlog_performance::Attitude;
use binlog_performance::read::ours::Opened;
use binlog_performance::read::{c, long_log, ours};
use binlog_performance::timing::{median, time};
use rust_dataflash_parser::{FieldArray, LogSession, Parallelism};
use std::fs;
use std::num::NonZero;
use std::path::Path;
use std::thread;
use std::time::Duration;

const ROUNDS: usize = 21;
/// The parser takes longer, so it runs in every fourth round only.
const PARSER: usize = 4;
/// C and the parser use one thread.
const ONE: NonZero<usize> = NonZero::<usize>::MIN;
const LOG_BYTES: usize = 64 * 1024 * 1024;

/// A piece of work that times itself.
type Work<'a> = Box<dyn FnMut() -> Duration + 'a>;

/// Measures and prints a row. `bytes` is what was read, for the rate.
fn row(name: &str, bytes: usize, mut ours: Work, mut c: Work, mut parser: Option<Work>) {
    let (mut of_ours, mut of_c, mut of_parser) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        of_ours.push(ours());
        of_c.push(c());
        if let Some(parser) = parser.as_mut().filter(|_| round % PARSER == 0) {
            of_parser.push(parser());
        }
    }
    let seconds = |times| median(times).as_secs_f64();
    let figures = |seconds: f64| format!("{:8.2} ms {:6.0} MB/s", seconds * 1e3, bytes as f64 / seconds / 1e6);
    let (ours, c) = (seconds(of_ours), seconds(of_c));
    print!("{name:<32} {}, C {}, {:5.2} of C's time", figures(ours), figures(c), ours / c);
    if parser.is_some() {
        let parser = seconds(of_parser);
        print!(", parser {}, {:5.1} times ours", figures(parser), parser / ours);
    }
    println!();
}

/// The parser with a log in memory, not yet read. Copying the log for it is not part of the time.
fn session(log: &[u8]) -> LogSession {
    LogSession::from_bytes(log.to_vec())
}

fn indexed(mut session: LogSession) -> LogSession {
    session.index().expect("a sound log");
    session
}

/// All types. Those with instances are listed by instance, too, and loaded with all of them by either name.
fn loaded(session: LogSession) -> LogSession {
    let mut session = indexed(session);
    let mut names = session.available_message_types();
    names.retain(|name| !name.contains('['));
    session.load_messages(&names, Parallelism::Sequential).expect("a sound log");
    session
}

fn parser_column(path: &Path, name: &str, label: &str) -> Vec<f64> {
    match indexed(LogSession::open(path).expect("a readable log")).get(name, label) {
        Ok(FieldArray::Numeric(values)) => values,
        other => panic!("{name}.{label} is {other:?}"),
    }
}

/// `index`, and every field in both ways, on a log in memory.
fn all_types(log: &[u8]) {
    let parse = |work: fn(LogSession) -> LogSession| -> Option<Work> {
        Some(Box::new(move || {
            let session = session(log);
            time(|| work(session))
        }))
    };
    row(
        "index of all types",
        log.len(),
        Box::new(|| time(|| ours::index(log))),
        Box::new(|| time(|| c::Index::new(log))),
        parse(indexed),
    );
    for (threads, of_threads) in [(ONE, ""), (all_threads(), ", all threads")] {
        row(
            &format!("every field, native{of_threads}"),
            log.len(),
            Box::new(|| time(|| ours::columns(log, threads))),
            Box::new(|| time(|| c::Columns::native(log))),
            // The parser has doubles only.
            parse(loaded),
        );
        row(
            &format!("every field, f64{of_threads}"),
            log.len(),
            Box::new(|| time(|| ours::f64(log, threads))),
            Box::new(|| time(|| c::Columns::f64(log))),
            parse(loaded),
        );
    }
}

/// As many threads as `Log::tables` uses.
fn all_threads() -> NonZero<usize> {
    thread::available_parallelism().unwrap_or(ONE)
}

/// One column of a file in the system's cache, including opening the file.
fn one_column(log: &[u8]) {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    fs::write(file.path(), log).expect("room for the log");
    let c = || c::FileColumn::read(file.path(), "ATT", "Roll").expect("a file to map");
    let parser = || parser_column(file.path(), "ATT", "Roll");
    for (name, opened) in [
        ("one column of a file, mapped", Opened::Mapped),
        ("one column, read in pieces", Opened::InPieces),
        ("one column, read as a whole", Opened::Whole),
    ] {
        let ours = || ours::file_column(file.path(), opened, "ATT.Roll").expect("a readable log");
        assert!(!c().is_empty());
        assert_eq!(*c(), *ours());
        assert_eq!(*c(), *parser());
        let (ours, c, parser) = (|| time(ours), || time(c), || time(parser));
        row(name, log.len(), Box::new(ours), Box::new(c), Some(Box::new(parser)));
    }
}

/// A part of the work, beside the whole.
fn share(name: &str, mut part: impl FnMut() -> Duration, whole_name: &str, mut whole: impl FnMut() -> Duration) {
    let (mut of_part, mut of_whole) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        of_part.push(part());
        of_whole.push(whole());
    }
    let [part, whole] = [of_part, of_whole].map(|times| median(times).as_secs_f64());
    println!("{name:<32} {:8.3} ms, {whole_name} {:8.2} ms, {:5.3} of it", part * 1e3, whole * 1e3, part / whole);
}

/// What a program that asks for one thing after another pays.
fn piece_by_piece(log: &[u8]) {
    share(
        "each type by itself",
        || time(|| ours::by_type(log)),
        "all at once",
        || time(|| ours::scaled(log, all_threads())),
    );
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    fs::write(file.path(), log).expect("room for the log");
    let open = || time(|| ours::file_column(file.path(), Opened::Whole, "ATT.Roll").expect("a readable log"));
    let indexed = Log::from_bytes(log);
    indexed.skipped();
    let column = || time(|| indexed.numbers("ATT.Roll", Scaling::Shown).expect("a column"));
    share("one column of an indexed log", column, "of a file", open);
    share("the schema of a type", || time(|| ours::schema(&indexed, "ATT")), "one column", column);
}

/// The records of ATT alone, located before.
fn typed_scan(log: &[u8]) {
    let (index, ours) = (c::Index::new(log), ours::Attitudes::new(log));
    let c = index.attitudes();
    let records = c.count();
    assert_eq!(records, ours.count());
    assert_eq!(c.sum(records), ours.sum(records));
    row(
        "typed scan of ATT, found",
        records * Attitude::DEFINITION.length(),
        Box::new(|| time(|| ours.sum(records))),
        Box::new(|| time(|| c.sum(records))),
        None,
    );
}

fn main() {
    c::with_fresh_memory();
    let log = long_log(LOG_BYTES);
    println!("a log of {:.1} MB; parser: rust_dataflash_parser", log.len() as f64 / 1e6);
    all_types(&log);
    one_column(&log);
    piece_by_piece(&log);
    typed_scan(&log);
}
