//! The formats that a program's can be compared with.

use super::facts::MessageFacts;

/// A format to compare with that of a program: a [`Log`](crate::Log), a [`LoggedSchema`](crate::LoggedSchema) or a [`Lock`](crate::lock::Lock).
///
/// A lock also knows the meanings of values and bits. `Lock::of::<OtherLog>()` is that of another schema.
pub trait Comparable: sealed::Sealed {}

pub(crate) mod sealed {
    use super::MessageFacts;

    pub trait Sealed {
        /// What the format says of its messages. A message that it defines several times is there as often.
        #[allow(private_interfaces, reason = "nothing outside of the crate can name this trait")]
        fn facts(&self) -> Vec<MessageFacts<'_>>;
    }
}
