//! Code for structs with flattened fields: messages, and structs that derive `Columns`.

use super::{column, doubts, in_scope, lints, multiplier_tokens, option, unit_tokens};
use crate::ast::{Column, Message, Role};
use crate::flatten::Shape;
use crate::group::Group;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};

/// The columns of a struct, in an expression that has them, and the items before it.
pub(super) struct Columns {
    pub(super) items: TokenStream,
    pub(super) columns: TokenStream,
    /// The function that reads the struct.
    pub(super) read: TokenStream,
}

/// What checks a field after flattening.
pub(super) enum Checked {
    /// The message's name, and whether the rules of readers apply.
    Message(String, bool),
    Columns,
}

/// The columns of a struct named `ident`.
pub(super) fn columns(ident: &Ident, fields: &[Column], role: impl Fn(&Column) -> Role, checked: &Checked) -> Columns {
    let read = read(ident, fields);
    if !fields.iter().any(|field| matches!(field.shape, Shape::Struct)) {
        let columns = fields.iter().flat_map(|field| calls(field, role(field)));
        let columns = quote_spanned!(ident.span()=> &[#(#columns),*]);
        return Columns { items: TokenStream::new(), columns, read };
    }
    let parts: Vec<(TokenStream, Span)> = fields.iter().flat_map(|field| parts(field, &role)).collect();
    let count = parts.len();
    let first =
        fields.iter().take_while(|field| !matches!(field.shape, Shape::Struct)).map(|field| field.labels().len());
    let shapes = fields.iter().flat_map(|field| match &field.shape {
        Shape::Struct => vec![true],
        _ => vec![false; field.labels().len()],
    });
    let structs: Vec<usize> = shapes.enumerate().filter(|(_, is_struct)| *is_struct).map(|(index, _)| index).collect();
    // The macro has checked the columns before the first struct.
    let after: Vec<(usize, Span)> = parts.iter().map(|part| part.1).enumerate().skip(first.sum()).collect();
    let (limits, labels) = match checked {
        Checked::Message(_, is_checked) => (true, *is_checked),
        Checked::Columns => (false, true),
    };
    let located = after.iter().map(|(index, span)| {
        quote_spanned!(*span=> __binlog::flatten::locate(&__PARTS.0, __COLUMNS, #index, #limits, #labels);)
    });
    let is_struct = |(index, _): &&(usize, Span)| structs.contains(index);
    let checks = after.iter().filter(is_struct).map(|(index, span)| match checked {
        Checked::Message(name, is_checked) => quote_spanned! {*span=>
            __binlog::flatten::of_message(#name, &__PARTS.0, __COLUMNS, #index, #is_checked);
        },
        Checked::Columns => quote_spanned!(*span=> __binlog::flatten::of_columns(&__PARTS.0, __COLUMNS, #index);),
    });
    let aliases = fields.iter().flat_map(|field| &field.attributes.history.aliases);
    let alias_checks = aliases.map(|alias| quote_spanned!(alias.span()=> __binlog::flatten::alias(__COLUMNS, #alias);));
    let calls = parts.iter().map(|part| &part.0);
    // In one body, so that a type that is not a field causes one error.
    let items = quote! {
        #[allow(deprecated)]
        const __PARTS: ([__binlog::flatten::ColumnPart; #count], __binlog::flatten::Read<#ident>) =
            ([#(#calls),*], #read);
        const __TEXT: &[__binlog::u8] = &__binlog::flatten::text::<{
            __binlog::flatten::text_length(&__PARTS.0)
        }>(&__PARTS.0);
        const __COLUMNS: &[__binlog::ColumnDefinition] = &__binlog::flatten::columns::<{
            __binlog::flatten::count(&__PARTS.0)
        }>(&__PARTS.0, __TEXT);
        const _: () = {
            if __binlog::flatten::is_broken(&__PARTS.0, __COLUMNS, #limits, #labels) {
                #(#located)*
            }
            #(#checks)*
            #(#alias_checks)*
        };
    };
    Columns { items, columns: quote!(__COLUMNS), read: quote!(__PARTS.1) }
}

/// The calls for the columns of a field that isn't a flattened struct.
fn calls(field: &Column, role: Role) -> Vec<TokenStream> {
    match &field.shape {
        Shape::Array { labels, .. } => {
            let element = field.field_type();
            labels.iter().enumerate().map(|(i, label)| column(field, &role, label, element, i)).collect()
        }
        Shape::Column | Shape::Struct => vec![column(field, &role, &field.label, &field.ty, 0)],
    }
}

/// The parts of a field, with the span for errors about them.
fn parts(field: &Column, role: impl Fn(&Column) -> Role) -> Vec<(TokenStream, Span)> {
    let span = field.span();
    if !matches!(field.shape, Shape::Struct) {
        let part = |call| (quote_spanned!(span=> __binlog::flatten::ColumnPart::Column(#call)), span);
        return calls(field, role(field)).into_iter().map(part).collect();
    }
    let Column { ty, label, description, .. } = field;
    let scale = &field.attributes.scale;
    let unit = option(scale.unit.as_ref().map(|unit| unit_tokens(&unit.value)));
    let multiplier = option(scale.multiplier.as_ref().map(|multiplier| multiplier_tokens(&multiplier.value)));
    let group = quote_spanned!(span=> __binlog::flatten::group::<#ty>(#label, #description, #unit, #multiplier));
    let part = match &field.attributes.history.default {
        Some(default) => {
            let bytes = default.bytes(&field.ty);
            quote!(__binlog::flatten::with_default(#group, #bytes))
        }
        None => group,
    };
    vec![(part, span)]
}

/// A closure that reads a struct column by column.
fn read(ident: &Ident, fields: &[Column]) -> TokenStream {
    let members = fields.iter().map(|field| &field.member);
    let values = fields.iter().map(|field| {
        let ty = &field.ty;
        match &field.shape {
            Shape::Column => quote!(__binlog::flatten::Reader::<#ty>::column(__rest)?),
            Shape::Array { element, labels } => {
                let elements = labels.iter().map(|_| quote!(__binlog::flatten::Reader::<#element>::column(__rest)?));
                quote!([#(#elements),*])
            }
            Shape::Struct => quote!(__binlog::flatten::Reader::<#ty>::columns(__rest)?),
        }
    });
    quote! {
        |__rest| {
            #[allow(unused_imports)]
            use __binlog::flatten::NoReader as _;
            __binlog::Some(#ident { #(#members: #values),* })
        }
    }
}

/// The lints of the fields; those of a flattened struct depend on its columns.
pub(super) fn field_lints(fields: &[Column]) -> Vec<TokenStream> {
    let (mut lints, mut index) = (Vec::new(), 0usize);
    for field in fields {
        for lint in &field.lints {
            let span = lint.span();
            lints.push(match &field.shape {
                Shape::Column => of_type(&field.ty, lint),
                Shape::Array { element, .. } => of_type(element, lint),
                Shape::Struct => {
                    let applies = Ident::new(crate::lint::types_of(lint), span);
                    quote_spanned! {span=>
                        __binlog::lint::Group::<{ __binlog::flatten::#applies(&__PARTS.0[#index]) }>::#lint
                    }
                }
            });
        }
        index += match &field.shape {
            Shape::Array { labels, .. } => labels.len(),
            Shape::Column | Shape::Struct => 1,
        };
    }
    lints
}

pub(super) fn of_type(ty: &TokenStream, lint: &Ident) -> TokenStream {
    quote_spanned!(lint.span()=> __binlog::lint::Type::<#ty>::#lint)
}

/// `impl Columns for Vector3`.
pub(crate) fn group(group: &Group<'_>) -> TokenStream {
    let ident = &group.original.ident;
    let Columns { items, columns, read } = columns(ident, &group.columns, |_| Role::Value, &Checked::Columns);
    let is_packed = group.repr.iter().any(|hint| ["packed", "transparent"].contains(&hint.name.as_str()));
    let padding = (!is_packed).then(|| super::padding(ident, &group.columns));
    let lints = lints(field_lints(&group.columns), &None);
    let doubts = doubts(&group.columns);
    let all = match items.is_empty() {
        // In one body, so that a type that is not a field causes one error.
        true => quote! {
            #[allow(deprecated)]
            const __ALL: (&[__binlog::ColumnDefinition], __binlog::flatten::Read<#ident>) = (#columns, #read);
        },
        false => quote! {
            #items
            const __ALL: (&[__binlog::ColumnDefinition], __binlog::flatten::Read<#ident>) = (#columns, #read);
        },
    };
    // A message that doesn't flatten it gets the error of `Unflattened`. A newtype may be a field, too. With the span
    // of the name, since rustc explains the bounds of derives.
    let unflattened = (group.columns.len() > 1).then(|| {
        quote_spanned! {ident.span()=>
            impl __binlog::Field for #ident
            where
                for<'__a> __binlog::WithoutFlatten<'__a>: __binlog::Unflattened<#ident>,
            {
                const FORMAT: __binlog::Format = __binlog::Format::U8;
                fn decode(_: &[__binlog::u8]) -> __binlog::Option<Self> {
                    __binlog::None
                }
            }
        }
    });
    in_scope(
        group.attributes.krate.as_ref(),
        quote! {
            #padding
            #doubts
            #all
            #lints
            #unflattened
            #[automatically_derived]
            impl __binlog::flatten::Columns for #ident {
                const COLUMNS: &'static [__binlog::ColumnDefinition] = __ALL.0;
                const IS_DERIVED: __binlog::bool = true;
                #[inline]
                fn read(__rest: &mut &[__binlog::u8]) -> __binlog::Option<Self> {
                    (__ALL.1)(__rest)
                }
            }
        },
    )
}

/// Whether a message has flattened fields.
pub(super) fn is_flattening(message: &Message<'_>) -> bool {
    message.columns.iter().any(Column::is_flattened)
}
