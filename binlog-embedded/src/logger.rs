// Held by binlog-embedded/tests/logger.rs, binlog-embedded/tests/loom.rs, binlog-embedded/tests/stress.rs.

//! The producer's side: puts records into the ring whole, or counts them.

use crate::plain_text::{Pieces, PlainText};
use crate::ring::{Ring, place};
use crate::sync::Locked;
use binlog::__private::ConstText;
use binlog::ring_format::{Accepts, FileFormat, FormatOf, Schema, TagTable, Texts};
use binlog::sink::{Admission, Counters, Due, MessageSet, Parts, Rate, Refused, Sink, Statistics, Tally, TimedSink};
use binlog::{LogSchema, SchemaMessage};
use core::fmt::Display;
use core::sync::atomic::{Ordering, compiler_fence};

/// A ring of `N` bytes. It takes records of the schema `S` from any context and keeps them for its
/// [`Drain`](crate::Drain).
///
/// ```
/// use binlog::{LogSchema, messages::{Ev, Msg}};
/// use binlog_embedded::Logger;
///
/// #[derive(LogSchema)]
/// enum FlightLog {
///     Msg(Msg),
///     Ev(Ev),
/// }
///
/// static LOG: Logger<FlightLog, 4096> = Logger::new();
///
/// fn micros() -> u64 {
/// #   7
///     // … of the board's timer
/// }
///
/// LOG.start(micros);
/// assert!(LOG.log(&Ev { time_us: micros(), id: 10 }));
/// LOG.text("armed");
/// # assert_eq!(LOG.statistics().used, 12 + 77);
/// ```
///
/// [`log`](Logger::log) runs in a critical section ([`critical_section`]; the program chooses its implementation, which
/// masks interrupts on a single core). It copies at most 255 bytes, so its time is bounded. It doesn't allocate or
/// format, and never waits for room; on several cores it waits for the critical section of another core. Call it from
/// main, from tasks, and from interrupts of any priority that the critical section masks, but not from an NMI or a
/// fault handler.
///
/// `N` is a power of two from 512 bytes to 1 GiB.
///
/// A record is accepted whole or not at all. Records that are not accepted are counted in the [`Tally`] of their
/// message. The last [`reserve`](Logger::set_reserve) bytes of the ring are kept for critical messages: MSG, EV, ERR
/// and MODE, and those that the schema marks `#[log(critical)]`.
// The order of the fields: the state before the ring, and in it first the fields that every `log` reads. Then a
// Cortex-M reaches them by the logger's address and an offset that fits into the instruction.
#[repr(C)]
pub struct Logger<S: Schema, const N: usize> {
    pub(crate) state: Locked<State<CountersOf<S>>>,
    pub(crate) ring: Ring<N>,
}

/// The counts of a schema's records.
pub(crate) type CountersOf<S> = <FormatOf<S> as FileFormat<S>>::Counters;

/// State shared by producers and the drain. Initially all zero, so that a static logger takes no flash.
///
/// [`Logger::log`] is sound because of two facts, which hold outside of critical sections. The head is at most N bytes
/// after the tail. The stop is at most N bytes after the tail, too, and not after the next end of the ring; in a
/// stopped logger, it is not after the head. Each change of the tail or the limit, and each record that passes the
/// stop, sets the stop again ([`set_stop`](State::set_stop), [`set_limit`](State::set_limit)).
///
/// After a reset, [`Retained`](crate::Retained) trusts head, tail and `synced`, each of which changes with one store.
#[repr(C)]
pub(crate) struct State<C> {
    /// Bytes put into the ring since the start, modulo 2³².
    pub(crate) head: u32,
    /// Records up to here are put by `log`, others by `log_seldom`: `limit` bytes after the tail, or the end of the
    /// ring if that comes first; modulo 2³². After a change of the limit it is at the head. It is before the head while
    /// critical messages use the reserve.
    stop: u32,
    /// The end of the last record that the drain has passed on whole, modulo 2³².
    pub(crate) tail: u32,
    /// The most bytes that may be used by messages that aren't critical: `N` minus the reserve, or 0 while the logger
    /// is stopped.
    limit: u32,
    /// Messages that are switched off.
    masked: MessageSet,
    #[cfg(feature = "async")]
    pub(crate) waker: Option<core::task::Waker>,
    /// Bytes of the reserve plus 1; 0 for an eighth of the ring.
    reserve: u32,
    /// Messages with losses that the current file has no DROP record of yet.
    pub(crate) to_report: MessageSet,
    pub(crate) clock: Option<fn() -> u64>,
    /// The number of the next text.
    pub(crate) text_id: u8,
    /// Whether there is a drain.
    pub(crate) drained: bool,
    /// The most bytes that were used at once.
    pub(crate) high_water: u32,
    /// The longest time in microseconds that records waited while none left the ring.
    pub(crate) longest_stall_us: u32,
    /// The tail at the last flush: the records before it are flushed. At most 1 GiB before the tail.
    pub(crate) synced: u32,
    pub(crate) counters: C,
}

macro_rules! new {
    ($($const:ident)?) => {
        /// Creates an empty, stopped logger.
        ///
        /// # Panics
        ///
        /// If `N` is not a power of two from 512 bytes to 1 GiB. For a `static`, that is a compile error.
        // In the body and not in a const block, so that the error points at the caller's `static`.
        #[track_caller]
        pub $($const)? fn new() -> Self {
            assert_ring_size(N);
            let state = State::NEW;
            Logger { state: Locked::new(state), ring: Ring::new() }
        }
    };
}

impl<S: Schema, const N: usize> Default for Logger<S, N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: Schema, const N: usize> Logger<S, N> {
    #[cfg(not(loom))]
    new!(const);
    #[cfg(loom)]
    new!();

    /// Starts accepting records. `clock` returns microseconds since boot, as in `TimeUS`; texts and statistics use it.
    /// The clock must already be running; it is called from any context that logs a text or drains.
    ///
    /// The clock must not wrap: [`WideCounter`](crate::WideCounter) extends a hardware counter that does. After a wrap,
    /// times in the log run backwards, and what the writers do after a time (flushes, retries, reports) comes too
    /// early.
    pub fn start(&self, clock: fn() -> u64) {
        // For a logger that is not a `static`.
        const { assert_ring_size(N) };
        self.state.with(|state| {
            state.clock = Some(clock);
            state.run::<N>();
        });
    }

    /// Stops accepting records; they count as ignored. Records in the ring stay there for the drain.
    pub fn stop(&self) {
        self.state.with(|state| state.set_limit(0));
    }

    /// Reserves bytes of the ring for critical messages, at most `N - 255`. The default is an eighth of the ring.
    pub fn set_reserve(&self, bytes: usize) {
        self.state.with(|state| {
            state.reserve = bytes.min(const { N.saturating_sub(<FormatOf<S> as FileFormat<S>>::LONGEST) }) as u32 + 1;
            if state.limit != 0 {
                state.run::<N>();
            }
        });
    }

    /// Switches a message off or on at run time. While it is off, its records count as ignored.
    pub fn set_masked<M>(&self, masked: bool)
    where
        FormatOf<S>: Accepts<S, M>,
    {
        self.set_masked_index(<FormatOf<S> as Accepts<S, M>>::INDEX, masked);
    }

    /// As [`set_masked`](Logger::set_masked), by the message's name, for a parameter or a console. Returns false if the
    /// schema has no such message.
    pub fn set_masked_by_name(&self, name: &str, masked: bool) -> bool
    where
        S: LogSchema,
    {
        let index = S::MESSAGES.iter().position(|message| message.definition.name == name);
        index.map(|index| self.set_masked_index(index, masked)).is_some()
    }

    fn set_masked_index(&self, index: usize, masked: bool) {
        self.state.with(|state| match masked {
            true => state.masked.insert(index),
            false => {
                state.masked.remove(index);
            }
        });
    }

    /// Logs a message. Returns whether its record was accepted: it will then be in the file, or be counted as lost with
    /// it.
    #[inline]
    pub fn log<M>(&self, message: &M) -> bool
    where
        FormatOf<S>: Accepts<S, M>,
    {
        let kind = const { &Kind::of::<S, M>() };
        // Outside the critical section, because a message that is implemented by hand runs its own code here.
        let payload = <FormatOf<S> as Accepts<S, M>>::payload(message);
        let is_kept =
            !const { <FormatOf<S> as Accepts<S, M>>::HAS_FILTER } || <FormatOf<S> as Accepts<S, M>>::is_kept(message);
        let put = self.state.with(|state| {
            if !is_kept {
                return state.refuse(kind, Refused::Early);
            }
            let Admission::Now(due) = state.admit(kind, payload) else { return state.refuse(kind, Refused::Early) };
            // Head and stop are at most 2³⁰ bytes apart, so the difference has a sign.
            let is_before_stop = state.stop.wrapping_sub(state.head) as i32 >= i32::from(kind.length);
            if !is_before_stop
                || state.masked.contains(kind.index.into())
                || !kind.is_sound(payload)
                || kind.payload == 0
            {
                return Put::Seldom;
            }
            // SAFETY: the bytes from the head to tail + N are unused and belong to the producer. `length` of them are
            // before the stop, so they end at tail + N at most, and at the end of the ring at most. The critical
            // section admits only one producer at a time. Header and payload fit into `length`: `length_of` adds the
            // header to the payload's length by the definition, which `is_sound` compares with the real one. The head
            // is a multiple of the unit: it starts at 0 or was checked by `Retained::look`, and lengths are multiples.
            unsafe { self.ring.put::<S, M>(state.head, kind.tag, payload) };
            state.accept(kind, due)
        });
        // One call for all other cases, after the critical section and with few arguments: the usual case saves no
        // registers for it.
        if matches!(put, Put::Seldom) { self.log_seldom(kind, payload) } else { self.end_log(put) }
    }

    /// Logs a record that passes the stop or has no payload, or counts a record that is refused. Decides again, because
    /// other contexts may have logged since [`log`](Logger::log) decided.
    #[cold]
    #[inline(never)]
    fn log_seldom(&self, kind: &'static Kind, payload: &[u8]) -> bool {
        let put = self.state.with(|state| match state.refusal::<N>(kind, payload) {
            Some(why) => state.count_refused(kind, why),
            // SAFETY: `refusal` found room and a sound payload.
            None => unsafe { self.put_in_parts(state, kind, payload) },
        });
        self.end_log(put)
    }

    /// Puts a record into the ring that may wrap around its end.
    ///
    /// # Safety
    ///
    /// The ring has room for it, and the payload is sound.
    #[inline(never)]
    unsafe fn put_in_parts(&self, state: &mut State<CountersOf<S>>, kind: &Kind, payload: &[u8]) -> Put {
        let due = match state.admit(kind, payload) {
            Admission::Now(due) => due,
            // Not so, because `refusal` has asked.
            Admission::Early => None,
        };
        // SAFETY: as in `log`, where the record may wrap around the end of the ring.
        unsafe { self.ring.put_in_parts::<S>(state.head, kind.tag, payload) };
        let put = state.accept(kind, due);
        state.set_stop::<N>();
        put
    }

    #[inline(always)]
    fn end_log(&self, put: Put) -> bool {
        #[cfg(feature = "async")]
        if matches!(put, Put::AcceptedAndAwaited) {
            self.wake();
        }
        !matches!(put, Put::Refused)
    }

    #[cfg(feature = "async")]
    #[cold]
    fn wake(&self) {
        // Outside the critical section, because it runs the waker's own code.
        if let Some(waker) = self.state.with(|state| state.waker.take()) {
            waker.wake();
        }
    }

    /// The counts of one message.
    pub fn tally<M>(&self) -> Tally
    where
        FormatOf<S>: Accepts<S, M>,
    {
        self.tally_of(<FormatOf<S> as Accepts<S, M>>::INDEX).unwrap_or_default()
    }

    /// The counts of the message at a place in [`LogSchema::MESSAGES`]; `None` beyond the last.
    pub fn tally_of(&self, index: usize) -> Option<Tally> {
        self.state.with(|state| state.counters.tallies().get(index).copied())
    }

    /// Each message and its counts, in the order of the schema.
    pub fn tallies(&self) -> impl Iterator<Item = (&'static SchemaMessage, Tally)>
    where
        S: LogSchema,
    {
        S::MESSAGES.iter().enumerate().map(|(index, message)| (message, self.tally_of(index).unwrap_or_default()))
    }

    /// The counts of all messages together, and the usage of the ring.
    pub fn statistics(&self) -> Statistics {
        let (used, high_water, longest_stall_us) = self.state.with(|state| {
            let used = state.head.wrapping_sub(state.tail);
            (used, state.high_water.max(used), state.longest_stall_us)
        });
        let mut statistics = Statistics::of_buffer(used, high_water, longest_stall_us);
        // One short critical section for each message, not a long one.
        for tally in (0..TagTable::<S>::COUNT).filter_map(|index| self.tally_of(index)) {
            statistics.add(tally);
        }
        statistics
    }

    /// Logs a text, or the output of `format_args!`, as MSG records of 64 bytes, cut between characters: at most 256
    /// records, 16 KiB. Each NUL, which would end the text for readers, becomes `?`. Returns whether all records were
    /// accepted; after the first that wasn't, the rest is left out.
    ///
    /// Formatting runs outside the critical section. Other contexts may log between two records of a text; the records
    /// of a text have the same `ID`.
    ///
    /// Requires an ArduPilot schema with [`Msg`](binlog::messages::Msg); a Blackbox log has no texts.
    pub fn text(&self, text: impl Display) -> bool
    where
        FormatOf<S>: Texts<S>,
    {
        TimedSink::text(self, text)
    }

    /// Logs the text of an error of this crate as [`text`](Logger::text) does. A program that logs texts in this way
    /// only takes 2 KB of flash less, since `core::fmt` isn't linked. The error of a card's driver has to be a
    /// [`PlainText`], as that of `SpiCard` is; log others with [`text`](Logger::text).
    pub fn error(&self, error: impl PlainText) -> bool
    where
        FormatOf<S>: Texts<S>,
    {
        let mut parts = Parts::new(self);
        error.put(&mut parts);
        parts.end()
    }

    /// The time of the clock passed to [`start`](Logger::start), in microseconds; 0 before.
    #[inline(never)]
    pub fn now_us(&self) -> u64 {
        self.state.with(|state| state.clock).map_or(0, |clock| clock())
    }
}

#[track_caller]
pub(crate) const fn assert_ring_size(bytes: usize) {
    if bytes.is_power_of_two() && bytes >= MIN_RING && bytes <= MAX_RING {
        return;
    }
    let text = ConstText::new().str("the size of a ring is a power of two from 512 bytes to 1 GiB, not ");
    let text = text.number(bytes as u64).str(": take ");
    let text = if bytes < MIN_RING {
        text.number(MIN_RING as u64)
    } else if bytes > MAX_RING {
        text.number(MAX_RING as u64)
    } else {
        let larger = bytes.next_power_of_two();
        text.number(larger as u64 / 2).str(" or ").number(larger as u64)
    };
    panic!("{}", text.as_str());
}

/// Bytes of the smallest and the largest ring.
const MIN_RING: usize = 512;
const MAX_RING: usize = 1 << 30;

/// The constants of a message.
struct Kind {
    index: u8,
    tag: u8,
    /// Bytes of the payload by the definition.
    payload: u16,
    /// Bytes of the record in the ring.
    length: u16,
    critical: bool,
    rate: Option<&'static Rate>,
}

impl Kind {
    const fn of<S: Schema, M>() -> Self
    where
        FormatOf<S>: Accepts<S, M>,
    {
        // The drain's view of the record. A `Logs` that is implemented by hand may contradict it, which is an error
        // here. The table asserts that index and length fit.
        let length = TagTable::<S>::length_of::<M>();
        Kind {
            index: <FormatOf<S> as Accepts<S, M>>::INDEX as u8,
            tag: <FormatOf<S> as Accepts<S, M>>::TAG,
            critical: <FormatOf<S> as Accepts<S, M>>::CRITICAL,
            payload: <FormatOf<S> as Accepts<S, M>>::PAYLOAD as u16,
            length: length as u16,
            rate: const { &<FormatOf<S> as Accepts<S, M>>::RATE }.as_ref(),
        }
    }

    /// Whether a payload is as long as it should be: a message that is implemented by hand may contradict itself.
    #[inline(always)]
    fn is_sound(&self, payload: &[u8]) -> bool {
        payload.len() == usize::from(self.payload)
    }
}

enum Put {
    Refused,
    Accepted,
    /// The drain is to be woken.
    #[cfg(feature = "async")]
    AcceptedAndAwaited,
    /// Nothing is done yet.
    Seldom,
}

impl<C: Counters> State<C> {
    /// Changes a message's counts. If `change` returns true, the message is added to those to report.
    pub(crate) fn tally(&mut self, index: usize, change: impl FnOnce(&mut Tally) -> bool) {
        if let Some(tally) = self.counters.tallies_mut().get_mut(index)
            && change(tally)
        {
            self.to_report.insert(index);
        }
    }

    /// Makes a logger of the previous boot a stopped one of this boot, with its ring as it is: writes all fields except
    /// head, tail and `synced`, one by one. The stop is then at 0, which may be far after the tail: call
    /// [`restore`](State::restore), or set head and tail to 0, before anything is logged.
    ///
    /// # Safety
    ///
    /// `state` is valid for writes, aligned, and accessed by nothing else.
    #[cfg(not(loom))]
    pub(crate) unsafe fn renew(state: *mut Self) {
        // Names each field, so that none is forgotten.
        let State {
            head: _,
            stop,
            tail: _,
            limit,
            masked,
            #[cfg(feature = "async")]
            waker,
            reserve,
            to_report,
            clock,
            text_id,
            drained,
            high_water,
            longest_stall_us,
            synced: _,
            counters,
        } = Self::NEW;
        // SAFETY: the caller's guarantee. What is overwritten is not dropped: it belongs to a program that ended.
        unsafe {
            (&raw mut (*state).stop).write(stop);
            (&raw mut (*state).limit).write(limit);
            (&raw mut (*state).masked).write(masked);
            #[cfg(feature = "async")]
            (&raw mut (*state).waker).write(waker);
            (&raw mut (*state).reserve).write(reserve);
            (&raw mut (*state).to_report).write(to_report);
            (&raw mut (*state).clock).write(clock);
            (&raw mut (*state).text_id).write(text_id);
            (&raw mut (*state).drained).write(drained);
            (&raw mut (*state).high_water).write(high_water);
            (&raw mut (*state).longest_stall_us).write(longest_stall_us);
            (&raw mut (*state).counters).write(counters);
        }
    }

    /// A stopped logger with an empty ring.
    pub(crate) const NEW: Self = State {
        head: 0,
        stop: 0,
        tail: 0,
        limit: 0,
        masked: MessageSet::EMPTY,
        #[cfg(feature = "async")]
        waker: None,
        reserve: 0,
        to_report: MessageSet::EMPTY,
        clock: None,
        text_id: 0,
        drained: false,
        high_water: 0,
        longest_stall_us: 0,
        synced: 0,
        counters: C::ZERO,
    };

    /// Accepts records.
    fn run<const N: usize>(&mut self) {
        let reserve = self.reserve.checked_sub(1).unwrap_or(N as u32 / 8);
        // More than 0, because `set_reserve` takes less than N.
        self.set_limit(N as u32 - reserve);
    }

    /// Changes the limit. The next record passes the stop, and so sets it.
    fn set_limit(&mut self, limit: u32) {
        self.limit = limit;
        self.stop = self.head;
    }

    /// Makes records of the previous boot the contents of a stopped logger. Stores the head and then the tail, which is
    /// at most N bytes before it.
    #[cfg(not(loom))]
    pub(crate) fn restore(&mut self, head: u32, tail: u32) {
        self.head = head;
        self.tail = tail;
        self.set_limit(0);
    }

    /// Moves the tail.
    pub(crate) fn pass<const N: usize>(&mut self, tail: u32) {
        self.tail = tail;
        self.set_stop::<N>();
    }

    /// Puts the stop where it belongs.
    fn set_stop<const N: usize>(&mut self) {
        let from_head = self.limit.wrapping_sub(self.used()) as i32;
        let to_end = N as i32 - place::<N>(self.head) as i32;
        self.stop = self.head.wrapping_add_signed(from_head.min(to_end));
    }

    fn used(&self) -> u32 {
        self.head.wrapping_sub(self.tail)
    }

    fn is_ignored(&self, kind: &Kind) -> bool {
        self.limit == 0 || self.masked.contains(kind.index.into())
    }

    /// Why a record is refused; `None` if it isn't.
    #[inline(always)]
    fn refusal<const N: usize>(&mut self, kind: &Kind, payload: &[u8]) -> Option<Refused> {
        if self.is_ignored(kind) {
            return Some(Refused::Ignored);
        }
        if self.admit(kind, payload) == Admission::Early {
            return Some(Refused::Early);
        }
        let limit = if kind.critical { N as u32 } else { self.limit };
        (self.used() + u32::from(kind.length) > limit || !kind.is_sound(payload)).then_some(Refused::Full)
    }

    /// Whether the rate of a message admits a record now.
    #[inline(always)]
    fn admit(&mut self, kind: &Kind, payload: &[u8]) -> Admission {
        kind.rate.map_or(Admission::Now(None), |rate| rate.admit(self.counters.due(), payload))
    }

    /// Moves the head to the end of a record that is in the ring.
    #[inline(always)]
    fn accept(&mut self, kind: &Kind, due: Option<Due>) -> Put {
        // After a reset, the ring has whole records up to the head.
        compiler_fence(Ordering::Release);
        self.head = self.head.wrapping_add(kind.length.into());
        if let Some(due) = due {
            due.charge(self.counters.due());
        }
        #[cfg(feature = "async")]
        if self.waker.is_some() {
            return Put::AcceptedAndAwaited;
        }
        Put::Accepted
    }

    /// Counts a record that is refused: as ignored if all records of its message are.
    #[cold]
    #[inline(never)]
    fn refuse(&mut self, kind: &Kind, why: Refused) -> Put {
        let why = if self.is_ignored(kind) { Refused::Ignored } else { why };
        self.count_refused(kind, why)
    }

    #[inline(always)]
    fn count_refused(&mut self, kind: &Kind, why: Refused) -> Put {
        let index = usize::from(kind.index);
        let Some(tally) = self.counters.tallies_mut().get_mut(index) else { return Put::Refused };
        tally.count_refused(why);
        if why != Refused::Ignored {
            self.to_report.insert(index);
        }
        Put::Refused
    }
}

impl<S: Schema, M, const N: usize> Sink<M> for Logger<S, N>
where
    FormatOf<S>: Accepts<S, M>,
{
    #[inline]
    fn log(&self, message: &M) -> bool {
        Logger::log(self, message)
    }
}

impl<S: Schema, const N: usize> Pieces for Parts<'_, Logger<S, N>>
where
    FormatOf<S>: Texts<S>,
{
    fn byte(&mut self, byte: u8) {
        // What there is no room for is left out, and `end` says so.
        self.put(byte);
    }
}

impl<S: Schema, const N: usize> TimedSink for Logger<S, N> {
    fn now_us(&self) -> u64 {
        Logger::now_us(self)
    }

    fn next_text_id(&self) -> u8 {
        self.state.with(|state| {
            state.text_id = state.text_id.wrapping_add(1);
            state.text_id
        })
    }
}
