//! One message of a schema: what is known of it without its type.

use crate::format::Definition;
use crate::format::counts::Rate;

/// A message of a schema.
#[derive(Clone, Copy, Debug)]
pub struct SchemaMessage {
    /// The third byte of its records.
    pub id: u8,
    /// Name and columns.
    pub definition: &'static Definition,
    /// How a sink decimates it: [`Logs::RATE`](crate::Logs::RATE).
    pub rate: Option<Rate>,
}
