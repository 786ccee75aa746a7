#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| binlog_tests::any_bytes::mavlink::mavlink(bytes));
