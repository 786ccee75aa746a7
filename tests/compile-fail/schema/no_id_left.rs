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

/// A schema that uses up the ids, and one that uses up the automatic ones.
macro_rules! schemas {
    (
        $($below:ident($below_number:literal)),*;
        $fmt:ident($fmt_number:literal);
        $($above:ident($above_number:literal)),*;
        $($last:ident($last_number:literal)),*
    ) => {
        #[derive(LogSchema)]
        enum Ids {
            $(#[log(id = $below_number)] $below(Message<$below_number>),)*
            $(#[log(id = $above_number)] $above(Message<$above_number>),)*
            $(#[log(id = $last_number)] $last(Message<$last_number>)),*
        }

        #[derive(LogSchema)]
        enum AutomaticIds {
            $($below(Message<$below_number>),)*
            $fmt(Message<$fmt_number>),
            $($above(Message<$above_number>)),*
        }
    };
}

schemas! {
    M0(0), M1(1), M2(2), M3(3), M4(4), M5(5), M6(6), M7(7), M8(8), M9(9), M10(10), M11(11), M12(12), M13(13), M14(14),
    M15(15), M16(16), M17(17), M18(18), M19(19), M20(20), M21(21), M22(22), M23(23), M24(24), M25(25), M26(26), M27(27),
    M28(28), M29(29), M30(30), M31(31), M32(32), M33(33), M34(34), M35(35), M36(36), M37(37), M38(38), M39(39), M40(40),
    M41(41), M42(42), M43(43), M44(44), M45(45), M46(46), M47(47), M48(48), M49(49), M50(50), M51(51), M52(52), M53(53),
    M54(54), M55(55), M56(56), M57(57), M58(58), M59(59), M60(60), M61(61), M62(62), M63(63), M64(64), M65(65), M66(66),
    M67(67), M68(68), M69(69), M70(70), M71(71), M72(72), M73(73), M74(74), M75(75), M76(76), M77(77), M78(78), M79(79),
    M80(80), M81(81), M82(82), M83(83), M84(84), M85(85), M86(86), M87(87), M88(88), M89(89), M90(90), M91(91), M92(92),
    M93(93), M94(94), M95(95), M96(96), M97(97), M98(98), M99(99), M100(100), M101(101), M102(102), M103(103),
    M104(104), M105(105), M106(106), M107(107), M108(108), M109(109), M110(110), M111(111), M112(112), M113(113),
    M114(114), M115(115), M116(116), M117(117), M118(118), M119(119), M120(120), M121(121), M122(122), M123(123),
    M124(124), M125(125), M126(126), M127(127);
    M128(128);
    M129(129), M130(130), M131(131), M132(132), M133(133), M134(134), M135(135), M136(136), M137(137), M138(138),
    M139(139), M140(140), M141(141), M142(142), M143(143), M144(144), M145(145), M146(146), M147(147), M148(148),
    M149(149), M150(150), M151(151), M152(152), M153(153), M154(154), M155(155), M156(156), M157(157), M158(158),
    M159(159), M160(160), M161(161), M162(162), M163(163), M164(164), M165(165), M166(166), M167(167), M168(168),
    M169(169), M170(170), M171(171), M172(172), M173(173), M174(174), M175(175), M176(176), M177(177), M178(178),
    M179(179), M180(180), M181(181), M182(182), M183(183), M184(184), M185(185), M186(186), M187(187), M188(188),
    M189(189), M190(190), M191(191), M192(192), M193(193), M194(194), M195(195), M196(196), M197(197), M198(198),
    M199(199), M200(200), M201(201), M202(202), M203(203), M204(204), M205(205), M206(206), M207(207), M208(208),
    M209(209), M210(210), M211(211), M212(212), M213(213), M214(214), M215(215), M216(216), M217(217), M218(218),
    M219(219), M220(220), M221(221), M222(222), M223(223), M224(224), M225(225), M226(226), M227(227), M228(228),
    M229(229), M230(230), M231(231), M232(232), M233(233), M234(234), M235(235), M236(236), M237(237), M238(238);
    M239(239), M240(240), M241(241), M242(242), M243(243), M244(244), M245(245), M246(246), M247(247), M248(248),
    M249(249), M250(250), M251(251), M252(252), M253(253), M254(254)
}

fn main() {}
