//! The same drain on a host, to a file of the operating system.
#![cfg(all(feature = "std", not(loom)))]

mod flight;

use binlog::LogSchema;
use binlog_embedded::{FromStd, Logger};
use flight::{Flight, numbers};
use std::fs;

static LOG: Logger<Flight, 4096> = Logger::new();

#[test]
fn a_file_takes_what_threads_log() -> std::io::Result<()> {
    let path = std::env::temp_dir().join(format!("binlog-host-{}.bin", std::process::id()));
    let mut file = FromStd::new(fs::File::create(&path)?);
    LOG.start(|| 0);
    let mut drain = LOG.drain().expect("the only drain");
    std::thread::scope(|threads| {
        for thread in 0..4 {
            threads.spawn(move || (0..10).all(|i| flight::log(&LOG, thread, (10 * thread + i) as u64)));
        }
    });
    drain.finish(&mut file)?;
    let log = fs::read(&path)?;
    fs::remove_file(&path)?;
    assert!(log.starts_with(Flight::PREAMBLE));
    let mut found = numbers(&log);
    found.sort_unstable();
    assert_eq!(found, (0..40).map(|i| (i / 10, i as u64)).collect::<Vec<_>>());
    Ok(())
}

#[test]
fn an_error_of_the_system_is_the_writers() {
    struct Full;
    impl std::io::Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let logger = Box::new(Logger::<Flight, 512>::new());
    logger.start(|| 0);
    let mut drain = logger.drain().expect("the only drain");
    let error = drain.catch_up(&mut FromStd::new(Full)).expect_err("the disk is full");
    assert_eq!(error.kind(), std::io::ErrorKind::StorageFull);
}
