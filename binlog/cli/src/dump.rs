//! Records as text and as JSON, as fast as they can be formatted.
//!
//! The text is that of pymavlink's `mavlogdump.py`, to the byte: local time, Python's form of floats, `qnan` for NaNs
//! other than the usual one, signed modes. The JSON has the shape of `mavlogdump.py --format json`; numbers that JSON
//! doesn't have are null, and a text that takes several records is one object. Tests compare both with pymavlink
//! 2.4.50.
//!
//! Where pymavlink is wrong, or doesn't read a log, the output differs: in damaged stretches, which pymavlink takes for
//! records; if a type is redefined, which pymavlink applies to records before it; and if a record is longer than its
//! columns, which pymavlink skips.

mod calendar;
mod clock;
mod frames;
mod frames_json;
mod json;
mod plan;
mod records;
mod text;

pub use frames::{DumpedFrames, frames};
pub use frames_json::{EVENTS, frames_json};
pub use records::{Dumped, Form, NamedBoot, records};
