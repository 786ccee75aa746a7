//! The board: an LM3S6965 evaluation board (Cortex-M3) with an SD card, as QEMU's machine `lm3s6965evb` has it.
//!
//! For another board, replace [`ssi`] and the clock, keep [`stop_byte`] and [`counted`], and leave out what stands in for
//! real hardware: [`qemu_card`] and [`faults`]. Clock, semihosting and memory are in the crate `lm3s6965`, which the examples
//! share.
//!
//! The register addresses are those of TI's "Stellaris LM3S6965 Microcontroller Data Sheet".

pub mod counted;
pub mod faults;
mod operation;
pub mod qemu_card;
pub mod ssi;
pub mod stop_byte;

use embedded_sdmmc::SdCard;
use embedded_sdmmc::sdcard::spi::AcquireOpts;
use lm3s6965::clock::{Clock, Delay};

use counted::Counted;
use faults::FaultyCard;
use qemu_card::QemuCard;
use ssi::Ssi0;
use stop_byte::StopByte;

/// The card's bus, from the driver down to the wire.
///
/// The bytes are counted above the stand-ins for hardware, so the count is what a real board would transfer.
pub type CardBus = StopByte<Counted<FaultyCard<QemuCard<Ssi0>>>>;

/// The SD card, a block device. It's initialised on first use.
pub type Card = SdCard<CardBus, Delay>;

/// What the firmware finds on the board, its clock running.
pub struct Board {
    /// The card in its slot, or an empty slot.
    pub card: Card,
}

impl Board {
    /// Starts the clock, with an interrupt `tick_hz` times a second, and the card's bus.
    ///
    /// `None` when it was taken before.
    pub fn take(tick_hz: u32) -> Option<Self> {
        let core = cortex_m::Peripherals::take()?;
        let clock = Clock::start(core.SYST, tick_hz);
        let bus = StopByte::new(Counted::new(FaultyCard::new(QemuCard::new(Ssi0::take()?))));
        // Each attempt waits 110 ms for an answer, so the default of 50 stops the firmware for 5.6 s if there is no
        // card. The slow part of the initialisation comes later and has retries of its own.
        let options = AcquireOpts { use_crc: true, acquire_retries: 2 };
        Some(Self { card: SdCard::new_with_options(bus, clock.delay(), options) })
    }
}
