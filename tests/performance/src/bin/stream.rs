//! Counts the records of the log on standard input, which streams through constant memory: `stream < LOG`.

use binlog::RecordStream;
use std::io::{self, Read};
use std::process::ExitCode;

fn main() -> ExitCode {
    match count(&mut io::stdin().lock()) {
        Ok((records, skipped)) => {
            println!("{records} records, {skipped} bytes skipped");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("stream: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The number of records, and of bytes that are in none.
fn count(log: &mut impl Read) -> io::Result<(u64, u64)> {
    let mut stream = Box::new(RecordStream::<65536>::new());
    let (mut records, mut skipped) = (0, 0);
    loop {
        let read = match log.read(stream.space()) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read?,
        };
        stream.filled(read);
        if read == 0 {
            stream.finish();
        }
        while let Some(item) = stream.next() {
            match item {
                Ok(_) => records += 1,
                Err(stretch) => skipped += stretch.length as u64,
            }
        }
        if read == 0 {
            return Ok((records, skipped));
        }
    }
}
