//! A boot of a firmware that logs numbered bytes, with each operation noted.

use crate::reference::{Reference, byte};
use binlog_embedded::FlashLog;
use binlog_embedded::flash_log::{Cause, Options};
use binlog_tests::nor_chip::{Memory, NorChip, NorError, Operation};
use embedded_io::Write;
use std::ops::Range;

/// An operation, and the part of a log that a write carried.
pub(crate) type Noted = (Operation, Option<(u16, Range<u32>)>);

/// From power-on to a power cut.
pub(crate) struct Boot<const WORD: usize, const UNIT: u32> {
    pub(crate) chip: NorChip<WORD, UNIT>,
    pub(crate) flash: FlashLog<NorChip<WORD, UNIT>>,
    pub(crate) reference: Reference,
    pub(crate) noted: Vec<Noted>,
    log: u16,
    /// Bytes of the log that were accepted, and those of them that are on the chip.
    accepted: u32,
    written: u32,
}

impl<const WORD: usize, const UNIT: u32> Boot<WORD, UNIT> {
    pub(crate) fn new(memory: Memory, reference: Reference, options: Options) -> Self {
        let chip = NorChip::with(memory);
        let flash = FlashLog::new(chip.clone(), options);
        Boot { chip, flash, reference, noted: Vec::new(), log: 0, accepted: 0, written: 0 }
    }

    pub(crate) fn begin(&mut self) {
        let number = self.flash.begin_log(&[]).expect("the chip works");
        self.note();
        (self.log, self.accepted, self.written) = (number, 0, 0);
    }

    /// Writes bytes of the log. `false` if the chip is full.
    pub(crate) fn write(&mut self, length: u32) -> bool {
        let end = self.accepted + length;
        while self.accepted < end {
            let piece: Vec<u8> = (self.accepted..end.min(self.accepted + 300)).map(|at| byte(self.log, at)).collect();
            let taken = self.flash.write(&piece);
            // What was written before these bytes were taken doesn't contain them.
            self.note();
            match taken {
                Ok(taken) => self.accepted += taken as u32,
                Err(error) => {
                    assert_eq!(error.cause, Cause::<NorError>::Full);
                    return false;
                }
            }
        }
        true
    }

    pub(crate) fn flush(&mut self) {
        self.flash.flush().expect("the chip works");
        self.note();
        assert_eq!(self.written, self.accepted, "a flush writes all");
    }

    pub(crate) fn prepare(&mut self, bytes: u32) -> u32 {
        let prepared = self.flash.prepare(bytes).expect("the chip works");
        self.note();
        prepared
    }

    /// Notes the operations since the last call. At most one of them is a write.
    fn note(&mut self) {
        for operation in self.chip.operations(self.noted.len()) {
            let carried = match operation {
                Operation::Erase(..) => None,
                Operation::Write(..) => {
                    assert!(self.written < self.accepted, "a write without bytes");
                    Some((self.log, std::mem::replace(&mut self.written, self.accepted)..self.accepted))
                }
            };
            self.reference.note(&operation, carried.clone());
            self.noted.push((operation, carried));
        }
    }
}
