//! Another log of the same firmware, whose header stands in for missing and damaged lines.

use super::frames::count_main;
use super::header::{FIELDS, Lines, Taken};
use crate::blackbox::BlackboxLog;
use crate::blackbox::header::HeaderProblemKind;
use crate::blackbox::log::Session;
use crate::tools::repair::RepairError;

/// The header of the first session in the other log that is sound.
pub(super) struct OtherLog<'o>(Lines<'o>);

/// The header of a session, with lines of the other log, and the bytes of the session after it.
pub(super) struct WithOther {
    pub(super) bytes: Vec<u8>,
    pub(super) taken: Vec<Taken>,
}

impl<'o> OtherLog<'o> {
    /// # Errors
    ///
    /// If no session has a sound header, and if more of the lines that define main frames differ from those of the
    /// damaged sessions than agree. Other frames are the same in many firmwares.
    pub(super) fn new(log: &'o BlackboxLog<'_>, damaged: &[Lines<'_>]) -> Result<Self, RepairError> {
        let is_sound = |session: &Session<'_>| {
            let problems = session.header().problems();
            problems.iter().all(|problem| matches!(problem.kind, HeaderProblemKind::UnnamedFields { .. }))
        };
        let sound = log.sessions().find(is_sound);
        let header = Lines::of(&sound.ok_or(RepairError::NoHeader)?);
        let (mut same, mut different) = (0, Vec::new());
        for own in damaged {
            let is_of_main = |name: &str| MAIN_FIELDS.iter().any(|of_main| name.starts_with(of_main));
            for line in header.lines.iter().filter(|line| is_of_main(&line.name)) {
                match own.line(&line.name) {
                    Some(own) if own.value == line.value => same += 1,
                    Some(_) => different.push(&line.name),
                    None => {}
                }
            }
        }
        match different.first().filter(|_| different.len() > same) {
            None => Ok(OtherLog(header)),
            Some(line) => Err(RepairError::OtherFields {
                different: different.len(),
                shared: different.len() + same,
                line: (*line).clone(),
            }),
        }
    }

    /// The session with those lines of the other header with which most of its main frames are read: none, those that
    /// it lacks, or also those that define frames. `None` if that is the session as it is, or has no sound header.
    pub(super) fn complete(&self, session: &Session<'_>, own: &Lines<'_>) -> Option<WithOther> {
        let frames = session.bytes().get(session.frames_offset() - session.offset()..).unwrap_or_default();
        let with = |with_fields| {
            let (lines, taken) = own.with(&self.0, with_fields);
            let bytes = [&*lines.bytes(), frames].concat();
            let count = count_main(&Session::new(&bytes, 0..bytes.len()));
            (count, WithOther { bytes, taken })
        };
        let mut best = with(false);
        let with_fields = with(true);
        if with_fields.1.taken.len() > best.1.taken.len() && with_fields.0 > best.0 {
            best = with_fields;
        }
        let (count, best) = best;
        let is_sound = || Lines::of(&Session::new(&best.bytes, 0..best.bytes.len())).mended().is_some();
        (!best.taken.is_empty() && count >= count_main(session) && is_sound()).then_some(best)
    }

    /// The lines that decide what values mean and differ from those of the other log.
    pub(super) fn differing(&self, lines: &Lines<'_>) -> Vec<String> {
        let decides = |name: &str| name.starts_with(FIELDS) || DECIDING.contains(&name);
        let differs = |name: &str, value: &str| self.0.line(name).is_some_and(|line| line.value != value);
        let lines = lines.lines.iter().filter(|line| decides(&line.name) && differs(&line.name, &line.value));
        lines.map(|line| line.name.clone()).collect()
    }
}

/// How the names of lines begin that define main frames.
const MAIN_FIELDS: [&str; 2] = ["Field I ", "Field P "];

/// Lines that decide what values mean, and are the same in all logs of a firmware with the same settings.
const DECIDING: [&str; 9] = [
    "Data version",
    "Firmware type",
    "Firmware revision",
    "I interval",
    "P interval",
    "looptime",
    "gyro_scale",
    "acc_1G",
    "motorOutput",
];
