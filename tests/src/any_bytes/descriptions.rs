//! The descriptions of a log with any embedded file: shared by the fuzz target and the test of its corpus.

use binlog::log::DescribedMessage;
use binlog::log_messages::FILE_NAME;
use binlog::messages::File;
use binlog::{Log, LogSchema, LogWriter};

/// A schema of nothing but embedded files.
#[derive(LogSchema)]
enum FileLog {
    File(File),
}

/// Any bytes as the embedded file, whole and in a log that is cut, and as a log.
pub fn descriptions(bytes: &[u8]) {
    drop(Log::from_bytes(bytes).descriptions());
    let mut log = LogWriter::<FileLog, _>::new(Vec::new()).expect("a Vec takes everything");
    log.file(FILE_NAME, bytes).expect("the name is short, and so is the file");
    let log = log.finish().expect("a Vec takes everything");
    assert_found(bytes, &Log::from_bytes(&log[..]).descriptions());
    let lost = usize::from(bytes.first().copied().unwrap_or_default()) * log.len() / 256;
    assert_found(bytes, &Log::from_bytes(&log[..log.len() - lost]).descriptions());
}

/// What is described was in the file, and no bit is beyond those of a number.
fn assert_found(file: &[u8], messages: &[DescribedMessage]) {
    let file = String::from_utf8_lossy(file);
    let columns = || messages.iter().flat_map(|message| &message.columns);
    let named = || columns().flat_map(|column| column.values.iter().chain(&column.bits));
    for (count, element) in [
        (messages.len(), "<logformat"),
        (columns().count(), "<field"),
        // A bit is `<bit>`, or `<element>` in `<bitmask>`.
        (columns().map(|column| column.values.len() + column.bits.len()).sum(), "<element"),
    ] {
        let bits = if element == "<element" { file.matches("<bit").count() } else { 0 };
        assert!(count <= file.matches(element).count() + bits, "{count} of {element}");
    }
    let texts = messages.iter().map(|message| message.name.len() + message.description.len());
    let texts = texts.chain(columns().map(|column| column.label.len() + column.description.len()));
    let texts = texts.chain(named().map(|named| named.name.len() + named.description.len()));
    assert!(texts.sum::<usize>() <= file.len(), "more text than the file has");
    assert!(
        columns().flat_map(|column| &column.bits).all(|bit| (0..128).contains(&bit.value)),
        "no bit has that number"
    );
}
