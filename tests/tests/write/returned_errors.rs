//! `main` prints the error that it returns with `Debug`: it says what the text says.

use binlog::{FinishError, Log, LogSchema, LogWriter, messages};
use std::error::Error;

#[derive(LogSchema)]
enum FlightLog {
    Msg(messages::Msg),
}

const MISSING: &str = "no/such/folder/flight.bin";

#[test]
fn debug_of_an_error_is_its_text() {
    let write = LogWriter::<FlightLog, _>::create(MISSING).unwrap_err();
    assert!(write.to_string().starts_with("no/such/folder/flight.bin: the log can't be written: "), "{write}");
    let log = Log::from_bytes(Vec::new());
    let errors: [Box<dyn Error>; 5] = [
        write.into(),
        Log::open(MISSING).unwrap_err().into(),
        log.rows("ATT").unwrap_err().into(),
        log.numbers("ATT.Roll", binlog::Scaling::Shown).unwrap_err().into(),
        binlog::flash::Image::new(&[]).map(drop).unwrap_err().into(),
    ];
    for error in errors {
        assert_eq!(format!("{error:?}"), error.to_string());
        assert!(format!("{error:?}").contains(' '), "a sentence: {error:?}");
    }
}

/// The text of a log that lacks records leaves the reason to its source.
#[test]
fn debug_of_an_error_has_the_texts_of_its_sources() {
    let error = LogWriter::<FlightLog, _>::create(MISSING).unwrap_err();
    let why = error.to_string();
    let finish = FinishError { error, refused: 2, out: None::<Vec<u8>> };
    assert_eq!(format!("{finish:?}"), format!("the log was not finished, and lacks 2 refused records: {why}"));
}
