//! Random histories of a chip: boots, logs, flushes, power cuts in any operation, against the reference.

use crate::boot::Boot;
use crate::reference::{Reference, on_host, on_target};
use binlog_embedded::flash_log::{Options, WhenFull};
use binlog_tests::nor_chip::{Memory, Tear};
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Step {
    Begin,
    Write(u32),
    Flush,
    Prepare(u32),
    /// The power failed this number of operations ago, within an operation.
    Cut(usize, CutTear),
    Reset,
}

#[derive(Clone, Copy, Debug)]
enum CutTear {
    Before,
    Bytes(usize),
    Some(u64),
}

fn step() -> impl Strategy<Value = Step> {
    let tear = prop_oneof![
        Just(CutTear::Before),
        (0..4096_usize).prop_map(CutTear::Bytes),
        any::<u64>().prop_map(CutTear::Some),
    ];
    prop_oneof![
        2 => Just(Step::Begin),
        8 => (1..12_000_u32).prop_map(Step::Write),
        5 => Just(Step::Flush),
        1 => (0..200_000_u32).prop_map(Step::Prepare),
        3 => (0..40_usize, tear).prop_map(|(back, tear)| Step::Cut(back, tear)),
        1 => Just(Step::Reset),
    ]
}

/// Lives through a history. Each boot is checked at its end, on the target as on the host.
fn live<const WORD: usize, const UNIT: u32>(sectors: usize, steps: &[Step], when_full: WhenFull) {
    let options = Options { when_full, ..Options::DEFAULT };
    let length = sectors * 4096;
    let mut start = (Memory::blank(length, WORD), Reference::new(length, UNIT as usize));
    let mut boot = Boot::<WORD, UNIT>::new(start.0.clone(), start.1.clone(), options);
    boot.begin();
    for step in steps {
        match step {
            Step::Begin => boot.begin(),
            Step::Write(length) => drop(boot.write(*length)),
            Step::Flush => boot.flush(),
            Step::Prepare(bytes) => drop(boot.prepare(*bytes)),
            Step::Cut(back, tear) => {
                let (mut memory, mut reference) = start;
                let last = boot.noted.len().saturating_sub(*back + 1);
                for (operation, carried) in &boot.noted[..last.min(boot.noted.len())] {
                    memory.apply(operation, Tear::After);
                    reference.note(operation, carried.clone());
                }
                if let Some((operation, _)) = boot.noted.get(last) {
                    let tear = match *tear {
                        CutTear::Before => Tear::Before,
                        CutTear::Bytes(end) => Tear::Bytes(end),
                        CutTear::Some(seed) => Tear::Some(seed),
                    };
                    memory.apply(operation, tear);
                    if tear != Tear::Before {
                        reference.note_torn(operation);
                    }
                }
                reference.check_chip::<WORD, UNIT>(&memory, &|| "after a cut".to_owned());
                start = (memory, reference);
                boot = Boot::new(start.0.clone(), start.1.clone(), options);
                boot.begin();
            }
            Step::Reset => {
                start = (boot.chip.memory(), boot.reference.clone());
                boot = Boot::new(start.0.clone(), start.1.clone(), options);
                boot.begin();
            }
        }
    }
    let memory = boot.chip.memory();
    boot.reference.check_chip::<WORD, UNIT>(&memory, &|| "at the end".to_owned());
    // In the running boot, too.
    assert_eq!(on_target(&mut boot.flash), on_host(memory.bytes()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.min(24)))]

    #[test]
    fn of_small_units(steps in proptest::collection::vec(step(), 1..60), stop: bool) {
        live::<1, 4096>(16, &steps, if stop { WhenFull::Stop } else { WhenFull::Overwrite });
    }

    #[test]
    fn of_large_units_and_words(steps in proptest::collection::vec(step(), 1..60), stop: bool) {
        live::<64, 16384>(36, &steps, if stop { WhenFull::Stop } else { WhenFull::Overwrite });
    }
}
