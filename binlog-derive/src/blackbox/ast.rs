//! The input of the derives as a model: a frame, a schema.

use super::attr::{self, DeclaredKind, FieldAttributes, FrameAttributes, Header, SchemaAttributes};
use super::coding::{self, Chosen};
use super::names;
use crate::ast::refuse_generics;
use crate::attr::DefaultValue;
use crate::errors::Errors;
use crate::repr::{self, Hint, INTEGERS};
use crate::without_self::without_self;
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::{Data, DeriveInput, Expr, ExprLit, Fields, Lit, Path, Type};

/// A struct that is a frame, or a part of frames.
pub(super) struct Frame<'a> {
    pub(super) original: &'a DeriveInput,
    pub(super) repr: Vec<Hint>,
    /// `None` for a part of frames of any kind.
    pub(super) kind: Option<DeclaredKind>,
    pub(super) allowed: bool,
    pub(super) krate: Option<Path>,
    pub(super) fields: Vec<Field>,
    /// The fields of the log, in order.
    pub(super) elements: Vec<Element>,
    /// The reasons of the lint, with their spans.
    pub(super) lints: Vec<Ident>,
}

/// A field of the struct.
pub(super) struct Field {
    pub(super) ident: Ident,
    /// The type without `Self`, because the derive names it outside an `impl`.
    pub(super) ty: TokenStream,
    pub(super) shape: Shape,
    pub(super) attributes: FieldAttributes,
    /// Its name in the log, without an index, or the prefix of a flattened struct.
    pub(super) name: String,
    pub(super) name_span: Span,
}

/// The fields of the log that a field of the struct becomes.
pub(super) enum Shape {
    One,
    /// One for each element.
    Array {
        element: TokenStream,
        length: usize,
    },
    /// Those of a struct that derives `BlackboxFields`, which its own derive knows.
    Struct,
}

/// What the log has in a row: a field, or a flattened struct.
pub(super) struct Element {
    /// The index of the struct's field.
    pub(super) field: usize,
    /// The index in that field's array, or 0.
    pub(super) index: usize,
    /// The name in the log, or the prefix of a flattened struct.
    pub(super) name: String,
    /// `motor[0]`: what follows `self.`.
    pub(super) value: TokenStream,
    pub(super) ty: TokenStream,
    pub(super) span: Span,
    /// How it is written; `None` for a flattened struct.
    pub(super) codings: Option<Codings>,
}

/// How a field is written in I frames (or S, G and H frames) and in P frames.
pub(super) struct Codings {
    pub(super) intra: Chosen,
    pub(super) inter: Chosen,
}

impl<'a> Frame<'a> {
    pub(super) fn new(input: &'a DeriveInput, errors: &mut Errors) -> Option<Self> {
        let attributes = FrameAttributes::parse(&input.attrs, errors);
        if !attributes.has_kind {
            let text = format!("`{}` has no kind; add `#[blackbox(main)]` (or `slow`, `gps`, `home`)", input.ident);
            errors.at(input.ident.span(), text);
        }
        let mut frame = Self::of_any_kind_with(input, attributes.kind, attributes.krate, errors)?;
        frame.allowed = attributes.allowed;
        Some(frame)
    }

    /// A struct that derives `BlackboxFields`.
    pub(super) fn of_any_kind(input: &'a DeriveInput, errors: &mut Errors) -> Option<Self> {
        let krate = attr::parse_fields(&input.attrs, errors);
        Self::of_any_kind_with(input, None, krate, errors)
    }

    fn of_any_kind_with(
        input: &'a DeriveInput,
        kind: Option<DeclaredKind>,
        krate: Option<Path>,
        errors: &mut Errors,
    ) -> Option<Self> {
        refuse_generics(input, "a frame has one layout", errors);
        let Data::Struct(data) = &input.data else {
            let text = "a frame is a struct; an enum of frames is a `BlackboxSchema`";
            errors.at(input.ident.span(), text);
            return None;
        };
        let Fields::Named(named) = &data.fields else {
            errors.at(input.ident.span(), "a frame has fields with names, of which the names in the log are made");
            return None;
        };
        if named.named.is_empty() {
            errors.at(input.ident.span(), "a frame has fields, one at least");
        }
        let mut fields = Vec::new();
        for field in &named.named {
            fields.extend(Field::new(field, &input.ident, kind, errors));
        }
        let repr = repr::hints(input, errors);
        let mut frame = Frame {
            original: input,
            repr,
            kind,
            allowed: false,
            krate,
            fields,
            elements: Vec::new(),
            lints: Vec::new(),
        };
        frame.elements = frame.fields.iter().enumerate().flat_map(|(i, field)| field.elements(i)).collect();
        coding::choose(&mut frame);
        Some(frame)
    }

    /// Whether it has P frames, or may be part of such.
    pub(super) fn has_inter(&self) -> bool {
        matches!(self.kind, Some(DeclaredKind::Main) | None)
    }

    pub(super) fn is_flattening(&self) -> bool {
        self.fields.iter().any(|field| matches!(field.shape, Shape::Struct))
    }

    /// The field of the log with this name.
    pub(super) fn element(&self, name: &str) -> Option<&Element> {
        self.elements.iter().find(|element| element.codings.is_some() && element.name == name)
    }
}

impl Field {
    fn new(field: &syn::Field, parent: &Ident, kind: Option<DeclaredKind>, errors: &mut Errors) -> Option<Self> {
        let ident = field.ident.clone()?;
        let mut attributes = FieldAttributes::parse(&field.attrs, errors);
        if let Some(DefaultValue::Of(value)) = &mut attributes.history.default {
            *value = without_self(std::mem::take(value), parent);
        }
        let raw = ident.unraw().to_string();
        let (name, name_span) = match attributes.prefix.as_ref().or(attributes.name.as_ref()) {
            Some(name) => (name.value(), name.span()),
            // A part's names follow a prefix.
            None if kind.is_none() => (names::after_prefix(&raw), ident.span()),
            None => (names::of_field(&raw), ident.span()),
        };
        let shape = Shape::new(&field.ty, parent, &attributes, errors);
        let ty = without_self(field.ty.to_token_stream(), parent);
        Some(Field { ident, ty, shape, attributes, name, name_span })
    }

    /// A name of this field, for its element with an index.
    pub(super) fn with_index(&self, name: &str, index: usize) -> String {
        match self.shape {
            Shape::Array { .. } => format!("{name}[{index}]"),
            Shape::One | Shape::Struct => name.to_owned(),
        }
    }

    fn elements(&self, field: usize) -> Vec<Element> {
        let (ident, span) = (&self.ident, self.ident.span());
        let element = |index, name: String, value, ty: &TokenStream| Element {
            field,
            index,
            name,
            value,
            ty: ty.clone(),
            span,
            codings: (!matches!(self.shape, Shape::Struct)).then(|| coding::of(self)),
        };
        match &self.shape {
            Shape::One | Shape::Struct => vec![element(0, self.name.clone(), quote!(#ident), &self.ty)],
            Shape::Array { element: ty, length } => {
                let one = |i| {
                    let index = Literal::usize_unsuffixed(i);
                    element(i, self.with_index(&self.name, i), quote!(#ident[#index]), ty)
                };
                (0..*length).map(one).collect()
            }
        }
    }
}

impl Shape {
    fn new(ty: &Type, parent: &Ident, attributes: &FieldAttributes, errors: &mut Errors) -> Self {
        if attributes.flatten.is_some() {
            if let Some(name) = &attributes.name {
                let text = format!("a flattened field has a prefix for the names: `prefix = \"{}\"`", name.value());
                errors.at(name.span(), text);
            }
            if let Type::Array(array) = ungrouped(ty) {
                errors.on(ty, flattened_array(&array.elem.to_token_stream().to_string()));
            }
            return Shape::Struct;
        }
        if let Some(prefix) = &attributes.prefix {
            errors.at(prefix.span(), "`prefix` is for a flattened field: `#[blackbox(flatten, prefix = …)]`");
        }
        let Type::Array(array) = ungrouped(ty) else { return Shape::One };
        if let Type::Array(inner) = ungrouped(&array.elem) {
            errors.on(inner, "a field of the log is a number, not an array; write an array of numbers for each");
        }
        let Expr::Lit(ExprLit { lit: Lit::Int(length), .. }) = &array.len else {
            let text = "write the length of an array as a number, as in `[i16; 3]`: the derive makes a name for each \
                        element, and can't see the value of a constant";
            errors.on(&array.len, text);
            return Shape::One;
        };
        match length.base10_parse() {
            Ok(length @ 1..=128) => {
                Shape::Array { element: without_self(array.elem.to_token_stream(), parent), length }
            }
            _ => {
                errors.on(
                    length,
                    format!("an array has 1 to 128 elements, and a frame at most 128 fields, not {length}"),
                );
                Shape::One
            }
        }
    }
}

/// The error about a flattened array of this type.
fn flattened_array(element: &str) -> String {
    if INTEGERS.contains(&element) {
        return "an array becomes a field for each element without `flatten`: `name[0]`, `name[1]`".to_owned();
    }
    format!(
        "an array of structs can't be flattened; write a field with a prefix for each: `#[blackbox(flatten, prefix = \
         \"first\")] first: {element}`"
    )
}

/// The type without the invisible group of a `macro_rules` variable.
fn ungrouped(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => ungrouped(&group.elem),
        Type::Paren(paren) => ungrouped(&paren.elem),
        ty => ty,
    }
}

/// An enum that is a schema.
pub(super) struct Schema<'a> {
    pub(super) original: &'a DeriveInput,
    pub(super) attributes: SchemaAttributes,
    pub(super) variants: Vec<Variant<'a>>,
    /// The reasons of the lint, with their spans.
    pub(super) lints: Vec<Ident>,
    /// Whether acceleration, of which only the frame's derive knows, would be without its scale.
    pub(super) needs_scale: bool,
}

/// One frame of a schema.
pub(super) struct Variant<'a> {
    pub(super) ident: &'a Ident,
    pub(super) kind: DeclaredKind,
    pub(super) ty: &'a Type,
}

impl<'a> Schema<'a> {
    pub(super) fn new(input: &'a DeriveInput, errors: &mut Errors) -> Option<Self> {
        refuse_generics(input, "a schema is one set of frames", errors);
        let attributes = SchemaAttributes::parse(&input.attrs, errors);
        let Data::Enum(data) = &input.data else {
            errors.at(input.ident.span(), "a schema is an enum with a variant for each frame: `Main(MainFrame)`");
            return None;
        };
        let variants = data.variants.iter().filter_map(|variant| Variant::new(variant, errors)).collect();
        Some(Schema { original: input, attributes, variants, lints: Vec::new(), needs_scale: false })
    }

    /// The frame of a kind.
    pub(super) fn variant(&self, kind: DeclaredKind) -> Option<&Variant<'a>> {
        self.variants.iter().find(|variant| variant.kind == kind)
    }

    pub(super) fn header(&self, name: &str) -> Option<&Header> {
        self.attributes.headers.iter().find(|header| header.name.value() == name)
    }
}

impl<'a> Variant<'a> {
    fn new(variant: &'a syn::Variant, errors: &mut Errors) -> Option<Self> {
        let ident = &variant.ident;
        attr::parse_variant(&variant.attrs, errors);
        if let Some((_, value)) = &variant.discriminant {
            errors.on(value, "a schema has no discriminants");
        }
        let name = ident.unraw().to_string();
        let Some(kind) = DeclaredKind::ALL.into_iter().find(|kind| kind.variant() == name) else {
            let text = format!(
                "the variants of a schema are the kinds of frames: `Main`, `Slow`, `Gps` and `Home`, not \
                                `{name}`"
            );
            errors.at(ident.span(), text);
            return None;
        };
        match &variant.fields {
            Fields::Unnamed(fields) if fields.unnamed.len() == 1 => {
                Some(Variant { ident, kind, ty: &fields.unnamed[0].ty })
            }
            _ => {
                errors.at(ident.span(), format!("a variant of a schema holds one frame: `{ident}(…)`"));
                None
            }
        }
    }
}
