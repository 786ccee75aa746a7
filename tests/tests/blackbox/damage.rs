//! Damaged logs: compared with the sound log, and with what other decoders make of the damage.

use crate::other_decoders;
use crate::real_logs;
use crate::reference::Reference;
use binlog::blackbox::BlackboxLog;
use binlog::blackbox::log::LostReason;
use std::collections::HashSet;
use std::ops::AddAssign;

/// A generator of pseudo-random numbers, the same on all machines (xorshift64*).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % end
    }
}

/// Rows of a damaged log that are in the sound log, and others.
#[derive(Clone, Copy, Default, Debug)]
struct Score {
    right: usize,
    wrong: usize,
}

impl AddAssign for Score {
    fn add_assign(&mut self, other: Self) {
        self.right += other.right;
        self.wrong += other.wrong;
    }
}

type Rows = Vec<Vec<u32>>;

/// Iterations are left out: other decoders count them differently.
fn score(sound: &Rows, damaged: &Rows) -> Score {
    let known: HashSet<&[u32]> = sound.iter().map(|row| &row[1..]).collect();
    let right = damaged.iter().filter(|row| known.contains(&row[1..])).count();
    Score { right, wrong: damaged.len() - right }
}

fn ours(log: &[u8]) -> Rows {
    other_decoders::by_us(&BlackboxLog::from_bytes(log), 0).main
}

fn by_reference(log: &[u8]) -> Rows {
    Reference::new(log).main_frames().into_iter().map(|(_, row)| row).collect()
}

fn by_blackbox_log(log: &[u8]) -> Rows {
    other_decoders::by_blackbox_log(log, 0).main
}

/// The first 20,000 main frames of a session, as bytes.
fn sound(log: &[u8], session: usize) -> Option<Vec<u8>> {
    let log = BlackboxLog::from_bytes(log);
    let session = log.session(session)?;
    let end = Reference::new(session.bytes()).main_frames().get(20_000)?.0;
    Some(session.bytes()[..end].to_vec())
}

#[test]
fn cuts_cost_no_more_rows_than_in_other_decoders() {
    for (name, bytes) in real_logs::all() {
        for session in 0..BlackboxLog::from_bytes(&*bytes).sessions().len() {
            let Some(sound) = sound(&bytes, session) else { continue };
            let from = BlackboxLog::from_bytes(&*sound).session(0).expect("a session").frames_offset();
            let of_sound = [ours(&sound), by_reference(&sound), by_blackbox_log(&sound)];
            assert_eq!(of_sound[0], of_sound[1]);
            let mut all = [Score::default(); 3];
            for seed in 1..=10 {
                let mut random = Random::new(seed);
                let mut damaged = sound.clone();
                for _ in 0..60 {
                    let length = 1 + random.below(60);
                    let at = from + random.below(damaged.len() - from - length);
                    damaged.drain(at..at + length);
                }
                let of_damaged = [ours(&damaged), by_reference(&damaged), by_blackbox_log(&damaged)];
                let scores: Vec<Score> =
                    of_sound.iter().zip(&of_damaged).map(|(sound, damaged)| score(sound, damaged)).collect();
                eprintln!("{name} {session} seed {seed}: {scores:?}");
                for (all, score) in all.iter_mut().zip(scores) {
                    *all += score;
                }
            }
            let [ours, reference, blackbox_log] = all;
            eprintln!("{name} {session}: {all:?}");
            for other in [reference, blackbox_log] {
                assert!(
                    ours.right >= other.right && ours.wrong <= other.wrong,
                    "{name} {session}: {ours:?}, {other:?}"
                );
            }
        }
    }
}

/// Where firmware's `S` frame has another `S` before it, a decoder reads a frame that ends at no letter. By the
/// format's description such a frame is rejected, "a rejected frame causes all subsequent interframes to be rejected as
/// well, up until the next intraframe", and nothing in the log proves that no main frame is missing at the damage.
/// blackbox-log keeps P frames nevertheless.
#[test]
fn p_frames_after_a_rejected_one_need_the_next_i_frames_proof() {
    let Some((_, damaged)) = real_logs::all().into_iter().find(|(name, _)| *name == "bblog_error-recovery.bbl") else {
        return;
    };
    let read = ours(&damaged);
    assert_eq!(read, by_reference(&damaged));
    let iterations = |rows: &Rows| rows.iter().map(|row| row[0]).collect::<Vec<_>>();
    assert_eq!(iterations(&read), [0, 256]);
    assert_eq!(by_blackbox_log(&damaged).len(), 5);
    let lost = BlackboxLog::from_bytes(&*damaged).tables()[0].lost().to_vec();
    let reasons: Vec<LostReason> = lost.iter().map(|lost| lost.reason).collect();
    // An event is between the P frames.
    assert_eq!(reasons, [LostReason::Broken(b'S'), LostReason::NoIntra, LostReason::NoIntra]);

    // Without the byte before the slow frame, nothing is rejected, and the P frames are good.
    let at = damaged.windows(3).position(|bytes| bytes == b"SS\x01").expect("the byte");
    let mut mended = damaged.clone();
    mended.remove(at);
    assert_eq!(iterations(&ours(&mended)), [0, 16, 32, 48, 64, 80, 256]);
}
