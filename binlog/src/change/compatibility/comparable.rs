//! The formats that a program's can be compared with.

use super::facts::MessageFacts;
use crate::read::Log;
use sealed::Sealed;

/// A format to compare with that of a program: a [`Log`](crate::Log), a [`LoggedSchema`](crate::LoggedSchema) or a
/// [`Lock`](crate::lock::Lock).
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

impl Comparable for Log<'_> {}

/// The definitions that [`Log::typed`] reads records by: of a message without records, all definitions.
impl Sealed for Log<'_> {
    #[allow(private_interfaces, reason = "nothing outside of the crate can name this trait")]
    fn facts(&self) -> Vec<MessageFacts<'_>> {
        let message = |(definition, tables, has_records)| MessageFacts {
            has_records,
            ..MessageFacts::of_log(&definition, tables)
        };
        self.decisive_definitions().map(message).collect()
    }
}
