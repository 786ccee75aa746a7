//! The stream of a log, from a drain and from a card.

use binlog_embedded::mavlink::{Stream, StreamOptions, StreamState};

#[test]
fn nothing_is_sent_before_a_client_starts() {
    let mut stream = Stream::<40>::new(StreamOptions::DEFAULT);
    assert_eq!(stream.next(1_000_000), None);
    assert_eq!(stream.state(1_000_000), StreamState::Idle);
}
