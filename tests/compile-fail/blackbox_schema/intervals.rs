use binlog::blackbox::{BlackboxFrame, BlackboxSchema};
use zerocopy::{FromBytes, Immutable, IntoBytes};

#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[blackbox(main)]
#[repr(C)]
struct MainFrame {
    loop_iteration: u32,
    time: u32,
}

#[derive(BlackboxSchema)]
#[blackbox(i_interval = 0, header("looptime" = "125"))]
enum IIntervalOf0 {
    Main(MainFrame),
}

#[derive(BlackboxSchema)]
#[blackbox(i_rate = 32, header("looptime" = "125"))]
enum IRate {
    Main(MainFrame),
}

#[derive(BlackboxSchema)]
#[blackbox(p_rate = "3/2", header("looptime" = "125"))]
enum PRateAbove1 {
    Main(MainFrame),
}

#[derive(BlackboxSchema)]
#[blackbox(i_interval = 8, p_rate = "1/16", header("looptime" = "125"))]
enum PRateBelowTheIInterval {
    Main(MainFrame),
}

#[derive(BlackboxSchema)]
#[blackbox(p_rate = 2, header("looptime" = "125"))]
enum PRateThatIsANumber {
    Main(MainFrame),
}

#[derive(BlackboxSchema)]
#[blackbox(p_rate = "2/6", header("looptime" = "125"))]
enum PRateThatIsNotReduced {
    Main(MainFrame),
}

#[derive(BlackboxSchema)]
#[blackbox(p_rate = "1/0", header("looptime" = "125"))]
enum PRateWithADenominatorOf0 {
    Main(MainFrame),
}

#[derive(BlackboxSchema)]
#[blackbox(p_rate = "16", header("looptime" = "125"))]
enum PRateWithoutADenominator {
    Main(MainFrame),
}

fn main() {}
