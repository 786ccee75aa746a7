//! An SD card whose task waits while the card is busy, and lets other tasks run.
//!
//! QEMU's card is never busy; here a timer says for how long it is. The transfer itself blocks, since this board has no
//! DMA for its SPI. With an SD host controller and DMA, only setting it up does: embassy-stm32's `StorageDevice` is a
//! `block_device_driver::BlockDevice`, for which binlog-embedded has `FromDriver`.

use binlog_embedded::card::{AsyncCard, Card, Slot, SpiCard};
use embassy_futures::yield_now;
use embassy_time::{Duration, Timer};
use lm3s6965::clock::Delay;
use lm3s6965::qemu_card::QemuCard;
use lm3s6965::ssi::Ssi0;

type Spi = SpiCard<QemuCard<Ssi0>, Delay>;

/// The card in the board's slot.
pub struct BusyCard {
    card: Spi,
    busy: Duration,
}

impl BusyCard {
    /// The card, busy for so long after each write. `None` when it was taken before.
    pub fn take(delay: Delay, busy: Duration) -> Option<Self> {
        Some(BusyCard { card: SpiCard::new(QemuCard::new(Ssi0::take()?), delay), busy })
    }
}

impl Slot for BusyCard {
    type Block = <Spi as Slot>::Block;
    type Error = <Spi as Slot>::Error;
    const ZERO: Self::Block = Spi::ZERO;

    fn forget(&mut self) {
        self.card.forget();
    }
}

impl AsyncCard for BusyCard {
    async fn read(&mut self, at: u32, blocks: &mut [Self::Block]) -> Result<(), Self::Error> {
        self.card.read(at, blocks)?;
        yield_now().await;
        Ok(())
    }

    async fn write(&mut self, at: u32, blocks: &[Self::Block]) -> Result<(), Self::Error> {
        self.card.write(at, blocks)?;
        Timer::after(self.busy).await;
        Ok(())
    }

    async fn block_count(&mut self) -> Result<u32, Self::Error> {
        self.card.block_count()
    }
}
