//! Writes code for the checked model. It makes no decisions.

mod flat;
mod history;
mod sink;

pub(crate) use flat::group;
pub(crate) use sink::sink;

use crate::ast::{Column, FieldKind, FieldType, Message, Role, Schema};
use crate::attr::{Meanings, Multiplier, Scale, Unit};
use history::with_history;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::Path;
use syn::ext::IdentExt;

/// `const _: () = { use binlog::__private as __binlog; … };`
///
/// Names in it begin with `__`: a constant of the user named `payload` would otherwise turn a parameter of that name
/// into a pattern.
pub(crate) fn in_scope(krate: Option<&Path>, body: TokenStream) -> TokenStream {
    let krate = path_of(krate);
    quote! {
        #[allow(unused_qualifications)]
        const _: () = {
            use #krate::__private as __binlog;
            #body
        };
    }
}

/// Where the crate is.
fn path_of(krate: Option<&Path>) -> TokenStream {
    krate.map_or_else(|| quote!(::binlog), ToTokens::to_token_stream)
}

pub(crate) fn message(message: &Message<'_>) -> TokenStream {
    let ident = &message.original.ident;
    let parts = quote_spanned!(ident.span()=> __MESSAGE);
    let doubts = doubts(&message.columns);
    let (before, parts_value) = match doubts.is_some() || flat::is_flattening(message) {
        true => {
            let (before, parts_value) = flattening_parts_of(message, &parts);
            (Some(before), parts_value)
        }
        false => (None, parts_of(message, &parts)),
    };
    let is_packed = message.repr.iter().any(|hint| hint.name == "packed");
    let padding = (!is_packed).then(|| padding(ident, &message.columns));
    let wire = match bytes_expected(message, &parts, is_packed) {
        Some(padding) => quote_spanned!(ident.span()=> wire_if(self, __binlog::Padding::<{ #padding }>)),
        None => quote_spanned!(ident.span()=> wire(self)),
    };
    let lints = lints(flat::field_lints(&message.columns), &message.lint);
    // The whole item has one span, because `self` is hygienic: in a struct declared by a `macro_rules` macro, the span
    // of the name has another `self`.
    let wire = quote_spanned! {ident.span()=>
        fn wire(&self) -> &[__binlog::u8] {
            __binlog::Bytes::<#ident>::#wire
        }
    };
    in_scope(
        message.attributes.krate.as_ref(),
        quote! {
            #[allow(unused_imports)]
            use __binlog::NoBytes as _;
            #padding
            #doubts
            #before
            // In one body, so that a type that is not a field causes one error. `deprecated` is allowed because a
            // field's type may be.
            #[allow(deprecated)]
            const __MESSAGE: __binlog::Parts<#ident> = #parts_value;
            #lints
            #[automatically_derived]
            impl __binlog::LogMessage for #ident {
                const DEFINITION: __binlog::Definition = #parts.0;
                #[inline]
                #wire
                #[inline]
                fn decode(__payload: &[__binlog::u8]) -> __binlog::Result<Self, __binlog::DecodeError> {
                    (#parts.1)(__payload)
                }
            }
        },
    )
}

/// The definition and the decoding function of a message. `parts` is the path of the constant that holds them.
fn parts_of(message: &Message<'_>, parts: &TokenStream) -> TokenStream {
    let ident = &message.original.ident;
    let columns = message.columns.iter().map(|each| column(each, &each.role(message), &each.label, &each.ty, 0));
    let field: Vec<_> = message.columns.iter().map(|column| &column.member).collect();
    let value: Vec<_> = (0..field.len()).map(|i| format_ident!("__{i}")).collect();
    let decode = format_ident!("decode_{}", field.len());
    let ty = message.columns.iter().map(|column| &column.ty);
    // With the span of the name, so that an error in a column doesn't point at the derive.
    let columns = quote_spanned!(ident.span()=> &[#(#columns),*]);
    let definition = definition(message, &columns);
    quote! {
        (
            #definition,
            |__payload| match __binlog::#decode::<#(#ty),*>(__payload, &#parts.0) {
                __binlog::Ok((#(#value,)*)) => __binlog::Ok(#ident { #(#field: #value),* }),
                __binlog::Err(__error) => __binlog::Err(__error),
            },
        )
    }
}

/// As [`parts_of`], with flattened fields: the items before it, and the parts.
fn flattening_parts_of(message: &Message<'_>, parts: &TokenStream) -> (TokenStream, TokenStream) {
    let checked = flat::Checked::Message(message.name(), !message.attributes.as_logged);
    let ident = &message.original.ident;
    let flat::Columns { items, columns, read } =
        flat::columns(ident, &message.columns, |column| column.role(message), &checked);
    let definition = definition(message, &columns);
    let value = quote! {
        (#definition, |__payload| __binlog::flatten::decode(__payload, &#parts.0, #read))
    };
    (items, value)
}

fn definition(message: &Message<'_>, columns: &TokenStream) -> TokenStream {
    let name = message.name();
    let description = &message.description;
    let default_id = option(message.attributes.default_id);
    let aliases = &message.attributes.aliases;
    let definition = quote! {
        __binlog::Definition {
            name: #name,
            description: #description,
            columns: #columns,
            default_id: #default_id,
            aliases: &[#(#aliases),*],
            rules: __binlog::RuleSet::Checked,
        }
    };
    // With the span of the name, so that an error about the length doesn't point at the derive.
    quote_spanned!(message.original.ident.span()=> __binlog::definition(#definition))
}

fn padding(ident: &Ident, columns: &[Column]) -> TokenStream {
    let types: Vec<_> = columns.iter().map(|column| &column.ty).collect();
    padding_of(ident, &types, &quote_spanned!(ident.span()=> __binlog::padding))
}

/// The error for a struct with padding, made by a function. It is in the length of an array type, so that it precedes
/// zerocopy's.
pub(crate) fn padding_of(ident: &Ident, types: &[&TokenStream], error: &TokenStream) -> TokenStream {
    let name = ident.unraw().to_string();
    let check = quote_spanned! {ident.span()=>
        #error::<#ident>(#name, #(__binlog::size_of::<#types>())+*)
    };
    let length = quote_spanned!(ident.span()=> [(); __PADDING]);
    quote! {
        #[allow(deprecated)]
        const __PADDING: __binlog::usize = #check;
        #[allow(dead_code)]
        struct __Unpadded(#length);
    }
}

/// The constant that decides whether a message must have bytes: 0 if so, and an error or 1 if it has another error
/// already. `None` if it must in any case.
fn bytes_expected(message: &Message<'_>, parts: &TokenStream, is_packed: bool) -> Option<TokenStream> {
    let span = message.original.ident.span();
    let padding = (!is_packed).then(|| quote_spanned!(span=> __PADDING));
    // A type in doubt may have no bytes because it isn't a field.
    let is_in_doubt = message.columns.iter().any(|column| !column.is_known && column.remedy.is_none());
    let in_doubt = is_in_doubt.then(|| quote_spanned!(span=> __binlog::no_padding(&#parts)));
    let doubted: Vec<_> = message.columns.iter().filter(|column| column.remedy.is_some()).collect();
    let types = doubted.iter().map(|column| column.field_type());
    let missing = (!doubted.is_empty())
        .then(|| quote_spanned!(span=> __binlog::missing(&[#(__binlog::OfType::<#types>::MISSING),*])));
    [padding, in_doubt, missing].into_iter().flatten().reduce(|sum, term| quote_spanned!(span=> #sum + #term))
}

/// The errors of the columns with a remedy, each of them if the type isn't a field, and what stands in for such a type.
fn doubts(columns: &[Column]) -> Option<TokenStream> {
    let of_columns = columns.iter().filter_map(|column| Some((column.field_type(), column.remedy.as_ref()?)));
    let errors: Vec<_> = of_columns.map(|(ty, remedy)| doubt(ty, remedy)).collect();
    (!errors.is_empty()).then(|| {
        quote! {
            #(#errors)*
            #[allow(unused_imports)]
            use __binlog::NoField as _;
        }
    })
}

/// With the span of the type, `where` included; otherwise the error points at the derive.
fn doubt(ty: &TokenStream, remedy: &Ident) -> TokenStream {
    quote_spanned! {remedy.span()=>
        #[allow(dead_code, trivial_bounds)]
        const _: () = {
            struct __Field where #ty: __binlog::#remedy;
        };
    }
}

/// A call whose tokens all have the field's span, so that `#[track_caller]` blames the field.
///
/// It is short because rustc processes it for each field of each message: ids of the standard tables are plain bytes,
/// and rare properties are additional calls around it.
/// `index` is that of an array's element.
fn column(column: &Column, role: &Role, label: &str, ty: &TokenStream, index: usize) -> TokenStream {
    let description = &column.description;
    let span = column.span();
    let Scale { unit, multiplier } = &column.attributes.scale;
    let as_logged = matches!(role, Role::AsLogged);
    let unit_id = match unit.as_ref().map(|unit| &unit.value) {
        Some(Unit::Standard(id)) => byte(*id),
        // A placeholder that may have a multiplier; the custom unit replaces it.
        Some(Unit::Custom(_)) => byte('?'),
        _ if as_logged && column.is_instance() => byte('#'),
        _ if as_logged && column.is_time() => byte('s'),
        _ => byte('\0'),
    };
    let multiplier_id = match multiplier.as_ref().map(|multiplier| &multiplier.value) {
        Some(Multiplier::Standard(id)) => byte(*id),
        _ if as_logged && column.is_instance() => byte('-'),
        _ if as_logged && column.is_time() => byte('F'),
        _ => byte('\0'),
    };
    let custom_unit = unit.as_ref().and_then(|unit| match &unit.value {
        Unit::Custom(path) => Some(quote_spanned!(unit.span=> __binlog::Some(#path))),
        Unit::Standard(..) => None,
    });
    let custom_multiplier = multiplier.as_ref().and_then(|multiplier| match &multiplier.value {
        Multiplier::Custom(path) => Some(quote_spanned!(multiplier.span=> __binlog::Some(#path))),
        Multiplier::Standard(..) => None,
    });
    let is_custom = custom_unit.is_some() || custom_multiplier.is_some();
    let field = || quote_spanned!(span=> &__binlog::OfType::<#ty>::FIELD);
    let mut call = match role {
        _ if column.remedy.is_some() => {
            let role = match role {
                Role::Time => quote!(Time),
                Role::Instance => quote!(Instance),
                Role::Value if !is_custom => quote!(Value),
                Role::Value | Role::AsLogged => quote!(AsLogged),
            };
            let field = field();
            quote_spanned! {span=>
                __binlog::doubted(#field, __binlog::Role::#role, #label, #description, #unit_id, #multiplier_id)
            }
        }
        Role::Time => quote_spanned!(span=> __binlog::time::<#ty>(#label, #description, #unit_id, #multiplier_id)),
        Role::Instance => quote_spanned!(span=> __binlog::instance::<#ty>(#label, #description)),
        Role::Value if !is_custom => quote_spanned! {span=>
            __binlog::value::<#ty>(#label, #description, #unit_id, #multiplier_id)
        },
        // A custom constant is checked when it replaces the placeholder.
        Role::Value | Role::AsLogged => quote_spanned! {span=>
            __binlog::as_logged::<#ty>(#label, #description, #unit_id, #multiplier_id)
        },
    };
    if is_custom {
        let none = || quote_spanned!(span=> __binlog::None);
        let (unit, multiplier) = (custom_unit.unwrap_or_else(none), custom_multiplier.unwrap_or_else(none));
        let checked = !as_logged;
        call = match column.remedy {
            Some(_) => {
                let field = field();
                quote_spanned!(span=> __binlog::doubted_custom(#field, #call, #unit, #multiplier, #checked))
            }
            None => quote_spanned!(span=> __binlog::custom::<#ty>(#call, #unit, #multiplier, #checked)),
        };
    }
    if let Some(meanings) = &column.attributes.meanings {
        let tokens = meanings_tokens(&meanings.value);
        call = quote_spanned!(meanings.span=> __binlog::meaning(#call, #tokens));
    }
    with_history(call, column, index)
}

/// Uses of deprecated items: the lints of a column's type, and the lint of the whole message.
fn lints(of_types: Vec<TokenStream>, of_message: &Option<Ident>) -> Option<TokenStream> {
    let mut lints = of_types;
    lints.extend(of_message.iter().map(|lint| quote_spanned!(lint.span()=> __binlog::lint::#lint)));
    (!lints.is_empty()).then(|| {
        quote! {
            const _: () = {
                #[allow(unused_imports)]
                use __binlog::lint::Sound as _;
                let _ = [#(#lints),*];
            };
        }
    })
}

fn option(value: Option<impl ToTokens>) -> TokenStream {
    match value {
        Some(value) => quote!(__binlog::Some(#value)),
        None => quote!(__binlog::None),
    }
}

fn unit_tokens(unit: &Unit) -> TokenStream {
    match unit {
        Unit::Standard(id) => {
            let id = byte(*id);
            quote!(__binlog::unit(#id))
        }
        Unit::Custom(path) => quote!(#path),
    }
}

fn multiplier_tokens(multiplier: &Multiplier) -> TokenStream {
    match multiplier {
        Multiplier::Standard(id) => {
            let id = byte(*id);
            quote!(__binlog::multiplier(#id))
        }
        Multiplier::Custom(path) => quote!(#path),
    }
}

/// `b'F'`. All ids in the tables are ASCII.
fn byte(id: char) -> syn::LitByte {
    syn::LitByte::new(id as u8, Span::call_site())
}

fn meanings_tokens(meanings: &Meanings) -> TokenStream {
    let (kind, rows) = match meanings {
        Meanings::Values(rows) => (quote!(Values), rows),
        Meanings::Bits(rows) => (quote!(Bits), rows),
    };
    let rows =
        rows.iter().map(|(value, name)| quote!(__binlog::Meaning { value: #value, name: #name, description: "" }));
    quote!(__binlog::Meanings::#kind(&[#(#rows),*]))
}

pub(crate) fn schema(schema: &Schema<'_>) -> TokenStream {
    let ident = &schema.original.ident;
    let count = schema.variants.len();
    let index: Vec<usize> = (0..count).collect();
    let ty: Vec<_> = schema.variants.iter().map(|variant| variant.ty).collect();
    let name: Vec<_> = schema.variants.iter().map(|variant| variant.ident).collect();
    let id = schema.variants.iter().map(|variant| option(variant.attributes.id.map(|id| id.0)));
    let critical = schema.variants.iter().map(|variant| option(variant.attributes.critical));
    let rate = schema.variants.iter().map(|variant| option(variant.attributes.rate));
    let definition = schema.variants.iter().map(|variant| {
        let ty = variant.ty;
        quote_spanned!(variant.ident.span()=> &<#ty as __binlog::LogMessage>::DEFINITION)
    });
    let plan = quote_spanned!(ident.span()=> __PLAN);
    // With the variant's span, so that an error about a missing message points at the variants.
    let logs = schema.variants.iter().zip(&index).map(|(variant, index)| {
        let span = variant.ident.span();
        let (ty, mut ident) = (variant.ty, ident.clone());
        ident.set_span(span);
        // An explicit `impl<>`, so that rustc doesn't propose to add parameters to it.
        let no_generics = quote!(<>);
        quote_spanned! {span=>
            #[automatically_derived]
            impl #no_generics __binlog::Logs<#ty> for #ident {
                const INDEX: __binlog::usize = #index;
                const ID: __binlog::u8 = #plan.id(#index);
                const CRITICAL: __binlog::bool = #plan.critical(#index);
                const RATE: __binlog::Option<__binlog::Rate> = #plan.rate(#index);
            }
        }
    });
    let faults = schema.variants.iter().zip(&index).map(
        |(variant, index)| quote_spanned!(variant.ident.span()=> __binlog::report_fault(&__VARIANTS, &__PLAN, #index);),
    );
    let sink = sink(schema.original, &schema.attributes, &ty);
    // `#[inline]`, so that the code for 200 messages is generated only in crates that decode or match them; most crates
    // only log.
    let body = in_scope(
        schema.attributes.krate.as_ref(),
        quote! {
            static __VARIANTS: [__binlog::Variant; #count] = [
                #(__binlog::Variant { definition: #definition, id: #id, critical: #critical, rate: #rate }),*
            ];
            const __PLAN: __binlog::Plan<#count> = __binlog::plan(&__VARIANTS);
            const _: () = { #(#faults)* };
            static __MESSAGES: [__binlog::SchemaMessage; #count] = __binlog::messages(&__VARIANTS, &#plan);
            static __PREAMBLE: [__binlog::u8; #plan.preamble_length()] = __binlog::preamble(&__VARIANTS, &#plan);
            #[automatically_derived]
            impl __binlog::Schema for #ident {
                type Format = __binlog::ArduPilot;
            }
            #[automatically_derived]
            #[allow(deprecated)]
            impl __binlog::LogSchema for #ident {
                const MESSAGES: &'static [__binlog::SchemaMessage] = &__MESSAGES;
                const PREAMBLE: &'static [__binlog::u8] = &__PREAMBLE;
                const PACKED: &'static [__binlog::u8] =
                    &__binlog::packed::<{ __binlog::packed_length(&__PREAMBLE) }>(&__PREAMBLE);
                type Counters = __binlog::CountersOf<#count, { #plan.rate_slots() }>;
                #[inline]
                fn decode(
                    __index: __binlog::usize,
                    __payload: &[__binlog::u8],
                ) -> __binlog::Result<Self, __binlog::DecodeError> {
                    match __index {
                        #(#index => __binlog::Ok(#ident::#name(<#ty as __binlog::LogMessage>::decode(__payload)?)),)*
                        _ => __binlog::Err(__binlog::DecodeError::Index { index: __index }),
                    }
                }
                #[inline]
                fn record(&self) -> (__binlog::u8, &[__binlog::u8]) {
                    match self {
                        #(#ident::#name(__message) => {
                            (<#ident as __binlog::Logs<#ty>>::ID, <#ty as __binlog::LogMessage>::wire(__message))
                        })*
                    }
                }
            }
            #(#logs)*
        },
    );
    quote!(#body #sink)
}

pub(crate) fn field_type(field: &FieldType<'_>) -> TokenStream {
    let ident = &field.original.ident;
    let Scale { unit, multiplier } = &field.attributes.scale;
    let given_unit = unit.as_ref().map(|unit| unit_tokens(&unit.value));
    let given_multiplier = multiplier.as_ref().map(|multiplier| multiplier_tokens(&multiplier.value));
    let given_meanings = field.attributes.meanings.as_ref().map(|meanings| meanings_tokens(&meanings.value));
    let inner = field.inner();
    let (errors, of_inner): (_, &dyn Fn(&str) -> TokenStream) = match field.remedy() {
        Some(remedy) => {
            let error = doubt(&inner, remedy);
            let errors = quote! {
                #error
                #[allow(unused_imports)]
                use __binlog::NoField as _;
            };
            (Some(errors), &|name| {
                let name = Ident::new(&name.to_ascii_lowercase(), Span::call_site());
                quote!(__binlog::OfType::<#inner>::FIELD.#name)
            })
        }
        None => (None, &|name| {
            let name = Ident::new(name, Span::call_site());
            quote!(<#inner as __binlog::Field>::#name)
        }),
    };
    let decode = match errors {
        Some(_) => quote!(__binlog::OfType::<#inner>::decode),
        None => quote!(<#inner as __binlog::Field>::decode),
    };
    let (meanings, is_closed, decoded) = match &field.kind {
        FieldKind::Enum { values, .. } => {
            let rows = values.iter().map(|(value, description)| {
                let name = value.unraw().to_string();
                quote! {
                    __binlog::Meaning {
                        value: #ident::#value as __binlog::i128,
                        name: #name,
                        description: #description,
                    }
                }
            });
            let meanings = quote!(__binlog::Meanings::Values(&[#(#rows),*]));
            let values = values.iter().map(|value| value.0);
            let decoded = quote! {
                let __stored = #decode(__bytes)?;
                #(if __stored == #ident::#values as #inner {
                    return __binlog::Some(#ident::#values);
                })*
                __binlog::None
            };
            (meanings, quote!(true), decoded)
        }
        FieldKind::Newtype { member, .. } => {
            let meanings = given_meanings.unwrap_or_else(|| of_inner("MEANINGS"));
            let decoded = quote! {
                match #decode(__bytes) {
                    __binlog::Some(__inner) => __binlog::Some(#ident { #member: __inner }),
                    __binlog::None => __binlog::None,
                }
            };
            (meanings, of_inner("IS_CLOSED"), decoded)
        }
    };
    let multiplier = match given_multiplier {
        Some(multiplier) => quote!(__binlog::Some(#multiplier)),
        None => of_inner("MULTIPLIER"),
    };
    let unit = given_unit.unwrap_or_else(|| of_inner("UNIT"));
    let format = of_inner("FORMAT");
    // For binlog's own types, which errors about other types don't list. In a program it may be that nothing is called
    // `diagnostic`: under `no_implicit_prelude`.
    let is_own = field.attributes.krate.as_ref().is_some_and(|path| path.is_ident("crate"));
    let unlisted = is_own.then(|| quote!(#[diagnostic::do_not_recommend]));
    let lints = lints(field.lints.iter().map(|lint| flat::of_type(&inner, lint)).collect(), &None);
    in_scope(
        field.attributes.krate.as_ref(),
        quote! {
            #errors
            #[automatically_derived]
            #unlisted
            #[allow(deprecated)]
            impl __binlog::Field for #ident {
                const FORMAT: __binlog::Format = #format;
                const UNIT: __binlog::Unit = #unit;
                const MULTIPLIER: __binlog::Option<__binlog::Multiplier> = #multiplier;
                const MEANINGS: __binlog::Meanings = #meanings;
                const IS_CLOSED: __binlog::bool = #is_closed;
                #[inline]
                fn decode(__bytes: &[__binlog::u8]) -> __binlog::Option<Self> {
                    #decoded
                }
            }
            #lints
        },
    )
}
