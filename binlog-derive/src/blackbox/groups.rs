//! Neighbouring fields that are written together.

use super::ast::{Codings, Element};
use super::coding::Chosen;
use super::tables::Encoding;

/// Which of a field's codings.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Of {
    /// In I frames, or in S, G and H frames.
    Intra,
    /// In P frames.
    Inter,
}

impl Of {
    pub(super) fn chosen(self, codings: &Codings) -> &Chosen {
        match self {
            Of::Intra => &codings.intra,
            Of::Inter => &codings.inter,
        }
    }

    fn encoding(self, element: &Element) -> Option<Encoding> {
        element.codings.as_ref().and_then(|codings| self.chosen(codings).encoding)
    }
}

impl Element {
    /// Whether it is written in the signed one of Elias delta's two encodings.
    pub(super) fn is_elias_signed(&self, of: Of) -> bool {
        of.encoding(self) == Some(Encoding::EliasDeltaS32)
    }
}

/// Runs of neighbours that decoders read together if they read the first so: fields of one grouped encoding, or all of
/// Elias delta's two; any other field, or a flattened struct, is a run of its own.
pub(super) fn runs(elements: &[Element], of: Of) -> impl Iterator<Item = &[Element]> {
    let class = move |element: &Element| match of.encoding(element) {
        Some(Encoding::EliasDeltaS32) => Some(Encoding::EliasDeltaU32),
        encoding => encoding,
    };
    elements.chunk_by(move |a, b| {
        let grouped = [Encoding::EliasDeltaU32, Encoding::Tag8_8Svb, Encoding::Tag2_3S32, Encoding::Tag8_4S16];
        class(a) == class(b) && class(a).is_some_and(|class| grouped.contains(&class))
    })
}

/// The groups of a run: as many fields as the encoding takes at once.
pub(super) fn groups(run: &[Element], of: Of) -> impl Iterator<Item = &[Element]> {
    let size = match of.encoding(&run[0]) {
        Some(Encoding::Tag8_8Svb) => 8,
        Some(encoding) => encoding.group().unwrap_or(run.len()),
        None => run.len(),
    };
    run.chunks(size)
}

/// Encodings of groups that are chosen by the names of fields become those of single fields where a group isn't whole:
/// an `axisI` of two elements.
pub(super) fn dissolve_partial(elements: &mut [Element]) {
    for of in [Of::Intra, Of::Inter] {
        let lengths: Vec<usize> = runs(elements, of).map(<[Element]>::len).collect();
        let mut rest = &mut *elements;
        for length in lengths {
            let (run, after) = rest.split_at_mut(length);
            rest = after;
            let Some(size) = of.encoding(&run[0]).and_then(Encoding::group) else { continue };
            if length % size == 0 {
                continue;
            }
            for codings in run.iter_mut().filter_map(|element| element.codings.as_mut()) {
                let chosen = match of {
                    Of::Intra => &mut codings.intra,
                    Of::Inter => &mut codings.inter,
                };
                if chosen.given_encoding.is_none() {
                    chosen.encoding = (of == Of::Inter).then_some(Encoding::SignedVb);
                }
            }
        }
    }
}
