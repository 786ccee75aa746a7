//! The places of attributes, and the keys that belong there.

use super::item::Item;
use crate::errors::Errors;
use crate::nearest::did_you_mean_or;
use syn::Token;
use syn::ext::IdentExt;
use syn::punctuated::Punctuated;

/// Where an attribute is, and which keys it accepts there.
pub(crate) struct AttributePlace {
    /// `log` or `blackbox`.
    pub(crate) attribute: &'static str,
    pub(crate) name: &'static str,
    pub(crate) keys: &'static [&'static str],
    /// Keys of another format, and what to write instead.
    pub(crate) foreign: &'static [(&'static str, &'static str)],
    /// The places of the same attribute.
    pub(crate) others: fn() -> &'static [&'static AttributePlace],
}

const LOG: AttributePlace = AttributePlace { attribute: "log", name: "", keys: &[], foreign: &[], others: || &PLACES };

pub(super) const MESSAGE: AttributePlace =
    AttributePlace { name: "a message", keys: &["name", "alias", "as_logged", "allow", "crate", "default_id"], ..LOG };
pub(super) const COLUMN: AttributePlace = AttributePlace {
    name: "a field of a message",
    keys: &[
        "label", "unit", "mult", "instance", "allow", "values", "bits", "alias", "default", "flatten", "prefix",
        "names", "start",
    ],
    ..LOG
};
pub(super) const GROUP: AttributePlace =
    AttributePlace { name: "a struct of columns", keys: &["allow", "crate"], ..LOG };
pub(super) const SCHEMA: AttributePlace = AttributePlace { name: "a schema", keys: &["sink", "crate"], ..LOG };
pub(super) const VARIANT: AttributePlace =
    AttributePlace { name: "a variant of a schema", keys: &["id", "critical", "rate"], ..LOG };
pub(super) const FIELD_TYPE: AttributePlace =
    AttributePlace { name: "a field type", keys: &["unit", "mult", "values", "bits", "allow", "crate"], ..LOG };
pub(super) const VALUE: AttributePlace = AttributePlace { name: "a value", ..LOG };

/// Words that people write instead of a key.
const OTHER_KEYS: [(&str, &str); 7] = [
    ("multiplier", "mult"),
    ("scale", "mult"),
    ("units", "unit"),
    ("column", "label"),
    ("rename", "label"),
    ("i_rate", "i_interval"),
    ("p_interval", "p_rate"),
];

/// A key without a meaning for users, for code that this crate's macros write.
const HIDDEN: &str = "default_id";

/// Keys that may be given several times in one place.
const REPEATABLE: [&str; 3] = ["allow", "alias", "header"];

const PLACES: [&AttributePlace; 6] = [&MESSAGE, &COLUMN, &SCHEMA, &VARIANT, &FIELD_TYPE, &GROUP];

/// Calls `take` for each item that belongs in the place; the others are errors. Returns false if an item could not be
/// read or has an unknown key, because it may be the one that seems to be missing.
pub(crate) fn each(
    attributes: &[syn::Attribute],
    place: &AttributePlace,
    errors: &mut Errors,
    mut take: impl FnMut(&str, &Item) -> syn::Result<()>,
) -> bool {
    let mut seen: Vec<String> = Vec::new();
    let mut understood = true;
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident(place.attribute)) {
        let items = errors.take(attribute.parse_args_with(Punctuated::<Item, Token![,]>::parse_terminated));
        understood &= items.is_some();
        for item in items.into_iter().flatten() {
            let key = item.key.unraw().to_string();
            if !place.keys.contains(&key.as_str()) {
                let belongs = (place.others)().iter().find(|other| other.keys.contains(&key.as_str()));
                understood &= belongs.is_some();
                errors.at(item.key.span(), unknown(&key, place, belongs.copied()));
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

/// The error about a key that doesn't belong in the place.
fn unknown(key: &str, place: &AttributePlace, belongs: Option<&AttributePlace>) -> String {
    if let Some((_, text)) = place.foreign.iter().find(|foreign| foreign.0 == key) {
        return (*text).to_owned();
    }
    let keys = || place.keys.iter().copied().filter(|&key| key != HIDDEN);
    let other_key = OTHER_KEYS.iter().find(|other| other.0 == key && place.keys.contains(&other.1));
    let hint = match (belongs, other_key) {
        (Some(other), _) => format!("; it belongs on {}", other.name),
        (None, Some((_, meant))) => format!("; did you mean `{meant}`?"),
        (None, None) => did_you_mean_or(key, keys(), "its attributes are"),
    };
    format!("`{key}` is not an attribute of {}{hint}", place.name)
}
