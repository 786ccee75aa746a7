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
    /// Frames with another message, of whose checksum half can be checked.
    pub others: u32,
    /// Frames of the nine messages with a wrong checksum or length, or bytes that look like the beginning of one.
    pub damaged: u32,
    /// Frames with an incompatibility flag that isn't known.
    pub incompatible: u32,
    /// Bytes outside of frames, and those of frames with other messages between damage and the next of the nine.
    pub skipped: u32,
}

/// Finds frames in a stream of bytes, in pieces of any size.
///
/// Damage costs no frame other than the damaged one: the bytes after its first one are read again, and until the next
/// of the nine messages, whose checksum is right, no length of another message is believed.
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
    /// Whether the buffer begins where a frame ended, or the stream began.
    is_aligned: bool,
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
        Frames { buffer: [0; MAX_FRAME + 1], len: 0, done: 0, is_aligned: true, counts }
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
            if let Some(header) = &header
                && let Some(count) = self.drops(header, layout.map(|(length, _)| length))
            {
                *count = count.saturating_add(1);
                self.misalign();
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
            let (crc, checksum) = (crc(&self.buffer[1..end]), self.checksum_at(end));
            match layout {
                None if is_start(self.buffer[needed - 1]) && has_crc_extra(crc, checksum) => {
                    self.done = needed - 1;
                    self.counts.others = self.counts.others.saturating_add(1);
                }
                Some((_, crc_extra)) if crc_step(crc, crc_extra) == checksum => {
                    (self.done, self.is_aligned) = (needed, true);
                    break (header, end);
                }
                _ => {
                    self.counts.damaged = self.counts.damaged.saturating_add(1);
                    self.misalign();
                }
            }
        };
        self.counts.frames = self.counts.frames.saturating_add(1);
        let Header { sender, sequence, id, start, .. } = header;
        Some(Frame { sender, sequence, id, payload: &self.buffer[start..end] })
    }

    /// The count of what begins with this header, if it is dropped without waiting for its end. `length` is that of the
    /// message.
    fn drops(&mut self, header: &Header, length: Option<usize>) -> Option<&mut u32> {
        let is_v1 = header.start == V1_HEADER;
        match length {
            // What the flag changes isn't known, so the length may be wrong.
            _ if header.flags & !SIGNED != 0 => Some(&mut self.counts.incompatible),
            // After a byte that was lost, the 0xFE in the START of a stream would wait for 255 bytes. A message of
            // MAVLink 2 may have fields that were added to it.
            Some(length) if is_v1 && header.length != length => Some(&mut self.counts.damaged),
            Some(length) if !self.is_aligned && header.length > length => Some(&mut self.counts.damaged),
            None if !self.is_aligned => Some(&mut self.counts.skipped),
            _ => None,
        }
    }

    /// The length may be damaged: a frame may begin at the next byte.
    fn misalign(&mut self) {
        (self.done, self.is_aligned) = (1, false);
    }

    fn checksum_at(&self, offset: usize) -> u16 {
        u16::from_le_bytes([self.buffer[offset], self.buffer[offset + 1]])
    }

    /// Drops bytes of the buffer, and then all up to the beginning of a frame.
    fn drop_front(&mut self, count: usize) {
        let rest = &self.buffer[count..self.len];
        let skipped = rest.iter().position(|&byte| is_start(byte)).unwrap_or(rest.len());
        self.counts.skipped = self.counts.skipped.saturating_add(skipped as u32);
        self.is_aligned &= skipped == 0;
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
        let crc = crc_step(crc(&buffer[1..end]), crc_extra);
        buffer[end..end + 2].copy_from_slice(&crc.to_le_bytes());
        &buffer[..end + 2]
    }
}

/// CRC-16/MCRF4XX, which MAVLink calls X.25, of a frame without its first byte. The message's CRC_EXTRA is one more
/// byte.
fn crc(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0xFFFF, |crc, &byte| crc_step(crc, byte))
}

fn crc_step(crc: u16, byte: u8) -> u16 {
    let low = byte ^ crc.to_le_bytes()[0];
    (crc >> 8) ^ spread(low ^ (low << 4))
}

fn spread(low: u8) -> u16 {
    let low = u16::from(low);
    (low << 8) ^ (low << 3) ^ (low >> 4)
}

/// Whether any CRC_EXTRA gives this checksum, which 1 of 256 do: all that can be checked of a message that isn't known.
fn has_crc_extra(crc: u16, checksum: u16) -> bool {
    let step = checksum ^ (crc >> 8);
    let high = step.to_be_bytes()[0];
    spread(high ^ (high >> 5)) == step
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;

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
            let crc = crc_step(crc(&bytes[1..end]), 237).to_le_bytes();
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

    /// Bytes of a damaged START aren't waited for, even if they look like a frame: for target (0, 155), they are the
    /// beginning of a message that isn't known.
    #[test]
    fn a_start_after_a_lost_byte_is_found_at_once() {
        for target in [Address::new(1, 0), Address::new(0, 155)] {
            for (version, lost) in [(Version::V1, 0), (Version::V1, 1), (Version::V2, 0), (Version::V2, 1)] {
                let start = Message::RemoteLogBlockStatus { target, seqno: Message::START, is_received: true };
                let mut buffer = [0; MAX_FRAME];
                let frame = Link::with_version(Address::new(255, 190), version).frame(&start, &mut buffer);
                let bytes = [&[0][..], &frame[..lost], &frame[lost + 1..], frame].concat();
                let mut frames = Frames::new();
                let found = frames.next(&mut bytes.as_slice()).and_then(|frame| frame.message());
                assert_eq!(found, Some(start), "{version:?} without byte {lost}");
                assert_eq!(frames.counts().frames, 1);
            }
        }
    }

    /// Of each step of the CRC, exactly one CRC_EXTRA gives the checksum.
    #[test]
    fn one_of_256_checksums_of_an_unknown_message_is_possible() {
        for crc in [0, 0xFFFF, 0x1234, 0xA5C3] {
            let right: Vec<u16> = (0..=255).map(|crc_extra| crc_step(crc, crc_extra)).collect();
            for checksum in 0..=0xFFFF {
                assert_eq!(has_crc_extra(crc, checksum), right.contains(&checksum), "{crc:x} {checksum:x}");
            }
        }
    }

    proptest! {
        // Of a message that is not known, 1 of 256 checksums is right by chance: the seed is fixed.
        #![proptest_config(ProptestConfig { cases: 300, rng_seed: RngSeed::Fixed(1), ..ProptestConfig::default() })]
        #[test]
        fn damage_costs_no_other_frame(parts in prop::collection::vec(part(), 1..40)) {
            let bytes: Vec<u8> = parts.iter().flat_map(|(bytes, _)| bytes).copied().chain([0; 2 * MAX_FRAME]).collect();
            let mut frames = Frames::new();
            let (mut rest, mut found) = (bytes.as_slice(), Vec::new());
            while let Some(frame) = frames.next(&mut rest) {
                found.push(frame.sequence);
            }
            let mut found = found.into_iter();
            for (_, whole) in parts.iter().filter(|(_, whole)| whole.is_some()) {
                prop_assert!(found.any(|sequence| Some(sequence) == *whole), "{:?}", frames.counts());
            }
        }
    }

    /// A frame, with its sequence if it has one of the nine messages and is whole.
    fn part() -> impl Strategy<Value = (Vec<u8>, Option<u8>)> {
        let byte = || prop_oneof![any::<u8>(), Just(V1), Just(V2)];
        let data = prop::collection::vec(byte(), 8).prop_map(|bytes| bytes.repeat(25));
        let damage = prop_oneof![4 => Just(None), 1 => (0..4_u8, any::<prop::sample::Index>(), byte()).prop_map(Some)];
        (0..4_u8, any::<bool>(), any::<u8>(), data, damage).prop_map(|(kind, is_v1, sequence, data, damage)| {
            let target = Address::new(0, 155);
            let message = match kind {
                0 => Message::RemoteLogDataBlock { target, seqno: data[0].into(), data: &data },
                1 => Message::LogErase { target },
                _ => Message::RemoteLogBlockStatus { target, seqno: Message::START, is_received: true },
            };
            let mut link = Link::with_version(Address::new(1, 2), if is_v1 { Version::V1 } else { Version::V2 });
            link.sequence = sequence;
            let mut buffer = [0; MAX_FRAME];
            let mut frame = link.frame(&message, &mut buffer).to_vec();
            if kind == 3 {
                // One that isn't known.
                frame[if is_v1 { 5 } else { 7 }] = 30;
                let end = frame.len() - 2;
                let checksum = crc_step(crc(&frame[1..end]), 39).to_le_bytes();
                frame[end..].copy_from_slice(&checksum);
            }
            match damage {
                None => {}
                Some((0, at, byte)) => *at.get_mut(&mut frame) = byte,
                Some((1, at, _)) => _ = frame.remove(at.index(frame.len())),
                Some((2, at, _)) => frame.truncate(at.index(frame.len())),
                Some((_, at, byte)) => frame.insert(at.index(frame.len()), byte),
            }
            (frame, (kind != 3 && damage.is_none()).then_some(sequence))
        })
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
