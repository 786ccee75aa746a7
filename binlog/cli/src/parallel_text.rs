//! Text that several threads make, a block of rows each, and that is written in order.

use std::io::{self, Write};
use std::num::NonZero;
use std::ops::Range;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

/// Rows of a block: some hundred kilobytes of text, which take longer to make than to pass on.
const ROWS: usize = 2048;

/// Finished blocks of each thread that may wait for the writer.
const WAITING: usize = 2;

/// Writes `rows` rows, of which `print` appends a range to a text. As many threads print as there are processors; the
/// text is the same with any number of them.
///
/// # Errors
///
/// Errors of the writer, which end the threads.
pub fn write(out: &mut impl Write, rows: usize, print: impl Fn(&mut Vec<u8>, Range<usize>) + Sync) -> io::Result<()> {
    let threads = match rows > ROWS {
        true => thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN),
        false => NonZero::<usize>::MIN,
    };
    write_with(threads, out, rows, print)
}

/// As [`write()`], with the given number of threads. With one, it is this thread.
///
/// # Errors
///
/// Those of [`write()`].
pub fn write_with(
    threads: NonZero<usize>,
    out: &mut impl Write,
    rows: usize,
    print: impl Fn(&mut Vec<u8>, Range<usize>) + Sync,
) -> io::Result<()> {
    let blocks = rows.div_ceil(ROWS);
    let print_block = |text: &mut Vec<u8>, block: usize| {
        text.clear();
        print(text, block * ROWS..rows.min((block + 1) * ROWS));
    };
    let print_block = &print_block;
    let threads = match threads.get().min(blocks) {
        0 | 1 => 0,
        several => several,
    };
    thread::scope(|scope| {
        let start = |first: usize| {
            let (made, made_texts) = mpsc::sync_channel(WAITING);
            let (written, written_texts) = mpsc::channel::<Vec<u8>>();
            let make = move || {
                for block in (first..blocks).step_by(threads) {
                    let mut text = written_texts.try_recv().unwrap_or_default();
                    print_block(&mut text, block);
                    // Nobody waits for more after an error of the writer.
                    if made.send(text).is_err() {
                        break;
                    }
                }
            };
            let started = thread::Builder::new().spawn_scoped(scope, make);
            started.ok().map(|_| Maker { made: made_texts, written })
        };
        let makers: Vec<Option<Maker>> = (0..threads).map(start).collect();
        let mut own = Vec::new();
        for block in 0..blocks {
            let maker = makers.get(block % threads.max(1)).and_then(Option::as_ref);
            match maker.map(|maker| (maker, maker.made.recv())) {
                Some((maker, Ok(text))) => {
                    out.write_all(&text)?;
                    // A thread that has made its last block needs no room.
                    let _ = maker.written.send(text);
                }
                // The thread panicked, and so does the end of the scope.
                Some((_, Err(_))) => break,
                // The system has no more threads, or one is enough.
                None => {
                    print_block(&mut own, block);
                    out.write_all(&own)?;
                }
            }
        }
        Ok(())
    })
}

/// A thread that makes every nth block.
struct Maker {
    /// Its blocks, in order.
    made: Receiver<Vec<u8>>,
    /// Where written blocks go, for their room.
    written: Sender<Vec<u8>>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::panic;

    fn print(text: &mut Vec<u8>, rows: Range<usize>) {
        rows.for_each(|row| text.extend_from_slice(format!("{row}\n").as_bytes()));
    }

    fn threads(count: usize) -> NonZero<usize> {
        NonZero::new(count).expect("some threads")
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn any_number_of_threads_writes_all_rows_in_order(rows in 0..9 * ROWS, count in 1..6_usize) {
            let (mut expected, mut written) = (Vec::new(), Vec::new());
            print(&mut expected, 0..rows);
            write_with(threads(count), &mut written, rows, print).expect("room");
            prop_assert!(written == expected);
        }
    }

    #[test]
    fn an_error_of_the_writer_is_returned_while_threads_wait() {
        struct Full(usize);
        impl Write for Full {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                self.0 = self.0.checked_sub(1).ok_or(io::ErrorKind::StorageFull)?;
                Ok(bytes.len())
            }

            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        for (count, blocks) in [(1, 0), (1, 3), (4, 0), (4, 1), (4, 7)] {
            let error = write_with(threads(count), &mut Full(blocks), 100 * ROWS, print).expect_err("no room");
            assert_eq!(error.kind(), io::ErrorKind::StorageFull, "{count} {blocks}");
        }
    }

    #[test]
    fn a_panic_of_a_thread_ends_the_call() {
        let panics = |text: &mut Vec<u8>, rows: Range<usize>| {
            assert!(rows.start < 4 * ROWS, "a defect");
            print(text, rows);
        };
        for count in [1, 3] {
            let call = || write_with(threads(count), &mut io::sink(), 20 * ROWS, panics);
            assert!(panic::catch_unwind(call).is_err(), "{count}");
        }
    }
}
