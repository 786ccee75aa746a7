//! The cards of these tests, and the code that checks them.

use binlog_tests::ram_card::RamCard;
use binlog_tests::volume::{Clusters, Computer, Flaw, Geometry, PartitionTable, Volume, fsck, read_back};

/// Geometries in which each boundary is somewhere else.
pub(crate) fn geometries() -> Vec<Geometry> {
    vec![
        Geometry::FAT16,
        Geometry { cluster_blocks: 64, fats: 1, spare_fat_blocks: 3, spare_blocks: 17, ..Geometry::FAT16 },
        Geometry {
            cluster_blocks: 1,
            clusters: 65_524,
            reserved: 8,
            table: PartitionTable::None,
            start: 0,
            ..Geometry::FAT16
        },
        Geometry::FAT32,
        Geometry { fats: 1, spare_fat_blocks: 9, table: PartitionTable::Gpt, ..Geometry::FAT32 },
        Geometry {
            cluster_blocks: 64,
            only_fat: Some(1),
            table: PartitionTable::Mbr { row: 3 },
            start: 63,
            ..Geometry::FAT32
        },
        Geometry::EXFAT,
        Geometry {
            cluster_blocks: 1,
            clusters: 20_000,
            scattered_bitmap: true,
            table: PartitionTable::Gpt,
            ..Geometry::EXFAT
        },
        // As cards of 64 GB are sold.
        Geometry { cluster_blocks: 256, clusters: 488_000, start: 32768, reserved: 16384, ..Geometry::EXFAT },
    ]
}

/// A card as a computer leaves it: folders in folders, long names, fragments.
fn used(geometry: &Geometry) -> (RamCard, Vec<(&'static str, Vec<u8>)>) {
    let card = geometry.format();
    let computer = Computer::new(&card);
    let cluster = computer.volume().cluster_bytes() as usize;
    computer.folder("DCIM");
    computer.folder("DCIM/A folder with a long name");
    computer.mark_bad(computer.volume().free().nth(40).unwrap());
    let contents =
        |clusters: usize, seed: usize| (0..clusters * cluster + 7).map(|i| (i * 7 / 3 + seed) as u8).collect();
    let files: Vec<(_, Vec<u8>)> = vec![
        ("PHOTO.JPG", contents(3, 1)),
        ("DCIM/A folder with a long name/Photo of a balloon over Zürich.jpeg", contents(4, 2)),
        ("Notes about the flight.txt", contents(0, 3)),
        ("EMPTY.TXT", Vec::new()),
        ("DCIM/ONE.BIN", contents(5, 4)),
    ];
    let places = [Clusters::Every(3), Clusters::Backwards, Clusters::Contiguous, Clusters::First, Clusters::From(20)];
    for ((path, contents), place) in files.iter().zip(places) {
        computer.put(path, contents, place);
    }
    computer.note_free_clusters();
    (card, files)
}

#[test]
fn cards_of_all_geometries_are_clean_and_readable() {
    for geometry in geometries() {
        let (card, files) = used(&geometry);
        let volume = Volume::of(&card);
        volume.check().assert_clean(format!("{geometry:?}"));
        for (path, contents) in &files {
            assert!(volume.read(path).as_ref() == Some(contents), "{path} of {geometry:?}");
        }
    }
}

/// What other programs say of the same cards, so that the checker and the formatters err together nowhere.
#[test]
fn other_programs_accept_these_cards() {
    for geometry in geometries() {
        // dosfstools 4.2 takes the first FAT for the active one even if the boot sector names the other, and exfatprogs
        // 1.2.0 the bitmap's clusters for neighbours.
        if geometry.only_fat.is_some() || geometry.scattered_bitmap || geometry.clusters == 488_000 {
            continue;
        }
        let (card, files) = used(&geometry);
        let volume = Volume::of(&card);
        if let Some(Err(said)) = fsck(&volume) {
            panic!("{geometry:?}: {said}");
        }
        for (path, contents) in files.iter().filter(|(_, contents)| !contents.is_empty()) {
            if let Some(read) = read_back(&volume, path) {
                assert!(read == *contents, "{path} of {geometry:?}: {} of {} bytes", read.len(), contents.len());
            }
        }
    }
}

/// The checker finds what it is for.
#[test]
fn flaws_are_found() {
    for geometry in [Geometry::FAT16, Geometry::FAT32, Geometry::EXFAT] {
        let (good, _) = used(&geometry);
        let photo = Volume::of(&good).tree().get("PHOTO.JPG").unwrap().clone();
        let flaws = |damage: &dyn Fn(&Volume)| {
            let card = good.copy();
            damage(&Volume::of(&card));
            Volume::of(&card).check().flaws
        };
        let second = photo.runs[1].start;
        let entry = |volume: &Volume, cluster: u32, value: &[u8]| {
            let (at, offset) = volume.place_of(cluster);
            volume.card().edit(at, |block| block[offset..offset + value.len()].copy_from_slice(value));
        };
        let broken = flaws(&|volume| entry(volume, second, &[0, 0]));
        assert!(
            broken.iter().any(|flaw| matches!(flaw, Flaw::Broken { file, .. } if file == "PHOTO.JPG")),
            "{broken:?}"
        );
        let shared =
            flaws(&|volume| entry(volume, photo.first, &volume.tree().get("DCIM").unwrap().first.to_le_bytes()[..2]));
        assert!(shared.iter().any(|flaw| matches!(flaw, Flaw::Shared { .. })), "{shared:?}");
        assert!(shared.iter().any(|flaw| matches!(flaw, Flaw::Lost { .. })), "{shared:?}");
        if geometry != Geometry::EXFAT {
            assert!(shared.iter().any(|flaw| matches!(flaw, Flaw::FatsDiffer { .. })), "{shared:?}");
            let size = flaws(&|volume| volume.card().edit(photo.at.0, |block| block[photo.at.1 + 30] += 1));
            assert!(matches!(&size[..], [Flaw::Short { file, .. }] if file == "PHOTO.JPG"), "{size:?}");
            let size = flaws(&|volume| volume.card().edit(photo.at.0, |block| block[photo.at.1 + 29] = 0));
            assert!(matches!(&size[..], [Flaw::Long { file, .. }] if file == "PHOTO.JPG"), "{size:?}");
        } else {
            let torn = flaws(&|volume| volume.card().edit(photo.at.0, |block| block[photo.at.1 + 32 + 24] ^= 1));
            assert!(torn.iter().any(|flaw| matches!(flaw, Flaw::BadSet { .. })), "{torn:?}");
            let bitmap = Volume::of(&good).data;
            let unmarked = flaws(&|volume| volume.card().edit(bitmap, |block| block[0] &= !8));
            assert!(unmarked.iter().any(|flaw| matches!(flaw, Flaw::Unmarked { .. })), "{unmarked:?}");
            let lost = flaws(&|volume| volume.card().edit(bitmap, |block| block[300] |= 2));
            assert!(matches!(&lost[..], [Flaw::Lost { clusters }] if clusters.len() == 1), "{lost:?}");
        }
    }
}
