//! State that every context of the program shares, behind a critical section.

#[cfg(not(loom))]
mod target {
    use core::cell::UnsafeCell;

    /// A value that is reached inside a critical section only.
    pub(crate) struct Locked<T>(UnsafeCell<T>);

    // SAFETY: `with` is the only way to the value, and a critical section lets one context in at a time.
    unsafe impl<T: Send> Sync for Locked<T> {}

    impl<T> Locked<T> {
        pub(crate) const fn new(value: T) -> Self {
            Locked(UnsafeCell::new(value))
        }

        /// `f` must neither call back into the logger nor run code of the user's: critical sections nest, so a second
        /// call inside of `f` would be let in.
        #[inline(always)]
        pub(crate) fn with<R>(&self, f: impl FnOnce(&mut T) -> R) -> R {
            critical_section::with(|_| {
                // SAFETY: no other context is in a critical section, and `f` opens none on the same value (above). The
                // callers, all in this crate, only compute and copy: what they call is theirs or of `binlog::Counters`,
                // which is sealed.
                f(unsafe { &mut *self.0.get() })
            })
        }
    }
}
#[cfg(not(loom))]
pub(crate) use target::Locked;

#[cfg(loom)]
mod model {
    use loom::sync::Mutex;

    pub(crate) struct Locked<T>(Mutex<T>);

    impl<T> Locked<T> {
        pub(crate) fn new(value: T) -> Self {
            Locked(Mutex::new(value))
        }

        pub(crate) fn with<R>(&self, f: impl FnOnce(&mut T) -> R) -> R {
            f(&mut self.0.lock().expect("no test panics inside"))
        }
    }
}
#[cfg(loom)]
pub(crate) use model::Locked;
