//! Fields of main frames that the header doesn't name.

use super::{Header, HeaderProblem, HeaderProblemKind};

/// More fields than this aren't looked for.
const MAX_UNNAMED: usize = 16;

/// INAV 7 names 16 servos, and logs 18.
const ARRAY: &str = "servo[";

impl<'log> Header<'log> {
    /// The header with the fields that it doesn't name, if main frames can be read with one number of them only.
    /// `is_sound` tells whether the frames are read by a header.
    ///
    /// Servos are the array of which firmware is known to log more than it names. With other fields, the number is
    /// known, but not their place.
    pub(in crate::blackbox) fn with_unnamed_fields(&self, is_sound: impl Fn(&Self) -> bool) -> Option<Self> {
        let fields = self.fields(b'I');
        let of_array = fields.iter().rposition(|field| field.name().starts_with(ARRAY));
        let after = of_array.or(fields.len().checked_sub(1))?;
        let mut found = (1..=MAX_UNNAMED).filter_map(|count| Some((count, self.with_more(after, count)?)));
        let (count, with_more) = found.find(|(_, header)| is_sound(header))?;
        if found.any(|(_, header)| is_sound(&header)) {
            return None;
        }
        let mut header = if of_array.is_some() { with_more } else { self.clone() };
        let line = header.lines.iter().find(|line| line.name() == "Field I name");
        let offset = line.map_or(0, |line| line.offset());
        let after = of_array.map(|index| fields[index].name().to_owned());
        header.problems.push(HeaderProblem { offset, kind: HeaderProblemKind::UnnamedFields { count, after } });
        Some(header)
    }

    /// The header with this number of further fields in main frames, after one of them.
    fn with_more(&self, after: usize, count: usize) -> Option<Self> {
        let (base, index) = self.fields(b'I').get(after)?.name().split_once('[').unwrap_or_default();
        let index = index.trim_end_matches(']').parse::<usize>().unwrap_or_default();
        let names: Vec<String> = (1..=count).map(|i| format!("{base}[{}]", index + i)).collect();
        let mut header = self.clone();
        for frame in header.frames.iter_mut().filter(|frame| matches!(frame.letter(), b'I' | b'P')) {
            *frame = frame.with_more(after, &names, self.data_version)?;
        }
        Some(header)
    }
}
