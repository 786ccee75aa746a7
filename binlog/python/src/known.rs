//! The columns of logs that were read before: engines ask for those of all logs with each query.

use crate::members::Member;
use binlog::log::{Numbers, TableSchema};
use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

/// What the columns of a type are, for each definition of it and each session. Logs that have the same share it.
pub type Schemas = Arc<[TableSchema]>;

/// A type, how its numbers are decoded, and a log.
type Key = (Arc<str>, Numbers, PathBuf);

/// A log that has another length or time of change is read again.
type State = (u64, SystemTime);

/// As many logs are known; then all are forgotten. They take some 20 MB.
const MOST: usize = 100_000;

/// As many schemas are compared with a new one. The logs of a fleet have few.
const COMPARED: usize = 16;

/// A log that changed so recently may change again without another time.
const SETTLED: Duration = Duration::from_secs(2);

#[derive(Default)]
struct Known {
    logs: HashMap<Key, (State, Schemas)>,
    schemas: VecDeque<Schemas>,
}

static KNOWN: LazyLock<Mutex<Known>> = LazyLock::new(Mutex::default);

/// Identifies a log that has settled.
fn key(name: &Arc<str>, numbers: Numbers, log: &Member) -> Option<(Key, State)> {
    let changed = log.changed?;
    changed.elapsed().is_ok_and(|elapsed| elapsed >= SETTLED).then_some(())?;
    Some(((name.clone(), numbers, std::path::absolute(&log.path).ok()?), (log.bytes, changed)))
}

/// The columns of a type in a log that was read before and hasn't changed since.
pub fn get(name: &Arc<str>, numbers: Numbers, log: &Member) -> Option<Schemas> {
    let (key, state) = key(name, numbers, log)?;
    let known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    known.logs.get(&key).filter(|(then, _)| *then == state).map(|(_, schemas)| schemas.clone())
}

/// Notes the columns of a type in a log that was found before it was read.
pub fn keep(name: &Arc<str>, numbers: Numbers, log: &Member, schemas: Vec<TableSchema>) -> Schemas {
    let key = key(name, numbers, log);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let same = known.schemas.iter().find(|known| ***known == *schemas).cloned();
    let schemas = same.unwrap_or_else(|| {
        let schemas = Schemas::from(schemas);
        known.schemas.truncate(COMPARED - 1);
        known.schemas.push_front(schemas.clone());
        schemas
    });
    if let Some((key, state)) = key {
        if known.logs.len() >= MOST {
            known.logs.clear();
        }
        known.logs.insert(key, (state, schemas.clone()));
    }
    schemas
}
