//! All operations of the reader, on any bytes: shared by the fuzz targets and the test of their corpus.
//!
//! What must hold for any bytes is asserted here. The fuzzer notices panics and hangs.

use crate::nor_chip::{Memory, NorChip, SECTOR};
use binlog::compatibility::{can_be_read_by, can_read};
use binlog::field::{Centi, Chars};
use binlog::flash::{Image, ImageLog};
use binlog::lock::Lock;
use binlog::log::{Column, Kind, Numbers, Rows};
use binlog::messages::{Ev, Fmt, Mode, Msg};
use binlog::replay::{Item as Moment, messages};
use binlog::{
    Decoder, Format, Log, LogMessage, LogSchema, LoggedSchema, Record, RecordStream, Records, Scaling, Skipped, Value,
};
use binlog_embedded::FlashLog;
use binlog_embedded::flash_log::{Options, Preamble, StoredLog};
use embedded_io::{Read, Write};
use std::ops::ControlFlow;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// A message with text, hundredths and an instance, for typed reading.
#[derive(LogMessage, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned, Clone, Copy, PartialEq, Debug)]
#[log(name = "ABC")]
#[repr(C, packed)]
pub struct Abc {
    /// Time since boot.
    pub time_us: u64,
    /// Which.
    #[log(instance)]
    pub which: u8,
    /// A wide float, so that narrower numbers are converted.
    #[log(unit = "deg")]
    pub angle: f64,
    /// Hundredths.
    pub height: Centi<i32>,
    /// Text.
    pub name: Chars<16>,
}

/// A schema with a column for which not every byte is valid, and messages that any log may contain.
#[derive(LogSchema)]
pub enum AnyLog {
    /// Own.
    Abc(Abc),
    /// Modes.
    Mode(Mode),
    /// Events.
    Ev(Ev),
    /// Texts.
    Msg(Msg),
    /// Definitions.
    Fmt(Fmt),
}

type Item = Result<(usize, bool, Vec<u8>, String), Skipped>;

fn item(item: Result<Record<'_>, Skipped>) -> Item {
    item.map(|record| {
        (record.offset(), record.is_suspect(), record.payload().to_vec(), format!("{:?}", record.definition()))
    })
}

/// Reads one record after the other, at once and in chunks. Both give the same, and each byte is in one record or in
/// one skipped stretch.
pub fn records(bytes: &[u8]) {
    let mut decoder = Decoder::<AnyLog>::new();
    let mut at = 0;
    let mut items = Vec::new();
    for next in Records::new(bytes) {
        let (offset, length) = match &next {
            Ok(record) => {
                let _ = (record.time_us(), decoder.decode(record).map(drop), record.decode::<Abc>().map(drop));
                for (column, value) in record.values() {
                    assert!(column.offset + column.format.size() <= record.payload().len());
                    let _ = (value.to_string(), value.to_f64(), value.to_integer());
                }
                (record.offset(), record.len())
            }
            Err(skipped) => (skipped.offset, skipped.length),
        };
        assert_eq!(offset, at, "{next:?}");
        assert!(length > 0, "{next:?}");
        at += length;
        items.push(item(next));
    }
    assert_eq!(at, bytes.len());
    // The first byte selects how the others are split.
    let chunk = bytes.first().map_or(1, |&byte| 1 + usize::from(byte) * 5);
    let mut stream = RecordStream::<1024>::new();
    let mut streamed = Vec::new();
    for chunk in bytes.chunks(chunk) {
        let mut rest = chunk;
        while !rest.is_empty() {
            let taken = stream.push(rest);
            assert!(taken > 0, "a stream that is read has room");
            rest = &rest[taken..];
            while let Some(next) = stream.next() {
                streamed.push(item(next));
            }
        }
    }
    stream.finish();
    while let Some(next) = stream.next() {
        streamed.push(item(next));
    }
    assert_eq!(streamed, items, "in chunks of {chunk}");
    replay(bytes);
}

/// Replays a log. The time goes back only where that is reported.
fn replay(bytes: &[u8]) {
    let mut last_us = 0;
    for item in messages::<AnyLog>(bytes).flatten() {
        match item {
            Moment::Begin { .. } | Moment::Back { .. } => last_us = 0,
            Moment::Input { time_us, .. } => {
                assert!(time_us >= last_us, "{time_us} after {last_us}");
                last_us = time_us;
            }
            _ => {}
        }
    }
}

/// All operations on a whole log. Where two ways lead to the same result, the results are compared.
pub fn log(bytes: &[u8]) {
    let log = Log::from_bytes(bytes);
    // The first request is answered without an index.
    let _ = log.rows("ABC[1]").map(|rows| rows.len());
    let found: Vec<_> = Records::new(bytes).flatten().map(|record| (record.offset(), record.name())).collect();
    let mut indexed: Vec<_> = Vec::new();
    for rows in log.types() {
        indexed.extend(rows.records().map(|record| (record.offset(), record.name())));
    }
    indexed.sort_unstable();
    assert_eq!(indexed, found, "the index has other records");
    let found = found.len();
    assert_eq!(log.types().map(|rows| rows.len()).sum::<usize>(), found);
    let tables = log.tables();
    assert_eq!(tables.iter().map(|table| table.len()).sum::<usize>(), found);
    let by_two = log.tables_with(Numbers::F64(Scaling::Units), 2.try_into().expect("two"));
    for (table, scaled) in tables.iter().zip(&by_two) {
        for (column, scaled) in table.columns().iter().zip(scaled.columns()) {
            assert_eq!((column.len(), scaled.len()), (table.len(), table.len()));
            let bits =
                |numbers: Option<Vec<f64>>| numbers.map(|all| all.into_iter().map(f64::to_bits).collect::<Vec<_>>());
            assert_eq!(bits(column.to_f64(Scaling::Units)), bits(scaled.to_f64(Scaling::Units)));
            let _ = (column.get(0).map(|value| value.to_string()), column.shown_unit(), column.unit());
        }
    }
    for rows in log.types() {
        assert_eq!(rows.times_us().len(), rows.len());
        let offsets: Vec<usize> = rows.records().map(|record| record.offset()).collect();
        assert!(offsets.is_sorted() && offsets.len() == rows.len());
        for label in rows.labels() {
            let Ok(column) = rows.column(label) else { continue };
            let mut values: Vec<_> = rows.records().map(|record| record.value(label)).collect();
            // Not by `==`, since a NaN doesn't equal itself.
            let shown = |values: &[Option<Value<'_>>]| format!("{values:?}");
            let of_column: Vec<_> = (0..rows.len()).map(|i| column.get(i)).collect();
            if shown(&of_column) != shown(&values) {
                // A record has the time's 32 bits as they are stored; the column continues it over wraps.
                let formats = rows.definitions().map(|definition| definition.column(label).map(|column| column.format));
                assert!(formats.flatten().all(|format| matches!(format, Format::I32 | Format::U32)), "{label}");
                values = rows.times_us().into_iter().map(|time_us| Some(Value::Unsigned(time_us))).collect();
            }
            assert_eq!(shown(&of_column), shown(&values));
            let numbers: Option<Vec<f64>> = values.iter().map(|value| value.as_ref()?.to_f64()).collect();
            let bits = |numbers: Vec<f64>| numbers.into_iter().map(f64::to_bits).collect::<Vec<_>>();
            let ours = rows.numbers(label, Scaling::Shown).ok();
            assert_eq!(ours.map(bits), numbers.filter(|_| !is_text_or_array(column.format())).map(bits));
        }
        let mut by_instance = 0;
        for (i, (instance, of_instance)) in rows.by_instance().enumerate() {
            by_instance += of_instance.len();
            // Each is a pass over the rows.
            if i < 4 {
                let asked = rows.instance(&instance.to_string()).expect("it is listed");
                let offsets = |rows: &Rows<'_>| rows.records().map(|record| record.offset()).collect::<Vec<_>>();
                let (asked, of_instance) = (offsets(&asked), offsets(&of_instance));
                // Instances with different bytes may have the same name.
                assert!(of_instance.iter().all(|offset| asked.binary_search(offset).is_ok()), "{instance}");
            }
        }
        assert!(by_instance <= rows.len());
        assert_eq!(rows.by_definition().map(|rows| rows.len()).sum::<usize>(), rows.len());
        columns(&rows);
        rows.by_definition().for_each(|rows| columns(&rows));
    }
    if let Ok(refs) = log.typed_refs::<Abc>() {
        let refs: Vec<Abc> = refs.copied().collect();
        let values: Vec<Abc> = log.typed().expect("equal definitions convert").flatten().collect();
        assert_eq!(refs.as_bytes(), values.as_bytes());
    }
    let _ = log.typed::<Mode>().map(|modes| modes.count());
    let _ = log.messages::<AnyLog>().map(|messages| messages.count());
    let _ = (log.clock().map(|clock| clock.system_time(u64::MAX)), log.time_range_us(), log.vehicle());
    let _ = (log.parameters(), log.texts(), log.modes(), log.armed());
    let _ = log.boots().map(|boot| (boot.range(), boot.time_range_us())).collect::<Vec<_>>();
    log.files().iter().for_each(|file| drop(file.contents()));
    log.batches().iter().for_each(|batch| drop(batch.samples()));
    let _ = (log.skipped().len(), log.suspects().len(), format!("{log:?}"));
}

/// Columns of a type in one pass are those that are read one by one, of the kind that the schema says, and so are those
/// of slices.
pub fn columns(rows: &Rows<'_>) {
    // Not by `==`, since a NaN doesn't equal itself.
    let shown = |column: &Column| format!("{column:?}");
    let labels = rows.labels();
    let one_by_one = labels.iter().map(|label| rows.column(label)).collect::<Result<Vec<_>, _>>();
    let at_once = rows.columns(&labels, Numbers::Native);
    match (&at_once, &one_by_one) {
        (Ok(at_once), Ok(one_by_one)) => {
            assert_eq!(at_once.iter().map(shown).collect::<Vec<_>>(), one_by_one.iter().map(shown).collect::<Vec<_>>());
        }
        (at_once, one_by_one) => assert_eq!(at_once.as_ref().err(), one_by_one.as_ref().err()),
    }
    for scaling in [Scaling::Stored, Scaling::Shown, Scaling::Units] {
        for numbers in [Numbers::Native, Numbers::F64(scaling), Numbers::Scaled(scaling)] {
            let Ok(schema) = rows.schema(numbers) else { continue };
            let labels: Vec<&str> = schema.columns.iter().map(|column| &*column.label).collect();
            let columns = rows.columns(&labels, numbers).expect("the schema has them");
            assert_eq!(labels.len(), columns.len());
            for (said, column) in schema.columns.iter().zip(&columns) {
                assert_eq!(said.label, column.label());
                let kind = column.values().kind();
                assert!(said.kind == kind || (said.kind, kind) == (Kind::Bytes, Kind::Text), "{said:?}: {kind:?}");
                let bits = |numbers: Vec<f64>| numbers.into_iter().map(f64::to_bits).collect::<Vec<_>>();
                // A number that isn't a double is one that the scaling doesn't change.
                let scaled = if numbers == Numbers::Native { Scaling::Stored } else { scaling };
                let expected = rows.numbers(column.label(), scaled).ok();
                assert_eq!(column.to_f64(scaled).map(bits), expected.map(bits), "{numbers:?} {said:?}");
            }
        }
    }
    let middle = rows.len() / 2;
    let offsets = |rows: &Rows<'_>| rows.records().map(|record| record.offset()).collect::<Vec<_>>();
    let [first, second] = [0..middle, middle..usize::MAX].map(|range| offsets(&rows.slice(range)));
    assert_eq!((first.len(), [first, second].concat()), (middle, offsets(rows)));
}

fn is_text_or_array(format: Format) -> bool {
    format.is_text() || format == Format::I16x32
}

/// The logs of any bytes as the image of a flash chip. The target finds the same ones.
pub fn flash(bytes: &[u8]) {
    // The fuzzer's inputs are short: the first byte of each 32 says which sector the others are the beginning of.
    let mut image = vec![0xFF; 32 * SECTOR];
    for (i, piece) in bytes.chunks(32).enumerate() {
        let at = (usize::from(piece[0]) % 32) * SECTOR + 31 * (i / 32);
        image[at..at + piece.len() - 1].copy_from_slice(&piece[1..]);
    }
    for image in [bytes, &image] {
        let found = match Image::new(image) {
            Ok(found) => found.with_preamble(bytes),
            Err(error) => {
                assert!(error.to_string().contains("image") || error.to_string().contains("log"));
                continue;
            }
        };
        for log in found.logs() {
            let bytes = log.bytes();
            assert!(log.gaps().iter().all(|gap| gap.at <= bytes.len() && gap.image_offset < image.len()));
            assert!(log.preamble_bytes() <= bytes.len() && log.file_name().ends_with(".BIN"));
            let _ = (log.gaps().iter().map(ToString::to_string).collect::<String>(), log.lacks_preamble());
        }
    }
    let mut memory = Memory::blank(image.len(), 1);
    memory.bytes_mut().copy_from_slice(&image);
    let mut target = FlashLog::new(NorChip::<1, 4096>::with(memory), Options::DEFAULT);
    let mut listed = Vec::new();
    let each = |log: &StoredLog| {
        listed.push(*log);
        ControlFlow::Continue(())
    };
    target.list(each).expect("a chip of enough sectors");
    for log in listed {
        let mut reader = target.read(&log, Preamble::NONE).expect("a log that is listed");
        let mut piece = [0; 64];
        let mut length = 0;
        loop {
            match reader.read(&mut piece).expect("the chip works") {
                0 => break,
                taken => length += taken,
            }
        }
        assert!(length <= log.occupied_bytes() as usize);
    }
    // What is logged now is found again, after any earlier contents.
    target.begin_log(&[]).expect("the chip works");
    target.write_all(b"newest").expect("the chip works");
    target.end_log().expect("the chip works");
    let memory = target.flash().memory();
    let newest = Image::new(memory.bytes()).expect("a log").logs().last().map(ImageLog::bytes);
    assert_eq!(newest.as_deref(), Some(b"newest".as_slice()));
}

/// The schema of a log: written, compared with itself, read back from JSON.
pub fn schema(bytes: &[u8]) {
    let schema = LoggedSchema::from_bytes(bytes);
    let _ = schema.to_rust();
    let _ = schema.to_string();
    assert!(schema.difference(&schema).is_empty());
    let json = schema.to_json();
    assert_eq!(LoggedSchema::from_json(&json).expect("its own JSON"), schema);
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = LoggedSchema::from_json(text).map(drop);
    }
    let _ = schema.difference(&LoggedSchema::of::<AnyLog>()).to_string();
    // What a report says of a log is what reading its records says, unless records lack.
    let log = Log::from_bytes(bytes);
    let report = can_read::<AnyLog>(&log);
    assert!(!report.is_ok() || log.messages::<AnyLog>().is_ok() || schema.messages().len() == 0, "{report}");
    let _ = (can_be_read_by::<AnyLog>(&log).to_string(), can_read::<AnyLog>(&schema).to_string());
    if let Ok(lock) = String::from_utf8_lossy(bytes).parse::<Lock>() {
        assert_eq!(lock.to_string().parse(), Ok(lock.clone()));
        let _ = lock.check::<AnyLog>().to_string();
    }
}
