//! Wall time of reading Blackbox logs, compared with `blackbox-log`. They take turns, so that noise hits both alike.
//!
//! The log is a real one, repeated; each of its sessions is decoded on its own. Without real logs there is nothing to
//! measure: set `BINLOG_SHARED` (see CONTRIBUTING.md).

use binlog::blackbox::BlackboxLog;
use binlog::blackbox::log::Tables;
use binlog_performance::betaflight::{MainFrame, MainFrameWithMag};
use binlog_performance::blackbox::{rows, structs};
use binlog_performance::timing::{median, time};
use blackbox_log::frame::Frame as _;
use blackbox_log::{File, ParserEvent};
use std::hint::black_box;
use std::num::NonZero;
use std::path::PathBuf;
use std::time::Duration;

const ROUNDS: usize = 11;
/// `blackbox-log` takes longer, so it runs in every second round only.
const PEER: usize = 2;
const LOG_BYTES: usize = 36_000_000;

fn columns(log: &[u8], threads: NonZero<usize>) -> Vec<Tables> {
    BlackboxLog::from_bytes(log).tables_with(threads)
}

/// As [`rows`], by `blackbox-log`, of main frames only.
fn peer_rows(log: &[u8]) -> u64 {
    let mut sum = 0_u64;
    for headers in File::new(log).iter().flatten() {
        let mut parser = headers.data_parser();
        while let Some(event) = parser.next() {
            if let ParserEvent::Main(frame) = event {
                sum = frame.iter_raw().fold(sum, |sum, value| sum.wrapping_add(value.into()));
            }
        }
    }
    sum
}

/// As [`columns`], by `blackbox-log`, of main frames only.
fn peer_columns(log: &[u8]) -> Vec<Vec<Vec<u32>>> {
    let mut all = Vec::new();
    let file = File::new(log);
    for session in 0..file.log_count() {
        let Some(Ok(headers)) = file.parse(session) else { continue };
        let mut parser = headers.data_parser();
        let mut columns: Vec<Vec<u32>> = Vec::new();
        while let Some(event) = parser.next() {
            let ParserEvent::Main(frame) = event else { continue };
            columns.resize(frame.len() + 1, Vec::new());
            let values = frame.iter_raw().chain([frame.time_raw() as u32]);
            columns.iter_mut().zip(values).for_each(|(column, value)| column.push(value));
        }
        all.push(columns);
    }
    all
}

/// Measures and prints a row.
fn compare<T, P>(name: &str, bytes: usize, ours: impl Fn() -> T, peer: impl Fn() -> P) {
    let (mut of_ours, mut of_peer) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        of_ours.push(time(|| black_box(ours())));
        if round % PEER == 0 {
            of_peer.push(time(|| black_box(peer())));
        }
    }
    let rate = |times: Vec<Duration>| bytes as f64 / median(times).as_secs_f64() / 1e6;
    let (ours, peer) = (rate(of_ours), rate(of_peer));
    println!("{name:<34} {ours:6.0} MB/s, blackbox-log {peer:6.0} MB/s, {:5.2} times", ours / peer);
}

fn main() {
    let folder = std::env::var_os("BINLOG_SHARED")
        .map_or_else(|| concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared").into(), PathBuf::from);
    type Read = fn(&[u8]) -> u64;
    let logs: [(_, Read); 2] =
        [("fcbb_btfl_001.bbl", structs::<MainFrame>), ("fcbb_LOG00037.BFL", structs::<MainFrameWithMag>)];
    for (name, structs) in logs {
        let path = folder.join("blackbox-logs").join(name);
        let Ok(log) = std::fs::read(&path) else {
            eprintln!("{} can't be read; nothing is measured", path.display());
            continue;
        };
        let log = log.repeat(LOG_BYTES.div_ceil(log.len()));
        let two = NonZero::new(2).unwrap_or(NonZero::<usize>::MIN);
        println!("{name}, {:.1} MB", log.len() as f64 / 1e6);
        compare("rows", log.len(), || rows(&log), || peer_rows(&log));
        compare("structs of a derived schema", log.len(), || structs(&log), || peer_rows(&log));
        compare("columns, one thread", log.len(), || columns(&log, NonZero::<usize>::MIN), || peer_columns(&log));
        compare("columns, two threads", log.len(), || columns(&log, two), || peer_columns(&log));
    }
}
