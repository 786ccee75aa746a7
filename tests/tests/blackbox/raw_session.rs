//! Makes logs by hand: header lines and frames of simple encodings, with values that a test can check.

/// A session's bytes.
#[derive(Clone, Default)]
pub(crate) struct RawSession {
    pub(crate) bytes: Vec<u8>,
}

pub(crate) const MARKER: &str = "H Product:Blackbox flight data recorder by Nicholas Sherlock\n";

/// As `UNSIGNED_VB`.
pub(crate) fn unsigned(mut value: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value > 127 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

/// As `SIGNED_VB`.
pub(crate) fn signed(value: i32) -> Vec<u8> {
    unsigned((value << 1 ^ value >> 31) as u32)
}

impl RawSession {
    /// A session with these lines after the first.
    pub(crate) fn new(lines: &[&str]) -> Self {
        let mut session = RawSession { bytes: MARKER.into() };
        for line in lines {
            session.bytes.extend(format!("H {line}\n").bytes());
        }
        session
    }

    /// A session whose main frames have the iteration, the time and further fields, and the usual slow frames. I frames
    /// have values as they are; P frames have the difference from the frame before, of the time that from a straight
    /// line.
    pub(crate) fn simple(fields: &[&str], lines: &[&str]) -> Self {
        let all = |number: &str| format!(",{number}").repeat(fields.len());
        let names: String = fields.iter().map(|field| format!(",{field}")).collect();
        let main = [
            "Data version:2".to_owned(),
            format!("Field I name:loopIteration,time{names}"),
            format!("Field I signed:0,0{}", all("1")),
            format!("Field I predictor:0,0{}", all("0")),
            format!("Field I encoding:1,1{}", all("0")),
            format!("Field P predictor:6,2{}", all("1")),
            format!("Field P encoding:9,0{}", all("0")),
            "Field S name:flightModeFlags,stateFlags".to_owned(),
            "Field S signed:0,0".to_owned(),
            "Field S predictor:0,0".to_owned(),
            "Field S encoding:1,1".to_owned(),
        ];
        let main: Vec<&str> = main.iter().map(String::as_str).chain(lines.iter().copied()).collect();
        RawSession::new(&main)
    }

    pub(crate) fn push(&mut self, letter: u8, fields: &[Vec<u8>]) -> &mut Self {
        self.bytes.push(letter);
        self.bytes.extend(fields.concat());
        self
    }

    /// An I frame of a [`simple`](Self::simple) log.
    pub(crate) fn intra(&mut self, iteration: u32, time: u32, values: &[i32]) -> &mut Self {
        let values = values.iter().map(|&value| signed(value));
        let fields: Vec<_> = [unsigned(iteration), unsigned(time)].into_iter().chain(values).collect();
        self.push(b'I', &fields)
    }

    /// A P frame of a [`simple`](Self::simple) log.
    pub(crate) fn inter(&mut self, time: i32, differences: &[i32]) -> &mut Self {
        let fields: Vec<_> = [&[time], differences].concat().iter().map(|&value| signed(value)).collect();
        self.push(b'P', &fields)
    }

    pub(crate) fn slow(&mut self, mode: u32) -> &mut Self {
        self.push(b'S', &[unsigned(mode), unsigned(0)])
    }

    pub(crate) fn raw(&mut self, bytes: &[u8]) -> &mut Self {
        self.bytes.extend(bytes);
        self
    }

    pub(crate) fn end(&mut self) -> &mut Self {
        self.raw(b"E\xFFEnd of log\0")
    }
}
