//! Automatic ids leave those of the format's own messages alone, 128 to 143.

use binlog::{DecodeError, Definition, LogMessage, LogSchema};
use zerocopy::{Immutable, IntoBytes};

/// A message by hand, whose name is its number.
struct Message<const NUMBER: usize>;

impl<const NUMBER: usize> Message<NUMBER> {
    const NAME: [u8; 4] = [b'M', digit(NUMBER / 100), digit(NUMBER / 10), digit(NUMBER)];
}

const fn digit(number: usize) -> u8 {
    b'0' + (number % 10) as u8
}

impl<const NUMBER: usize> LogMessage for Message<NUMBER> {
    const DEFINITION: Definition = Definition {
        name: match std::str::from_utf8(&Self::NAME) {
            Ok(name) => name,
            Err(_) => "",
        },
        ..Time::DEFINITION
    };

    fn wire(&self) -> &[u8] {
        &[0; 8]
    }

    fn decode(_: &[u8]) -> Result<Self, DecodeError> {
        Ok(Message)
    }
}

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "TIME")]
#[repr(C, packed)]
struct Time {
    time_us: u64,
}

macro_rules! schema {
    ($($name:ident($number:literal)),*) => {
        #[derive(LogSchema)]
        enum FlightLog {
            $($name(Message<$number>)),*
        }
    };
}

schema! {
    M0(0), M1(1), M2(2), M3(3), M4(4), M5(5), M6(6), M7(7), M8(8), M9(9), M10(10), M11(11), M12(12), M13(13),
    M14(14), M15(15), M16(16), M17(17), M18(18), M19(19), M20(20), M21(21), M22(22), M23(23), M24(24), M25(25),
    M26(26), M27(27), M28(28), M29(29), M30(30), M31(31), M32(32), M33(33), M34(34), M35(35), M36(36), M37(37),
    M38(38), M39(39), M40(40), M41(41), M42(42), M43(43), M44(44), M45(45), M46(46), M47(47), M48(48), M49(49),
    M50(50), M51(51), M52(52), M53(53), M54(54), M55(55), M56(56), M57(57), M58(58), M59(59), M60(60), M61(61),
    M62(62), M63(63), M64(64), M65(65), M66(66), M67(67), M68(68), M69(69), M70(70), M71(71), M72(72), M73(73),
    M74(74), M75(75), M76(76), M77(77), M78(78), M79(79), M80(80), M81(81), M82(82), M83(83), M84(84), M85(85),
    M86(86), M87(87), M88(88), M89(89), M90(90), M91(91), M92(92), M93(93), M94(94), M95(95), M96(96), M97(97),
    M98(98), M99(99), M100(100), M101(101), M102(102), M103(103), M104(104), M105(105), M106(106), M107(107),
    M108(108), M109(109), M110(110), M111(111), M112(112), M113(113), M114(114), M115(115), M116(116), M117(117),
    M118(118), M119(119), M120(120), M121(121), M122(122), M123(123), M124(124), M125(125), M126(126), M127(127),
    M128(128)
}

#[test]
fn automatic_ids_are_1_to_127_and_144_to_254() {
    let ids: Vec<u8> = FlightLog::MESSAGES.iter().map(|message| message.id).collect();
    let expected: Vec<u8> = (1..=127).chain(144..=145).collect();
    assert_eq!(ids, expected);
}
