//! Chosen columns of one type in one pass.

use super::column::{Column, Quantity};
use super::decode::{Plan, PlannedColumn, Stretch, add_to, decode, memory, threads};
use super::offsets::Run;
use super::rows::Rows;
use super::select::SelectError;
use crate::format::Scaling;
use crate::source::{Numbers, Values};

impl Rows<'_> {
    /// The columns with these labels, in one pass over the records of the type. All columns of a type:
    /// `rows.columns(&rows.labels(), numbers)`.
    ///
    /// Many records are decoded by as many threads as there are processors.
    ///
    /// ```
    /// # use binlog::{LogSchema, LogWriter, messages::Mode};
    /// # #[derive(LogSchema)]
    /// # enum FlightLog { Mode(Mode) }
    /// # let mut writer = LogWriter::<FlightLog, _>::new(Vec::new())?;
    /// # writer.mode(1_500_000, 5, 0)?;
    /// # writer.mode(2_500_000, 6, 0)?;
    /// # let bytes = writer.finish()?;
    /// use binlog::log::{Numbers, Values};
    /// use binlog::{Log, Scaling};
    ///
    /// let log = Log::from_bytes(bytes);
    /// let columns = log.rows("MODE")?.columns(&["TimeUS", "ModeNum"], Numbers::Scaled(Scaling::Units))?;
    /// assert_eq!(columns[0].values(), &Values::F64(vec![1.5, 2.5].into()));
    /// assert_eq!(columns[1].values(), &Values::U8(vec![5, 6].into()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`column`](Rows::column), for the first label with one.
    pub fn columns<L: AsRef<str>>(&self, labels: &[L], numbers: Numbers) -> Result<Vec<Column>, SelectError> {
        let found = labels.iter().map(|label| self.find(label.as_ref()));
        let found: Vec<(Quantity, Vec<usize>)> = found.collect::<Result<_, _>>()?;
        let planned = |(quantity, offsets): &(Quantity, Vec<usize>)| {
            // Times that the column doesn't say itself aren't decoded from it.
            let count = if self.lacks_times(offsets) { 0 } else { self.len() };
            let at = offsets.first().copied().unwrap_or(0);
            PlannedColumn { at, format: quantity.format, cells: quantity.cells(numbers), count }
        };
        let values = self.decoded(found.iter().map(planned).collect(), &found);
        let column = |((label, (quantity, offsets)), values): ((&L, (Quantity, Vec<usize>)), Values)| {
            let (label, cells) = (label.as_ref(), quantity.cells(numbers));
            let values = match self.widened_times(&offsets) {
                Some(times_us) => Values::of_times(times_us, cells),
                None => values,
            };
            let scaled = numbers.scaling(cells);
            let names = if scaled == Scaling::Stored { self.value_names(label) } else { None };
            Column::new(label, quantity, values, scaled, names)
        };
        Ok(labels.iter().zip(found).zip(values).map(column).collect())
    }

    /// The values of the planned columns, which have these offsets in the payload of each piece.
    fn decoded(&self, planned: Vec<PlannedColumn>, found: &[(Quantity, Vec<usize>)]) -> Vec<Values> {
        let log = self.log().bytes();
        if let [piece] = self.pieces() {
            let threads = threads(piece.offsets.len() * usize::from(piece.definition.length()));
            let plans = [Plan { offsets: &piece.offsets, columns: planned }];
            return decode(log, &plans, threads).into_iter().flatten().collect();
        }
        let mut memory = memory(&planned);
        let mut rooms = memory.rooms();
        for Run { piece, base, offsets, .. } in self.runs() {
            let mut groups = Vec::new();
            let decoded = rooms.iter_mut().zip(found).zip(&planned).filter(|(_, column)| column.count > 0);
            for ((room, (_, at)), column) in decoded {
                add_to(&mut groups, column.format, column.cells, at[piece], room.split_off(offsets.len()));
            }
            Stretch::new(base, offsets, groups).decode_all(log);
        }
        memory.into_values()
    }
}
