//! What is imported is what was exported, by us and as other producers lay it out. Miri runs these.

use super::*;
use crate::arrow::ArrowColumn;
use crate::arrow::column::Buffer;
use crate::format::field::Chars;
use crate::source::{ColumnSchema, TableSchema};
use std::convert::Infallible;

fn imported(schema: &ColumnSchema, array: ArrowArray) -> Result<ImportedValues, ImportError> {
    of_format(ArrowSchema::of_column(schema), array)
}

fn of_format(mut schema: ArrowSchema, mut array: ArrowArray) -> Result<ImportedValues, ImportError> {
    // SAFETY: the tests make arrays by the rules of the interface, with the types of their schemas.
    let columns = unsafe { import_array(&mut schema, &mut array) }?;
    assert!(schema.release.is_none() && array.release.is_none());
    let [column] = &columns[..] else { panic!("{columns:?}") };
    assert_eq!(column.label, "A");
    Ok(column.values.clone())
}

fn exported(kind: Kind, values: Values) -> (ColumnSchema, ArrowArray) {
    let schema = ColumnSchema::new("A", kind);
    let column = ArrowColumn::new(kind, values).expect("values of the kind");
    let array = ArrowArray::of_column(&schema, column).expect("a column");
    (schema, array)
}

/// A column as another producer makes it: its format, length, offset and buffers, the first one the validity.
fn made(format: &str, length: usize, offset: usize, buffers: &[&[u8]]) -> (ArrowSchema, ArrowArray) {
    let bytes = |bytes: &&[u8]| Buffer::Bytes(bytes.to_vec().into());
    let validity = buffers.first().filter(|bits| !bits.is_empty()).map(bytes);
    let nulls = if validity.is_some() { usize::MAX } else { 0 };
    let mut array = ArrowArray::new(length, nulls, validity, buffers[1..].iter().map(bytes).collect(), Vec::new());
    array.offset = offset as i64;
    (ArrowSchema::new(format.into(), "A", &[], 0, Vec::new()), array)
}

#[test]
fn values_of_each_kind_are_what_was_exported() {
    for values in [
        Values::I8(vec![-1, 2, 3].into()),
        Values::U8(vec![255, 2, 3].into()),
        Values::I16(vec![-300, 2, 3].into()),
        Values::U16(vec![60_000, 2, 3].into()),
        Values::I32(vec![-70_000, 2, 3].into()),
        Values::U32(vec![u32::MAX, 2, 3].into()),
        Values::I64(vec![i64::MIN, 2, 3].into()),
        Values::U64(vec![u64::MAX, 2, 3].into()),
        Values::F32(vec![1.5, -0.0, f32::INFINITY].into()),
        Values::F64(vec![1e300, -0.0, 0.1].into()),
        Values::I16x32(vec![[7; 32], [-7; 32], std::array::from_fn(|i| i as i16)].into()),
    ] {
        let (schema, array) = exported(values.kind(), values.clone());
        assert_eq!(imported(&schema, array), Ok(ImportedValues::Numbers(values.clone())));
        // A slice, as most packages export it.
        let (schema, mut array) = exported(values.kind(), values.clone());
        (array.offset, array.length) = (1, 2);
        let ImportedValues::Numbers(rest) = imported(&schema, array).expect("numbers") else { panic!("no numbers") };
        let size = values.as_bytes().len() / 3;
        assert_eq!((rest.len(), rest.as_bytes()), (2, &values.as_bytes()[size..]));
    }
    let (schema, array) = exported(Kind::Text, Values::Chars4(vec![Chars::literal("ab"), Chars::literal("µ")].into()));
    assert_eq!(imported(&schema, array), Ok(ImportedValues::Texts(vec![b"ab".to_vec(), "µ".into()])));
    let (schema, array) = exported(Kind::Bytes, Values::Chars64(vec![Chars::from_raw([0xFF; 64])].into()));
    assert_eq!(imported(&schema, array), Ok(ImportedValues::Bytes(vec![vec![0xFF; 64]])));
}

#[test]
fn texts_have_each_layout_that_producers_choose() {
    let expected = || Ok(ImportedValues::Texts(vec![b"b".to_vec(), b"".to_vec(), b"a text of 20 letters".to_vec()]));
    let text = b"abca text of 20 letters";
    let offsets = [0_i32, 1, 2, 2, 22].map(i32::to_ne_bytes).concat();
    let with = |text: &[u8]| [&text[..2], &text[3..]].concat();
    let (schema, array) = made("u", 3, 1, &[&[], &offsets, &with(text)]);
    assert_eq!(of_format(schema, array), expected());
    let offsets = [0_i64, 1, 2, 2, 22].map(i64::to_ne_bytes).concat();
    let (schema, array) = made("U", 3, 1, &[&[], &offsets, &with(text)]);
    assert_eq!(of_format(schema, array), expected());
    let view = |length: i32, rest: &[u8]| {
        let mut view = length.to_ne_bytes().to_vec();
        view.extend(rest);
        view.resize(16, 0);
        view
    };
    let long = [&b"a te"[..], &1_i32.to_ne_bytes(), &3_i32.to_ne_bytes()].concat();
    let views = [view(1, b"a"), view(1, b"b"), view(0, b""), view(20, &long)].concat();
    let lengths = [0_i64, text.len() as i64].map(i64::to_ne_bytes).concat();
    let (schema, array) = made("vu", 3, 1, &[&[], &views, &[], text, &lengths]);
    assert_eq!(of_format(schema, array), expected());
    let beyond = [&b"a te"[..], &2_i32.to_ne_bytes(), &3_i32.to_ne_bytes()].concat();
    let (schema, array) = made("vu", 1, 0, &[&[], &view(20, &beyond), &[], text, &lengths]);
    assert_eq!(of_format(schema, array), Err(ImportError::Malformed { column: "A".into() }));
    let (schema, array) = made("w:3", 2, 1, &[&[], b"...abcdef"]);
    assert_eq!(of_format(schema, array), Ok(ImportedValues::Bytes(vec![b"abc".to_vec(), b"def".to_vec()])));
}

#[test]
fn bits_are_numbers() {
    let (schema, array) = made("b", 9, 1, &[&[], &[0b1010_0010, 0b11]]);
    let bits = vec![1, 0, 0, 0, 1, 0, 1, 1, 1];
    assert_eq!(of_format(schema, array), Ok(ImportedValues::Numbers(Values::U8(bits.into()))));
}

#[test]
fn a_null_is_an_error_with_its_row() {
    let schema = ColumnSchema::new("A", Kind::Text);
    let column = ArrowColumn::texts([Some("a"), Some("b"), None]).expect("texts");
    let array = ArrowArray::of_column(&schema, column).expect("a column");
    let error = imported(&schema, array).expect_err("a null");
    assert_eq!(error.to_string(), "A, row 2: null; fill it or leave the row out");
    // All values of a slice are there, and the producer didn't count.
    let (schema, array) = made("C", 2, 1, &[&[0b110], &[0, 5, 6]]);
    assert_eq!(of_format(schema, array), Ok(ImportedValues::Numbers(Values::U8(vec![5, 6].into()))));
    // Among floats it isn't.
    let floats = [0.0_f32, 1.5, 2.5].map(f32::to_ne_bytes).concat();
    let (schema, array) = made("f", 2, 1, &[&[0b010], &floats]);
    let ImportedValues::Numbers(Values::F32(floats)) = of_format(schema, array).expect("floats") else {
        panic!("no floats");
    };
    assert!(floats[0] == 1.5 && floats[1].is_nan());
    let samples = ArrowColumn::nulls(Kind::Samples, 1);
    let schema = ColumnSchema::new("A", Kind::Samples);
    let array = ArrowArray::of_column(&schema, samples).expect("a column");
    assert_eq!(imported(&schema, array), Err(ImportError::Null { column: "A".into(), row: 0 }));
}

#[test]
fn batches_of_a_stream_are_joined() {
    let mut table = TableSchema::new("ATT");
    table.columns = vec![ColumnSchema::new("A", Kind::U8), ColumnSchema::new("B", Kind::Text)];
    let batch = |number: u8, text: &str| {
        let numbers = ArrowColumn::new(Kind::U8, Values::U8(vec![number].into())).expect("numbers");
        Ok::<_, Infallible>(vec![numbers, ArrowColumn::texts([Some(text)]).expect("a text")])
    };
    let mut stream = ArrowArrayStream::of_tables(table, [batch(1, "a"), batch(2, "b")]);
    // SAFETY: it is our own.
    let columns = unsafe { import_stream(&mut stream) }.expect("a table");
    let values = [
        ImportedValues::Numbers(Values::U8(vec![1, 2].into())),
        ImportedValues::Texts(vec![b"a".to_vec(), b"b".to_vec()]),
    ];
    assert_eq!(columns.iter().map(|column| &*column.label).collect::<Vec<_>>(), ["A", "B"]);
    assert!(columns.iter().map(|column| &column.values).eq(&values));
    // SAFETY: as above.
    assert_eq!(unsafe { import_stream(&mut stream) }, Err(ImportError::Released));

    let batches = [Ok(ArrowColumn::nulls(Kind::U8, 0)), Err("the card was pulled")];
    let mut stream = ArrowArrayStream::of_columns(ColumnSchema::new("A", Kind::U8), batches);
    // SAFETY: as above.
    assert_eq!(unsafe { import_stream(&mut stream) }, Err(ImportError::Producer("the card was pulled".into())));
}

#[test]
fn a_type_that_no_log_has_is_an_error() {
    for format in ["tsu:", "e", "d:5,2", "+l", "n"] {
        let (schema, array) = made(format, 1, 0, &[&[], &[0; 8]]);
        assert_eq!(of_format(schema, array), Err(ImportError::Type { column: "A".into(), format: format.into() }));
    }
}
