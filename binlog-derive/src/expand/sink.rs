//! A trait for the sinks of a whole schema.

use super::path_of;
use crate::attr::SchemaAttributes;
use proc_macro2::TokenStream;
use quote::quote;
use syn::{DeriveInput, Type};

/// The trait of `#[log(sink = …)]`, if the schema has that attribute: a sink for each of its messages. It stands beside
/// the enum, so that the program can name it.
pub(crate) fn sink(input: &DeriveInput, attributes: &SchemaAttributes, messages: &[&Type]) -> Option<TokenStream> {
    let name = attributes.sink.as_ref()?;
    let (vis, krate) = (&input.vis, path_of(attributes.krate.as_ref()));
    let docs = format!("A sink for each message of [`{}`].", input.ident);
    Some(quote! {
        #[doc = #docs]
        #[allow(unused_qualifications)]
        #vis trait #name: #(#krate::Sink<#messages>)+* {}
        #[allow(unused_qualifications)]
        impl<__Sink: #(#krate::Sink<#messages> +)* ?::core::marker::Sized> #name for __Sink {}
    })
}
