// Held by binlog-embedded/src/retained/tests.rs, tests/tests/card/resets.rs, tests/cortex-m/resets.

//! A logger in memory that a reset doesn't clear.

mod boundaries;
#[cfg(test)]
mod tests;

use crate::drain::{Drain, MAX_UNSYNCED};
use crate::logger::{CountersOf, Logger, State, assert_ring_size};
pub use crate::recovery::Reset;
use crate::recovery::{Recovery, Text};
use crate::sync::Locked;
use binlog::ring_format::{Accepts, FileFormat, Fnv, FormatOf, Notes, Schema, TagTable};
use binlog::sink::{Sink, TimedSink};
use boundaries::Boundaries;
use core::cell::UnsafeCell;
use core::fmt;
use core::mem::{MaybeUninit, size_of};
use core::ops::Deref;
use core::sync::atomic::AtomicBool;

/// A [`Logger`] whose ring outlives a reset.
///
/// A watchdog reset, a panic or a fault loses the records that the drain has not flushed: the last ones, which say why
/// it happened. In memory that the start-up code doesn't clear they are still there. [`claim`](Retained::claim) finds
/// them at the next boot, and the [`drain`](Retained::drain) writes them first, as a log of their own.
///
/// ```
/// use binlog::{LogSchema, messages::{Ev, Msg}};
/// use binlog_embedded::{Retained, retained::Reset};
///
/// #[derive(LogSchema)]
/// enum FlightLog {
///     Msg(Msg), // required: it says in the log what happened
///     Ev(Ev),
/// }
///
/// // SAFETY: cortex-m-rt doesn't clear `.uninit`, and the first thing that `main` does is to claim it. Interrupts that
/// // log are enabled later.
/// #[cfg_attr(target_os = "none", unsafe(link_section = ".uninit.LOG"))]
/// static LOG: Retained<FlightLog, 4096> = unsafe { Retained::new() };
///
/// # fn reset_cause() -> Reset { Reset::PowerOn }
/// # fn micros() -> u64 { 0 }
/// // At the beginning of `main`:
/// let claim = LOG.claim(reset_cause());
/// LOG.start(micros);
/// LOG.text(claim); // "cold start"
/// LOG.log(&Ev { time_us: micros(), id: 10 });
/// let drain = LOG.drain().expect("LOG has a drain already");
/// # drop(drain);
/// ```
///
/// It has the methods of [`Logger`]; a call of `log` takes the same instructions.
///
/// # What is recovered
///
/// All records that were accepted and not flushed. Records that were passed to the writer and not flushed are recovered
/// as far back as they are not overwritten: the ring keeps what it has no other use for. If the writer had saved them
/// after all, they are in both logs. Those of a file that failed aren't recovered once a later file is flushed: they
/// count as lost.
///
/// Records that were not yet written when the next reset comes are recovered again, in one log with those of the boot
/// between.
///
/// A record that was being logged is recovered whole or not at all. After a reset at any instruction, also one of
/// `claim`, no record is recovered that wasn't logged.
///
/// # The memory
///
/// - The memory survives the reset and is used by nothing else: no start-up code, no bootloader, no other program.
///   cortex-m-rt has the section `.uninit` for it. A program of another version recovers the records only if its schema
///   and the size of its ring are the same.
/// - It is not cached, or the cache writes through: what is in a write-back cache at a reset is lost, in any order.
/// - With ECC it has to be initialised after power-on, as the chip's manual says. A part of a word may wait in a buffer
///   until the next write of a part, as on the STM32H7 (ST's FAQ "STM32H7 SRAM/Backup SRAM content is not preserved
///   after reset"): there the newest record may be incomplete, so call
///   [`claim_without_newest`](Retained::claim_without_newest).
#[repr(C)]
pub struct Retained<S: Schema, const N: usize> {
    // In front, so that `log` reaches it in the same way as any logger.
    logger: UnsafeCell<MaybeUninit<Logger<S, N>>>,
    /// [`SEAL`](Retained::SEAL) while the logger's memory is a valid image. Two words, so that a processor of 32 bits
    /// writes each with one instruction.
    seal: UnsafeCell<MaybeUninit<[u32; 2]>>,
    recovery: UnsafeCell<MaybeUninit<Recovery>>,
}

// SAFETY: `claim` is the only function that writes to the fields; it is called before everything else, by one context,
// as `new` requires. Afterwards they are used through shared references only, and both types permit that.
unsafe impl<S: Schema, const N: usize> Sync for Retained<S, N>
where
    Logger<S, N>: Sync,
    Recovery: Sync,
{
}

/// What [`Retained::claim`] found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Claim {
    /// Nothing, because it didn't look: the power was off.
    Cold,
    /// Other contents: of RAM that was off, of another program, or of another version of the schema.
    Foreign,
    /// The program's own ring, but not as the program leaves it: something else wrote to it, or the power was off for a
    /// moment. Its contents are discarded.
    Damaged,
    /// The ring of the previous boot.
    Warm {
        /// The reset that it outlived.
        reset: Reset,
        /// Recovered records.
        records: u32,
        /// Their bytes.
        bytes: u32,
        /// Bytes of records before them that were written and not flushed, and are overwritten in the ring by later
        /// records. At most 1 GiB is counted.
        overwritten: u32,
    },
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Claim::Cold => f.write_str("cold start"),
            Claim::Foreign => f.write_str("cold start: the memory had other contents"),
            Claim::Damaged => f.write_str("the previous log's ring is damaged"),
            Claim::Warm { reset, records, bytes, overwritten } => {
                fmt::Display::fmt(&Text { reset, records, bytes, overwritten }, f)
            }
        }
    }
}

impl<S: Schema, const N: usize> Retained<S, N> {
    /// Creates a logger for a `static` in memory that a reset doesn't clear. Its initial value is never used.
    ///
    /// # Safety
    ///
    /// Before anything else is done with it, [`claim`](Retained::claim) is called and returns, once in each boot: no
    /// interrupt, task or core that uses it runs before. Nothing else writes to its memory while the program runs.
    ///
    /// # Panics
    ///
    /// If `N` is not a power of two from 512 bytes to 1 GiB. For a `static`, that is a compile error.
    #[track_caller]
    pub const unsafe fn new() -> Self {
        assert_ring_size(N);
        Retained {
            logger: UnsafeCell::new(MaybeUninit::uninit()),
            seal: UnsafeCell::new(MaybeUninit::uninit()),
            recovery: UnsafeCell::new(MaybeUninit::uninit()),
        }
    }

    /// Identifies the program's own image: schema, size of the ring and layout of the memory.
    const SEAL: [u32; 2] = {
        let hash = Fnv::NEW
            .number(N)
            .number(size_of::<Logger<S, N>>())
            .number(core::mem::offset_of!(State<CountersOf<S>>, synced))
            .bytes(<FormatOf<S> as FileFormat<S>>::PREAMBLE)
            .bytes(&<FormatOf<S> as FileFormat<S>>::LAYOUT.to_le_bytes())
            .finish();
        [hash as u32, (hash >> 32) as u32]
    };

    /// Takes possession of the memory at the start of a boot: recovers the records that outlived the reset, or begins
    /// with an empty ring. The logger is stopped; [`Logger::start`] starts it.
    ///
    /// It reads the header of each record in the ring twice at most, and nothing after [`Reset::PowerOn`]. If not all
    /// unflushed records are still there, it looks for a header at each of 255 bytes, and walks from those that it
    /// finds. A reset in the middle of it loses nothing.
    pub fn claim(&self, reset: Reset) -> Claim
    where
        FormatOf<S>: Notes<S>,
    {
        self.claim_all(reset, false)
    }

    /// As [`claim`](Retained::claim), without the newest record, for memory that may lose the end of the last record.
    /// Another reset before the recovered log is flushed costs the newest of the others.
    pub fn claim_without_newest(&self, reset: Reset) -> Claim
    where
        FormatOf<S>: Notes<S>,
    {
        self.claim_all(reset, true)
    }

    fn claim_all(&self, reset: Reset, without_newest: bool) -> Claim
    where
        FormatOf<S>: Notes<S>,
    {
        let (claim, end) = self.take(reset, without_newest);
        let (records, bytes, overwritten) = match claim {
            Claim::Warm { records, bytes, overwritten, .. } => (records, bytes, overwritten),
            _ => (0, 0, 0),
        };
        let text = Text { reset, records, bytes, overwritten };
        let recovery = Recovery { end, text, done: AtomicBool::new(records == 0), encode: Recovery::encode::<S> };
        // SAFETY: `new` promises that nothing else uses the memory now.
        unsafe { self.recovery.get().write(MaybeUninit::new(recovery)) };
        claim
    }

    /// Makes the logger valid. Returns what was found and the position after the recovered records.
    fn take(&self, reset: Reset, without_newest: bool) -> (Claim, u32) {
        // ECC RAM must not be read before it is written.
        if reset == Reset::PowerOn {
            self.wipe();
            return (Claim::Cold, 0);
        }
        freeze(self);
        let seal = self.seal.get().cast::<u32>();
        // SAFETY: both words are inside of `seal`, aligned, and initialised since `freeze`.
        if unsafe { [seal.read_volatile(), seal.add(1).read_volatile()] } != Self::SEAL {
            self.wipe();
            return (Claim::Foreign, 0);
        }
        // Before the image is judged, so that there is a reference for that. Nothing that makes it valid is written.
        // SAFETY: `new` promises that nothing else uses the memory now.
        unsafe { State::renew(self.state()) };
        let found = self.look(without_newest);
        let Some((claim, end)) = found.map(|found| self.accept(reset, found)) else {
            self.wipe();
            return (Claim::Damaged, 0);
        };
        (claim, end)
    }

    /// Judges the image. `None` if it is damaged.
    fn look(&self, without_newest: bool) -> Option<Found> {
        let (mut head, tail, synced) = self.logger().state.with(|state| (state.head, state.tail, state.synced));
        let used = head.wrapping_sub(tail);
        let unsynced = tail.wrapping_sub(synced);
        let is_placed = |position: u32| position.is_multiple_of(TagTable::<S>::UNIT as u32);
        if ![head, tail, synced].into_iter().all(is_placed) {
            return None;
        }
        // A record that was just passed may not have moved `synced` yet.
        if used as usize > N || unsynced > MAX_UNSYNCED + Boundaries::<S, N>::LONGEST {
            return None;
        }
        // SAFETY: the bytes are initialised since `freeze`, and `new` promises that nothing else uses the memory now.
        let boundaries = Boundaries::<S, N>::new(unsafe { self.logger().ring.contents() });
        let mut waiting = boundaries.walk(tail, head)?;
        // The bytes that a record which was being logged has not overwritten. It ends at most `LONGEST` bytes after the
        // head, and overwrites what is N bytes earlier in the ring.
        let kept = (N as u32).saturating_sub(used).saturating_sub(Boundaries::<S, N>::LONGEST);
        let from = match unsynced <= kept {
            true => synced,
            false => boundaries.first_in(tail.wrapping_sub(kept), tail),
        };
        let passed = boundaries.walk(from, tail)?;
        if without_newest && waiting.records > 0 {
            // The next claim has an earlier head, and mustn't conclude that more before it is kept.
            self.logger().state.with(|state| state.synced = from);
            head = waiting.last;
            waiting.records -= 1;
        }
        Some(Found { from, head, records: passed.records + waiting.records, overwritten: from.wrapping_sub(synced) })
    }

    /// Makes the found records the contents of the ring. Each store leaves a valid image.
    fn accept(&self, reset: Reset, found: Found) -> (Claim, u32) {
        let Found { from, head, records, overwritten } = found;
        self.logger().state.with(|state| state.restore(head, from));
        (Claim::Warm { reset, records, bytes: head.wrapping_sub(from), overwritten }, head)
    }

    /// Begins with an empty ring, without reading anything.
    fn wipe(&self) {
        let seal = self.seal.get().cast::<u32>();
        // SAFETY: the words are inside of the fields and aligned, and `new` promises that nothing else uses the memory
        // now. The volatile writes stay in their order, so there is never a seal on positions that are written in part.
        unsafe {
            seal.write_volatile(0);
            seal.add(1).write_volatile(0);
            let state = self.state();
            State::renew(state);
            // `renew` has put the stop there, too.
            (&raw mut (*state).head).write_volatile(0);
            (&raw mut (*state).tail).write_volatile(0);
            (&raw mut (*state).synced).write_volatile(0);
            seal.write_volatile(Self::SEAL[0]);
            seal.add(1).write_volatile(Self::SEAL[1]);
        }
    }

    fn state(&self) -> *mut State<CountersOf<S>> {
        // SAFETY: the address is inside of the logger, and nothing is read.
        Locked::raw(unsafe { &raw const (*self.logger.get().cast::<Logger<S, N>>()).state })
    }

    #[inline(always)]
    fn logger(&self) -> &Logger<S, N> {
        // SAFETY: `State::renew`, which `take` calls first, has written each field for which not all bytes are valid.
        // The other fields are integers, which are initialised by `wipe` or since `freeze`; bytes of the ring that
        // neither `freeze` nor a record has initialised are not in use, and are not read.
        unsafe { &*self.logger.get().cast() }
    }

    /// The only drain of the ring, as [`Logger::drain`]. After a reset, its first file has the recovered records: after
    /// preamble and prologue comes a text in MSG records with time 0, "Recovered after a watchdog reset: 123 records,
    /// 4567 bytes", and then the records. There are no statistics in this file. The drain then writes nothing until
    /// [`restart`](Drain::restart) begins the next file; see [`Drain::ends_file`]. `SdLog` does so by itself.
    ///
    /// The recovered records count as written in this boot.
    pub fn drain(&self) -> Option<Drain<'_, S, N>> {
        Drain::of(self, Some(self.recovery()))
    }

    /// A drain for a panic handler, as [`Logger::drain_in_panic`].
    ///
    /// # Safety
    ///
    /// As there.
    pub unsafe fn drain_in_panic(&self) -> Drain<'_, S, N> {
        self.logger().state.with(|state| state.drained = true);
        // SAFETY: the caller's guarantee is the same.
        unsafe { Drain::new(self, Some(self.recovery())) }
    }

    fn recovery(&self) -> &Recovery {
        // SAFETY: `claim`, which `new` requires to run first, has written it.
        unsafe { (*self.recovery.get()).assume_init_ref() }
    }
}

/// The methods of the logger, except [`drain`](Retained::drain).
impl<S: Schema, const N: usize> Deref for Retained<S, N> {
    type Target = Logger<S, N>;

    #[inline(always)]
    fn deref(&self) -> &Logger<S, N> {
        self.logger()
    }
}

impl<S: Schema, M, const N: usize> Sink<M> for Retained<S, N>
where
    FormatOf<S>: Accepts<S, M>,
{
    #[inline]
    fn log(&self, message: &M) -> bool {
        self.logger().log(message)
    }
}

impl<S: Schema, const N: usize> TimedSink for Retained<S, N> {
    fn now_us(&self) -> u64 {
        self.logger().now_us()
    }

    fn next_text_id(&self) -> u8 {
        self.logger().next_text_id()
    }
}

/// A valid image.
struct Found {
    /// The position of the first record.
    from: u32,
    /// The position after the last record.
    head: u32,
    records: u32,
    overwritten: u32,
}

/// Gives all bytes of a value unknown but fixed contents: for the compiler, uninitialised memory has none, and memory
/// that nothing wrote in this boot is uninitialised. No instruction executes here, but the compiler must assume that
/// this writes the bytes that are there.
fn freeze<T>(value: &T) {
    #[cfg(any(
        target_arch = "arm",
        target_arch = "aarch64",
        target_arch = "riscv32",
        target_arch = "riscv64",
        target_arch = "x86",
        target_arch = "x86_64",
    ))]
    // Miri knows no `asm!`, and has the bytes that the test wrote.
    if !cfg!(miri) {
        // SAFETY: it does nothing, and what it is taken to do is to write to the memory of `UnsafeCell`s, which is all
        // of `Retained`, while nothing else uses it.
        unsafe {
            core::arch::asm!("/* {0} */", in(reg) core::ptr::from_ref(value), options(nostack, preserves_flags));
        }
    }
    // The next best where `asm!` isn't stable. It isn't a proof: the documentation of `black_box` promises nothing,
    // though the compiler treats it as it treats the assembly.
    #[cfg(not(any(
        target_arch = "arm",
        target_arch = "aarch64",
        target_arch = "riscv32",
        target_arch = "riscv64",
        target_arch = "x86",
        target_arch = "x86_64",
    )))]
    core::hint::black_box(core::ptr::from_ref(value));
}
