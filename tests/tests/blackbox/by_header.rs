//! Logs written by the definitions of a header: for what the real logs lack.

use binlog::blackbox::log::Item;
use binlog::blackbox::{BlackboxLog, Event, FrameBuffer, Header, LoggedEncoder, UnencodableFrame};

/// A log in the making.
pub(crate) struct HeaderLog<'h> {
    pub(crate) bytes: Vec<u8>,
    encoder: LoggedEncoder<'h>,
    buffer: FrameBuffer,
}

/// The header of the only session in a log without frames.
pub(crate) fn header_of<'log>(log: &'log BlackboxLog<'_>) -> Header<'log> {
    let session = log.session(0).expect("a session");
    assert_eq!(session.header().problems(), []);
    session.header().clone()
}

impl<'h> HeaderLog<'h> {
    /// `lines` are those of the header.
    pub(crate) fn new(lines: &str, header: &'h Header<'h>) -> Self {
        HeaderLog { bytes: lines.into(), encoder: LoggedEncoder::new(header), buffer: FrameBuffer::new() }
    }

    /// Appends a frame. Nothing is appended if it can't be encoded.
    pub(crate) fn frame(&mut self, letter: u8, values: &[u32]) -> Result<(), UnencodableFrame> {
        self.buffer.clear();
        self.encoder.encode(letter, values, &mut self.buffer)?;
        self.bytes.extend_from_slice(self.buffer.bytes());
        Ok(())
    }

    /// Appends an event.
    pub(crate) fn event(&mut self, event: &Event) {
        self.encoder.event(event);
        self.bytes.extend_from_slice(event.encode(&mut [0; Event::MAX_BYTES]));
    }
}

/// The frames of a log's only session, letter and values; there are no lost ranges.
pub(crate) fn frames_of(log: &[u8]) -> Vec<(u8, Vec<u32>)> {
    let log = BlackboxLog::from_bytes(log);
    let session = log.session(0).expect("a session");
    let (mut frames, mut all) = (session.frames(), Vec::new());
    while let Some(item) = frames.next() {
        match item {
            Item::Frame(frame) => all.push((frame.letter(), frame.values().to_vec())),
            Item::Event { .. } => {}
            Item::Lost(lost) => panic!("{lost}"),
        }
    }
    all
}
