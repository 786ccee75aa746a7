//! One frame isn't a schema, whose frames are read in the order of the log.

use binlog::blackbox::{BlackboxFrame, BlackboxLog};
use zerocopy::{FromBytes, Immutable, IntoBytes};

#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[blackbox(main)]
#[repr(C)]
struct MainFrame {
    loop_iteration: u32,
    time: u32,
}

fn main() {
    let log = BlackboxLog::from_bytes(Vec::new());
    for session in log.sessions() {
        let _ = session.typed_frames::<MainFrame>();
    }
}
