//! Checks of a schema's frames against each other and its header, which the derive calls with the span of each variant.

use crate::blackbox::fields::check::longest;
use crate::blackbox::fields::refuse;
use crate::blackbox::preamble::Preamble;
use crate::blackbox::{Event, FieldDefinition, FrameBuffer, FrameKind, Predictor};
use crate::wording::const_text::ConstText;

/// A variant holds a frame of its kind with these fields, and the header has the lines that its predictors refer to.
#[track_caller]
pub const fn variant(preamble: &Preamble, kind: FrameKind, of_frame: FrameKind, fields: &[FieldDefinition]) {
    // Its derive has reported errors.
    if fields.is_empty() {
        return;
    }
    if of_frame.letter() != kind.letter() {
        let text = ConstText::new().str("the variant `").str(variant_of(kind)).str("` holds a frame with `#[blackbox(");
        let text = text.str(key_of(kind)).str(")]`, and this one is `").str(key_of(of_frame));
        refuse(text.str("`"));
    }
    let mut i = 0;
    while i < fields.len() {
        let field = &fields[i];
        referred(preamble, field, field.intra.predictor);
        if let Some(inter) = field.inter {
            referred(preamble, field, inter.predictor);
        }
        i += 1;
    }
}

/// What a predictor refers to is in the header or in another frame.
#[track_caller]
const fn referred(preamble: &Preamble, field: &FieldDefinition, predictor: Predictor) {
    let (line, example) = match predictor {
        Predictor::MinThrottle => ("minthrottle", "1070"),
        Predictor::MinMotor => ("motorOutput", "158,2047"),
        Predictor::VbatRef => ("vbatref", "1680"),
        Predictor::HomeCoordinate if preamble.home.is_empty() => {
            let text = ConstText::new().str("`").str(field.name).str(
                "` is predicted from the home position; add the \
                                                                      variant `Home` with a home frame",
            );
            refuse(text);
        }
        _ => return,
    };
    if !preamble.gives(line) {
        let text = ConstText::new().str("`").str(field.name).str("` is predicted from the header line `").str(line);
        let text = text.str("`; add `header(\"").str(line).str("\" = \"").str(example).str("\")` to the schema");
        refuse(text);
    }
}

/// A call of the encoder makes a main frame, and with the first one all others and an event.
#[track_caller]
pub const fn sizes(preamble: &Preamble) {
    let main = longest(preamble.main, preamble.main.len(), FrameKind::Intra);
    let slow = longest(preamble.slow, preamble.slow.len(), FrameKind::Slow);
    let gps = longest(preamble.gps, preamble.gps.len(), FrameKind::Gps);
    let home = longest(preamble.home, preamble.home.len(), FrameKind::Home);
    let all = main + slow + gps + home + Event::MAX_BYTES;
    if all > FrameBuffer::CAPACITY {
        let text = ConstText::new().str("the I, S, G and H frames of this schema take up to ").number(all as u64);
        let text = text.str(" bytes together; the encoder has room for ").number(FrameBuffer::CAPACITY as u64);
        refuse(text.str(", so take narrower types or fewer fields"));
    }
}

const fn variant_of(kind: FrameKind) -> &'static str {
    match kind {
        FrameKind::Slow => "Slow",
        FrameKind::Gps => "Gps",
        FrameKind::Home => "Home",
        _ => "Main",
    }
}

const fn key_of(kind: FrameKind) -> &'static str {
    match kind {
        FrameKind::Slow => "slow",
        FrameKind::Gps => "gps",
        FrameKind::Home => "home",
        _ => "main",
    }
}
