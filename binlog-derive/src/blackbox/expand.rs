//! Writes code for the checked model. It makes no decisions.

mod read;
mod schema;

pub(super) use schema::schema;

use super::ast::{Codings, Element, Frame};
use super::attr::DeclaredKind;
use super::coding::Chosen;
use super::groups::{self, Of};
use super::history;
use super::lint;
use super::names::{ITERATION, TIME};
use super::tables::{Encoding, Predictor};
use crate::expand::{in_scope, padding_of};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;

pub(super) fn frame(frame: &Frame<'_>) -> TokenStream {
    let ident = &frame.original.ident;
    let Some(kind) = frame.kind else { return TokenStream::new() };
    let frame_kind = Ident::new(kind.frame_kind(), Span::call_site());
    let items = items(frame, &quote!(__blackbox::FrameKind::#frame_kind));
    let intra = encode_intra(frame);
    let read = read::read(frame);
    let of_kind = match kind {
        DeclaredKind::Main => main(frame),
        DeclaredKind::Home => home(frame),
        DeclaredKind::Slow | DeclaredKind::Gps => TokenStream::new(),
    };
    let lints = lints(&frame.lints);
    let padding = match is_packed(frame) {
        true => quote!(0),
        false => quote!({ __PADDING }),
    };
    // With the span of the name, so that the error about a missing derive doesn't point at this one.
    let zeros = quote_spanned! {ident.span()=>
        fn zeros() -> Self {
            __blackbox::Struct::<#ident>::zeros(__blackbox::Padding::<#padding>)
        }
    };
    in_scope(
        frame.krate.as_ref(),
        quote! {
            #items
            #lints
            #[allow(unused_imports)]
            use __blackbox::NoStruct as _;
            #[automatically_derived]
            impl __blackbox::BlackboxFrame for #ident {
                const KIND: __blackbox::FrameKind = __blackbox::FrameKind::#frame_kind;
                const FIELDS: &'static [__blackbox::FieldDefinition] = __FIELDS;
                #zeros
                #[inline]
                fn wire(&self) -> &[__binlog::u8] {
                    __blackbox::Struct::<#ident>::wire(self)
                }
                #[inline]
                fn wire_mut(&mut self) -> &mut [__binlog::u8] {
                    __blackbox::Struct::<#ident>::wire_mut(self)
                }
                #intra
            }
            #read
            #of_kind
        },
    )
}

/// `impl BlackboxFields for Pid`.
pub(super) fn fields(frame: &Frame<'_>) -> TokenStream {
    let ident = &frame.original.ident;
    let items = items(frame, &quote!(__blackbox::FrameKind::Intra));
    let (intra, inter) = (statements(frame, Of::Intra), statements(frame, Of::Inter));
    let read = read::read(frame);
    in_scope(
        frame.krate.as_ref(),
        quote! {
            #items
            #[automatically_derived]
            impl __blackbox::BlackboxFields for #ident {
                const FIELDS: &'static [__blackbox::FieldDefinition] = __FIELDS;
                // Into the frame around it, so that the writer's end stays in a register.
                #[inline(always)]
                #[allow(unused_variables)]
                fn encode_intra(
                    __this: impl __binlog::Fn() -> Self,
                    __references: &__blackbox::References,
                    __out: &mut __blackbox::FieldWriter<'_>,
                ) {
                    #(#intra)*
                }
                #[inline(always)]
                #[allow(unused_variables)]
                fn encode_inter(
                    __this: impl __binlog::Fn() -> Self,
                    __before: impl __binlog::Fn() -> Self,
                    __older: impl __binlog::Fn() -> Self,
                    __references: &__blackbox::References,
                    __out: &mut __blackbox::FieldWriter<'_>,
                ) {
                    #(#inter)*
                }
            }
            #read
        },
    )
}

fn is_packed(frame: &Frame<'_>) -> bool {
    frame.repr.iter().any(|hint| hint.name == "packed")
}

/// The constant `__FIELDS`, with its checks.
fn items(frame: &Frame<'_>, kind: &TokenStream) -> TokenStream {
    let ident = &frame.original.ident;
    let padding = (!is_packed(frame)).then(|| {
        let types: Vec<_> = frame.fields.iter().map(|field| &field.ty).collect();
        padding_of(ident, &types, &quote_spanned!(ident.span()=> __blackbox::padding))
    });
    // With the span of the name, so that an error in a field doesn't point at the derive.
    let list = |calls: Vec<TokenStream>| quote_spanned!(ident.span()=> [#(#calls),*]);
    let calls = frame.elements.iter().map(|element| (element, call(frame, element)));
    let fields = if frame.is_flattening() {
        let parts = list(calls.map(|(element, call)| part(element, call)).collect());
        let count = frame.elements.len();
        let checks = frame.elements.iter().enumerate().map(
            |(index, element)| quote_spanned!(element.span=> __blackbox::part(&__PARTS, __FIELDS, #index, #kind);),
        );
        let aliases = history::checks(frame);
        quote! {
            const __PARTS: [__blackbox::FieldPart; #count] = #parts;
            const __NAMES: &[__binlog::u8] = &__blackbox::text::<{ __blackbox::text_length(&__PARTS) }>(&__PARTS);
            const __FIELDS: &[__blackbox::FieldDefinition] =
                &__blackbox::fields::<{ __blackbox::count(&__PARTS) }>(&__PARTS, __NAMES);
            const _: () = { #(#checks)* #(#aliases)* };
        }
    } else {
        let fields = list(calls.map(|(_, call)| call).collect());
        let checks = frame.elements.chunk_by(|a, b| a.field == b.field).scan(0, |start, of_field| {
            let [from, to] = [*start, *start + of_field.len()].map(Literal::usize_unsuffixed);
            *start += of_field.len();
            let check = quote_spanned!(of_field[0].span=> __blackbox::fields_until(__FIELDS, #from, #to, #kind););
            Some(check)
        });
        quote! {
            const __FIELDS: &[__blackbox::FieldDefinition] = &#fields;
            const _: () = { #(#checks)* };
        }
    };
    quote! {
        use __binlog::blackbox as __blackbox;
        #[allow(unused_imports)]
        use __blackbox::{Encoding as __E, NoFields as _, NoValue as _, Predictor as __P};
        #padding
        #fields
    }
}

/// A call whose tokens all have the field's span, so that `#[track_caller]` blames the field.
fn call(frame: &Frame<'_>, element: &Element) -> TokenStream {
    let Element { name, ty, span, codings, .. } = element;
    let Some(Codings { intra, inter }) = codings else {
        let is_main = frame.has_inter();
        let group = quote_spanned!(*span=> __blackbox::group::<#ty>(#name, #is_main));
        return history::with_history(group, frame, element);
    };
    let coding = |chosen: &Chosen| {
        let predictor = Ident::new(chosen.predictor.variant(), *span);
        let encoding = match chosen.known_encoding(ty) {
            Some(encoding) => {
                let encoding = Ident::new(encoding.variant(), *span);
                quote_spanned!(*span=> __E::#encoding)
            }
            None => quote_spanned!(*span=> __blackbox::Value::<#ty>::VB),
        };
        quote_spanned!(*span=> __P::#predictor, #encoding)
    };
    let intra = coding(intra);
    let field = if frame.has_inter() {
        let inter = coding(inter);
        quote_spanned!(*span=> __blackbox::main_field::<#ty>(#name, #intra, #inter))
    } else {
        quote_spanned!(*span=> __blackbox::field::<#ty>(#name, #intra))
    };
    history::with_history(field, frame, element)
}

fn part(element: &Element, call: TokenStream) -> TokenStream {
    match element.codings {
        Some(_) => quote_spanned!(element.span=> __blackbox::FieldPart::Field(#call)),
        None => call,
    }
}

/// `fn encode_intra`.
fn encode_intra(frame: &Frame<'_>) -> TokenStream {
    let statements = statements(frame, Of::Intra);
    quote! {
        #[inline]
        #[allow(unused_variables)]
        fn encode_intra(&self, __references: &__blackbox::References, __out: &mut __blackbox::FrameBuffer) {
            let mut __fields = __out.fields();
            let __out = &mut __fields;
            #(#statements)*
            __fields.finish();
        }
    }
}

/// `fn encode_inter`.
fn encode_inter(frame: &Frame<'_>) -> TokenStream {
    let statements = statements(frame, Of::Inter);
    quote! {
        #[inline]
        #[allow(unused_variables)]
        fn encode_inter(
            &self,
            __before: &Self,
            __older: &Self,
            __references: &__blackbox::References,
            __out: &mut __blackbox::FrameBuffer,
        ) {
            let mut __fields = __out.fields();
            let __out = &mut __fields;
            #(#statements)*
            __fields.finish();
        }
    }
}

/// Fields that are written by one call. A vector of the processor has as many numbers of 32 bits.
const AT_ONCE: usize = 4;

/// A statement for each field, or group of fields. Neighbours that are numbers of their own are written some at a time:
/// in P frames, most have 7 bits.
fn statements(frame: &Frame<'_>, of: Of) -> Vec<TokenStream> {
    let groups = groups::runs(&frame.elements, of).flat_map(|run| groups::groups(run, of));
    let groups: Vec<(&[Element], Option<TokenStream>)> =
        groups.map(|group| (group, number(frame, group, of))).collect();
    let neighbours = groups.chunk_by(|(_, number), (_, next)| number.is_some() && next.is_some());
    let written = neighbours.flat_map(|numbers| numbers.chunks(AT_ONCE)).flat_map(|numbers| match numbers {
        [_, _, ..] => {
            let numbers = numbers.iter().filter_map(|(_, number)| number.as_ref());
            vec![quote!(__out.vbs([#(#numbers),*]);)]
        }
        _ => numbers.iter().map(|(group, _)| statement(frame, group, of)).collect(),
    });
    written.collect()
}

/// The number that is written for a field of its own in 7 bits a byte.
fn number(frame: &Frame<'_>, group: &[Element], of: Of) -> Option<TokenStream> {
    let element = &group[0];
    let encoding = element.codings.as_ref().and_then(|codings| of.chosen(codings).known_encoding(&element.ty))?;
    let residual = residual(frame, element, of);
    match encoding {
        Encoding::SignedVb => Some(quote!(__blackbox::zigzag(#residual))),
        Encoding::UnsignedVb => Some(quote!(#residual.cast_unsigned())),
        _ => None,
    }
}

fn statement(frame: &Frame<'_>, group: &[Element], of: Of) -> TokenStream {
    let Some(codings) = &group[0].codings else { return flattened(frame, &group[0], of) };
    let residuals: Vec<_> = group.iter().map(|element| residual(frame, element, of)).collect();
    let (first, ty) = (&residuals[0], &group[0].ty);
    let Some(encoding) = of.chosen(codings).known_encoding(ty) else {
        return quote!(__out.vb(__blackbox::Value::<#ty>::SIGNED, #first););
    };
    match encoding {
        Encoding::SignedVb => quote!(__out.signed_vb(#first);),
        Encoding::UnsignedVb => quote!(__out.unsigned_vb(#first.cast_unsigned());),
        Encoding::Neg14Bit => quote!(__out.neg_14bit(#first);),
        Encoding::Null => quote!(__out.null(#first);),
        Encoding::Tag8_8Svb => quote!(__out.tag8_8svb(&[#(#residuals),*]);),
        Encoding::Tag2_3S32 => quote!(__out.tag2_3s32([#(#residuals),*]);),
        Encoding::Tag8_4S16 => quote!(__out.tag8_4s16([#(#residuals),*]);),
        Encoding::EliasDeltaU32 | Encoding::EliasDeltaS32 => {
            let numbers = group.iter().zip(&residuals).map(|(element, residual)| {
                if element.is_elias_signed(of) {
                    quote!(__blackbox::zigzag(#residual))
                } else {
                    quote!(#residual.cast_unsigned())
                }
            });
            quote!(__out.elias_delta(&[#(#numbers),*]);)
        }
    }
}

/// The fields of a flattened struct.
fn flattened(frame: &Frame<'_>, element: &Element, of: Of) -> TokenStream {
    let Element { value, ty, .. } = element;
    let [this, before, older] = structs(frame);
    match of {
        Of::Intra => quote!(__blackbox::Fields::<#ty>::encode_intra(|| #this.#value, __references, __out);),
        Of::Inter => quote! {
            __blackbox::Fields::<#ty>::encode_inter(
                || #this.#value,
                || #before.#value,
                || #older.#value,
                __references,
                __out,
            );
        },
    }
}

/// The struct that is encoded, that of the frame before, and that of the one before that.
fn structs(frame: &Frame<'_>) -> [TokenStream; 3] {
    match frame.kind {
        Some(_) => [quote!(self), quote!(__before), quote!(__older)],
        None => [quote!(__this()), quote!(__before()), quote!(__older())],
    }
}

/// The value minus its prediction.
fn residual(frame: &Frame<'_>, element: &Element, of: Of) -> TokenStream {
    let value = &element.value;
    let [this, before, older] = structs(frame);
    let predictor = element.codings.as_ref().map_or(Predictor::Zero, |codings| of.chosen(codings).predictor);
    let residual = match predictor {
        Predictor::Zero => quote!(zero()),
        Predictor::Previous => quote!(previous(#before.#value)),
        Predictor::StraightLine => quote!(straight_line(#before.#value, #older.#value)),
        Predictor::Average2 => quote!(average_2(#before.#value, #older.#value)),
        Predictor::MinThrottle => quote!(minthrottle(__references)),
        Predictor::Motor0 => {
            let motor_0 = frame.element("motor[0]").map(|motor| &motor.value);
            quote!(motor_0(#this.#motor_0))
        }
        Predictor::Increment => quote!(inc(#before.#value, __references)),
        Predictor::HomeCoordinate => {
            let axis = Literal::usize_unsuffixed(is_longitude(frame, element).into());
            quote!(home_coord::<#axis>(__references))
        }
        Predictor::Fixed1500 => quote!(fixed_1500()),
        Predictor::VbatRef => quote!(vbatref(__references)),
        Predictor::LastMainFrameTime => quote!(last_main_frame_time(__references)),
        Predictor::MinMotor => quote!(minmotor(__references)),
    };
    quote!(__blackbox::Value(#this.#value).#residual)
}

/// Whether a coordinate is the second of two neighbours that are predicted from home.
fn is_longitude(frame: &Frame<'_>, element: &Element) -> bool {
    let is_coordinate = |each: &&Element| {
        each.codings.as_ref().is_some_and(|codings| codings.intra.predictor == Predictor::HomeCoordinate)
    };
    let before = frame.elements.iter().take_while(|each| !std::ptr::eq(*each, element));
    before.collect::<Vec<_>>().into_iter().rev().take_while(is_coordinate).count() % 2 == 1
}

/// `impl MainFrame`.
fn main(frame: &Frame<'_>) -> TokenStream {
    let ident = &frame.original.ident;
    let inter = encode_inter(frame);
    let value = |name| {
        frame.element(name).map(|element| {
            let value = &element.value;
            // An alias of a type that isn't `u32` is an error at the field. The names are those of this macro, also
            // where the field's is that of a `macro_rules`.
            let span = element.span.resolved_at(Span::call_site());
            quote_spanned!(span=> { let __value: __blackbox::u32 = __frame.#value; __value })
        })
    };
    let (iteration, time) = (value(ITERATION), value(TIME));
    quote! {
        #[automatically_derived]
        impl __blackbox::MainFrame for #ident {
            #[inline]
            fn iteration(&self) -> __blackbox::u32 {
                let __frame = self;
                #iteration
            }
            #[inline]
            fn time(&self) -> __blackbox::u32 {
                let __frame = self;
                #time
            }
            #inter
        }
    }
}

/// `impl HomeFrame`.
fn home(frame: &Frame<'_>) -> TokenStream {
    let ident = &frame.original.ident;
    let values = frame.elements.iter().filter(|element| element.codings.is_some()).take(2);
    let values = values.map(|element| &element.value);
    quote! {
        #[automatically_derived]
        impl __blackbox::HomeFrame for #ident {
            #[inline]
            fn coordinates(&self) -> [__blackbox::i32; 2] {
                [#(__blackbox::Value(self.#values).zero()),*]
            }
        }
    }
}

/// Uses of deprecated items.
fn lints(lints: &[Ident]) -> Option<TokenStream> {
    let uses = lints.iter().map(|reason| {
        let name = lint::name(reason.span());
        let module = format_ident!("{}", reason.unraw());
        quote_spanned!(reason.span()=> __blackbox::lint::#module::#name)
    });
    (!lints.is_empty()).then(|| quote!(const _: () = { let _ = [#(#uses),*]; };))
}
