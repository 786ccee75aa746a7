//! The same flights on the same chip by the flash log, by sequential-storage and by littlefs: a W25Q128 that is full of
//! earlier logs, synced each 4 KiB.

mod littlefs;
mod sequential;

use binlog_embedded::FlashLog;
use binlog_embedded::flash_log::{Options, Preamble};
use binlog_tests::nor_chip::{NorChip, Operation, now};
use embedded_io::Write;
use littlefs::Littlefs;
use sequential::Sequential;
use std::ops::ControlFlow;

/// A chip of which any bytes can be read and written, and `UNIT` bytes erased at once.
type Chip<const UNIT: u32> = NorChip<1, UNIT, 1>;

/// Bytes of the chip, of each log, and after how many it is synced.
const CHIP: usize = 16 << 20;
const LOG: usize = 3 << 20;
const SYNC: usize = 4 << 10;

/// Logs before the one that is measured: more than the chip has room for.
const EARLIER: usize = 6;

/// SPI bytes besides the contents: command and address; of what changes the chip, the command that permits it and one
/// look at the status, too.
const READ: usize = 4;
const CHANGE: usize = 4 + 1 + 2;

/// A writer of logs.
trait Logs<const UNIT: u32> {
    /// Begins a log of `bytes` bytes, as after a reset.
    fn begin(&mut self, chip: &Chip<UNIT>, bytes: u32);
    /// Writes.
    fn write(&mut self, bytes: &[u8]);
    /// Flushes what was written.
    fn sync(&mut self);
    /// Ends the log. Returns it, or all logs, the newest last.
    fn end(&mut self) -> Vec<u8>;
}

/// The flash log.
#[derive(Default)]
struct Flash<const UNIT: u32>(Option<FlashLog<Chip<UNIT>>>);

impl<const UNIT: u32> Flash<UNIT> {
    fn log(&mut self) -> &mut FlashLog<Chip<UNIT>> {
        self.0.as_mut().expect("it has begun")
    }
}

impl<const UNIT: u32> Logs<UNIT> for Flash<UNIT> {
    fn begin(&mut self, chip: &Chip<UNIT>, _: u32) {
        self.0.insert(FlashLog::new(chip.clone(), Options::DEFAULT)).begin_log(&[]).expect("begins");
    }

    fn write(&mut self, bytes: &[u8]) {
        self.log().write_all(bytes).expect("writes");
    }

    fn sync(&mut self) {
        self.log().flush().expect("flushes");
    }

    fn end(&mut self) -> Vec<u8> {
        let number = self.log().number().expect("a log is open");
        self.log().end_log().expect("ends");
        let mut bytes = Vec::new();
        let pass = |piece: &[u8]| {
            bytes.extend(piece);
            ControlFlow::Continue(())
        };
        self.log().extract(number, Preamble::NONE, pass).expect("extracts");
        bytes
    }
}

/// The queue, which doesn't know where a log begins.
#[derive(Default)]
struct Queue(Option<Sequential<Chip<4096>>>);

impl Logs<4096> for Queue {
    fn begin(&mut self, chip: &Chip<4096>, _: u32) {
        self.0 = Some(Sequential::new(chip.clone()));
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0.as_mut().expect("it has begun").write(bytes).expect("writes");
    }

    fn sync(&mut self) {}

    fn end(&mut self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.0.as_mut().expect("it has begun").extract(|item| bytes.extend(item)).expect("extracts");
        bytes
    }
}

/// What a flight costs from its first byte to the last sync.
struct Cost {
    /// Bytes on an SPI bus for each KiB logged.
    per_kib: usize,
    /// Bytes that the chip takes in a second.
    per_second: usize,
    /// The longest write or sync, in microseconds.
    longest_us: u64,
    /// The begin of the log, the first write included, in microseconds.
    begin_us: u64,
}

/// Flies with writes of 256 bytes.
fn fly<const UNIT: u32, L: Logs<UNIT>>(mut logs: L) -> Cost {
    let chip = Chip::<UNIT>::blank(CHIP);
    let bytes: Vec<u8> = (0..LOG).map(|at| (at % 251) as u8).collect();
    let mut cost = Cost { per_kib: 0, per_second: 0, longest_us: 0, begin_us: 0 };
    for _ in 0..=EARLIER {
        let began = now();
        logs.begin(&chip, LOG as u32);
        let (mut start, mut changes, mut reads) = (now(), chip.operations(0).len(), chip.reads());
        cost.longest_us = 0;
        for (at, piece) in (0..).step_by(256).zip(bytes.chunks(256)) {
            let call = now();
            logs.write(piece);
            if at == 0 {
                // The search for the end of the last log is part of the first call of some.
                cost.begin_us = now() - began;
                (start, changes, reads) = (now(), chip.operations(0).len(), chip.reads());
                continue;
            }
            cost.longest_us = cost.longest_us.max(now() - call);
            if (at + 256) % SYNC == 0 {
                let call = now();
                logs.sync();
                cost.longest_us = cost.longest_us.max(now() - call);
            }
        }
        let (all_reads, all_read) = chip.reads();
        let read = (all_reads - reads.0) * READ + all_read - reads.1;
        let changed = chip.operations(changes).into_iter().map(|operation| match operation {
            Operation::Write(_, bytes) => bytes.len() + CHANGE,
            Operation::Erase(..) => CHANGE,
        });
        cost.per_kib = (read + changed.sum::<usize>()) / (LOG >> 10);
        cost.per_second = (LOG as u64 * 1_000_000 / (now() - start)) as usize;
        assert!(logs.end().ends_with(&bytes), "the log is read back");
    }
    cost
}

/// Prints the table. Returns which figures of the flash log are above their bounds.
pub(crate) fn measure() -> Vec<String> {
    println!(
        "{:29} {:>13} {:>13} {:>14} {:>11}",
        "chip of 16 MiB, units of", "bytes per KiB", "KB per second", "longest call", "begin"
    );
    let mut broken = Vec::new();
    let rows = [
        ("flash log, 4 KiB", fly(Flash::<4096>::default()), Some((1_100, 46_100))),
        ("flash log, 32 KiB", fly(Flash::<32768>::default()), Some((1_100, 121_100))),
        ("sequential-storage, 4 KiB", fly(Queue::default()), None),
        ("littlefs, 4 KiB", fly(Littlefs), None),
    ];
    for (name, cost, bounds) in rows {
        println!(
            "{name:29} {:13} {:13} {:11.1} ms {:8.1} ms",
            cost.per_kib,
            cost.per_second / 1000,
            cost.longest_us as f64 / 1000.0,
            cost.begin_us as f64 / 1000.0
        );
        if let Some((per_kib, longest_us)) = bounds
            && (cost.per_kib > per_kib || cost.longest_us > longest_us)
        {
            broken.push(format!("{name}: above {per_kib} bytes per KiB or {longest_us} us in a call"));
        }
    }
    broken
}
