//! The nine messages, with the ids and lengths of the dialects `common` and `ardupilotmega`.

/// Bytes of the longest payload of a [`Message`].
pub const MAX_PAYLOAD: usize = 206;

/// Who sends a message, or who gets it: a system's id, and the component's. 0 as a target is everybody.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Address {
    /// The vehicle, ground station or companion computer, from 1.
    pub system: u8,
    /// The part of it; 1 is an autopilot, 155 a logger.
    pub component: u8,
}

impl Address {
    /// The address of a component.
    pub const fn new(system: u8, component: u8) -> Self {
        Address { system, component }
    }
}

/// A message about logs. Its fields are those of the MAVLink dialects `common` and `ardupilotmega`.
///
/// ```
/// use binlog::mavlink::{Address, Message};
///
/// let request = Message::LogRequestData { target: Address::new(1, 1), id: 3, ofs: 0, count: u32::MAX };
/// let mut buffer = [0; binlog::mavlink::MAX_PAYLOAD];
/// let payload = request.payload(&mut buffer);
/// assert_eq!((request.id(), payload.len()), (119, 12));
/// assert_eq!(Message::parse(119, payload), Some(request));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Message<'a> {
    /// A system is alive. `MAV_TYPE`, `MAV_AUTOPILOT` and `MAV_STATE` are numbers of the dialect.
    Heartbeat {
        /// Mode of the autopilot, by its own numbers.
        custom_mode: u32,
        /// `MAV_TYPE`: 2 is a quadrotor, 6 a ground station, 18 a companion computer.
        kind: u8,
        /// `MAV_AUTOPILOT`: 3 is ArduPilot, 8 stands for components other than autopilots.
        autopilot: u8,
        /// Flags; 128 says that the vehicle is armed.
        base_mode: u8,
        /// `MAV_STATE`: 3 is standby, 4 is active.
        system_status: u8,
    },
    /// Asks for the entries of logs.
    LogRequestList {
        /// Who is asked.
        target: Address,
        /// First id.
        start: u16,
        /// Last id; 0xFFFF is the last log.
        end: u16,
    },
    /// One log of the list.
    LogEntry {
        /// When it was written last, in seconds since 1970, UTC; 0 is unknown.
        time_utc: u32,
        /// Length in bytes.
        size: u32,
        /// Id, from 1; 0 if there is no log.
        id: u16,
        /// Number of logs.
        num_logs: u16,
        /// Last id of the range that was asked for.
        last_log_num: u16,
    },
    /// Asks for bytes of a log.
    LogRequestData {
        /// Who is asked.
        target: Address,
        /// Id of the log.
        id: u16,
        /// Offset of the first byte.
        ofs: u32,
        /// Number of bytes; 0xFFFFFFFF is up to the end.
        count: u32,
    },
    /// Bytes of a log.
    LogData {
        /// Id of the log.
        id: u16,
        /// Offset of the first byte.
        ofs: u32,
        /// Number of bytes, at most 90. Fewer than 90 are the end of the log.
        count: u8,
        /// The bytes; those left out at the end are zeros.
        data: &'a [u8],
    },
    /// Asks to erase all logs.
    LogErase {
        /// Who is asked.
        target: Address,
    },
    /// Ends the download.
    LogRequestEnd {
        /// Who is asked.
        target: Address,
    },
    /// 200 bytes of the log that is being written.
    RemoteLogDataBlock {
        /// Who gets them.
        target: Address,
        /// Number of the block: the bytes begin at 200 times this.
        seqno: u32,
        /// Up to 200 bytes; those left out at the end are zeros.
        data: &'a [u8],
    },
    /// Acknowledges a block, asks for one, starts or stops the stream.
    RemoteLogBlockStatus {
        /// Who is told.
        target: Address,
        /// Number of the block, [`START`](Self::START) or [`STOP`](Self::STOP).
        seqno: u32,
        /// Whether the block arrived (ACK), or is missing (NACK).
        is_received: bool,
    },
}

impl<'a> Message<'a> {
    /// `seqno` of a block status that starts the stream.
    pub const START: u32 = 2_147_483_646;
    /// `seqno` of a block status that stops the stream.
    pub const STOP: u32 = 2_147_483_645;
    /// Bytes of a block of the stream.
    pub const BLOCK: usize = 200;
    /// Bytes of log in a full [`LogData`](Self::LogData).
    pub const DATA: usize = 90;

    /// The message's id.
    pub fn id(&self) -> u32 {
        match self {
            Message::Heartbeat { .. } => 0,
            Message::LogRequestList { .. } => 117,
            Message::LogEntry { .. } => 118,
            Message::LogRequestData { .. } => 119,
            Message::LogData { .. } => 120,
            Message::LogErase { .. } => 121,
            Message::LogRequestEnd { .. } => 122,
            Message::RemoteLogDataBlock { .. } => 184,
            Message::RemoteLogBlockStatus { .. } => 185,
        }
    }

    /// The payload's length and CRC_EXTRA, for an id that is known.
    pub(super) fn layout(id: u32) -> Option<(usize, u8)> {
        Some(match id {
            0 => (9, 50),
            117 => (6, 128),
            118 => (14, 56),
            119 => (12, 116),
            120 => (97, 134),
            121 => (2, 237),
            122 => (2, 203),
            184 => (206, 159),
            185 => (7, 186),
            _ => return None,
        })
    }

    /// Reads a payload, whose zeros at the end may be left out, as MAVLink 2 does. Extension fields are ignored. `None`
    /// if the id isn't one of the nine, or if a [`LogData`](Self::LogData) says more bytes than it has room for.
    pub fn parse(id: u32, payload: &'a [u8]) -> Option<Self> {
        let byte = |at: usize| payload.get(at).copied().unwrap_or(0);
        let u16 = |at: usize| u16::from_le_bytes([byte(at), byte(at + 1)]);
        let u32 = |at: usize| u32::from_le_bytes([byte(at), byte(at + 1), byte(at + 2), byte(at + 3)]);
        let address = |at: usize| Address { system: byte(at), component: byte(at + 1) };
        let bytes = |at: usize, length: usize| {
            let data = payload.get(at..).unwrap_or(&[]);
            data.get(..length).unwrap_or(data)
        };
        Some(match id {
            0 => Message::Heartbeat {
                custom_mode: u32(0),
                kind: byte(4),
                autopilot: byte(5),
                base_mode: byte(6),
                system_status: byte(7),
            },
            117 => Message::LogRequestList { target: address(4), start: u16(0), end: u16(2) },
            118 => Message::LogEntry {
                time_utc: u32(0),
                size: u32(4),
                id: u16(8),
                num_logs: u16(10),
                last_log_num: u16(12),
            },
            119 => Message::LogRequestData { target: address(10), id: u16(8), ofs: u32(0), count: u32(4) },
            120 => {
                let count = byte(6);
                if usize::from(count) > Self::DATA {
                    return None;
                }
                Message::LogData { ofs: u32(0), id: u16(4), count, data: bytes(7, count.into()) }
            }
            121 => Message::LogErase { target: address(0) },
            122 => Message::LogRequestEnd { target: address(0) },
            184 => Message::RemoteLogDataBlock { target: address(4), seqno: u32(0), data: bytes(6, Self::BLOCK) },
            185 => Message::RemoteLogBlockStatus { target: address(4), seqno: u32(0), is_received: byte(6) != 0 },
            _ => return None,
        })
    }

    /// Writes the payload, all of it, and returns it. Bytes of `data` that the message has no room for are left out.
    pub fn payload<'b>(&self, buffer: &'b mut [u8; MAX_PAYLOAD]) -> &'b [u8] {
        buffer.fill(0);
        let mut put = |at: usize, bytes: &[u8], room: usize| {
            let length = bytes.len().min(room);
            buffer[at..][..length].copy_from_slice(&bytes[..length]);
        };
        let target = |address: Address| [address.system, address.component];
        match *self {
            Message::Heartbeat { custom_mode, kind, autopilot, base_mode, system_status } => {
                put(0, &custom_mode.to_le_bytes(), 4);
                // 3 is the version of MAVLink's wire format, for 1 and 2.
                put(4, &[kind, autopilot, base_mode, system_status, 3], 5);
            }
            Message::LogRequestList { target: to, start, end } => {
                put(0, &start.to_le_bytes(), 2);
                put(2, &end.to_le_bytes(), 2);
                put(4, &target(to), 2);
            }
            Message::LogEntry { time_utc, size, id, num_logs, last_log_num } => {
                put(0, &time_utc.to_le_bytes(), 4);
                put(4, &size.to_le_bytes(), 4);
                put(8, &id.to_le_bytes(), 2);
                put(10, &num_logs.to_le_bytes(), 2);
                put(12, &last_log_num.to_le_bytes(), 2);
            }
            Message::LogRequestData { target: to, id, ofs, count } => {
                put(0, &ofs.to_le_bytes(), 4);
                put(4, &count.to_le_bytes(), 4);
                put(8, &id.to_le_bytes(), 2);
                put(10, &target(to), 2);
            }
            Message::LogData { id, ofs, count, data } => {
                put(0, &ofs.to_le_bytes(), 4);
                put(4, &id.to_le_bytes(), 2);
                put(6, &[count], 1);
                put(7, data, Self::DATA);
            }
            Message::LogErase { target: to } | Message::LogRequestEnd { target: to } => put(0, &target(to), 2),
            Message::RemoteLogDataBlock { target: to, seqno, data } => {
                put(0, &seqno.to_le_bytes(), 4);
                put(4, &target(to), 2);
                put(6, data, Self::BLOCK);
            }
            Message::RemoteLogBlockStatus { target: to, seqno, is_received } => {
                put(0, &seqno.to_le_bytes(), 4);
                put(4, &target(to), 2);
                put(6, &[is_received.into()], 1);
            }
        }
        let length = Self::layout(self.id()).map_or(0, |(length, _)| length);
        &buffer[..length]
    }
}
