//! `#[repr(…)]`.

use crate::errors::Errors;
use proc_macro2::Span;
use syn::{DeriveInput, Ident};

/// One of the words in `#[repr(…)]`.
pub(crate) struct Hint {
    pub(crate) name: String,
    pub(crate) span: Span,
    /// `2` of `packed(2)`.
    pub(crate) argument: Option<String>,
}

/// Integers that are formats.
pub(crate) const INTEGERS: [&str; 8] = ["u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64"];

/// The hints in all `#[repr(…)]` of a type.
pub(crate) fn hints(input: &DeriveInput, errors: &mut Errors) -> Vec<Hint> {
    let mut hints = Vec::new();
    for attribute in input.attrs.iter().filter(|attribute| attribute.path().is_ident("repr")) {
        let parsed = attribute.parse_nested_meta(|meta| {
            let ident = meta.path.require_ident()?;
            let argument = if meta.input.peek(syn::token::Paren) {
                let content;
                syn::parenthesized!(content in meta.input);
                Some(content.parse::<syn::LitInt>()?.base10_digits().to_owned())
            } else {
                None
            };
            hints.push(Hint { name: ident.to_string(), span: ident.span(), argument });
            Ok(())
        });
        errors.take(parsed);
    }
    hints
}

/// The integer among the hints.
pub(crate) fn integer(hints: &[Hint]) -> Option<Ident> {
    let hint = hints.iter().find(|hint| INTEGERS.contains(&hint.name.as_str()))?;
    Some(Ident::new(&hint.name, hint.span))
}
