//! What an SPI operation sends and receives, for wrappers that look at either.

use embedded_hal::spi::Operation;

/// The bytes that the caller chose to send. A `Read` sends bytes too, but the bus chooses them.
pub fn sent<'a>(operation: &'a Operation<'_, u8>) -> &'a [u8] {
    match operation {
        Operation::Write(bytes) | Operation::Transfer(_, bytes) => bytes,
        Operation::TransferInPlace(bytes) => bytes,
        Operation::Read(_) | Operation::DelayNs(_) => &[],
    }
}

/// The bytes that the caller receives.
pub fn received<'a>(operation: &'a mut Operation<'_, u8>) -> &'a mut [u8] {
    match operation {
        Operation::Read(bytes) | Operation::Transfer(bytes, _) | Operation::TransferInPlace(bytes) => bytes,
        Operation::Write(_) | Operation::DelayNs(_) => &mut [],
    }
}

/// The length on the bus, in bytes.
pub fn length(operation: &Operation<'_, u8>) -> usize {
    match operation {
        Operation::Read(bytes) | Operation::TransferInPlace(bytes) => bytes.len(),
        Operation::Write(bytes) => bytes.len(),
        Operation::Transfer(to, from) => to.len().max(from.len()),
        Operation::DelayNs(_) => 0,
    }
}
