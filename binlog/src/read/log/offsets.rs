//! Offsets of records, and the records of several kinds in the order of the log.

use std::ops::Range;
use std::{slice, vec};

/// Offsets of records, ascending.
#[derive(Clone, Debug, Default)]
pub(super) struct Offsets {
    parts: Vec<OffsetPart>,
}

/// Offsets of records within 4 GiB, so that each takes four bytes.
#[derive(Clone, Debug)]
pub(super) struct OffsetPart {
    pub(super) base: usize,
    /// Relative to the base.
    pub(super) offsets: Vec<u32>,
}

impl Offsets {
    pub(super) fn len(&self) -> usize {
        self.parts.iter().map(|part| part.offsets.len()).sum()
    }

    pub(super) fn parts(&self) -> &[OffsetPart] {
        &self.parts
    }

    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = usize> + Clone {
        self.parts.iter().flat_map(|part| part.offsets.iter().map(|&offset| part.base + offset as usize))
    }

    /// The first offset from here on.
    pub(super) fn first_from(&self, from: usize) -> Option<usize> {
        self.parts.iter().find_map(|part| {
            let next = part.offsets.partition_point(|&offset| part.base + (offset as usize) < from);
            part.offsets.get(next).map(|&offset| part.base + offset as usize)
        })
    }

    /// How many are below this one.
    pub(super) fn count_before(&self, end: usize) -> usize {
        let before = |part: &OffsetPart| part.offsets.partition_point(|&offset| part.base + (offset as usize) < end);
        self.parts.iter().map(before).sum()
    }

    /// The offsets in a range of the log.
    pub(super) fn within(&self, range: Range<usize>) -> Self {
        let part = |part: &OffsetPart| {
            let [from, until] = [range.start, range.end]
                .map(|end| part.offsets.partition_point(|&offset| part.base + (offset as usize) < end));
            OffsetPart { base: part.base, offsets: part.offsets.get(from..until).unwrap_or_default().to_vec() }
        };
        Offsets { parts: self.parts.iter().map(part).filter(|part| !part.offsets.is_empty()).collect() }
    }

    /// Sorts the offsets, because several ids may have belonged to one kind.
    pub(super) fn sort(&mut self) {
        let are_sorted = self.parts.iter().all(|part| part.offsets.is_sorted());
        let follows =
            |pair: &[OffsetPart]| pair[0].base < pair[1].base || pair[0].offsets.last() < pair[1].offsets.first();
        if are_sorted && self.parts.windows(2).all(follows) {
            return;
        }
        for part in std::mem::take(&mut self.parts) {
            match self.parts.last_mut() {
                Some(last) if last.base == part.base => last.offsets.extend(part.offsets),
                _ => self.parts.push(part),
            }
        }
        self.parts.iter_mut().for_each(|part| part.offsets.sort_unstable());
    }

    /// The offsets for which `keep` returns true.
    pub(super) fn filter(&self, keep: impl Fn(usize) -> bool) -> Self {
        let parts = self.parts.iter().map(|part| {
            let keep = |offset: &u32| keep(part.base + *offset as usize);
            OffsetPart { base: part.base, offsets: part.offsets.iter().copied().filter(keep).collect() }
        });
        Offsets { parts: parts.filter(|part| !part.offsets.is_empty()).collect() }
    }

    /// Appends offsets from a base that isn't below the last one. Few are copied to the last part, many become a part.
    pub(super) fn append(&mut self, base: usize, offsets: Vec<u32>) {
        const FEW: usize = 1024;
        match self.parts.last_mut() {
            _ if offsets.is_empty() => {}
            Some(last) if last.base == base && offsets.len() <= FEW => last.offsets.extend(offsets),
            _ => self.parts.push(OffsetPart { base, offsets }),
        }
    }
}

/// Consecutive records of one piece. A piece is a list of offsets: the records of one kind.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run<'o> {
    pub(super) piece: usize,
    /// The part of the piece's offsets, and the index of the run's first offset in it.
    pub(super) part: usize,
    pub(super) from: usize,
    /// The base of the offsets.
    pub(super) base: usize,
    pub(super) offsets: &'o [u32],
}

/// The records of several pieces in the order of the log, as runs.
pub(super) fn runs<'o>(pieces: impl ExactSizeIterator<Item = &'o Offsets>) -> Vec<Run<'o>> {
    let is_one = pieces.len() < 2;
    let whole = pieces.enumerate().flat_map(|(piece, offsets)| {
        let parts = offsets.parts.iter().enumerate();
        parts.map(move |(i, part)| Run { piece, part: i, from: 0, base: part.base, offsets: &part.offsets })
    });
    let runs: Vec<Run<'o>> = whole.collect();
    if is_one {
        return runs;
    }
    // Runs end where the log changes from one definition to another.
    let in_run = |(i, run): (usize, &Run<'o>)| {
        let base = run.base;
        run.offsets.iter().enumerate().map(move |(j, &offset)| (base + offset as usize, i, j))
    };
    let mut order: Vec<(usize, usize, usize)> = runs.iter().enumerate().flat_map(in_run).collect();
    order.sort();
    let stretch = |stretch: &[(usize, usize, usize)]| {
        let (_, i, from) = stretch[0];
        Run { from, offsets: &runs[i].offsets[from..from + stretch.len()], ..runs[i] }
    };
    order.chunk_by(|a, b| a.1 == b.1).map(stretch).collect()
}

/// The records of several pieces in the order of the log, one by one: the piece and the offset.
#[derive(Clone, Debug)]
pub(super) struct InOrder<'o> {
    piece: usize,
    base: usize,
    offsets: slice::Iter<'o, u32>,
    rest: vec::IntoIter<Run<'o>>,
}

impl<'o> InOrder<'o> {
    pub(super) fn new(pieces: impl ExactSizeIterator<Item = &'o Offsets>) -> Self {
        InOrder { piece: 0, base: 0, offsets: [].iter(), rest: runs(pieces).into_iter() }
    }
}

impl Iterator for InOrder<'_> {
    type Item = (usize, usize);

    #[inline]
    fn next(&mut self) -> Option<(usize, usize)> {
        loop {
            if let Some(&offset) = self.offsets.next() {
                return Some((self.piece, self.base + offset as usize));
            }
            let Run { piece, base, offsets, .. } = self.rest.next()?;
            (self.piece, self.base, self.offsets) = (piece, base, offsets.iter());
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let rest = self.rest.as_slice().iter().map(|run| run.offsets.len()).sum::<usize>();
        (self.offsets.len() + rest, Some(self.offsets.len() + rest))
    }
}

/// From ascending pairs of base and offset.
impl FromIterator<(usize, u32)> for Offsets {
    fn from_iter<I: IntoIterator<Item = (usize, u32)>>(offsets: I) -> Self {
        let mut all = Offsets::default();
        for (base, offset) in offsets {
            match all.parts.last_mut() {
                Some(part) if part.base == base => part.offsets.push(offset),
                _ => all.parts.push(OffsetPart { base, offsets: vec![offset] }),
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_of_several_ids_are_sorted_in_parts_of_any_length() {
        for count in [3, 5000] {
            let mut offsets = Offsets::default();
            for (base, first) in [(0, 1), (0, 0), (0, 3 * count), (1 << 32, 7)] {
                offsets.append(base, (0..count).map(|i| first + 2 * i).collect());
            }
            let mut expected: Vec<usize> = offsets.iter().collect();
            assert_eq!(expected.len(), 4 * count as usize);
            expected.sort_unstable();
            offsets.sort();
            assert!(offsets.iter().eq(expected));
        }
    }
}
