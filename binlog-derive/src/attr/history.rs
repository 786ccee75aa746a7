//! What older logs have in place of a column, or of a field of a Blackbox frame: `alias` and `default`.

use proc_macro2::{Span, TokenStream};
use syn::LitStr;
use syn::spanned::Spanned;

/// The attributes of one column, or of a field of a Blackbox frame.
#[derive(Default)]
pub(crate) struct FieldHistory {
    /// Earlier labels.
    pub(crate) aliases: Vec<LitStr>,
    pub(crate) default: Option<DefaultValue>,
}

/// The value of a column that a log lacks.
pub(crate) enum DefaultValue {
    /// `default`: all bytes zero. With the key's span.
    Zeros(Span),
    /// `default = EXPR`.
    Of(TokenStream),
}

impl FieldHistory {
    /// Whether there is neither an alias nor a default.
    pub(crate) fn is_none(&self) -> bool {
        self.aliases.is_empty() && self.default.is_none()
    }
}

impl DefaultValue {
    pub(crate) fn span(&self) -> Span {
        match self {
            DefaultValue::Zeros(span) => *span,
            DefaultValue::Of(expr) => expr.span(),
        }
    }
}
