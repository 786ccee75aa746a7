//! The derive macros of `binlog`. Programs use them through that crate, whose documentation explains them.
//!
//! Each macro runs through the same files: `attr` and `ast` take the input apart, `check` says what is wrong with it,
//! `expand` writes the code; after an error, `fallback` writes code in its place that brings no further errors.

#![forbid(unsafe_code)]

mod ast;
mod attr;
mod check;
mod docs;
mod errors;
mod expand;
mod fallback;
mod label;
mod nearest;
mod repr;
#[cfg(test)]
mod snapshots;
mod tables;

use errors::Errors;
use proc_macro::TokenStream;
use proc_macro2::TokenStream as TokenStream2;
use syn::DeriveInput;

/// Makes a struct a log message.
#[proc_macro_derive(LogMessage, attributes(log))]
pub fn derive_log_message(input: TokenStream) -> TokenStream {
    match syn::parse(input) {
        Ok(input) => log_message(&input).into(),
        Err(error) => error.to_compile_error().into(),
    }
}

/// Makes an enum of messages the schema of a log.
#[proc_macro_derive(LogSchema, attributes(log))]
pub fn derive_log_schema(input: TokenStream) -> TokenStream {
    match syn::parse(input) {
        Ok(input) => log_schema(&input).into(),
        Err(error) => error.to_compile_error().into(),
    }
}

/// Makes an enum or a newtype a field of messages.
#[proc_macro_derive(Field, attributes(log))]
pub fn derive_field(input: TokenStream) -> TokenStream {
    match syn::parse(input) {
        Ok(input) => field_type(&input).into(),
        Err(error) => error.to_compile_error().into(),
    }
}

fn log_message(input: &DeriveInput) -> TokenStream2 {
    let mut errors = Errors::new();
    let message = ast::Message::new(input, &mut errors);
    if let Some(message) = &message {
        check::message(message, &mut errors);
    }
    match (message, errors.finish()) {
        (Some(message), None) => expand::message(&message),
        (message, errors) => {
            let krate = message.as_ref().and_then(|message| message.attributes.krate.as_ref());
            with_fallback(input, errors, fallback::message(&input.ident, krate))
        }
    }
}

fn log_schema(input: &DeriveInput) -> TokenStream2 {
    let mut errors = Errors::new();
    let schema = ast::Schema::new(input, &mut errors);
    if let Some(schema) = &schema {
        check::schema(schema, &mut errors);
    }
    match (schema, errors.finish()) {
        (Some(schema), None) => expand::schema(&schema),
        (schema, errors) => {
            let krate = schema.as_ref().and_then(|schema| schema.krate.as_ref());
            with_fallback(input, errors, fallback::schema(input, krate))
        }
    }
}

fn field_type(input: &DeriveInput) -> TokenStream2 {
    let mut errors = Errors::new();
    let field = ast::FieldType::new(input, &mut errors);
    if let Some(field) = &field {
        check::field_type(field, &mut errors);
    }
    match (field, errors.finish()) {
        (Some(field), None) => expand::field_type(&field),
        (field, errors) => {
            let krate = field.as_ref().and_then(|field| field.attributes.krate.as_ref());
            with_fallback(input, errors, fallback::field_type(&input.ident, krate))
        }
    }
}

/// The errors, and the fallback where the type has no parameters that it would have to repeat.
fn with_fallback(input: &DeriveInput, errors: Option<TokenStream2>, fallback: TokenStream2) -> TokenStream2 {
    let mut output = errors.unwrap_or_default();
    if input.generics.params.is_empty() {
        output.extend(fallback);
    }
    output
}
