//! The frames and events of a session that are kept.

use super::report::Removal;
use crate::blackbox::Event;
use crate::blackbox::log::{Frame, Item, Lost, Session};
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

/// A session without damage, made of the frames and events of another one.
pub(super) struct Mended {
    /// Its header and frames.
    pub(super) bytes: Vec<u8>,
    /// What of the frames' bytes is not in it, in the order of the session.
    pub(super) removed: Vec<(Range<usize>, Removal)>,
    /// The I frames in front of which it has a Resume event that was not there.
    pub(super) resumed: Vec<usize>,
    pub(super) frames: u64,
}

/// After this many passes nothing is kept. Only frames that are made for it need more than two.
const MAX_PASSES: usize = 16;

/// The frames that a session's reader accepts, after a header that says the same as the session's.
///
/// How a reader takes a frame may depend on the bytes after it. So what is kept is read again: a frame that is then not
/// read as before isn't kept.
pub(super) fn mended(session: &Session<'_>, header: &[u8]) -> Mended {
    let Reading { mut pieces, mut resumes, lost, has_end, end } = Reading::of(session);
    let mut removed: Vec<_> =
        lost.iter().map(|lost| (lost.offset..lost.offset + lost.length, Removal::Lost(lost.reason))).collect();
    let session_end = session.offset() + session.bytes().len();
    if end < session_end {
        let rest = session.bytes().get(end - session.offset()..).unwrap_or_default();
        let is_padding = !has_end || rest.iter().all(|byte| matches!(byte, 0 | 0xFF));
        removed.push((end..session_end, if is_padding { Removal::Padding } else { Removal::AfterEnd }));
    }
    for _ in 0..MAX_PASSES {
        let (bytes, places) = assembled(session, header, &pieces, &resumes);
        let again = Reading::of(&Session::new(&bytes, 0..bytes.len()));
        let mut read = again.pieces.iter().peekable();
        let mut kept = Vec::with_capacity(pieces.len());
        for (piece, &place) in pieces.iter().zip(&places) {
            while read.next_if(|read| read.bytes.start < place).is_some() {}
            if read.next_if(|read| read.is_same(piece, place)).is_none() {
                removed.push((piece.bytes.clone(), Removal::Unread));
                continue;
            }
            if let Some(resume) = again.resumes.get(&place) {
                resumes.insert(piece.bytes.start, *resume);
            }
            kept.push(piece.clone());
        }
        if kept.len() == pieces.len() && again.lost.is_empty() && again.end == bytes.len() {
            let resumed = kept.iter().map(|piece| piece.bytes.start).filter(|start| resumes.contains_key(start));
            let frames = kept.iter().filter(|piece| piece.values.is_some()).count() as u64;
            return Mended { bytes, resumed: resumed.collect(), removed: in_order(removed), frames };
        }
        pieces = kept;
    }
    removed.extend(pieces.into_iter().map(|piece| (piece.bytes, Removal::Unread)));
    Mended { bytes: header.to_vec(), resumed: Vec::new(), removed: in_order(removed), frames: 0 }
}

/// The number of frames of a session without damage or padding; `None` if it has either.
pub(super) fn count_sound(session: &Session<'_>) -> Option<u64> {
    let mut frames = session.frames();
    let mut count = 0;
    while let Some(item) = frames.next() {
        match item {
            Item::Frame(_) => count += 1,
            Item::Event { .. } => {}
            Item::Lost(_) => return None,
        }
    }
    (frames.offset() == session.offset() + session.bytes().len()).then_some(count)
}

/// How many main frames a session has that can be read.
pub(super) fn count_main(session: &Session<'_>) -> u64 {
    let mut frames = session.frames();
    let mut count = 0;
    while let Some(item) = frames.next() {
        count += u64::from(matches!(item, Item::Frame(frame) if matches!(frame.letter(), b'I' | b'P')));
    }
    count
}

/// A frame or an event.
#[derive(Clone)]
struct Piece {
    /// Its place in the log.
    bytes: Range<usize>,
    /// A hash of a frame's values.
    values: Option<u64>,
}

impl Piece {
    /// Whether it is another piece that was moved to a place.
    fn is_same(&self, other: &Piece, place: usize) -> bool {
        self.bytes == (place..place + other.bytes.len()) && self.values == other.values
    }
}

/// What a reader makes of a session.
struct Reading {
    pieces: Vec<Piece>,
    /// By the offset of I frames, the Resume events that are missing if the damage before them is removed.
    resumes: BTreeMap<usize, Event>,
    lost: Vec<Lost>,
    has_end: bool,
    /// Where the frames end.
    end: usize,
}

impl Reading {
    fn of(session: &Session<'_>) -> Self {
        let mut frames = session.frames();
        let (mut pieces, mut resumes, mut lost, mut has_end) = (Vec::new(), BTreeMap::new(), Vec::new(), false);
        while let Some(item) = frames.next() {
            let (start, values, is_intra) = match item {
                Item::Frame(frame) => (frame.offset(), Some(hash(&frame)), frame.letter() == b'I'),
                Item::Event { offset, event, .. } => {
                    has_end |= matches!(event, Event::End { .. });
                    (offset, None, false)
                }
                Item::Lost(stretch) => {
                    lost.push(stretch);
                    continue;
                }
            };
            if let Some(resume) = frames.missing_resume().filter(|_| is_intra) {
                resumes.insert(start, resume);
            }
            pieces.push(Piece { bytes: start..frames.offset(), values });
        }
        Reading { pieces, resumes, lost, has_end, end: frames.offset() }
    }
}

fn hash(frame: &Frame<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    (frame.letter(), frame.values()).hash(&mut hasher);
    hasher.finish()
}

/// The header and the pieces, and the place of each piece.
fn assembled(
    session: &Session<'_>,
    header: &[u8],
    pieces: &[Piece],
    resumes: &BTreeMap<usize, Event>,
) -> (Vec<u8>, Vec<usize>) {
    let mut bytes = Vec::with_capacity(header.len() + session.bytes().len());
    bytes.extend_from_slice(header);
    let mut places = Vec::with_capacity(pieces.len());
    for Piece { bytes: range, .. } in pieces {
        if let Some(resume) = resumes.get(&range.start) {
            bytes.extend_from_slice(resume.encode(&mut [0; Event::MAX_BYTES]));
        }
        places.push(bytes.len());
        let range = range.start - session.offset()..range.end - session.offset();
        bytes.extend_from_slice(session.bytes().get(range).unwrap_or_default());
    }
    (bytes, places)
}

/// Sorted, with neighbours that were removed for the same reason as one stretch.
fn in_order(mut removed: Vec<(Range<usize>, Removal)>) -> Vec<(Range<usize>, Removal)> {
    removed.sort_unstable_by_key(|(range, _)| range.start);
    removed.dedup_by(|(next, reason), (range, before)| {
        let is_one = *reason == Removal::Unread && *before == Removal::Unread && next.start == range.end;
        if is_one {
            range.end = next.end;
        }
        is_one
    });
    removed
}
