//! Traits of all fields, whose errors say what to write instead of the types that people try.

use super::Field;

macro_rules! fields {
    ($($(#[$doc:meta])* $name:ident: $($note:literal),*;)*) => {$(
        $(#[$doc])*
        #[diagnostic::on_unimplemented(
            message = "`{Self}` is not a field type of a log message",
            label = "not a field type",
            $(note = $note),*
        )]
        pub trait $name {}

        #[diagnostic::do_not_recommend]
        impl<T: Field> $name for T {}
    )*};
}

fields! {
    /// A field whose type has the name of a text type.
    Text: "text is `Chars<4>`, `Chars<16>` or `Chars<64>` of `binlog::field`; longer text is logged as MSG",
    "zerocopy's errors about `{Self}` go with this one";
    /// A field whose type is `Chars` of another length.
    Length: "`Chars` has 4, 16 or 64 bytes: `Chars<4>`, `Chars<16>` or `Chars<64>`";
    /// A field whose type is `Centi` around another type.
    Hundredths: "`Centi` is around an `i16`, `u16`, `i32` or `u32`";
    /// A field whose type has the name `Option`.
    Optional: "a value that may be missing is a float with `NO_VALUE_F32` for none, or an integer with a number of your \
               own for none",
    "zerocopy's errors about `{Self}` go with this one";
    /// A field whose type has the name of a duration.
    Time: "a duration is a `u32` with `unit = \"s\", mult = 1e-6` for microseconds, or an `f32` with `unit = \"s\"`",
    "zerocopy's errors about `{Self}` go with this one";
    /// A field whose type has the name of a date.
    Date: "a date is a `u64` with `unit = \"s\", mult = 1e-6`: microseconds since 1970",
    "zerocopy's errors about `{Self}` go with this one";
    /// The time of a message.
    Clock: "`TimeUS` is a `u64`, the time in microseconds",
    "zerocopy's errors about `{Self}` go with this one";
    /// A field whose type has the name of a collection.
    List: "a record has a fixed length: a list is an array with `#[log(flatten)]`",
    "zerocopy's errors about `{Self}` go with this one";
    /// A field whose type has the name of a type around a value.
    Boxed: "a record holds the value itself: write the type in the brackets",
    "zerocopy's errors about `{Self}` go with this one";
    /// A field whose type has the name of a type around an integer.
    Number: "a record holds the plain integer: `u8` to `u64`, `i8` to `i64`";
    /// A field whose type has the name of a half-precision float.
    Half: "half precision is `half::f16`, with the feature `half` of binlog";
    /// The element of a flattened array.
    Element: "the elements of a flattened array are single values; of structs, flatten a struct that has a flattened \
              field for each of them";
}

/// Implemented by nothing: a struct that derives `Columns` would be a field if it implemented this. So the error about
/// such a field is this one.
#[diagnostic::on_unimplemented(message = "`{T}` is several columns", label = "add `#[log(flatten)]` to this field")]
pub trait Unflattened<T> {}

/// A type with a lifetime, so that rustc doesn't ask for [`Unflattened`] where the struct is declared.
pub struct WithoutFlatten<'a>(core::marker::PhantomData<&'a ()>);
