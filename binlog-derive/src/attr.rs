//! `#[log(…)]`: parses tokens to attributes, each with the span for errors about it.

mod history;
pub(crate) mod item;
pub(crate) mod place;

use crate::errors::Errors;
use crate::lint_names;
pub(crate) use history::{DefaultValue, FieldHistory};
use item::Item;
use place::{COLUMN, FIELD_TYPE, GROUP, MESSAGE, SCHEMA, VALUE, VARIANT, each};
use proc_macro2::Span;
use syn::{Ident, LitStr, Path};

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
    pub(crate) history: FieldHistory,
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

impl Flatten {
    /// Whether the other attributes are those of a flattened field, or missing.
    pub(crate) fn is_marked_or_empty(&self) -> bool {
        self.marked.is_some() || (self.prefix.is_none() && self.names.is_none() && self.start.is_none())
    }
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

/// Attributes of a schema.
#[derive(Default)]
pub(crate) struct SchemaAttributes {
    /// The name of the trait that sinks for all messages have.
    pub(crate) sink: Option<Ident>,
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
                "alias" => found.history.aliases.push(item.string()?),
                "default" => found.history.default = Some(item.default_value()?),
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

impl SchemaAttributes {
    pub(crate) fn parse(attributes: &[syn::Attribute], errors: &mut Errors) -> Self {
        let mut found = Self::default();
        each(attributes, &SCHEMA, errors, |key, item| {
            match key {
                "sink" => found.sink = Some(item.trait_name()?),
                _ => found.krate = Some(item.path()?),
            }
            Ok(())
        });
        found
    }
}

/// The variants of a field type have no attributes of this crate.
pub(crate) fn parse_none(attributes: &[syn::Attribute], errors: &mut Errors) {
    each(attributes, &VALUE, errors, |_, _| Ok(()));
}
