//! By C: `c/read.c`, in functions that aren't `unsafe`.

use std::ffi::{CString, c_char};
use std::ops::Deref;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr::NonNull;

/// What C keeps and Rust doesn't look into.
#[repr(C)]
struct Opaque([u8; 0]);

unsafe extern "C" {
    safe fn read_with_fresh_memory();

    fn read_index(log: *const u8, length: usize) -> NonNull<Opaque>;
    fn read_offsets(index: NonNull<Opaque>, id: u8, count: &mut usize) -> *const u32;
    fn read_att(index: NonNull<Opaque>, count: &mut usize) -> *const u32;
    fn read_sum_att(log: *const u8, offsets: *const u32, count: usize) -> u64;
    fn read_index_free(index: NonNull<Opaque>);

    fn read_columns(log: *const u8, length: usize) -> NonNull<Opaque>;
    fn read_f64(log: *const u8, length: usize) -> NonNull<Opaque>;
    fn read_column(table: NonNull<Opaque>, id: u8, field: usize, bytes: &mut usize) -> *const u8;
    fn read_columns_free(table: NonNull<Opaque>);

    fn read_file_column(path: *const c_char, name: *const c_char, label: *const c_char) -> Option<NonNull<Opaque>>;
    fn read_file_values(column: NonNull<Opaque>, count: &mut usize) -> *const f64;
    fn read_file_column_free(column: NonNull<Opaque>);
}

/// Makes every reading from here on, by whichever language, pay for its memory as the first one of a process does.
pub fn with_fresh_memory() {
    read_with_fresh_memory();
}

/// An array of C's; null is an empty one.
///
/// # Safety
///
/// An array that isn't null has `count` values, and stays as it is for `'a`.
unsafe fn array<'a, T>(values: *const T, count: usize) -> &'a [T] {
    // SAFETY: as above.
    if values.is_null() { &[] } else { unsafe { std::slice::from_raw_parts(values, count) } }
}

fn assert_offsets_fit(log: &[u8]) {
    assert!(u32::try_from(log.len()).is_ok(), "the log is longer than 4 GiB");
}

/// Where the records of each id stand.
pub struct Index<'a> {
    index: NonNull<Opaque>,
    log: &'a [u8],
}

impl<'a> Index<'a> {
    /// The index of a log.
    pub fn new(log: &'a [u8]) -> Self {
        assert_offsets_fit(log);
        // SAFETY: any bytes will do. The index points into them, and can't outlive them here.
        Index { index: unsafe { read_index(log.as_ptr(), log.len()) }, log }
    }

    /// The offsets of an id's records.
    pub fn offsets(&self, id: u8) -> &[u32] {
        let mut count = 0;
        // SAFETY: the index lives, and so does each of its arrays, which nothing changes.
        unsafe { array(read_offsets(self.index, id, &mut count), count) }
    }

    /// The records of ATT; none if the log has other fields in them than [`Attitude`](crate::Attitude).
    pub fn attitudes(&self) -> Attitudes<'_> {
        let mut count = 0;
        // SAFETY: as above.
        Attitudes { log: self.log, offsets: unsafe { array(read_att(self.index, &mut count), count) } }
    }
}

impl Drop for Index<'_> {
    fn drop(&mut self) {
        // SAFETY: `read_index` made it, and nothing has it any more.
        unsafe { read_index_free(self.index) }
    }
}

/// The records of ATT, found.
pub struct Attitudes<'a> {
    log: &'a [u8],
    offsets: &'a [u32],
}

impl Attitudes<'_> {
    /// How many there are.
    pub fn count(&self) -> usize {
        self.offsets.len()
    }

    /// The sum of time, roll, pitch and yaw of the first `records`, as integers that wrap. There are as many.
    pub fn sum(&self, records: usize) -> u64 {
        let offsets = &self.offsets[..records];
        // SAFETY: the offsets are of this log. Each is that of a whole record which is as long as C's struct, because
        // an id keeps its first definition.
        unsafe { read_sum_att(self.log.as_ptr(), offsets.as_ptr(), offsets.len()) }
    }
}

/// Every field of every record, in an array for each field of each id.
pub struct Columns {
    table: NonNull<Opaque>,
}

impl Columns {
    /// Values as they are in the records.
    pub fn native(log: &[u8]) -> Self {
        assert_offsets_fit(log);
        // SAFETY: any bytes will do, and nothing in the table points to them.
        Columns { table: unsafe { read_columns(log.as_ptr(), log.len()) } }
    }

    /// Numbers as doubles, scaled as readers do. Text and arrays as they are in the records.
    pub fn f64(log: &[u8]) -> Self {
        assert_offsets_fit(log);
        // SAFETY: as above.
        Columns { table: unsafe { read_f64(log.as_ptr(), log.len()) } }
    }

    /// The bytes of a column; none if there is no such column.
    pub fn column(&self, id: u8, field: usize) -> &[u8] {
        let mut bytes = 0;
        // SAFETY: the table lives, and so does each of its arrays, which nothing changes.
        unsafe { array(read_column(self.table, id, field, &mut bytes), bytes) }
    }
}

impl Drop for Columns {
    fn drop(&mut self) {
        // SAFETY: `read_columns` or `read_f64` made it, and nothing has it any more.
        unsafe { read_columns_free(self.table) }
    }
}

/// One column of a file, as doubles.
pub struct FileColumn {
    column: NonNull<Opaque>,
}

impl FileColumn {
    /// Maps the file, which nobody may change meanwhile, and reads the column. `None` if it can't be mapped, no values
    /// if there is no such number.
    pub fn read(path: &Path, name: &str, label: &str) -> Option<Self> {
        let path = CString::new(path.as_os_str().as_bytes()).ok()?;
        let (name, label) = (CString::new(name).ok()?, CString::new(label).ok()?);
        // SAFETY: three strings that end in NUL; none is kept.
        let column = unsafe { read_file_column(path.as_ptr(), name.as_ptr(), label.as_ptr()) }?;
        Some(FileColumn { column })
    }
}

impl Deref for FileColumn {
    type Target = [f64];

    fn deref(&self) -> &[f64] {
        let mut count = 0;
        // SAFETY: the column lives, and so does its array, which nothing changes.
        unsafe { array(read_file_values(self.column, &mut count), count) }
    }
}

impl Drop for FileColumn {
    fn drop(&mut self) {
        // SAFETY: `read_file_column` made it, and nothing has it any more.
        unsafe { read_file_column_free(self.column) }
    }
}
