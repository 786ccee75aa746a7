//! `#[blackbox(…)]`: parses tokens to attributes, each with the span for errors about it.

use super::tables::{Encoding, Predictor};
use crate::attr::FieldHistory;
use crate::attr::Located;
use crate::attr::item::{Item, Value};
use crate::attr::place::{AttributePlace, each};
use crate::errors::Errors;
use crate::lint_names::NOT_PORTABLE;
use proc_macro2::Span;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Expr, LitStr, Path, Token};

const BLACKBOX: AttributePlace =
    AttributePlace { attribute: "blackbox", name: "", keys: &[], foreign: &[], others: || &PLACES };
const FRAME: AttributePlace =
    AttributePlace { name: "a frame", keys: &["main", "slow", "gps", "home", "allow", "crate"], ..BLACKBOX };
const FIELD: AttributePlace = AttributePlace {
    name: "a field of a frame",
    keys: &["name", "predictor", "encoding", "i", "p", "flatten", "prefix", "alias", "default"],
    foreign: &[
        ("unit", "a Blackbox field has no `unit`: readers know the units of Betaflight's names"),
        ("mult", "a Blackbox field has no `mult`: readers know the scales of Betaflight's names"),
        ("label", "`label` is for `.bin` logs; write `name`"),
    ],
    ..BLACKBOX
};
const FIELDS: AttributePlace = AttributePlace { name: "a struct of fields", keys: &["crate"], ..BLACKBOX };
const SCHEMA: AttributePlace =
    AttributePlace { name: "a schema", keys: &["i_interval", "p_rate", "header", "allow", "crate"], ..BLACKBOX };
const VARIANT: AttributePlace = AttributePlace { name: "a variant of a schema", ..BLACKBOX };
const CODING: AttributePlace = AttributePlace { name: "`i` and `p`", keys: &["predictor", "encoding"], ..BLACKBOX };
const PLACES: [&AttributePlace; 5] = [&FRAME, &FIELD, &FIELDS, &SCHEMA, &VARIANT];

const LINTS: [&str; 1] = [NOT_PORTABLE];

/// The kind of frame that a struct declares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum DeclaredKind {
    Main,
    Slow,
    Gps,
    Home,
}

impl DeclaredKind {
    pub(super) const ALL: [DeclaredKind; 4] =
        [DeclaredKind::Main, DeclaredKind::Slow, DeclaredKind::Gps, DeclaredKind::Home];

    /// The attribute of the frame.
    pub(super) fn key(self) -> &'static str {
        match self {
            DeclaredKind::Main => "main",
            DeclaredKind::Slow => "slow",
            DeclaredKind::Gps => "gps",
            DeclaredKind::Home => "home",
        }
    }

    /// The variant of the schema.
    pub(super) fn variant(self) -> &'static str {
        match self {
            DeclaredKind::Main => "Main",
            DeclaredKind::Slow => "Slow",
            DeclaredKind::Gps => "Gps",
            DeclaredKind::Home => "Home",
        }
    }

    /// The variant of `binlog::blackbox::FrameKind`.
    pub(super) fn frame_kind(self) -> &'static str {
        match self {
            DeclaredKind::Main => "Intra",
            kind => kind.variant(),
        }
    }
}

/// Attributes of a frame's struct.
#[derive(Default)]
pub(super) struct FrameAttributes {
    /// Whether a kind is present, valid or not.
    pub(super) has_kind: bool,
    pub(super) kind: Option<DeclaredKind>,
    /// Whether the lint is allowed.
    pub(super) allowed: bool,
    pub(super) krate: Option<Path>,
}

/// Attributes of a frame's field.
#[derive(Default)]
pub(super) struct FieldAttributes {
    pub(super) name: Option<LitStr>,
    /// `predictor` and `encoding`, for frames of one kind.
    pub(super) coding: Given,
    /// `i(…)`.
    pub(super) intra: Given,
    /// `p(…)`.
    pub(super) inter: Given,
    pub(super) flatten: Option<Span>,
    pub(super) prefix: Option<LitStr>,
    pub(super) history: FieldHistory,
}

/// The parts of a coding that attributes give.
#[derive(Default)]
pub(super) struct Given {
    /// The span of `i`, `p` or the first of `predictor` and `encoding`.
    pub(super) span: Option<Span>,
    pub(super) predictor: Option<Located<Predictor>>,
    pub(super) encoding: Option<Located<Encoding>>,
}

/// Attributes of a schema.
#[derive(Default)]
pub(super) struct SchemaAttributes {
    pub(super) i_interval: Option<Located<u16>>,
    pub(super) p_rate: Option<Located<(u16, u16)>>,
    pub(super) headers: Vec<Header>,
    /// Whether the lint is allowed.
    pub(super) allowed: bool,
    pub(super) krate: Option<Path>,
}

/// `"looptime" = "125"`.
pub(super) struct Header {
    pub(super) name: LitStr,
    pub(super) value: LitStr,
}

impl FrameAttributes {
    pub(super) fn parse(attributes: &[syn::Attribute], errors: &mut Errors) -> Self {
        let mut found = Self::default();
        let understood = each(attributes, &FRAME, errors, |key, item| {
            match key {
                "allow" => found.allowed = !item.allow(&LINTS)?.is_empty(),
                "crate" => found.krate = Some(item.path()?),
                _ => {
                    found.has_kind = true;
                    item.flag()?;
                    let kind = DeclaredKind::ALL.into_iter().find(|kind| kind.key() == key);
                    if found.kind.is_some() {
                        return Err(syn::Error::new(
                            item.key.span(),
                            "a frame has one kind, and another is given before",
                        ));
                    }
                    found.kind = kind;
                }
            }
            Ok(())
        });
        found.has_kind |= !understood;
        found
    }
}

impl FieldAttributes {
    pub(super) fn parse(attributes: &[syn::Attribute], errors: &mut Errors) -> Self {
        let mut found = Self::default();
        each(attributes, &FIELD, errors, |key, item| {
            match key {
                "name" => found.name = Some(item.string()?),
                "prefix" => found.prefix = Some(item.string()?),
                "flatten" => found.flatten = item.flag()?.then(|| item.key.span()),
                "alias" => found.history.aliases.push(item.string()?),
                "default" => found.history.default = Some(item.default_value()?),
                "i" => found.intra = Given::of_list(item)?,
                "p" => found.inter = Given::of_list(item)?,
                _ => {
                    found.coding.span.get_or_insert(item.key.span());
                    found.coding.take(key, item)?;
                }
            }
            Ok(())
        });
        found
    }
}

impl Given {
    /// `i(predictor = zero, encoding = signed_vb)`.
    fn of_list(item: &Item) -> syn::Result<Self> {
        let wanted = || item.wants(&format!("a predictor, an encoding or both: `{}(encoding = signed_vb)`", item.key));
        let Value::List(list) = &item.value else { return Err(wanted()) };
        let items = Punctuated::<Item, Token![,]>::parse_terminated.parse2(list.clone())?;
        if items.is_empty() {
            return Err(wanted());
        }
        let mut given = Given { span: Some(item.key.span()), ..Given::default() };
        for item in &items {
            let key = item.key.to_string();
            if !CODING.keys.contains(&key.as_str()) {
                let text =
                    format!("`{key}` is not an attribute of {}; they take `predictor` and `encoding`", CODING.name);
                return Err(syn::Error::new(item.key.span(), text));
            }
            given.take(&key, item)?;
        }
        Ok(given)
    }

    fn take(&mut self, key: &str, item: &Item) -> syn::Result<()> {
        let Value::Expr(expr) = &item.value else {
            return Err(item.wants(match key {
                "predictor" => "the name of a predictor: `predictor = previous`",
                _ => "the name of an encoding: `encoding = signed_vb`",
            }));
        };
        let span = expr.span();
        let twice = match key {
            "predictor" => self.predictor.replace(Located { value: Predictor::parse(expr)?, span }).is_some(),
            _ => self.encoding.replace(Located { value: Encoding::parse(expr)?, span }).is_some(),
        };
        match twice {
            true => Err(syn::Error::new(item.key.span(), format!("`{key}` is given twice"))),
            false => Ok(()),
        }
    }
}

/// The attribute of a struct of fields: the path of the crate.
pub(super) fn parse_fields(attributes: &[syn::Attribute], errors: &mut Errors) -> Option<Path> {
    let mut krate = None;
    each(attributes, &FIELDS, errors, |_, item| {
        krate = Some(item.path()?);
        Ok(())
    });
    krate
}

impl SchemaAttributes {
    pub(super) fn parse(attributes: &[syn::Attribute], errors: &mut Errors) -> Self {
        let mut found = Self::default();
        each(attributes, &SCHEMA, errors, |key, item| {
            match key {
                "i_interval" => found.i_interval = Some(i_interval(item)?),
                "p_rate" => found.p_rate = Some(p_rate(item)?),
                "header" => found.headers.extend(headers(item)?),
                "allow" => found.allowed = !item.allow(&LINTS)?.is_empty(),
                _ => found.krate = Some(item.path()?),
            }
            Ok(())
        });
        found
    }
}

/// The variants of a schema have no attributes of this crate.
pub(super) fn parse_variant(attributes: &[syn::Attribute], errors: &mut Errors) {
    each(attributes, &VARIANT, errors, |_, _| Ok(()));
}

fn i_interval(item: &Item) -> syn::Result<Located<u16>> {
    let wanted = || item.wants("the distance of I frames in iterations, 1 to 65535: `i_interval = 32`");
    let Value::Expr(Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(number), .. })) = &item.value else {
        return Err(wanted());
    };
    match number.base10_parse() {
        Ok(value @ 1..) => Ok(Located { value, span: number.span() }),
        _ => Err(wanted()),
    }
}

/// `"1/2"`.
fn p_rate(item: &Item) -> syn::Result<Located<(u16, u16)>> {
    let Value::Expr(Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. })) = &item.value else {
        return Err(item.wants("a fraction in quotes: `p_rate = \"1/2\"`"));
    };
    let value = text.value();
    let parts = value.split_once('/').and_then(|(num, denom)| Some((num.parse().ok()?, denom.parse().ok()?)));
    match parts {
        Some((numerator @ 1.., denominator @ 1..)) => {
            Ok(Located { value: (numerator, denominator), span: text.span() })
        }
        Some((_, 0)) => Err(syn::Error::new(
            text.span(),
            "the denominator of the P rate is 0; it is a fraction of the iterations, as `\"1/2\"`",
        )),
        _ => Err(syn::Error::new(text.span(), "`p_rate` takes the fraction of iterations that are logged: `\"1/2\"`")),
    }
}

/// `header("looptime" = "125", "Craft name" = "Hawk")`.
fn headers(item: &Item) -> syn::Result<Vec<Header>> {
    let wanted = || item.wants("header lines, names and values: `header(\"looptime\" = \"125\")`");
    let Value::List(list) = &item.value else { return Err(wanted()) };
    let headers = Punctuated::<Header, Token![,]>::parse_terminated.parse2(list.clone())?;
    if headers.is_empty() { Err(wanted()) } else { Ok(headers.into_iter().collect()) }
}

impl Parse for Header {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        const WANTED: &str = "a header line has a name and a value, both in quotes: `\"looptime\" = \"125\"`";
        let text = |error: syn::Error| syn::Error::new(error.span(), WANTED);
        let name: LitStr = input.parse().map_err(text)?;
        // After the last token, an error has no place of its own.
        let after_name = |error: syn::Error| match input.is_empty() {
            true => syn::Error::new(name.span(), WANTED),
            false => text(error),
        };
        input.parse::<Token![=]>().map_err(after_name)?;
        let value = input.parse().map_err(after_name)?;
        Ok(Header { name, value })
    }
}
