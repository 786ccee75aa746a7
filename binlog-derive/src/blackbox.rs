//! The derives for Blackbox logs, in the stages of the others: `attr` and `ast` parse, `coding` chooses how each field
//! is written, `check` compares one part with another, `history` checks and writes what older logs have in place of a
//! field, `lint` finds what decoders don't read, `expand` writes the code, and `fallback` that of an input with errors.

mod ast;
mod attr;
mod check;
mod coding;
mod expand;
mod fallback;
mod groups;
mod history;
mod lint;
mod names;
mod tables;

use crate::errors::Errors;
use crate::with_fallback;
use proc_macro2::TokenStream;
use syn::DeriveInput;

pub(crate) fn frame(input: &DeriveInput) -> TokenStream {
    let mut errors = Errors::new();
    let mut frame = ast::Frame::new(input, &mut errors);
    if let Some(frame) = &mut frame {
        check::frame(frame, &mut errors);
        lint::of_frame(frame);
    }
    match (frame, errors.finish()) {
        (Some(frame), None) => expand::frame(&frame),
        (frame, errors) => with_fallback(input, errors, fallback::frame(input, frame.as_ref())),
    }
}

pub(crate) fn fields(input: &DeriveInput) -> TokenStream {
    let mut errors = Errors::new();
    let mut frame = ast::Frame::of_any_kind(input, &mut errors);
    if let Some(frame) = &mut frame {
        check::frame(frame, &mut errors);
    }
    match (frame, errors.finish()) {
        (Some(frame), None) => expand::fields(&frame),
        (frame, errors) => with_fallback(input, errors, fallback::fields(input, frame.as_ref())),
    }
}

pub(crate) fn schema(input: &DeriveInput) -> TokenStream {
    let mut errors = Errors::new();
    let mut schema = ast::Schema::new(input, &mut errors);
    if let Some(schema) = &mut schema {
        check::schema(schema, &mut errors);
        lint::of_schema(schema);
    }
    match (schema, errors.finish()) {
        (Some(schema), None) => expand::schema(&schema),
        (schema, errors) => with_fallback(input, errors, fallback::schema(input, schema.as_ref())),
    }
}
