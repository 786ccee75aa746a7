//! How the frames of one letter are decoded, worked out once from the header.

use super::predict::{Context, Given, Prediction, predictions};
use super::read::{Reads, reads};
use super::window::{Values, WINDOW_BYTES, Window};
use crate::blackbox::definition::{Encoding, Predictor};
use crate::blackbox::limits::{MAX_FIELDS, MAX_FRAME_BYTES};
use std::fmt;

/// Frames with more fields for a byte are not decoded: bounds the memory for the values of a log by its length.
const MAX_FIELDS_PER_BYTE: usize = 16;

/// The steps that decode a frame.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct FramePlan {
    reads: Vec<Reads>,
    predictions: Vec<Prediction>,
    given: Given,
}

/// A field as the plan needs it: numbers of the header.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlannedField {
    pub(crate) signed: bool,
    pub(crate) predictor: u32,
    pub(crate) encoding: u32,
}

/// Why frames can't be decoded by their header lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Unusable {
    /// The encoding of a field has no meaning, or two.
    Encoding {
        /// The index of the field.
        field: usize,
        /// The number in the header.
        number: u32,
    },
    /// The predictor of a field has no meaning.
    Predictor {
        /// The index of the field.
        field: usize,
        /// The number in the header.
        number: u32,
    },
    /// There are more fields than decoders have room for.
    TooManyFields {
        /// How many.
        count: usize,
    },
    /// The frames may be so short for their fields that a small log would fill the memory. Encodings store at most 8
    /// fields in a byte; only fields without bytes can be more.
    TooFewBytes {
        /// How many fields.
        fields: usize,
        /// The bytes of the shortest frame, its letter included.
        bytes: usize,
    },
    /// The lines of the names, predictors and encodings have different numbers of entries, or one is missing.
    Counts {
        /// The number of names.
        names: usize,
        /// The number of predictors.
        predictors: usize,
        /// The number of encodings.
        encodings: usize,
    },
}

impl FramePlan {
    pub(crate) fn new(data_version: u32, given: &Given, fields: &[PlannedField]) -> Result<Self, Unusable> {
        if fields.len() > MAX_FIELDS {
            return Err(Unusable::TooManyFields { count: fields.len() });
        }
        let coding = |(field, planned): (usize, &PlannedField)| {
            let named = u8::try_from(planned.encoding).ok().and_then(Encoding::from_number);
            let encoding = named.ok_or(Unusable::Encoding { field, number: planned.encoding })?;
            let named = u8::try_from(planned.predictor).ok().and_then(Predictor::from_number);
            let predictor = named.ok_or(Unusable::Predictor { field, number: planned.predictor })?;
            Ok((predictor, encoding))
        };
        let codings = fields.iter().enumerate().map(coding).collect::<Result<Vec<_>, _>>()?;
        let signs = codings.iter().zip(fields).map(|((predictor, _), field)| (*predictor, field.signed));
        let reads = reads(data_version, &codings);
        let bytes = 1 + reads.iter().map(Reads::least_bytes).sum::<usize>();
        if fields.len() > bytes * MAX_FIELDS_PER_BYTE {
            return Err(Unusable::TooFewBytes { fields: fields.len(), bytes });
        }
        Ok(FramePlan { reads, predictions: predictions(given, signs), given: *given })
    }

    /// Reads the residuals of a frame from the bytes after its letter. Returns the number of bytes read; `None` if they
    /// are not a frame.
    #[inline]
    pub(crate) fn read(&self, bytes: &[u8; WINDOW_BYTES], residuals: &mut Values) -> Option<usize> {
        let mut window = Window::new(bytes);
        for reads in &self.reads {
            if !reads.read(&mut window, residuals) {
                return None;
            }
        }
        (window.at < MAX_FRAME_BYTES).then_some(window.at)
    }

    /// Turns residuals into values. `before` is the main frame before, `older` the one before that.
    #[inline]
    pub(crate) fn predict(&self, values: &mut Values, before: &Values, older: &Values, context: &Context) {
        for prediction in &self.predictions {
            prediction.add(values, before, older, context);
        }
    }

    /// The predictions that the header gives.
    pub(in crate::blackbox) fn given(&self) -> &Given {
        &self.given
    }

    /// How the residuals are stored, in the order of the fields.
    pub(in crate::blackbox) fn stored(&self) -> &[Reads] {
        &self.reads
    }

    /// Whether values depend on the home coordinates.
    pub(crate) fn needs_home(&self) -> bool {
        self.predictions.iter().any(Prediction::needs_home)
    }

    /// Whether values depend on frames of the same kind before.
    pub(crate) fn needs_history(&self) -> bool {
        self.predictions.iter().any(Prediction::needs_history)
    }
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unusable::Encoding { field, number: 10 } => write!(
                f,
                "field {field} has encoding 10, which is TAG2_3SVARIABLE to Betaflight and Elias gamma to the C tools; \
                 log it with encoding 7 (TAG2_3S32) instead"
            ),
            Unusable::Encoding { field, number } => {
                write!(f, "field {field} has encoding {number}, which is not defined; check the header line for damage")
            }
            Unusable::Predictor { field, number } => {
                write!(
                    f,
                    "field {field} has predictor {number}, which is not defined; check the header line for damage"
                )
            }
            Unusable::TooManyFields { count } => {
                write!(f, "the frame has {count} fields; decoders have room for {MAX_FIELDS}")
            }
            Unusable::TooFewBytes { fields, bytes } => write!(
                f,
                "a frame with {fields} fields may have {bytes} bytes only; decoders expect a byte for every \
                 {MAX_FIELDS_PER_BYTE} fields at least"
            ),
            Unusable::Counts { names, predictors, encodings } => write!(
                f,
                "the header names {names} fields with {predictors} predictors and {encodings} encodings; a header line is \
                 missing or damaged"
            ),
        }
    }
}

impl std::error::Error for Unusable {}
