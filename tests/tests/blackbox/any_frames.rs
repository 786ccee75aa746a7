//! Any frames that the encoders take are read again with their values.

use binlog_tests::any_bytes;
use proptest::prelude::*;

proptest! {
    #[test]
    fn frames_of_any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..3000)) {
        any_bytes::blackbox_encoders::frames(&bytes);
    }
}
