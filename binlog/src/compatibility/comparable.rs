//! The formats that a program's can be compared with.

use crate::Log;
use crate::catalogue::comparison::facts::MessageFacts;
use crate::logged_schema::LoggedSchema;
use crate::schema::{LogSchema, SchemaMessage};

/// A format to compare with that of a program: a [`Log`], a [`LoggedSchema`] or a [`Lock`](crate::lock::Lock).
///
/// A lock also knows the meanings of values and bits. `Lock::of::<OtherLog>()` is that of another schema.
pub trait Comparable: sealed::Sealed {}

impl Comparable for Log<'_> {}

impl Comparable for LoggedSchema {}

pub(crate) mod sealed {
    use super::MessageFacts;

    pub trait Sealed {
        /// What the format says of its messages. A message that it defines several times is there as often.
        #[allow(private_interfaces, reason = "nothing outside of the crate can name this trait")]
        fn facts(&self) -> Vec<MessageFacts<'_>>;
    }
}

impl sealed::Sealed for LoggedSchema {
    #[allow(private_interfaces, reason = "as above")]
    fn facts(&self) -> Vec<MessageFacts<'_>> {
        self.messages().map(|message| MessageFacts::of_log(&message, self)).collect()
    }
}

/// The definitions that [`Log::typed`] reads records by: of a message without records, all definitions.
impl sealed::Sealed for Log<'_> {
    #[allow(private_interfaces, reason = "as above")]
    fn facts(&self) -> Vec<MessageFacts<'_>> {
        self.decisive_definitions().map(|(definition, tables)| MessageFacts::of_log(&definition, tables)).collect()
    }
}

/// What a program says of its messages, in the order of its schema.
pub(crate) fn program<S: LogSchema>() -> Vec<MessageFacts<'static>> {
    let message = |message: &SchemaMessage| {
        let rate = message.rate.map(|rate| (1e6 / f64::from(rate.period_us)).round() as u32);
        MessageFacts::of_program(message.definition, message.id, rate)
    };
    S::MESSAGES.iter().map(message).collect()
}
