#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| binlog_tests::exercise_tools::whole_log(bytes));
