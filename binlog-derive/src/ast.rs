//! The input of the derives as a model: a message, a schema, a field type.

use crate::attr::{
    self, ColumnAttributes, DefaultValue, FieldTypeAttributes, MessageAttributes, SchemaAttributes, VariantAttributes,
};
use crate::docs::{Description, description};
use crate::errors::Errors;
use crate::flatten::Shape;
use crate::label;
use crate::not_a_field;
use crate::repr::{self, Hint};
use crate::without_self::without_self;
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Fields, Ident, Member, Type};

/// A struct that is a message.
pub(crate) struct Message<'a> {
    pub(crate) original: &'a DeriveInput,
    pub(crate) repr: Vec<Hint>,
    pub(crate) attributes: MessageAttributes,
    pub(crate) description: Description,
    pub(crate) columns: Vec<Column>,
    /// The lint about the message as a whole, at the span of the message's name.
    pub(crate) lint: Option<Ident>,
}

/// One field of a message, or of a struct that derives `Columns`.
pub(crate) struct Column {
    pub(crate) member: Member,
    /// The type without `Self`, because the derive names it outside an `impl`.
    pub(crate) ty: TokenStream,
    pub(crate) shape: Shape,
    pub(crate) attributes: ColumnAttributes,
    pub(crate) description: Description,
    /// The prefix of a flattened field.
    pub(crate) label: String,
    /// The span of the label's or the prefix's attribute, or else of the field's name.
    pub(crate) label_span: Span,
    /// The lints for its attributes; whether they apply depends on its type.
    pub(crate) lints: Vec<Ident>,
    /// For a type, or an element of a flattened array, with the name of one that isn't a field: the trait whose error
    /// says what to write instead.
    pub(crate) remedy: Option<Ident>,
    /// Why no program can make the type a field.
    pub(crate) refusal: Option<syn::Error>,
    /// The name of its type, if it is a number or `bool` of the language.
    pub(crate) number: Option<&'static str>,
    /// Whether the type has a name that leaves no doubt that it is a field.
    pub(crate) is_known: bool,
}

/// The purpose of a column, which determines the rules for its type.
pub(crate) enum Role {
    Time,
    Instance,
    Value,
    /// Any column of a message of another firmware.
    AsLogged,
}

/// An enum that is a schema.
pub(crate) struct Schema<'a> {
    pub(crate) original: &'a DeriveInput,
    pub(crate) repr: Vec<Hint>,
    pub(crate) attributes: SchemaAttributes,
    pub(crate) variants: Vec<Variant<'a>>,
}

/// One message of a schema.
pub(crate) struct Variant<'a> {
    pub(crate) ident: &'a Ident,
    pub(crate) ty: &'a Type,
    pub(crate) attributes: VariantAttributes,
}

/// An enum or a newtype that derives `Field`.
pub(crate) struct FieldType<'a> {
    pub(crate) original: &'a DeriveInput,
    pub(crate) repr: Vec<Hint>,
    pub(crate) attributes: FieldTypeAttributes,
    pub(crate) kind: FieldKind<'a>,
    /// The lints for its attributes; whether they apply depends on the type that it is stored as.
    pub(crate) lints: Vec<Ident>,
}

pub(crate) enum FieldKind<'a> {
    /// The integer of its `repr`, and each value with its description.
    Enum { integer: Option<Ident>, values: Vec<(&'a Ident, Description)> },
    /// The only field: its name, or `0`.
    Newtype { member: syn::Member, ty: &'a Type, remedy: Option<Ident> },
}

impl<'a> Message<'a> {
    pub(crate) fn new(input: &'a DeriveInput, errors: &mut Errors) -> Option<Self> {
        refuse_generics(input, "a message has one layout", errors);
        let attributes = MessageAttributes::parse(&input.attrs, errors);
        let fields = match &input.data {
            Data::Struct(data) => match &data.fields {
                Fields::Named(fields) => &fields.named,
                Fields::Unnamed(fields) => {
                    errors.at(fields.span(), "a message's fields have names, of which the labels are made");
                    return None;
                }
                Fields::Unit => {
                    errors.at(input.ident.span(), "a message has fields, `time_us: u64` at least");
                    return None;
                }
            },
            Data::Enum(data) => {
                errors.at(
                    data.enum_token.span(),
                    "a message is a struct; an enum of messages is a `LogSchema`, an enum as a column a `Field`",
                );
                return None;
            }
            Data::Union(data) => {
                errors.at(data.union_token.span(), "a message is a struct");
                return None;
            }
        };
        let column = |field: &syn::Field| {
            let member = Member::Named(field.ident.clone()?);
            Some(Column::new(field, member, None, &input.ident, errors))
        };
        let columns = fields.iter().filter_map(column).collect();
        let repr = repr::hints(input, errors);
        let description = description(&input.attrs);
        Some(Message { original: input, repr, attributes, description, columns, lint: None })
    }

    /// Its name in the log, empty after an error.
    pub(crate) fn name(&self) -> String {
        self.attributes.name.as_ref().map(syn::LitStr::value).unwrap_or_default()
    }
}

impl Column {
    /// A field of the struct `parent`. `default` is its label or prefix without an attribute, if not its name in
    /// UpperCamelCase.
    pub(crate) fn new(
        field: &syn::Field,
        member: Member,
        default: Option<String>,
        parent: &Ident,
        errors: &mut Errors,
    ) -> Self {
        let mut attributes = ColumnAttributes::parse(&field.attrs, errors);
        if let Some(DefaultValue::Of(value)) = &mut attributes.history.default {
            *value = without_self(std::mem::take(value), parent);
        }
        let (label, label_span) = match (attributes.flatten.prefix.as_ref().or(attributes.label.as_ref()), &member) {
            (Some(label), _) => (label.value(), label.span()),
            (None, Member::Named(ident)) => (label::of_field(&ident.unraw().to_string()), ident.span()),
            (None, Member::Unnamed(_)) => (default.unwrap_or_default(), field.ty.span()),
        };
        let shape = Shape::new(&field.ty, &attributes, &label, errors).without_self(parent);
        let description = description(&field.attrs);
        let ty = without_self(field.ty.to_token_stream(), parent);
        // Attributes of a flattened field without `flatten` have that error already.
        let refusal = not_a_field::refusal(&field.ty, attributes.flatten.marked.is_some())
            .filter(|_| attributes.flatten.is_marked_or_empty());
        let (remedy, is_known) = match (&shape, not_a_field::ungrouped(&field.ty)) {
            (Shape::Column, ty) => (not_a_field::remedy(ty, label == label::TIME), not_a_field::is_known(ty)),
            (Shape::Array { .. }, Type::Array(array)) => {
                let is_known = not_a_field::is_known(&array.elem);
                (not_a_field::remedy_of_element(&array.elem).filter(|_| !is_known), is_known)
            }
            _ => (None, false),
        };
        let number = not_a_field::number(&field.ty);
        let lints = Vec::new();
        Column {
            member,
            ty,
            shape,
            attributes,
            description,
            label,
            label_span,
            lints,
            remedy,
            refusal,
            number,
            is_known,
        }
    }

    /// The span of its name, or of the type of a field without one.
    pub(crate) fn span(&self) -> Span {
        match &self.member {
            Member::Named(ident) => ident.span(),
            Member::Unnamed(_) => self.label_span,
        }
    }

    /// Whether it becomes several columns.
    pub(crate) fn is_flattened(&self) -> bool {
        !matches!(self.shape, Shape::Column)
    }

    /// The labels of its columns that this macro knows: all but those of a flattened struct.
    pub(crate) fn labels(&self) -> &[String] {
        match &self.shape {
            Shape::Column => std::slice::from_ref(&self.label),
            Shape::Array { labels, .. } => labels,
            Shape::Struct => &[],
        }
    }

    /// The type of its column, or of the elements of a flattened array.
    pub(crate) fn field_type(&self) -> &TokenStream {
        match &self.shape {
            Shape::Array { element, .. } => element,
            Shape::Column | Shape::Struct => &self.ty,
        }
    }

    /// Its labels, each beside it.
    pub(crate) fn with_labels(&self) -> impl Iterator<Item = (&Self, &String)> {
        self.labels().iter().map(move |label| (self, label))
    }

    pub(crate) fn is_time(&self) -> bool {
        matches!(self.shape, Shape::Column) && self.label == label::TIME
    }

    pub(crate) fn is_instance(&self) -> bool {
        self.attributes.instance.is_some()
    }

    pub(crate) fn role(&self, message: &Message<'_>) -> Role {
        match self {
            _ if message.attributes.as_logged => Role::AsLogged,
            _ if self.is_time() => Role::Time,
            _ if self.is_instance() => Role::Instance,
            _ => Role::Value,
        }
    }
}

impl<'a> Schema<'a> {
    pub(crate) fn new(input: &'a DeriveInput, errors: &mut Errors) -> Option<Self> {
        refuse_generics(input, "a schema is one set of messages", errors);
        let attributes = SchemaAttributes::parse(&input.attrs, errors);
        let Data::Enum(data) = &input.data else {
            errors.at(input.ident.span(), "a schema is an enum with a variant for each message: `Att(Attitude)`");
            return None;
        };
        if data.variants.is_empty() {
            errors.at(input.ident.span(), "a schema has a variant for each message, one at least");
        }
        let variants = data.variants.iter().filter_map(|variant| Variant::new(variant, errors)).collect();
        Some(Schema { original: input, repr: repr::hints(input, errors), attributes, variants })
    }
}

impl<'a> Variant<'a> {
    fn new(variant: &'a syn::Variant, errors: &mut Errors) -> Option<Self> {
        let attributes = VariantAttributes::parse(&variant.attrs, errors);
        if let Some((_, value)) = &variant.discriminant {
            errors.on(value, "a schema has no discriminants; an id is an attribute: `#[log(id = …)]`");
        }
        match &variant.fields {
            Fields::Unnamed(fields) if fields.unnamed.len() == 1 => {
                Some(Variant { ident: &variant.ident, ty: &fields.unnamed[0].ty, attributes })
            }
            _ => {
                let ident = &variant.ident;
                errors.at(ident.span(), format!("a variant of a schema holds one message: `{ident}(…)`"));
                None
            }
        }
    }
}

impl<'a> FieldType<'a> {
    pub(crate) fn new(input: &'a DeriveInput, errors: &mut Errors) -> Option<Self> {
        refuse_generics(input, "a column has one format", errors);
        let attributes = FieldTypeAttributes::parse(&input.attrs, errors);
        let repr = repr::hints(input, errors);
        let kind = match &input.data {
            Data::Enum(data) => {
                if data.variants.is_empty() {
                    errors.at(input.ident.span(), "a field type has values, one at least");
                }
                for variant in &data.variants {
                    attr::parse_none(&variant.attrs, errors);
                    if !matches!(variant.fields, Fields::Unit) {
                        errors.at(variant.fields.span(), "a value of a column holds no data");
                    }
                }
                let values = data.variants.iter().map(|variant| (&variant.ident, description(&variant.attrs)));
                FieldKind::Enum { integer: repr::integer(&repr), values: values.collect() }
            }
            Data::Struct(data) if data.fields.len() == 1 => {
                let (member, field) = data.fields.members().zip(&data.fields).next()?;
                attr::parse_none(&field.attrs, errors);
                if let Some(error) = not_a_field::refusal(&field.ty, false) {
                    errors.push(error);
                }
                FieldKind::Newtype { member, ty: &field.ty, remedy: not_a_field::remedy(&field.ty, false) }
            }
            _ => {
                errors.at(input.ident.span(), "a field type is an enum without data, or a struct with one field");
                return None;
            }
        };
        Some(FieldType { original: input, repr, attributes, kind, lints: Vec::new() })
    }

    /// For a newtype around a type with the name of one that isn't a field: the trait whose error says what to write.
    pub(crate) fn remedy(&self) -> Option<&Ident> {
        match &self.kind {
            FieldKind::Newtype { remedy, .. } => remedy.as_ref(),
            FieldKind::Enum { .. } => None,
        }
    }

    /// The type that it is stored as: an enum's integer, or the type of a newtype's field.
    pub(crate) fn inner(&self) -> TokenStream {
        match &self.kind {
            FieldKind::Enum { integer: Some(integer), .. } => quote!(::core::primitive::#integer),
            FieldKind::Enum { integer: None, .. } => quote!(::core::primitive::u8),
            FieldKind::Newtype { ty, .. } => ty.to_token_stream(),
        }
    }
}

pub(crate) fn refuse_generics(input: &DeriveInput, why: &str, errors: &mut Errors) {
    if !input.generics.params.is_empty() {
        errors.on(&input.generics, format!("{why}, so it has no generic parameters; write a type for each"));
    } else if let Some(clause) = &input.generics.where_clause {
        errors.on(clause, format!("{why}, so it has no `where` clause"));
    }
}
