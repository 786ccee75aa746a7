//! Bytes to numbers: the counterpart of the encodings and predictors.
//!
//! A frame is read in two passes. The first reads all residuals, the differences between values and predictions, in
//! loops over fields of one encoding. The second adds the predictions, in loops over fields of one predictor. Neither
//! looks at a field on its own, and only the first depends on the bytes.

mod elias;
mod plan;
mod predict;
mod read;
mod tagged;
mod window;

pub use plan::Unusable;
pub(super) use plan::{FramePlan, PlannedField};
pub(super) use predict::{Context, Given};
pub(super) use read::How;
pub(super) use window::{NO_VALUES, Values, WINDOW};

/// The most fields that a frame may have. The decoders in use have room for as many.
pub const MAX_FIELDS: usize = 128;

/// The most bytes of a frame, its letter included. The decoders in use reject longer ones.
pub const MAX_FRAME_BYTES: usize = 256;
