//! Images of chips on the host: files, damage, any bytes, another reader.

use crate::reference::byte;
use binlog::Log;
use binlog::flash::{Image, ImageError};
use binlog_embedded::FlashLog;
use binlog_embedded::flash_log::{Options, WhenFull};
use binlog_tests::nor_chip::{NorChip, SECTOR, random};
use binlog_tests::{any_bytes, pymavlink};
use embedded_io::Write;
use proptest::prelude::*;

type Chip = NorChip<1, 4096>;

/// A chip with a log of each of these lengths.
fn chip(length: usize, logs: &[u32]) -> Chip {
    let chip = Chip::blank(length);
    for &length in logs {
        let mut flash = FlashLog::new(chip.clone(), Options { when_full: WhenFull::Overwrite, ..Options::DEFAULT });
        let number = flash.begin_log(&[]).expect("the chip works");
        let bytes: Vec<u8> = (0..length).map(|at| byte(number, at)).collect();
        flash.write_all(&bytes).expect("the chip works");
        flash.end_log().expect("the chip works");
    }
    chip
}

#[test]
fn an_image_without_a_log_is_an_error_that_says_why() {
    assert_eq!(Image::new(&[]).err(), Some(ImageError::TooShort { length: 0 }));
    assert_eq!(Image::new(&[0; 8 * SECTOR - 1]).err(), Some(ImageError::TooShort { length: 8 * SECTOR - 1 }));
    let erased = Image::new(&[0xFF; 8 * SECTOR]).expect_err("nothing is there");
    assert_eq!(erased, ImageError::NoLog { foreign: 0 });
    assert!(erased.to_string().contains("erased"));
    let mut foreign = vec![0xFF; 8 * SECTOR];
    foreign[3 * SECTOR + 7] = 0;
    let error = Image::new(&foreign).expect_err("no log is there");
    assert_eq!(error, ImageError::NoLog { foreign: 1 });
    assert!(error.to_string().contains("must start where"), "{error}");
}

#[test]
fn a_damaged_sector_is_a_gap_that_is_reported() {
    let memory = chip(16 * SECTOR, &[30_000]).memory();
    let whole = Image::new(memory.bytes()).expect("a log").logs()[0].bytes();
    assert_eq!(whole.len(), 30_000);
    // A header that is gone takes its sector along; a wrong bit in a frame, the rest of the sector.
    for (place, is_header) in [(3, true), (3 + 2000, false)] {
        let mut image = memory.bytes().to_vec();
        image[2 * SECTOR + place] ^= 4;
        let image = Image::new(&image).expect("a log");
        let log = &image.logs()[0];
        let [gap] = log.gaps() else { panic!("{:?}", log.gaps()) };
        let bytes = log.bytes();
        assert_eq!(bytes[..gap.at], whole[..gap.at]);
        assert_eq!(bytes[gap.at..], whole[gap.at + gap.length as usize..]);
        assert_eq!(bytes.len() + gap.length as usize, whole.len());
        assert_eq!(gap.image_offset, 3 * SECTOR);
        assert_eq!(gap.length > 3900, is_header, "{gap}");
        assert!(gap.to_string().starts_with(&format!("the log lacks {} bytes at offset {}", gap.length, gap.at)));
    }
}

#[test]
fn files_are_named_by_the_numbers_of_the_logs() {
    let memory = chip(32 * SECTOR, &[10, 5000, 4090]).memory();
    let image = Image::new(memory.bytes()).expect("logs");
    let folder = tempfile::tempdir().expect("a folder");
    let paths = image.write_to(folder.path().join("new")).expect("room");
    let names: Vec<_> = paths.iter().map(|path| path.file_name().expect("a name").to_string_lossy()).collect();
    assert_eq!(names, ["00000001.BIN", "00000002.BIN", "00000003.BIN"]);
    for (log, path) in image.logs().iter().zip(&paths) {
        let bytes: Vec<u8> = std::fs::read(path).expect("the file");
        assert!(bytes.iter().zip(0..).all(|(&found, at)| found == byte(log.number(), at)));
    }
    assert_eq!(image.logs().iter().map(|log| log.bytes().len()).collect::<Vec<_>>(), [10, 5000, 4090]);
}

#[test]
fn the_end_of_an_image_may_be_cut_or_be_more_than_the_chip() {
    let memory = chip(64 * SECTOR, &[9000, 9000]).memory();
    let logs = |image: &[u8]| {
        let image = Image::new(image).expect("logs");
        image.logs().iter().map(|log| log.bytes().len()).collect::<Vec<_>>()
    };
    assert_eq!(logs(&memory.bytes()[..16 * SECTOR + 100]), [9000, 9000]);
    assert_eq!(logs(&[memory.bytes(), &[0; 3 * SECTOR]].concat()), [9000, 9000]);
    // In the middle of the second log.
    assert_eq!(logs(&memory.bytes()[..8 * SECTOR])[0], 9000);
}

#[test]
fn flight_from_a_chip_reads_as_logged_even_without_its_start() {
    let log = simulator_log();
    // Two laps and a half, so that the beginning is overwritten; before it a whole log of the same firmware.
    for (length, is_whole) in [(4 << 20, true), (256 << 10, false)] {
        let chip = NorChip::<1, 32768>::blank(length);
        let mut flash = FlashLog::new(chip.clone(), Options { when_full: WhenFull::Overwrite, ..Options::DEFAULT });
        let preamble = preamble(&log);
        flash.begin_log(preamble).expect("the chip works");
        flash.write_all(&log).expect("room");
        flash.end_log().expect("the chip works");
        let memory = chip.memory();
        let image = Image::new(memory.bytes()).expect("a log");
        assert_eq!(image.logs()[0].lacks_preamble(), !is_whole);
        let image = image.with_preamble(preamble);
        let bytes = image.logs()[0].bytes();
        assert!(bytes.starts_with(preamble));
        assert_eq!(bytes == log, is_whole);
        let found = Log::from_bytes(&bytes);
        let whole = Log::from_bytes(&log);
        let count = |log: &Log<'_>| log.types().map(|rows| rows.len()).sum::<usize>();
        match is_whole {
            true => assert_eq!(count(&found), count(&whole)),
            false => assert!(count(&found) > count(&whole) / 20 && found.skipped().len() <= 1),
        }
        // pymavlink complains of the record that is cut where the beginning was overwritten.
        if is_whole {
            let (Some(ours), Some(expected)) = (pymavlink::dump(&bytes), pymavlink::dump(&log)) else { return };
            assert_eq!(ours, expected);
            assert!(ours.len() > 1000);
        } else if let Some(output) = pymavlink::mavlogdump(&bytes) {
            let text = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success() && text.lines().count() > 1000, "{text:.1000}");
        }
    }
}

/// A log of the simulator.
fn simulator_log() -> Vec<u8> {
    binlog_tests::logs::all().pop().expect("the last is the simulator's").1
}

/// The definitions with which a log begins.
fn preamble(log: &[u8]) -> &[u8] {
    let end = binlog::Records::new(log)
        .flatten()
        .find(|record| !["FMT", "FMTU", "UNIT", "MULT"].contains(&record.name()))
        .map_or(log.len(), |record| record.offset());
    &log[..end]
}

#[test]
fn any_bytes_are_an_image() {
    any_bytes::log::flash(&[]);
    any_bytes::log::flash(&[0xFF; 40_000]);
    any_bytes::log::flash(&[0; 40_000]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_bytes_are_read_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..2000)) {
        any_bytes::log::flash(&bytes);
    }

    /// Sectors of two chips, in any order and with any damage.
    #[test]
    fn sectors_in_any_order_are_read_without_a_panic(
        order in proptest::collection::vec(0..32_usize, 8..40),
        damage in proptest::collection::vec(any::<u64>(), 0..20),
    ) {
        let sources = [chip(16 * SECTOR, &[100_000, 3000]).memory(), chip(16 * SECTOR, &[9000, 9000]).memory()];
        let sectors: Vec<&[u8]> = sources.iter().flat_map(|memory| memory.bytes().chunks(SECTOR)).collect();
        let mut image: Vec<u8> = order.iter().flat_map(|&sector| sectors[sector]).copied().collect();
        let length = image.len();
        damage.into_iter().for_each(|mut seed| image[random(&mut seed) as usize % length] ^= 1 << (seed % 8));
        if let Ok(image) = Image::new(&image) {
            for log in image.logs() {
                prop_assert!(log.bytes().len() <= length);
                prop_assert!(log.gaps().iter().all(|gap| gap.at <= log.bytes().len()));
            }
        }
    }
}
