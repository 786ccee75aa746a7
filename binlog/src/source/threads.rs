//! Work that several threads share.

use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};
use std::thread;

/// The number of threads for this number of bytes: that of the processors, or fewer, so that each has at least `least`
/// of the bytes. At least one.
pub(crate) fn threads_for(bytes: usize, least: usize) -> NonZero<usize> {
    const ONE: NonZero<usize> = NonZero::<usize>::MIN;
    match NonZero::new(bytes / least) {
        // The number of processors is read from files of the system.
        None | Some(ONE) => ONE,
        Some(shares) => thread::available_parallelism().unwrap_or(ONE).min(shares),
    }
}

/// Does the same work in several threads, of which this one is the first, and returns what each makes of it. A thread
/// that the system doesn't start is left out, so the work takes its items from what they all share.
pub(crate) fn in_threads<T: Send>(threads: NonZero<usize>, work: impl Fn() -> T + Sync) -> Vec<T> {
    thread::scope(|scope| {
        let start = |_| thread::Builder::new().spawn_scoped(scope, &work).ok();
        let others: Vec<_> = (1..threads.get()).map_while(start).collect();
        let mut all = vec![work()];
        all.extend(others.into_iter().map(|other| other.join().unwrap_or_else(|panic| resume_unwind(panic))));
        all
    })
}

/// The next of items that threads share.
pub(crate) fn next<I: Iterator>(items: &Mutex<I>) -> Option<I::Item> {
    items.lock().unwrap_or_else(PoisonError::into_inner).next()
}
