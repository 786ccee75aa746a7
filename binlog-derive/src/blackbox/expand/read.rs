//! Code that reads a struct: from values, and its frames from bytes.

use super::is_longitude;
use crate::blackbox::ast::{Element, Field, Frame, Shape};
use crate::blackbox::groups::{self, Of};
use crate::blackbox::tables::{Encoding, Predictor};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

/// `impl ReadFields`. The steps of decoding have no tables, as those of encoding.
pub(super) fn read(frame: &Frame<'_>) -> TokenStream {
    let ident = &frame.original.ident;
    let fields = frame.fields.iter().map(field);
    let intra = decode(frame, Of::Intra);
    let inter = frame.has_inter().then(|| decode(frame, Of::Inter));
    quote! {
        __blackbox::reading! {
            #[automatically_derived]
            impl __blackbox::ReadFields for #ident {
                #[inline(always)]
                fn from_values(__values: &mut __blackbox::FieldValues<'_>) -> Self {
                    Self { #(#fields),* }
                }
                #intra
                #inter
            }
        }
    }
}

/// `time: …`.
fn field(field: &Field) -> TokenStream {
    let (ident, ty) = (&field.ident, &field.ty);
    match &field.shape {
        Shape::One => quote!(#ident: __blackbox::Value::<#ty>::read(__values)),
        Shape::Array { element, .. } => quote!(#ident: __blackbox::Value::<#element>::read_array(__values)),
        Shape::Struct => quote!(#ident: __blackbox::Fields::<#ty>::from_values(__values)),
    }
}

/// `fn read_intra` and `fn predict_intra`, or those of P frames.
fn decode(frame: &Frame<'_>, of: Of) -> TokenStream {
    let (read, predict) = match of {
        Of::Intra => (quote!(read_intra), quote!(predict_intra)),
        Of::Inter => (quote!(read_inter), quote!(predict_inter)),
    };
    let groups = groups::runs(&frame.elements, of).flat_map(|run| groups::groups(run, of));
    let residuals = groups.map(|group| match &group[0].codings {
        Some(_) => residuals(group, of),
        None => flattened(&group[0], &read),
    });
    let neighbours = frame.elements.chunk_by(|a, b| are_predicted_alike(a, b, of));
    let predictions = neighbours.map(|alike| match &alike[0].codings {
        Some(_) => predictions(frame, alike, of),
        None => flattened(&alike[0], &predict),
    });
    quote! {
        #[inline(always)]
        fn #read(__fields: &mut __blackbox::FieldReader<'_>) {
            #(#residuals)*
        }
        #[inline(always)]
        fn #predict(__fields: &mut __blackbox::FieldPredictor<'_>) {
            #(#predictions)*
        }
    }
}

fn flattened(element: &Element, function: &TokenStream) -> TokenStream {
    let ty = &element.ty;
    quote!(__blackbox::Fields::<#ty>::#function(__fields);)
}

/// Reads the residuals of a field, or of a group.
fn residuals(group: &[Element], of: Of) -> TokenStream {
    let ty = &group[0].ty;
    let encoding = group[0].codings.as_ref().and_then(|codings| of.chosen(codings).known_encoding(ty));
    let count = Literal::usize_unsuffixed(group.len());
    match encoding {
        None => quote!(__fields.vb(__blackbox::Value::<#ty>::SIGNED);),
        Some(Encoding::SignedVb) => quote!(__fields.signed_vb();),
        Some(Encoding::UnsignedVb) => quote!(__fields.unsigned_vb();),
        Some(Encoding::Neg14Bit) => quote!(__fields.neg_14bit();),
        Some(Encoding::Null) => quote!(__fields.null();),
        Some(Encoding::Tag8_8Svb) => quote!(__fields.tag8_8svb::<#count>();),
        Some(Encoding::Tag2_3S32) => quote!(__fields.tag2_3s32();),
        Some(Encoding::Tag8_4S16) => quote!(__fields.tag8_4s16();),
        Some(Encoding::EliasDeltaU32 | Encoding::EliasDeltaS32) => {
            let signed = group.iter().map(|element| element.is_elias_signed(of));
            quote!(__fields.elias_delta([#(#signed),*]);)
        }
    }
}

fn predictor(element: &Element, of: Of) -> Option<Predictor> {
    element.codings.as_ref().map(|codings| of.chosen(codings).predictor)
}

/// Whether two neighbours are predicted by one call.
fn are_predicted_alike(a: &Element, b: &Element, of: Of) -> bool {
    match predictor(a, of) {
        // These depend on more than the predictor.
        None | Some(Predictor::HomeCoordinate) => false,
        Some(Predictor::Average2) if a.ty.to_string() != b.ty.to_string() => false,
        alike => alike == predictor(b, of),
    }
}

/// Adds the predictions of neighbours.
fn predictions(frame: &Frame<'_>, alike: &[Element], of: Of) -> TokenStream {
    let (first, count) = (&alike[0], Literal::usize_unsuffixed(alike.len()));
    let ty = &first.ty;
    let call = match predictor(first, of).unwrap_or(Predictor::Zero) {
        Predictor::Zero => quote!(zero(#count)),
        Predictor::Previous => quote!(previous(#count)),
        Predictor::StraightLine => quote!(straight_line(#count)),
        Predictor::Average2 => quote!(average_2(__blackbox::Value::<#ty>::SIGNED, #count)),
        Predictor::MinThrottle => quote!(minthrottle(#count)),
        Predictor::Motor0 => quote!(motor_0(#count)),
        Predictor::Increment => quote!(inc(#count)),
        Predictor::HomeCoordinate => {
            let axis = Literal::usize_unsuffixed(is_longitude(frame, first).into());
            quote!(home_coord::<#axis>())
        }
        Predictor::Fixed1500 => quote!(fixed_1500(#count)),
        Predictor::VbatRef => quote!(vbatref(#count)),
        Predictor::LastMainFrameTime => quote!(last_main_frame_time(#count)),
        Predictor::MinMotor => quote!(minmotor(#count)),
    };
    quote!(__fields.#call;)
}
