//! The output for an input with errors, besides the errors. It keeps uses of the type from causing further errors.

use super::ast::{Frame, Schema};
use super::attr::Kind;
use crate::expand::in_scope;
use proc_macro2::TokenStream;
use quote::quote;
use syn::DeriveInput;

/// A frame without fields, which a schema doesn't check. Without a kind, it is of each kind.
pub(super) fn frame(input: &DeriveInput, frame: Option<&Frame<'_>>) -> TokenStream {
    let ident = &input.ident;
    let kind = frame.and_then(|frame| frame.kind);
    let main = (kind.is_none() || kind == Some(Kind::Main)).then(|| {
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
    let home = (kind.is_none() || kind == Some(Kind::Home)).then(|| {
        quote! {
            #[automatically_derived]
            impl __blackbox::HomeFrame for #ident {
                fn coordinates(&self) -> [__blackbox::i32; 2] {
                    [0; 2]
                }
            }
        }
    });
    let body = quote! {
        use __binlog::blackbox as __blackbox;
        #[automatically_derived]
        impl __blackbox::BlackboxFrame for #ident {
            const KIND: __blackbox::FrameKind = __blackbox::FrameKind::Event;
            const FIELDS: &'static [__blackbox::FieldDefinition] = &[];
            fn encode_intra(&self, _: &__blackbox::References, _: &mut __blackbox::FrameBuffer) {}
        }
        #main
        #home
    };
    in_scope(frame.and_then(|frame| frame.krate.as_ref()), body)
}

/// No fields.
pub(super) fn fields(input: &DeriveInput, frame: Option<&Frame<'_>>) -> TokenStream {
    let ident = &input.ident;
    let body = quote! {
        use __binlog::blackbox as __blackbox;
        #[automatically_derived]
        impl __blackbox::BlackboxFields for #ident {
            const FIELDS: &'static [__blackbox::FieldDefinition] = &[];
            fn encode_intra(&self, _: &__blackbox::References, _: &mut __blackbox::FrameBuffer) {}
            fn encode_inter(
                &self,
                _: &Self,
                _: &Self,
                _: &__blackbox::References,
                _: &mut __blackbox::FrameBuffer,
            ) {}
        }
    };
    in_scope(frame.and_then(|frame| frame.krate.as_ref()), body)
}

/// Nothing: a schema without a main frame has no type for it.
pub(super) fn schema(_: &DeriveInput, _: Option<&Schema<'_>>) -> TokenStream {
    TokenStream::new()
}
