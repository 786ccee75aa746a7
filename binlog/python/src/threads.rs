//! Work that all processors share.

use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// The number of processors.
pub fn processors() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

/// What work makes of each item, in the order of the items.
pub fn each<I: Sync, T: Send>(items: &[I], work: impl Fn(&I) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut found = Vec::new();
        while let place = next.fetch_add(1, Ordering::Relaxed)
            && let Some(item) = items.get(place)
        {
            found.push((place, work(item)));
        }
        found
    };
    let found = thread::scope(|scope| {
        // This thread does everything if the system has no more threads.
        let start = |_| thread::Builder::new().spawn_scoped(scope, work).ok();
        let others: Vec<_> = (1..processors().min(items.len())).filter_map(start).collect();
        let mut found = work();
        for other in others {
            found.extend(other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        found
    });
    let mut all: Vec<Option<T>> = items.iter().map(|_| None).collect();
    found.into_iter().for_each(|(place, found)| all[place] = Some(found));
    all.into_iter().flatten().collect()
}
