//! The recorder beside ChaN's FatFs on a card, and the flash log beside sequential-storage and littlefs on a chip.
//!
//! `tests/peers/run` prints a table for each: bytes on an SPI bus for each KiB, and the longest call. With `--check`,
//! it fails if a figure of the recorder or of the flash log is above its bound.

mod cards;
mod chips;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let check = match arguments.as_slice() {
        [] => false,
        [check] if check == "--check" => true,
        _ => {
            eprintln!("usage: tests/peers/run [--check]");
            return ExitCode::from(2);
        }
    };
    let mut broken = cards::measure();
    println!();
    broken.extend(chips::measure());
    if !check {
        return ExitCode::SUCCESS;
    }
    for what in &broken {
        eprintln!("{what}");
    }
    if broken.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
