#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| binlog_tests::exercise_blackbox_encoders::frames(bytes));
