//! Parquet files that grow log by log, beside their place until they are whole.

use super::arrays::{self, Owner};
use super::schema::arrow;
use crate::export::chosen_table::ChosenTable;
use crate::outcome::Failure;
use crate::output::interrupt;
use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, DataType, FieldRef, Schema, SchemaRef};
use binlog::log::SchemaUnion;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::{WriterProperties, WriterPropertiesBuilder};
use parquet::schema::types::ColumnPath;
use std::fs::File;
use std::io::{self, BufWriter};
use std::iter;
use std::num::NonZero;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// The ending of a file that isn't whole. DuckDB and pyarrow read `*.parquet`.
pub(super) const PART: &str = ".part";

/// A file that is beside its place until it is whole.
pub(super) struct OpenFile {
    /// The place that it will have.
    place: PathBuf,
    writer: ArrowWriter<BufWriter<File>>,
}

/// The file of a type, to which tables of many logs are added.
pub(super) struct GrowingFile {
    union: SchemaUnion,
    schema: SchemaRef,
    file: OpenFile,
    /// Tables that wait for the next row group, and about how many bytes they have. As stored they take half of what
    /// they would as the file's types, and a writer of a column has a compressor, whose memory is larger than most
    /// columns.
    waiting: Vec<(Owner, ChosenTable)>,
    memory: usize,
}

/// How all files are written: compressed, with the statistics by which readers skip row groups. Measured numbers have
/// no dictionary: few are equal, so that it takes memory, time and room in the file.
pub fn writer_properties(schema: &Schema) -> WriterProperties {
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_created_by(concat!("binlog ", env!("CARGO_PKG_VERSION")).into());
    let measured = schema.fields().iter().filter(|field| *field.data_type() == DataType::Float64);
    let without = |properties: WriterPropertiesBuilder, field: &FieldRef| {
        properties.set_column_dictionary_enabled(ColumnPath::new(vec![field.name().clone()]), false)
    };
    measured.fold(properties, without).build()
}

impl OpenFile {
    /// Begins the file for a place whose folder exists.
    pub(super) fn create(place: PathBuf, schema: SchemaRef) -> Result<Self, Failure> {
        let part = part(&place);
        let file = interrupt::create(&[&part], || File::create(&part));
        let file = file.map_err(|error| failure(&place, &error.into()))?;
        let properties = writer_properties(&schema);
        let writer = ArrowWriter::try_new(BufWriter::new(file), schema, Some(properties));
        let writer = writer.map_err(|error| failure(&place, &error))?;
        Ok(OpenFile { place, writer })
    }

    /// Writes batches, as a row group.
    pub(super) fn write(
        &mut self,
        mut batches: impl Iterator<Item = Result<RecordBatch, ArrowError>>,
    ) -> Result<(), Failure> {
        let written = batches.try_for_each(|batch| self.writer.write(&batch?));
        written.and_then(|()| self.writer.flush()).map_err(|error| failure(&self.place, &error))
    }

    /// Ends the file, still beside its place, which is returned.
    pub(super) fn finish(self) -> Result<PathBuf, Failure> {
        let OpenFile { place, writer } = self;
        let file = writer.into_inner().map_err(|error| failure(&place, &error))?;
        // The name must not outlive the bytes after a power cut.
        let synced = file.into_inner().map_err(io::IntoInnerError::into_error).and_then(|file| file.sync_all());
        synced.map_err(|error| failure(&place, &error.into()))?;
        Ok(place)
    }
}

impl GrowingFile {
    /// Begins the file for a place whose folder exists.
    pub(super) fn create(place: PathBuf, union: SchemaUnion) -> Result<Self, Failure> {
        let schema = Arc::new(arrow(union.schema()));
        let file = OpenFile::create(place, schema.clone())?;
        Ok(GrowingFile { union, schema, file, waiting: Vec::new(), memory: 0 })
    }

    /// The columns of its logs.
    pub(super) fn union(&self) -> &SchemaUnion {
        &self.union
    }

    /// Adds the records of a table that fits.
    pub(super) fn add(&mut self, owner: Owner, mut table: ChosenTable) {
        table.forget_descriptions();
        self.memory += table.memory();
        self.waiting.push((owner, table));
    }

    /// Its bytes so far, those in memory included.
    pub(super) fn bytes(&self) -> usize {
        self.file.writer.bytes_written() + self.memory
    }

    /// About how many bytes it has in memory.
    pub(super) fn memory(&self) -> usize {
        self.memory
    }

    /// Writes what is in memory, as a row group.
    pub(super) fn flush(&mut self) -> Result<(), Failure> {
        self.memory = 0;
        let batch = |(owner, table)| arrays::batch(&self.schema, self.union.schema(), owner, table);
        self.file.write(std::mem::take(&mut self.waiting).into_iter().map(batch))
    }

    /// The row groups that were written.
    pub(super) fn row_groups(&self) -> usize {
        self.file.writer.flushed_row_groups().len()
    }

    /// Ends the file, still beside its place, which is returned.
    pub(super) fn finish(mut self) -> Result<PathBuf, Failure> {
        self.flush()?;
        self.file.finish()
    }
}

/// Ends files, by as many threads as there are processors: what is in memory is compressed then, and each file waits
/// for the disk. Returns their places, by name.
pub(super) fn finish_all(files: Vec<GrowingFile>) -> Result<Vec<PathBuf>, Failure> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get).min(files.len());
    let files = Mutex::new(files.into_iter());
    let next = || files.lock().unwrap_or_else(PoisonError::into_inner).next();
    let finish = || iter::from_fn(next).map(GrowingFile::finish).collect::<Result<Vec<PathBuf>, Failure>>();
    thread::scope(|scope| {
        // This thread ends all files if the system has no more threads.
        let start = |_| thread::Builder::new().spawn_scoped(scope, finish).ok();
        let others: Vec<_> = (1..threads).filter_map(start).collect();
        let mut places = finish()?;
        for other in others {
            places.extend(other.join().unwrap_or_else(|panicked| resume_unwind(panicked))?);
        }
        places.sort();
        Ok(places)
    })
}

/// The name that the file has until it is whole.
pub(super) fn part(place: &Path) -> PathBuf {
    let mut part = place.as_os_str().to_owned();
    part.push(PART);
    part.into()
}

fn failure(place: &Path, error: &ParquetError) -> Failure {
    Failure::new(format_args!("can't write {}: {error}", place.display()))
}
