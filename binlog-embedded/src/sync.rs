// Held by binlog-embedded/tests/loom.rs, binlog-embedded/tests/stress.rs.

//! State shared by all contexts of the program, protected by a critical section.

#[cfg(not(loom))]
mod target {
    use core::cell::UnsafeCell;
    #[cfg(debug_assertions)]
    use core::sync::atomic::{AtomicBool, Ordering::Relaxed};

    /// A value that is accessible in a critical section only.
    #[repr(transparent)]
    pub(crate) struct Locked<T>(UnsafeCell<T>);

    /// Whether a value is borrowed, of any `Locked`: stricter than soundness needs. Only a critical section reads and
    /// writes it. It belongs to the program and not to the value, which may outlive a reset.
    #[cfg(debug_assertions)]
    static IS_BORROWED: AtomicBool = AtomicBool::new(false);

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
        /// `f` would be admitted. With debug assertions, as in the tests, such a call panics.
        #[inline(always)]
        pub(crate) fn with<R>(&self, f: impl FnOnce(&mut T) -> R) -> R {
            critical_section::with(|_| {
                #[cfg(debug_assertions)]
                let _borrow = Borrow::begin();
                // SAFETY: no other context is in a critical section, and `f` doesn't enter one on the same value (see
                // above). All callers are in this crate and only compute and copy; they call this crate, or
                // `binlog::sink::Counters`, which is sealed.
                f(unsafe { &mut *self.0.get() })
            })
        }

        /// As [`with`](Locked::with), with what `first` returns in the same critical section. `first` may be code of
        /// the user: it runs before the value is borrowed.
        #[inline(always)]
        pub(crate) fn with_first<A, R>(&self, first: impl FnOnce() -> A, f: impl FnOnce(&mut T, A) -> R) -> R {
            critical_section::with(|_| {
                let argument = first();
                self.with(|value| f(value, argument))
            })
        }
    }

    /// The time in which a value is borrowed, also if it ends by a panic.
    #[cfg(debug_assertions)]
    struct Borrow;

    #[cfg(debug_assertions)]
    impl Borrow {
        fn begin() -> Self {
            let is_second = IS_BORROWED.load(Relaxed);
            // Cleared before the panic, because the panic handler may log.
            IS_BORROWED.store(!is_second, Relaxed);
            assert!(!is_second, "a value is borrowed inside of another borrow");
            Borrow
        }
    }

    #[cfg(debug_assertions)]
    impl Drop for Borrow {
        fn drop(&mut self) {
            IS_BORROWED.store(false, Relaxed);
        }
    }
}
#[cfg(not(loom))]
pub(crate) use target::Locked;

#[cfg(all(test, debug_assertions, not(loom)))]
mod tests {
    extern crate std;

    use super::Locked;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    #[test]
    fn only_a_nested_borrow_panics() {
        let [one, other] = [Locked::new(1), Locked::new(2)];
        for inner in [&one, &other] {
            assert!(catch_unwind(AssertUnwindSafe(|| one.with(|_| inner.with(|value| *value)))).is_err());
            assert_eq!(one.with(|value| *value), 1);
        }
        assert!(catch_unwind(AssertUnwindSafe(|| one.with(|_| panic!("by itself")))).is_err());
        assert_eq!(one.with_first(|| other.with(|value| *value), |one, other| *one + other), 3);
    }
}

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
