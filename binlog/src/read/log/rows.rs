//! The records of one type.

use super::clock::carried_times;
use super::column::{Column, Quantity};
use super::gather::{Cells, Group};
use super::index::{DefinitionPlace, Index, RecordKind};
use super::offsets::{InOrder, Offsets, Run, runs};
use super::select::SelectError;
use super::value_names::ValueNames;
use super::wraps::WrapPlaces;
use crate::format::{Definition, Format, Scaling, Value};
use crate::read::catalogue::units::Units;
use crate::read::records::time::TimeSource;
use crate::read::{Log, LoggedColumn, LoggedDefinition, Record};
use crate::source::Values;
use std::collections::HashSet;
use std::iter::FusedIterator;
use std::ops::Range;
use std::sync::Arc;
use std::{fmt, vec};

/// The records of one type, or of one instance of it, in the order of the log.
///
/// ```
/// # use binlog::{LogSchema, LogWriter, messages::Mode};
/// # #[derive(LogSchema)]
/// # enum FlightLog { Mode(Mode) }
/// # let mut writer = LogWriter::<FlightLog, _>::new(Vec::new())?;
/// # writer.mode(1_500_000, 5, 0)?;
/// # writer.mode(2_500_000, 6, 0)?;
/// # let bytes = writer.finish()?;
/// use binlog::{Log, Scaling};
///
/// let log = Log::from_bytes(bytes);
/// let modes = log.rows("MODE")?;
/// assert_eq!(modes.len(), 2);
/// assert_eq!(modes.times_us(), [1_500_000, 2_500_000]);
/// assert_eq!(modes.numbers("ModeNum", Scaling::Shown)?, [5.0, 6.0]);
/// for record in modes.records() {
///     println!("reason {}", record.value("Rsn").expect("a column of MODE"));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Rows<'log> {
    log: &'log Log<'log>,
    units: Arc<Units>,
    /// `None` unless a definition has times of 32 bits.
    wraps: Option<Arc<WrapPlaces>>,
    name: String,
    pieces: Vec<Piece<'log>>,
}

/// What rows are without their log.
#[derive(Clone)]
pub(super) struct Parts {
    units: Arc<Units>,
    wraps: Option<Arc<WrapPlaces>>,
    name: String,
    pieces: Vec<(DefinitionPlace, Arc<Offsets>)>,
}

/// The records of one definition.
#[derive(Clone, Debug)]
pub(super) struct Piece<'log> {
    pub(super) definition: LoggedDefinition<'log>,
    place: DefinitionPlace,
    pub(super) offsets: Arc<Offsets>,
}

impl<'log> Rows<'log> {
    /// The records with a name, from an index that contains them.
    pub(super) fn new(log: &'log Log<'log>, index: &Index, name: &str) -> Self {
        let pieces = index.named(name).map(|kind| Piece::of(log.bytes(), kind)).collect();
        Rows::of_pieces(log, index.units.clone(), name, with_records(pieces))
    }

    /// As [`new`](Self::new), from an index that is used for nothing else.
    pub(super) fn taken_from(log: &'log Log<'log>, index: Index, name: &str) -> Self {
        let bytes = log.bytes();
        let kinds = index.kinds.into_iter().filter(|kind| kind.definition(bytes).name() == name);
        let pieces = kinds.map(|kind| Piece::of(bytes, &kind)).collect();
        Rows::of_pieces(log, index.units, name, with_records(pieces))
    }

    /// The records of one kind.
    pub(super) fn of_kind(log: &'log Log<'log>, kind: &RecordKind, units: Arc<Units>) -> Self {
        let piece = Piece::of(log.bytes(), kind);
        Rows::of_pieces(log, units, piece.definition.name(), vec![piece])
    }

    /// Asks the log where times wrap if a definition has times of 32 bits.
    fn of_pieces(log: &'log Log<'log>, units: Arc<Units>, name: &str, pieces: Vec<Piece<'log>>) -> Self {
        let is_narrow = |piece: &Piece<'_>| TimeSource::of(&piece.definition).is_narrow();
        let wraps = pieces.iter().any(is_narrow).then(|| log.wraps().clone());
        Rows { log, units, wraps, name: name.into(), pieces }
    }

    pub(super) fn into_parts(self) -> Parts {
        let Rows { units, wraps, name, pieces, .. } = self;
        let pieces = pieces.into_iter().map(|Piece { place, offsets, .. }| (place, offsets)).collect();
        Parts { units, wraps, name, pieces }
    }

    /// The rows with these parts, which are of this log.
    pub(super) fn from_parts(log: &'log Log<'log>, parts: Parts) -> Self {
        let Parts { units, wraps, name, pieces } = parts;
        let piece = |(place, offsets): (DefinitionPlace, _)| Piece {
            definition: place.definition(log.bytes()),
            place,
            offsets,
        };
        Rows { log, units, wraps, name, pieces: pieces.into_iter().map(piece).collect() }
    }

    /// Whether the log defines the type.
    pub(super) fn is_defined(&self) -> bool {
        !self.pieces.is_empty()
    }

    /// The type's name: `IMU`, or with an instance `IMU[1]`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The number of records.
    pub fn len(&self) -> usize {
        self.pieces.iter().map(|piece| piece.offsets.len()).sum()
    }

    /// Whether there are no records.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The type's definitions: one, or several if the log redefines it. Definitions without records are left out,
    /// unless no definition has records.
    pub fn definitions(&self) -> impl Iterator<Item = LoggedDefinition<'log>> + '_ {
        self.pieces.iter().map(|piece| piece.definition)
    }

    /// The records of each definition separately, in the order of the definitions.
    pub fn by_definition(&self) -> impl Iterator<Item = Rows<'log>> + '_ {
        let only = |piece: &Piece<'log>| Rows {
            log: self.log,
            units: self.units.clone(),
            wraps: self.wraps.clone(),
            name: self.name.clone(),
            pieces: vec![piece.clone()],
        };
        self.pieces.iter().map(only)
    }

    /// The records at these places, counted from 0; fewer if there are fewer. Batches of a long table take little
    /// memory in this way.
    #[must_use]
    pub fn slice(&self, range: Range<usize>) -> Rows<'log> {
        let [from, until] = [range.start, range.end].map(|place| self.offset_at(place));
        let piece = |piece: &Piece<'log>| {
            let offsets = Arc::new(piece.offsets.within(from..until));
            Piece { offsets, ..*piece }
        };
        Rows { pieces: self.pieces.iter().map(piece).collect(), ..self.clone() }
    }

    /// The records of a [boot](crate::Log::boots), counted from 0; none beyond the last. Their units and multipliers
    /// are those of the whole log, unlike those of [`Boot::log`](crate::log::Boot::log).
    #[must_use]
    pub fn of_boot(&self, boot: usize) -> Rows<'log> {
        let starts = &self.log.index().boots;
        let end = self.log.bytes().len();
        let from = boot.checked_sub(1).map_or(Some(0), |before| starts.get(before).copied()).unwrap_or(end);
        let until = starts.get(boot).copied().unwrap_or(end);
        let piece = |piece: &Piece<'log>| Piece { offsets: Arc::new(piece.offsets.within(from..until)), ..*piece };
        Rows { pieces: with_records(self.pieces.iter().map(piece).collect()), ..self.clone() }
    }

    /// The records at the offsets for which `keep` returns true.
    pub(super) fn filtered(&self, keep: impl Fn(usize) -> bool) -> Rows<'log> {
        let piece = |piece: &Piece<'log>| Piece { offsets: Arc::new(piece.offsets.filter(&keep)), ..*piece };
        Rows { pieces: with_records(self.pieces.iter().map(piece).collect()), ..self.clone() }
    }

    /// The offset of the record at this place; the log's length if there are fewer records. Found by halving, because
    /// the records of several pieces alternate.
    fn offset_at(&self, place: usize) -> usize {
        let before = |offset: usize| self.pieces.iter().map(|piece| piece.offsets.count_before(offset)).sum::<usize>();
        let (mut low, mut high) = (0, self.log.bytes().len());
        while low < high {
            let middle = low + (high - low) / 2;
            if before(middle + 1) > place { high = middle } else { low = middle + 1 }
        }
        low
    }

    /// The labels of its columns, without duplicates.
    pub fn labels(&self) -> Vec<&'log str> {
        let mut seen = HashSet::new();
        let labels = self.pieces.iter().flat_map(|piece| piece.definition.columns()).map(|column| column.label);
        labels.filter(|label| seen.insert(*label)).collect()
    }

    /// The records.
    pub fn records(&self) -> RowRecords<'log> {
        let place = |run: Run<'_>| (run.piece, run.part, run.from..run.from + run.offsets.len());
        let runs: Vec<_> = self.runs().into_iter().map(place).collect();
        let (log, pieces, wraps) = (self.log.bytes(), self.pieces.clone(), self.wraps.clone());
        RowRecords { log, pieces, wraps, left: self.len(), runs: runs.into_iter(), here: None }
    }

    /// The offset of each record in the log, ascending.
    pub fn offsets(&self) -> impl Iterator<Item = usize> + '_ {
        InOrder::new(self.pieces.iter().map(|piece| &*piece.offsets)).map(|(_, offset)| offset)
    }

    /// The instances in its records, ascending: the values of the column whose unit is `#`.
    pub fn instances(&self) -> Vec<Value<'log>> {
        let mut instances = Vec::new();
        for piece in &self.pieces {
            let Some(column) = piece.definition.instance_column() else { continue };
            let mut seen = HashSet::new();
            let mut last = None;
            for bytes in piece.offsets.iter().filter_map(|offset| self.cell(offset, &column)) {
                if last.replace(bytes) != Some(bytes) && seen.insert(bytes) {
                    instances.extend(Value::of(column.format, bytes));
                }
            }
        }
        instances.sort_unstable_by(Value::order);
        instances.dedup_by(|a, b| a.order(b).is_eq());
        instances
    }

    /// The records of each instance, ascending by instance; empty for a type without instances.
    pub fn by_instance(&self) -> impl Iterator<Item = (Value<'log>, Rows<'log>)> + use<'log> {
        let instances = self.instances();
        let mut places = Vec::new();
        for (i, piece) in self.pieces.iter().enumerate() {
            let Some(column) = piece.definition.instance_column() else { continue };
            for part in piece.offsets.parts() {
                let rank = |offset: usize| {
                    let value = Value::of(column.format, self.cell(offset, &column)?)?;
                    instances.binary_search_by(|instance| instance.order(&value)).ok()
                };
                let ranked = |&offset: &u32| Some((rank(part.base + offset as usize)?, i, part.base, offset));
                places.extend(part.offsets.iter().filter_map(ranked));
            }
        }
        places.sort_unstable();
        let Rows { log, units, wraps, name, pieces } = self.clone();
        instances.into_iter().enumerate().map(move |(rank, instance)| {
            let from = places.partition_point(|place| place.0 < rank);
            let of_instance =
                places[from..].chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)).take_while(|chunk| chunk[0].0 == rank);
            let piece = |chunk: &[(usize, usize, usize, u32)]| {
                let offsets = chunk.iter().map(|&(_, _, base, offset)| (base, offset)).collect();
                let Piece { definition, place, .. } = pieces[chunk[0].1];
                Piece { definition, place, offsets: Arc::new(offsets) }
            };
            let (units, wraps, name) = (units.clone(), wraps.clone(), format!("{name}[{instance}]"));
            (instance, Rows { log, units, wraps, name, pieces: of_instance.map(piece).collect() })
        })
    }

    /// The bytes of a column in the record at `offset`.
    fn cell(&self, offset: usize, column: &LoggedColumn<'_>) -> Option<&'log [u8]> {
        let at = offset + Definition::HEADER_LENGTH + column.offset;
        self.log.bytes().get(at..at + column.format.size())
    }

    /// The records of one instance, given its number, or its name as text.
    ///
    /// # Errors
    ///
    /// If the type has no instances, or not this one.
    pub fn instance(&self, instance: &str) -> Result<Rows<'log>, SelectError> {
        let mut pieces = Vec::new();
        let mut has_instances = false;
        for piece in &self.pieces {
            let Some(column) = piece.definition.instance_column() else { continue };
            has_instances = true;
            let number: Option<i128> = instance.parse().ok();
            let is_it = |offset: usize| {
                let value = self.cell(offset, &column).and_then(|bytes| Value::of(column.format, bytes));
                value.is_some_and(|value| match value {
                    Value::Signed(_) | Value::Unsigned(_) => number.is_some() && value.to_integer() == number,
                    Value::Text(text) if text.to_str().is_ok() => text == instance,
                    // As printed.
                    _ => value.to_string() == instance,
                })
            };
            let offsets = piece.offsets.filter(is_it);
            if offsets.len() > 0 {
                pieces.push(Piece { offsets: Arc::new(offsets), ..*piece });
            }
        }
        if !has_instances {
            return Err(SelectError::NoInstances { name: self.name.clone() });
        }
        if pieces.is_empty() {
            let known = self.instances().iter().map(Value::to_string).collect();
            return Err(SelectError::NoInstance { name: self.name.clone(), instance: instance.into(), known });
        }
        let (units, wraps) = (self.units.clone(), self.wraps.clone());
        Ok(Rows { log: self.log, units, wraps, name: format!("{}[{instance}]", self.name), pieces })
    }

    /// The column with this label. Of columns that have the same, the first; the others have the labels of
    /// [`distinct_labels`](LoggedDefinition::distinct_labels). A TimeUS of 32 bits that begins again at 0, or has a
    /// sign, has [the extended times](Record::time_us), as [`Values::U64`].
    ///
    /// # Errors
    ///
    /// If there is no such column, or if the log redefines it with another format, unit or multiplier.
    pub fn column(&self, label: &str) -> Result<Column, SelectError> {
        let (quantity, offsets) = self.find(label)?;
        Ok(self.gathered(label, quantity, &offsets))
    }

    /// The column at a place of the record, counted from 0. Also reaches columns with a duplicate label;
    /// [`column`](Rows::column) returns only the first of them.
    ///
    /// # Errors
    ///
    /// If the record has no such place, or if the log redefines the column there with another label, format, unit or
    /// multiplier.
    pub fn column_at(&self, place: usize) -> Result<Column, SelectError> {
        let column = |definition: LoggedDefinition<'log>| definition.columns().nth(place);
        let Some(first) = self.definitions().find_map(column) else {
            return Err(self.no_column(&place.to_string()));
        };
        let is_it = |column: &LoggedColumn<'_>| column.label == first.label;
        let (quantity, offsets) =
            self.find_by(first.label, |piece| column(self.pieces[piece].definition).filter(is_it))?;
        Ok(self.gathered(first.label, quantity, &offsets))
    }

    fn gathered(&self, label: &str, quantity: Quantity, offsets: &[usize]) -> Column {
        let values = match self.widened_times(offsets) {
            Some(times_us) => Values::U64(times_us.into()),
            None => self.gather(quantity.format, Cells::Native, offsets),
        };
        let names = self.value_names(label);
        Column::new(label, quantity, values, Scaling::Stored, names)
    }

    /// What the log calls the values or bits of the column with this label; `None` if it doesn't say.
    pub fn value_names(&self, label: &str) -> Option<ValueNames> {
        let of =
            |definition: LoggedDefinition<'log>| self.log.value_names(definition.name(), &definition.column(label)?);
        self.definitions().find_map(of)
    }

    /// The boots that have any of these records.
    pub(super) fn boots(&self) -> Vec<usize> {
        let starts = &self.log.index().boots;
        let mut boots = Vec::new();
        for piece in &self.pieces {
            let mut from = Some(0);
            while let Some(first) = from.and_then(|from| piece.offsets.first_from(from)) {
                let boot = self.log.boot_at(first);
                boots.push(boot);
                from = starts.get(boot).copied();
            }
        }
        boots.sort_unstable();
        boots.dedup();
        boots
    }

    pub(super) fn log(&self) -> &'log Log<'log> {
        self.log
    }

    /// The numbers of the column with this label. Faster than [`column`](Rows::column), because it doesn't build the
    /// native values first.
    ///
    /// # Errors
    ///
    /// As [`column`](Rows::column), and if the column is text or an array.
    pub fn numbers(&self, label: &str, scaling: Scaling) -> Result<Vec<f64>, SelectError> {
        let (quantity, offsets) = self.find(label)?;
        let cells = Cells::F64(quantity.scale(scaling));
        let values = match self.widened_times(&offsets) {
            Some(times_us) => Values::of_times(times_us, cells),
            None => self.gather(quantity.format, cells, &offsets),
        };
        match values {
            Values::F64(numbers) => Ok(numbers.into_owned()),
            _ => Err(SelectError::NotNumbers { name: self.name.clone(), label: label.into() }),
        }
    }

    /// The times of its records since boot, in microseconds: [`Record::time_us`] of each.
    ///
    /// A record without a time, such as PARM in logs of old firmware and most in logs of PX4, gets the time of the last
    /// record before it that has one; at the start of the log, the first time in the log. All times are 0 in a log
    /// without times.
    pub fn times_us(&self) -> Vec<u64> {
        let sources: Vec<_> = self.pieces.iter().map(|piece| TimeSource::of(&piece.definition)).collect();
        let micros = |wanted: Format| {
            let offset = |source: &TimeSource| match source {
                TimeSource::Micros { format, offset } if *format == wanted => Some(*offset),
                _ => None,
            };
            let offsets: Vec<usize> = sources.iter().map(offset).collect::<Option<_>>()?;
            Some(self.gather(wanted, Cells::Native, &offsets))
        };
        if let Some(Values::U64(times)) = micros(Format::U64) {
            return times.into_owned();
        }
        if self.wraps.as_ref().is_some_and(|wraps| wraps.is_empty())
            && let Some(Values::U32(times)) = micros(Format::U32)
        {
            return times.iter().copied().map(u64::from).collect();
        }
        let own: Option<Vec<u64>> = self.records().map(|record| record.time_us()).collect();
        own.unwrap_or_else(|| carried_times(self.log.bytes(), self.records().map(|record| record.offset())))
    }

    /// Returns an error if no definition has a column with this label.
    pub(super) fn require(&self, label: &str) -> Result<(), SelectError> {
        match self.find(label) {
            Err(error @ SelectError::NoColumn { .. }) => Err(error),
            _ => Ok(()),
        }
    }

    fn no_column(&self, label: &str) -> SelectError {
        let known = self.labels().into_iter().map(str::to_owned).collect();
        SelectError::NoColumn { name: self.name.clone(), label: label.into(), known }
    }

    /// The quantity of the column with this label, or else with this distinct label, and its offset in each piece's
    /// payload.
    pub(super) fn find(&self, label: &str) -> Result<(Quantity, Vec<usize>), SelectError> {
        let definition = |piece: usize| self.pieces[piece].definition;
        let labelled = |piece| definition(piece).column(label);
        let distinct = |piece| {
            let place = definition(piece).distinct_labels().iter().position(|distinct| distinct == label)?;
            definition(piece).columns().nth(place)
        };
        self.find_either(label, labelled, distinct)
    }

    /// As [`find`](Self::find), given the column with this label, and that with this distinct label, of each piece.
    pub(super) fn find_either(
        &self,
        label: &str,
        labelled: impl Fn(usize) -> Option<LoggedColumn<'log>>,
        distinct: impl Fn(usize) -> Option<LoggedColumn<'log>>,
    ) -> Result<(Quantity, Vec<usize>), SelectError> {
        self.find_by(label, labelled).or_else(|error| match error {
            SelectError::NoColumn { .. } => self.find_by(label, distinct),
            error => Err(error),
        })
    }

    /// As [`find`](Self::find), with the column that `choose` takes of each piece.
    fn find_by(
        &self,
        label: &str,
        choose: impl Fn(usize) -> Option<LoggedColumn<'log>>,
    ) -> Result<(Quantity, Vec<usize>), SelectError> {
        let columns: Vec<_> = self.pieces.iter().enumerate().map(|(place, piece)| (piece, choose(place))).collect();
        let offsets = columns.iter().map(|(_, column)| column.map_or(0, |column| column.offset)).collect();
        let quantity = |(piece, column): &(&Piece<'_>, Option<LoggedColumn<'_>>)| {
            Some(Quantity::new(&(*column)?, piece.place.defined_at(), &self.units))
        };
        let mut quantities: Vec<Option<Quantity>> = columns.iter().map(quantity).collect();
        if quantities.iter().all(Option::is_none) {
            return Err(self.no_column(label));
        }
        quantities.dedup();
        match <[_; 1]>::try_from(quantities) {
            Ok([Some(quantity)]) => Ok((quantity, offsets)),
            _ => Err(SelectError::Redefined { name: self.name.clone(), label: label.into() }),
        }
    }

    /// The values of the column at `offsets` in each piece's payload.
    fn gather(&self, format: Format, cells: Cells, offsets: &[usize]) -> Values {
        let mut values = Values::none_of(format, cells).zeroed(self.len());
        let mut room = values.room();
        for run in self.runs() {
            // A column ends inside the record, which has at most 255 bytes.
            let at = (Definition::HEADER_LENGTH + offsets[run.piece]) as u8;
            let columns = vec![(at, room.split_off(run.offsets.len()))];
            Group { format, cells, columns }.gather(self.log.bytes().get(run.base..).unwrap_or_default(), run.offsets);
        }
        values
    }

    /// The times of the records, if the column at these offsets [doesn't say them itself](Self::lacks_times).
    pub(super) fn widened_times(&self, offsets: &[usize]) -> Option<Vec<u64>> {
        self.lacks_times(offsets).then(|| self.times_us())
    }

    /// Whether the column at these offsets has the times in 32 bits that don't say all: they have wrapped, or have a
    /// sign.
    pub(super) fn lacks_times(&self, offsets: &[usize]) -> bool {
        let Some(wraps) = &self.wraps else { return false };
        let is_time = |(piece, &at): (&Piece<'_>, &usize)| match TimeSource::of(&piece.definition) {
            TimeSource::Micros { format: Format::I32, offset } => offset == at,
            TimeSource::Micros { format: Format::U32, offset } => !wraps.is_empty() && offset == at,
            _ => false,
        };
        self.pieces.len() == offsets.len() && self.pieces.iter().zip(offsets).all(is_time)
    }

    pub(super) fn pieces(&self) -> &[Piece<'log>] {
        &self.pieces
    }

    pub(super) fn runs(&self) -> Vec<Run<'_>> {
        runs(self.pieces.iter().map(|piece| &*piece.offsets))
    }
}

/// The records of some rows, in the order of the log: returned by [`Rows::records`].
#[derive(Clone)]
pub struct RowRecords<'log> {
    log: &'log [u8],
    pieces: Vec<Piece<'log>>,
    wraps: Option<Arc<WrapPlaces>>,
    /// Number of records not yet returned.
    left: usize,
    /// The piece, the part of its offsets, and the range in it.
    runs: vec::IntoIter<(usize, usize, Range<usize>)>,
    here: Option<Here<'log>>,
}

/// The run that is being read.
#[derive(Clone)]
struct Here<'log> {
    piece: usize,
    part: usize,
    range: Range<usize>,
    definition: LoggedDefinition<'log>,
}

impl<'log> Iterator for RowRecords<'log> {
    type Item = Record<'log>;

    fn next(&mut self) -> Option<Record<'log>> {
        loop {
            if let Some(here) = &mut self.here
                && let Some(i) = here.range.next()
            {
                self.left = self.left.saturating_sub(1);
                let part = self.pieces.get(here.piece)?.offsets.parts().get(here.part)?;
                let offset = part.base + *part.offsets.get(i)? as usize;
                let wraps = self.wraps.as_ref().map_or(0, |wraps| wraps.before(offset));
                return Record::indexed(self.log, offset, here.definition, wraps);
            }
            let (piece, part, range) = self.runs.next()?;
            let definition = self.pieces.get(piece)?.definition;
            self.here = Some(Here { piece, part, range, definition });
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for RowRecords<'_> {}
impl FusedIterator for RowRecords<'_> {}

impl fmt::Debug for RowRecords<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RowRecords").field("left", &self.left).finish_non_exhaustive()
    }
}

/// Leaves out definitions without records, unless no definition has records.
fn with_records(mut pieces: Vec<Piece<'_>>) -> Vec<Piece<'_>> {
    if pieces.iter().any(|piece| piece.offsets.len() > 0) {
        pieces.retain(|piece| piece.offsets.len() > 0);
    }
    pieces
}

impl<'log> Piece<'log> {
    fn of(log: &'log [u8], kind: &RecordKind) -> Self {
        Piece { definition: kind.definition(log), place: kind.place, offsets: kind.offsets.clone() }
    }
}

impl fmt::Debug for Rows<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rows").field("name", &self.name).field("len", &self.len()).finish_non_exhaustive()
    }
}
