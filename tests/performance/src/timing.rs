//! Wall time.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// Time of some work, without what it takes to drop its result.
pub fn time<T>(work: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    let result = black_box(work());
    let time = start.elapsed();
    drop(result);
    time
}

/// The median; there is at least one.
pub fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}
