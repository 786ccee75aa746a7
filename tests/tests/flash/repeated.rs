//! A call whose future is dropped, and that is made again, does its work or says that it can't.

use crate::asynchronous::{Slow, block_on, poll};
use crate::reference::on_host;
use binlog_embedded::FlashLog;
use binlog_embedded::flash_log::{Cause, FlashError, Options, Preamble};
use binlog_tests::nor_chip::{NorChip, NorError};
use embedded_io_async::Write;
use std::ops::ControlFlow;

type Flash = FlashLog<Slow<8192>>;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Call {
    Begin,
    Write,
    Flush,
    Prepare,
    End,
    List,
    Extract,
}

const CALLS: [Call; 7] = [Call::Begin, Call::Write, Call::Flush, Call::Prepare, Call::End, Call::List, Call::Extract];

fn contents(log: u8, bytes: usize) -> Vec<u8> {
    (0..bytes).map(|at| (at / 7) as u8 ^ (at as u8).wrapping_mul(31) ^ log).collect()
}

/// A chip with a log, and another that is open: some of its bytes are on the chip.
fn world() -> (NorChip<4, 8192>, Flash, usize) {
    let chip = NorChip::<4, 8192>::blank(1 << 18);
    let mut flash = FlashLog::new(Slow(chip.clone()), Options::DEFAULT);
    assert_eq!(block_on(flash.begin_log_async(&[])), Ok(1));
    block_on(flash.write_all(&contents(1, 3000))).expect("the chip works");
    block_on(flash.end_log_async()).expect("the chip works");
    assert_eq!(block_on(flash.begin_log_async(&[])), Ok(2));
    block_on(flash.write_all(&contents(2, 600))).expect("the chip works");
    (chip, flash, 600)
}

/// Makes a call. The future is dropped after `most` polls.
fn call(flash: &mut Flash, call: Call, written: &mut usize, most: usize) -> Option<Result<(), FlashError<NorError>>> {
    Some(match call {
        Call::Begin => poll(flash.begin_log_async(&[]), most)?.map(drop),
        Call::Write => {
            let bytes = contents(2, 6000);
            while *written < bytes.len() {
                match poll(flash.write(&bytes[*written..]), most)? {
                    Ok(taken) => *written += taken,
                    Err(error) => return Some(Err(error)),
                }
            }
            Ok(())
        }
        Call::Flush => poll(flash.flush(), most)?,
        Call::Prepare => poll(flash.prepare_async(30_000), most)?.map(drop),
        Call::End => poll(flash.end_log_async(), most)?,
        Call::List => {
            let mut count = 0;
            let each = |_: &binlog_embedded::flash_log::StoredLog| {
                count += 1;
                ControlFlow::Continue(())
            };
            let done = poll(flash.list_async(each), most)?;
            assert!(done.is_err() || count == 2, "{count} logs");
            done
        }
        Call::Extract => {
            let mut read = Vec::new();
            let pass = async |bytes: &[u8]| {
                read.extend_from_slice(bytes);
                ControlFlow::Continue(())
            };
            let done = poll(flash.extract_async(1, Preamble::NONE, pass), most)?.map(drop);
            assert!(done.is_err() || read == contents(1, 3000));
            done
        }
    })
}

fn found(chip: &NorChip<4, 8192>, number: u16) -> Vec<u8> {
    let logs = on_host(chip.memory().bytes());
    logs.into_iter().find(|log| log.number == number).map(|log| log.bytes).unwrap_or_default()
}

/// `then` is made between the two, or instead of the second.
fn repeat(first: Call, then: Option<Call>, most: usize) -> Option<Result<(), String>> {
    let (chip, mut flash, mut written) = world();
    if call(&mut flash, first, &mut written, most).is_some() {
        return None;
    }
    let mut check = || {
        let before = found(&chip, 2).len();
        for next in then.into_iter().chain([first]) {
            let done = call(&mut flash, next, &mut written, usize::MAX).expect("it ends");
            let all = contents(2, written);
            let on_chip = found(&chip, 2);
            if on_chip.len() < before || !all.starts_with(&on_chip) {
                return Err(format!("{next:?}: log 2 had {before} bytes and has {}", on_chip.len()));
            }
            // If there was another call between, it or `number` said that no log is open, and `begin_log` continues.
            let ends =
                matches!(next, Call::Flush | Call::End) || (next == Call::Begin && then.is_none_or(|it| it == next));
            match done {
                Ok(()) if ends && on_chip != all => {
                    return Err(format!("{next:?} is done, with {} of {written} bytes", on_chip.len()));
                }
                Err(error) if error.cause != Cause::Closed => return Err(error.to_string()),
                _ => {}
            }
            if next == Call::Begin {
                // What the other log has is another matter.
                break;
            }
        }
        // The next log is whole in any case.
        let number = match block_on(flash.begin_log_async(&[])) {
            Err(error) if error.cause == Cause::Closed => block_on(flash.begin_log_async(&[])),
            begun => begun,
        };
        let number = number.map_err(|error| format!("the next log: {error}"))?;
        block_on(flash.write_all(&contents(9, 2000))).map_err(|error| error.to_string())?;
        block_on(flash.end_log_async()).map_err(|error| error.to_string())?;
        match found(&chip, number) == contents(9, 2000) {
            true => Ok(()),
            false => Err(format!("log {number} isn't what was written")),
        }
    };
    Some(check())
}

#[test]
fn dropped_call_that_is_repeated_works_or_says_that_it_cant() {
    let mut failures = Vec::new();
    for first in CALLS {
        for then in [None].into_iter().chain(CALLS.map(Some)) {
            for most in 1..200 {
                match repeat(first, then, most) {
                    None => break,
                    Some(Ok(())) => {}
                    Some(Err(error)) => failures.push(format!("{first:?}, {then:?}, {most} polls: {error}")),
                }
            }
        }
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn end_log_after_another_calls_error_says_that_it_cant() {
    for is_flushed in [false, true] {
        let (chip, mut flash, written) = world();
        if is_flushed {
            block_on(flash.flush()).expect("the chip works");
        }
        chip.fail(0, 1);
        assert_eq!(
            block_on(flash.prepare_async(30_000)).expect_err("an erase fails").cause,
            Cause::Chip(NorError::Bus)
        );
        for _ in 0..2 {
            let ended = block_on(flash.end_log_async());
            assert_eq!(ended.is_err_and(|error| error.cause == Cause::Closed), !is_flushed);
        }
        assert_eq!(found(&chip, 2) == contents(2, written), is_flushed);
        assert_eq!(block_on(flash.write(b"x")).expect_err("no log is open").cause, Cause::Closed);
        assert_eq!(block_on(flash.begin_log_async(&[])), Ok(3));
        block_on(flash.write_all(&contents(3, 900))).expect("the chip works");
        assert_eq!(block_on(flash.end_log_async()), Ok(()));
        assert!(found(&chip, 3) == contents(3, 900));
    }
}
