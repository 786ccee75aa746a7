//! Work that all processors share.

use std::iter;
use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// The number of processors.
pub fn processors() -> NonZero<usize> {
    thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN)
}

/// What work makes of each item, in the order of the items. After each item of this thread, `check` may end the work
/// with an error: the other threads end after the items at which they are.
pub fn each<I: Sync, T: Send, E>(
    items: &[I],
    work: impl Fn(&I) -> T + Sync,
    mut check: impl FnMut() -> Result<(), E>,
) -> Result<Vec<T>, E> {
    let next = AtomicUsize::new(0);
    let one = || {
        let place = next.fetch_add(1, Ordering::Relaxed);
        items.get(place).map(|item| (place, work(item)))
    };
    let mut found = thread::scope(|scope| {
        // This thread does everything if the system has no more threads.
        let start = |_| thread::Builder::new().spawn_scoped(scope, || iter::from_fn(one).collect::<Vec<_>>()).ok();
        let others: Vec<_> = (1..processors().get().min(items.len())).map_while(start).collect();
        let own: Result<Vec<_>, E> = iter::from_fn(one).map(|found| check().map(|()| found)).collect();
        next.store(items.len(), Ordering::Relaxed);
        let mut found = own?;
        for other in others {
            found.extend(other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        Ok(found)
    })?;
    found.sort_unstable_by_key(|(place, _)| *place);
    Ok(found.into_iter().map(|(_, found)| found).collect())
}
