//! A chip that is old: its lap, which has twelve bits, begins again.

use crate::reference::{Extracted, on_host, on_target};
use binlog_embedded::FlashLog;
use binlog_embedded::flash_log::{Options, WhenFull};
use binlog_tests::nor_chip::NorChip;
use embedded_io::Write;

/// Laps before the count begins again.
const LAPS: usize = 4096;
/// The sectors of the chip. Each log takes one.
const SECTORS: usize = 8;

const OPTIONS: Options = Options { when_full: WhenFull::Overwrite, ..Options::DEFAULT };

fn log(flash: &mut FlashLog<NorChip<4, 4096>>, number: usize) {
    assert_eq!(usize::from(flash.begin_log(&[]).expect("the chip works")), number);
    flash.write_all(&(number as u32).to_le_bytes()).expect("the chip works");
    flash.flush().expect("the chip works");
}

#[test]
fn the_newest_log_is_found_when_the_laps_begin_again() {
    let chip = NorChip::<4, 4096>::blank(SECTORS * 4096);
    let mut flash = FlashLog::new(chip.clone(), OPTIONS);
    let wrap = LAPS * SECTORS;
    for number in 1..wrap - 2 * SECTORS {
        log(&mut flash, number);
    }
    // From here to two laps after the wrap, each log is that of a boot, which has to find the one before it.
    for number in wrap - 2 * SECTORS..wrap + 2 * SECTORS {
        log(&mut FlashLog::new(chip.clone(), OPTIONS), number);
        let logs = on_host(chip.memory().bytes());
        let expected: Vec<Extracted> = (number + 1 - logs.len()..=number)
            .map(|number| Extracted {
                number: number as u16,
                missing: 0,
                bytes: (number as u32).to_le_bytes().to_vec(),
            })
            .collect();
        assert_eq!(logs, expected);
        // One block is erased, or is left out because it may be.
        assert!(logs.len() >= SECTORS - 2, "{} logs", logs.len());
        assert_eq!(on_target(&mut FlashLog::new(chip.clone(), OPTIONS)), logs);
    }
}

/// Erasing ahead takes old logs away, and must not hide the newest one from who searches for it.
#[test]
fn whatever_is_erased_ahead_the_next_boot_finds_the_newest_log() {
    for logs in 1..40 {
        for prepared in [1, 4096, 3 * 4096, 6 * 4096, u32::MAX] {
            let chip = NorChip::<4, 4096>::blank(16 * 4096);
            for number in 1..=logs {
                log(&mut FlashLog::new(chip.clone(), OPTIONS), number);
            }
            FlashLog::new(chip.clone(), OPTIONS).prepare(prepared).expect("the chip works");
            let found = on_host(chip.memory().bytes());
            assert_eq!(found.last().map(|log| usize::from(log.number)), Some(logs), "{logs} logs, {prepared} bytes");
            // Readers take it that the first lap erases nothing at the beginning before its last block of two sectors.
            assert!(logs > 14 || found.len() == logs, "{logs} logs, {prepared} bytes: {} are left", found.len());
            assert!(found.windows(2).all(|pair| pair[0].number + 1 == pair[1].number), "{logs} logs, {prepared} bytes");
            assert_eq!(on_target(&mut FlashLog::new(chip.clone(), OPTIONS)), found);
            log(&mut FlashLog::new(chip.clone(), OPTIONS), logs + 1);
        }
    }
}
