//! The same flight on the same card by the recorder and by ChaN's FatFs (R0.15): 64 MiB, synced each 32 KiB.
//!
//! `run` prints a table: bytes on an SPI bus for each KiB, blocks of metadata, and the most blocks that one call moved.

mod fatfs;
mod flight;

use binlog_embedded::SdLog;
use binlog_embedded::sd_log::{Options, Undated};
use binlog_tests::ram_card::RamCard;
use binlog_tests::volume::{Geometry, Volume};
use embedded_io::Write;
use fatfs::FatFs;
use flight::{Logs, fly};

/// The recorder, with a buffer of 4 KiB.
#[derive(Default)]
struct Recorder(Option<SdLog<RamCard, Undated, 8>>);

impl Logs for Recorder {
    fn begin(&mut self, card: &RamCard, _: u32) {
        let recorder = self.0.insert(SdLog::with_blocks(card.clone(), Undated, Options::DEFAULT));
        recorder.begin_log().expect("begins");
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0.as_mut().expect("it has begun").write_all(bytes).expect("writes");
    }

    fn sync(&mut self) {
        self.0.as_mut().expect("it has begun").flush().expect("flushes");
    }

    fn end(&mut self) {
        self.0.as_mut().expect("it has begun").end_log().expect("ends");
    }
}

fn main() {
    let cards = [
        ("FAT32, clusters of 32 KiB", Geometry { cluster_blocks: 64, clusters: 120_000, ..Geometry::FAT32 }),
        ("FAT32, clusters of 4 KiB", Geometry { cluster_blocks: 8, clusters: 120_000, ..Geometry::FAT32 }),
        ("exFAT, clusters of 128 KiB", Geometry { cluster_blocks: 256, clusters: 30_000, ..Geometry::EXFAT }),
    ];
    println!(
        "{:28} {:24} {:>10} {:>14} {:>10} {:>10} {:>10}",
        "card", "writer", "B/KiB", "with commands", "metadata", "longest", "begin, end"
    );
    for (name, geometry) in cards {
        let show = |writer: &str, logs: &mut dyn FnMut(&RamCard) -> flight::Cost| {
            let card = geometry.format();
            let cost = logs(&card);
            Volume::of(&card).check().assert_readable(writer);
            println!(
                "{name:28} {writer:24} {:10.1} {:14.1} {:10} {:10} {:10}",
                cost.blocks_per_kib, cost.all_per_kib, cost.metadata, cost.longest, cost.longest_begin_or_end
            );
        };
        show("recorder, 4 KiB", &mut |card| fly(&mut Recorder::default(), card, 4096));
        show("FatFs, 4 KiB", &mut |card| fly(&mut FatFs { preallocates: false }, card, 4096));
        show("FatFs, 4 KiB, f_expand", &mut |card| fly(&mut FatFs { preallocates: true }, card, 4096));
    }
}
