//! The program's own text in its log.

use crate::host_logger::gate;
use binlog::host::{LogBridge, TracingLayer};
use binlog::messages::Msg;
use binlog::{HostLogger, Log, LogSchema};
use log::Log as _;
use std::fmt;
use std::sync::mpsc::channel;
use std::time::Duration;
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
fn an_event_has_the_spans_that_it_is_in_with_their_fields() {
    let texts = traced(|| {
        let flight = tracing::info_span!("flight", leg = 3, phase = tracing::field::Empty, pilot = "Ada");
        let _flight = flight.enter();
        tracing::info!(target: "t", "before");
        flight.record("phase", tracing::field::debug("boost"));
        flight.record("leg", 4);
        tracing::info_span!("burn").in_scope(|| tracing::info!(target: "t", n = 1, "inside"));
        tracing::info!(target: "t", parent: None, "beside");
    });
    assert_eq!(
        texts,
        [
            "INFO t: flight{leg=3 pilot=\"Ada\"}: before",
            "INFO t: flight{leg=4 pilot=\"Ada\" phase=\"boost\"}: burn: inside n=1",
            "INFO t: beside",
        ]
    );
}

/// Loggers of several vehicles hear the same spans.
#[test]
fn two_layers_note_the_fields_of_a_span_once() {
    let [one, other] = [(); 2].map(|()| HostLogger::<FlightLog>::spawn(Vec::new()).expect("memory takes all"));
    let layers = [&one, &other].map(|thread| TracingLayer::new(thread.logger().clone()));
    let [first, second] = layers;
    tracing::subscriber::with_default(tracing_subscriber::registry().with(first).with(second), || {
        let span = tracing::info_span!("flight", leg = tracing::field::Empty);
        span.record("leg", 1);
        span.in_scope(|| tracing::info!(target: "t", "x"));
    });
    for thread in [one, other] {
        let log = Log::from_bytes(thread.finish().expect("memory takes all"));
        assert_eq!(log.texts()[0].text, "INFO t: flight{leg=1}: x");
    }
}

/// What a field prints may log and ask for spans.
#[test]
fn a_field_of_a_span_may_talk() {
    struct Talks;
    impl fmt::Debug for Talks {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            tracing::info!(target: "t", "inside");
            f.write_str("talks")
        }
    }
    let texts = traced(|| {
        let span = tracing::info_span!("flight", talker = tracing::field::Empty);
        span.in_scope(|| span.record("talker", tracing::field::debug(Talks)));
        span.in_scope(|| tracing::info!(target: "t", "after"));
    });
    assert_eq!(texts.last().map(String::as_str), Some("INFO t: flight{talker=talks}: after"));
}

#[test]
fn texts_never_wait_for_room() {
    let (out, key, _) = gate();
    let settings = HostLogger::<FlightLog>::builder().capacity(512).wait_for_room();
    let thread = settings.spawn(out).expect("it takes the preamble");
    let logger = thread.logger().clone();
    log::set_max_level(log::LevelFilter::Info);
    let (sender, dropped) = channel();
    std::thread::spawn(move || {
        // Several times what the queue holds, and nothing leaves it.
        let text = "x".repeat(4000);
        let bridge = LogBridge::new(logger.clone());
        bridge.log(&log::Record::builder().level(log::Level::Warn).args(format_args!("{text}")).build());
        let by_log = logger.tally::<Msg>().dropped;
        let layer = TracingLayer::new(logger.clone());
        tracing::subscriber::with_default(tracing_subscriber::registry().with(layer), || tracing::warn!("{text}"));
        sender.send([by_log, logger.tally::<Msg>().dropped - by_log])
    });
    // A text that waits would do so until the key is dropped.
    let dropped = dropped.recv_timeout(Duration::from_secs(60));
    drop(key);
    let [by_log, by_tracing] = dropped.expect("no text waits");
    assert!(by_log > 0 && by_tracing > 0, "{by_log}, {by_tracing}");
    thread.finish().map_err(|error| error.error).expect("it takes all");
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
