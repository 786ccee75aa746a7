//! Bytes to numbers: the counterpart of the encodings and predictors.
//!
//! A frame is read in two passes. The first reads all residuals, the differences between values and predictions, in
//! loops over fields of one encoding. The second adds the predictions, in loops over fields of one predictor. Neither
//! looks at a field on its own, and only the first depends on the bytes.
//!
//! The steps are those of a plan that is made from the header, or, where the header is that of the program's own
//! frames, of code that the derive made.

mod derived;
mod elias;
mod field_predictor;
mod field_reader;
mod plan;
mod predict;
mod read;
mod tagged;
mod window;

pub(super) use derived::{Derived, FrameDecoder};
pub use field_predictor::FieldPredictor;
pub use field_reader::FieldReader;
pub use plan::Unusable;
pub(super) use plan::{FramePlan, PlannedField};
pub(super) use predict::{Context, Given};
pub(super) use read::How;
pub(super) use window::{NO_VALUES, Values, WINDOW_BYTES};
