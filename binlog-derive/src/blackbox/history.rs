//! What older logs have in place of a field: `alias` and `default`, by the rules for columns of messages.

use super::ast::{Element, Field, Frame, Shape};
use super::attr::DeclaredKind;
use super::names::{self, ITERATION, TIME};
use crate::errors::Errors;
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};

/// An alias is a valid name that no field of the frame has, today's names included. Every main frame has its place.
pub(super) fn check(frame: &Frame<'_>, errors: &mut Errors) {
    let mut seen = Vec::new();
    for (index, field) in frame.fields.iter().enumerate() {
        for alias in &field.attributes.history.aliases {
            if let Some(fault) = fault(frame, index, &alias.value(), &seen) {
                errors.at(alias.span(), fault);
            } else {
                seen.extend(names_of(field, &alias.value()).map(|name| (name, field)));
            }
        }
        let is_place = frame.kind == Some(DeclaredKind::Main) && [ITERATION, TIME].contains(&field.name.as_str());
        if let (Some(default), true) = (&field.attributes.history.default, is_place) {
            errors.at(default.span(), format!("`{}` has no default: every main frame has one", field.name));
        }
    }
}

/// What is wrong with an alias of the field at `index`; `seen` are the aliases before it.
fn fault(frame: &Frame<'_>, index: usize, alias: &str, seen: &[(String, &Field)]) -> Option<String> {
    let field = &frame.fields[index];
    if let Some(fault) = names::fault(alias) {
        return Some(fault);
    }
    if frame.kind.is_none() || matches!(field.shape, Shape::Struct) {
        return Some("an alias is for a field of a frame; a flattened field keeps older names by its `prefix`".into());
    }
    let names: Vec<String> = names_of(field, alias).collect();
    let has_name = |element: &&Element| element.codings.is_some() && names.contains(&element.name);
    if let Some(other) = frame.elements.iter().find(has_name) {
        let other = other.field;
        return Some(match other == index {
            true => format!("`{alias}` is the field's name; an alias is a name that older logs used"),
            false => format!(
                "`{alias}` is the name of `{}`, so it can't be an older name of another field",
                frame.fields[other].ident
            ),
        });
    }
    let other = seen.iter().find(|(before, _)| names.contains(before))?.1;
    Some(format!("`{alias}` is an alias of `{}` already", other.ident))
}

/// The names in the log that a name of a field stands for.
fn names_of(field: &Field, name: &str) -> impl Iterator<Item = String> {
    let length = match field.shape {
        Shape::Array { length, .. } => length,
        Shape::One | Shape::Struct => 1,
    };
    (0..length).map(move |index| field.with_index(name, index))
}

/// The call that builds a field, with what older logs have in its place.
pub(super) fn with_history(call: TokenStream, frame: &Frame<'_>, element: &Element) -> TokenStream {
    let field = &frame.fields[element.field];
    let history = &field.attributes.history;
    if history.is_none() {
        return call;
    }
    let of_array = matches!(field.shape, Shape::Array { .. }).then_some((&element.ty, element.index));
    let default = history.default_bytes(&field.ty, of_array);
    if matches!(field.shape, Shape::Struct) {
        return quote!(__blackbox::group_with_history(#call, #default));
    }
    let aliases = history.aliases.iter().map(|alias| field.with_index(&alias.value(), element.index));
    quote!(__blackbox::with_history(#call, &[#(#aliases),*], #default))
}

/// Checks of the aliases against the fields of flattened structs, which only the compiler knows.
pub(super) fn checks(frame: &Frame<'_>) -> Vec<TokenStream> {
    let mut checks = Vec::new();
    for field in &frame.fields {
        for alias in &field.attributes.history.aliases {
            let check = |name| quote_spanned!(alias.span()=> __blackbox::alias(__FIELDS, #name););
            checks.extend(names_of(field, &alias.value()).map(check));
        }
    }
    checks
}
