//! Logs through released drivers of chips on SPI: those that the guide names.

use crate::asynchronous::block_on;
use crate::fixture::{account, flight, logs, ring};
use binlog_embedded::FlashLog;
use binlog_embedded::flash_log::{Options, Plain};
use binlog_tests::nor_chip::NorChip;
use embedded_hal::digital::{self, OutputPin};
use embedded_hal::spi::{self, Operation, SpiDevice};
use embedded_storage::nor_flash::{NorFlash, ReadNorFlash};
use std::cell::Cell;
use std::convert::Infallible;
use std::rc::Rc;
use w25::W25;
use w25q32jv::W25q32jv;

type Chip = NorChip<1, 4096>;

/// Bytes of a W25Q32.
const BYTES: usize = 4 << 20;

/// A chip at its bus: the commands that its data sheet has for writing, erasing and reading. Each transaction is one.
#[derive(Clone)]
struct Bus {
    chip: Chip,
    /// Set by the command Write Enable, and cleared by the next write or erase.
    is_enabled: Rc<Cell<bool>>,
    /// Reads of the status for which the chip is busy.
    busy: Rc<Cell<u8>>,
}

impl Bus {
    fn new(chip: Chip) -> Self {
        Bus { chip, is_enabled: Rc::default(), busy: Rc::default() }
    }

    fn answer(&mut self, sent: &[u8], bytes: &mut [u8]) {
        match sent[0] {
            0x05 => {
                let busy = self.busy.get();
                self.busy.set(busy.saturating_sub(1));
                bytes.fill(u8::from(self.is_enabled.get()) << 1 | u8::from(busy > 0));
            }
            0x03 => {
                // The model reads whole units of `READ_SIZE`.
                let (unit, from) = (Chip::READ_SIZE, address(sent) as usize);
                let begin = from / unit * unit;
                let mut read = vec![0; (from + bytes.len()).next_multiple_of(unit) - begin];
                self.chip.read(begin as u32, &mut read).expect("the chip has power");
                bytes.copy_from_slice(&read[from - begin..][..bytes.len()]);
            }
            command => panic!("command {command:#x} has no answer"),
        }
    }

    fn obey(&mut self, sent: &[u8]) {
        match sent[0] {
            0x06 => return self.is_enabled.set(true),
            0x02 | 0x20 if !self.is_enabled.get() || self.busy.get() > 0 => panic!("the chip ignores {:#x}", sent[0]),
            0x02 => self.chip.write(address(sent), &sent[4..]).expect("the chip has power"),
            0x20 => self.chip.erase(address(sent), address(sent) + 4096).expect("the chip has power"),
            _ => return,
        }
        self.is_enabled.set(false);
        self.busy.set(2);
    }
}

fn address(sent: &[u8]) -> u32 {
    u32::from_be_bytes([0, sent[1], sent[2], sent[3]])
}

impl spi::ErrorType for Bus {
    type Error = Infallible;
}

impl SpiDevice for Bus {
    fn transaction(&mut self, operations: &mut [Operation<'_, u8>]) -> Result<(), Infallible> {
        let mut sent = Vec::new();
        for operation in operations {
            match operation {
                Operation::Write(bytes) => sent.extend_from_slice(bytes),
                Operation::Read(bytes) => self.answer(&sent, bytes),
                Operation::TransferInPlace(bytes) => {
                    sent.push(bytes[0]);
                    self.answer(&sent, &mut bytes[1..]);
                }
                operation => panic!("no driver uses {operation:?}"),
            }
        }
        self.obey(&sent);
        Ok(())
    }
}

impl embedded_hal_async::spi::SpiDevice for Bus {
    async fn transaction(&mut self, operations: &mut [Operation<'_, u8>]) -> Result<(), Infallible> {
        SpiDevice::transaction(self, operations)
    }
}

struct Pin;

impl digital::ErrorType for Pin {
    type Error = Infallible;
}

impl OutputPin for Pin {
    fn set_low(&mut self) -> Result<(), Infallible> {
        panic!("HOLD and WP are low while they are active");
    }

    fn set_high(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}

/// Logs a flight, calls `run` every few records and `finish` at the end. Returns the logs on the chip.
macro_rules! fly {
    ($chip:ident, $flash:ident, $drain:ident, $run:expr, $finish:expr) => {{
        let ring = ring();
        let mut $drain = ring.drain().expect("the only drain");
        let mut attempts = [0; flight::KINDS];
        for number in 0..2000 {
            let kind = number * 5 % 7 % flight::KINDS;
            flight::log(ring, kind, number as u64);
            attempts[kind] += 1;
            if number % 4 == 0 {
                $run.expect("the chip works");
            }
        }
        ring.stop();
        $finish.expect("the chip works");
        account(ring, &$chip, attempts);
        logs(&$chip)
    }};
}

#[test]
fn each_driver_of_the_guide_leaves_the_chips_own_logs() {
    let chip = Chip::blank(BYTES);
    let mut flash = FlashLog::new(chip.clone(), Options::DEFAULT);
    let expected = fly!(chip, flash, drain, flash.run(&mut drain), flash.finish(&mut drain));
    assert_eq!(expected.len(), 1);

    let chip = Chip::blank(BYTES);
    let driver = W25q32jv::new(Bus::new(chip.clone()), Pin, Pin).expect("the pins work");
    let mut flash = FlashLog::new(Plain::<_>(driver), Options::DEFAULT);
    assert_eq!(fly!(chip, flash, drain, flash.run(&mut drain), flash.finish(&mut drain)), expected);

    let chip = Chip::blank(BYTES);
    let driver = W25q32jv::new(Bus::new(chip.clone()), Pin, Pin).expect("the pins work");
    let mut flash = FlashLog::new(Plain::<_>(driver), Options::DEFAULT);
    let logs =
        fly!(chip, flash, drain, block_on(flash.run_async(&mut drain)), block_on(flash.finish_async(&mut drain)));
    assert_eq!(logs, expected);

    let chip = Chip::blank(BYTES);
    let driver = block_on(W25::<w25::Q, _, _, _>::new_no_pins(Bus::new(chip.clone()), BYTES as u32));
    let mut flash = FlashLog::new(Plain::<_>(driver.expect("the bus works")), Options::DEFAULT);
    let logs =
        fly!(chip, flash, drain, block_on(flash.run_async(&mut drain)), block_on(flash.finish_async(&mut drain)));
    assert_eq!(logs, expected);
}
