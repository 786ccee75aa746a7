//! Doc comments as descriptions.

use quote::{ToTokens, quote};
use syn::{Expr, ExprLit, Lit, Meta, MetaNameValue};

/// A description.
pub(crate) enum Description {
    /// The text of the doc comments: one line for each, without the space after `///`.
    Text(String),
    /// The expressions of the doc attributes. One of them is a macro, so the text is known in constants only.
    Docs(Vec<Expr>),
}

/// The description in the doc attributes.
pub(crate) fn description(attributes: &[syn::Attribute]) -> Description {
    let docs = attributes.iter().filter(|attribute| attribute.path().is_ident("doc"));
    let docs = docs.filter_map(|attribute| match &attribute.meta {
        Meta::NameValue(MetaNameValue { value, .. }) => Some(value),
        _ => None,
    });
    let docs: Vec<&Expr> = docs.collect();
    let texts: Option<Vec<String>> = docs.iter().map(|doc| text(doc)).collect();
    let Some(texts) = texts else { return Description::Docs(docs.into_iter().cloned().collect()) };
    let lines: Vec<&str> = texts
        .iter()
        .flat_map(|text| text.lines())
        .map(|line| line.strip_prefix(' ').unwrap_or(line).trim_end())
        .collect();
    Description::Text(lines.join("\n").trim().to_owned())
}

/// The text of a literal, even if it comes from a `macro_rules` variable.
fn text(doc: &Expr) -> Option<String> {
    match doc {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
        Expr::Group(group) => text(&group.expr),
        _ => None,
    }
}

impl ToTokens for Description {
    fn to_tokens(&self, tokens: &mut proc_macro2::TokenStream) {
        tokens.extend(match self {
            Description::Text(text) => quote!(#text),
            Description::Docs(docs) => quote! {
                {
                    const __DOCS: &[&__binlog::str] = &[#(#docs),*];
                    const __BYTES: [__binlog::u8; __binlog::description::length(__DOCS)] =
                        __binlog::description::bytes(__DOCS);
                    __binlog::description::text(&__BYTES)
                }
            },
        });
    }
}
