//! From what was checked to code. Nothing is decided here.

use crate::ast::{Column, FieldKind, FieldType, Message, Schema};
use crate::attr::{Meanings, Multiplier, Scale, Unit};
use crate::{check, label};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::Path;
use syn::ext::IdentExt;

/// `const _: () = { use binlog::__private as __binlog; … };`
///
/// Names in it begin with `__`: a parameter called `payload` would be taken for a constant of the user's with this name.
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
    // For compile time: an `offset_of!` is a constant with a body of its own, so offsets are counted up instead, as
    // `IntoBytes` leaves no padding; and a `?` is two traits to resolve.
    let decoded = message.columns.iter().map(|column| {
        let Column { ident: field, ty, label, .. } = column;
        quote! {
            #field: match __binlog::decode_column::<#ty>(__payload, __at, #name, #label) {
                __binlog::Ok(__value) => {
                    __at += ::core::mem::size_of::<#ty>();
                    __value
                }
                __binlog::Err(__error) => return __binlog::Err(__error),
            }
        }
    });
    // At the name, so that an error of a column says nothing of the derive.
    let columns = quote_spanned!(ident.span()=> &[#(#columns),*]);
    let parts = quote_spanned!(ident.span()=> __MESSAGE);
    let length = quote_spanned!(ident.span()=> __binlog::length(&#parts.0));
    // Whole, because `self` is hygienic: in a struct that a `macro_rules` macro declares, the name's span has another one.
    let wire = quote_spanned! {ident.span()=>
        fn wire(&self) -> &[__binlog::u8] {
            __binlog::Wire::wire(self)
        }
    };
    in_scope(
        message.attributes.krate.as_ref(),
        quote! {
            // In one body, so that a type that is no field is one error.
            const __MESSAGE: (
                __binlog::Definition,
                fn(&[__binlog::u8]) -> __binlog::Result<#ident, __binlog::DecodeError>,
            ) = (
                __binlog::Definition {
                    name: #name,
                    description: #description,
                    columns: #columns,
                    default_id: #default_id,
                },
                |__payload| {
                    let mut __at: __binlog::usize = 0;
                    __binlog::Ok(#ident { #(#decoded),* })
                },
            );
            const _: () = #length;
            #[automatically_derived]
            impl __binlog::LogMessage for #ident {
                const DEFINITION: __binlog::Definition = #parts.0;
                #[inline]
                #wire
                #[inline]
                fn decode(__payload: &[__binlog::u8]) -> __binlog::Result<Self, __binlog::DecodeError> {
                    __binlog::check_length::<Self>(__payload, #name)?;
                    (#parts.1)(__payload)
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
    let unit_span = unit.as_ref().map_or(span, |unit| unit.span);
    let multiplier_span = multiplier.as_ref().map_or(span, |multiplier| multiplier.span);
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
    let (unit, multiplier) = (option_at(unit_span, unit), option_at(multiplier_span, multiplier));
    let meanings = option(column.attributes.meanings.as_ref().map(|meanings| meanings_tokens(&meanings.value)));
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
    option_at(Span::call_site(), value)
}

/// The same at a span, which gets the errors of the value's type.
fn option_at(span: Span, value: Option<impl quote::ToTokens>) -> TokenStream {
    match value {
        Some(value) => quote_spanned!(span=> __binlog::Some(#value)),
        None => quote_spanned!(span=> __binlog::None),
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
    let definition = schema.variants.iter().map(|variant| {
        let ty = variant.ty;
        quote_spanned!(variant.ident.span()=> &<#ty as __binlog::LogMessage>::DEFINITION)
    });
    let plan = quote_spanned!(ident.span()=> __PLAN);
    // At the variant, where errors about a message that the schema lacks point to.
    let logs = schema.variants.iter().zip(&index).map(|(variant, index)| {
        let span = variant.ident.span();
        let (ty, mut ident) = (variant.ty, ident.clone());
        ident.set_span(span);
        // An `impl<>` of the derive's own, so that rustc doesn't propose parameters for it.
        let no_generics = quote!(<>);
        quote_spanned! {span=>
            #[automatically_derived]
            impl #no_generics __binlog::Logs<#ty> for #ident {
                const INDEX: __binlog::usize = #index;
                const ID: __binlog::u8 = #plan.id(#index);
            }
        }
    });
    let blame = schema
        .variants
        .iter()
        .zip(&index)
        .map(|(variant, index)| quote_spanned!(variant.ident.span()=> __binlog::blame(&__PLAN, #index);));
    // Inline, so that code for 200 messages is made only in a crate that decodes or matches them: most just log.
    in_scope(
        schema.krate.as_ref(),
        quote! {
            static __VARIANTS: [__binlog::Variant; #count] = [
                #(__binlog::Variant { definition: #definition, id: #id }),*
            ];
            const __PLAN: __binlog::Plan<#count> = __binlog::plan(&__VARIANTS);
            const _: () = { #(#blame)* };
            static __MESSAGES: [__binlog::Message; #count] = __binlog::messages(&__VARIANTS, &#plan);
            static __PREAMBLE: [__binlog::u8; #plan.preamble_length()] = __binlog::preamble(&__VARIANTS, &#plan);
            #[automatically_derived]
            impl __binlog::LogSchema for #ident {
                const MESSAGES: &'static [__binlog::Message] = &__MESSAGES;
                const PREAMBLE: &'static [__binlog::u8] = &__PREAMBLE;
                #[inline]
                fn decode(
                    __index: __binlog::usize,
                    __payload: &[__binlog::u8],
                ) -> __binlog::Result<Self, __binlog::DecodeError> {
                    match __index {
                        #(#index => __binlog::Ok(#ident::#name(<#ty as __binlog::LogMessage>::decode(__payload)?)),)*
                        _ => __binlog::Err(__binlog::DecodeError::Index { index: __index }),
                    }
                }
                #[inline]
                fn record(&self) -> (__binlog::u8, &[__binlog::u8]) {
                    match self {
                        #(#ident::#name(__message) => {
                            (<#ident as __binlog::Logs<#ty>>::ID, <#ty as __binlog::LogMessage>::wire(__message))
                        })*
                    }
                }
            }
            #(#logs)*
        },
    )
}

pub(crate) fn field_type(field: &FieldType<'_>) -> TokenStream {
    let ident = &field.original.ident;
    let Scale { unit, multiplier } = &field.attributes.scale;
    let given_unit = unit.as_ref().map(|unit| unit_tokens(&unit.value));
    let given_multiplier = multiplier.as_ref().map(|multiplier| multiplier_tokens(&multiplier.value));
    let given_meanings = field.attributes.meanings.as_ref().map(|meanings| meanings_tokens(&meanings.value));
    let (inner, meanings, decoded) = match &field.kind {
        FieldKind::Enum { integer, values } => {
            let integer = integer.clone().unwrap_or_else(|| Ident::new("u8", Span::call_site()));
            let integer = quote!(::core::primitive::#integer);
            let rows = values.iter().map(|(value, description)| {
                let name = value.unraw().to_string();
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
                let __stored = <#integer as __binlog::Field>::decode(__bytes)?;
                #(if __stored == #ident::#values as #integer {
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
                match <#ty as __binlog::Field>::decode(__bytes) {
                    __binlog::Some(__inner) => __binlog::Some(#ident { #member: __inner }),
                    __binlog::None => __binlog::None,
                }
            };
            (ty, meanings, decoded)
        }
    };
    let multiplier = match given_multiplier {
        Some(multiplier) => quote!(__binlog::Some(#multiplier)),
        None => quote!(<#inner as __binlog::Field>::MULTIPLIER),
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
                fn decode(__bytes: &[__binlog::u8]) -> __binlog::Option<Self> {
                    #decoded
                }
            }
        },
    )
}
