//! `binlog plot`, as it is called: pictures by their pixels, the page in a browser, the picture of the README.

#[path = "../../../../tests/src/left_out.rs"]
mod left_out;

#[path = "../export/mission_log.rs"]
mod mission_log;

mod browser;
mod command;
mod flight;
mod map;
mod page;
mod pictures;
mod pid_review;
mod python;
mod readme;
mod states;
mod tuning;
mod xy;
