//! What is exported, as a consumer in C reads and releases it. Miri runs these.

use super::*;
use crate::format::field::Chars;
use crate::source::Values;
use std::ffi::CStr;
use std::mem;
use std::slice;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Moves a value as C does: the bytes are copied, and the source is marked as released.
macro_rules! moved {
    ($from:expr) => {{
        let from = $from;
        // SAFETY: the source is forgotten, so that the value is in one place only.
        let moved = unsafe { ptr::read(from) };
        from.release = None;
        moved
    }};
}

fn text<'a>(text: *const c_char) -> &'a str {
    // SAFETY: the tests ask for texts of what they haven't released.
    unsafe { CStr::from_ptr(text) }.to_str().expect("text")
}

/// The children of a schema.
fn fields(schema: &ArrowSchema) -> Vec<&ArrowSchema> {
    // SAFETY: it has `n_children` of them.
    (0..schema.n_children as usize).map(|i| unsafe { &**schema.children.add(i) }).collect()
}

/// The children of an array.
fn columns(array: &ArrowArray) -> Vec<&ArrowArray> {
    // SAFETY: it has `n_children` of them.
    (0..array.n_children as usize).map(|i| unsafe { &**array.children.add(i) }).collect()
}

/// A buffer of an array as values.
fn buffer<T>(array: &ArrowArray, i: usize, length: usize) -> &[T] {
    assert!(i < array.n_buffers as usize);
    // SAFETY: the array has `n_buffers` of them, and the tests know their lengths.
    unsafe { slice::from_raw_parts((*array.buffers.add(i)).cast(), length) }
}

fn address(array: &ArrowArray, i: usize) -> *const u8 {
    // SAFETY: as above.
    unsafe { (*array.buffers.add(i)).cast() }
}

fn pairs(schema: &ArrowSchema) -> Vec<(String, String)> {
    if schema.metadata.is_null() {
        return Vec::new();
    }
    let mut at = schema.metadata.cast::<u8>();
    let mut take = |length: usize| {
        // SAFETY: the length in front of the text says how many bytes follow.
        let bytes = unsafe { slice::from_raw_parts(at, length) };
        // SAFETY: as above.
        at = unsafe { at.add(length) };
        bytes
    };
    let number = |take: &mut dyn FnMut(usize) -> &'static [u8]| {
        i32::from_ne_bytes(take(4).try_into().expect("four bytes")) as usize
    };
    let count = number(&mut take);
    let mut word = || {
        let length = number(&mut take);
        String::from_utf8(take(length).to_vec()).expect("text")
    };
    (0..count).map(|_| (word(), word())).collect()
}

/// What a consumer does with a stream.
fn next(stream: &mut ArrowArrayStream) -> Result<Option<ArrowArray>, String> {
    let mut out = mem::MaybeUninit::uninit();
    // SAFETY: the stream isn't released, and there is room for an array.
    let code = unsafe { stream.get_next.expect("a stream")(stream, out.as_mut_ptr()) };
    if code != 0 {
        // SAFETY: the stream isn't released.
        let error = unsafe { stream.get_last_error.expect("a stream")(stream) };
        return Err(format!("{code}: {}", text(error)));
    }
    // SAFETY: without an error, it was written.
    let array = unsafe { out.assume_init() };
    Ok(array.release.is_some().then_some(array))
}

fn schema_of(stream: &mut ArrowArrayStream) -> ArrowSchema {
    let mut out = mem::MaybeUninit::uninit();
    // SAFETY: the stream isn't released, and there is room for a schema, which is written.
    unsafe {
        assert_eq!(stream.get_schema.expect("a stream")(stream, out.as_mut_ptr()), 0);
        out.assume_init()
    }
}

fn table(columns: &[(&str, Kind)]) -> TableSchema {
    let mut table = TableSchema::new("ATT");
    table.columns = columns.iter().map(|(label, kind)| ColumnSchema::new(*label, *kind)).collect();
    table
}

fn floats(numbers: &[f64]) -> Arc<Values> {
    Arc::new(Values::F64(numbers.to_vec().into()))
}

#[test]
fn a_schema_has_names_formats_and_metadata() {
    use Kind::*;
    let kinds = [I8, U8, I16, U16, I32, U32, I64, U64, F32, F64, Text, Bytes, Samples];
    let labels = kinds.map(|kind| format!("{kind:?}"));
    let mut table = table(&labels.iter().zip(kinds).map(|(label, kind)| (&**label, kind)).collect::<Vec<_>>());
    table.description = "Attitude".into();
    let roll = &mut table.columns[2];
    (roll.unit, roll.scale, roll.multiplier, roll.description) = ("µs".into(), 0.01, Some(1e-6), "Roll\0".into());
    let exported = ArrowSchema::of_table(&table);
    assert_eq!((text(exported.format), exported.flags), ("+s", 0));
    let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    assert_eq!(pairs(&exported), [pair("type", "ATT"), pair("description", "Attitude")]);
    let formats: Vec<&str> = fields(&exported).iter().map(|field| text(field.format)).collect();
    assert_eq!(formats, ["c", "C", "s", "S", "i", "I", "l", "L", "f", "g", "u", "w:64", "+w:32"]);
    let field = fields(&exported)[2];
    assert_eq!((text(field.name), field.flags, field.n_children), ("I16", NULLABLE, 0));
    let expected = [pair("unit", "µs"), pair("scale", "0.01"), pair("description", "Roll\0")];
    assert_eq!(pairs(field), expected);
    assert!(pairs(fields(&exported)[0]).is_empty());
    let samples = fields(&exported)[12];
    assert_eq!(fields(samples).iter().map(|item| text(item.format)).collect::<Vec<_>>(), ["s"]);
}

#[test]
fn numbers_stay_where_they_are_until_the_release() {
    let numbers = floats(&[1.5, -2.5]);
    let schema = table(&[("Roll", Kind::F64)]);
    let column = ArrowColumn::new(Kind::F64, numbers.clone()).expect("numbers");
    let mut array = ArrowArray::of_table(&schema, vec![column]).expect("a table");
    assert_eq!((array.length, array.n_buffers, array.null_count), (2, 1, 0));
    let exported = columns(&array)[0];
    assert_eq!((exported.length, exported.n_buffers, exported.offset), (2, 2, 0));
    assert!(address(exported, 0).is_null(), "all values are there");
    assert_eq!(address(exported, 1), numbers.as_bytes().as_ptr());
    assert_eq!(buffer::<f64>(exported, 1, 2), [1.5, -2.5]);
    assert_eq!(Arc::strong_count(&numbers), 2);
    // SAFETY: it isn't released yet.
    unsafe { array.release.expect("an array")(&mut array) };
    assert!(array.release.is_none());
    assert_eq!(Arc::strong_count(&numbers), 1);
    drop(array);
    assert_eq!(Arc::strong_count(&numbers), 1, "what is released isn't released again");
}

#[test]
fn what_is_moved_is_released_once() {
    let numbers = floats(&[1.0]);
    let column = || ArrowColumn::new(Kind::F64, numbers.clone()).expect("numbers");
    let schema = table(&[("A", Kind::F64), ("B", Kind::F64)]);
    let mut array = Box::new(ArrowArray::of_table(&schema, vec![column(), column()]).expect("a table"));
    assert_eq!(Arc::strong_count(&numbers), 3);
    let moved = moved!(&mut *array);
    drop(array);
    assert_eq!(Arc::strong_count(&numbers), 3);
    // A consumer may take a child and release the rest.
    // SAFETY: the array has two children, and nothing else refers to the second one.
    let child = moved!(unsafe { &mut **moved.children.add(1) });
    drop(moved);
    assert_eq!(Arc::strong_count(&numbers), 2);
    assert_eq!(buffer::<f64>(&child, 1, 1), [1.0]);
    drop(child);
    assert_eq!(Arc::strong_count(&numbers), 1);

    let mut schema = ArrowSchema::of_table(&schema);
    let moved_schema = moved!(&mut schema);
    drop(schema);
    // SAFETY: as above.
    let field = moved!(unsafe { &mut **moved_schema.children.add(0) });
    drop(moved_schema);
    assert_eq!(text(field.name), "A");
}

#[test]
fn texts_have_offsets() {
    let texts = Values::Chars16(["", "größer", "AUTO"].map(Chars::literal).into_iter().collect());
    let column = ArrowColumn::new(Kind::Text, texts).expect("texts");
    let array = ArrowArray::of_column(&ColumnSchema::new("Mode", Kind::Text), column).expect("a column");
    assert_eq!((array.length, array.n_buffers, array.null_count), (3, 3, 0));
    assert_eq!(buffer::<i32>(&array, 1, 4), [0, 0, 8, 12]);
    assert_eq!(buffer::<u8>(&array, 2, 12), "größerAUTO".as_bytes());
    // Bytes that aren't UTF-8 are characters of Latin-1, as they are shown.
    let damaged = Values::Chars4(vec![Chars::from_raw([b'a', 0xFF, 0, 0])].into());
    let column = ArrowColumn::new(Kind::Text, damaged).expect("texts");
    let array = ArrowArray::of_column(&ColumnSchema::new("Mode", Kind::Text), column).expect("a column");
    assert_eq!(buffer::<u8>(&array, 2, 3), "aÿ".as_bytes());
}

#[test]
fn nulls_have_bits() {
    let texts = (0..10).map(|i| (i % 3 != 0).then(|| i.to_string()));
    let same = ArrowColumn::one_text("Öl", 3).expect("texts");
    let [ours, theirs] = [same, ArrowColumn::texts([Some("Öl"); 3]).expect("texts")].map(ArrowColumn::into_buffers);
    assert!(ours.0.is_none() && theirs.0.is_none());
    assert!(ours.1.iter().map(Buffer::as_bytes).eq(theirs.1.iter().map(Buffer::as_bytes)));
    assert!(matches!(ArrowColumn::one_text("text", 1 << 30), Err(ArrowError::TextsTooLong)));
    let column = ArrowColumn::texts(texts).expect("texts");
    let array = ArrowArray::of_column(&ColumnSchema::new("A", Kind::Text), column).expect("a column");
    assert_eq!((array.null_count, buffer::<u8>(&array, 0, 2)), (4, &[0b1011_0110, 0b01][..]));
    for kind in [Kind::U8, Kind::F64, Kind::Text, Kind::Bytes, Kind::Samples] {
        let column = ArrowColumn::nulls(kind, 9);
        assert_eq!((column.kind(), column.len(), column.null_count()), (kind, 9, 9));
        let array = ArrowArray::of_column(&ColumnSchema::new("A", kind), column).expect("a column");
        assert_eq!((array.length, buffer::<u8>(&array, 0, 2)), (9, &[0, 0][..]));
    }
    let column = ArrowColumn::new(Kind::I64, Values::U64(vec![1, u64::MAX].into())).expect("numbers");
    let array = ArrowArray::of_column(&ColumnSchema::new("A", Kind::I64), column).expect("a column");
    assert_eq!((array.null_count, buffer::<u8>(&array, 0, 1)), (1, &[0b01][..]));
    assert_eq!(buffer::<i64>(&array, 1, 2), [1, 0]);
}

#[test]
fn arrays_and_raw_data_stay_where_they_are() {
    let samples = Arc::new(Values::I16x32(vec![[7; 32], [-7; 32]].into()));
    let column = ArrowColumn::new(Kind::Samples, samples.clone()).expect("arrays");
    let array = ArrowArray::of_column(&ColumnSchema::new("X", Kind::Samples), column).expect("a column");
    assert_eq!((array.length, array.n_buffers, array.n_children), (2, 1, 1));
    let items = columns(&array)[0];
    assert_eq!((items.length, address(items, 1)), (64, samples.as_bytes().as_ptr()));
    assert_eq!(buffer::<i16>(items, 1, 64)[31..33], [7, -7]);
    let raw = Arc::new(Values::Chars64(vec![Chars::from_raw([0xFF; 64])].into()));
    let column = ArrowColumn::new(Kind::Bytes, raw.clone()).expect("raw data");
    let array = ArrowArray::of_column(&ColumnSchema::new("Data", Kind::Bytes), column).expect("a column");
    assert_eq!((array.length, address(&array, 1)), (1, raw.as_bytes().as_ptr()));
    drop(array);
    assert_eq!((Arc::strong_count(&raw), Arc::strong_count(&samples)), (1, 2));
}

#[test]
fn numbers_are_widened_to_the_kind_of_the_column() {
    let column = ArrowColumn::new(Kind::F64, Values::I16(vec![-3].into())).expect("numbers");
    let array = ArrowArray::of_column(&ColumnSchema::new("A", Kind::F64), column).expect("a column");
    assert_eq!(buffer::<f64>(&array, 1, 1), [-3.0]);
    let error = ArrowColumn::new(Kind::I8, Values::I16(vec![-3].into())).expect_err("too wide");
    assert_eq!(error.to_string(), "a column of type I8 can't have values of type I16");
    let error = ArrowColumn::new(Kind::Bytes, Values::Chars4(vec![Chars::default()].into())).expect_err("four bytes");
    assert_eq!(error, ArrowError::Kind { column: Kind::Bytes, values: Kind::Text });
}

#[test]
fn a_batch_that_its_schema_does_not_describe_is_refused() {
    let schema = table(&[("A", Kind::F64), ("B", Kind::U8)]);
    let floats = || ArrowColumn::new(Kind::F64, Values::F64(vec![1.0].into())).expect("numbers");
    let bytes = |count| ArrowColumn::new(Kind::U8, Values::U8(vec![1; count].into())).expect("numbers");
    let error = |columns| ArrowArray::of_table(&schema, columns).map(drop).expect_err("another table");
    // A consumer would read eight bytes for each value.
    assert_eq!(error(vec![bytes(1), bytes(1)]), ArrowError::Kind { column: Kind::F64, values: Kind::U8 });
    assert_eq!(error(vec![floats()]), ArrowError::Columns { schema: 2, batch: 1 });
    assert_eq!(error(vec![floats(), bytes(2)]), ArrowError::Lengths { first: 1, other: 2 });
    assert!(ArrowArray::of_table(&schema, vec![floats(), bytes(1)]).is_ok());
}

#[test]
fn empty_tables_are_tables() {
    let schema = table(&[("A", Kind::F64), ("B", Kind::Text)]);
    let empty = [Values::F64(Vec::new().into()), Values::Chars4(Vec::new().into())];
    let empty = empty.into_iter().zip(&schema.columns).map(|(values, schema)| ArrowColumn::new(schema.kind, values));
    let array = ArrowArray::of_table(&schema, empty.map(|column| column.expect("nothing")).collect()).expect("a table");
    assert_eq!((array.length, array.n_children), (0, 2));
    assert_eq!(buffer::<i32>(columns(&array)[1], 1, 1), [0]);
    let none = ArrowArray::of_table(&table(&[]), Vec::new()).expect("a table without columns");
    assert_eq!((none.length, none.n_children, fields(&ArrowSchema::of_table(&table(&[]))).len()), (0, 0, 0));
}

#[test]
fn a_stream_has_all_batches_and_then_its_end() {
    let numbers = floats(&[1.0, 2.0]);
    let batches: Vec<Result<_, ArrowError>> =
        (0..3).map(|_| Ok(vec![ArrowColumn::new(Kind::F64, numbers.clone())?])).collect();
    let mut stream = ArrowArrayStream::of_tables(table(&[("A", Kind::F64)]), batches);
    let first = next(&mut stream).expect("no error").expect("a batch");
    assert_eq!(text(fields(&schema_of(&mut stream))[0].name), "A");
    let mut stream = moved!(&mut stream);
    assert_eq!([(); 2].map(|()| next(&mut stream).expect("no error").map(|batch| batch.length)), [Some(2); 2]);
    assert!((0..3).all(|_| next(&mut stream).expect("no error").is_none()), "the end stays the end");
    drop(stream);
    assert_eq!(buffer::<f64>(columns(&first)[0], 1, 2), [1.0, 2.0], "a batch outlives its stream");
    assert_eq!(Arc::strong_count(&numbers), 2);
}

#[test]
fn a_stream_that_is_released_early_drops_the_rest() {
    struct Counted<'c>(&'c AtomicUsize);
    impl Drop for Counted<'_> {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
    static DROPPED: AtomicUsize = AtomicUsize::new(0);
    let numbers = floats(&[1.0]);
    let (of_stream, counted) = (numbers.clone(), Counted(&DROPPED));
    let columns = (0..1_000_000).map(move |_| {
        let _ = &counted;
        ArrowColumn::new(Kind::F64, of_stream.clone())
    });
    let mut stream = ArrowArrayStream::of_columns(ColumnSchema::new("A", Kind::F64), columns);
    drop(next(&mut stream).expect("no error"));
    assert_eq!(text(schema_of(&mut stream).format), "g");
    let of_thread = std::thread::spawn(move || drop(stream));
    of_thread.join().expect("no panic");
    assert_eq!((DROPPED.load(Ordering::Relaxed), Arc::strong_count(&numbers)), (1, 1));
}

#[test]
fn an_error_ends_the_stream_with_its_text() {
    let good = || Ok(vec![ArrowColumn::new(Kind::U8, Values::U8(vec![1].into())).expect("numbers")]);
    let schema = table(&[("A", Kind::U8)]);
    let batches = vec![good(), Err("the card was pulled"), good()];
    let mut stream = ArrowArrayStream::of_tables(schema.clone(), batches);
    // SAFETY: the stream isn't released.
    assert!(unsafe { stream.get_last_error.expect("a stream")(&mut stream) }.is_null());
    assert!(next(&mut stream).expect("no error").is_some());
    for _ in 0..2 {
        assert_eq!(next(&mut stream).map(drop), Err("5: the card was pulled".into()));
    }
    assert_eq!(fields(&schema_of(&mut stream)).len(), 1);

    let wrong = vec![Ok::<_, ArrowError>(Vec::new())];
    let mut stream = ArrowArrayStream::of_tables(schema.clone(), wrong);
    assert_eq!(next(&mut stream).map(drop), Err("5: the batch has 0 columns, and its schema 1".into()));

    let panics = (0..1).map(move |i| if i == 0 { panic!("out of luck") } else { good() });
    let mut stream = ArrowArrayStream::of_tables(schema, panics);
    assert_eq!(next(&mut stream).map(drop), Err("5: a batch panicked: out of luck".into()));
    assert_eq!(format!("{stream:?}"), "ArrowArrayStream { is_released: false, .. }");
}
