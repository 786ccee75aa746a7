//! Fields once more, with errors that say what to write instead of types that people try.

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
    /// A field whose type is called like a text.
    TextField: "text is `Chars<4>`, `Chars<16>` or `Chars<64>` of `binlog::field`; longer text is logged as MSG";
    /// A field whose type is called `Option`.
    OptionalField: "a value that may be missing is a float with `NO_VALUE_F32` for none, or an integer with a number of \
                    your own for none";
    /// A field whose type is called like a time.
    TimeField: "a duration is a `u32` with `unit = \"s\", mult = 1e-6` for microseconds, or an `f32` with `unit = \"s\"`";
    /// A field whose type is called like one that is not stored in place.
    OtherField: "a field is stored in the record itself: a number, a `bool`, text such as `Chars<16>`, or an enum";
}

/// The parts of a message whose columns `T` may be no fields, where they aren't. The error is shown already.
///
/// The derive has the parts in an `impl` for `T: Field`, and names them by a path that leads here without it.
pub trait NoMessage<M> {
    /// A definition that no schema complains of, and a function that decodes nothing.
    const PARTS: Parts<M> =
        (Definition { name: "", description: "", columns: &[], default_id: None, rules: Rules::Checked }, |_| {
            Err(DecodeError::Index { index: 0 })
        });

    /// Without `IntoBytes` there is no further error.
    const BYTES: Whatever = Whatever;
}

/// A type parameter of a known type.
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
