//! An SD card on SPI that is programming is neither missed, given up nor reset.
#![cfg(feature = "sdmmc")]

mod chip;

use binlog_embedded::card::{Card, Slot, SpiCard};
use chip::{Chip, Delay, Spi};
use embedded_sdmmc::{Block, SdCardError};

fn blocks(contents: &[u8]) -> Vec<Block> {
    contents.iter().map(|&byte| Block { contents: [byte; 512] }).collect()
}

fn read(card: &mut SpiCard<Spi, Delay>, at: u32) -> u8 {
    let mut block = blocks(&[0]);
    card.read(at, &mut block).expect("the card answers");
    assert!(block[0].iter().all(|&byte| byte == block[0][0]));
    block[0][0]
}

#[test]
fn written_blocks_are_read_back() {
    let (mut card, chip) = Chip::in_slot();
    assert_eq!(card.block_count().unwrap(), chip::BLOCKS);
    card.write(7, &blocks(&[1])).unwrap();
    card.write(8, &blocks(&[2, 3, 4])).unwrap();
    assert_eq!([7, 8, 9, 10].map(|at| read(&mut card, at)), [1, 2, 3, 4]);
    assert_eq!(chip.lost_commands(), 0);
}

#[test]
fn late_busy_card_sees_the_command_after_a_multi_block_write() {
    let (mut card, chip) = Chip::in_slot();
    chip.program_for_us(1000);
    for at in 0..10 {
        card.write(2 * at, &blocks(&[at as u8, at as u8])).unwrap();
        card.write(2 * at + 1, &blocks(&[99])).unwrap();
    }
    assert_eq!(chip.lost_commands(), 0);
    assert_eq!([read(&mut card, 4), read(&mut card, 5)], [2, 99]);
}

#[test]
fn a_card_may_program_for_as_long_as_the_specification_lets_it() {
    let (mut card, chip) = Chip::in_slot();
    card.write(0, &blocks(&[9])).unwrap();
    chip.program_for_us(500_000);
    card.write(1, &blocks(&[1, 2])).unwrap();
    card.write(3, &blocks(&[3, 4])).unwrap();
    assert_eq!(read(&mut card, 4), 4);
    // Longer than that it's an error.
    chip.program_for_us(1_000_000);
    card.write(5, &blocks(&[5, 6])).unwrap();
    let failed = card.write(7, &blocks(&[7]));
    assert!(matches!(failed, Err(SdCardError::TimeoutWaitNotBusy)), "{failed:?}");
}

/// Only a multi-block write is followed by programming that may take longer.
#[test]
fn a_card_that_hangs_otherwise_is_given_up_after_one_wait() {
    let (mut card, chip) = Chip::in_slot();
    card.write(0, &blocks(&[9])).unwrap();
    chip.hang();
    let before = chip.now_us();
    let failed = card.read(0, &mut blocks(&[0]));
    assert!(matches!(failed, Err(SdCardError::TimeoutWaitNotBusy)), "{failed:?}");
    let took_us = chip.now_us() - before;
    assert!(took_us < 200_000, "{took_us} us");
}

#[test]
fn no_reset_interrupts_a_card_that_is_programming() {
    let (mut card, chip) = Chip::in_slot();
    card.write(0, &blocks(&[9])).unwrap();
    for busy_us in [1, 10, 1000, 50_000, 250_000] {
        chip.program_for_us(busy_us);
        card.write(1, &blocks(&[1, 2])).unwrap();
        card.forget();
        assert_eq!(read(&mut card, 2), 2, "{busy_us} us");
    }
    assert_eq!(chip.resets_while_busy(), 0);
    assert_eq!(chip.resets(), 6);
}

#[test]
fn an_empty_slot_is_noticed_in_350_ms() {
    let (mut card, chip) = Chip::in_slot();
    chip.pull();
    let before = chip.now_us();
    assert!(matches!(card.read(0, &mut blocks(&[0])), Err(SdCardError::CardNotFound)));
    let took_us = chip.now_us() - before;
    assert!((300_000..400_000).contains(&took_us), "{took_us} us");
}

#[test]
fn the_clock_of_the_bus_can_be_changed() {
    let (mut card, chip) = Chip::in_slot();
    card.spi(|spi| spi.set_byte_us(3));
    let before = chip.now_us();
    card.write(0, &blocks(&[1])).unwrap();
    assert!(chip.now_us() - before > 3 * 512);
}
