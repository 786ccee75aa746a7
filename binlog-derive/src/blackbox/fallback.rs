//! The output for an input with errors, besides the errors. It keeps uses of the type from causing further errors.

use super::ast::{Frame, Schema};
use super::attr::DeclaredKind;
use crate::expand::in_scope;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::DeriveInput;

/// Nothing that is read.
fn read(ident: &Ident) -> TokenStream {
    quote! {
        __blackbox::reading! {
            #[automatically_derived]
            impl __blackbox::ReadFields for #ident {
                fn from_values(_: &mut __blackbox::FieldValues<'_>) -> Self {
                    ::core::unreachable!("it doesn't compile")
                }
                fn read_intra(_: &mut __blackbox::FieldReader<'_>) {}
                fn predict_intra(_: &mut __blackbox::FieldPredictor<'_>) {}
            }
        }
    }
}

/// A frame without fields, which a schema doesn't check. Without a kind, it is of each kind.
pub(super) fn frame(input: &DeriveInput, frame: Option<&Frame<'_>>) -> TokenStream {
    let ident = &input.ident;
    let kind = frame.and_then(|frame| frame.kind);
    let main = (kind.is_none() || kind == Some(DeclaredKind::Main)).then(|| {
        quote! {
            #[automatically_derived]
            impl __blackbox::MainFrame for #ident {
                fn iteration(&self) -> __blackbox::u32 {
                    0
                }
                fn time(&self) -> __blackbox::u32 {
                    0
                }
                fn encode_inter(
                    &self,
                    _: &Self,
                    _: &Self,
                    _: &__blackbox::References,
                    _: &mut __blackbox::FrameBuffer,
                ) {}
            }
        }
    });
    let home = (kind.is_none() || kind == Some(DeclaredKind::Home)).then(|| {
        quote! {
            #[automatically_derived]
            impl __blackbox::HomeFrame for #ident {
                fn coordinates(&self) -> [__blackbox::i32; 2] {
                    [0; 2]
                }
            }
        }
    });
    let read = read(ident);
    let body = quote! {
        use __binlog::blackbox as __blackbox;
        #[automatically_derived]
        impl __blackbox::BlackboxFrame for #ident {
            const KIND: __blackbox::FrameKind = __blackbox::FrameKind::Event;
            const FIELDS: &'static [__blackbox::FieldDefinition] = &[];
            fn zeros() -> Self {
                ::core::unreachable!("it doesn't compile")
            }
            fn wire(&self) -> &[__binlog::u8] {
                &[]
            }
            fn wire_mut(&mut self) -> &mut [__binlog::u8] {
                &mut []
            }
            fn encode_intra(&self, _: &__blackbox::References, _: &mut __blackbox::FrameBuffer) {}
        }
        #read
        #main
        #home
    };
    in_scope(frame.and_then(|frame| frame.krate.as_ref()), body)
}

/// No fields.
pub(super) fn fields(input: &DeriveInput, frame: Option<&Frame<'_>>) -> TokenStream {
    let ident = &input.ident;
    let read = read(ident);
    let body = quote! {
        use __binlog::blackbox as __blackbox;
        #[automatically_derived]
        impl __blackbox::BlackboxFields for #ident {
            const FIELDS: &'static [__blackbox::FieldDefinition] = &[];
            fn encode_intra(
                _: impl __binlog::Fn() -> Self,
                _: &__blackbox::References,
                _: &mut __blackbox::FieldWriter<'_>,
            ) {}
            fn encode_inter(
                _: impl __binlog::Fn() -> Self,
                _: impl __binlog::Fn() -> Self,
                _: impl __binlog::Fn() -> Self,
                _: &__blackbox::References,
                _: &mut __blackbox::FieldWriter<'_>,
            ) {}
        }
        #read
    };
    in_scope(frame.and_then(|frame| frame.krate.as_ref()), body)
}

/// A schema with the frames of its variants; nothing without a main frame, because there is no type for it.
pub(super) fn schema(input: &DeriveInput, schema: Option<&Schema<'_>>) -> TokenStream {
    let ident = &input.ident;
    let Some(schema) = schema else { return TokenStream::new() };
    let Some(main) = schema.variant(DeclaredKind::Main).map(|variant| variant.ty) else { return TokenStream::new() };
    let [slow, gps, home] =
        [DeclaredKind::Slow, DeclaredKind::Gps, DeclaredKind::Home].map(|kind| match schema.variant(kind) {
            Some(variant) => variant.ty.to_token_stream(),
            None => quote!(__blackbox::Absent),
        });
    let mut types: Vec<String> = Vec::new();
    let of_frames = schema.variants.iter().filter_map(|variant| {
        let (ty, kind) = (variant.ty, Ident::new(variant.kind.frame_kind(), Span::call_site()));
        let name = quote!(#ty).to_string();
        if types.contains(&name) {
            return None;
        }
        types.push(name);
        Some(quote! {
            #[automatically_derived]
            impl __blackbox::LogsFrame<#ty> for #ident {
                const KIND: __blackbox::FrameKind = __blackbox::FrameKind::#kind;
            }
        })
    });
    let body = quote! {
        use __binlog::blackbox as __blackbox;
        #[automatically_derived]
        impl __blackbox::BlackboxSchema for #ident {
            type Main = #main;
            type Slow = #slow;
            type Gps = #gps;
            type Home = #home;
            const HEADER: &'static __binlog::str = "";
            const INTERVALS: __blackbox::Intervals = __blackbox::Intervals::new(1, 1, 1);
            const REFERENCES: __blackbox::References = __blackbox::References::NEW;
            fn from_frame(_: __blackbox::FrameKind, _: &[__binlog::u8]) -> __binlog::Option<Self> {
                __binlog::None
            }
            fn frame(&self) -> (__blackbox::FrameKind, &[__binlog::u8]) {
                (__blackbox::FrameKind::Event, &[])
            }
        }
        #(#of_frames)*
    };
    in_scope(schema.attributes.krate.as_ref(), body)
}
