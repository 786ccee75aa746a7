//! Wall time of exports, compared with the least that any export costs: for CSV `itoa` and `ryu` alone, which format
//! the same numbers, for Parquet the writer of arrow-rs with the same arrays, which are in memory.
//!
//! Each of ours begins with the log's bytes: it includes the index and the columns.

use arrow_array::RecordBatch;
use binlog::log::Values;
use binlog::{AnyLog, Log};
use binlog_cli::any_log::sessions;
use binlog_cli::export::choice::Choice;
use binlog_cli::export::chosen_table::{Cells, ChosenColumn, ChosenTable, Scale};
use binlog_cli::export::parquet::{DataSet, Facts, log_id, writer_properties};
use binlog_cli::export::time::{TimeColumn, Times};
use binlog_cli::export::{csv, tables};
use binlog_cli::intervals::Intervals;
use binlog_performance::read::long_log;
use binlog_performance::timing::{median, time};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::fs::{self, File};
use std::hint::black_box;
use std::io;
use std::path::Path;
use std::time::Duration;

const ROUNDS: usize = 7;
const LOG_BYTES: usize = 64 * 1024 * 1024;

/// Measures both in turn and prints a row.
fn row(name: &str, floor_name: &str, mut ours: impl FnMut() -> Duration, mut floor: impl FnMut() -> Duration) {
    let (mut of_ours, mut of_floor) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        of_ours.push(ours());
        of_floor.push(floor());
    }
    let (ours, floor) = (median(of_ours).as_secs_f64(), median(of_floor).as_secs_f64());
    println!(
        "{name:<8} {:8.1} ms, {floor_name} {:8.1} ms: {:.2} of its time, {:.2} of its rate",
        ours * 1e3,
        floor * 1e3,
        ours / floor,
        floor / ours,
    );
}

fn flight(log: &[u8]) -> AnyLog<'static> {
    AnyLog::ArduPilot(Log::from_bytes(log.to_vec()))
}

fn all_tables(flight: &AnyLog<'_>) -> Vec<ChosenTable> {
    let sessions = sessions(flight);
    let everything = Intervals::everything();
    sessions.iter().flat_map(|session| tables::tables(session, &Choice::default(), &everything)).collect()
}

/// All types as CSV, to nowhere.
fn write_csv(flight: &AnyLog<'_>) {
    for session in &sessions(flight) {
        let times = Times::of(TimeColumn::None, session);
        let written = tables::visit(session, &Choice::default(), &Intervals::everything(), |table| {
            let labels = || table.columns.iter().map(|column| column.label.as_str());
            csv::header(&mut io::sink(), &times, None, labels())?;
            csv::rows(&mut io::sink(), &times, None, labels(), &table)
        });
        written.expect("it takes all");
    }
}

/// The numbers of decoded tables as text, each by `itoa` or `ryu` and nothing else.
fn format_numbers(tables: &[ChosenTable]) {
    let mut integers = itoa::Buffer::new();
    let mut floats = ryu::Buffer::new();
    for table in tables {
        for &time in &table.times_us {
            black_box(integers.format(time));
        }
        for column in &table.columns {
            format_column(column, &mut integers, &mut floats);
        }
    }
}

fn format_column(column: &ChosenColumn, integers: &mut itoa::Buffer, floats: &mut ryu::Buffer) {
    let Cells::Logged(values) = &column.cells else { return };
    macro_rules! numbers {
        ($values:ident) => {
            match column.scale {
                Scale::One => {
                    for &value in $values {
                        black_box(integers.format(value));
                    }
                }
                scale => {
                    for &value in $values {
                        black_box(floats.format(scale.shown(value as f64)));
                    }
                }
            }
        };
    }
    macro_rules! floats {
        ($values:ident) => {
            for &value in $values {
                black_box(floats.format(value));
            }
        };
    }
    match values {
        Values::I8(values) => numbers!(values),
        Values::U8(values) => numbers!(values),
        Values::I16(values) => numbers!(values),
        Values::U16(values) => numbers!(values),
        Values::I32(values) => numbers!(values),
        Values::U32(values) => numbers!(values),
        Values::I64(values) => numbers!(values),
        Values::U64(values) => numbers!(values),
        Values::F32(values) => floats!(values),
        Values::F64(values) => floats!(values),
        // Text is copied in either case.
        _ => {}
    }
}

/// The log as a data set in a new folder.
fn write_data_set(flight: &AnyLog<'_>, folder: &Path) {
    let sessions = sessions(flight);
    let intervals: Vec<Intervals> = sessions.iter().map(|_| Intervals::everything()).collect();
    let mut data_set = DataSet::open(folder, "").expect("an empty folder");
    let facts = Facts::of("log", flight, &sessions, log_id(flight.bytes()));
    data_set.add(facts, &sessions, &intervals, &Choice::default()).expect("room");
    data_set.finish().expect("room");
}

/// The arrays of each type of a data set.
fn arrays(folder: &Path) -> Vec<Vec<RecordBatch>> {
    let folders = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let of_type = |folder: std::path::PathBuf| {
        let files = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
        let read = |path| {
            let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(path).expect("a file")).expect("Parquet");
            reader.with_batch_size(1 << 20).build().expect("Parquet")
        };
        files.flat_map(read).map(|batch| batch.expect("rows")).collect()
    };
    folders.filter(|path| path.is_dir()).map(of_type).collect()
}

/// Arrays in memory, to a file for each type.
fn write_arrays(types: &[Vec<RecordBatch>], folder: &Path) {
    for (i, batches) in types.iter().enumerate() {
        let Some(first) = batches.first() else { continue };
        let file = File::create(folder.join(format!("{i}.parquet"))).expect("room");
        let mut writer = ArrowWriter::try_new(file, first.schema(), Some(writer_properties(&first.schema())))
            .expect("a schema of arrow-rs");
        batches.iter().for_each(|batch| writer.write(batch).expect("room"));
        writer.into_inner().and_then(|file| Ok(file.sync_all()?)).expect("room");
    }
}

fn main() {
    let log = long_log(LOG_BYTES);
    println!("a log of {:.1} MB", log.len() as f64 / 1e6);
    let decoded = all_tables(&flight(&log));
    let ours = || {
        let flight = flight(&log);
        time(|| write_csv(&flight))
    };
    row("CSV", "itoa and ryu", ours, || time(|| format_numbers(&decoded)));
    drop(decoded);
    let room = || tempfile::tempdir().expect("a temporary folder");
    let first = room();
    write_data_set(&flight(&log), first.path());
    let types = arrays(first.path());
    let ours = || {
        let (flight, room) = (flight(&log), room());
        time(|| write_data_set(&flight, room.path()))
    };
    row("Parquet", "arrow-rs's writer", ours, || {
        let room = room();
        time(|| write_arrays(&types, room.path()))
    });
}
