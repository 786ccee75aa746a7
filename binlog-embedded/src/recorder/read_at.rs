// Held by tests/tests/card/read_at.rs.

//! Reading at any offset of a log, and the list of the logs, beside what the recorder does.

#[cfg(feature = "exfat")]
use super::NOTHING;
use super::bytes::Block;
use super::directory::{Cursor, Entry};
use super::{Recorder, Stop};
use crate::recorder::{Damage, Fault, Operation};

/// A log that is read at offsets, and the cluster of it that was read last.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// The number of the log; 0 for none.
    number: u32,
    first: u32,
    bytes: u32,
    #[cfg(feature = "exfat")]
    valid: u32,
    is_contiguous: bool,
    cluster: u32,
    /// Which of the log's clusters that is, from 0.
    index: u32,
}

impl Place {
    /// For two readers: each continues where it was.
    pub(super) const NONE: [Place; 2] = [Place {
        number: 0,
        first: 0,
        bytes: 0,
        #[cfg(feature = "exfat")]
        valid: u32::MAX,
        is_contiguous: false,
        cluster: 0,
        index: 0,
    }; 2];

    fn of(number: u32, entry: &Entry) -> Self {
        Place {
            number,
            first: entry.first,
            bytes: entry.bytes,
            #[cfg(feature = "exfat")]
            valid: entry.valid,
            is_contiguous: entry.is_contiguous,
            cluster: entry.first,
            index: 0,
        }
    }
}

/// Blocks of the FAT that a search for a place reads before it pauses.
const PAUSE_AFTER: u32 = 32;

/// A call that reads beside what the recorder does, which continues afterwards.
pub(crate) struct Aside {
    cursor: Cursor,
    is_open: bool,
    /// Blocks of the FAT that were read.
    links: u32,
    /// What the call does, and to which log.
    reads: (Operation, u32),
}

impl Aside {
    /// A list of the logs, or a read of one.
    pub(crate) fn new(operation: Operation, number: u32) -> Self {
        Aside { cursor: Cursor::NONE, is_open: false, links: 0, reads: (operation, number) }
    }
}

impl Recorder {
    /// After the call and the error that it returns. Its future may have been dropped, so the next call does it, too.
    pub(crate) fn end_aside(&mut self) {
        self.reads = None;
    }

    /// The next log of the folder, as [`next_log`](Recorder::next_log).
    #[inline(never)]
    pub(crate) fn next_log_aside(&mut self, aside: &mut Aside, block: &Block) -> Result<Option<(u32, Entry)>, Stop> {
        self.reads = Some(aside.reads);
        core::mem::swap(&mut self.cursor, &mut aside.cursor);
        let opened = if aside.is_open { Ok(()) } else { self.open_folder() };
        aside.is_open = opened.is_ok();
        let next = opened.and_then(|()| self.next_log(block));
        core::mem::swap(&mut self.cursor, &mut aside.cursor);
        next
    }

    /// Loads the block with a byte of a log. Returns how many of the log's bytes it has from that one on; 0 at the end.
    pub(crate) fn load_at(&mut self, offset: u32, aside: &mut Aside, block: &mut Block) -> Result<usize, Stop> {
        self.reads = Some(aside.reads);
        let (_, number) = aside.reads;
        let index = offset >> 9 >> self.disk.volume.shift;
        let open = self.log.filter(|log| log.number == number);
        if let Some(log) = open
            && (offset >= log.bytes || index >= log.base)
        {
            // Its entry may not be in use yet, and its run needs no links.
            return self.load(log.first + (index - log.base.min(index)), offset, log.bytes);
        }
        self.find_place(number, index, aside, block)?;
        let place = self.places[0];
        let bytes = open.map_or(place.bytes, |log| log.bytes);
        if offset >= bytes {
            #[cfg(feature = "exfat")]
            if self.disk.volume.is_exfat() && bytes == u32::MAX {
                return Err(Stop::Fault(Fault::Beyond4Gib));
            }
            return Ok(0);
        }
        let cluster = self.go_to(index, aside, block)?;
        let left = self.load(cluster, offset, bytes)?;
        #[cfg(feature = "exfat")]
        if open.is_none() && place.valid.saturating_sub(offset & !511) < 512 {
            // What was never written reads as zeros.
            block[place.valid.saturating_sub(offset & !511) as usize..].fill(0);
            self.disk.loaded.at = NOTHING;
        }
        Ok(left)
    }

    /// Loads the block of a cluster with a byte of a log that has `bytes` bytes.
    fn load(&mut self, cluster: u32, offset: u32, bytes: u32) -> Result<usize, Stop> {
        let left = bytes.saturating_sub(offset).min(512 - offset % 512);
        if left > 0 {
            if !self.disk.volume.has(cluster) {
                return Err(Stop::damaged(Damage::Outside));
            }
            self.disk
                .need(self.disk.volume.block_of(cluster) + (offset >> 9 & (self.disk.volume.cluster_blocks() - 1)))?;
        }
        Ok(left as usize)
    }

    /// Makes the first place one of a log, from which the cluster with an index can be reached.
    fn find_place(&mut self, number: u32, index: u32, aside: &mut Aside, block: &Block) -> Result<(), Stop> {
        let [place, other] = self.places;
        let is_of = |place: &Place| place.number == number;
        let is_at = |place: &Place| is_of(place) && place.index <= index;
        let from_the_first = |place: Place| Place { cluster: place.first, index: 0, ..place };
        self.places = if is_at(&place) {
            [place, other]
        } else if is_at(&other) {
            [other, place]
        } else if is_of(&other) {
            [from_the_first(other), place]
        } else if is_of(&place) {
            [from_the_first(place), other]
        } else {
            loop {
                match self.next_log_aside(aside, block)? {
                    Some((found, entry)) if found == number => break [Place::of(number, &entry), place],
                    Some(_) => {}
                    None => return Err(Stop::Fault(Fault::NoLog)),
                }
            }
        };
        Ok(())
    }

    /// Follows the chain of the first place to the cluster with an index.
    fn go_to(&mut self, index: u32, aside: &mut Aside, block: &Block) -> Result<u32, Stop> {
        let mut place = self.places[0];
        while place.index < index {
            if place.is_contiguous {
                place.cluster = place.cluster.saturating_add(index - place.index);
                place.index = index;
                break;
            }
            if !self.disk.volume.has(place.cluster) {
                return Err(Stop::damaged(Damage::Short));
            }
            if let Err(stop) = self.disk.need_link(place.cluster) {
                self.places[0] = place;
                if aside.links == PAUSE_AFTER {
                    return Err(Stop::Pause);
                }
                aside.links += 1;
                return Err(stop);
            }
            (place.cluster, place.index) = (self.disk.volume.link(block, place.cluster), place.index + 1);
        }
        self.places[0] = place;
        Ok(place.cluster)
    }

    /// The serial number of the volume that was mounted last.
    pub(crate) fn serial(&self) -> u32 {
        self.disk.volume.serial
    }

    /// The newest log, if one was begun since the boot.
    pub(crate) fn newest_number(&self) -> Option<u32> {
        let last = Some(self.last_of_boot).filter(|&last| last != 0);
        self.log.map(|log| log.number).or(last)
    }
}
