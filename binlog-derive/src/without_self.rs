//! Constants in code outside of the struct can't say `Self`.

use proc_macro2::{Group, Ident, TokenStream, TokenTree};

/// Replaces `Self` in the tokens by the type's name.
pub(crate) fn without_self(tokens: TokenStream, name: &Ident) -> TokenStream {
    let replaced = |token| match token {
        TokenTree::Ident(ident) if ident == "Self" => {
            let mut name = name.clone();
            name.set_span(ident.span());
            name.into()
        }
        TokenTree::Group(group) => {
            let mut inner = Group::new(group.delimiter(), without_self(group.stream(), name));
            inner.set_span(group.span());
            inner.into()
        }
        token => token,
    };
    tokens.into_iter().map(replaced).collect()
}
