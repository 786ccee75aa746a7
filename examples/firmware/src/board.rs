//! The board: an LM3S6965 evaluation board (Cortex-M3) with an SD card, as QEMU's machine `lm3s6965evb` has it.
//!
//! For another board, its HAL gives the `SpiDevice` and the `DelayNs` that a [`SpiCard`] needs, and the clock. Here
//! they are in the crate `lm3s6965`, which the examples share. [`counted`] counts the bytes on the bus, and [`faults`]
//! makes QEMU's card fail.

pub mod counted;
pub mod faults;

use binlog_embedded::card::SpiCard;
use lm3s6965::clock::{Clock, Delay};
use lm3s6965::qemu_card::QemuCard;
use lm3s6965::ssi::Ssi0;

use counted::Counted;
use faults::FaultyCard;

/// The card's bus, from the driver down to the wire.
///
/// The bytes are counted above the stand-ins for hardware, so the count is what a real board would transfer.
pub type CardBus = Counted<FaultyCard<QemuCard<Ssi0>>>;

/// The SD card. It's initialised on first use.
pub type Card = SpiCard<CardBus, Delay>;

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
        let bus = Counted::new(FaultyCard::new(QemuCard::new(Ssi0::take()?)));
        Some(Self { card: SpiCard::new(bus, clock.delay()) })
    }
}
