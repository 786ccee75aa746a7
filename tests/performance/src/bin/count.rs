//! One piece of work, for callgrind: `count WORK RECORDS`.

use binlog_performance::blackbox;
use binlog_performance::read::{c, long_log, ours, records};
use binlog_performance::{
    INPUTS, Input, decode_att, encode_att, encode_ctun, floor_att, floor_ctun, host_att, shared_att,
};
use std::hint::black_box;
use std::num::NonZero;
use std::process::ExitCode;

/// Work on a number of records.
enum Work {
    /// Into a buffer.
    Write(fn(&[Input; 16], &mut [u8], usize) -> usize),
    /// Blackbox frames into a buffer.
    Blackbox(fn(&[blackbox::MainFrame], &mut [u8], usize) -> usize),
    /// On a Blackbox log with that number of main frames.
    BlackboxRead(fn(&[u8]) -> u64),
    /// On a log with that number of records.
    Read(fn(&[u8])),
    /// On a log with more records of the type, all of which are located first.
    Scan(fn(&[u8], usize) -> u64),
}

const WORKS: [(&str, Work); 27] = [
    ("att", Work::Write(encode_att)),
    ("c-att", Work::Write(floor_att)),
    ("ctun", Work::Write(encode_ctun)),
    ("c-ctun", Work::Write(floor_ctun)),
    ("host-att", Work::Write(host_att)),
    ("shared-att", Work::Write(shared_att)),
    ("blackbox", Work::Blackbox(blackbox::ours)),
    ("c-blackbox", Work::Blackbox(blackbox::theirs)),
    ("read-blackbox", Work::BlackboxRead(blackbox::rows)),
    ("read-structs", Work::BlackboxRead(blackbox::structs::<blackbox::MainFrame>)),
    ("decode-att", Work::Write(decode_att)),
    ("read-records", Work::Read(|log| _ = black_box(ours::records(log)))),
    ("read-times", Work::Read(|log| _ = black_box(ours::times(log)))),
    ("read-index", Work::Read(|log| drop(black_box(ours::index(log))))),
    ("c-read-index", Work::Read(|log| drop(black_box(c::Index::new(log))))),
    ("read-range", Work::Read(|log| _ = black_box(ours::index(log).time_range_us()))),
    ("read-columns", Work::Read(|log| drop(black_box(ours::columns(log, NonZero::<usize>::MIN))))),
    ("c-read-columns", Work::Read(|log| drop(black_box(c::Columns::native(log))))),
    ("read-f64", Work::Read(|log| drop(black_box(ours::f64(log, NonZero::<usize>::MIN))))),
    ("c-read-f64", Work::Read(|log| drop(black_box(c::Columns::f64(log))))),
    ("read-scaled", Work::Read(|log| drop(black_box(ours::scaled(log, NonZero::<usize>::MIN))))),
    ("read-types", Work::Read(|log| drop(black_box(ours::by_type(log))))),
    ("read-replayed", Work::Read(|log| drop(black_box(ours::replayed_columns(log))))),
    ("replay-rows", Work::Read(|log| _ = black_box(ours::replayed_rows(log)))),
    ("replay-messages", Work::Read(|log| _ = black_box(ours::replayed_messages(log)))),
    ("read-sum", Work::Scan(|log, records| ours::Attitudes::new(log).sum(records))),
    ("c-read-sum", Work::Scan(|log, records| c::Index::new(log).attitudes().sum(records))),
];

/// All logs that are read are a prefix of this one, so that making them costs the same for any number of records.
const LOG_BYTES: usize = 8_000_000;

/// Likewise the frames of the Blackbox log.
const BLACKBOX_FRAMES: usize = 60_000;

fn main() -> ExitCode {
    match run(&std::env::args().skip(1).collect::<Vec<_>>()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<(), String> {
    let names = WORKS.map(|(name, _)| name).join(", ");
    let [name, records] = arguments else {
        return Err(format!("usage: count WORK RECORDS, where WORK is one of {names}"));
    };
    let count = records.parse().map_err(|_| format!("{records} is not a number of records"))?;
    let Some((_, work)) = WORKS.iter().find(|(other, _)| other == name) else {
        return Err(format!("there is no work {name}; it is one of {names}"));
    };
    match work {
        Work::Write(work) => {
            let mut out = vec![0; 64 * 1024];
            black_box(work(black_box(&INPUTS), black_box(&mut out), count));
        }
        Work::Blackbox(work) => {
            let mut out = vec![0; 64 * 1024];
            black_box(work(black_box(&blackbox::frames()), black_box(&mut out), count));
        }
        Work::BlackboxRead(work) => {
            let (log, starts) = blackbox::long_log(BLACKBOX_FRAMES);
            let end = *starts.get(count).ok_or(format!("the log has no more than {BLACKBOX_FRAMES} frames"))?;
            black_box(work(&log[..end]));
        }
        Work::Read(work) => {
            let log = long_log(LOG_BYTES);
            let mut offsets: Vec<u32> = records::index(&log).concat();
            offsets.sort_unstable();
            let end = *offsets.get(count).ok_or(format!("the log has no more than {} records", offsets.len()))?;
            work(&log[..end as usize]);
        }
        Work::Scan(work) => {
            let log = long_log(LOG_BYTES);
            black_box(work(&log, count));
        }
    }
    Ok(())
}
