//! `#[log(flatten)]`: which columns a field becomes, if the tokens show it.

use crate::attr::{ColumnAttributes, Flatten};
use crate::errors::Errors;
use crate::not_a_field::{MAX_ELEMENTS, ungrouped};
use crate::without_self::without_self;
use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{Expr, ExprLit, Ident, Lit, LitStr, Type};

/// The columns of a field.
pub(crate) enum Shape {
    /// One column.
    Column,
    /// A column for each element of an array: their type and their labels.
    Array { element: TokenStream, labels: Vec<String> },
    /// The columns of a struct that derives `Columns`, which its own derive knows.
    Struct,
}

impl Shape {
    /// The shape of a field of this type; `prefix` begins the labels of its columns.
    pub(crate) fn new(ty: &Type, attributes: &ColumnAttributes, prefix: &str, errors: &mut Errors) -> Self {
        let Flatten { marked, prefix: given, names, start } = &attributes.flatten;
        if marked.is_none() {
            let prefix = given.as_ref().map(|prefix| ("prefix", prefix.span()));
            let names = names.as_ref().map(|names| ("names", names.span()));
            let start = start.as_ref().map(|start| ("start", start.span));
            for (key, span) in [prefix, names, start].into_iter().flatten() {
                errors.at(span, format!("`{key}` is for a flattened field: `#[log(flatten, {key} = …)]`"));
            }
            return Shape::Column;
        }
        if let Some(label) = &attributes.label {
            let text = format!("a flattened field has a prefix for its labels: `prefix = \"{}\"`", label.value());
            errors.at(label.span(), text);
        }
        if let Some(instance) = attributes.instance {
            errors.at(instance, "the instance column is a single value, not a flattened field");
        }
        match ungrouped(ty) {
            Type::Array(array) => Self::array(array, attributes, prefix, errors),
            _ => {
                if let Some(names) = names {
                    errors.at(
                        names.span(),
                        "`names` are for the elements of an array; the fields of a struct have names",
                    );
                }
                if let Some(start) = start {
                    errors.at(start.span, "`start` is for the elements of an array; the fields of a struct have names");
                }
                if let Some(meanings) = &attributes.meanings {
                    errors.at(meanings.span, "values and bits are named at the fields of the struct, or of an array");
                }
                Shape::Struct
            }
        }
    }

    /// The shape with `parent` for `Self` in its type.
    pub(crate) fn without_self(self, parent: &Ident) -> Self {
        match self {
            Shape::Array { element, labels } => Shape::Array { element: without_self(element, parent), labels },
            shape => shape,
        }
    }

    fn array(array: &syn::TypeArray, attributes: &ColumnAttributes, prefix: &str, errors: &mut Errors) -> Self {
        let Flatten { names, start, .. } = &attributes.flatten;
        let length = match &array.len {
            Expr::Lit(ExprLit { lit: Lit::Int(length), .. }) => length.base10_parse::<usize>().ok(),
            _ => {
                errors
                    .on(&array.len, "the length of a flattened array is a number: `[u16; 14]`; it decides the labels");
                return Shape::Struct;
            }
        };
        let Some(length @ 1..=MAX_ELEMENTS) = length else {
            let shown = array.len.to_token_stream();
            errors.on(&array.len, format!("a flattened array has 1 to {MAX_ELEMENTS} elements, this one {shown}"));
            return Shape::Struct;
        };
        let suffixes: Vec<String> = match (names, start) {
            (Some(names), None) => names_of(names, length, errors),
            (Some(_), Some(start)) => {
                errors.at(start.span, "the elements have either `names` or numbers from `start` on");
                Vec::new()
            }
            (None, start) => {
                let start = start.as_ref().map_or(1, |start| start.value);
                (start..).take(length).map(|number| number.to_string()).collect()
            }
        };
        let labels = suffixes.into_iter().map(|suffix| format!("{prefix}{suffix}")).collect();
        Shape::Array { element: array.elem.to_token_stream(), labels }
    }
}

/// `"X,Y,Z"`.
fn names_of(names: &LitStr, length: usize, errors: &mut Errors) -> Vec<String> {
    let value = names.value();
    let each: Vec<String> = value.split(',').map(|name| name.trim().to_owned()).collect();
    if each.len() != length {
        let text = format!("the array has {length} elements, and these are {} names", each.len());
        errors.at(names.span(), text);
    }
    each
}
