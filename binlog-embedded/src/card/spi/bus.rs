//! The bus between embedded-sdmmc's driver and an SD card. It lets the card program its blocks undisturbed.
//!
//! Written for embedded-sdmmc 0.10, each of whose transfers is a transaction of one operation. "SD" is the SD Physical
//! Layer Simplified Specification 9.00.

use embedded_hal::spi::{ErrorType, Operation, SpiDevice};

/// The token that ends a multi-block write ("Stop Tran").
const STOP: u8 = 0xFD;
/// CMD0, GO_IDLE_STATE, with its argument and checksum.
const GO_IDLE_STATE: [u8; 6] = [0x40, 0, 0, 0, 0, 0x95];
/// What a busy card answers.
const BUSY: u8 = 0x00;
/// What a silent card answers, and what is sent to listen.
const SILENT: u8 = 0xFF;

/// An SPI device that corrects the driver's end of a multi-block write, and holds a reset back until the card is ready.
pub(super) struct Bus<D> {
    device: D,
    state: State,
}

/// What the card is known to do.
#[derive(Clone, Copy, PartialEq)]
enum State {
    /// Presumably waits for commands.
    Ready,
    /// Programs the blocks of a multi-block write.
    Programming,
    /// Programs, while the driver believes to have sent a reset.
    ResetHeldBack,
}

impl<D: SpiDevice> Bus<D> {
    /// The card on `device`.
    pub(super) fn new(device: D) -> Self {
        Bus { device, state: State::Ready }
    }

    pub(super) fn device(&mut self) -> &mut D {
        &mut self.device
    }

    /// Whether a multi-block write has ended and the card was busy ever since.
    pub(super) fn is_programming(&self) -> bool {
        self.state == State::Programming
    }

    /// One byte from the card.
    fn listen(&mut self) -> Result<u8, D::Error> {
        let mut answer = [SILENT];
        self.device.transfer_in_place(&mut answer)?;
        Ok(answer[0])
    }

    /// Sends a reset if the card isn't busy: it would end the programming, which "may destroy the data formats on the
    /// card" (SD, 7.2.4).
    fn reset_when_ready(&mut self) -> Result<(), D::Error> {
        self.state = State::ResetHeldBack;
        if self.listen()? != BUSY {
            self.device.write(&GO_IDLE_STATE)?;
            self.state = State::Ready;
        }
        Ok(())
    }
}

impl<D: SpiDevice> ErrorType for Bus<D> {
    type Error = D::Error;
}

impl<D: SpiDevice> SpiDevice for Bus<D> {
    fn transaction(&mut self, operations: &mut [Operation<'_, u8>]) -> Result<(), D::Error> {
        match (operations, self.state) {
            ([Operation::Write(bytes)], _) if **bytes == GO_IDLE_STATE => self.reset_when_ready(),
            // The driver listens for the response to its reset; silence makes it listen again after a delay.
            ([Operation::Transfer(answer, _)], State::ResetHeldBack) => {
                answer.fill(SILENT);
                self.reset_when_ready()
            }
            ([Operation::Transfer(_, [STOP])], _) => {
                self.device.write(&[STOP])?;
                // A card has one byte's time before it must signal that it is busy (SD, 7.5.2: N_BR). The driver would
                // take this byte for "ready".
                self.listen()?;
                self.state = State::Programming;
                Ok(())
            }
            (operations, state) => {
                self.device.transaction(operations)?;
                if let (State::Programming, [Operation::Transfer([SILENT], _)]) = (state, operations) {
                    self.state = State::Ready;
                }
                Ok(())
            }
        }
    }
}
