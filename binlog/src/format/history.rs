//! What older logs have in place of a column, or of a field of Blackbox frames.

/// What older logs have in place of a column: `#[log(alias = "OldLabel", default)]`.
///
/// It applies where columns are matched by label: [`Log::typed`](crate::Log::typed) and
/// [`Log::messages`](crate::Log::messages). A log's column with today's label is read first, then one with an alias, in
/// the order of the aliases; a log that has neither is read with the default.
///
/// A field of a [Blackbox frame](macro@crate::blackbox::BlackboxFrame) has the same, for
/// `blackbox::log::Session::typed` and `typed_frames`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FieldHistory {
    /// Labels that older logs used.
    pub aliases: &'static [&'static str],
    /// The stored value where a log lacks the column, as many bytes as the format (of a Blackbox field, the type)
    /// takes. Without one, such a log isn't read.
    pub default: Option<&'static [u8]>,
}

impl FieldHistory {
    /// Neither an alias nor a default.
    pub const NONE: FieldHistory = FieldHistory { aliases: &[], default: None };

    /// The place of the column that fills this one: the column with its label, which `nth` earlier columns have, too,
    /// or else the first alias that there is.
    #[cfg(feature = "read")]
    pub(crate) fn place_of<'l>(
        &self,
        label: &str,
        nth: usize,
        labels: impl Iterator<Item = &'l str> + Clone,
    ) -> Option<usize> {
        let with_label = labels.clone().enumerate().filter(|(_, other)| *other == label).nth(nth).map(|(at, _)| at);
        let with_alias = || self.aliases.iter().find_map(|alias| labels.clone().position(|other| other == *alias));
        with_label.or_else(with_alias)
    }
}

/// One column's share of a flattened default. If the default is too short, returns all of it; the column's check
/// reports that.
#[cfg(any(feature = "blackbox", feature = "derive"))]
pub(crate) const fn part_of(bytes: &'static [u8], at: usize, length: usize) -> &'static [u8] {
    if at + length <= bytes.len() { bytes.split_at(at).1.split_at(length).0 } else { bytes }
}
