//! What a logger needs to know of a format of files, and that of ArduPilot's.

mod ardupilot;
#[cfg(feature = "derive")]
mod reports;

pub use crate::format::ring_format::*;
#[cfg(feature = "derive")]
pub use reports::{ReportsRing, ReportsStatistics, Texts};
