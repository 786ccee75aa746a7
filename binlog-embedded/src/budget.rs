//! Whether a ring is large enough, answered while the program compiles.

use crate::logger::assert_ring_size;
use binlog::__private::{ConstText, same};
use binlog::ring_format::{FileFormat, FormatOf, RecordShape, Schema};
use binlog::sink::Rate;
use core::marker::PhantomData;

/// The highest data rate of a schema, and how long a ring can absorb it while the drain is blocked.
///
/// A card may be busy for 250 ms. The records that are logged meanwhile have to fit into the ring. How many that are at
/// most is known from the schema: each message has a `rate`, or the program says how often it logs the message.
///
/// ```
/// use binlog::{LogMessage, LogSchema, messages};
/// use binlog_embedded::Budget;
/// use zerocopy::{Immutable, IntoBytes};
///
/// /// Accelerations.
/// #[derive(LogMessage, IntoBytes, Immutable)]
/// #[log(name = "ACC")]
/// #[repr(C, packed)]
/// struct Acceleration {
///     time_us: u64,
///     #[log(instance)]
///     instance: u8,
///     #[log(unit = "m/s/s")]
///     acc_z: f32,
/// }
///
/// #[derive(LogSchema)]
/// enum FlightLog {
///     #[log(rate = 400)]
///     Acc(Acceleration),
///     Msg(messages::Msg),
///     Dsf(messages::Dsf),
///     Drop(messages::Dropped),
/// }
///
/// // A ring of 8 KiB lasts for 250 ms, with two sensors and at most ten texts a second.
/// const _: () = Budget::<FlightLog>::new().instances("ACC", 2).at_most("MSG", 10).lasts::<8192>(250_000);
/// ```
///
/// A ring that is too small doesn't compile:
///
/// ```text
/// a ring of 2048 bytes is full after 54 ms at 13570 bytes a second, and a stall of 250 ms needs 4034: take 8192 bytes
/// ```
///
/// # What it counts
///
/// - A message with a `rate` of `n` records a second: what decimation accepts at most. A record may come a period
///   early, so in a time of `t` seconds these are `n * t + 2` records, rounded down.
/// - Of a message with an instance column as many instances as are decimated, which is 8, or as
///   [`instances`](Budget::instances) says. Instances from number 8 on are not decimated, so log none.
/// - A message without a rate: what [`at_most`](Budget::at_most) says.
/// - DSF, DROP and RING are not counted, because the drain writes them directly to the file. It does so with the
///   prologue, too; but messages of the prologue may be logged at other times as well, so PARM needs an `at_most`. It
///   may be 0.
///
/// The ring holds `N` bytes without the reserve of an eighth, and without 255 bytes for the record that is being
/// written when the stall begins. Each record is logged at about the time of its `TimeUS`, by a clock that isn't set
/// back.
pub struct Budget<S> {
    /// For each message, the records in any second; `None` if the program doesn't say.
    at_most: [Option<u32>; 256],
    instances: [u8; 256],
    schema: PhantomData<fn() -> S>,
}

/// Messages that the drain writes without the ring.
const OF_THE_DRAIN: [&str; 3] = ["DSF", "DROP", "RING"];

impl<S: Schema> Budget<S> {
    const RECORDS: &'static [RecordShape] = <FormatOf<S> as FileFormat<S>>::RECORDS;

    /// The bytes of a ring that a stall may fill.
    const fn room(ring: u64) -> u64 {
        (ring - ring / 8).saturating_sub(<FormatOf<S> as FileFormat<S>>::LONGEST as u64)
    }

    /// Counts the messages of a schema by their rates.
    #[allow(clippy::new_without_default, reason = "a default is not const")]
    pub const fn new() -> Self {
        Budget { at_most: [None; 256], instances: [Rate::INSTANCES as u8; 256], schema: PhantomData }
    }

    /// The program logs a message at most this often in any second, all instances together. Needed for messages without
    /// a rate.
    ///
    /// # Panics
    ///
    /// If the schema has no such message, which is a compile error in a constant.
    #[must_use]
    #[track_caller]
    pub const fn at_most(mut self, message: &str, records_per_second: u32) -> Self {
        self.at_most[Self::index(message)] = Some(records_per_second);
        self
    }

    /// The program logs instances 0 to `count - 1` of a message only; without this, 0 to 7.
    ///
    /// # Panics
    ///
    /// If the schema has no such message, if it is not decimated by instance, or if the count is not 1 to 8. In a
    /// constant, these are compile errors.
    #[must_use]
    #[track_caller]
    pub const fn instances(mut self, message: &str, count: u8) -> Self {
        let index = Self::index(message);
        match Self::RECORDS[index].rate {
            Some(Rate { by_instance: true, .. }) => {}
            Some(_) => fail(ConstText::new().str(message).str(" has no column with `#[log(instance)]`")),
            None => fail(ConstText::new().str(message).str(" has no rate, so `at_most` counts all of its instances")),
        }
        if count == 0 || count as usize > Rate::INSTANCES {
            let text = ConstText::new().str("a message has 1 to 8 instances, which are decimated, and ");
            fail(text.str(message).str(" is said to have ").number(count as u64));
        }
        self.instances[index] = count;
        self
    }

    /// The most bytes that can be logged within this many microseconds.
    ///
    /// # Panics
    ///
    /// If a message has neither a rate nor an [`at_most`](Budget::at_most), which is a compile error in a constant.
    #[track_caller]
    pub const fn bytes_in(&self, us: u64) -> u64 {
        let mut bytes: u64 = 0;
        let mut i = 0;
        while i < Self::RECORDS.len() {
            let records = self.records(i, us);
            bytes = bytes.saturating_add(records.saturating_mul(Self::RECORDS[i].length as u64));
            i += 1;
        }
        bytes
    }

    /// Asserts that a ring of `N` bytes that is empty holds what is logged in this number of microseconds, so that
    /// nothing is dropped while a card is busy for that long. Use it as `const _: () = …`.
    ///
    /// # Panics
    ///
    /// If the ring is too small; the text says which size is needed. Also as [`bytes_in`](Budget::bytes_in). In a
    /// constant, these are compile errors.
    #[track_caller]
    pub const fn lasts<const N: usize>(self, us: u64) {
        assert_ring_size(N);
        let needed = self.bytes_in(us);
        if needed <= Self::room(N as u64) {
            return;
        }
        // The longest time that it lasts.
        let (mut lasts, mut too_long) = (0, us);
        while too_long - lasts > 1 {
            let middle = lasts + (too_long - lasts) / 2;
            if self.bytes_in(middle) <= Self::room(N as u64) { lasts = middle } else { too_long = middle }
        }
        let mut large_enough: u64 = 512;
        while Self::room(large_enough) < needed && large_enough < 1 << 30 {
            large_enough *= 2;
        }
        let text = ConstText::new().str("a ring of ").number(N as u64).str(" bytes is full after ");
        let text = milliseconds(text, lasts).str(" at ").number(self.bytes_per_second()).str(" bytes a second, ");
        let text = milliseconds(text.str("and a stall of "), us).str(" needs ").number(needed);
        fail(match Self::room(large_enough) >= needed {
            true => text.str(": take ").number(large_enough).str(" bytes"),
            false => text.str(": no ring is large enough, so lower the rates"),
        })
    }

    /// The bytes a second over a long time.
    const fn bytes_per_second(&self) -> u64 {
        // Without the records that come early.
        const LONG_S: u64 = 1_000_000;
        (self.bytes_in(LONG_S * 1_000_000) - self.bytes_in(0)) / LONG_S
    }

    /// The records of a message that come at most in a time.
    #[track_caller]
    const fn records(&self, index: usize, us: u64) -> u64 {
        let message = &Self::RECORDS[index];
        // Any second may begin and end with all of its records.
        let said = match self.at_most[index] {
            Some(records) => Some((us / 1_000_000).saturating_add(1).saturating_mul(records as u64)),
            None => None,
        };
        let decimated = match &message.rate {
            Some(rate) => {
                // Each accepted record moves the schedule by one period, and none is accepted more than a period before
                // it: record k comes k - 2 periods after the first one, at the earliest.
                let instances = if rate.by_instance { self.instances[index] as u64 } else { 1 };
                Some((us / rate.period_us as u64).saturating_add(2).saturating_mul(instances))
            }
            None => None,
        };
        match (said, decimated) {
            (Some(said), Some(decimated)) if said < decimated => said,
            (_, Some(decimated)) => decimated,
            (Some(said), None) => said,
            // A kind of frame that the schema doesn't have.
            (None, None) if message.length == 0 => 0,
            (None, None) if is_one_of(message.name, &OF_THE_DRAIN) => 0,
            (None, None) => {
                let text = ConstText::new().str(message.name).str(" has no rate: say `.at_most(\"").str(message.name);
                let text = text.str("\", 10)` for at most 10 a second");
                // Only ArduPilot's messages have rates of their own.
                fail(match <FormatOf<S> as FileFormat<S>>::VERBATIM {
                    true => text.str(", or give it a `#[log(rate = 10)]`"),
                    false => text,
                })
            }
        }
    }

    #[track_caller]
    const fn index(name: &str) -> usize {
        let mut text = ConstText::new().str("the schema has no message ").str(name).str("; it has");
        let mut i = 0;
        while i < Self::RECORDS.len() {
            let message = Self::RECORDS[i].name;
            if same(message, name) {
                return i;
            }
            text = text.str(if i == 0 { " " } else { ", " }).str(message);
            i += 1;
        }
        fail(text)
    }
}

const fn milliseconds(text: ConstText, us: u64) -> ConstText {
    match us {
        1..1000 => text.number(us).str(" µs"),
        _ => text.number(us / 1000).str(" ms"),
    }
}

const fn is_one_of(name: &str, names: &[&str]) -> bool {
    let mut i = 0;
    while i < names.len() {
        if same(name, names[i]) {
            return true;
        }
        i += 1;
    }
    false
}

#[track_caller]
const fn fail(text: ConstText) -> ! {
    panic!("{}", text.as_str())
}
