//! The driver of a card in memory: blocking, and asynchronous with a card that is busy for a while.

use super::{Block, CardError, RamCard, State, Written};
use binlog_embedded::card::{AsyncCard, Card, Slot};
use std::future::poll_fn;
use std::ops::{Deref, DerefMut};
use std::task::Poll;

/// A block in the driver's memory.
#[derive(Clone)]
pub struct Buffer([u8; 512]);

impl Deref for Buffer {
    type Target = [u8; 512];

    fn deref(&self) -> &[u8; 512] {
        &self.0
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [u8; 512] {
        &mut self.0
    }
}

impl Slot for RamCard {
    type Block = Buffer;
    type Error = CardError;
    const ZERO: Buffer = Buffer([0; 512]);

    fn forget(&mut self) {
        self.0.borrow_mut().known = false;
    }
}

/// How far a transfer gets when the card leaves its slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Leaves {
    /// Nothing is transferred.
    Before,
    /// Of what is written, the first half is on the card; a single block is torn.
    Inside,
    /// All is on the card, and the driver doesn't know.
    After,
}

impl RamCard {
    /// Makes a transfer, unless the card leaves its slot. `tear` does the first half of it.
    fn transfer<T>(
        &mut self,
        transfer: impl FnOnce(&mut Self) -> Result<T, CardError>,
        tear: impl FnOnce(&Self),
    ) -> Result<T, CardError> {
        let mut state = self.0.borrow_mut();
        let is_due = state.departure.as_ref().is_some_and(|(call, ..)| *call == state.calls);
        state.calls += 1;
        let departure = state.departure.take_if(|_| is_due);
        drop(state);
        let Some((_, leaves, happens)) = departure else { return transfer(self) };
        match leaves {
            Leaves::Before => {}
            Leaves::Inside => tear(self),
            Leaves::After => drop(transfer(self)),
        }
        happens(self);
        Err(CardError::Missing)
    }

    fn read_blocks(&mut self, at: u32, blocks: &mut [Buffer]) -> Result<(), CardError> {
        let mut state = self.0.borrow_mut();
        state.check()?;
        if state.failing_reads > 0 {
            state.failing_reads -= 1;
            return Err(CardError::Read);
        }
        for (block, at) in blocks.iter_mut().zip(at..) {
            if at >= state.count {
                return Err(CardError::Read);
            }
            block.0 = state.blocks.get(at);
            state.reads += 1;
            assert!(state.max_reads.is_none_or(|max| state.reads <= max), "block {at} is read; no end is in sight");
        }
        Ok(())
    }

    fn write_blocks(&mut self, at: u32, blocks: &[Buffer]) -> Result<(), CardError> {
        let busy = self.0.borrow().busy;
        if let Some(busy) = busy {
            busy();
        }
        let mut state = self.0.borrow_mut();
        state.check()?;
        if state.failing_writes > 0 {
            state.failing_writes -= 1;
            return Err(CardError::Write);
        }
        if state.protected {
            return Err(CardError::Write);
        }
        if state.worn_out {
            return Ok(());
        }
        if state.discards && blocks.len() >= 4 && !state.blocks.is_written(at) {
            state.transfers += 1;
            return Ok(());
        }
        for (block, at) in blocks.iter().zip(at..) {
            if at >= state.count {
                return Err(CardError::Write);
            }
            state.write(&block.0, at)?;
        }
        state.transfers += 1;
        Ok(())
    }

    fn tear_blocks(&self, at: u32, blocks: &[Buffer]) {
        let middle = blocks.len() / 2;
        for (block, at) in blocks[..middle].iter().zip(at..) {
            self.set_block(at, block.0);
        }
        self.tear(at + middle as u32, &blocks[middle].0, 256);
    }
}

impl Card for RamCard {
    fn read(&mut self, at: u32, blocks: &mut [Buffer]) -> Result<(), CardError> {
        self.transfer(|card| card.read_blocks(at, blocks), |_| ())
    }

    fn write(&mut self, at: u32, blocks: &[Buffer]) -> Result<(), CardError> {
        self.transfer(|card| card.write_blocks(at, blocks), |card| card.tear_blocks(at, blocks))
    }

    fn block_count(&mut self) -> Result<u32, CardError> {
        let count = |card: &mut RamCard| {
            let mut state = card.0.borrow_mut();
            state.check()?;
            Ok(state.count)
        };
        self.transfer(count, |_| ())
    }
}

/// Returns after the executor has been asked twice to come back.
async fn busy() {
    let mut polls = 0;
    poll_fn(|context| {
        polls += 1;
        if polls > 2 {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

impl AsyncCard for RamCard {
    async fn read(&mut self, at: u32, blocks: &mut [Buffer]) -> Result<(), CardError> {
        busy().await;
        Card::read(self, at, blocks)
    }

    async fn write(&mut self, at: u32, blocks: &[Buffer]) -> Result<(), CardError> {
        // Half of the blocks are on the card when the executor comes back.
        let (first, rest) = blocks.split_at(blocks.len().div_ceil(2));
        Card::write(self, at, first)?;
        busy().await;
        if rest.is_empty() { Ok(()) } else { Card::write(self, at + first.len() as u32, rest) }
    }

    async fn block_count(&mut self) -> Result<u32, CardError> {
        busy().await;
        Card::block_count(self)
    }
}

impl State {
    /// Initialises a card that the driver doesn't know, as `SpiCard` does.
    fn check(&mut self) -> Result<(), CardError> {
        if !self.known && !self.pulled {
            (self.known, self.ready) = (true, true);
        }
        if self.pulled || !self.ready { Err(CardError::Missing) } else { Ok(()) }
    }

    fn write(&mut self, block: &Block, at: u32) -> Result<(), CardError> {
        let mut block = *block;
        match &mut self.cut {
            Some((0, bytes)) => {
                (self.pulled, self.ready) = (true, false);
                block[*bytes..].copy_from_slice(&self.blocks.get(at)[*bytes..]);
            }
            Some((left, _)) => *left -= 1,
            None => {}
        }
        self.blocks.set(at, &block);
        self.touched.insert(at);
        self.writes += 1;
        if let Some((_, writes)) = &mut self.recording {
            writes.push(Written { at, block, transfer: self.transfers });
        }
        if self.pulled { Err(CardError::Missing) } else { Ok(()) }
    }
}
