//! Wall time of writing, compared with C and with `memcpy`. They take turns, so that noise hits both alike.
//!
//! `cargo bench -p binlog-performance`; `tests/performance/instructions` counts what repeats exactly.

use binlog::{LogWriter, Logs};
use binlog_performance::timing::{median, time};
use binlog_performance::{
    Filler, INPUTS, Input, Long, Middle, Short, SpeedLog, encode_att, encode_ctun, floor_att, floor_ctun,
};
use std::hint::black_box;
use std::io;
use std::time::Duration;

const ROUNDS: usize = 21;
const MEMORY: usize = 256 * 1024 * 1024;
/// A size that stays in the first-level cache.
const PIECE: usize = 16 * 1024;

/// Median times of two pieces of work that take turns.
fn side_by_side(mut a: impl FnMut(), mut b: impl FnMut()) -> (Duration, Duration) {
    let (mut of_a, mut of_b) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        of_a.push(time(&mut a));
        of_b.push(time(&mut b));
    }
    (median(of_a), median(of_b))
}

type Encode = fn(&[Input; 16], &mut [u8], usize) -> usize;

fn encode(name: &str, ours: Encode, floor: Encode) {
    const RECORDS: usize = 1_000_000;
    let (mut out, mut floor_out) = (vec![0; 64 * 1024], vec![0; 64 * 1024]);
    let (ours, floor) = side_by_side(
        || assert!(ours(black_box(&INPUTS), black_box(&mut out), RECORDS) > 0),
        || assert!(floor(black_box(&INPUTS), black_box(&mut floor_out), RECORDS) > 0),
    );
    let nanoseconds = |time: Duration| time.as_secs_f64() * 1e9 / RECORDS as f64;
    println!(
        "encode {name:<24} {:6.2} ns a record, C {:6.2} ns, {:.2} of C's time",
        nanoseconds(ours),
        nanoseconds(floor),
        ours.as_secs_f64() / floor.as_secs_f64(),
    );
}

/// `LogWriter` into its buffer, and `memcpy` of the same number of bytes into the same memory, which was touched
/// before. `memcpy` copies from a log in memory, and from a piece that stays in the cache, as the records do. Plain
/// stores of whole cache lines show the most that the memory accepts from code that stores as it goes.
fn to_memory<M: Filler>()
where
    SpeedLog: Logs<M>,
{
    let length = M::DEFINITION.length();
    let messages: Vec<M> = (0..64).map(M::fill).collect();
    let records = MEMORY / length / messages.len() * messages.len();
    let source = vec![2; records * length];
    let (mut memcpy, mut cached, mut stores, mut ours) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS / 3 {
        let mut memory = vec![1; MEMORY];
        for _ in 0..3 {
            memcpy.push(time(|| black_box(&mut memory[..source.len()]).copy_from_slice(black_box(&source[..]))));
            cached.push(time(|| {
                for piece in black_box(&mut memory[..source.len()]).chunks_mut(PIECE) {
                    piece.copy_from_slice(black_box(&source[..piece.len()]));
                }
            }));
            stores.push(time(|| {
                for (i, line) in memory.as_chunks_mut::<64>().0.iter_mut().enumerate() {
                    *line = [i as u8; 64];
                }
                black_box(&mut memory);
            }));
        }
        let mut log = LogWriter::<SpeedLog, _>::with_buffer(memory, io::sink()).expect("it takes all");
        for _ in 0..3 {
            ours.push(time(|| {
                for _ in 0..records / messages.len() {
                    for message in black_box(&messages) {
                        log.write(message).expect("room for all records");
                    }
                }
            }));
            log.flush().expect("it takes all");
        }
        assert_eq!(log.record_count(), 3 * records as u64);
    }
    let gigabytes = |times: Vec<Duration>| source.len() as f64 / median(times).as_secs_f64() / 1e9;
    let (memcpy, cached, stores, ours) = (gigabytes(memcpy), gigabytes(cached), gigabytes(stores), gigabytes(ours));
    println!(
        "LogWriter {length:3} bytes a record {ours:6.2} GB/s: {:3.0} % of memcpy from memory ({memcpy:.2}), {:3.0} % from \
         the cache ({cached:.2}), {:3.0} % of plain stores ({stores:.2})",
        100.0 * ours / memcpy,
        100.0 * ours / cached,
        100.0 * ours / stores,
    );
}

fn main() {
    encode("ATT (28 bytes)", encode_att, floor_att);
    encode("CTUN (51 bytes)", encode_ctun, floor_ctun);
    to_memory::<Short>();
    to_memory::<Middle>();
    to_memory::<Long>();
}
