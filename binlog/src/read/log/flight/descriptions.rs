//! What the log says about its messages.

use super::files::{EmbeddedFile, Gathered, Gathering, gathered};
use crate::format::description::FILE_NAME;
use crate::read::descriptions;
use crate::read::descriptions::{DescribedColumn, DescribedMessage, HOLE};
use crate::read::log::Rows;
use crate::read::{Log, Record};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

impl Log<'_> {
    /// The descriptions of its messages that the log carries, written by [`LogWriter::descriptions`]. Empty without
    /// them.
    ///
    /// They come from the file, not from this program, and may contradict the log's definitions. If bytes of the file
    /// are missing, messages, columns and names are left out that they may be part of; [`Log::check`] reports it.
    ///
    /// Of a log of several [boots](Log::boots), each message and column is as the last boot that has it describes it.
    /// `boot.log().descriptions()` are those of one boot.
    ///
    /// [`LogWriter::descriptions`]: crate::LogWriter::descriptions
    pub fn descriptions(&self) -> Vec<DescribedMessage> {
        let mut all: Vec<DescribedMessage> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        // By place, the columns of messages that several boots describe.
        let mut labels: HashMap<usize, HashSet<String>> = HashMap::new();
        for (i, xml) in self.embedded_texts().iter().rev().enumerate() {
            for message in descriptions::read(xml).messages {
                let Some(&place) = places.get(&message.name).filter(|_| i > 0) else {
                    places.entry(message.name.clone()).or_insert(all.len());
                    all.push(message);
                    continue;
                };
                let columns = &mut all[place].columns;
                let label = |column: &DescribedColumn| column.label.clone();
                let known = labels.entry(place).or_insert_with(|| columns.iter().map(label).collect());
                let is_new = |column: &DescribedColumn| !known.contains(&column.label);
                let new: Vec<DescribedColumn> = message.columns.into_iter().filter(is_new).collect();
                known.extend(new.iter().map(label));
                columns.extend(new);
            }
        }
        all
    }

    /// What its [`descriptions`](Log::descriptions) say about a type.
    pub(in crate::read::log) fn description_of(&self, of_type: &str) -> Option<&DescribedMessage> {
        let by_name = || self.descriptions().into_iter().map(|message| (message.name.clone(), message)).collect();
        self.described.get_or_init(by_name).get(of_type)
    }

    /// Of each boot, the text of the embedded descriptions, with [`HOLE`]s; empty without them.
    pub(in crate::read::log) fn embedded_texts(&self) -> &[String] {
        self.xml.get_or_init(|| texts(&self.all("FILE"), &self.index().boots))
    }

    /// The file with the last boot's descriptions; a part of it if the log lacks the rest.
    pub(crate) fn description_file(&self) -> Option<EmbeddedFile> {
        let files = gathered(&self.all("FILE"), &self.index().boots, |name| name == FILE_NAME);
        Some(last_of(files.chunk_by(|(a, _), (b, _)| a == b).last()?)?.into_file())
    }
}

/// As [`Log::embedded_texts`], given the records of FILE, and where each boot but the first begins.
pub(in crate::read::log) fn texts(rows: &Rows<'_>, boots: &[usize]) -> Vec<String> {
    let mut texts = vec![String::new(); boots.len() + 1];
    let files = gathered(rows, boots, |name| name == FILE_NAME);
    for files in files.chunk_by(|(a, _), (b, _)| a == b) {
        if let Some(file) = last_of(files) {
            texts[files[0].0] = Embedded::of(file).text;
        }
    }
    texts
}

/// The last of a boot's files, whose missing pieces may be in front of it: a repeated piece begins the file again.
fn last_of<'log>(files: &[(usize, Gathered<'log>)]) -> Option<Gathered<'log>> {
    let mut files = files.iter().rev().map(|(_, file)| file);
    let last = files.next()?.clone();
    Some(files.fold(last, |file, earlier| file.completed(earlier)))
}

/// The embedded descriptions of one boot, as they are in the log.
struct Embedded {
    /// The offset of the first record in the log.
    logged_at: usize,
    text: String,
    /// Ranges of bytes that no record has, or that records have differently.
    missing: Vec<Range<u64>>,
}

impl Embedded {
    fn of(file: Gathered<'_>) -> Self {
        let (logged_at, mut disputed) = (file.logged_at, file.disputed().to_vec());
        disputed.sort_by_key(|range| range.start);
        let mut next = disputed.iter().peekable();
        let file = file.into_file();
        let mut text = String::new();
        let mut missing = file.missing();
        for (i, (offset, mut piece)) in file.pieces.into_iter().enumerate() {
            let end = offset + piece.len() as u64;
            // What records have differently, they have, so it is within a piece.
            while let Some(range) = next.next_if(|range| range.start < end) {
                piece[(range.start - offset) as usize..(range.end.min(end) - offset) as usize].fill(HOLE as u8);
            }
            if i > 0 || offset > 0 {
                text.push(HOLE);
            }
            let is_control = |c: char| c < ' ' && !matches!(c, '\t' | '\n' | '\r');
            let is_damaged = |c: char| is_control(c) || c == char::REPLACEMENT_CHARACTER;
            text.extend(String::from_utf8_lossy(&piece).chars().map(|c| if is_damaged(c) { HOLE } else { c }));
        }
        missing.extend(disputed);
        missing.sort_by_key(|range| range.start);
        Embedded { logged_at, text, missing }
    }
}

/// Descriptions that a log lacks a part of.
pub(crate) struct Incomplete {
    /// The offset of their first record in the log.
    pub(crate) offset: usize,
    /// What is wrong.
    pub(crate) text: String,
}

/// The pieces of the embedded descriptions, record by record.
#[derive(Default)]
pub(crate) struct DescriptionPieces<'log>(Gathering<'log>);

impl<'log> DescriptionPieces<'log> {
    /// Another boot begins.
    pub(crate) fn begin_boot(&mut self) {
        self.0.begin_boot();
    }

    /// Adds a record of FILE, if it has a piece.
    pub(crate) fn add(&mut self, record: &Record<'log>) {
        self.0.add(record, |name| name == FILE_NAME);
    }

    /// The boots whose descriptions aren't whole.
    pub(crate) fn incomplete(self) -> Vec<Incomplete> {
        let files = self.0.into_files();
        let boots = files.chunk_by(|(a, _), (b, _)| a == b);
        boots.filter_map(last_of).filter_map(|file| Embedded::of(file).incomplete()).collect()
    }
}

impl Embedded {
    fn incomplete(self) -> Option<Incomplete> {
        if descriptions::read(&self.text).is_whole {
            return None;
        }
        let text = match self.missing.first() {
            Some(Range { start, end }) => {
                let others = if self.missing.len() > 1 { ", and others" } else { "" };
                format!("the log lacks the bytes {start} to {end} of {FILE_NAME}{others}")
            }
            None if self.text.contains(HOLE) => format!("{FILE_NAME} has bytes that aren't text"),
            None => format!("{FILE_NAME} ends in the middle, or isn't XML"),
        };
        Some(Incomplete { offset: self.logged_at, text })
    }
}
