//! One piece of work, for callgrind: `count WORK RECORDS`.

use binlog_speed::{INPUTS, decode_att, encode_att, encode_ctun, floor_att, floor_ctun};
use std::hint::black_box;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [work, records] = &arguments[..] else {
        eprintln!("usage: count att|ctun|decode-att|c-att|c-ctun RECORDS");
        return ExitCode::FAILURE;
    };
    let Ok(records) = records.parse() else {
        eprintln!("{records} is not a number of records");
        return ExitCode::FAILURE;
    };
    let work = match work.as_str() {
        "att" => encode_att,
        "ctun" => encode_ctun,
        "decode-att" => decode_att,
        "c-att" => floor_att,
        "c-ctun" => floor_ctun,
        other => {
            eprintln!("there is no work {other}; it is att, ctun, decode-att, c-att or c-ctun");
            return ExitCode::FAILURE;
        }
    };
    let mut out = vec![0; 64 * 1024];
    black_box(work(black_box(&INPUTS), black_box(&mut out), records));
    ExitCode::SUCCESS
}
