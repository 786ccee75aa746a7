//! All errors of one derive, so that each is shown in one go.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use std::fmt::Display;

/// Collects errors. Must be [`finish`](Errors::finish)ed, so that none is forgotten.
pub(crate) struct Errors(Option<Vec<syn::Error>>);

impl Errors {
    pub(crate) fn new() -> Self {
        Errors(Some(Vec::new()))
    }

    /// An error at one span.
    pub(crate) fn at(&mut self, span: Span, text: impl Display) {
        self.push(syn::Error::new(span, text));
    }

    /// An error at all of these tokens.
    pub(crate) fn on(&mut self, tokens: impl ToTokens, text: impl Display) {
        self.push(syn::Error::new_spanned(tokens, text));
    }

    pub(crate) fn push(&mut self, error: syn::Error) {
        self.0.get_or_insert_default().push(error);
    }

    /// Takes the value of a result, or notes its error.
    pub(crate) fn take<T>(&mut self, result: syn::Result<T>) -> Option<T> {
        result.map_err(|error| self.push(error)).ok()
    }

    /// The errors as `compile_error!`s, `None` if there are none.
    pub(crate) fn finish(mut self) -> Option<TokenStream> {
        let errors = self.0.take().unwrap_or_default();
        errors.into_iter().map(|error| error.to_compile_error()).reduce(|mut all, error| {
            all.extend(error);
            all
        })
    }
}

impl Drop for Errors {
    fn drop(&mut self) {
        if self.0.is_some() && !std::thread::panicking() {
            panic!("errors of a derive were not looked at");
        }
    }
}
