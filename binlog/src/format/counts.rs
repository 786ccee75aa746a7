//! What a sink counts for each message, and how it decimates one.

/// How a sink decimates a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rate {
    /// Microseconds from one record to the next, by their `TimeUS`.
    pub period_us: u32,
    /// Whether each instance is decimated separately. The instance's number is the ninth byte of the payload.
    pub by_instance: bool,
    /// The index of its first time in [`Counters::due`]. It has [`INSTANCES`](Rate::INSTANCES) times, or one.
    pub first_slot: usize,
}

impl Rate {
    /// How many instances of a message are decimated separately: 0 to 7. Higher ones are not decimated.
    pub const INSTANCES: usize = 8;

    /// A time this much before the expected one, and three periods more, means that the clock was set back. Two sources
    /// of one message whose times differ by less share its rate.
    const SET_BACK_US: u64 = 1_000_000;

    /// Whether the record with this payload may be logged now. `due` is [`Counters::due`]. It changes only when an
    /// admission is [charged](Due::charge), so a record that finds no room uses up nothing.
    ///
    /// Each accepted record moves the time at which the next one is expected by one period. A record is accepted up to
    /// one period early. So a source that keeps to its rate loses nothing as long as each record is at most half a
    /// period off its schedule, and a faster source gets at most one record more than its rate. A time more than three
    /// periods and a second before the expected one means that the clock was set back; a new schedule begins.
    #[inline]
    pub fn admit(&self, due: &[u64], payload: &[u8]) -> Admission {
        let Some((time, rest)) = payload.split_first_chunk() else { return Admission::Now(None) };
        let time = u64::from_le_bytes(*time);
        let instance = match rest.first() {
            Some(&instance) if self.by_instance => usize::from(instance),
            _ => 0,
        };
        if instance >= Self::INSTANCES {
            return Admission::Now(None);
        }
        let slot = self.first_slot + instance;
        let Some(&expected) = due.get(slot) else { return Admission::Now(None) };
        let period = u64::from(self.period_us);
        let from = match expected.checked_sub(time) {
            Some(early) if early <= period => expected,
            Some(early) if early <= 3 * period + Self::SET_BACK_US => return Admission::Early,
            // Late, or the clock was set back.
            _ => time,
        };
        Admission::Now(Some(Due { slot, time_us: from.saturating_add(period) }))
    }
}

/// The result of [`Rate::admit`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Admission {
    /// The record may be logged. `None` if its time isn't tracked.
    Now(Option<Due>),
    /// The record comes sooner than the rate allows.
    Early,
}

/// The time at which the next record is expected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Due {
    slot: usize,
    time_us: u64,
}

impl Due {
    /// Records that the record was accepted.
    #[inline]
    pub fn charge(self, due: &mut [u64]) {
        if let Some(due) = due.get_mut(self.slot) {
            *due = self.time_us;
        }
    }
}

/// Counts of what happened to one message's records in a sink.
///
/// Each logged record is accepted, or counted in one of [`dropped`](Tally::dropped), [`decimated`](Tally::decimated)
/// and [`ignored`](Tally::ignored). An accepted record is in the log, on its way there, or counted in
/// [`lost`](Tally::lost). Each count wraps to 0 after `u32::MAX`.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct Tally {
    /// Not accepted: the buffer had no room. Also counts messages that are implemented by hand and contradict their
    /// definition.
    pub dropped: u32,
    /// Not accepted: sooner than the schema's rate allows.
    pub decimated: u32,
    /// Not accepted: the sink was stopped, or the message was masked.
    pub ignored: u32,
    /// Written to the file, without those in [`lost`](Tally::lost). Includes records of the prologue and of statistics.
    pub written: u32,
    /// Written but not yet flushed.
    pub unflushed: u32,
    /// Accepted or written, then lost because the file failed before a flush. Of a Blackbox log, also those that
    /// [`unwritten`](crate::blackbox::Counts::unwritten) counts, and frames that don't fit.
    pub lost: u32,
}

/// Why a sink didn't accept a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refused {
    /// There is no room for it.
    Full,
    /// It comes sooner than its rate allows.
    Early,
    /// The sink is stopped, or the message is masked.
    Ignored,
}

impl Tally {
    /// All counts are 0.
    pub const ZERO: Self = Tally { dropped: 0, decimated: 0, ignored: 0, written: 0, unflushed: 0, lost: 0 };

    /// Whether records were dropped, decimated or lost.
    #[inline]
    pub fn has_losses(&self) -> bool {
        // As an array, a `memcmp`.
        self.dropped | self.decimated | self.lost != 0
    }

    /// Counts a record that was not accepted.
    #[inline]
    pub fn count_refused(&mut self, why: Refused) {
        let count = match why {
            Refused::Full => &mut self.dropped,
            Refused::Early => &mut self.decimated,
            Refused::Ignored => &mut self.ignored,
        };
        *count = count.wrapping_add(1);
    }

    /// Counts a record that was written to the file and not yet flushed.
    #[inline]
    pub fn count_written(&mut self) {
        self.written = self.written.wrapping_add(1);
        self.unflushed = self.unflushed.wrapping_add(1);
    }

    /// Moves written records to [`lost`](Tally::lost), because the format kept them back and then left them out.
    #[inline]
    pub fn lose_written(&mut self, records: u32) {
        self.written = self.written.wrapping_sub(records);
        self.unflushed = self.unflushed.saturating_sub(records);
        self.lost = self.lost.wrapping_add(records);
    }

    /// Moves the unflushed records to [`lost`](Tally::lost), because their file is lost.
    #[inline]
    pub fn lose_unflushed(&mut self) {
        let lost = core::mem::take(&mut self.unflushed);
        self.written = self.written.wrapping_sub(lost);
        self.lost = self.lost.wrapping_add(lost);
    }
}

/// A [`Tally`] for each message of a schema, without `alloc`: [`LogSchema::Counters`](crate::LogSchema::Counters).
///
/// Sealed, because sinks call it in critical sections, where only this crate's code may run.
pub trait Counters: sealed::Sealed + Send + 'static {
    /// All counts are 0.
    const ZERO: Self;

    /// The counts, indexed by [`INDEX`](crate::Logs::INDEX).
    fn tallies(&self) -> &[Tally];

    /// The counts, indexed by [`INDEX`](crate::Logs::INDEX).
    fn tallies_mut(&mut self) -> &mut [Tally];

    /// The times, in microseconds, at which the next records of decimated messages are expected, indexed by
    /// [`Rate::first_slot`].
    fn due(&mut self) -> &mut [u64];
}

/// [`Counters`] for `MESSAGES` messages and `SLOTS` times of decimation.
pub struct CountersOf<const MESSAGES: usize, const SLOTS: usize> {
    tallies: [Tally; MESSAGES],
    due: [u64; SLOTS],
}

mod sealed {
    pub trait Sealed {}
}

impl<const MESSAGES: usize, const SLOTS: usize> sealed::Sealed for CountersOf<MESSAGES, SLOTS> {}

impl<const MESSAGES: usize, const SLOTS: usize> Counters for CountersOf<MESSAGES, SLOTS> {
    const ZERO: Self = CountersOf { tallies: [Tally::ZERO; MESSAGES], due: [0; SLOTS] };

    #[inline]
    fn tallies(&self) -> &[Tally] {
        &self.tallies
    }

    #[inline]
    fn tallies_mut(&mut self) -> &mut [Tally] {
        &mut self.tallies
    }

    #[inline]
    fn due(&mut self) -> &mut [u64] {
        &mut self.due
    }
}
