//! Checks that need only the tokens. `binlog::blackbox::fields` checks what depends on types and on flattened structs.

use super::ast::{Element, Frame, Schema, Shape};
use super::attr::DeclaredKind;
use super::groups::{self, Of};
use super::history;
use super::names::{self, ITERATION, TIME};
use super::tables::{Encoding, Predictor};
use crate::errors::Errors;
use crate::repr::Hint;
use proc_macro2::Span;
use std::str::FromStr;

/// The most bytes of a header line that decoders read.
const MAX_LINE: usize = 1020;

pub(super) fn frame(frame: &Frame<'_>, errors: &mut Errors) {
    struct_repr(frame, errors);
    names(frame, errors);
    history::check(frame, errors);
    types(frame, errors);
    places(frame, errors);
    for of in [Of::Intra, Of::Inter] {
        if of == Of::Intra || frame.has_inter() {
            predictors(frame, of, errors);
            arity(frame, of, errors);
        }
    }
    match frame.kind {
        Some(DeclaredKind::Main) => main(frame, errors),
        Some(DeclaredKind::Home) => home(frame, errors),
        _ => {}
    }
}

/// The fields have an order and no padding.
fn struct_repr(frame: &Frame<'_>, errors: &mut Errors) {
    for Hint { name, span, argument } in &frame.repr {
        match (name.as_str(), argument.as_deref()) {
            ("C", None) | ("packed", None | Some("1")) => {}
            ("packed" | "align", _) => errors.at(*span, "this may leave padding in the frame; write `#[repr(C)]`"),
            _ => errors.at(*span, format!("`{name}` is not the layout of a frame; write `#[repr(C)]`")),
        }
    }
    if frame.repr.iter().all(|hint| hint.name == "packed") {
        let ident = &frame.original.ident;
        let text = format!("`{ident}` needs `#[repr(C)]`: without it Rust may reorder the fields");
        errors.at(ident.span(), text);
    }
}

fn names(frame: &Frame<'_>, errors: &mut Errors) {
    let mut seen: Vec<&String> = Vec::new();
    for field in &frame.fields {
        if matches!(field.shape, Shape::Struct) && field.name.is_empty() {
            continue;
        }
        if let Some(text) = names::fault(&field.name) {
            errors.at(field.name_span, text);
        } else if let (Shape::Array { .. }, Some(base)) = (&field.shape, names::before_index(&field.name)) {
            let text = format!("the name of an array has no index; `name = \"{base}\"` gives `{base}[0]`, `{base}[1]`");
            errors.at(field.name_span, text);
        } else if matches!(field.shape, Shape::Struct) {
            // A prefix. `binlog::blackbox::fields` compares the names that begin with it.
            continue;
        } else if seen.contains(&&field.name) {
            errors.at(field.name_span, format!("the name `{}` is given twice", field.name));
        }
        seen.push(&field.name);
    }
}

/// Types that have the name of a primitive.
fn types(frame: &Frame<'_>, errors: &mut Errors) {
    for field in &frame.fields {
        let ty = match &field.shape {
            Shape::Array { element, .. } => element,
            Shape::One => &field.ty,
            Shape::Struct => continue,
        };
        let remedy = match ty.to_string().as_str() {
            "f32" | "f64" => "Blackbox has whole numbers only; scale it, as `i16` or `i32` (`(roll * 10.0) as i16`)",
            "bool" => "Blackbox has whole numbers only; store a `bool` as `u8`",
            "char" => "Blackbox has whole numbers only; store a character as `u32`",
            "u64" | "i64" | "u128" | "i128" => "a field has at most 32 bits; a time is the low 32 bits of the µs",
            "usize" | "isize" => "a field has the same width on each target: `u32` or `i32`",
            _ => continue,
        };
        errors.at(syn::spanned::Spanned::span(ty), remedy);
    }
}

/// Attributes in frames of the wrong kind.
fn places(frame: &Frame<'_>, errors: &mut Errors) {
    for field in &frame.fields {
        let attributes = &field.attributes;
        let spans = [attributes.coding.span, attributes.intra.span, attributes.inter.span];
        if matches!(field.shape, Shape::Struct) {
            if let Some(span) = spans.into_iter().flatten().next() {
                errors.at(span, "predictors and encodings of a flattened struct are given at its own fields");
            }
            continue;
        }
        let [coding, intra, inter] = spans;
        match frame.kind {
            Some(DeclaredKind::Main) | None => {
                if let Some(span) = coding {
                    let text = "a main frame is written in two ways; say which: `i(predictor = …, encoding = …)` for I \
                                frames, `p(…)` for P frames";
                    errors.at(span, text);
                }
            }
            Some(kind) => {
                for span in [intra, inter].into_iter().flatten() {
                    let text = format!(
                        "a {} frame is written in one way: `#[blackbox(predictor = …, encoding = …)]`",
                        kind.key()
                    );
                    errors.at(span, text);
                }
            }
        }
    }
}

/// Each predictor has what it refers to.
fn predictors(frame: &Frame<'_>, of: Of, errors: &mut Errors) {
    let mut reported = Vec::new();
    for (index, element) in frame.elements.iter().enumerate() {
        let Some(codings) = &element.codings else { continue };
        let chosen = of.chosen(codings);
        let span = chosen.given_predictor.unwrap_or(element.span);
        // One error for an array.
        if reported.contains(&element.field) {
            continue;
        }
        let before = errors_of_predictor(frame, of, chosen.predictor, index);
        let null = (of == Of::Intra && chosen.encoding == Some(Encoding::Null))
            .then_some("`null` writes nothing, so a frame that refers to none before it would lack the value");
        let counted = (chosen.predictor == Predictor::Increment && chosen.encoding != Some(Encoding::Null)).then_some(
            "decoders count the iterations of `inc`, and read no bytes of it; leave the encoding out, or take \
                 `previous`",
        );
        if let Some(text) = before {
            errors.at(span, text);
            reported.push(element.field);
        } else if let Some(text) = counted {
            errors.at(chosen.given_encoding.unwrap_or(span), text);
            reported.push(element.field);
        } else if let Some(text) = null {
            errors.at(chosen.given_encoding.unwrap_or(element.span), text);
            reported.push(element.field);
        }
    }
}

fn errors_of_predictor(frame: &Frame<'_>, of: Of, predictor: Predictor, index: usize) -> Option<String> {
    let name = predictor.name();
    match predictor {
        _ if of == Of::Intra && predictor.needs_history() => Some(match frame.kind {
            Some(DeclaredKind::Main) | None => {
                format!("`{name}` refers to the main frame before, and an I frame stands alone")
            }
            Some(kind) => format!("`{name}` refers to a frame before, and each {} frame stands alone", kind.key()),
        }),
        Predictor::Motor0 => {
            let place =
                frame.elements.iter().position(|element| element.codings.is_some() && element.name == "motor[0]");
            match place {
                _ if !matches!(frame.kind, Some(DeclaredKind::Main) | None) => {
                    Some("`motor_0` refers to `motor[0]` of the same frame, a main frame".into())
                }
                Some(place) if place < index => None,
                Some(_) => Some("`motor_0` refers to `motor[0]`, which has to come before this field".into()),
                None => Some("`motor_0` refers to the frame's `motor[0]`, and there is none before this field".into()),
            }
        }
        Predictor::HomeCoordinate if frame.kind != Some(DeclaredKind::Gps) => {
            Some("`home_coord` refers to the home frame, as the coordinates of GPS frames do".into())
        }
        Predictor::LastMainFrameTime if matches!(frame.kind, Some(DeclaredKind::Main) | None) => {
            Some("`last_main_frame_time` is for the other frames; a main frame's time is `straight_line`".into())
        }
        _ => None,
    }
}

/// Groups are whole.
fn arity(frame: &Frame<'_>, of: Of, errors: &mut Errors) {
    for run in groups::runs(&frame.elements, of) {
        let Some(first) = run[0].codings.as_ref() else { continue };
        let Some((encoding, size)) = of.chosen(first).encoding.and_then(|encoding| Some((encoding, encoding.group()?)))
        else {
            continue;
        };
        let excess = run.len() % size;
        if excess > 0 {
            let at = &run[run.len() - excess];
            let span = at.codings.as_ref().and_then(|codings| of.chosen(codings).given_encoding).unwrap_or(at.span);
            let numbers = ["", "one is", "two are", "three are"];
            let text = format!(
                "`{}` takes {} neighbouring fields, and from here on {} left",
                encoding.name(),
                if size == 3 { "three" } else { "four" },
                numbers[excess],
            );
            errors.at(span, text);
        }
    }
}

fn main(frame: &Frame<'_>, errors: &mut Errors) {
    let ident = &frame.original.ident;
    for (name, field) in [(ITERATION, "loop_iteration"), (TIME, "time")] {
        match frame.element(name) {
            Some(element) => u32_by_name(element, errors),
            None => match frame.fields.iter().find(|each| name == TIME && each.ident == "time_us") {
                Some(named) => errors.at(
                    named.ident.span(),
                    "a main frame has `time: u32`; rename `time_us`, or add `#[blackbox(name = \"time\")]`",
                ),
                None => errors.at(ident.span(), format!("a main frame has `{name}`: `{field}: u32`")),
            },
        }
    }
}

fn u32_by_name(element: &Element, errors: &mut Errors) {
    let ty = element.ty.to_string();
    if crate::repr::INTEGERS.contains(&ty.as_str()) && ty != "u32" && !ty.ends_with("64") {
        errors.at(syn::spanned::Spanned::span(&element.ty), format!("`{}` is a `u32`", element.name));
    }
}

fn home(frame: &Frame<'_>, errors: &mut Errors) {
    let coordinates = frame.elements.iter().filter(|element| element.codings.is_some()).count();
    if coordinates < 2 {
        let text = "a home frame has latitude and longitude: `gps_home: [i32; 2]`, 1e-7 degrees";
        errors.at(frame.original.ident.span(), text);
        return;
    }
    for element in frame.elements.iter().take(2) {
        let ty = element.ty.to_string();
        if crate::repr::INTEGERS.contains(&ty.as_str()) && ty != "i32" {
            let text = "the first two fields of a home frame are latitude and longitude, `i32` in 1e-7 degrees";
            errors.at(syn::spanned::Spanned::span(&element.ty), text);
            break;
        }
    }
}

/// The beginning of the first line of a session, which readers look for anywhere in the file.
const SESSION: &str = "H Product:Blackbox flight data recorder";

/// Lines that the derive writes.
const OF_THE_DERIVE: [(&str, &str); 5] = [
    ("I interval", "`i_interval = …`"),
    ("P interval", "`p_rate = \"…\"`"),
    ("P ratio", "`p_rate = \"…\"`"),
    ("Product", "nothing: it is always the same"),
    ("Data version", "nothing: it is always 2"),
];

pub(super) fn schema(schema: &Schema<'_>, errors: &mut Errors) {
    let ident = &schema.original.ident;
    let mut seen: Vec<DeclaredKind> = Vec::new();
    for variant in &schema.variants {
        if seen.contains(&variant.kind) {
            errors.at(variant.ident.span(), format!("`{}` is given twice", variant.ident));
        }
        seen.push(variant.kind);
    }
    // A variant with an error of its own may be the one that is missing.
    let whole = match &schema.original.data {
        syn::Data::Enum(data) => data.variants.len() == schema.variants.len(),
        _ => false,
    };
    if whole && !seen.contains(&DeclaredKind::Main) {
        errors.at(ident.span(), "a schema has a main frame: `Main(MainFrame)`");
    }
    if let Some(rate) = &schema.attributes.p_rate {
        let interval = schema.attributes.i_interval.as_ref().map_or(DEFAULT_I_INTERVAL, |interval| interval.value);
        if let Some(text) = rate_fault(rate.value, interval) {
            errors.at(rate.span, text);
        }
    }
    headers(schema, errors);
}

/// As in Betaflight's configurations of 1 kHz and in the description.
pub(super) const DEFAULT_I_INTERVAL: u16 = 32;

fn rate_fault((numerator, denominator): (u16, u16), interval: u16) -> Option<String> {
    let divisor = gcd(numerator, denominator);
    if numerator > denominator {
        Some("a P rate of more than `1/1` has more frames than iterations".into())
    } else if divisor > 1 {
        let reduced = format!("{}/{}", numerator / divisor, denominator / divisor);
        Some(format!("the format wants the P rate reduced: `\"{reduced}\"`"))
    } else if denominator > interval {
        Some(format!(
            "a P rate below `1/{interval}`, one over the I interval, leaves out I frames; `\"1/{interval}\"` logs \
                      I frames only"
        ))
    } else {
        None
    }
}

fn gcd(a: u16, b: u16) -> u16 {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn headers(schema: &Schema<'_>, errors: &mut Errors) {
    let mut seen: Vec<String> = Vec::new();
    for header in &schema.attributes.headers {
        let (name, value) = (header.name.value(), header.value.value());
        if let Some((span, text)) = header_fault(&name, header.name.span(), &value, header.value.span()) {
            errors.at(span, text);
        } else if seen.contains(&name) {
            errors.at(header.name.span(), format!("the header line `{name}` is given twice"));
        }
        seen.push(name);
    }
}

fn header_fault(name: &str, name_span: Span, value: &str, value_span: Span) -> Option<(Span, String)> {
    let printable = |c: &char| (' '..='~').contains(c);
    if let Some((_, instead)) = OF_THE_DERIVE.iter().find(|line| line.0 == name) {
        return Some((name_span, format!("the derive writes the header line `{name}`; give {instead}")));
    }
    if name.starts_with("Field ") {
        return Some((name_span, "the derive writes the lines of the fields, from the frames".into()));
    }
    if name.is_empty() {
        return Some((name_span, "a header line has a name".into()));
    }
    if name.starts_with(' ') || name.ends_with(' ') {
        return Some((
            name_span,
            "the name begins or ends with a space, which some readers remove; leave it out".into(),
        ));
    }
    if let Some(wrong) = name.chars().find(|c| !printable(c) || *c == ':') {
        return Some((
            name_span,
            format!("the name contains {wrong:?}; it is printable ASCII and ends at the first `:`"),
        ));
    }
    if let Some(wrong) = value.chars().find(|c| !printable(c)) {
        return Some((value_span, format!("the value contains {wrong:?}; a header line is printable ASCII")));
    }
    if format!("{name}:{value}").contains(SESSION) {
        let text = format!("the header line contains `{SESSION}`, with which readers begin a session; leave it out");
        return Some((value_span, text));
    }
    let length = "H :".len() + name.len() + value.len();
    if length > MAX_LINE {
        return Some((value_span, format!("the header line has {length} bytes; decoders read at most {MAX_LINE}")));
    }
    value_fault(name, value).map(|text| (value_span, text))
}

/// What is wrong with the value of a line that predictors refer to, or that readers compute units from. Readers show
/// raw values, or none, if they can't read the number.
fn value_fault(name: &str, value: &str) -> Option<String> {
    // `parse` and `from_str_radix` take a sign, too.
    fn whole<N: FromStr>(text: &str) -> Option<N> {
        text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
    }
    let is_valid = match name {
        "minthrottle" | "vbatref" => whole::<u16>(value).is_some(),
        "motorOutput" => value
            .split_once(',')
            .and_then(|(low, high)| whole::<u16>(low).zip(whole::<u16>(high)))
            .is_some_and(|(low, high)| low < high),
        "looptime" | "acc_1G" | "motor_poles" => whole::<u32>(value).is_some_and(|number| number > 0),
        "maxthrottle" => whole::<u16>(value).is_some(),
        "gyro_scale" => value
            .strip_prefix("0x")
            .filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
            .and_then(|digits| u32::from_str_radix(digits, 16).ok())
            .is_some_and(|bits| f32::from_bits(bits).is_finite() && f32::from_bits(bits) > 0.0),
        _ => true,
    };
    let wanted = match name {
        _ if is_valid => return None,
        "motorOutput" => "the range of the motors, of which a predictor takes the lower end: `\"48,2047\"`",
        "looptime" => "the time from one iteration to the next, a whole number of µs: `\"125\"`",
        "acc_1G" => "what the accelerometers give at 1 g, a whole number: `\"2048\"`",
        "motor_poles" => "a whole number: `\"14\"`",
        "gyro_scale" => {
            "the bits of an `f32` in hexadecimal, degrees per second for 1 in `gyroADC`: `\"0x3f800000\"` is 1.0"
        }
        "maxthrottle" => "a number of 0 to 65535",
        _ => "a number of 0 to 65535, which predictors refer to",
    };
    Some(format!("`{name}` is {wanted}"))
}
