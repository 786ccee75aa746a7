//! One item of an attribute: a key, and the kinds of values that it may have.

use super::place::MESSAGE;
use super::{DefaultValue, Located, Multiplier, Unit};
use crate::lint_names;
use crate::nearest::did_you_mean;
use crate::tables;
use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Expr, ExprLit, Ident, Lit, LitStr, Path, Token};

/// `key`, `key = value` or `key(…)`.
pub(crate) struct Item {
    pub(crate) key: Ident,
    pub(crate) value: Value,
}

#[allow(clippy::large_enum_variant, reason = "how large depends on the features of syn that others turn on")]
pub(crate) enum Value {
    None,
    Expr(Expr),
    List(TokenStream),
}

impl Parse for Item {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let key = input.call(Ident::parse_any);
        let key =
            key.map_err(|error| syn::Error::new(error.span(), "an attribute begins with its key: `key = value`"))?;
        let value = if input.peek(syn::token::Paren) {
            let list;
            syn::parenthesized!(list in input);
            Value::List(list.parse()?)
        } else if input.parse::<Option<Token![=]>>()?.is_some() {
            Value::Expr(expression(input)?)
        } else if input.peek(Token![:]) {
            return Err(input.error(format!("a value comes after `=`: `{key} = …`")));
        } else {
            Value::None
        };
        Ok(Item { key, value })
    }
}

/// Parses literals, which most values are, as such: parsing an arbitrary expression is most of the cost of reading the
/// attributes.
fn expression(input: ParseStream<'_>) -> syn::Result<Expr> {
    // An invisible group, which `peek` looks into, may be a longer expression.
    let is_last =
        |(token, rest): (TokenTree, syn::buffer::Cursor<'_>)| !matches!(token, TokenTree::Group(_)) && rest.eof();
    if input.peek(Lit) && (input.peek2(Token![,]) || input.cursor().token_tree().is_some_and(is_last)) {
        return Ok(Expr::Lit(ExprLit { attrs: Vec::new(), lit: input.parse()? }));
    }
    input.parse().map(ungrouped)
}

/// The expression without the invisible group that a `macro_rules` variable adds.
fn ungrouped(expr: Expr) -> Expr {
    match expr {
        Expr::Group(group) => ungrouped(*group.expr),
        expr => expr,
    }
}

impl Item {
    pub(crate) fn wants(&self, what: &str) -> syn::Error {
        let text = format!("`{}` takes {what}", self.key);
        match &self.value {
            Value::Expr(expr) => syn::Error::new_spanned(expr, text),
            _ => syn::Error::new(self.key.span(), text),
        }
    }

    pub(crate) fn flag(&self) -> syn::Result<bool> {
        match self.value {
            Value::None => Ok(true),
            _ => Err(syn::Error::new(self.key.span(), format!("`{}` takes no value", self.key))),
        }
    }

    pub(crate) fn string(&self) -> syn::Result<LitStr> {
        match &self.value {
            Value::Expr(Expr::Lit(ExprLit { lit: Lit::Str(text), .. })) => Ok(text.clone()),
            _ => Err(self.wants(&format!("a string: `{} = \"…\"`", self.key))),
        }
    }

    /// `default`, or `default = EXPR`.
    pub(crate) fn default_value(&self) -> syn::Result<DefaultValue> {
        match &self.value {
            Value::None => Ok(DefaultValue::Zeros(self.key.span())),
            Value::Expr(expr) => Ok(DefaultValue::Of(expr.to_token_stream())),
            Value::List(_) => {
                Err(self.wants(&format!("no value, or a constant of the field's type: `{} = 0`", self.key)))
            }
        }
    }

    pub(crate) fn path(&self) -> syn::Result<Path> {
        let text = self.string()?;
        let path = text.parse_with(Path::parse_mod_style);
        path.map_err(|_| syn::Error::new(text.span(), format!("`{}` takes a path: `\"my::binlog\"`", self.key)))
    }

    /// The name of a trait that the macro writes.
    pub(super) fn trait_name(&self) -> syn::Result<Ident> {
        let name = match &self.value {
            Value::Expr(Expr::Path(path)) => path.path.get_ident(),
            _ => None,
        };
        name.cloned().ok_or_else(|| self.wants(&format!("the name of a new trait: `{} = FlightSink`", self.key)))
    }

    pub(super) fn id(&self) -> syn::Result<(u8, Span)> {
        match &self.value {
            Value::Expr(Expr::Lit(ExprLit { lit: Lit::Int(number), .. })) => match number.base10_parse::<u64>() {
                Ok(id @ 0..=254) => Ok((id as u8, number.span())),
                Ok(255) => Err(syn::Error::new(number.span(), "id 255 is reserved; ids are 0 to 254")),
                _ => Err(syn::Error::new(number.span(), format!("{number} is not an id; ids are 0 to 254"))),
            },
            _ => Err(self.wants(&format!("a number from 0 to 254: `{} = 100`", self.key))),
        }
    }

    /// `critical`, or `critical = false` for a message that is critical by default.
    pub(super) fn switch(&self) -> syn::Result<bool> {
        match &self.value {
            Value::None => Ok(true),
            Value::Expr(Expr::Lit(ExprLit { lit: Lit::Bool(value), .. })) => Ok(value.value),
            _ => Err(self.wants(&format!("no value, or `true` or `false`: `{} = false`", self.key))),
        }
    }

    /// The number of the first element.
    pub(super) fn start(&self) -> syn::Result<Located<u32>> {
        match &self.value {
            Value::Expr(Expr::Lit(ExprLit { lit: Lit::Int(number), .. })) => match number.base10_parse() {
                Ok(value @ 0..=9999) => Ok(Located { value, span: number.span() }),
                _ => Err(syn::Error::new(number.span(), "the number of the first element is 0 to 9999")),
            },
            _ => Err(self.wants("the number of the first element: `start = 0`")),
        }
    }

    pub(super) fn rate(&self) -> syn::Result<u32> {
        match &self.value {
            Value::Expr(Expr::Lit(ExprLit { lit: Lit::Int(number), .. })) => match number.base10_parse() {
                Ok(rate @ 1..=1_000_000) => Ok(rate),
                _ => Err(syn::Error::new(
                    number.span(),
                    format!("{number} is not a rate; a rate is 1 to 1000000 records a second"),
                )),
            },
            _ => Err(self.wants(&format!("a whole number of records a second: `{} = 50`", self.key))),
        }
    }

    /// `allow(float_multiplier)`: the names of lints that apply in this place.
    pub(crate) fn allow(&self, lints: &[&'static str]) -> syn::Result<Vec<&'static str>> {
        let wanted = || self.wants(&format!("the name of a lint: `allow({})`", lints[0]));
        let Value::List(list) = &self.value else { return Err(wanted()) };
        let names = Punctuated::<Ident, Token![,]>::parse_terminated.parse2(list.clone())?;
        if names.is_empty() {
            return Err(wanted());
        }
        let known = |name: &Ident| {
            let known = lints.iter().copied().find(|lint| name == lint);
            known.ok_or_else(|| {
                let hint = match lint_names::OF_MESSAGES.iter().any(|lint| name == lint) {
                    true => format!("; it belongs on {}", MESSAGE.name),
                    false => did_you_mean(&name.to_string(), lints.iter().copied()),
                };
                syn::Error::new(name.span(), format!("`{name}` is not a lint of binlog{hint}"))
            })
        };
        names.iter().map(known).collect()
    }

    pub(super) fn unit(&self) -> syn::Result<Located<Unit>> {
        let wanted = "a name (`\"m/s\"`), an id (`'n'`) or a constant made by `Unit::custom`";
        let Value::Expr(expr) = &self.value else { return Err(self.wants(wanted)) };
        let span = expr.span();
        let standard = |found: Result<(char, &'static str), String>| match found {
            Ok(('#', _)) => Err("an instance column is marked by `#[log(instance)]`".into()),
            Ok((id, _)) => Ok(Unit::Standard(id)),
            Err(text) => Err(text),
        };
        let unit = match expr {
            Expr::Lit(ExprLit { lit: Lit::Str(name), .. }) => standard(tables::unit_named(&name.value())),
            Expr::Lit(ExprLit { lit: Lit::Char(id), .. }) => standard(tables::unit_with_id(id.value())),
            Expr::Path(path) => match path.path.get_ident().map(ToString::to_string) {
                // The name of a constant is in upper case.
                Some(name) if name.starts_with(char::is_lowercase) && tables::unit_named(&name).is_ok() => {
                    Err(format!("the name of a unit is a string: `unit = \"{name}\"`"))
                }
                _ => Ok(Unit::Custom(path.path.clone())),
            },
            _ => return Err(self.wants(wanted)),
        };
        unit.map(|value| Located { value, span }).map_err(|text| syn::Error::new_spanned(expr, text))
    }

    pub(super) fn multiplier(&self) -> syn::Result<Located<Multiplier>> {
        let wanted = "a number (`1e-3`), an id (`'C'`) or a constant made by `Multiplier::custom`";
        let Value::Expr(expr) = &self.value else { return Err(self.wants(wanted)) };
        let span = expr.span();
        let of_number = |digits: &str| match digits.parse() {
            Ok(value) => tables::multiplier_of(value),
            Err(_) => Err(format!("{digits} is not a number")),
        };
        let found = match expr {
            Expr::Lit(ExprLit { lit: Lit::Float(number), .. }) => of_number(number.base10_digits()),
            Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) => of_number(number.base10_digits()),
            Expr::Lit(ExprLit { lit: Lit::Char(id), .. }) => tables::multiplier_with_id(id.value()),
            Expr::Unary(_) => Err("a multiplier is positive".into()),
            Expr::Path(path) => {
                return Ok(Located { value: Multiplier::Custom(path.path.clone()), span });
            }
            _ => return Err(self.wants(wanted)),
        };
        match found {
            Ok((id, _)) => Ok(Located { value: Multiplier::Standard(id), span }),
            Err(text) => Err(syn::Error::new_spanned(expr, text)),
        }
    }

    /// `0 = "Disarmed", 1 = "Armed"`.
    pub(super) fn meanings(&self) -> syn::Result<Vec<(i128, String)>> {
        let Value::List(list) = &self.value else {
            return Err(self.wants(&format!("a list: `{}(0 = \"…\", 1 = \"…\")`", self.key)));
        };
        let rows = Punctuated::<Row, Token![,]>::parse_terminated.parse2(list.clone());
        let rows = rows.map_err(|error| match meant(list) {
            Some((row, written)) => {
                let text = format!("`{0}` takes a list of numbers and names: `{0}({written})`", self.key);
                syn::Error::new_spanned(row, text)
            }
            None => error,
        })?;
        if rows.is_empty() {
            return Err(self.wants(&format!("a list: `{}(0 = \"…\", 1 = \"…\")`", self.key)));
        }
        let mut meanings: Vec<(i128, String)> = Vec::new();
        for Row { span, value, name } in rows {
            if self.key == "bits" && !(0..=63).contains(&value) {
                return Err(syn::Error::new(span, "the number of a bit is 0, the lowest, to 63"));
            }
            if meanings.iter().any(|meaning| meaning.0 == value) {
                return Err(syn::Error::new(span, format!("{value} is named twice")));
            }
            meanings.push((value, name));
        }
        Ok(meanings)
    }
}

/// `1 = "Armed"`.
struct Row {
    span: Span,
    value: i128,
    name: String,
}

/// The first row that isn't written as one, and how it is written: `0 = "Armed"` for `Armed = 0`, `Armed` or
/// `0 = Armed`. `None` if that can't be told.
fn meant(list: &TokenStream) -> Option<(TokenStream, String)> {
    let tokens: Vec<TokenTree> = list.clone().into_iter().collect();
    let rows = tokens.split(|token| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ','));
    let tokens_of = |row: &[TokenTree]| row.iter().cloned().collect::<TokenStream>();
    let (place, row) = rows.enumerate().find(|(_, row)| syn::parse2::<Row>(tokens_of(row)).is_err())?;
    let (mut name, mut number, mut sign) = (None, None, "");
    for token in row {
        let is_free = match token {
            TokenTree::Ident(ident) => name.replace(ident.to_string()).is_none(),
            TokenTree::Literal(_) => match syn::parse2(token.clone().into()).ok()? {
                Lit::Str(text) => name.replace(text.value()).is_none(),
                Lit::Int(digits) => number.replace(digits.base10_parse::<i64>().ok()?).is_none(),
                _ => false,
            },
            TokenTree::Punct(punct) => match punct.as_char() {
                '-' => std::mem::replace(&mut sign, "-").is_empty() && number.is_none(),
                other => matches!(other, '=' | '>' | ':'),
            },
            TokenTree::Group(_) => false,
        };
        if !is_free {
            return None;
        }
    }
    let number = number.map_or_else(|| place.to_string(), |number| format!("{sign}{number}"));
    Some((tokens_of(row), format!("{number} = {:?}", name?)))
}

impl Parse for Row {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let minus: Option<Token![-]> = input.parse()?;
        let number: syn::LitInt = input.parse()?;
        input.parse::<Token![=]>()?;
        let name: LitStr = input.parse()?;
        let sign = if minus.is_some() { "-" } else { "" };
        let value = format!("{sign}{}", number.base10_digits()).parse();
        let value = value.ok().filter(|value| (i64::MIN.into()..=u64::MAX.into()).contains(value));
        let beyond = || syn::Error::new(number.span(), format!("{sign}{number} is beyond 64 bits"));
        let value = value.ok_or_else(beyond)?;
        Ok(Row { span: number.span(), value, name: name.value() })
    }
}
