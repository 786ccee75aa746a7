//! State shared by all contexts of the program, protected by a critical section.

#[cfg(not(loom))]
mod target {
    use core::cell::UnsafeCell;

    /// A value that is accessible in a critical section only.
    #[repr(transparent)]
    pub(crate) struct Locked<T>(UnsafeCell<T>);

    // SAFETY: only `with` accesses the value, and the critical section admits one context at a time.
    unsafe impl<T: Send> Sync for Locked<T> {}

    impl<T> Locked<T> {
        pub(crate) const fn new(value: T) -> Self {
            Locked(UnsafeCell::new(value))
        }

        /// The value's address.
        pub(crate) const fn raw(this: *const Self) -> *mut T {
            UnsafeCell::raw_get(this.cast())
        }

        /// `f` must neither call the logger nor run code of the user: critical sections nest, so a second call inside
        /// `f` would be admitted.
        #[inline(always)]
        pub(crate) fn with<R>(&self, f: impl FnOnce(&mut T) -> R) -> R {
            critical_section::with(|_| {
                // SAFETY: no other context is in a critical section, and `f` doesn't enter one on the same value (see
                // above). All callers are in this crate and only compute and copy; they call this crate, or
                // `binlog::sink::Counters`, which is sealed.
                f(unsafe { &mut *self.0.get() })
            })
        }

        /// As [`with`](Locked::with), with what `first` returns in the same critical section. `first` may be code of the
        /// user: it runs before the value is borrowed.
        #[inline(always)]
        pub(crate) fn with_first<A, R>(&self, first: impl FnOnce() -> A, f: impl FnOnce(&mut T, A) -> R) -> R {
            critical_section::with(|_| {
                let argument = first();
                self.with(|value| f(value, argument))
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

        pub(crate) fn with_first<A, R>(&self, first: impl FnOnce() -> A, f: impl FnOnce(&mut T, A) -> R) -> R {
            self.with(|value| f(value, first()))
        }
    }
}
#[cfg(loom)]
pub(crate) use model::Locked;
