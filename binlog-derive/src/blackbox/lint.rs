//! The lint `not_portable`: what some decoders don't read.

use super::ast::{Element, Frame, Schema};
use super::attr::DeclaredKind;
use super::names::{ITERATION, TIME};
use super::tables::{Encoding, Predictor};
use crate::lint_names::NOT_PORTABLE;
use proc_macro2::{Ident, Span};

/// A predictor and an encoding.
type Coding = (Predictor, Encoding);

const ITERATION_INTRA: Coding = (Predictor::Zero, Encoding::UnsignedVb);
const ITERATION_INTER: Coding = (Predictor::Increment, Encoding::Null);
const TIME_INTER: Coding = (Predictor::StraightLine, Encoding::SignedVb);
const GPS_TIME: Coding = (Predictor::LastMainFrameTime, Encoding::UnsignedVb);

/// Finds where the crate blackbox-log doesn't read the frame, by `src/frame/main.rs`, `src/frame/gps.rs` and
/// `src/frame/gps_home.rs` of blackbox-log.
pub(super) fn of_frame(frame: &mut Frame<'_>) {
    if frame.allowed {
        return;
    }
    let is = |index: usize, name: &str, intra: Coding, inter: Option<Coding>| {
        frame.elements.get(index).is_some_and(|element| element.name == name && is_coded(element, intra, inter))
    };
    let reason = match frame.kind {
        Some(DeclaredKind::Main) => {
            let first = is(0, ITERATION, ITERATION_INTRA, Some(ITERATION_INTER));
            (!first || !is(1, TIME, ITERATION_INTRA, Some(TIME_INTER))).then_some("main_frame")
        }
        Some(DeclaredKind::Gps) => (!is(0, TIME, GPS_TIME, None)).then_some("gps_frame"),
        Some(DeclaredKind::Home) => {
            let named = |index: usize, name: &str| frame.elements.get(index).is_some_and(|each| each.name == name);
            (!named(0, "GPS_home[0]") || !named(1, "GPS_home[1]")).then_some("home_frame")
        }
        Some(DeclaredKind::Slow) | None => None,
    };
    let span = frame.original.ident.span();
    frame.lints.extend(reason.map(|reason| Ident::new(reason, span)));
}

fn is_coded(element: &Element, intra: Coding, inter: Option<Coding>) -> bool {
    let Some(codings) = &element.codings else { return false };
    let coded = |chosen: &super::coding::Chosen, (predictor, encoding)| {
        chosen.predictor == predictor && chosen.known_encoding(&element.ty).is_none_or(|known| known == encoding)
    };
    coded(&codings.intra, intra) && inter.is_none_or(|inter| coded(&codings.inter, inter))
}

/// Finds the header lines that `blackbox-log` and `fc-blackbox` don't read a log without.
pub(super) fn of_schema(schema: &mut Schema<'_>) {
    if schema.attributes.allowed {
        return;
    }
    if schema.header("looptime").is_none() {
        schema.lints.push(Ident::new("looptime", schema.original.ident.span()));
    }
    schema.needs_scale = schema.header("acc_1G").is_none();
    if let Some(revision) = schema.header("Firmware revision")
        && !is_known(&revision.value.value())
    {
        let span: Span = revision.value.span();
        schema.lints.push(Ident::new("firmware", span));
    }
}

/// Whether `blackbox-log` 0.4.3 reads logs of a firmware: `Betaflight 4.5.0 …`.
fn is_known(revision: &str) -> bool {
    let mut words = revision.split(' ');
    let (name, version) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let numbers: Vec<Option<u16>> = version.split('.').map(|number| number.parse().ok()).collect();
    let [Some(major), Some(minor), Some(_)] = numbers[..] else { return false };
    match name.to_ascii_lowercase().as_str() {
        "betaflight" => (major, minor) >= (4, 2) && (major, minor) <= (4, 5),
        "inav" => (5..=8).contains(&major),
        _ => false,
    }
}

/// The name of the lint.
pub(super) fn name(span: Span) -> Ident {
    Ident::new(NOT_PORTABLE, span)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether `check` finds nothing about the firmware of a log.
    fn is_sound(revision: &str) -> bool {
        let product = "H Product:Blackbox flight data recorder by Nicholas Sherlock";
        let log = format!("{product}\nH Firmware revision:{revision}\n");
        let report = binlog::blackbox::BlackboxLog::from_bytes(log.as_bytes()).check();
        !report.findings().iter().any(|finding| finding.subject() == "firmware")
    }

    #[test]
    fn firmware_that_blackbox_log_reads_is_known() {
        for revision in ["Betaflight 4.5.0 (0123456) STM32", "betaflight 4.2.11", "INAV 8.0.1 (x) Y", "INAV 5.0.0"] {
            assert!(is_known(revision) && is_sound(revision), "{revision}");
        }
        for revision in ["Betaflight 4.6.0", "Betaflight 2025.12.0", "INAV 9.0.0", "Rotorflight 4.3.0", "Hawk", ""] {
            assert!(!is_known(revision) && !is_sound(revision), "{revision}");
        }
    }
}
