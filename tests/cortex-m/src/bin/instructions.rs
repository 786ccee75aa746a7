//! Counts the instructions of a call that logs: a line `WORK MEAN MAXIMUM` for each, for tests/cortex-m/instructions.
//!
//! A call counts from the instruction that calls to the one that returns. As in an application, the called function is
//! one into which the compiler may inline `Logger::log` or not. The functions in C are called in the same way.

#![no_std]
#![no_main]

use binlog::field::{Centi, Chars};
use binlog::{LogMessage, LogSchema, Logs};
use binlog_cortex_m::clock::{self, between, now};
use binlog_cortex_m::messages::{Attitude, ControlTuning};
use binlog_embedded::{Drain, Logger};
use core::convert::Infallible;
use core::hint::black_box;
use cortex_m::Peripherals;
use cortex_m::peripheral::SYST;
use cortex_m_rt::{entry, exception};
use embedded_io::{ErrorType, Write};
use lm3s6965::semihosting::{exit, println, unhandled};
use zerocopy::{Immutable, IntoBytes};

#[exception]
unsafe fn DefaultHandler(number: i16) {
    unhandled(number)
}

/// As long as ATT, and logged once a second.
#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "RARE")]
#[repr(C, packed)]
struct Rare {
    time_us: u64,
    text: Chars<16>,
    number: u8,
}

#[derive(LogSchema)]
enum TargetLog {
    Att(Attitude),
    Ctun(ControlTuning),
    #[log(rate = 1)]
    Rare(Rare),
}

const CAPACITY: usize = 4096;

static LOG: Logger<TargetLog, CAPACITY> = Logger::new();

/// A C program has one type for all, so the calls have one.
type Work = unsafe extern "C" fn(*const u8, u32) -> i32;

mod c {
    unsafe extern "C" {
        pub(crate) fn c_constant_28(record: *const u8, length: u32) -> i32;
        pub(crate) fn c_constant_51(record: *const u8, length: u32) -> i32;
        pub(crate) fn c_length(record: *const u8, length: u32) -> i32;
        pub(crate) fn c_like_ap(record: *const u8, length: u32) -> i32;
        pub(crate) fn c_drain();
        pub(crate) fn c_drain_like_ap();
    }
}

// A call that does nothing, whose count is subtracted; its two instructions are added again.
core::arch::global_asm!(".thumb_func", ".global nothing", "nothing:", "bx lr");
const CALL_AND_RETURN: u32 = 2;
unsafe extern "C" {
    fn nothing(record: *const u8, length: u32) -> i32;
}

/// # Safety
///
/// `message` points to an `M`.
unsafe extern "C" fn log<M: LogMessage>(message: *const M, _length: u32) -> i32
where
    TargetLog: Logs<M>,
{
    // SAFETY: the caller's.
    LOG.log(unsafe { &*message }).into()
}

/// `log` for messages of one type.
fn ours<M: LogMessage>() -> Work
where
    TargetLog: Logs<M>,
{
    let ours: unsafe extern "C" fn(*const M, u32) -> i32 = log::<M>;
    // SAFETY: pointers to an `M` and to a byte are passed alike. `measure` passes those that the work takes.
    unsafe { core::mem::transmute(ours) }
}

/// A file that accepts everything.
struct Void;

impl ErrorType for Void {
    type Error = Infallible;
}

impl Write for Void {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, Infallible> {
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}

fn drain(drain: &mut Drain<'_, TargetLog, CAPACITY>) {
    while drain.step(&mut Void).expect("it takes all") > 0 {}
}

/// Records to a batch; they fit into the ring with its reserve.
const BATCH: usize = 64;
const BATCHES: usize = 256;

/// The instructions of each of a batch of calls.
#[inline(never)]
fn batch<T>(work: Work, records: &[T; 16], length: u32, expected: i32) -> [u32; BATCH] {
    let work = black_box(work);
    core::array::from_fn(|i| {
        let record = black_box(&records[i % 16]);
        let from = now();
        // SAFETY: `records` are what `work` takes, `length` bytes each; `nothing` takes all.
        let result = unsafe { work((&raw const *record).cast(), black_box(length)) };
        let to = now();
        assert!(expected == 2 || result == expected, "{result} in place of {expected}");
        between(from, to)
    })
}

/// Prints mean and maximum; `result` is what each call has to return, `between` runs between batches.
fn measure<T>(name: &str, work: Work, records: &[T; 16], length: u32, result: i32, mut between: impl FnMut()) {
    let (mut sum, mut max) = (0, 0);
    for _ in 0..BATCHES {
        for (with, without) in batch(work, records, length, result).into_iter().zip(batch(nothing, records, length, 2))
        {
            let instructions = with + CALL_AND_RETURN - without;
            sum += instructions;
            max = max.max(instructions);
        }
        between();
    }
    // A quarter of each, so that the product stays below 2³².
    let hundredths = sum * 25 / (BATCH * BATCHES / 4) as u32;
    println!("{name} {}.{:02} {max}", hundredths / 100, hundredths % 100);
}

/// Records as C has them: behind a header.
#[repr(C, packed)]
struct WithHeader<M> {
    header: [u8; 3],
    message: M,
}

/// C puts its records where the compiler likes, which is at a word.
#[repr(C, align(4))]
struct Aligned<T>(T);

fn attitude(i: usize) -> Attitude {
    let number = |column: usize| (i * 31 + column * 7) as i16;
    Attitude {
        time_us: 2500 * i as u64,
        des_roll: Centi::from_raw(number(0)),
        roll: Centi::from_raw(number(1)),
        des_pitch: Centi::from_raw(number(2)),
        pitch: Centi::from_raw(number(3)),
        des_yaw: Centi::from_raw(number(4) as u16),
        yaw: Centi::from_raw(number(5) as u16),
        error_roll_pitch: Centi::from_raw(number(6) as u16),
        error_yaw: Centi::from_raw(number(7) as u16),
        active_ekf: number(8) as u8,
    }
}

fn control_tuning(i: usize) -> ControlTuning {
    // Bits in place of floating point, which M0 and M3 don't have.
    let number = |column: usize| f32::from_bits((i * 31 + column * 7) as u32);
    ControlTuning {
        time_us: 2500 * i as u64,
        throttle_in: number(0),
        angle_boost: number(1),
        throttle_out: number(2),
        throttle_hover: number(3),
        desired_alt: number(4),
        alt: number(5),
        baro_alt: number(6),
        desired_rangefinder_alt: Centi::from_raw(i as i16),
        rangefinder_alt: Centi::from_raw(!i as i16),
        terrain_alt: number(7),
        target_climb_rate: 3 * i as i16,
        climb_rate: -3 * i as i16,
    }
}

/// Asserts that blocks of known length count as many instructions as they have, at all phases of tick and instruction.
fn check_clock() {
    macro_rules! block {
        ($($length:literal)*) => {$({
            let (from, to): (u32, u32);
            // SAFETY: it reads SysTick's counter, which is what `now` does.
            unsafe {
                core::arch::asm!(
                    "ldr {from}, [{counter}]",
                    concat!(".rept ", $length), "nop", ".endr",
                    "ldr {to}, [{counter}]",
                    counter = in(reg) &raw const (*SYST::PTR).cvr,
                    from = out(reg) from,
                    to = out(reg) to,
                    options(nostack),
                );
            };
            assert_eq!(between(from, to), $length + 1, "the clock counts instructions");
        })*};
    }
    for _ in 0..100 {
        block!(1 2 3 4 5 6 7 8 9 10 11 12 13 100);
    }
}

#[entry]
fn main() -> ! {
    let mut peripherals = Peripherals::take().expect("taken once");
    clock::start(&mut peripherals.SYST);
    check_clock();

    let attitudes = Aligned(core::array::from_fn::<_, 16, _>(|i| Aligned(attitude(i)))).0;
    let tunings = core::array::from_fn::<_, 16, _>(|i| Aligned(control_tuning(i)));
    let c_attitudes =
        core::array::from_fn::<_, 16, _>(|i| Aligned(WithHeader { header: [0xA3, 0x95, 1], message: attitude(i) }));
    let c_tunings = core::array::from_fn::<_, 16, _>(|i| {
        Aligned(WithHeader { header: [0xA3, 0x95, 2], message: control_tuning(i) })
    });
    // Not due again within a second, which these times never reach.
    let rare = core::array::from_fn::<_, 16, _>(|i| {
        Aligned(Rare { time_us: 1_000_000 + i as u64, text: Chars::cut("rare"), number: 1 })
    });

    let mut out = LOG.drain().expect("the only drain");
    measure("att-before-start", ours::<Attitude>(), &attitudes, 28, 0, || {});
    LOG.start(|| 0);
    // A CTUN between the batches, so that ATT, of seven words, stands at all alignments, as in a log of many messages.
    measure("att", ours::<Attitude>(), &attitudes, 28, 1, || {
        // SAFETY: it is a CTUN.
        unsafe { log(&raw const tunings[0].0, 51) };
        drain(&mut out);
    });
    measure("ctun", ours::<ControlTuning>(), &tunings, 51, 1, || drain(&mut out));
    LOG.set_masked::<Attitude>(true);
    measure("att-masked", ours::<Attitude>(), &attitudes, 28, 0, || {});
    LOG.set_masked::<Attitude>(false);
    while LOG.log(&attitudes[0].0) {}
    measure("att-full", ours::<Attitude>(), &attitudes, 28, 0, || {});
    drain(&mut out);
    assert!(LOG.log(&rare[0].0), "the first record is due");
    assert!(LOG.log(&rare[0].0), "the next one may come a period early");
    measure("rare-early", ours::<Rare>(), &rare, 28, 0, || {});
    drain(&mut out);

    // SAFETY: the record is as long as that. No other context is at what these functions share.
    let c_drain = || unsafe {
        c::c_length((&raw const c_tunings[0]).cast(), 51);
        c::c_drain();
    };
    // SAFETY: as above.
    let c_drain_like_ap = || unsafe {
        c::c_like_ap((&raw const c_tunings[0]).cast(), 51);
        c::c_drain_like_ap();
    };
    measure("att-c-constant", c::c_constant_28, &c_attitudes, 28, 1, c_drain);
    measure("att-c-length", c::c_length, &c_attitudes, 28, 1, c_drain);
    measure("att-c-like-ap", c::c_like_ap, &c_attitudes, 28, 1, c_drain_like_ap);
    measure("ctun-c-constant", c::c_constant_51, &c_tunings, 51, 1, c_drain);
    measure("ctun-c-length", c::c_length, &c_tunings, 51, 1, c_drain);
    measure("ctun-c-like-ap", c::c_like_ap, &c_tunings, 51, 1, c_drain_like_ap);
    exit(0)
}
