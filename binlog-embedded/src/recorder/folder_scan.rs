//! The number of the next log, a place for its entry, and room for its contents.

use super::bytes::Block;
use super::directory::{Entry, Item, SLOTS, SlotPlace};
use super::entry::READ_ONLY;
use super::name::LAST_NUMBER;
use super::{Goal, OpenFile, Recorder, Stop, Task};
use crate::recorder::{Fault, Operation};

/// What a pass over the folder found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FolderScan {
    /// The number of the log that all of this is for; 0 for the folder itself.
    pub(super) number: u32,
    /// Clusters of the logs that may be removed.
    pub(super) gain: u32,
    /// The number of the oldest of them, and its first cluster.
    pub(super) oldest: u32,
    oldest_first: u32,
    /// How many logs there are, and how many there were before one was removed.
    pub(super) logs: u32,
    pub(super) logs_before: u32,
    /// Whether a file or a folder has the number already.
    pub(super) is_taken: bool,
    /// A log whose number the new log needs.
    pub(super) in_the_way: u32,
    /// Where the entry can stand, and the slot in the same block for its note; [`SlotPlace::NONE`] if nowhere.
    pub(super) entry: SlotPlace,
    pub(super) note: u8,
    /// A slot that isn't in use; [`SlotPlace::NONE`] if there is none.
    pub(super) free: SlotPlace,
    /// Whether the pass came to the end of the folder, so that `gain` and `oldest` are known.
    pub(super) is_done: bool,
}

impl FolderScan {
    pub(crate) const NONE: FolderScan = FolderScan {
        number: 0,
        gain: 0,
        oldest: 0,
        oldest_first: 0,
        logs: 0,
        logs_before: u32::MAX,
        is_taken: false,
        in_the_way: 0,
        entry: SlotPlace::NONE,
        note: 0,
        free: SlotPlace::NONE,
        is_done: false,
    };

    /// Forgets what was seen, and begins again for a log.
    #[inline(never)]
    pub(super) fn begin(&mut self, number: u32) {
        *self = FolderScan { number, ..FolderScan::NONE };
    }
}

/// How many numbers after `from` another one comes, up to `last - 1`.
fn distance(from: u32, to: u32, last: u32) -> u32 {
    if to >= from { to - from } else { last - from + to }
}

/// As [`distance`], from a number to itself once around.
fn ahead(from: u32, to: u32, last: u32) -> u32 {
    match distance(from, to, last) {
        0 => last,
        distance => distance,
    }
}

impl Recorder {
    #[inline(never)]
    pub(crate) fn last_number(&self) -> u32 {
        self.options.last_number.clamp(1, LAST_NUMBER)
    }

    /// Looks for the highest number of a log, and so for the next one.
    pub(super) fn find_highest(&mut self, highest: u32, block: &Block) -> Result<(), Stop> {
        let last = self.last_number();
        match self.next_item(block)? {
            Item::Entry => {
                let number = self.number_of_item();
                if number <= last {
                    self.task = Task::FindHighest { highest: highest.max(number) };
                }
            }
            Item::Unused | Item::End if highest < last => return self.scan_for(highest + 1),
            Item::Unused | Item::End => {
                // The numbers have wrapped, or are about to: those from 1 on are the newest.
                self.task = Task::FindGap { gap: 0, taken: 0 };
                return self.open_folder();
            }
            _ => {}
        }
        Ok(())
    }

    /// Looks for the first number that isn't taken, 32 numbers at a time.
    pub(super) fn find_gap(&mut self, gap: u32, taken: u32, block: &Block) -> Result<(), Stop> {
        match self.next_item(block)? {
            Item::Entry => {
                if let ahead @ 0..32 = self.number_of_item().wrapping_sub(gap + 1) {
                    self.task = Task::FindGap { gap, taken: taken | 1 << ahead };
                }
            }
            Item::Unused | Item::End => {
                let gap = gap + taken.trailing_ones();
                if gap >= self.last_number() {
                    return self.scan_for(1);
                }
                if taken != u32::MAX {
                    return self.scan_for(gap + 1);
                }
                self.task = Task::FindGap { gap, taken: 0 };
                return self.open_folder();
            }
            _ => {}
        }
        Ok(())
    }

    /// Begins a pass over the folder for a log.
    pub(super) fn scan_for(&mut self, number: u32) -> Result<(), Stop> {
        self.folder_scan.begin(number);
        self.task = Task::LookAround;
        self.open_folder()
    }

    /// Looks around again, after a log was removed.
    pub(super) fn scan_again(&mut self) -> Result<(), Stop> {
        let FolderScan { number, logs, .. } = self.folder_scan;
        let next = self.scan_for(number);
        self.folder_scan.logs_before = logs;
        next
    }

    /// Looks at an item of the folder; after the last, continues with what the pass was for.
    pub(super) fn look_around(&mut self, block: &Block) -> Result<(), Stop> {
        let item = self.next_item(block)?;
        if item == Item::Block {
            self.look_at_slots(block);
        }
        if item == Item::Entry {
            self.look_at_log();
        }
        if !matches!(item, Item::Unused | Item::End) {
            return Ok(());
        }
        if item == Item::Unused && self.is_growth() && self.goal != Goal::Remove {
            self.task = Task::FillSlots;
            return Ok(());
        }
        if self.folder_scan.logs >= self.folder_scan.logs_before {
            // The log is there again.
            return Err(Stop::Changed);
        }
        if self.goal == Goal::Remove {
            return match self.folder_scan.oldest {
                0 => self.end_task(),
                oldest => self.remove(oldest),
            };
        }
        if self.folder_scan.is_taken && self.folder_scan.in_the_way != self.folder_scan.number {
            self.operation = Operation::Create;
            return Err(Stop::Fault(Fault::NoNumber));
        }
        if self.folder_scan.in_the_way != 0 {
            return self.remove(self.folder_scan.in_the_way);
        }
        if self.is_growth() {
            return self.grow();
        }
        self.folder_scan.is_done = true;
        self.task = Task::MakeRoom;
        Ok(())
    }

    /// Looks for slots for the note and the entry in a block of the directory.
    fn look_at_slots(&mut self, block: &Block) {
        let place = |slot| SlotPlace { slot, ..self.cursor.place };
        let is_free = |slot: u8| self.disk.volume.is_unused(place(slot).of(block));
        let needed = if self.disk.volume.is_exfat() { 3 } else { 1 };
        let mut run = 0;
        let mut note = None;
        for slot in 0..SLOTS {
            run = if is_free(slot) { run + 1 } else { 0 };
            if run > 0 && self.folder_scan.free == SlotPlace::NONE {
                self.folder_scan.free = place(slot);
            }
            match note {
                None if run > 0 => (note, run) = (Some(slot), 0),
                Some(note) if run == needed && self.folder_scan.entry == SlotPlace::NONE => {
                    (self.folder_scan.note, self.folder_scan.entry) = (note, place(slot + 1 - needed));
                }
                _ => {}
            }
        }
    }

    fn look_at_log(&mut self) {
        let last = self.last_number();
        let (entry, number) = (&self.cursor.entry, self.number_of_item());
        if number == 0 || number > last || self.folder_scan.number == 0 {
            return;
        }
        self.folder_scan.logs += 1;
        let is_taken = number == self.folder_scan.number && self.goal == Goal::Begin;
        let is_next = is_taken || ahead(self.folder_scan.number, number, last) == 1;
        self.folder_scan.is_taken |= is_taken;
        if self.may_remove(entry, number, last) {
            // The newest log comes before a number that is free, so that the next mount knows it.
            if is_taken || (is_next && self.goal == Goal::Begin && self.folder_scan.in_the_way == 0) {
                self.folder_scan.in_the_way = number;
            }
            self.folder_scan.gain = self.folder_scan.gain.saturating_add(self.disk.volume.clusters_of(entry.bytes));
            let age = |log| ahead(self.folder_scan.number, log, last);
            if self.folder_scan.oldest == 0 || age(number) < age(self.folder_scan.oldest) {
                (self.folder_scan.oldest, self.folder_scan.oldest_first) = (number, entry.first);
            }
        }
    }

    /// Whether a log is one of an earlier boot, which isn't somebody's to keep.
    fn may_remove(&self, entry: &Entry, number: u32, last: u32) -> bool {
        let is_of_boot = self.first_of_boot != 0
            && distance(self.first_of_boot, number, last) <= distance(self.first_of_boot, self.last_of_boot, last);
        // No log has 4 GiB.
        let is_log = !entry.is_folder() && entry.bytes != u32::MAX;
        !self.is_boot_unknown && !is_of_boot && is_log && entry.attributes & READ_ONLY == 0
    }

    /// Clusters that stay free.
    #[inline(never)]
    pub(super) fn spare(&self) -> u32 {
        // Blocks are enough: 32 bits of them are 2 TB.
        let blocks = u32::try_from(self.options.free_bytes.div_ceil(512)).unwrap_or(u32::MAX);
        self.disk.volume.clusters_of_blocks(blocks)
    }

    /// Decides how many clusters the next run may have, and whether logs are removed for it.
    pub(super) fn make_room(&mut self, block: &Block) -> Result<(), Stop> {
        let spare = self.spare();
        let free = self.disk.free;
        let allowed = if self.goal == Goal::Mount {
            // The folder.
            self.search_for(self.folder_clusters());
            return Ok(());
        } else if (!self.disk.is_counted() && self.is_small()) || (self.disk.is_hint && free <= spare) {
            self.begin_count();
            return Ok(());
        } else if !self.disk.is_counted() {
            u32::MAX
        } else if free > spare {
            free - spare
        } else if !self.folder_scan.is_done {
            let number = self.log.map_or(0, |log| log.number);
            return self.scan_for(number);
        } else {
            let FolderScan { oldest, gain, .. } = self.folder_scan;
            let is_enough = free.saturating_add(gain) > spare;
            if oldest != 0 && gain > 0 && (is_enough || free == 0) {
                self.check_growth(block)?;
                return self.remove(oldest);
            }
            if free == 0 {
                if self.goal == Goal::Begin {
                    self.operation = Operation::Create;
                }
                return Err(Stop::Fault(Fault::Full));
            }
            // What is left is used, because no removal would leave as much free as is wanted.
            free
        };
        self.search_for(self.wanted(allowed));
        Ok(())
    }

    /// On exFAT, where the open log can't grow, a removal waits until there is a place for another log's entry.
    fn check_growth(&mut self, block: &Block) -> Result<(), Stop> {
        let Some(end) = self.log.as_ref().map(OpenFile::end).filter(|_| self.is_pinned()) else { return Ok(()) };
        if end != self.folder_scan.oldest_first {
            let is_within = self.disk.volume.has(end);
            if is_within {
                self.disk.need_value(end)?;
            }
            if !is_within || self.disk.volume.value(block, end) != 0 {
                return Err(Stop::Fault(Fault::Blocked));
            }
        }
        Ok(())
    }

    /// The log is written to from now on.
    pub(super) fn open_log(&mut self) {
        let (number, last) = (self.new.number, self.last_number());
        if self.first_of_boot == 0 {
            (self.first_of_boot, self.last_of_boot) = (number, number);
        }
        // A number may be used again, after its log was removed: the logs of this boot only become more.
        let span = distance(self.first_of_boot, self.last_of_boot, last);
        if distance(self.first_of_boot, number, last) > span {
            match distance(number, self.first_of_boot, last) < distance(self.last_of_boot, number, last) {
                true => self.first_of_boot = number,
                false => self.last_of_boot = number,
            }
        }
        (self.log, self.is_blocked) = (Some(self.new), false);
        self.operation = Operation::Write;
        self.task = Task::Done;
    }
}

#[cfg(test)]
mod tests {
    use super::{ahead, distance};

    #[test]
    fn numbers_wrap() {
        assert_eq!(ahead(3, 4, 5), 1);
        assert_eq!(ahead(5, 1, 5), 1);
        assert_eq!(ahead(4, 3, 5), 4);
        assert_eq!(ahead(4, 4, 5), 5);
        assert_eq!(distance(4, 4, 5), 0);
        assert_eq!(distance(5, 1, 5), 1);
    }
}
