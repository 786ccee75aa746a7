//! `#[log(…)]`: parses tokens to attributes, each with the span for errors about it.

use crate::errors::Errors;
use crate::lint_names;
use crate::nearest::did_you_mean;
use crate::older::{DefaultValue, Older};
use crate::tables;
use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Expr, ExprLit, Ident, Lit, LitStr, Path, Token};

/// Where an attribute is, and which keys it accepts there.
struct Place {
    name: &'static str,
    keys: &'static [&'static str],
}

const MESSAGE: Place =
    Place { name: "a message", keys: &["name", "alias", "as_logged", "allow", "crate", "default_id"] };
const COLUMN: Place = Place {
    name: "a field of a message",
    keys: &[
        "label", "unit", "mult", "instance", "allow", "values", "bits", "alias", "default", "flatten", "prefix",
        "names", "start",
    ],
};
const GROUP: Place = Place { name: "a struct of columns", keys: &["allow", "crate"] };
const SCHEMA: Place = Place { name: "a schema", keys: &["crate"] };
const VARIANT: Place = Place { name: "a variant of a schema", keys: &["id", "critical", "rate"] };
const FIELD_TYPE: Place = Place { name: "a field type", keys: &["unit", "mult", "values", "bits", "allow", "crate"] };
/// Words that people write instead of a key.
const OTHER_KEYS: [(&str, &str); 5] =
    [("multiplier", "mult"), ("scale", "mult"), ("units", "unit"), ("column", "label"), ("rename", "label")];

/// Keys that may be given several times in one place.
const REPEATABLE: [&str; 2] = ["allow", "alias"];

const PLACES: [&Place; 6] = [&MESSAGE, &COLUMN, &SCHEMA, &VARIANT, &FIELD_TYPE, &GROUP];

/// Attributes of a message's struct.
#[derive(Default)]
pub(crate) struct MessageAttributes {
    /// Whether `name` is present, valid or not, or may be in the part that could not be parsed.
    pub(crate) named: bool,
    pub(crate) name: Option<LitStr>,
    /// Names that older logs used.
    pub(crate) aliases: Vec<LitStr>,
    pub(crate) as_logged: bool,
    /// The names of the lints.
    pub(crate) allowed: Vec<&'static str>,
    pub(crate) krate: Option<Path>,
    /// The id in a schema that gives none; only for the format's own messages.
    pub(crate) default_id: Option<u8>,
}

/// Attributes of a message's field.
#[derive(Default)]
pub(crate) struct ColumnAttributes {
    pub(crate) label: Option<LitStr>,
    pub(crate) scale: Scale,
    pub(crate) instance: Option<Span>,
    /// The names of the lints.
    pub(crate) allowed: Vec<&'static str>,
    pub(crate) meanings: Option<Located<Meanings>>,
    pub(crate) older: Older,
    pub(crate) flatten: Flatten,
}

/// The part of a field's attributes about flattening it.
#[derive(Default)]
pub(crate) struct Flatten {
    /// The span of `flatten`.
    pub(crate) marked: Option<Span>,
    pub(crate) prefix: Option<LitStr>,
    /// The names of an array's elements, separated by commas.
    pub(crate) names: Option<LitStr>,
    /// The number of an array's first element.
    pub(crate) start: Option<Located<u32>>,
}

/// Attributes of a struct that derives `Columns`.
#[derive(Default)]
pub(crate) struct GroupAttributes {
    /// The names of the lints.
    pub(crate) allowed: Vec<&'static str>,
    pub(crate) krate: Option<Path>,
}

/// Attributes of a type that derives `Field`.
#[derive(Default)]
pub(crate) struct FieldTypeAttributes {
    pub(crate) scale: Scale,
    /// The names of the lints.
    pub(crate) allowed: Vec<&'static str>,
    pub(crate) meanings: Option<Located<Meanings>>,
    pub(crate) krate: Option<Path>,
}

/// Attributes of a schema's variant.
#[derive(Default)]
pub(crate) struct VariantAttributes {
    pub(crate) id: Option<(u8, Span)>,
    pub(crate) critical: Option<bool>,
    /// Records a second.
    pub(crate) rate: Option<u32>,
}

/// A unit and a multiplier.
#[derive(Default)]
pub(crate) struct Scale {
    pub(crate) unit: Option<Located<Unit>>,
    pub(crate) multiplier: Option<Located<Multiplier>>,
}

/// A value and its span.
pub(crate) struct Located<T> {
    pub(crate) value: T,
    pub(crate) span: Span,
}

pub(crate) enum Unit {
    /// The id in the standard table.
    Standard(char),
    /// A constant of the program.
    Custom(Path),
}

pub(crate) enum Multiplier {
    /// The id in the standard table.
    Standard(char),
    /// A constant of the program.
    Custom(Path),
}

pub(crate) enum Meanings {
    Values(Vec<(i128, String)>),
    Bits(Vec<(i128, String)>),
}

/// `key`, `key = value` or `key(…)`.
struct Item {
    key: Ident,
    value: Value,
}

enum Value {
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
    fn wants(&self, what: &str) -> syn::Error {
        let text = format!("`{}` takes {what}", self.key);
        match &self.value {
            Value::Expr(expr) => syn::Error::new_spanned(expr, text),
            _ => syn::Error::new(self.key.span(), text),
        }
    }

    fn flag(&self) -> syn::Result<bool> {
        match self.value {
            Value::None => Ok(true),
            _ => Err(syn::Error::new(self.key.span(), format!("`{}` takes no value", self.key))),
        }
    }

    fn string(&self) -> syn::Result<LitStr> {
        match &self.value {
            Value::Expr(Expr::Lit(ExprLit { lit: Lit::Str(text), .. })) => Ok(text.clone()),
            _ => Err(self.wants(&format!("a string: `{} = \"…\"`", self.key))),
        }
    }

    /// `default`, or `default = EXPR`.
    fn default_value(&self) -> syn::Result<DefaultValue> {
        match &self.value {
            Value::None => Ok(DefaultValue::Zeros(self.key.span())),
            Value::Expr(expr) => Ok(DefaultValue::Of(expr.to_token_stream())),
            Value::List(_) => {
                Err(self.wants(&format!("no value, or a constant of the field's type: `{} = 0`", self.key)))
            }
        }
    }

    fn path(&self) -> syn::Result<Path> {
        let text = self.string()?;
        let path = text.parse_with(Path::parse_mod_style);
        path.map_err(|_| syn::Error::new(text.span(), format!("`{}` takes a path: `\"my::binlog\"`", self.key)))
    }

    fn id(&self) -> syn::Result<(u8, Span)> {
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
    fn switch(&self) -> syn::Result<bool> {
        match &self.value {
            Value::None => Ok(true),
            Value::Expr(Expr::Lit(ExprLit { lit: Lit::Bool(value), .. })) => Ok(value.value),
            _ => Err(self.wants(&format!("no value, or `true` or `false`: `{} = false`", self.key))),
        }
    }

    /// The number of the first element.
    fn start(&self) -> syn::Result<Located<u32>> {
        match &self.value {
            Value::Expr(Expr::Lit(ExprLit { lit: Lit::Int(number), .. })) => match number.base10_parse() {
                Ok(value @ 0..=9999) => Ok(Located { value, span: number.span() }),
                _ => Err(syn::Error::new(number.span(), "the number of the first element is 0 to 9999")),
            },
            _ => Err(self.wants("the number of the first element: `start = 0`")),
        }
    }

    fn rate(&self) -> syn::Result<u32> {
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
    fn allow(&self, lints: &[&'static str]) -> syn::Result<Vec<&'static str>> {
        let wanted = "the name of a lint: `allow(float_multiplier)`";
        let Value::List(list) = &self.value else { return Err(self.wants(wanted)) };
        let names = Punctuated::<Ident, Token![,]>::parse_terminated.parse2(list.clone())?;
        if names.is_empty() {
            return Err(self.wants(wanted));
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

    fn unit(&self) -> syn::Result<Located<Unit>> {
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

    fn multiplier(&self) -> syn::Result<Located<Multiplier>> {
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
    fn meanings(&self) -> syn::Result<Vec<(i128, String)>> {
        let Value::List(list) = &self.value else {
            return Err(self.wants(&format!("a list: `{}(0 = \"…\", 1 = \"…\")`", self.key)));
        };
        let rows = Punctuated::<Row, Token![,]>::parse_terminated.parse2(list.clone())?;
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

/// Calls `take` for each item that belongs in the place; the others are errors. Returns false if an item could not be
/// read or has an unknown key, because it may be the one that seems to be missing.
fn each(
    attributes: &[syn::Attribute],
    place: &Place,
    errors: &mut Errors,
    mut take: impl FnMut(&str, &Item) -> syn::Result<()>,
) -> bool {
    let mut seen: Vec<String> = Vec::new();
    let mut understood = true;
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("log")) {
        let items = errors.take(attribute.parse_args_with(Punctuated::<Item, Token![,]>::parse_terminated));
        understood &= items.is_some();
        for item in items.into_iter().flatten() {
            let key = item.key.unraw().to_string();
            if !place.keys.contains(&key.as_str()) {
                let belongs = PLACES.iter().find(|other| other.keys.contains(&key.as_str()));
                understood &= belongs.is_some();
                let other_key = OTHER_KEYS.iter().find(|other| other.0 == key && place.keys.contains(&other.1));
                let hint = match (belongs, other_key) {
                    (Some(other), _) => format!("; it belongs on {}", other.name),
                    (None, Some((_, meant))) => format!("; did you mean `{meant}`?"),
                    (None, None) => did_you_mean(&key, place.keys.iter().copied().filter(|&key| key != "default_id")),
                };
                errors.at(item.key.span(), format!("`{key}` is not an attribute of {}{hint}", place.name));
            } else if seen.contains(&key) && !REPEATABLE.contains(&key.as_str()) {
                errors.at(item.key.span(), format!("`{key}` is given twice"));
            } else {
                errors.take(take(&key, &item));
                seen.push(key);
            }
        }
    }
    understood
}

impl MessageAttributes {
    pub(crate) fn parse(attributes: &[syn::Attribute], errors: &mut Errors) -> Self {
        let mut found = Self::default();
        let understood = each(attributes, &MESSAGE, errors, |key, item| {
            match key {
                "name" => {
                    found.named = true;
                    found.name = Some(item.string()?);
                }
                "alias" => found.aliases.push(item.string()?),
                "as_logged" => found.as_logged = item.flag()?,
                "allow" => found.allowed.extend(item.allow(&lint_names::OF_MESSAGES)?),
                "crate" => found.krate = Some(item.path()?),
                _ => found.default_id = Some(item.id()?.0),
            }
            Ok(())
        });
        found.named |= !understood;
        found
    }
}

impl ColumnAttributes {
    pub(crate) fn parse(attributes: &[syn::Attribute], errors: &mut Errors) -> Self {
        let mut found = Self::default();
        each(attributes, &COLUMN, errors, |key, item| {
            match key {
                "label" => found.label = Some(item.string()?),
                "instance" => found.instance = item.flag()?.then(|| item.key.span()),
                "alias" => found.older.aliases.push(item.string()?),
                "default" => found.older.default = Some(item.default_value()?),
                "allow" => found.allowed.extend(item.allow(&lint_names::OF_COLUMNS)?),
                "flatten" => found.flatten.marked = item.flag()?.then(|| item.key.span()),
                "prefix" => found.flatten.prefix = Some(item.string()?),
                "names" => found.flatten.names = Some(item.string()?),
                "start" => found.flatten.start = Some(item.start()?),
                _ => take_scale_or_meanings(key, item, &mut found.scale, &mut found.meanings)?,
            }
            Ok(())
        });
        found
    }
}

impl GroupAttributes {
    pub(crate) fn parse(attributes: &[syn::Attribute], errors: &mut Errors) -> Self {
        let mut found = Self::default();
        each(attributes, &GROUP, errors, |key, item| {
            match key {
                "allow" => found.allowed.extend(item.allow(&lint_names::OF_COLUMNS)?),
                _ => found.krate = Some(item.path()?),
            }
            Ok(())
        });
        found
    }
}

impl FieldTypeAttributes {
    pub(crate) fn parse(attributes: &[syn::Attribute], errors: &mut Errors) -> Self {
        let mut found = Self::default();
        each(attributes, &FIELD_TYPE, errors, |key, item| {
            match key {
                "allow" => found.allowed.extend(item.allow(&lint_names::OF_COLUMNS)?),
                "crate" => found.krate = Some(item.path()?),
                _ => take_scale_or_meanings(key, item, &mut found.scale, &mut found.meanings)?,
            }
            Ok(())
        });
        found
    }
}

/// The keys that a message's field and a field type share.
fn take_scale_or_meanings(
    key: &str,
    item: &Item,
    scale: &mut Scale,
    meanings: &mut Option<Located<Meanings>>,
) -> syn::Result<()> {
    let value = match key {
        "unit" => {
            scale.unit = Some(item.unit()?);
            return Ok(());
        }
        "mult" => {
            scale.multiplier = Some(item.multiplier()?);
            return Ok(());
        }
        "values" => Meanings::Values(item.meanings()?),
        _ => Meanings::Bits(item.meanings()?),
    };
    match meanings.replace(Located { value, span: item.key.span() }) {
        None => Ok(()),
        Some(_) => Err(syn::Error::new(item.key.span(), "a column has either `values` or `bits`")),
    }
}

impl VariantAttributes {
    pub(crate) fn parse(attributes: &[syn::Attribute], errors: &mut Errors) -> Self {
        let mut found = Self::default();
        each(attributes, &VARIANT, errors, |key, item| {
            match key {
                "id" => found.id = Some(item.id()?),
                "critical" => found.critical = Some(item.switch()?),
                _ => found.rate = Some(item.rate()?),
            }
            Ok(())
        });
        found
    }
}

/// The attribute of a schema: the path of the crate.
pub(crate) fn parse_schema(attributes: &[syn::Attribute], errors: &mut Errors) -> Option<Path> {
    let mut krate = None;
    each(attributes, &SCHEMA, errors, |_, item| {
        krate = Some(item.path()?);
        Ok(())
    });
    krate
}

/// The variants of a field type have no attributes of this crate.
pub(crate) fn parse_none(attributes: &[syn::Attribute], errors: &mut Errors) {
    each(attributes, &Place { name: "a value", keys: &[] }, errors, |_, _| Ok(()));
}
