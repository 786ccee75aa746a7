//! Cards after flights and power cuts, as other programs see them.

use crate::history::{Step, contents, fly, path};
use crate::power_cuts::stride;
use crate::promise::mount;
use binlog_embedded::sd_log::Options;
use binlog_tests::ram_card::{RamCard, Word};
use binlog_tests::volume::{Clusters, Computer, Geometry, Region, Volume, fsck, read_back};

const OPTIONS: Options = Options { extent_bytes: 24 << 10, free_bytes: 0, ..Options::DEFAULT };

fn accept(card: &RamCard, context: &str) {
    let volume = Volume::of(card);
    volume.check().assert_clean(context);
    if let Some(Err(said)) = fsck(&volume) {
        panic!("{context}: {said}");
    }
    let tree = volume.tree();
    for file in tree.files("LOGS").filter(|file| file.path.ends_with(".BIN") && file.size > 0) {
        if let Some(read) = read_back(&volume, &file.path) {
            assert!(read == volume.contents(file), "{context}: {} has {} bytes there", file.path, read.len());
        }
    }
}

/// After a flight, and after cuts of the power that the next boot has mended.
#[test]
fn other_programs_accept_cards_with_logs() {
    use Step::{Begin, End, Flush, Remove, Write};
    for geometry in [Geometry::FAT16, Geometry::FAT32, Geometry::EXFAT] {
        let card = geometry.format();
        let computer = Computer::new(&card);
        computer.folder("LOGS");
        computer.put(&path("LOGS", 1), &contents(1, 40_000), Clusters::Every(3));
        computer.put("Photo of a balloon.jpeg", &contents(2, 40_000), Clusters::Every(2));
        computer.note_free_clusters();
        let steps = [
            Begin,
            Write(7_000),
            Flush,
            Write(60_000),
            Flush,
            Begin,
            Write(3_000),
            Flush,
            Remove,
            Write(100),
            Flush,
            End,
        ];
        let flown = fly(&card, OPTIONS, Vec::new(), &steps);
        accept(&card, &format!("{geometry:?}"));
        let regions = Volume::of(&card).regions();
        let (mut seen, every) = (0, 7 * stride(30) + 1);
        let word = if geometry == Geometry::FAT16 { Word::Two } else { Word::Four };
        flown.recording.moments(
            0..usize::MAX,
            word,
            |at| regions.of(at) == Region::Contents,
            |moment, card| {
                seen += 1;
                if seen % every == 0 {
                    mount(&card, OPTIONS).unwrap();
                    accept(&card, &format!("{geometry:?}, {moment:?}"));
                }
            },
        );
    }
}
