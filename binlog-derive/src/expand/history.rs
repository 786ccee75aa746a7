//! Code for what older logs have in place of a column.

use crate::ast::Column;
use crate::attr::{DefaultValue, FieldHistory};
use crate::flatten::Shape;
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};

/// The call that builds a column, with what older logs have in its place. `index` is that of an array's element.
pub(crate) fn with_history(call: TokenStream, column: &Column, index: usize) -> TokenStream {
    let history = &column.attributes.history;
    if history.is_none() {
        return call;
    }
    let element = match &column.shape {
        Shape::Array { element, .. } => Some((element, index)),
        Shape::Column | Shape::Struct => None,
    };
    let (aliases, default) = (&history.aliases, history.default_bytes(&column.ty, element));
    quote!(__binlog::with_history(#call, &[#(#aliases),*], #default))
}

impl DefaultValue {
    /// The value's bytes as a constant. `ty` is the field's, even where the columns are built for a parameter.
    pub(crate) fn bytes(&self, ty: &TokenStream) -> TokenStream {
        match self {
            DefaultValue::Zeros(span) => quote_spanned!(*span=> __binlog::zeros::<#ty>()),
            DefaultValue::Of(expr) => quote! {{
                const __VALUE: #ty = #expr;
                const __BYTES: &[__binlog::u8; __binlog::size_of::<#ty>()] = &__binlog::transmute!(__VALUE);
                __BYTES
            }},
        }
    }
}

impl FieldHistory {
    /// The default's bytes as an `Option`, for a field of type `ty`, or for an element of an array: its type and index.
    pub(crate) fn default_bytes(&self, ty: &TokenStream, element: Option<(&TokenStream, usize)>) -> TokenStream {
        let Some(default) = &self.default else { return quote!(__binlog::None) };
        let bytes = default.bytes(ty);
        let bytes = match element {
            Some((element, index)) => quote! {
                __binlog::flatten::element::<{ __binlog::size_of::<#element>() }>(#bytes, #index)
            },
            None => bytes,
        };
        quote!(__binlog::Some(#bytes))
    }
}
