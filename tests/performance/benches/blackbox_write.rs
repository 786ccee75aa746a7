//! Wall time of Blackbox frames, compared with C. They take turns, so that noise hits both alike.
//!
//! `cargo bench -p binlog-performance --bench blackbox_write`

use binlog_performance::blackbox::{frames, ours, theirs};
use binlog_performance::timing::{median, time};
use std::hint::black_box;
use std::time::Duration;

const ROUNDS: usize = 41;
const RECORDS: usize = 400_000;

fn main() {
    let frames = frames();
    let (mut our_out, mut their_out) = (vec![0; 64 * 1024], vec![0; 64 * 1024]);
    let (mut of_ours, mut of_theirs, mut bytes) = (Vec::new(), Vec::new(), 0);
    for _ in 0..ROUNDS {
        of_ours.push(time(|| bytes = ours(black_box(&frames), black_box(&mut our_out), RECORDS)));
        of_theirs.push(time(|| theirs(black_box(&frames), black_box(&mut their_out), RECORDS)));
    }
    let (ours, theirs) = (median(of_ours), median(of_theirs));
    let nanoseconds = |time: Duration| time.as_secs_f64() * 1e9 / RECORDS as f64;
    println!(
        "encode Blackbox, {:.1} bytes a frame: {:.1} ns, C {:.1} ns, {:.2} of C's time",
        bytes as f64 / RECORDS as f64,
        nanoseconds(ours),
        nanoseconds(theirs),
        ours.as_secs_f64() / theirs.as_secs_f64(),
    );
}
