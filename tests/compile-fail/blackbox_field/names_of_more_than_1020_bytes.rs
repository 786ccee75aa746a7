use binlog::blackbox::BlackboxFrame;
use zerocopy::{FromBytes, Immutable, IntoBytes};

#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[blackbox(main)]
#[repr(C)]
struct MainFrame {
    loop_iteration: u32,
    time: u32,
    #[blackbox(p(encoding = tag8_8svb))]
    a_name_of_more_than_thirty_letters_a: [u8; 24],
    #[blackbox(p(encoding = tag8_8svb))]
    a_name_of_more_than_thirty_letters_b: [u8; 24],
}

fn main() {}
