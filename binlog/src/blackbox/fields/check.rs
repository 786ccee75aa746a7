//! Checks of a frame's fields as a whole, which the derive calls with the span of each field of the struct, so that the
//! error stands at the first one that is too much.

use super::join::{FieldPart, place};
use super::refuse;
use crate::blackbox::limits::{MAX_FIELDS, MAX_FRAME_BYTES, MAX_LINE_BYTES};
use crate::blackbox::{Coding, Encoding, FieldDefinition, FrameKind, Predictor};
use crate::wording::const_text::{ConstText, same};

/// A part of a frame: its fields against those before it.
#[track_caller]
pub const fn part(parts: &[FieldPart], fields: &[FieldDefinition], index: usize, kind: FrameKind) {
    let (start, end) = (place(parts, index), place(parts, index + 1));
    limits(fields, start, end, kind);
    streams(fields, start, kind);
    home(fields, start, end, kind);
    if let FieldPart::Field(field) = &parts[index] {
        // Those of a flattened struct are checked at its own fields.
        types(field);
    }
    if let FieldPart::Group(..) = parts[index] {
        motors(fields, start, end, kind);
        touching(fields, start, kind);
        touching(fields, end, kind);
    } else if index > 0
        && let FieldPart::Group(..) = parts[index - 1]
    {
        touching(fields, start, kind);
    }
}

/// The fields from `start` to `end`, by themselves and against those before them.
#[track_caller]
pub const fn fields_until(fields: &[FieldDefinition], start: usize, end: usize, kind: FrameKind) {
    let mut i = start;
    while i < end {
        types(&fields[i]);
        streams(fields, i, kind);
        i += 1;
    }
    home(fields, start, end, kind);
    limits(fields, start, end, kind);
}

/// The encodings of a field hold its type. They are checked here, and not where the definition is made, because an
/// error in the constant of the definitions would be followed by notes about each use of it.
#[track_caller]
const fn types(field: &FieldDefinition) {
    of_type(field, field.intra, true);
    if let Some(inter) = field.inter {
        of_type(field, inter, false);
    }
}

/// Whether a coding can hold the values of a field's type. In a frame that refers to none before it, every value has to
/// fit; a P frame is written as an I frame where one doesn't.
#[track_caller]
const fn of_type(field: &FieldDefinition, coding: Coding, intra: bool) {
    let is_long = field.bits == 32;
    let why = match (coding.encoding, coding.predictor) {
        (Encoding::Tag8_4S16, _) if is_long => {
            "TAG8_4S16 holds differences of 16 bits, and this field has 32; take \
                                                `tag2_3s32`, `tag8_8svb` or `signed_vb`"
        }
        (Encoding::Tag8_4S16, Predictor::Zero) if intra && field.bits == 16 && !field.signed => {
            "TAG8_4S16 holds signed numbers of 16 bits, and an I frame has to hold each value of a `u16`; take \
             `unsigned_vb`"
        }
        (Encoding::Tag8_4S16, predictor) if intra && field.bits == 16 && !matches!(predictor, Predictor::Zero) => {
            "TAG8_4S16 holds differences of 16 bits, and an I frame has to hold each difference of two 16-bit numbers; \
             take `signed_vb`"
        }
        (Encoding::Neg14Bit, _) if is_long => {
            "NEG_14BIT holds differences of 14 bits, and this field has 32; take \
                                               `signed_vb`"
        }
        (Encoding::Neg14Bit, Predictor::Zero) if field.bits == 16 => {
            "NEG_14BIT holds what is up to 8191 below a reference, and this is the value itself; predict it from \
             `vbatref`"
        }
        (_, Predictor::HomeCoordinate) if !is_long || !field.signed => {
            "a coordinate is an `i32` in 1e-7 degrees, as that of the home frame"
        }
        (_, Predictor::LastMainFrameTime) if !is_long || field.signed => {
            "a time is a `u32` in µs, as that of the main frame"
        }
        _ => return,
    };
    refuse(ConstText::new().str("`").str(field.name).str("`: ").str(why));
}

/// The fields from `start` to `end` against those before them.
#[track_caller]
const fn limits(fields: &[FieldDefinition], start: usize, end: usize, kind: FrameKind) {
    if start < MAX_FIELDS && end > MAX_FIELDS {
        let text = ConstText::new().str("with this a frame has ").number(end as u64);
        refuse(text.str(" fields; decoders read at most ").number(MAX_FIELDS as u64));
    }
    unique(fields, start, end);
    let (before, line) = (name_line(fields, start), name_line(fields, end));
    if before <= MAX_LINE_BYTES && line > MAX_LINE_BYTES {
        let text = ConstText::new().str("up to here the header line with the names has ").number(line as u64);
        let text = text.str(" bytes; decoders read at most ").number(MAX_LINE_BYTES as u64);
        refuse(text.str("; shorten names with `#[blackbox(name = \"…\")]`"));
    }
    frame_length(fields, start, end, kind);
    if let FrameKind::Intra = kind {
        frame_length(fields, start, end, FrameKind::Inter);
    }
}

/// A frame of fields with the largest residuals isn't too long.
#[track_caller]
const fn frame_length(fields: &[FieldDefinition], start: usize, end: usize, kind: FrameKind) {
    let (before, length) = (longest(fields, start, kind), longest(fields, end, kind));
    if before <= MAX_FRAME_BYTES && length > MAX_FRAME_BYTES {
        let text = ConstText::new().str("up to here ").str(if matches!(kind.letter(), b'I' | b'S' | b'H') {
            "an "
        } else {
            "a "
        });
        let text = text.char(kind.letter()).str(" frame takes up to ").number(length as u64);
        let text = text.str(" bytes; decoders read at most ").number(MAX_FRAME_BYTES as u64);
        refuse(text.str("; take narrower types, or log less in it"));
    }
}

#[track_caller]
const fn unique(fields: &[FieldDefinition], start: usize, end: usize) {
    let mut i = start;
    while i < end {
        let mut j = 0;
        while j < i {
            if same(fields[j].name, fields[i].name) {
                let text = ConstText::new().str("the name `").str(fields[i].name);
                refuse(text.str("` is given twice; give a flattened field another `prefix`"));
            }
            j += 1;
        }
        i += 1;
    }
}

/// An alias in a frame with flattened structs: no field has that name, and no other one that alias. In a frame without
/// them, the macro checks this.
#[track_caller]
pub const fn alias(fields: &[FieldDefinition], alias: &str) {
    let (mut times, mut i) = (0, 0);
    while i < fields.len() {
        if same(fields[i].name, alias) {
            let text = ConstText::new().str("the alias `").str(alias);
            refuse(text.str("` is a name of the frame, so it can't be an older name of another field"));
        }
        let aliases = fields[i].history.aliases;
        let mut j = 0;
        while j < aliases.len() {
            times += same(aliases[j], alias) as usize;
            j += 1;
        }
        i += 1;
    }
    if times > 1 {
        refuse(ConstText::new().str("the alias `").str(alias).str("` is given twice"));
    }
}

/// Fields before and after the border of a flattened struct that decoders would take for one group.
#[track_caller]
const fn touching(fields: &[FieldDefinition], border: usize, kind: FrameKind) {
    if border == 0 || border >= fields.len() {
        return;
    }
    touching_as(fields, border, kind);
    if let FrameKind::Intra = kind {
        touching_as(fields, border, FrameKind::Inter);
    }
}

#[track_caller]
const fn touching_as(fields: &[FieldDefinition], border: usize, kind: FrameKind) {
    let (before, after) = (&fields[border - 1], &fields[border]);
    let groups = match (before.coding(kind).encoding, after.coding(kind).encoding) {
        (Encoding::Tag8_8Svb, Encoding::Tag8_8Svb) => "TAG8_8SVB",
        (Encoding::EliasDeltaU32 | Encoding::EliasDeltaS32, Encoding::EliasDeltaU32 | Encoding::EliasDeltaS32) => {
            "Elias delta"
        }
        _ => return,
    };
    let text = ConstText::new().str("`").str(before.name).str("` and `").str(after.name).str("` are both ").str(groups);
    let text = text.str(
        ", and decoders read neighbours of that encoding as one group, which can't extend into a \
                         flattened struct; put another field between them, or take another encoding",
    );
    refuse(text);
}

/// A field of Elias delta after others of it, with only fields without bytes between them: decoders read on in one
/// stream. The derive would begin another one.
#[track_caller]
const fn streams(fields: &[FieldDefinition], at: usize, kind: FrameKind) {
    // Only P frames have fields without bytes.
    let FrameKind::Intra = kind else { return };
    if at == 0 || at >= fields.len() || !is_elias(&fields[at]) {
        return;
    }
    let mut before = at - 1;
    while before > 0 && is_without_bytes(&fields[before]) {
        before -= 1;
    }
    if before + 1 < at && is_elias(&fields[before]) {
        let text = ConstText::new().str("`").str(fields[before].name).str("` and `").str(fields[at].name);
        let text = text.str("` are both Elias delta, and decoders read them as one stream, because `");
        refuse(text.str(fields[at - 1].name).str("` between them has no bytes; put it before or after both"));
    }
}

const fn is_elias(field: &FieldDefinition) -> bool {
    matches!(field.coding(FrameKind::Inter).encoding, Encoding::EliasDeltaU32 | Encoding::EliasDeltaS32)
}

const fn is_without_bytes(field: &FieldDefinition) -> bool {
    matches!(field.coding(FrameKind::Inter).encoding, Encoding::Null)
}

/// Decoders know the coordinates of home by their names, and the derive by their place.
#[track_caller]
const fn home(fields: &[FieldDefinition], start: usize, end: usize, kind: FrameKind) {
    let FrameKind::Home = kind else { return };
    let mut i = start;
    while i < end {
        if (same(fields[i].name, "GPS_home[0]") && i != 0) || (same(fields[i].name, "GPS_home[1]") && i != 1) {
            let text = ConstText::new().str("`").str(fields[i].name).str("` is field ").number(i as u64 + 1);
            refuse(text.str("; latitude and longitude are the first two fields of a home frame"));
        }
        i += 1;
    }
}

/// Motors of a flattened struct are predicted from its `motor[0]`, and decoders look for that name in the frame.
#[track_caller]
const fn motors(fields: &[FieldDefinition], start: usize, end: usize, kind: FrameKind) {
    let mut i = start;
    let mut has_motor_0 = false;
    while i < end {
        let is_of_motor_0 = matches!(fields[i].intra.predictor, Predictor::Motor0)
            || matches!(fields[i].inter, Some(Coding { predictor: Predictor::Motor0, .. }));
        if is_of_motor_0 && !(has_motor_0 && matches!(kind, FrameKind::Intra)) {
            let text =
                ConstText::new().str("`").str(fields[i].name).str("` is predicted from the main frame's `motor[0]`");
            refuse(text.str(
                ", which this flattened struct doesn't have; leave its `prefix` out, or predict its motors otherwise",
            ));
        }
        has_motor_0 = has_motor_0 || same(fields[i].name, "motor[0]");
        i += 1;
    }
}

/// The length of `H Field I name:` and the names of the first `count` fields, with commas.
const fn name_line(fields: &[FieldDefinition], count: usize) -> usize {
    let (mut length, mut i) = ("H Field I name:".len(), 0);
    while i < count {
        length += fields[i].name.len() + (i > 0) as usize;
        i += 1;
    }
    length
}

/// The bytes of the longest frame of a kind with the first `count` fields, the letter included.
pub(crate) const fn longest(fields: &[FieldDefinition], count: usize, kind: FrameKind) -> usize {
    let (mut length, mut i) = (1, 0);
    while i < count {
        let encoding = fields[i].coding(kind).encoding;
        let run = run(fields, i, count, kind);
        let group = match encoding {
            Encoding::Tag8_8Svb if run > 1 => {
                let size = if run > 8 { 8 } else { run };
                length += 1;
                size
            }
            Encoding::Tag2_3S32 | Encoding::Tag8_4S16 => {
                length += 1;
                let whole = if let Encoding::Tag2_3S32 = encoding { 3 } else { 4 };
                if run < whole { run } else { whole }
            }
            _ => 1,
        };
        let end = i + group;
        while i < end {
            length += longest_field(&fields[i], kind);
            i += 1;
        }
    }
    length
}

/// The number of fields from `start` on that have one encoding.
const fn run(fields: &[FieldDefinition], start: usize, end: usize, kind: FrameKind) -> usize {
    let first = fields[start].coding(kind).encoding.number();
    let mut i = start;
    while i < end && fields[i].coding(kind).encoding.number() == first {
        i += 1;
    }
    i - start
}

/// The most bytes of a field, without the first byte of its group.
const fn longest_field(field: &FieldDefinition, kind: FrameKind) -> usize {
    let coding = field.coding(kind);
    let bits = residual_bits(field, coding.predictor);
    match coding.encoding {
        Encoding::SignedVb | Encoding::Tag8_8Svb => bits.div_ceil(7) as usize,
        // A residual that may be negative is a large unsigned number.
        Encoding::UnsignedVb => match coding.predictor {
            Predictor::Zero if !field.signed => (field.bits as u32).div_ceil(7) as usize,
            _ => 5,
        },
        Encoding::Neg14Bit => 2,
        // Up to 43 bits.
        Encoding::EliasDeltaU32 | Encoding::EliasDeltaS32 => 6,
        Encoding::Tag2_3S32 => bits.div_ceil(8) as usize,
        Encoding::Tag8_4S16 => 2,
        Encoding::Null => 0,
    }
}

/// The bits that a residual needs as a signed number.
const fn residual_bits(field: &FieldDefinition, predictor: Predictor) -> u32 {
    let bits = match predictor {
        Predictor::Zero => field.bits as u32 + !field.signed as u32,
        Predictor::Previous | Predictor::Average2 => field.bits as u32 + 1,
        Predictor::StraightLine => field.bits as u32 + 2,
        // The other number has up to 16 bits.
        _ if field.bits < 16 => 17,
        _ => field.bits as u32 + 2,
    };
    if bits > 32 { 32 } else { bits }
}
