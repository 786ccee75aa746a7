//! Which clusters a log doesn't need: after a power cut, as its note says, and at its end.

use super::bytes::{Block, u32_at};
use super::directory::SlotPlace;
use super::entry::{DELETED, FOLDER, fat};
use super::note::{Note, Purpose};
use super::release::{Owner, Release, ReleaseStep};
use super::{Recorder, Stop, Task};

impl Recorder {
    /// Completes what the note at the cursor tells of.
    pub(super) fn mend(&mut self, block: &mut Block) -> Result<(), Stop> {
        let place = self.cursor.place;
        let volume = &self.disk.volume;
        let Some(note) = Note::read(place.of(block), volume.unused()) else { return Ok(()) };
        let end = note.first.saturating_add(note.count);
        let mut release = Release::new(note.first, end, SlotPlace { slot: note.slot, ..place });
        release.note = place.slot;
        if !volume.is_exfat()
            && let Some(noted) = Note::size(place.of(block))
        {
            release.marked_end = note.first.saturating_add(noted).max(end);
        }
        let is_linked = note.prev == 0 || volume.has(note.prev);
        if !volume.has(note.first) || release.marked_end > volume.end() || !is_linked {
            // Another volume's.
            release.step = ReleaseStep::EraseNote;
        } else if note.purpose == Purpose::Growth {
            (release.prev, release.owner) = (note.prev, Owner::Directory);
        } else if volume.is_exfat() {
            #[cfg(feature = "exfat")]
            self.mend_set(&mut release, &note, block)?;
        } else {
            let slot = release.place.of(block);
            if slot[0] != DELETED && slot[0] != 0 && fat::identity(slot) == note.identity {
                if slot[11] & FOLDER != 0 {
                    release.step = ReleaseStep::EraseNote;
                } else {
                    release.keep(volume.clusters_of(u32_at(slot, 28)), note.base, note.prev);
                }
            }
        }
        self.task = Task::Release(release);
        Ok(())
    }

    /// Ends the open log, of which all is flushed.
    pub(super) fn end_log(&mut self) {
        let Some(log) = self.log.take() else { return };
        let mut release = Release::new(log.first, log.end(), log.place);
        release.note = log.note;
        if self.disk.volume.is_exfat() && log.bytes == 0 {
            #[cfg(feature = "exfat")]
            {
                release.step = ReleaseStep::FindTaken;
            }
        } else {
            release.keep(self.disk.volume.clusters_of(log.bytes), log.base, log.prev);
        }
        self.task = Task::Release(release);
    }
}
