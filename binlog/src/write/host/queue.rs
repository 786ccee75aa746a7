//! The queue between the program's threads and the thread that writes.

use super::walk::RecordWalk;
use crate::format::header::record_header;
use crate::format::{Definition, LogSchema};
use crate::write::sink::{Gate, Rate, Refused};
use crate::write::writer::LONGEST_RECORD;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

/// After a log that couldn't be begun, the next is tried at the earliest after this time, because each try costs a
/// folder a search.
const REOPEN: Duration = Duration::from_secs(1);

/// Microseconds since boot.
pub(super) type Clock = Arc<dyn Fn() -> u64 + Send + Sync>;

/// Records on their way to the thread that writes: a buffer that it takes as a whole, and replaces by an empty one. So
/// the lock is held for one record, or for a swap.
pub(super) struct Queue<S: LogSchema> {
    state: Mutex<State<S::Counters>>,
    /// The writing thread waits for records.
    work: Condvar,
    /// Loggers wait for room.
    room: Condvar,
    clock: Mutex<Clock>,
    text_id: AtomicU8,
    /// The most bytes that wait.
    capacity: usize,
    /// Whether a logger waits for room, or drops its record.
    waits: bool,
    /// Whether the destination can begin another log.
    has_more_logs: bool,
}

pub(super) struct State<C> {
    /// Whole records.
    records: Vec<u8>,
    /// Offsets in `records` at which a new log begins.
    new_logs: Vec<usize>,
    /// Whether the newest log, or the one that is asked for, has an accepted record.
    has_record: bool,
    pub(super) gate: Gate<C>,
    /// Bytes that only critical messages use.
    reserve: usize,
    /// Whether records are accepted.
    is_running: bool,
    /// The destination is given up: nothing leaves the queue any more.
    pub(super) has_failed: bool,
    /// The queue is to be emptied for the last time.
    is_ending: bool,
    /// Whether the writing thread waits, and wants to be woken when many records wait.
    is_idle: bool,
    /// A record found no room since the last batch was taken.
    lacks_room: bool,
    /// Logs that have begun, the first included.
    logs_begun: u32,
    /// When the last try to begin a log failed, if it did.
    not_begun: Option<Instant>,
    writer: Option<ThreadId>,
    high_water: usize,
    pub(super) longest_stall_us: u32,
}

/// One record to be queued.
pub(super) struct Candidate<'a> {
    pub(super) index: usize,
    pub(super) id: u8,
    pub(super) rate: Option<Rate>,
    pub(super) is_critical: bool,
    /// The length that the definition says.
    pub(super) length: usize,
    pub(super) payload: &'a [u8],
}

/// What the writing thread takes.
pub(super) struct Batch {
    pub(super) records: Vec<u8>,
    pub(super) new_logs: Vec<usize>,
    /// Whether it is the last.
    pub(super) is_last: bool,
}

impl Batch {
    /// An empty one, with memory for `capacity` bytes of records.
    fn new(capacity: usize) -> Self {
        Batch { records: touched(capacity), new_logs: Vec::new(), is_last: false }
    }
}

/// Memory that the operating system has provided already, so that no logger waits for it.
fn touched(capacity: usize) -> Vec<u8> {
    let mut memory = Vec::with_capacity(capacity);
    memory.resize(capacity, u8::MAX);
    memory.clear();
    memory
}

impl<S: LogSchema> Queue<S> {
    /// A queue, and the first batch of the thread that writes.
    pub(super) fn new(capacity: usize, reserve: usize, waits: bool, has_more_logs: bool) -> (Self, Batch) {
        let begun = Instant::now();
        let state = State {
            records: touched(capacity),
            new_logs: Vec::new(),
            has_record: false,
            gate: Gate::NEW,
            reserve: reserve.min(capacity - LONGEST_RECORD),
            is_running: true,
            has_failed: false,
            is_ending: false,
            is_idle: false,
            lacks_room: false,
            logs_begun: 1,
            not_begun: None,
            writer: None,
            high_water: 0,
            longest_stall_us: 0,
        };
        let clock: Clock = Arc::new(move || u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX));
        let queue = Queue {
            state: Mutex::new(state),
            work: Condvar::new(),
            room: Condvar::new(),
            clock: Mutex::new(clock),
            text_id: AtomicU8::new(0),
            capacity,
            waits,
            has_more_logs,
        };
        (queue, Batch::new(capacity))
    }

    /// Nothing that holds the lock runs the program's code, so a panic elsewhere leaves the state whole.
    pub(super) fn lock(&self) -> MutexGuard<'_, State<S::Counters>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn capacity(&self) -> usize {
        self.capacity
    }

    pub(super) fn now_us(&self) -> u64 {
        let clock = Arc::clone(&self.clock.lock().unwrap_or_else(PoisonError::into_inner));
        clock()
    }

    pub(super) fn next_text_id(&self) -> u8 {
        self.text_id.fetch_add(1, Ordering::Relaxed).wrapping_add(1)
    }

    pub(super) fn start(&self, clock: Clock) {
        // Dropped after the lock, because it is the program's.
        let before = std::mem::replace(&mut *self.clock.lock().unwrap_or_else(PoisonError::into_inner), clock);
        drop(before);
        let mut state = self.lock();
        state.is_running = !state.is_ending;
    }

    pub(super) fn stop(&self) {
        self.lock().is_running = false;
        // Whoever waits for room is refused now.
        self.room.notify_all();
    }

    pub(super) fn is_running(&self) -> bool {
        let state = self.lock();
        state.is_running && !state.has_failed
    }

    pub(super) fn set_reserve(&self, bytes: usize) {
        self.lock().reserve = bytes.min(self.capacity - LONGEST_RECORD);
        self.room.notify_all();
    }

    /// Puts a record into the queue, or counts it. `may_wait` allows to wait for room if the queue does so.
    pub(super) fn put(&self, record: &Candidate<'_>, may_wait: bool) -> bool {
        let mut state = self.lock();
        let due = loop {
            if !state.is_running {
                state.gate.refuse(record.index, Refused::Ignored);
                return false;
            }
            let Ok(due) = state.gate.admit(record.index, record.rate, record.payload) else { return false };
            let limit = if record.is_critical { self.capacity } else { self.capacity - state.reserve };
            // A derived message has the length of its definition; one that is implemented by hand may contradict
            // itself.
            let is_sound = Definition::HEADER_LENGTH + record.payload.len() == record.length && record.length <= 255;
            if is_sound && !state.has_failed && state.records.len() + record.length <= limit {
                break due;
            }
            if is_sound && !state.has_failed {
                state.lacks_room = true;
                if std::mem::take(&mut state.is_idle) {
                    self.work.notify_one();
                }
            }
            if !is_sound || state.has_failed || !self.waits || !may_wait || state.is_writer() {
                state.gate.refuse(record.index, Refused::Full);
                return false;
            }
            state = self.room.wait(state).unwrap_or_else(PoisonError::into_inner);
        };
        state.records.extend_from_slice(&record_header(record.id));
        state.records.extend_from_slice(record.payload);
        state.has_record = true;
        state.gate.charge(due);
        let wakes = state.records.len() >= self.wake_bytes(state.reserve) && std::mem::take(&mut state.is_idle);
        drop(state);
        if wakes {
            self.work.notify_one();
        }
        true
    }

    /// With this number of waiting bytes, the writing thread is woken early. So there are few system calls, and the
    /// queue is mostly empty, also the part outside the reserve.
    fn wake_bytes(&self, reserve: usize) -> usize {
        (self.capacity / 4).min((self.capacity - reserve) / 2).min(64 * 1024)
    }

    /// Marks the place in the queue at which a new log begins. Returns whether one will be tried.
    pub(super) fn new_log(&self) -> bool {
        let mut memory = Vec::new();
        loop {
            let mut state = self.lock();
            if !self.has_more_logs || !state.is_running || state.has_failed || state.is_reopening() {
                return false;
            }
            if !state.has_record {
                return true;
            }
            if !state.begin_log(&mut memory) {
                // Loggers don't wait for the allocator.
                let marked = state.new_logs.len();
                drop(state);
                memory = Vec::with_capacity(2 * marked + 4);
                continue;
            }
            (state.has_record, state.is_idle) = (false, false);
            drop(state);
            self.work.notify_one();
            return true;
        }
    }

    /// A log has begun.
    pub(super) fn has_begun_log(&self) {
        let mut state = self.lock();
        (state.logs_begun, state.not_begun) = (state.logs_begun.wrapping_add(1), None);
    }

    /// The next log can't begin.
    pub(super) fn cannot_begin_log(&self) {
        self.lock().not_begun = Some(Instant::now());
    }

    /// The log that was asked for last wasn't begun, so that it may be asked for again.
    pub(super) fn has_refused_log(&self) {
        let mut state = self.lock();
        // Meanwhile another may be asked for.
        state.has_record |= state.new_logs.is_empty();
    }

    /// Whether a next log couldn't be begun a moment ago, and isn't tried yet.
    pub(super) fn is_reopening(&self) -> bool {
        self.lock().is_reopening()
    }

    /// Logs that have begun, the first included.
    pub(super) fn logs_begun(&self) -> u32 {
        self.lock().logs_begun
    }

    /// Bytes that wait now, the most that did, and the longest stall.
    pub(super) fn usage(&self) -> (usize, usize, u32) {
        let state = self.lock();
        (state.records.len(), state.high_water.max(state.records.len()), state.longest_stall_us)
    }

    /// Makes the calling thread the one that writes.
    pub(super) fn begin_writing(&self) {
        self.lock().writer = Some(thread::current().id());
    }

    /// Replaces an empty batch by what waits, after `period` or when it is much. Returns the bytes that waited.
    pub(super) fn take(&self, batch: &mut Batch, period: Duration) -> usize {
        let mut state = self.lock();
        let is_urgent = state.lacks_room || state.is_ending || !state.new_logs.is_empty();
        if state.records.len() < self.wake_bytes(state.reserve) && !is_urgent {
            state.is_idle = true;
            // Woken for no reason, the thread writes a little sooner.
            (state, _) = self.work.wait_timeout(state, period).unwrap_or_else(PoisonError::into_inner);
            state.is_idle = false;
        }
        let used = state.records.len();
        state.high_water = state.high_water.max(used);
        std::mem::swap(&mut state.records, &mut batch.records);
        std::mem::swap(&mut state.new_logs, &mut batch.new_logs);
        state.lacks_room = false;
        batch.is_last = state.is_ending;
        drop(state);
        if self.waits {
            self.room.notify_all();
        }
        used
    }

    /// Ends the log: nothing more is accepted, and the writing thread takes the rest.
    pub(super) fn end(&self) {
        let mut state = self.lock();
        (state.is_running, state.is_ending) = (false, true);
        drop(state);
        self.work.notify_one();
        self.room.notify_all();
    }

    /// Gives the destination up: `rest` and what waits count as lost, and everything after it is dropped.
    pub(super) fn fail(&self, rest: &[u8]) {
        let mut state = self.lock();
        state.has_failed = true;
        let waiting = std::mem::take(&mut state.records);
        drop(state);
        self.room.notify_all();
        // Loggers don't wait until all of them are counted.
        let lost = [rest, &waiting].map(|records| RecordWalk::<S>::new(records).counts());
        let mut state = self.lock();
        for (index, &records) in lost.iter().flat_map(|counts| counts.iter().enumerate()) {
            state.gate.lose(index, records);
        }
    }
}

impl<C> State<C> {
    /// Marks the end of the records as the place of a new log, without allocating: `memory` replaces the list's if that
    /// is full. Returns whether one of them had room.
    fn begin_log(&mut self, memory: &mut Vec<usize>) -> bool {
        if self.new_logs.len() == self.new_logs.capacity() {
            if memory.capacity() <= self.new_logs.len() {
                return false;
            }
            memory.extend_from_slice(&self.new_logs);
            std::mem::swap(memory, &mut self.new_logs);
        }
        self.new_logs.push(self.records.len());
        true
    }

    fn is_reopening(&self) -> bool {
        self.not_begun.is_some_and(|at| at.elapsed() < REOPEN)
    }

    /// Whether the calling thread is the one that makes room, which can't wait for it.
    fn is_writer(&self) -> bool {
        self.writer == Some(thread::current().id())
    }
}
