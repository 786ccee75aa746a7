//! An SD card on SPI: cards of each capacity, faults, and a card that is programming, which is neither missed, given up
//! nor reset.
#![cfg(feature = "sdmmc")]

mod chip;

use binlog_embedded::card::{AcquireOpts, Card, Slot, SpiCard, SpiError};
use chip::{Chip, Delay, Fault, Generation, Spi};
use embedded_sdmmc::Block;

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
fn cards_of_each_generation_are_addressed_in_their_unit() {
    for (generation, count) in [
        (Generation::First, chip::FEW_BLOCKS),
        (Generation::Standard, chip::FEW_BLOCKS),
        (Generation::High, chip::BLOCKS),
    ] {
        let (mut card, chip) = Chip::of(generation);
        assert_eq!(card.block_count(), Ok(count), "{generation:?}");
        card.write(count - 1, &blocks(&[1])).unwrap();
        card.write(8, &blocks(&[2, 3])).unwrap();
        assert_eq!([count - 1, 8, 9].map(|at| read(&mut card, at)), [1, 2, 3], "{generation:?}");
        assert_eq!(chip.resets(), 1);
    }
}

#[test]
fn each_fault_is_an_error_and_the_next_transfer_works() {
    type Transfer = fn(&mut SpiCard<Spi, Delay>) -> Result<(), SpiError>;
    let read: Transfer = |card| card.read(3, &mut blocks(&[0]));
    let write: Transfer = |card| card.write(3, &blocks(&[7]));
    let write_many: Transfer = |card| card.write(3, &blocks(&[7, 8]));
    let count: Transfer = |card| card.block_count().map(drop);
    for (fault, transfer, error) in [
        (Fault::WrongBit, read, SpiError::Checksum),
        (Fault::WrongBit, count, SpiError::Checksum),
        (Fault::ReadError, read, SpiError::Read),
        (Fault::NoBlock, read, SpiError::NoData),
        (Fault::Refused, read, SpiError::Read),
        (Fault::Refused, write, SpiError::Write),
        (Fault::Refused, write_many, SpiError::Write),
        (Fault::Rejected, write, SpiError::Write),
        (Fault::Rejected, write_many, SpiError::Write),
        (Fault::NotWritten, write, SpiError::Write),
        (Fault::Register, count, SpiError::Unknown),
    ] {
        let (mut card, chip) = Chip::in_slot();
        card.write(3, &blocks(&[5])).unwrap();
        chip.fail(Some(fault));
        assert_eq!(transfer(&mut card), Err(error), "{fault:?}");
        chip.fail(None);
        // As `SdLog` does after an error.
        card.forget();
        transfer(&mut card).unwrap_or_else(|error| panic!("after {fault:?}: {error}"));
    }
}

#[test]
fn a_card_without_checksums_is_used_if_asked() {
    let (mut card, chip) = Chip::in_slot();
    chip.fail(Some(Fault::NoChecksums));
    assert_eq!(card.block_count(), Err(SpiError::NoChecksums));
    let mut card = chip.with_options(AcquireOpts { use_crc: false, acquire_retries: 2 });
    assert_eq!(card.block_count(), Ok(chip::BLOCKS));
    chip.fail(Some(Fault::WrongBit));
    assert_eq!(card.read(0, &mut blocks(&[0])), Ok(()));
    // The register that says how many blocks the card has has a checksum in every card.
    chip.fail(Some(Fault::WrongRegister));
    assert_eq!(card.block_count(), Err(SpiError::Checksum));
}

#[test]
fn a_slow_card_is_asked_again() {
    let (mut card, chip) = Chip::in_slot();
    chip.be_slow(2, 1000);
    assert_eq!(card.block_count(), Ok(chip::BLOCKS));
    card.forget();
    chip.be_slow(3, 0);
    assert_eq!(card.block_count(), Err(SpiError::NoCard));
    chip.be_slow(0, 20_000);
    assert_eq!(card.block_count(), Err(SpiError::NoAnswer));
    chip.be_slow(0, 0);
    assert_eq!(card.block_count(), Ok(chip::BLOCKS));
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
    assert!(matches!(failed, Err(SpiError::Busy)), "{failed:?}");
}

#[test]
fn a_card_may_erase_for_as_long_before_a_multi_block_write() {
    let (mut card, chip) = Chip::in_slot();
    card.write(0, &blocks(&[9])).unwrap();
    chip.erase_for_us(400_000);
    card.write(1, &blocks(&[1, 2])).unwrap();
    assert_eq!(read(&mut card, 2), 2);
    assert_eq!(chip.lost_commands(), 0);
}

#[test]
fn a_card_put_in_while_another_programmed_is_reset() {
    let (mut card, chip) = Chip::in_slot();
    chip.program_for_us(1_000_000);
    card.write(0, &blocks(&[1, 2])).unwrap();
    chip.exchange_for_a_noisy_one();
    assert_eq!(card.read(0, &mut blocks(&[0])), Err(SpiError::Busy));
    card.forget();
    assert_eq!(read(&mut card, 1), 2);
    assert_eq!((chip.resets(), chip.resets_while_busy()), (2, 0));
}

/// Only a multi-block write is followed by programming that may take longer.
#[test]
fn a_card_that_hangs_otherwise_is_given_up_after_one_wait() {
    let (mut card, chip) = Chip::in_slot();
    card.write(0, &blocks(&[9])).unwrap();
    chip.hang();
    let before = chip.now_us();
    let failed = card.read(0, &mut blocks(&[0]));
    assert!(matches!(failed, Err(SpiError::Busy)), "{failed:?}");
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
    assert!(matches!(card.read(0, &mut blocks(&[0])), Err(SpiError::NoCard)));
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
