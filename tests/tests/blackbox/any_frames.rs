//! Any frames that the encoders take are read again with their values.

use binlog_tests::exercise_blackbox_encoders;
use proptest::prelude::*;

proptest! {
    #[test]
    fn frames_of_any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..3000)) {
        exercise_blackbox_encoders::frames(&bytes);
    }
}
