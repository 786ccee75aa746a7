//! Traits of all fields, whose errors say what to write instead of the types that people try.

use super::Field;
use crate::definition::{Definition, Rules};
use crate::message::{DecodeError, Parts, Whatever};

macro_rules! fields {
    ($($(#[$doc:meta])* $name:ident: $remedy:literal;)*) => {$(
        $(#[$doc])*
        #[diagnostic::on_unimplemented(
            message = "`{Self}` is not a field type of a log message",
            label = "not a field type",
            note = $remedy,
            note = "a type of your own needs `#[derive(Field, IntoBytes, Immutable)]`"
        )]
        pub trait $name {}

        #[diagnostic::do_not_recommend]
        impl<T: Field> $name for T {}
    )*};
}

fields! {
    /// A field whose type has the name of a text type.
    TextField: "text is `Chars<4>`, `Chars<16>` or `Chars<64>` of `binlog::field`; longer text is logged as MSG";
    /// A field whose type has the name `Option`.
    OptionalField: "a value that may be missing is a float with `NO_VALUE_F32` for none, or an integer with a number of \
                    your own for none";
    /// A field whose type has the name of a time type.
    TimeField: "a duration is a `u32` with `unit = \"s\", mult = 1e-6` for microseconds, or an `f32` with `unit = \"s\"`";
    /// A field whose type has the name of a type that isn't stored in place.
    OtherField: "a field is stored in the record itself: a number, a `bool`, text such as `Chars<16>`, or an enum";
}

/// The parts of a message with a column that is not a field. The error is already reported.
///
/// The derive puts the real parts into an `impl` for `T: Field`. Where that doesn't apply, their path resolves to this
/// trait.
pub trait NoMessage<M> {
    /// A definition that every schema accepts, and a function that always fails.
    const PARTS: Parts<M> = (
        Definition { name: "", description: "", columns: &[], default_id: None, aliases: &[], rules: Rules::Checked },
        |_| Err(DecodeError::Index { index: 0 }),
    );

    /// A missing `IntoBytes` causes no further error.
    const BYTES: Whatever = Whatever;
}

/// A type parameter that equals a known type.
pub trait Is<T> {
    /// The value.
    fn same(self) -> T;
}

impl<T> Is<T> for T {
    #[inline(always)]
    fn same(self) -> T {
        self
    }
}
