//! How each field is written: what its attributes say, or else what Betaflight does with a field of its name, or else
//! what is right for its type.

use super::ast::{Codings, Field, Frame};
use super::attr::{DeclaredKind, Given};
use super::groups;
use super::tables::{Encoding, Predictor};
use crate::repr::INTEGERS;
use proc_macro2::{Span, TokenStream};

/// A predictor and an encoding.
pub(super) struct Chosen {
    pub(super) predictor: Predictor,
    /// `None` is a plain number, signed or not as the type.
    pub(super) encoding: Option<Encoding>,
    /// Where the predictor or the encoding is given, each with its span.
    pub(super) given_predictor: Option<Span>,
    pub(super) given_encoding: Option<Span>,
}

use Encoding::{Neg14Bit, Null, SignedVb, Tag2_3S32, Tag8_4S16, Tag8_8Svb, UnsignedVb};
use Predictor::{
    Average2, Fixed1500, HomeCoordinate, Increment, LastMainFrameTime, MinMotor, Motor0, Previous, StraightLine,
    VbatRef, Zero,
};

type Coding = (Predictor, Option<Encoding>);

/// A number as its type is.
const PLAIN: Coding = (Zero, None);
/// A state that changes little from frame to frame.
const STATE: Coding = (Previous, Some(SignedVb));
/// A state that most frames repeat.
const RARE: Coding = (Previous, Some(Tag8_8Svb));
/// A measurement with noise.
const NOISY: Coding = (Average2, Some(SignedVb));

/// Main frames' fields that Betaflight writes in another way than plain states: in I frames, and in P frames.
const MAIN: [(&[&str], Coding, Coding); 9] = [
    (&["loopIteration"], (Zero, Some(UnsignedVb)), (Increment, Some(Null))),
    (&["time"], (Zero, Some(UnsignedVb)), (StraightLine, Some(SignedVb))),
    (&["axisI"], PLAIN, (Previous, Some(Tag2_3S32))),
    (&["rcCommand", "setpoint"], PLAIN, (Previous, Some(Tag8_4S16))),
    (&["vbatLatest"], (VbatRef, Some(Neg14Bit)), RARE),
    (&["amperageLatest", "magADC", "baroAlt", "BaroAlt", "rssi", "surfaceRaw"], PLAIN, RARE),
    (&["gyroADC", "gyroUnfilt", "accSmooth", "debug"], PLAIN, NOISY),
    (&["motor"], (MinMotor, Some(UnsignedVb)), NOISY),
    (&["servo"], (Fixed1500, Some(SignedVb)), STATE),
];

/// The motors after the first, in I frames.
const LATER_MOTORS: Coding = (Motor0, Some(SignedVb));

/// Fields of other frames that Betaflight writes in another way than plain numbers.
const OTHERS: [(DeclaredKind, &[&str], Coding); 3] = [
    (DeclaredKind::Slow, &["failsafePhase", "rxSignalReceived", "rxFlightChannelsValid"], (Zero, Some(Tag2_3S32))),
    (DeclaredKind::Gps, &["time"], (LastMainFrameTime, Some(UnsignedVb))),
    (DeclaredKind::Gps, &["GPS_coord"], (HomeCoordinate, Some(SignedVb))),
];

/// What the attributes of a field say; [`choose`] fills in the rest.
pub(super) fn of(field: &Field) -> Codings {
    let attributes = &field.attributes;
    let intra = if attributes.coding.span.is_some() { &attributes.coding } else { &attributes.intra };
    Codings { intra: Chosen::given(intra), inter: Chosen::given(&attributes.inter) }
}

impl Chosen {
    fn given(given: &Given) -> Self {
        Chosen {
            predictor: given.predictor.as_ref().map_or(Zero, |predictor| predictor.value),
            encoding: given.encoding.as_ref().map(|encoding| encoding.value),
            given_predictor: given.predictor.as_ref().map(|predictor| predictor.span),
            given_encoding: given.encoding.as_ref().map(|encoding| encoding.span),
        }
    }

    /// Takes the default where nothing is given. A predictor that is given goes with a signed number, because its
    /// residuals may be negative, and `inc` with no bytes; an encoding that is given keeps the default's predictor.
    fn or(&mut self, (predictor, encoding): Coding) {
        if self.given_encoding.is_none() {
            self.encoding = match self.given_predictor {
                None => encoding,
                Some(_) if self.predictor == Zero => None,
                // Decoders count, and read no bytes.
                Some(_) if self.predictor == Increment => Some(Null),
                Some(_) => Some(SignedVb),
            };
        }
        if self.given_predictor.is_none() {
            self.predictor = predictor;
        }
    }

    /// The encoding if the macro knows it: `None` for a plain number whose type is an alias.
    pub(super) fn known_encoding(&self, ty: &TokenStream) -> Option<Encoding> {
        let by_type = || match ty.to_string() {
            name if !INTEGERS.contains(&name.as_str()) => None,
            name if name.starts_with('i') => Some(SignedVb),
            _ => Some(UnsignedVb),
        };
        self.encoding.or_else(by_type)
    }
}

/// Fills in what the attributes leave out.
pub(super) fn choose(frame: &mut Frame<'_>) {
    let kind = frame.kind;
    for element in &mut frame.elements {
        let Some(codings) = &mut element.codings else { continue };
        let (base, index) = element.name.split_once('[').unwrap_or((&element.name, ""));
        let (intra, inter) = match kind {
            Some(DeclaredKind::Main) | None => {
                let known = MAIN.iter().find(|known| known.0.contains(&base));
                let (intra, inter) = known.map_or((PLAIN, STATE), |known| (known.1, known.2));
                let is_later_motor = base == "motor" && !matches!(index, "" | "0]");
                (if is_later_motor { LATER_MOTORS } else { intra }, inter)
            }
            Some(kind) => {
                let known = OTHERS.iter().find(|known| known.0 == kind && known.1.contains(&base));
                (known.map_or(PLAIN, |known| known.2), STATE)
            }
        };
        codings.intra.or(intra);
        codings.inter.or(inter);
    }
    groups::dissolve_partial(&mut frame.elements);
}
