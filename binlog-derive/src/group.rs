//! A struct that derives `Columns`: the model, and the checks of its tokens.

use crate::ast::{Column, refuse_generics};
use crate::attr::GroupAttributes;
use crate::check::{check_group, types};
use crate::errors::Errors;
use crate::flatten::Shape;
use crate::repr::{self, Hint};
use syn::{Data, DeriveInput, Fields, Member};

/// A struct whose fields become columns of the message around it.
pub(crate) struct Group<'a> {
    pub(crate) original: &'a DeriveInput,
    pub(crate) repr: Vec<Hint>,
    pub(crate) attributes: GroupAttributes,
    pub(crate) columns: Vec<Column>,
}

impl<'a> Group<'a> {
    pub(crate) fn new(input: &'a DeriveInput, errors: &mut Errors) -> Option<Self> {
        refuse_generics(input, "each column has one format", errors);
        let attributes = GroupAttributes::parse(&input.attrs, errors);
        let Data::Struct(data) = &input.data else {
            errors.at(input.ident.span(), "columns are the fields of a struct; an enum as a column is a `Field`");
            return None;
        };
        if data.fields.is_empty() {
            errors.at(input.ident.span(), "a struct of columns has fields, one at least");
        }
        let is_newtype = matches!(&data.fields, Fields::Unnamed(fields) if fields.unnamed.len() == 1);
        let column = |(field, member): (_, Member)| {
            let default = match &member {
                Member::Named(_) => None,
                // The columns of the only field are those of the newtype.
                Member::Unnamed(_) if is_newtype => Some(String::new()),
                Member::Unnamed(index) => Some((index.index + 1).to_string()),
            };
            Column::new(field, member, default, &input.ident, errors)
        };
        let columns = data.fields.iter().zip(data.fields.members()).map(column).collect();
        let repr = repr::hints(input, errors);
        Some(Group { original: input, repr, attributes, columns })
    }
}

/// The rules that don't need the message around it, which checks the others.
pub(crate) fn check(group: &Group<'_>, errors: &mut Errors) {
    struct_repr(group, errors);
    types(&group.columns, errors);
    labels(group, errors);
    check_group(&group.columns, errors);
    for column in &group.columns {
        if let Some(span) = column.attributes.instance {
            errors.at(span, "the instance column is a field of the message itself, directly after `TimeUS`");
        }
    }
}

/// The fields have an order and no padding.
fn struct_repr(group: &Group<'_>, errors: &mut Errors) {
    for Hint { name, span, argument } in &group.repr {
        match (name.as_str(), argument.as_deref()) {
            ("C" | "transparent", None) | ("packed", None | Some("1")) => {}
            ("packed" | "align", _) => errors.at(*span, "this may leave padding between columns; write `#[repr(C)]`"),
            _ => errors.at(*span, format!("`{name}` is not the layout of columns; write `#[repr(C)]`")),
        }
    }
    if group.repr.iter().all(|hint| hint.name == "packed") {
        let ident = &group.original.ident;
        let text = format!(
            "`{ident}` needs `#[repr(C)]`: without it Rust may reorder the fields, and the record would contradict its \
             definition",
        );
        errors.at(ident.span(), text);
    }
}

/// Labels are parts of labels here, so they may begin with a digit or be keywords.
fn labels(group: &Group<'_>, errors: &mut Errors) {
    let mut seen: Vec<&String> = Vec::new();
    for column in &group.columns {
        for label in column.labels() {
            if let Some(wrong) = label.chars().find(|c| !c.is_ascii_alphanumeric() && *c != '_') {
                let text = format!("the label `{label}` contains {wrong:?}; a label has ASCII letters, digits and `_`");
                errors.at(column.label_span, text);
            } else if label.is_empty() {
                let text = "a newtype of one value derives `Field`, and is a column without `flatten`; this one has no \
                            label to add to the prefix";
                errors.at(column.label_span, text);
            } else if seen.contains(&label) {
                errors.at(column.label_span, format!("the label `{label}` is given twice"));
            }
            seen.push(label);
        }
        if let (Shape::Struct, Some(wrong)) =
            (&column.shape, column.label.chars().find(|c| !c.is_ascii_alphanumeric() && *c != '_'))
        {
            let text = format!("the prefix contains {wrong:?}; a label has ASCII letters, digits and `_`");
            errors.at(column.label_span, text);
        }
    }
}
