use binlog::blackbox::BlackboxFrame;

#[derive(BlackboxFrame, Clone, Copy)]
#[blackbox(main)]
#[repr(C)]
struct MainFrame {
    loop_iteration: u32,
    time: u32,
}

fn main() {}
