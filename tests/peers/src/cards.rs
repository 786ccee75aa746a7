//! The same flight on the same card by the recorder and by ChaN's FatFs (R0.15): 64 MiB, synced each 32 KiB.

mod fatfs;
mod flight;

use binlog_embedded::SdLog;
use binlog_embedded::sd_log::{Options, Undated};
use binlog_tests::ram_card::RamCard;
use binlog_tests::volume::{Geometry, Volume};
use embedded_io::Write;
use fatfs::FatFs;
use flight::{Cost, Logs};

/// The recorder, with a buffer of `BLOCKS` blocks.
#[derive(Default)]
struct Recorder<const BLOCKS: usize>(Option<SdLog<RamCard, Undated, BLOCKS>>);

impl<const BLOCKS: usize> Logs for Recorder<BLOCKS> {
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

    fn idle(&mut self) {
        self.0.as_mut().expect("it has begun").prepare().expect("prepares");
    }

    fn end(&mut self) {
        self.0.as_mut().expect("it has begun").end_log().expect("ends");
    }
}

/// Bounds of the recorder on a card.
struct Bounds {
    /// Bus bytes for each KiB, 517 for each block that is written.
    blocks: f64,
    /// Bus bytes for each KiB with commands and reads, for a buffer of 4 KiB.
    all_4k: f64,
    /// The same for a buffer of 8 KiB.
    all_8k: f64,
    /// Blocks of metadata in a sync.
    in_sync: usize,
    /// Calls between syncs that write metadata: the first ones of the log, before any idle call, and on exFAT those at
    /// which the clusters that the log owns are used up.
    extensions: usize,
    /// Blocks of the longest call, for a buffer of 4 KiB and one of 8.
    longest: [u64; 2],
}

impl Bounds {
    /// The figures that are above their bounds.
    fn broken(&self, cost: &Cost, all: f64, longest: u64) -> Vec<String> {
        let checks = [
            ("bytes per KiB", cost.blocks_per_kib, self.blocks),
            ("bytes per KiB with commands", cost.all_per_kib, all),
            ("blocks of metadata in a sync", cost.in_syncs.most as f64, self.in_sync as f64),
            ("blocks in the longest call", cost.longest as f64, longest as f64),
            ("calls between syncs that write metadata", cost.in_writes.calls as f64, self.extensions as f64),
        ];
        let broken = checks.into_iter().filter(|(_, figure, bound)| figure > bound);
        broken.map(|(what, figure, bound)| format!("{figure:.1} {what}, above {bound}")).collect()
    }
}

/// Prints the table. Returns which figures of the recorder are above their bounds.
pub(crate) fn measure() -> Vec<String> {
    // On FAT32, the marks of the clusters that the log owns in advance are 0.8 bytes per KiB.
    let large =
        Bounds { blocks: 1_052.0, all_4k: 1_062.0, all_8k: 1_055.8, in_sync: 3, extensions: 3, longest: [14, 22] };
    let cards = [
        ("FAT32, clusters of 32 KiB", Geometry { cluster_blocks: 64, clusters: 120_000, ..Geometry::FAT32 }, &large),
        (
            "FAT32, clusters of 4 KiB",
            Geometry { cluster_blocks: 8, clusters: 120_000, ..Geometry::FAT32 },
            // A block of the FAT has the links of 512 KiB only. It is marked and linked, in both FATs.
            &Bounds { blocks: 1_056.0, all_4k: 1_068.9, all_8k: 1_065.4, ..large },
        ),
        (
            "exFAT, clusters of 128 KiB",
            Geometry { cluster_blocks: 256, clusters: 30_000, ..Geometry::EXFAT },
            &Bounds { in_sync: 1, all_8k: 1_055.0, extensions: 1, longest: [25, 41], ..large },
        ),
    ];
    println!("{:28} {:24} bytes per KiB       blocks of metadata             longest call", "", "");
    println!(
        "{:28} {:24} {:>7} {:>11} {:>13} {:>16} {:>14} {:>10}",
        "card", "writer", "blocks", "+ commands", "in a sync", "between syncs", "write or sync", "begin, end"
    );
    let mut broken = Vec::new();
    for (name, geometry, bounds) in cards {
        let flown = |writer: &str, logs: &mut dyn FnMut(&RamCard) -> Cost| {
            let card = geometry.format();
            let cost = logs(&card);
            Volume::of(&card).check().assert_readable(writer);
            println!(
                "{name:28} {writer:24} {:7.1} {:11.1} {:13} {:16} {:14} {:10}",
                cost.blocks_per_kib,
                cost.all_per_kib,
                cost.in_syncs.most,
                cost.in_writes.blocks,
                cost.longest,
                cost.longest_begin_or_end
            );
            cost
        };
        let with_4k = flown("recorder, 4 KiB", &mut |card| flight::fly(&mut Recorder::<8>::default(), card, 4096));
        let with_8k = flown("recorder, 8 KiB", &mut |card| flight::fly(&mut Recorder::<16>::default(), card, 8192));
        let [longest_4k, longest_8k] = bounds.longest;
        for (buffer, cost, all, longest) in
            [("4 KiB", with_4k, bounds.all_4k, longest_4k), ("8 KiB", with_8k, bounds.all_8k, longest_8k)]
        {
            broken.extend(bounds.broken(&cost, all, longest).iter().map(|what| format!("{name}, {buffer}: {what}")));
        }
        for (writer, preallocates, chunk) in [
            ("FatFs, 4 KiB", false, 4096),
            ("FatFs, 4 KiB, f_expand", true, 4096),
            ("FatFs, 8 KiB, f_expand", true, 8192),
        ] {
            flown(writer, &mut |card| flight::fly(&mut FatFs { preallocates }, card, chunk));
        }
    }
    broken
}
