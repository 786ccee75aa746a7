//! Counts the instructions of the calls of a stream over MAVLink, for tests/cortex-m/instructions: a line
//! `CALL MEAN MAXIMUM` for each.

#![no_std]
#![no_main]

#[path = "../count.rs"]
mod count;

use binlog::LogSchema;
use binlog_cortex_m::clock;
use binlog_cortex_m::messages::Attitude;
use binlog_embedded::mavlink::{Address, Message, Stream, StreamOptions};
use binlog_embedded::{Drain, Logger};
use cortex_m::Peripherals;
use cortex_m_rt::{entry, exception};
use count::Count;
use lm3s6965::semihosting::{exit, unhandled};
use zerocopy::FromZeros;

#[exception]
unsafe fn DefaultHandler(number: i16) {
    unhandled(number)
}

#[derive(LogSchema)]
enum TargetLog {
    Att(Attitude),
}

static LOG: Logger<TargetLog, 4096> = Logger::new();

type Out = Drain<'static, TargetLog, 4096>;

// Calls, as the counts of the other programs have them.
#[inline(never)]
fn receive<const N: usize>(stream: &mut Stream<N>, now_us: u64, sender: Address, message: &Message<'_>) {
    stream.receive(now_us, sender, message);
}

#[inline(never)]
fn run<const N: usize>(stream: &mut Stream<N>, now_us: u64, drain: &mut Out) -> bool {
    stream.run(now_us, drain)
}

#[inline(never)]
fn next<const N: usize>(stream: &mut Stream<N>, now_us: u64) -> Option<u32> {
    match stream.next(now_us)? {
        Message::RemoteLogDataBlock { seqno, .. } => Some(seqno),
        _ => None,
    }
}

/// Streams over a link that loses a fifth of the blocks and of the acknowledgements, with a full window.
fn measure<const N: usize>(drain: &mut Out) {
    let mut stream = Stream::<N>::new(StreamOptions::DEFAULT);
    let client = Address::new(1, 191);
    let [mut received, mut ran, mut sent] = [Count::NONE; 3];
    // SAFETY: of zeros.
    let attitude = Attitude::new_zeroed();
    let (mut on_the_way, mut head) = ([None; 64], 0);
    let mut random = 1_u32;
    let target = Address::new(0, 155);
    let status = |seqno, is_received| Message::RemoteLogBlockStatus { target, seqno, is_received };
    for step in 0..20_000_u64 {
        let now_us = 1_000_000 + step * 2000;
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        while LOG.log(&attitude) {}
        if step % 8000 == 0 {
            received.of(|| receive(&mut stream, now_us, client, &status(Message::START, true)));
        }
        head = (head + 1) % on_the_way.len();
        if let Some(block) = on_the_way[head].take() {
            received.of(|| receive(&mut stream, now_us, client, &status(block, random >> 30 != 0)));
        }
        while ran.of(|| run(&mut stream, now_us, drain)) {}
        if let Some(block) = sent.of(|| next(&mut stream, now_us)) {
            // Some come later than others.
            let at = (head + 25 + (random >> 26) as usize % 8) % on_the_way.len();
            if (random >> 20) % 10 < 6 {
                on_the_way[at] = Some(block);
            }
        }
    }
    assert!(stream.counts().acknowledged > 3000, "the stream streams");
    received.print("stream-receive");
    ran.print("stream-run");
    sent.print("stream-next");
}

#[entry]
fn main() -> ! {
    let mut peripherals = Peripherals::take().expect("taken once");
    clock::start(&mut peripherals.SYST);
    LOG.start(|| 0);
    let mut drain = LOG.drain().expect("the only drain");
    measure::<40>(&mut drain);
    exit(0)
}
