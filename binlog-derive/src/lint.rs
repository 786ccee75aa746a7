//! Lints: suspicious input that is valid. The attributes determine which lints may apply to a column; whether they
//! apply depends on its type, which `binlog::lint` checks.

use crate::ast::{Column, FieldType, Message};
use crate::attr::{FieldTypeAttributes, Multiplier, Scale, Unit};
use crate::flatten::Shape;
use crate::group::Group;
use crate::lint_names::*;
use crate::repr::INTEGERS;
use proc_macro2::{Ident, Span, TokenStream, TokenTree};

/// The columns from which PlotJuggler takes the time, and the message's name.
const GPS: (&str, [&str; 2]) = ("GPS", ["GWk", "GMS"]);

/// Ids that mean 1 or nothing.
const NO_SCALE: [char; 3] = ['-', '?', '0'];
/// 1e-3 and 1e-6, which UAV Log Viewer shows as prefixes of the unit.
const SHOWN_WITH_PREFIX: [char; 2] = ['C', 'F'];
/// Degrees of latitude and of longitude.
const COORDINATES: [char; 2] = ['D', 'U'];

/// The lints that may apply to a column; its type decides.
pub(crate) fn of_scale(scale: &Scale) -> Vec<&'static str> {
    let unit = scale.unit.as_ref().map(|unit| &unit.value);
    let is_coordinate = matches!(unit, Some(Unit::Standard(id)) if COORDINATES.contains(id));
    let has_unit = !matches!(unit, None | Some(Unit::Standard('-')));
    let multiplier = match scale.multiplier.as_ref().map(|multiplier| &multiplier.value) {
        Some(Multiplier::Standard(id)) => Some(*id),
        Some(Multiplier::Custom(path)) => Some(id_of_constant(path)),
        None => None,
    };
    let mut lints = Vec::new();
    if is_coordinate {
        lints.push(F32_COORDINATE);
    }
    let Some(id) = multiplier.filter(|id| !NO_SCALE.contains(id)) else { return lints };
    lints.push(FLOAT_MULTIPLIER);
    if is_coordinate && id == 'G' {
        lints.push(INTEGER_COORDINATE);
    } else if !has_unit {
        lints.push(MULTIPLIER_WITHOUT_UNIT);
    } else if !SHOWN_WITH_PREFIX.contains(&id) {
        lints.push(MISLEADING_MULTIPLIER);
    }
    lints
}

/// The id of `Multiplier::MICRO` and of the other constants that a lint tells apart; a space for any other.
fn id_of_constant(path: &syn::Path) -> char {
    let mut segments = path.segments.iter().rev();
    let constant = segments.next().map(|segment| segment.ident.to_string()).unwrap_or_default();
    if segments.next().is_none_or(|segment| segment.ident != "Multiplier") {
        return ' ';
    }
    match constant.as_str() {
        "NONE" => '-',
        "ONE" => '0',
        "MICRO" => 'F',
        "COORDINATE" => 'G',
        _ => ' ',
    }
}

/// Finds the lints for each column of a message, and the one about the message itself, with its span.
pub(crate) fn of_message(message: &mut Message<'_>) {
    let allowed = &message.attributes.allowed;
    if let Some(name) = &message.attributes.name
        && name.value() == GPS.0
        && !allowed.contains(&GPS_WITHOUT_WEEK)
        && !GPS.1.iter().all(|label| message.columns.iter().any(|column| column.label == *label))
    {
        message.lint = Some(Ident::new(GPS_WITHOUT_WEEK, name.span()));
    }
    if message.attributes.as_logged {
        return;
    }
    of_fields(&mut message.columns, &message.attributes.allowed);
}

/// Finds the lints for a type that derives `Field`.
pub(crate) fn of_field_type(field: &mut FieldType<'_>) {
    let FieldTypeAttributes { scale, allowed, .. } = &field.attributes;
    field.lints = not_allowed(scale, &field.inner(), &[allowed], field.original.ident.span());
}

/// Finds the lints for each field of a struct that derives `Columns`.
pub(crate) fn of_group(group: &mut Group<'_>) {
    of_fields(&mut group.columns, &group.attributes.allowed);
}

fn of_fields(fields: &mut [Column], allowed: &Vec<&'static str>) {
    for column in fields {
        let allowed = [allowed, &column.attributes.allowed];
        let ty = match &column.shape {
            Shape::Array { element, .. } => element,
            Shape::Column | Shape::Struct => &column.ty,
        };
        column.lints = not_allowed(&column.attributes.scale, ty, &allowed, column.span());
    }
}

/// The function of `binlog::__private::flatten` that says whether a flattened struct has columns that a lint is about.
pub(crate) fn types_of(lint: &Ident) -> &'static str {
    match lint.to_string().as_str() {
        FLOAT_MULTIPLIER => "has_float",
        F32_COORDINATE => "has_f32",
        _ => "has_integer",
    }
}

/// Whether a type is a half-precision float by name. The lint isn't worth resolving every alias.
fn is_half(ty: &TokenStream) -> bool {
    matches!(ty.clone().into_iter().last(), Some(TokenTree::Ident(name)) if name == "f16")
}

/// The lints for a type, a unit and a multiplier, without the allowed ones.
fn not_allowed(scale: &Scale, ty: &TokenStream, allowed: &[&Vec<&'static str>], span: Span) -> Vec<Ident> {
    let half = is_half(ty).then_some(HALF_PRECISION);
    let mut lints: Vec<_> = half.into_iter().chain(of_scale(scale)).collect();
    lints.retain(|lint| !allowed.iter().any(|allowed| allowed.contains(lint)));
    // No float lint for a type that is an integer by name, which saves rustc most of the work.
    if !lints.is_empty() && INTEGERS.contains(&ty.to_string().as_str()) {
        lints.retain(|lint| ![FLOAT_MULTIPLIER, F32_COORDINATE].contains(lint));
    }
    lints.into_iter().map(|lint| Ident::new(lint, span)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attr::Located;
    use crate::tables::{MULTIPLIERS, UNITS};
    use quote::quote;

    /// The source that `binlog` writes for a message with the time and a column of this format, unit and multiplier.
    fn source(format: char, unit: char, multiplier: char) -> String {
        let size = binlog::Format::from_character(format as u8).expect("one of the format's").size();
        let mut log = vec![0xA3, 0x95, 128, 1, 11 + size as u8];
        for (text, slot) in [("ATT", 4), (&format!("Q{format}")[..], 16), ("TimeUS,X", 64)] {
            log.extend(text.bytes().chain(std::iter::repeat(0)).take(slot));
        }
        // FMT of FMTU, followed by FMTU of the message.
        log.extend([0xA3, 0x95, 128, 131, 44]);
        for (text, slot) in [("FMTU", 4), ("QBNN", 16), ("TimeUS,FmtType,UnitIds,MultIds", 64)] {
            log.extend(text.bytes().chain(std::iter::repeat(0)).take(slot));
        }
        log.extend([0xA3, 0x95, 131, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
        for text in [format!("s{unit}"), format!("F{multiplier}")] {
            log.extend(text.bytes().chain(std::iter::repeat(0)).take(16));
        }
        let rust = binlog::LoggedSchema::from_bytes(&log).to_rust();
        assert_eq!(rust.left_out, []);
        rust.source
    }

    /// Whether a lint applies to a format, as in `binlog::lint`.
    fn is_about(lint: &str, format: char) -> bool {
        match lint {
            FLOAT_MULTIPLIER => "gfd".contains(format),
            F32_COORDINATE => format == 'f',
            _ => "bBhHiIqQ".contains(format),
        }
    }

    #[test]
    fn a_half_precision_float_is_a_lint_by_its_name() {
        let lints = |ty: TokenStream, allowed: &Vec<_>| {
            let scale = Scale { unit: None, multiplier: None };
            not_allowed(&scale, &ty, &[allowed], Span::call_site())
        };
        assert_eq!(lints(quote!(half::f16), &vec![]), [HALF_PRECISION]);
        assert_eq!(lints(quote!(f16), &vec![]), [HALF_PRECISION]);
        assert_eq!(lints(quote!(half::f16), &vec![HALF_PRECISION]), [""; 0]);
        assert_eq!(lints(quote!(f32), &vec![]), [""; 0]);
    }

    #[test]
    fn binlog_allows_the_lints_of_each_column_that_it_writes() {
        for (unit, _) in UNITS {
            for (multiplier, _) in MULTIPLIERS {
                for format in "bBMhHiIqQcCeELgfdnNZa".chars() {
                    let span = Span::call_site();
                    let scale = Scale {
                        unit: Some(Located { value: Unit::Standard(unit), span }),
                        multiplier: Some(Located { value: Multiplier::Standard(multiplier), span }),
                    };
                    let source = source(format, unit, multiplier);
                    if unit == '#' || source.contains("as_logged") {
                        continue;
                    }
                    let half = (format == 'g').then_some(HALF_PRECISION);
                    let of_scale = of_scale(&scale).into_iter().filter(|lint| is_about(lint, format));
                    let lints = half.into_iter().chain(of_scale);
                    let lints = lints.collect::<Vec<_>>().join(", ");
                    let allowed = source.split_once("allow(").and_then(|(_, rest)| Some(rest.split_once(')')?.0));
                    assert_eq!(allowed.unwrap_or_default(), lints, "{format} {unit} {multiplier}\n{source}");
                }
            }
        }
    }
}
