//! Checks of what older logs have in place of a message or a column: `alias` and `default`.

use super::{name_form_fault, name_size_fault};
use crate::ast::{Column, Message};
use crate::attr::FieldHistory;
use crate::errors::Errors;
use crate::label;
use quote::ToTokens;
use syn::LitStr;

/// An alias is a valid name that differs from the message's own.
pub(crate) fn check_message(message: &Message<'_>, errors: &mut Errors) {
    let name = message.attributes.name.as_ref().map(LitStr::value);
    for (i, alias) in message.attributes.aliases.iter().enumerate() {
        let text = alias.value();
        let fault = if Some(&text) == name.as_ref() {
            Some(format!("`{text}` is the message's name; an alias is a name that older logs used"))
        } else if text == "FMT" {
            Some("FMT defines messages in every log; it can't be an older name of another message".into())
        } else if message.attributes.aliases[..i].iter().any(|other| other.value() == text) {
            Some(format!("the alias `{text}` is given twice"))
        } else {
            name_size_fault(&text)
                .or_else(|| name_form_fault(&text, |_| None).filter(|_| !message.attributes.as_logged))
        };
        if let Some(fault) = fault {
            errors.at(alias.span(), fault);
        }
    }
}

/// An alias is a valid label that no column of the message has, today's labels included. Every record has a time.
pub(crate) fn check_columns(message: &Message<'_>, errors: &mut Errors) {
    let mut seen: Vec<(String, &Column)> = Vec::new();
    for column in &message.columns {
        let FieldHistory { aliases, default } = &column.attributes.history;
        for alias in aliases {
            let text = alias.value();
            let has_label = |other: &&Column| other.labels().contains(&text);
            let fault = if message.attributes.as_logged {
                let form = "a label contains neither a comma nor a NUL, which end it, and isn't empty";
                (text.is_empty() || text.contains([',', '\0'])).then(|| form.to_owned())
            } else {
                label::fault(&text)
            };
            if let Some(fault) = fault {
                errors.at(alias.span(), fault);
            } else if column.is_flattened() {
                errors.at(alias.span(), NO_ALIAS);
            } else if let Some(other) = message.columns.iter().find(has_label) {
                let text = match std::ptr::eq(other, column) {
                    true => format!("`{text}` is the column's label; an alias is a label that older logs used"),
                    false => format!(
                        "`{text}` is the label of `{}`, so it can't be an older label of another column",
                        name(other)
                    ),
                };
                errors.at(alias.span(), text);
            } else if let Some((_, other)) = seen.iter().find(|(before, _)| *before == text) {
                errors.at(alias.span(), format!("`{text}` is an alias of `{}` already", name(other)));
            } else {
                seen.push((text, column));
            }
        }
        if let (Some(default), true, false) = (default, column.is_time(), message.attributes.as_logged) {
            errors.at(default.span(), "`TimeUS` has no default: every record has a time");
        }
    }
}

/// A struct of columns has defaults for its fields.
pub(crate) fn check_group(columns: &[Column], errors: &mut Errors) {
    for alias in columns.iter().flat_map(|column| &column.attributes.history.aliases) {
        errors.at(alias.span(), NO_ALIAS);
    }
}

const NO_ALIAS: &str = "an alias is for one column of a message; a flattened field keeps older labels by its `prefix`";

fn name(column: &Column) -> String {
    column.member.to_token_stream().to_string()
}
