//! The folder of a data set: it adds logs that it doesn't have.
//!
//! Files are written as `*.parquet.part` and renamed at the end, then the manifest is replaced. After a crash at any
//! moment, the manifest still lists what was there before; the next run removes what it doesn't list. Ctrl-C removes it
//! at once.

use super::arrays::Owner;
use super::facts::Facts;
use super::file::{self, GrowingFile, PART};
use super::logs::{self, TableOfLogs};
use super::manifest::{self, LogEntry, Manifest};
use super::schema;
use crate::any_log::Session;
use crate::export::choice::Choice;
use crate::export::chosen_table::{Cells, ChosenTable};
use crate::export::tables;
use crate::intervals::Intervals;
use crate::one_line::shown;
use crate::outcome::Failure;
use crate::output::{NewFolders, interrupt};
use binlog::log::{SchemaUnion, Values};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A file gets no more logs once it has this many bytes.
const FILE_BYTES: usize = 128 << 20;

/// A file gets no more logs once it has this many row groups. A writer keeps what it writes of each at the end, which
/// would grow with the number of logs.
const ROW_GROUPS: usize = 64;

/// What all files together may have in memory. With twice as much, a data set has 1 % fewer bytes.
const MEMORY_BYTES: usize = 16 << 20;

/// Its lock, so that two exports don't write into one data set.
const LOCK: &str = "_lock";

/// A folder to which logs are added. Nothing of them is there before [`finish`](DataSet::finish).
pub struct DataSet {
    folder: PathBuf,
    manifest: Manifest,
    known: HashSet<String>,
    /// The growing files of each type. A type has several if its logs contradict each other.
    growing: BTreeMap<String, Vec<GrowingFile>>,
    /// The number of files begun of each type.
    begun: BTreeMap<String, u32>,
    /// Files that are whole, but not yet renamed.
    whole: Vec<PathBuf>,
    /// The added logs, and the table of them, from the first on.
    added: Vec<LogEntry>,
    table_of_logs: Option<TableOfLogs>,
    /// Columns with numbers that a data set can't hold, and how many.
    too_large: BTreeMap<String, usize>,
    limit: usize,
    memory: usize,
    row_groups: usize,
    /// Whether a log was added only in part: then nothing of this run may be listed.
    is_torn: bool,
    /// Whether the folder had no data set. Until the end it has none, either.
    is_new: bool,
    /// Held until the end.
    _lock: File,
    folders: NewFolders,
}

impl DataSet {
    /// Opens the data set in a folder, or begins one in an empty or new folder. `choice` says what is exported of each
    /// log; all logs of a data set have the same choice.
    ///
    /// # Errors
    ///
    /// If the folder has other files, or a data set with another choice, or can't be written, or if another program
    /// writes to it.
    pub fn open(folder: &Path, choice: &str) -> Result<Self, Failure> {
        let failure = |error: io::Error| Failure::new(format_args!("can't write to {}: {error}", folder.display()));
        let mut folders = NewFolders::default();
        folders.create(folder)?;
        let mut entries = fs::read_dir(folder).map_err(failure)?.filter_map(Result::ok);
        let has_files = entries.any(|entry| !entry.file_name().to_string_lossy().starts_with('_'));
        if has_files && !folder.join(manifest::NAME).exists() {
            let text = "has files, but no data set; name an empty or new folder";
            return Err(Failure::new(format_args!("{} {text}", folder.display())));
        }
        let lock = lock(folder)?;
        let (manifest, is_new) = match Manifest::read(folder)? {
            Some(manifest) if manifest.choice != choice => {
                let [theirs, ours] = [&manifest.choice, choice].map(|choice| match choice {
                    "" => "none of the options that choose records".to_owned(),
                    choice => format!("`{choice}`"),
                });
                return Err(Failure::new(format_args!(
                    "{} has logs that were exported with {theirs}; this export has {ours}; give the same options or \
                     another folder",
                    shown(folder)
                )));
            }
            Some(manifest) => (manifest, false),
            None => {
                own_files(folder).iter().for_each(|file| interrupt::remove_when_interrupted(file));
                // From here on, files of a killed run are known as such.
                let manifest = Manifest::new(choice);
                manifest.write(folder)?;
                (manifest, true)
            }
        };
        let data_set = DataSet {
            folder: folder.to_owned(),
            known: manifest.logs.iter().map(|log| log.log_id.clone()).collect(),
            manifest,
            growing: BTreeMap::new(),
            begun: BTreeMap::new(),
            whole: Vec::new(),
            added: Vec::new(),
            table_of_logs: None,
            too_large: BTreeMap::new(),
            limit: FILE_BYTES,
            memory: MEMORY_BYTES,
            row_groups: ROW_GROUPS,
            is_torn: false,
            is_new,
            _lock: lock,
            folders,
        };
        data_set.remove_unlisted().map_err(failure)?;
        Ok(data_set)
    }

    /// The bytes after which a file gets no more logs, 128 MiB without this.
    #[must_use]
    pub fn with_file_bytes(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
    }

    /// The bytes that all files may have in memory, 16 MiB without this.
    #[must_use]
    pub fn with_memory(mut self, bytes: usize) -> Self {
        self.memory = bytes;
        self
    }

    /// The row groups after which a file gets no more logs, 64 without this.
    #[must_use]
    pub fn with_row_groups(mut self, row_groups: usize) -> Self {
        self.row_groups = row_groups;
        self
    }

    /// Whether it has the log with this [id](super::log_id).
    pub fn has(&self, log_id: &str) -> bool {
        self.known.contains(log_id)
    }

    /// The name of the log with this [id](super::log_id) that was added since it was opened.
    pub fn added(&self, log_id: &str) -> Option<&str> {
        self.added.iter().find(|log| log.log_id == log_id).map(|log| log.name.as_str())
    }

    /// Columns of added logs (`ATT.Roll`) with numbers above [`i64::MAX`], which are null, and how many.
    pub fn too_large(&self) -> &BTreeMap<String, usize> {
        &self.too_large
    }

    /// The number of logs.
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// Whether it has no logs.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// Adds a log: the parts of its sessions' chosen tables that are in its intervals. Nothing if it has the log.
    /// Returns the number of records.
    ///
    /// # Errors
    ///
    /// If a file can't be written. [`finish`](DataSet::finish) then fails, too, and the data set stays as it was.
    pub fn add(
        &mut self,
        facts: Facts,
        sessions: &[Session<'_>],
        intervals: &[Intervals],
        choice: &Choice,
    ) -> Result<usize, Failure> {
        let mut records = 0;
        if !self.known.insert(facts.log_id.clone()) {
            return Ok(records);
        }
        let log_id: Arc<str> = facts.log_id.as_str().into();
        let added = tables::visit_all(sessions, intervals, choice, |session, table| {
            records += table.len();
            let number = i32::try_from(session.number()).unwrap_or(i32::MAX);
            let (has_times, boot_unix_us) = (session.has_times(), session.clock_unix_us());
            let owner = Owner { log_id: log_id.clone(), session: number, has_times, boot_unix_us };
            self.add_table(&facts.name, owner, table)
        });
        added.inspect_err(|_| self.is_torn = true)?;
        self.added.push(LogEntry { log_id: facts.log_id.clone(), name: facts.name.clone() });
        let listed = self.list(facts).and_then(|()| self.spare_memory());
        listed.inspect_err(|_| self.is_torn = true)?;
        Ok(records)
    }

    /// Adds a log to the table of logs.
    fn list(&mut self, facts: Facts) -> Result<(), Failure> {
        let table = match &mut self.table_of_logs {
            Some(table) => table,
            none => {
                let folder = self.folder.join(logs::FOLDER);
                self.folders.create(&folder)?;
                let place = folder.join(format!("{:04}-000.parquet", self.manifest.runs + 1));
                none.insert(TableOfLogs::create(place)?)
            }
        };
        table.add(facts)
    }

    fn add_table(&mut self, log: &str, owner: Owner, table: ChosenTable) -> Result<(), Failure> {
        let columns = schema::columns(&table);
        for column in &table.columns {
            if let Cells::Logged(Values::U64(numbers)) = &column.cells {
                let is_lost = |(i, number): &(usize, &u64)| i64::try_from(**number).is_err() && column.is_chosen_in(*i);
                let count = numbers.iter().enumerate().filter(is_lost).count();
                if count > 0 {
                    *self.too_large.entry(format!("{}.{}", table.name, column.label)).or_default() += count;
                }
            }
        }
        let folder = folder_name(&table.name);
        let growing = self.growing.entry(folder.clone()).or_default();
        let place = match growing.iter().position(|file| file.union().schema().holds(&columns)) {
            Some(place) => place,
            None => {
                // A file with the columns of both takes the place of one that lacks some.
                let joined = |(place, file): (usize, &GrowingFile)| {
                    let mut union = file.union().clone();
                    union.add(log, &columns).ok().map(|()| (place, union))
                };
                let union = match growing.iter().enumerate().find_map(joined) {
                    Some((place, union)) => {
                        self.whole.push(growing.remove(place).finish()?);
                        union
                    }
                    None => SchemaUnion::new(log, columns),
                };
                let begun = self.begun.entry(folder.clone()).or_default();
                let name = format!("{:04}-{begun:03}.parquet", self.manifest.runs + 1);
                *begun += 1;
                let folder = self.folder.join(folder);
                self.folders.create(&folder)?;
                growing.push(GrowingFile::create(folder.join(name), union)?);
                growing.len() - 1
            }
        };
        let file = &mut growing[place];
        file.add(owner, table);
        if file.bytes() >= self.limit || file.row_groups() >= self.row_groups {
            self.whole.push(growing.remove(place).finish()?);
        } else if file.memory() > self.memory / 8 {
            // A long log fills the memory by itself.
            self.spare_memory()?;
        }
        Ok(())
    }

    /// Writes row groups until the files have less in memory.
    fn spare_memory(&mut self) -> Result<(), Failure> {
        loop {
            let growing = || self.growing.values().flatten();
            if growing().map(GrowingFile::memory).sum::<usize>() <= self.memory {
                return Ok(());
            }
            let Some(largest) = self.growing.values_mut().flatten().max_by_key(|file| file.memory()) else {
                return Ok(());
            };
            largest.flush()?;
        }
    }

    /// Renames the files and lists them in the manifest. Returns the number of logs that were added; without any,
    /// nothing is written.
    ///
    /// # Errors
    ///
    /// If a file can't be written or renamed, or if a log was added only in part.
    pub fn finish(mut self) -> Result<usize, Failure> {
        if self.is_torn {
            let text = "a log was written only in part, so none is added; mend what is said above and export again";
            return Err(Failure::new(format_args!("{}: {text}", shown(&self.folder))));
        }
        if self.added.is_empty() {
            return Ok(0);
        }
        self.whole.extend(file::finish_all(std::mem::take(&mut self.growing).into_values().flatten().collect())?);
        self.whole.extend(self.table_of_logs.take().map(TableOfLogs::finish).transpose()?);
        let failure = |path: &Path, error: &dyn std::fmt::Display| {
            Failure::new(format_args!("can't write {}: {error}", path.display()))
        };
        // Until it is written, what it lists isn't in the data set, and is removed if anything fails.
        let mut manifest = self.manifest.clone();
        let mut folders = BTreeSet::from([self.folder.clone()]);
        for place in &self.whole {
            // Until the manifest lists it, it isn't a file of the data set.
            interrupt::remove_when_interrupted(place);
            fs::rename(file::part(place), place).map_err(|error| failure(place, &error))?;
            interrupt::keep(&file::part(place));
            let listed = place.strip_prefix(&self.folder).unwrap_or(place).to_string_lossy().replace('\\', "/");
            manifest.files.push(listed);
            folders.extend(place.parent().map(Path::to_owned));
        }
        // After a power cut, the manifest must not list a file whose name is lost.
        folders.iter().try_for_each(|folder| sync(folder).map_err(|error| failure(folder, &error)))?;
        let added = self.added.len();
        manifest.logs.append(&mut self.added);
        manifest.runs += 1;
        // The next run removes a file that isn't listed; nothing brings back one that is listed and was removed.
        self.whole.iter().for_each(|place| interrupt::keep(place));
        own_files(&self.folder).iter().for_each(|file| interrupt::keep(file));
        manifest.write(&self.folder)?;
        (self.manifest, self.is_new) = (manifest, false);
        sync(&self.folder).map_err(|error| failure(&self.folder, &error))?;
        Ok(added)
    }

    /// Removes the files of a run that was interrupted: those with our names that the manifest doesn't list.
    fn remove_unlisted(&self) -> io::Result<()> {
        let listed: HashSet<&str> = self.manifest.files.iter().map(String::as_str).collect();
        for folder in fs::read_dir(&self.folder)?.filter_map(Result::ok).filter(|entry| entry.path().is_dir()) {
            for entry in fs::read_dir(folder.path())?.filter_map(Result::ok) {
                let name = entry.file_name().to_string_lossy().into_owned();
                let path = format!("{}/{name}", folder.file_name().to_string_lossy());
                if is_ours(&name) && !listed.contains(path.as_str()) {
                    fs::remove_file(entry.path())?;
                }
            }
        }
        Ok(())
    }
}

/// Files that were begun and not finished are removed, and a data set that has no log.
impl Drop for DataSet {
    fn drop(&mut self) {
        // Windows removes closed files only.
        self.growing.clear();
        self.table_of_logs = None;
        // What can't be removed now is removed by the next run.
        let _ = self.remove_unlisted();
        if self.is_new {
            for file in own_files(&self.folder) {
                let _ = fs::remove_file(&file);
                interrupt::keep(&file);
            }
        }
    }
}

/// Waits until the names of the files in a folder outlive a power cut.
fn sync(folder: &Path) -> io::Result<()> {
    if cfg!(not(unix)) {
        // Windows doesn't open folders, and keeps names in its journal.
        return Ok(());
    }
    match File::open(folder).and_then(|folder| folder.sync_all()) {
        // Some file systems of a network can't.
        Err(error) if matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported) => Ok(()),
        synced => synced,
    }
}

/// The files of a data set that aren't tables. The lock comes last: without it, another export begins.
fn own_files(folder: &Path) -> [PathBuf; 2] {
    [folder.join(manifest::NAME), folder.join(LOCK)]
}

fn lock(folder: &Path) -> Result<File, Failure> {
    let place = folder.join(LOCK);
    loop {
        let failure = |error: io::Error| Failure::new(format_args!("can't write {}: {error}", place.display()));
        let create = || File::create(&place);
        let lock = if place.exists() { create() } else { interrupt::create(&[&place], create) }.map_err(failure)?;
        match lock.try_lock() {
            // An export that failed has removed the file since, and it locks nothing.
            Ok(()) if !place.exists() => {}
            Ok(()) => return Ok(lock),
            Err(TryLockError::WouldBlock) => {
                let text = "another export is writing to it; run this one again when that has ended";
                return Err(Failure::new(format_args!("{}: {text}", folder.display())));
            }
            Err(TryLockError::Error(error)) => return Err(failure(error)),
        }
    }
}

/// `0001-000.parquet`, or a part of one.
fn is_ours(name: &str) -> bool {
    let Some(stem) = name.strip_suffix(PART).unwrap_or(name).strip_suffix(".parquet") else { return false };
    let is_number = |text: &str| text.len() >= 3 && text.bytes().all(|byte| byte.is_ascii_digit());
    stem.split_once('-').is_some_and(|(run, number)| is_number(run) && is_number(number))
}

/// The folder of a type. Names of damaged logs may have any character, and Windows has names of its own.
fn folder_name(name: &str) -> String {
    let is_reserved = ["logs", "CON", "PRN", "AUX", "NUL"].iter().any(|taken| taken.eq_ignore_ascii_case(name));
    let mut folder = String::new();
    for (i, byte) in name.bytes().enumerate() {
        let is_plain = byte.is_ascii_alphanumeric() || (matches!(byte, b'_' | b'-') && i > 0);
        if is_plain && !(is_reserved && i == 0) {
            folder.push(byte.into());
        } else {
            folder.push_str(&format!("%{byte:02X}"));
        }
    }
    if folder.is_empty() { "%".into() } else { folder }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_have_names_that_every_system_takes() {
        for (name, folder) in [
            ("ATT", "ATT"),
            ("main", "main"),
            ("../", "%2E%2E%2F"),
            ("logs", "%6Cogs"),
            ("nul", "%6Eul"),
            ("_A", "%5FA"),
        ] {
            assert_eq!(folder_name(name), folder);
        }
    }

    #[test]
    fn only_our_files_are_removed() {
        for (name, is_it) in [
            ("0001-000.parquet", true),
            ("0012-123.parquet.part", true),
            ("mine.parquet", false),
            ("0001.parquet", false),
            ("0001-000.csv", false),
        ] {
            assert_eq!(is_ours(name), is_it, "{name}");
        }
    }
}
