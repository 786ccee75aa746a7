//! Frames of MAVLink 1 and 2: found in a stream of bytes, and made of messages.

use super::message::{Address, MAX_PAYLOAD, Message};

/// Bytes of the longest frame: 255 of payload, with the header and the signature of MAVLink 2.
pub const MAX_FRAME: usize = 280;

const V1: u8 = 0xFE;
const V2: u8 = 0xFD;
/// Bytes before the payload of MAVLink 1, whose messages have one length each.
const V1_HEADER: usize = 6;
/// The flag of MAVLink 2 that says that a signature follows; a reader drops frames with any other one.
const SIGNED: u8 = 1;
const SIGNATURE: usize = 13;

/// The version of the frames that are sent.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Version {
    /// MAVLink 1: 8 bytes beside the payload.
    V1,
    /// MAVLink 2: 12 bytes beside the payload, whose zeros at the end are left out.
    #[default]
    V2,
}

/// A frame whose checksum is right. A signature is neither checked nor kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Frame<'a> {
    /// Who sent it.
    pub sender: Address,
    /// The sender's count of frames, modulo 256.
    pub sequence: u8,
    /// The message's id, one of the nine of [`Message`].
    pub id: u32,
    /// The payload, in MAVLink 2 without the zeros at its end.
    pub payload: &'a [u8],
}

impl<'a> Frame<'a> {
    /// The message; `None` if a value of it is impossible.
    pub fn message(&self) -> Option<Message<'a>> {
        Message::parse(self.id, self.payload)
    }
}

/// What a reader of frames dropped, and why. Each count stays at its maximum.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Counts {
    /// Frames with one of the nine messages.
    pub frames: u32,
    /// Frames with another message, whose checksum can't be checked.
    pub others: u32,
    /// Frames with a wrong checksum, or bytes that look like the beginning of a frame.
    pub damaged: u32,
    /// Frames with an incompatibility flag that isn't known.
    pub incompatible: u32,
    /// Bytes outside of frames.
    pub skipped: u32,
}

/// Finds frames in a stream of bytes, in pieces of any size.
///
/// ```
/// use binlog::mavlink::{Address, Frames, Link, MAX_FRAME, Message};
///
/// let mut link = Link::new(Address::new(1, 1));
/// let mut buffer = [0; MAX_FRAME];
/// let mut received = link.frame(&Message::LogErase { target: Address::new(2, 1) }, &mut buffer);
///
/// let mut frames = Frames::new();
/// while let Some(frame) = frames.next(&mut received) {
///     assert_eq!(frame.sender, Address::new(1, 1));
///     assert_eq!(frame.message(), Some(Message::LogErase { target: Address::new(2, 1) }));
/// }
/// assert_eq!(frames.counts().frames, 1);
/// ```
#[derive(Clone, Debug)]
pub struct Frames {
    /// A frame, and the byte after it.
    buffer: [u8; MAX_FRAME + 1],
    /// Bytes in the buffer. The first one is the beginning of a frame, unless there is none.
    len: usize,
    /// How many of them the next call drops.
    done: usize,
    counts: Counts,
}

impl Default for Frames {
    fn default() -> Self {
        Self::new()
    }
}

impl Frames {
    /// A reader that has read nothing.
    pub const fn new() -> Self {
        let counts = Counts { frames: 0, others: 0, damaged: 0, incompatible: 0, skipped: 0 };
        Frames { buffer: [0; MAX_FRAME + 1], len: 0, done: 0, counts }
    }

    /// What was dropped so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Takes bytes up to the end of the next frame with one of the nine messages, and returns it. `None` when all
    /// bytes are taken. Frames with other messages are skipped by their length if another frame follows.
    pub fn next<'a>(&'a mut self, bytes: &mut &[u8]) -> Option<Frame<'a>> {
        let (header, end) = loop {
            let done = core::mem::take(&mut self.done);
            self.drop_front(done);
            let header = Header::parse(&self.buffer[..self.len]);
            let layout = header.as_ref().and_then(|header| Message::layout(header.id));
            if let (Some(Header { start: V1_HEADER, length, .. }), Some((expected, _))) = (&header, layout)
                && *length != expected
            {
                // The START of a stream has a byte 0xFE, which would wait for 255 bytes after a byte that was lost.
                self.counts.damaged = self.counts.damaged.saturating_add(1);
                self.done = 1;
                continue;
            }
            let needed = match &header {
                None => self.len + 1,
                // The byte after another message shows whether it is one.
                Some(header) => header.frame_length() + usize::from(layout.is_none()),
            };
            let (taken, rest) = bytes.split_at(needed.saturating_sub(self.len).min(bytes.len()));
            *bytes = rest;
            self.buffer[self.len..][..taken.len()].copy_from_slice(taken);
            self.len += taken.len();
            if self.len < needed {
                return None;
            }
            let Some(header) = header else { continue };
            let end = header.start + header.length;
            let count = match layout {
                // What the flag changes isn't known, so the length may be wrong.
                _ if header.flags & !SIGNED != 0 => &mut self.counts.incompatible,
                None if is_start(self.buffer[needed - 1]) => {
                    self.done = needed - 1;
                    self.counts.others = self.counts.others.saturating_add(1);
                    continue;
                }
                Some((_, crc_extra)) if checksum(&self.buffer[1..end], crc_extra) == self.checksum_at(end) => {
                    self.done = needed;
                    break (header, end);
                }
                _ => &mut self.counts.damaged,
            };
            *count = count.saturating_add(1);
            // The length may be damaged: a frame may begin at the next byte.
            self.done = 1;
        };
        self.counts.frames = self.counts.frames.saturating_add(1);
        let Header { sender, sequence, id, start, .. } = header;
        Some(Frame { sender, sequence, id, payload: &self.buffer[start..end] })
    }

    fn checksum_at(&self, offset: usize) -> u16 {
        u16::from_le_bytes([self.buffer[offset], self.buffer[offset + 1]])
    }

    /// Drops bytes of the buffer, and then all up to the beginning of a frame.
    fn drop_front(&mut self, count: usize) {
        let rest = &self.buffer[count..self.len];
        let skipped = rest.iter().position(|&byte| is_start(byte)).unwrap_or(rest.len());
        self.counts.skipped = self.counts.skipped.saturating_add(skipped as u32);
        self.buffer.copy_within(count + skipped..self.len, 0);
        self.len -= count + skipped;
    }
}

/// Whether a byte may begin a frame.
fn is_start(byte: u8) -> bool {
    byte == V1 || byte == V2
}

/// What stands before a payload.
struct Header {
    flags: u8,
    sequence: u8,
    sender: Address,
    id: u32,
    /// Where the payload begins, and how long it is.
    start: usize,
    length: usize,
}

impl Header {
    /// `None` while it isn't whole.
    fn parse(bytes: &[u8]) -> Option<Self> {
        match *bytes {
            [V1, length, sequence, system, component, id, ..] => Some(Header {
                flags: 0,
                sequence,
                sender: Address { system, component },
                id: id.into(),
                start: V1_HEADER,
                length: length.into(),
            }),
            [V2, length, flags, _, sequence, system, component, a, b, c, ..] => Some(Header {
                flags,
                sequence,
                sender: Address { system, component },
                id: u32::from_le_bytes([a, b, c, 0]),
                start: 10,
                length: length.into(),
            }),
            _ => None,
        }
    }

    fn frame_length(&self) -> usize {
        self.start + self.length + 2 + if self.flags & SIGNED != 0 { SIGNATURE } else { 0 }
    }
}

/// Makes frames of the messages that one component sends.
#[derive(Clone, Debug)]
pub struct Link {
    sender: Address,
    version: Version,
    sequence: u8,
}

impl Link {
    /// Frames of MAVLink 2 from a sender.
    pub const fn new(sender: Address) -> Self {
        Self::with_version(sender, Version::V2)
    }

    /// Frames of a version.
    pub const fn with_version(sender: Address, version: Version) -> Self {
        Link { sender, version, sequence: 0 }
    }

    /// The next frame, in `buffer`.
    pub fn frame<'b>(&mut self, message: &Message<'_>, buffer: &'b mut [u8; MAX_FRAME]) -> &'b [u8] {
        let mut payload = [0; MAX_PAYLOAD];
        let mut payload = message.payload(&mut payload);
        let id = message.id();
        let Address { system, component } = self.sender;
        let sequence = self.sequence;
        self.sequence = sequence.wrapping_add(1);
        let start = match self.version {
            Version::V1 => {
                buffer[..6].copy_from_slice(&[V1, payload.len() as u8, sequence, system, component, id as u8]);
                6
            }
            Version::V2 => {
                while let [rest @ .., 0] = payload
                    && !rest.is_empty()
                {
                    payload = rest;
                }
                let [a, b, c, _] = id.to_le_bytes();
                let length = payload.len() as u8;
                buffer[..10].copy_from_slice(&[V2, length, 0, 0, sequence, system, component, a, b, c]);
                10
            }
        };
        let end = start + payload.len();
        buffer[start..end].copy_from_slice(payload);
        let crc_extra = Message::layout(id).map_or(0, |(_, crc_extra)| crc_extra);
        let crc = checksum(&buffer[1..end], crc_extra);
        buffer[end..end + 2].copy_from_slice(&crc.to_le_bytes());
        &buffer[..end + 2]
    }
}

/// CRC-16/MCRF4XX, which MAVLink calls X.25, of a frame without its first byte, and of the message's CRC_EXTRA.
fn checksum(bytes: &[u8], crc_extra: u8) -> u16 {
    bytes.iter().chain([&crc_extra]).fold(0xFFFF, |crc, &byte| {
        let low = byte ^ crc.to_le_bytes()[0];
        let low = u16::from(low ^ (low << 4));
        (crc >> 8) ^ (low << 8) ^ (low << 3) ^ (low >> 4)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// As pymavlink 2.4.50 packs it: system 1, component 1, sequence 0.
    #[test]
    fn frames_are_those_of_pymavlink() {
        let message = Message::LogRequestData { target: Address::new(1, 1), id: 3, ofs: 180, count: u32::MAX };
        let mut buffer = [0; MAX_FRAME];
        let from = Address::new(255, 190);
        assert_eq!(
            hex(Link::new(from).frame(&message, &mut buffer)),
            "fd0c000000ffbe770000b4000000ffffffff0300010169bb"
        );
        assert_eq!(
            hex(Link::with_version(from, Version::V1).frame(&message, &mut buffer)),
            "fe0c00ffbe77b4000000ffffffff03000101967b"
        );
    }

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    #[test]
    fn frames_are_found_between_other_bytes_in_any_pieces() {
        let target = Address::new(9, 155);
        let data: Vec<u8> = (0..200).map(|i| if i < 150 { i + 100 } else { 0 }).collect();
        let messages = [
            Message::Heartbeat { custom_mode: 5, kind: 2, autopilot: 3, base_mode: 128, system_status: 4 },
            Message::RemoteLogDataBlock { target, seqno: 7, data: &data },
            Message::LogData { id: 2, ofs: 90, count: 90, data: &data[..90] },
            Message::LogEntry { time_utc: 1, size: 2, id: 3, num_logs: 4, last_log_num: 5 },
        ];
        let mut bytes = vec![1, 2, V1];
        let mut expected = Vec::new();
        for version in [Version::V1, Version::V2] {
            let mut link = Link::with_version(Address::new(3, 4), version);
            for message in &messages {
                let mut buffer = [0; MAX_FRAME];
                bytes.extend_from_slice(link.frame(message, &mut buffer));
                bytes.extend_from_slice(&[V2, 3]);
                let mut buffer = [0; MAX_PAYLOAD];
                expected.push((message.id(), message.payload(&mut buffer).to_vec()));
            }
        }
        // The last bytes could be the beginning of a long frame.
        bytes.extend_from_slice(&[0; 2 * MAX_FRAME]);
        for piece in 1..60 {
            let mut frames = Frames::new();
            let mut found = Vec::new();
            for mut piece in bytes.chunks(piece) {
                while let Some(frame) = frames.next(&mut piece) {
                    let mut buffer = [0; MAX_PAYLOAD];
                    let message = frame.message().expect("a possible message");
                    found.push((frame.id, message.payload(&mut buffer).to_vec()));
                }
            }
            assert_eq!(found, expected, "pieces of {piece} bytes");
        }
    }

    #[test]
    fn a_signed_frame_is_read_and_others_are_counted() {
        let mut buffer = [0; MAX_FRAME];
        let message = Message::LogErase { target: Address::new(1, 1) };
        let frame = Link::new(Address::new(1, 2)).frame(&message, &mut buffer).to_vec();
        let read = |flags: u8, tail: usize, id: u8| {
            let mut bytes = frame.clone();
            (bytes[2], bytes[7]) = (flags, id);
            let end = bytes.len() - 2;
            let crc = checksum(&bytes[1..end], 237).to_le_bytes();
            bytes[end..].copy_from_slice(&crc);
            bytes.resize(bytes.len() + tail, 0x55);
            bytes.extend_from_slice(&frame);
            let mut frames = Frames::new();
            let mut bytes = bytes.as_slice();
            let mut count = 0;
            while frames.next(&mut bytes).is_some() {
                count += 1;
            }
            (count, frames.counts())
        };
        assert_eq!(read(1, SIGNATURE, 121).0, 2);
        let (count, counts) = read(2, 0, 121);
        assert_eq!((count, counts.incompatible, counts.others, counts.damaged), (1, 1, 0, 0));
        let (count, counts) = read(0, 0, 33);
        assert_eq!((count, counts.incompatible, counts.others, counts.damaged), (1, 0, 1, 0));
        let (count, counts) = read(0, 0, 122);
        assert_eq!((count, counts.damaged), (1, 1));
    }

    #[test]
    fn a_start_after_a_lost_byte_is_found_at_once() {
        let start =
            Message::RemoteLogBlockStatus { target: Address::new(1, 0), seqno: Message::START, is_received: true };
        let mut buffer = [0; MAX_FRAME];
        let frame = Link::new(Address::new(255, 190)).frame(&start, &mut buffer);
        let bytes = [&frame[1..], frame].concat();
        let mut frames = Frames::new();
        let found = frames.next(&mut bytes.as_slice()).and_then(|frame| frame.message().map(|message| message.id()));
        assert_eq!(found, Some(185));
        assert_eq!((frames.counts().damaged, frames.counts().frames), (1, 1));
    }

    proptest! {
        #[test]
        fn any_bytes_are_frames_or_counted(pieces in prop::collection::vec(piece(), 0..60)) {
            let bytes = pieces.concat();
            let mut frames = Frames::new();
            let (mut rest, mut found, mut in_frames) = (bytes.as_slice(), 0, 0);
            while frames.next(&mut rest).is_some() {
                found += 1;
                in_frames += frames.done;
            }
            prop_assert!(rest.is_empty());
            let counts = frames.counts();
            prop_assert_eq!(counts.frames, found);
            // A damaged frame is dropped by its first byte, and the others are read again.
            let dropped = counts.damaged + counts.incompatible + counts.skipped;
            let in_others = bytes.len() - in_frames - dropped as usize - frames.len;
            let others = counts.others as usize;
            prop_assert!((8 * others..=MAX_FRAME * others).contains(&in_others), "{in_others} bytes, {counts:?}");
        }
    }

    /// A frame of each kind, whole or damaged, or other bytes.
    fn piece() -> impl Strategy<Value = Vec<u8>> {
        let byte = || prop_oneof![any::<u8>(), Just(V1), Just(V2)];
        let frame = (any::<bool>(), prop::sample::select(vec![0_u8, 0, 1, 2]), any::<bool>(), any::<u8>());
        let frame = frame.prop_map(|(is_v1, flags, is_known, at)| {
            let version = if is_v1 { Version::V1 } else { Version::V2 };
            let erase = Message::LogErase { target: Address::new(1, 1) };
            let mut buffer = [0; MAX_FRAME];
            let mut frame = Link::with_version(Address::new(1, 2), version).frame(&erase, &mut buffer).to_vec();
            match (is_v1, is_known) {
                (true, false) => frame[5] = 33,
                (false, false) => frame[7] = 33,
                (false, true) => frame[2] = flags,
                (true, true) if at < 64 => frame[usize::from(at % 8)] ^= 1,
                _ => {}
            }
            frame
        });
        prop_oneof![prop::collection::vec(byte(), 0..40), frame]
    }
}
