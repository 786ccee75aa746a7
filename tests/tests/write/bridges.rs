//! The program's own text in its log.

use binlog::host::{LogBridge, TracingLayer};
use binlog::messages::Msg;
use binlog::{HostLogger, Log, LogSchema};
use log::Log as _;
use std::fmt;
use tracing_subscriber::layer::SubscriberExt;

#[derive(LogSchema)]
enum FlightLog {
    Msg(Msg),
}

/// The texts that are logged while `action` runs.
fn traced(action: impl FnOnce()) -> Vec<String> {
    let thread = HostLogger::<FlightLog>::spawn(Vec::new()).expect("memory takes all");
    let layer = TracingLayer::new(thread.logger().clone());
    tracing::subscriber::with_default(tracing_subscriber::registry().with(layer), action);
    let log = Log::from_bytes(thread.finish().expect("memory takes all"));
    log.texts().into_iter().map(|text| text.text).collect()
}

#[test]
fn an_event_has_level_target_message_and_fields_in_this_order() {
    let texts = traced(|| {
        tracing::info!(target: "ekf", "aligned");
        tracing::error!(target: "motor", number = 3, name = "rear", "stopped after {} s", 7);
        tracing::debug!(target: "empty", only = true);
    });
    assert_eq!(
        texts,
        ["INFO ekf: aligned", "ERROR motor: stopped after 7 s number=3 name=\"rear\"", "DEBUG empty: only=true"]
    );
}

#[test]
fn a_long_text_takes_several_records_that_readers_join() {
    let long = "ä".repeat(500);
    assert_eq!(traced(|| tracing::warn!(target: "t", "{long}")), [format!("WARN t: {long}")]);
}

#[test]
fn an_event_inside_of_an_event_is_left_out() {
    struct Talks;
    impl fmt::Debug for Talks {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            tracing::info!(target: "t", "inside");
            f.write_str("talks")
        }
    }
    assert_eq!(traced(|| tracing::info!(target: "t", "{:?}", Talks)), ["INFO t: talks"]);
}

#[test]
fn texts_never_wait_for_room() {
    let settings = HostLogger::<FlightLog>::builder().capacity(512).wait_for_room();
    let thread = settings.spawn(std::io::sink()).expect("it takes all");
    let bridge = LogBridge::new(thread.logger().clone());
    // More in one text than the queue holds: the end is dropped, or the test would not end if the thread that writes
    // were the one that logs.
    log::set_max_level(log::LevelFilter::Info);
    let text = "x".repeat(16_000);
    for _ in 0..100 {
        bridge.log(&log::Record::builder().level(log::Level::Warn).args(format_args!("{text}")).build());
    }
    let tally = thread.logger().tally::<Msg>();
    assert!(tally.dropped <= 100 && tally.written + tally.dropped > 0, "{tally:?}");
}

#[test]
fn the_log_crates_records_are_texts_with_their_level() {
    let thread = HostLogger::<FlightLog>::spawn(Vec::new()).expect("memory takes all");
    let bridge = LogBridge::new(thread.logger().clone());
    log::set_max_level(log::LevelFilter::Info);
    for level in [log::Level::Warn, log::Level::Debug] {
        bridge.log(&log::Record::builder().level(level).target("gps").args(format_args!("lost")).build());
    }
    let log = Log::from_bytes(thread.finish().expect("memory takes all"));
    assert_eq!(log.texts().into_iter().map(|text| text.text).collect::<Vec<_>>(), ["WARN gps: lost"]);
}
