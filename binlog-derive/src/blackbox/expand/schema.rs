//! Code for a schema.

use super::lints;
use crate::blackbox::ast::Schema;
use crate::blackbox::attr::DeclaredKind;
use crate::blackbox::check::DEFAULT_I_INTERVAL;
use crate::expand::in_scope;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};

pub(in crate::blackbox) fn schema(schema: &Schema<'_>) -> TokenStream {
    let ident = &schema.original.ident;
    let of_kind = |kind: DeclaredKind| match schema.variant(kind) {
        Some(variant) => {
            let ty = variant.ty;
            quote!(#ty)
        }
        None => quote!(__blackbox::Absent),
    };
    let [main, slow, gps, home] = DeclaredKind::ALL.map(of_kind);
    let fields = |kind: DeclaredKind| match schema.variant(kind) {
        Some(variant) => {
            let ty = variant.ty;
            quote_spanned!(variant.ident.span()=> __blackbox::Variant::<#ty>::FIELDS)
        }
        None => quote!(&[]),
    };
    let [main_fields, slow_fields, gps_fields, home_fields] = DeclaredKind::ALL.map(fields);
    let attributes = &schema.attributes;
    let i_interval = attributes.i_interval.as_ref().map_or(DEFAULT_I_INTERVAL, |interval| interval.value);
    let (numerator, denominator) = attributes.p_rate.as_ref().map_or((1, 1), |rate| rate.value);
    let (names, values): (Vec<_>, Vec<_>) =
        attributes.headers.iter().map(|header| (&header.name, &header.value)).unzip();
    let checks = schema.variants.iter().map(|variant| {
        let (ty, kind) = (variant.ty, Ident::new(variant.kind.frame_kind(), Span::call_site()));
        let span = variant.ident.span();
        quote_spanned!(span=> __blackbox::variant(&__PREAMBLE, __blackbox::FrameKind::#kind, __blackbox::Variant::<#ty>::KIND, __blackbox::Variant::<#ty>::FIELDS);)
    });
    let sizes = quote_spanned!(ident.span()=> __blackbox::sizes(&__PREAMBLE););
    let of_frames = schema.variants.iter().map(|variant| {
        let (ty, kind) = (variant.ty, Ident::new(variant.kind.frame_kind(), Span::call_site()));
        // An explicit `impl<>`, so that rustc doesn't propose to add parameters to it.
        quote! {
            #[automatically_derived]
            impl<> __blackbox::LogsFrame<#ty> for #ident {
                const KIND: __blackbox::FrameKind = __blackbox::FrameKind::#kind;
            }
        }
    });
    let ty: Vec<_> = schema.variants.iter().map(|variant| variant.ty).collect();
    let variant: Vec<_> = schema.variants.iter().map(|variant| variant.ident).collect();
    let kind: Vec<_> =
        schema.variants.iter().map(|variant| Ident::new(variant.kind.frame_kind(), Span::call_site())).collect();
    let acceleration = schema.needs_scale.then(|| {
        let span = schema.variant(DeclaredKind::Main).map_or(ident.span(), |variant| variant.ident.span());
        let lacks = quote!({ __blackbox::lint::has_acceleration(__PREAMBLE.main) });
        let lint = quote_spanned!(span=> __blackbox::lint::Acceleration::<#lacks>::not_portable);
        quote! {
            const _: () = {
                #[allow(unused_imports)]
                use __blackbox::lint::Sound as _;
                let _ = #lint;
            };
        }
    });
    let lints = lints(&schema.lints);
    in_scope(
        attributes.krate.as_ref(),
        quote! {
            use __binlog::blackbox as __blackbox;
            #[allow(unused_imports)]
            use __blackbox::NoVariant as _;
            const __PREAMBLE: __blackbox::Preamble = __blackbox::Preamble {
                main: #main_fields,
                slow: #slow_fields,
                gps: #gps_fields,
                home: #home_fields,
                intervals: __blackbox::Intervals::new(#i_interval, #numerator, #denominator),
                lines: &[#((#names, #values)),*],
            };
            const _: () = { #(#checks)* #sizes };
            #lints
            #acceleration
            #[automatically_derived]
            impl __blackbox::BlackboxSchema for #ident {
                type Main = #main;
                type Slow = #slow;
                type Gps = #gps;
                type Home = #home;
                const HEADER: &'static __binlog::str =
                    __blackbox::ascii(&__PREAMBLE.bytes::<{ __PREAMBLE.length() }>());
                const INTERVALS: __blackbox::Intervals = __PREAMBLE.intervals;
                const REFERENCES: __blackbox::References = __PREAMBLE.references();
                fn from_frame(
                    __kind: __blackbox::FrameKind,
                    __bytes: &[__binlog::u8],
                ) -> __binlog::Option<Self> {
                    match __kind {
                        #(__blackbox::FrameKind::#kind => __blackbox::Variant::<#ty>::read(__bytes).map(Self::#variant),)*
                        _ => __binlog::None,
                    }
                }
                fn frame(&self) -> (__blackbox::FrameKind, &[__binlog::u8]) {
                    match self {
                        #(Self::#variant(__frame) => (__blackbox::FrameKind::#kind, __blackbox::Variant::<#ty>::wire(__frame)),)*
                    }
                }
            }
            #(#of_frames)*
        },
    )
}
