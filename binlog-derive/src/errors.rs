//! Collects the errors of a derive, so that all of them are shown at once.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use std::fmt::Display;

/// Collects errors. Dropping it without [`finish`](Errors::finish) panics, so that no error is forgotten.
pub(crate) struct Errors(Option<Vec<syn::Error>>);

impl Errors {
    pub(crate) fn new() -> Self {
        Errors(Some(Vec::new()))
    }

    /// Adds an error at one span.
    pub(crate) fn at(&mut self, span: Span, text: impl Display) {
        self.push(syn::Error::new(span, text));
    }

    /// Adds an error that spans all of these tokens.
    pub(crate) fn on(&mut self, tokens: impl ToTokens, text: impl Display) {
        self.push(syn::Error::new_spanned(tokens, text));
    }

    pub(crate) fn push(&mut self, error: syn::Error) {
        self.0.get_or_insert_default().push(error);
    }

    /// Returns the value of a result, or adds its error.
    pub(crate) fn take<T>(&mut self, result: syn::Result<T>) -> Option<T> {
        result.map_err(|error| self.push(error)).ok()
    }

    /// The errors as `compile_error!`s; `None` if there are none.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "errors of a derive were not looked at")]
    fn forgotten_errors_are_noticed() {
        drop(Errors::new());
    }

    #[test]
    fn finished_errors_are_all_shown() {
        let mut errors = Errors::new();
        errors.at(Span::call_site(), "one");
        errors.at(Span::call_site(), "two");
        let shown = errors.finish().expect("two errors").to_string();
        assert!(shown.contains("one") && shown.contains("two"), "{shown}");
        assert!(Errors::new().finish().is_none());
    }
}
