//! Types that people try as fields, and what to write instead.
//!
//! Some can't be fields in any program: arrays, tuples, references, `usize`. The macro refuses them.
//! Others have the name of a type of the standard library, and a type of the program may have that name, too. For these
//! the name selects the error, that of a trait of `binlog::field::not_a_field`, and the type decides whether there is
//! one.

use proc_macro2::{Ident, Span};
use quote::ToTokens;
use syn::{Expr, ExprLit, GenericArgument, Lit, PathArguments, PathSegment, Type, TypeArray};

/// The largest array that `flatten` takes: a message has 16 columns, the first of which is the time.
pub(crate) const MAX_ELEMENTS: usize = 15;

/// Numbers that are fields, and `bool`.
const NUMBERS: [&str; 11] = ["u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64", "f32", "f64", "bool"];

/// Numbers and text of the language that can't be fields, and why.
const REFUSED: [(&str, &str); 6] = [
    ("usize", "its width depends on the target; write `u32` or `u64`"),
    ("isize", "its width depends on the target; write `i32` or `i64`"),
    ("u128", "the format has integers of 8 to 64 bits; write `u64`"),
    ("i128", "the format has integers of 8 to 64 bits; write `i64`"),
    ("char", "write `Chars<4>` of `binlog::field`, or `u8` for an ASCII character"),
    ("str", TEXT),
];

const TEXT: &str = "text is `Chars<4>`, `Chars<16>` or `Chars<64>` of `binlog::field`; longer text is logged as MSG";

/// Types of `binlog::field` and of `zerocopy::little_endian`.
const OURS: [&str; 13] =
    ["Centi", "Chars", "Latitude", "Longitude", "FlightMode", "I16", "U16", "I32", "U32", "I64", "U64", "F32", "F64"];

/// The trait in `binlog::field::not_a_field` whose error says what to write instead, and the names of types.
const REMEDIES: [(&str, &[&str]); 8] = [
    ("Text", &["String", "CString", "CStr", "OsString", "OsStr", "PathBuf", "Path"]),
    ("Optional", &["Option", "Result"]),
    (
        "Time",
        &[
            "Duration",
            "TimeDelta",
            "Instant",
            "MicrosDurationU32",
            "MicrosDurationU64",
            "MillisDurationU32",
            "TimeSpan",
        ],
    ),
    (
        "Date",
        &[
            "SystemTime",
            "DateTime",
            "NaiveDateTime",
            "NaiveDate",
            "NaiveTime",
            "OffsetDateTime",
            "PrimitiveDateTime",
            "UtcDateTime",
            "Timestamp",
            "Zoned",
        ],
    ),
    (
        "List",
        &[
            "Vec",
            "VecDeque",
            "LinkedList",
            "ArrayVec",
            "SmallVec",
            "HashMap",
            "BTreeMap",
            "HashSet",
            "BTreeSet",
            "Deque",
        ],
    ),
    ("Boxed", &["Box", "Rc", "Arc", "Cow", "Cell", "RefCell", "Mutex", "RwLock", "OnceCell", "UnsafeCell"]),
    (
        "Number",
        &[
            "Wrapping",
            "Saturating",
            "NonZero",
            "NonZeroU8",
            "NonZeroI8",
            "NonZeroU16",
            "NonZeroI16",
            "NonZeroU32",
            "NonZeroI32",
            "NonZeroU64",
            "NonZeroI64",
            "AtomicBool",
            "AtomicU8",
            "AtomicI8",
            "AtomicU16",
            "AtomicI16",
            "AtomicU32",
            "AtomicI32",
            "AtomicU64",
            "AtomicI64",
            "AtomicUsize",
        ],
    ),
    ("Half", &["f16", "bf16"]),
];

/// The error for a type that no program can make a field. `is_flattened` is true for a field with `#[log(flatten)]`,
/// where the elements of an array are the columns.
pub(crate) fn refusal(ty: &Type, is_flattened: bool) -> Option<syn::Error> {
    match ungrouped(ty) {
        Type::Array(array) if is_flattened => match ungrouped(&array.elem) {
            Type::Array(_) => Some(refused(&array.elem, &nested(array, array.elem.as_ref()))),
            element => single(element),
        },
        _ if is_flattened => None,
        ty => single(ty),
    }
}

/// The error for a type as one column.
fn single(ty: &Type) -> Option<syn::Error> {
    let why = match ungrouped(ty) {
        Type::Array(array) => match ungrouped(&array.elem) {
            inner @ Type::Array(_) => nested(array, inner),
            element => return single(element).or_else(|| Some(refused(ty, &array_of(element, array)?))),
        },
        Type::Path(path) => {
            let name = path.path.segments.last()?.ident.to_string();
            let (_, why) = REFUSED.iter().find(|(refused, _)| name == *refused)?;
            (*why).to_owned()
        }
        Type::Reference(reference) => match named(&reference.elem) {
            Some(("Text", _)) => TEXT.to_owned(),
            _ if is(&reference.elem, "str") => TEXT.to_owned(),
            _ => "a record holds the value itself, not a reference to it".to_owned(),
        },
        Type::Tuple(tuple) if tuple.elems.is_empty() => "it has no value; leave the field out".to_owned(),
        Type::Tuple(_) => "write a field for each of its values".to_owned(),
        Type::Slice(_) => {
            "a record has a fixed length; write an array with `#[log(flatten)]`, or `Chars<16>`".to_owned()
        }
        Type::Ptr(_) | Type::BareFn(_) => "an address has no meaning in a log; write a number".to_owned(),
        Type::Never(_) | Type::TraitObject(_) | Type::ImplTrait(_) => "write a number, text or an enum".to_owned(),
        _ => return None,
    };
    Some(refused(ty, &why))
}

fn refused(ty: &Type, why: &str) -> syn::Error {
    syn::Error::new_spanned(ty, format!("`{}` is not a field type of a log message: {why}", shown(ty)))
}

/// What to write instead of an array of single values. `None` if it may be the one array that is a field.
fn array_of(element: &Type, array: &TypeArray) -> Option<String> {
    let length = length(&array.len);
    if is(element, "bool") {
        let integer = match length {
            Some(..=8) => "`u8`",
            Some(9..=16) => "`u16`",
            Some(17..=32) => "`u32`",
            Some(33..=64) => "`u64`",
            Some(65..) => "`u64`s",
            None => "an integer",
        };
        return Some(format!("flags are bits: write {integer} with `#[log(bits(0 = \"…\", 1 = \"…\"))]`"));
    }
    if matches!(number(element), None | Some("i16")) && matches!(length, None | Some(32)) {
        return None;
    }
    Some(match length {
        Some(0) => "it has no value; leave the field out".to_owned(),
        Some(bytes @ (4 | 16 | 64)) if is(element, "u8") => {
            format!("text and raw bytes are `Chars<{bytes}>`, other values a column each with `#[log(flatten)]`")
        }
        Some(2..=MAX_ELEMENTS) => format!("`#[log(flatten)]` makes it {} columns", length.unwrap_or_default()),
        Some(1) => "write the element's type".to_owned(),
        Some(_) if is(element, "u8") => "raw bytes are `Chars<64>`, as many as needed".to_owned(),
        Some(_) => "a message has at most 16 columns; log it in several records, or as `[i16; 32]`".to_owned(),
        None => "`#[log(flatten)]` makes it a column for each element, if its length is a number".to_owned(),
    })
}

/// What to write instead of an array of arrays.
fn nested(array: &TypeArray, inner: &Type) -> String {
    if let (Type::Array(inner), Some(rows)) = (ungrouped(inner), length(&array.len))
        && let Some(columns) = length(&inner.len)
        && let all @ 2..=MAX_ELEMENTS = rows.saturating_mul(columns)
        && !matches!(ungrouped(&inner.elem), Type::Array(_))
    {
        return format!("write `[{}; {all}]` with `#[log(flatten)]`, a column for each value", shown(&inner.elem));
    }
    "write one array of all values with `#[log(flatten)]`, 15 at most, or log it in several records".to_owned()
}

/// The trait that a field of this type must implement, if the type's name is one of `REMEDIES`. It has the span of the
/// name, for its error. `is_time` is true for the time of the message.
pub(crate) fn remedy(ty: &Type, is_time: bool) -> Option<Ident> {
    let (remedy, span) = named(ty)?;
    let remedy = if is_time { "Clock" } else { remedy };
    Some(Ident::new(remedy, span))
}

/// The same for an element of a flattened array, with any name.
pub(crate) fn remedy_of_element(ty: &Type) -> Option<Ident> {
    let Type::Path(path) = ungrouped(ty) else { return None };
    let element = || Some(Ident::new("Element", path.path.segments.last()?.ident.span()));
    remedy(ty, false).or_else(element)
}

/// The row of `REMEDIES` that a type's name is in, and the span of the name.
fn named(ty: &Type) -> Option<(&'static str, Span)> {
    let Type::Path(path) = ungrouped(ty) else { return None };
    let segment = path.path.segments.last()?;
    // Once, since a comparison with an identifier makes a string.
    let name = segment.ident.to_string();
    let remedy = match name.as_str() {
        "Chars" if !is_length_of_chars(segment) => "Length",
        "Centi" if !is_stored_by_centi(segment) => "Hundredths",
        name => REMEDIES.iter().find(|(_, names)| names.contains(&name))?.0,
    };
    Some((remedy, segment.ident.span()))
}

/// Whether the type has the name of a field type. Only an error that depends on the type shows whether it is one.
pub(crate) fn is_known(ty: &Type) -> bool {
    let Some(name) = name(ty) else { return false };
    NUMBERS.contains(&name.as_str()) || OURS.contains(&name.as_str()) && named(ty).is_none()
}

/// The number or `bool` of the language that the type is.
pub(crate) fn number(ty: &Type) -> Option<&'static str> {
    let name = name(ty)?;
    NUMBERS.into_iter().find(|number| *number == name)
}

fn is_length_of_chars(segment: &PathSegment) -> bool {
    let PathArguments::AngleBracketed(arguments) = &segment.arguments else { return true };
    match arguments.args.first() {
        Some(GenericArgument::Const(expr)) => length(expr).is_none_or(|length| matches!(length, 4 | 16 | 64)),
        _ => true,
    }
}

fn is_stored_by_centi(segment: &PathSegment) -> bool {
    let PathArguments::AngleBracketed(arguments) = &segment.arguments else { return true };
    match arguments.args.first() {
        Some(GenericArgument::Type(ty)) => number(ty).is_none_or(|number| matches!(&number[1..], "16" | "32")),
        _ => true,
    }
}

fn length(expr: &Expr) -> Option<usize> {
    match expr {
        Expr::Lit(ExprLit { lit: Lit::Int(length), .. }) => length.base10_parse().ok(),
        Expr::Group(group) => length(&group.expr),
        _ => None,
    }
}

fn is(ty: &Type, wanted: &str) -> bool {
    name(ty).is_some_and(|name| name == wanted)
}

/// The last part of a path.
fn name(ty: &Type) -> Option<String> {
    let Type::Path(path) = ungrouped(ty) else { return None };
    Some(path.path.segments.last()?.ident.to_string())
}

/// A type as people write it.
fn shown(ty: &Type) -> String {
    let mut text = ty.to_token_stream().to_string();
    for (spaced, written) in [
        ("* ", "*"),
        (" ;", ";"),
        ("& ", "&"),
        (" <", "<"),
        ("< ", "<"),
        (" >", ">"),
        (" ,", ","),
        (" :: ", "::"),
        ("' ", "'"),
    ] {
        text = text.replace(spaced, written);
    }
    text
}

/// The type without the invisible group of a `macro_rules` variable.
pub(crate) fn ungrouped(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => ungrouped(&group.elem),
        Type::Paren(paren) => ungrouped(&paren.elem),
        ty => ty,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    fn error(ty: Type, is_flattened: bool) -> String {
        let Some(error) = refusal(&ty, is_flattened) else { return String::new() };
        let text = error.to_string();
        let (_, why) = text.split_once(" is not a field type of a log message: ").expect("a type and a reason");
        why.to_owned()
    }

    #[test]
    fn an_array_is_told_what_fits_it() {
        for (ty, expected) in [
            (parse_quote!([bool; 4]), "flags are bits: write `u8` with"),
            (parse_quote!([bool; 9]), "flags are bits: write `u16` with"),
            (parse_quote!([bool; FLAGS]), "flags are bits: write an integer with"),
            (parse_quote!([bool; 65]), "flags are bits: write `u64`s with"),
            (parse_quote!([f32; 3]), "`#[log(flatten)]` makes it 3 columns"),
            (parse_quote!([f32; 1]), "write the element's type"),
            (parse_quote!([f32; 0]), "it has no value"),
            (parse_quote!([f32; 16]), "a message has at most 16 columns"),
            (parse_quote!([f32; AXES]), "`#[log(flatten)]` makes it a column for each element"),
            (parse_quote!([Phase; 3]), "`#[log(flatten)]` makes it 3 columns"),
            (parse_quote!([u8; 16]), "text and raw bytes are `Chars<16>`"),
            (parse_quote!([u8; 12]), "`#[log(flatten)]` makes it 12 columns"),
            (parse_quote!([u8; 100]), "raw bytes are `Chars<64>`"),
            (parse_quote!([i16; 31]), "a message has at most 16 columns"),
            (parse_quote!([[f32; 3]; 3]), "write `[f32; 9]` with `#[log(flatten)]`"),
            (parse_quote!([[f32; 4]; 4]), "write one array of all values"),
            (parse_quote!([usize; 3]), "its width depends on the target; write `u32`"),
            (parse_quote!([(u8, u8); 3]), "write a field for each of its values"),
        ] {
            let why = error(ty, false);
            assert!(why.starts_with(expected), "{why}");
        }
    }

    #[test]
    fn a_flattened_array_is_refused_for_its_elements_only() {
        for ty in [parse_quote!([bool; 4]), parse_quote!([f32; 3]), parse_quote!(Vector3), parse_quote!([Phase; N])] {
            assert_eq!(error(ty, true), "");
        }
        assert!(error(parse_quote!([[f32; 3]; 3]), true).starts_with("write `[f32; 9]`"));
        assert!(error(parse_quote!([isize; 3]), true).ends_with("write `i32` or `i64`"));
    }

    #[test]
    fn what_a_program_can_make_a_field_is_not_refused() {
        for ty in [
            parse_quote!(u8),
            parse_quote!([i16; 32]),
            parse_quote!([I16; 32]),
            parse_quote!([i16; SAMPLES]),
            parse_quote!([Sample; SAMPLES]),
            parse_quote!(String),
            parse_quote!(my::Duration),
            parse_quote!(Chars<8>),
        ] {
            assert_eq!(error(ty, false), "");
        }
    }

    #[test]
    fn a_type_is_shown_as_it_is_written() {
        for written in ["&'static str", "[bool; 4]", "std::vec::Vec<u8>", "(f32, f32)", "[[f32; 3]; 3]", "*const u8"] {
            let ty: Type = syn::parse_str(written).expect("a type");
            assert_eq!(shown(&ty), written);
        }
    }
}
