//! From what was checked to code. Nothing is decided here.

use crate::ast::{Column, FieldKind, FieldType, Message, Schema};
use crate::attr::{Meanings, Multiplier, Scale, Unit};
use crate::{check, label};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::Path;

/// `const _: () = { use binlog::__private as __binlog; … };`
fn in_scope(krate: Option<&Path>, body: TokenStream) -> TokenStream {
    let krate = match krate {
        Some(path) => quote!(#path),
        None => quote!(::binlog),
    };
    quote! {
        const _: () = {
            use #krate::__private as __binlog;
            #body
        };
    }
}

pub(crate) fn message(message: &Message<'_>) -> TokenStream {
    let ident = &message.original.ident;
    let name = message.attributes.name.as_ref().map(syn::LitStr::value).unwrap_or_default();
    let description = &message.description;
    let default_id = option(message.attributes.default_id);
    let columns = message.columns.iter().map(|each| column(message, each));
    let decoded = message.columns.iter().map(|column| {
        let Column { ident: field, ty, label, .. } = column;
        quote! {
            #field: __binlog::decode_column::<#ty>(payload, __binlog::offset_of!(#ident, #field), #name, #label)?
        }
    });
    let length = quote_spanned!(ident.span()=> __binlog::length(&__DEFINITION));
    let wire = quote_spanned!(ident.span()=> __binlog::Wire::wire(self));
    in_scope(
        message.attributes.krate.as_ref(),
        quote! {
            const __DEFINITION: __binlog::Definition = __binlog::Definition {
                name: #name,
                description: #description,
                columns: &[#(#columns),*],
                default_id: #default_id,
            };
            const _: () = #length;
            #[automatically_derived]
            impl __binlog::LogMessage for #ident {
                const DEFINITION: __binlog::Definition = __DEFINITION;
                #[inline]
                fn wire(&self) -> &[__binlog::u8] {
                    #wire
                }
                #[inline]
                fn decode(payload: &[__binlog::u8]) -> __binlog::Result<Self, __binlog::DecodeError> {
                    __binlog::check_length::<Self>(payload, #name)?;
                    __binlog::Ok(#ident { #(#decoded),* })
                }
            }
        },
    )
}

/// A call whose tokens all carry the field's span, so that `#[track_caller]` blames the field.
fn column(message: &Message<'_>, column: &Column<'_>) -> TokenStream {
    let Column { ty, label, description, .. } = column;
    let span = column.ident.span();
    let is_time = column.label == label::TIME;
    let role = if message.attributes.as_logged {
        quote!(AsLogged)
    } else if is_time {
        quote!(Time)
    } else if column.attributes.instance.is_some() {
        quote!(Instance)
    } else {
        quote!(Value)
    };
    let Scale { unit, multiplier } = &column.attributes.scale;
    let unit = match unit.as_ref().map(|unit| unit_tokens(&unit.value)) {
        None if column.attributes.instance.is_some() => Some(quote!(__binlog::Unit::INSTANCE)),
        None if is_time => Some(quote!(__binlog::Unit::SECONDS)),
        given => given,
    };
    let multiplier = match multiplier.as_ref().map(|multiplier| multiplier_tokens(&multiplier.value)) {
        None if column.attributes.instance.is_some() => Some(quote!(__binlog::Multiplier::NONE)),
        None if is_time => Some(quote!(__binlog::Multiplier::MICRO)),
        Some(given) if check::is_float_multiplier(message, column) => {
            Some(quote_spanned!(span=> __binlog::float_multiplier(#given)))
        }
        given => given,
    };
    let (unit, multiplier) = (option(unit), option(multiplier));
    let meanings = option(column.attributes.meanings.as_ref().map(meanings_tokens));
    quote_spanned! {span=>
        __binlog::column::<#ty>(__binlog::Attributes {
            label: #label,
            description: #description,
            unit: #unit,
            multiplier: #multiplier,
            meanings: #meanings,
            role: __binlog::Role::#role,
        })
    }
}

fn option(value: Option<impl quote::ToTokens>) -> TokenStream {
    match value {
        Some(value) => quote!(__binlog::Some(#value)),
        None => quote!(__binlog::None),
    }
}

fn unit_tokens(unit: &Unit) -> TokenStream {
    match unit {
        Unit::Standard(id, name) => {
            let id = byte(*id);
            quote!(__binlog::unit(#id, #name))
        }
        Unit::Custom(path) => quote!(#path),
    }
}

fn multiplier_tokens(multiplier: &Multiplier) -> TokenStream {
    match multiplier {
        Multiplier::Standard(id, value) => {
            let id = byte(*id);
            quote!(__binlog::multiplier(#id, #value))
        }
        Multiplier::Custom(path) => quote!(#path),
    }
}

/// `b'F'`. The ids of the tables are ASCII.
fn byte(id: char) -> syn::LitByte {
    syn::LitByte::new(id as u8, Span::call_site())
}

fn meanings_tokens(meanings: &Meanings) -> TokenStream {
    let (kind, rows) = match meanings {
        Meanings::Values(rows) => (quote!(Values), rows),
        Meanings::Bits(rows) => (quote!(Bits), rows),
    };
    let rows =
        rows.iter().map(|(value, name)| quote!(__binlog::Meaning { value: #value, name: #name, description: "" }));
    quote!(__binlog::Meanings::#kind(&[#(#rows),*]))
}

pub(crate) fn schema(schema: &Schema<'_>) -> TokenStream {
    let ident = &schema.original.ident;
    let count = schema.variants.len();
    let index: Vec<usize> = (0..count).collect();
    let ty: Vec<_> = schema.variants.iter().map(|variant| variant.ty).collect();
    let name: Vec<_> = schema.variants.iter().map(|variant| variant.ident).collect();
    let id = schema.variants.iter().map(|variant| option(variant.attributes.id.map(|id| id.0)));
    let blame = schema
        .variants
        .iter()
        .zip(&index)
        .map(|(variant, index)| quote_spanned!(variant.ident.span()=> __binlog::blame(&__PLAN, #index);));
    in_scope(
        schema.krate.as_ref(),
        quote! {
            static __VARIANTS: [__binlog::Variant; #count] = [
                #(__binlog::Variant { definition: &<#ty as __binlog::LogMessage>::DEFINITION, id: #id }),*
            ];
            const __PLAN: __binlog::Plan<#count> = __binlog::plan(&__VARIANTS);
            const _: () = { #(#blame)* };
            static __MESSAGES: [__binlog::Message; #count] = __binlog::messages(&__VARIANTS, &__PLAN);
            static __PREAMBLE: [__binlog::u8; __PLAN.preamble_length()] = __binlog::preamble(&__VARIANTS, &__PLAN);
            #[automatically_derived]
            impl __binlog::LogSchema for #ident {
                const MESSAGES: &'static [__binlog::Message] = &__MESSAGES;
                const PREAMBLE: &'static [__binlog::u8] = &__PREAMBLE;
                fn decode(
                    index: __binlog::usize,
                    payload: &[__binlog::u8],
                ) -> __binlog::Result<Self, __binlog::DecodeError> {
                    match index {
                        #(#index => __binlog::Ok(#ident::#name(<#ty as __binlog::LogMessage>::decode(payload)?)),)*
                        _ => __binlog::Err(__binlog::DecodeError::Index { index }),
                    }
                }
                fn record(&self) -> (__binlog::u8, &[__binlog::u8]) {
                    match self {
                        #(#ident::#name(message) => {
                            (__PLAN.id(#index), <#ty as __binlog::LogMessage>::wire(message))
                        })*
                    }
                }
            }
            #(
                #[automatically_derived]
                impl __binlog::Logs<#ty> for #ident {
                    const INDEX: __binlog::usize = #index;
                    const ID: __binlog::u8 = __PLAN.id(#index);
                }
            )*
        },
    )
}

pub(crate) fn field_type(field: &FieldType<'_>) -> TokenStream {
    let ident = &field.original.ident;
    let Scale { unit, multiplier } = &field.attributes.scale;
    let given_unit = unit.as_ref().map(|unit| unit_tokens(&unit.value));
    let given_multiplier = multiplier.as_ref().map(|multiplier| multiplier_tokens(&multiplier.value));
    let given_meanings = field.attributes.meanings.as_ref().map(meanings_tokens);
    let (inner, meanings, decoded) = match &field.kind {
        FieldKind::Enum { integer, values } => {
            let integer = integer.clone().unwrap_or_else(|| Ident::new("u8", Span::call_site()));
            let integer = quote!(::core::primitive::#integer);
            let rows = values.iter().map(|(value, description)| {
                let name = value.to_string();
                quote! {
                    __binlog::Meaning {
                        value: #ident::#value as __binlog::i64,
                        name: #name,
                        description: #description,
                    }
                }
            });
            let meanings = quote!(__binlog::Meanings::Values(&[#(#rows),*]));
            let values = values.iter().map(|value| value.0);
            let decoded = quote! {
                let stored = <#integer as __binlog::Field>::decode(bytes)?;
                #(if stored == #ident::#values as #integer {
                    return __binlog::Some(#ident::#values);
                })*
                __binlog::None
            };
            (integer, meanings, decoded)
        }
        FieldKind::Newtype { member, ty } => {
            let ty = quote!(#ty);
            let meanings = given_meanings.unwrap_or_else(|| quote!(<#ty as __binlog::Field>::MEANINGS));
            let decoded = quote! {
                match <#ty as __binlog::Field>::decode(bytes) {
                    __binlog::Some(inner) => __binlog::Some(#ident { #member: inner }),
                    __binlog::None => __binlog::None,
                }
            };
            (ty, meanings, decoded)
        }
    };
    // A unit of the newtype's own comes with the multiplier 1, not with the inner type's.
    let multiplier = match (&given_unit, given_multiplier) {
        (_, Some(multiplier)) => quote!(__binlog::Some(#multiplier)),
        (_, None) => quote!(<#inner as __binlog::Field>::MULTIPLIER),
    };
    let unit = given_unit.unwrap_or_else(|| quote!(<#inner as __binlog::Field>::UNIT));
    in_scope(
        field.attributes.krate.as_ref(),
        quote! {
            #[automatically_derived]
            impl __binlog::Field for #ident {
                const FORMAT: __binlog::Format = <#inner as __binlog::Field>::FORMAT;
                const UNIT: __binlog::Unit = #unit;
                const MULTIPLIER: __binlog::Option<__binlog::Multiplier> = #multiplier;
                const MEANINGS: __binlog::Meanings = #meanings;
                #[inline]
                fn decode(bytes: &[__binlog::u8]) -> __binlog::Option<Self> {
                    #decoded
                }
            }
        },
    )
}
