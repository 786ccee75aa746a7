//! The output for an input with errors, besides the errors. It keeps uses of the type from causing further errors.

use crate::attr::SchemaAttributes;
use crate::expand::{in_scope, sink};
use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::{Data, DeriveInput, Fields, Path, Type};

/// A message without a name, which a schema doesn't check.
pub(crate) fn message(ident: &Ident, krate: Option<&Path>) -> TokenStream {
    let body = quote! {
            #[automatically_derived]
            impl __binlog::LogMessage for #ident {
                const DEFINITION: __binlog::Definition = __binlog::Definition {
                    name: "",
                    description: "",
                    columns: &[],
                    default_id: __binlog::None,
                    aliases: &[],
                    // The error is already reported.
                    rules: __binlog::RuleSet::Checked,
                };
                fn wire(&self) -> &[__binlog::u8] {
                    &[]
                }
                fn decode(_: &[__binlog::u8]) -> __binlog::Result<Self, __binlog::DecodeError> {
                    __binlog::Err(__binlog::DecodeError::Index { index: 0 })
                }
            }
    };
    in_scope(krate, body)
}

/// Columns, none of them.
pub(crate) fn group(ident: &Ident, krate: Option<&Path>) -> TokenStream {
    let body = quote! {
            #[automatically_derived]
            impl __binlog::flatten::Columns for #ident {
                const COLUMNS: &'static [__binlog::ColumnDefinition] = &[];
                const IS_FALLBACK: __binlog::bool = true;
                fn read(_: &mut &[__binlog::u8]) -> __binlog::Option<Self> {
                    __binlog::None
                }
            }
    };
    in_scope(krate, body)
}

/// A schema with the messages of all variants that hold one.
pub(crate) fn schema(input: &DeriveInput, attributes: &SchemaAttributes) -> TokenStream {
    let ident = &input.ident;
    let (mut types, mut names): (Vec<&Type>, Vec<String>) = Default::default();
    let mut logs = TokenStream::new();
    if let Data::Enum(data) = &input.data {
        for variant in &data.variants {
            let Fields::Unnamed(fields) = &variant.fields else { continue };
            let Some(ty) = fields.unnamed.first().map(|field| &field.ty) else { continue };
            let name = quote!(#ty).to_string();
            if !names.contains(&name) {
                names.push(name);
                types.push(ty);
                logs.extend(quote! {
                    #[automatically_derived]
                    impl __binlog::Logs<#ty> for #ident {
                        const INDEX: __binlog::usize = 0;
                        const ID: __binlog::u8 = 0;
                        const CRITICAL: __binlog::bool = false;
                        const RATE: __binlog::Option<__binlog::Rate> = __binlog::None;
                    }
                });
            }
        }
    }
    let body = quote! {
            #[automatically_derived]
            impl __binlog::Schema for #ident {
                type Format = __binlog::ArduPilot;
            }
            #[automatically_derived]
            impl __binlog::LogSchema for #ident {
                const MESSAGES: &'static [__binlog::SchemaMessage] = &[];
                const PREAMBLE: &'static [__binlog::u8] = &[];
                type Counters = __binlog::CountersOf<0, 0>;
                fn decode(
                    __index: __binlog::usize,
                    _: &[__binlog::u8],
                ) -> __binlog::Result<Self, __binlog::DecodeError> {
                    __binlog::Err(__binlog::DecodeError::Index { index: __index })
                }
                fn record(&self) -> (__binlog::u8, &[__binlog::u8]) {
                    (0, &[])
                }
            }
            #logs
    };
    let body = in_scope(attributes.krate.as_ref(), body);
    let sink = sink(input, attributes, &types);
    quote!(#body #sink)
}

/// A field whose format has the errors in it, so that what depends on it, such as the bytes of a message, causes no
/// further ones.
pub(crate) fn field_type(ident: &Ident, krate: Option<&Path>, errors: Option<&TokenStream>) -> TokenStream {
    let body = quote! {
            #[automatically_derived]
            impl __binlog::Field for #ident {
                const FORMAT: __binlog::Format = {
                    #errors
                    __binlog::Format::U8
                };
                fn decode(_: &[__binlog::u8]) -> __binlog::Option<Self> {
                    __binlog::None
                }
            }
    };
    in_scope(krate, body)
}
