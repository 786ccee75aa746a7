//! Reads an ArduPilot log record by record, in constant memory, and puts its inputs in order.

use super::error::ReplayError;
use super::item::Item;
use super::order::Order;
use crate::format::header::FMT_ID;
use crate::format::{Definition, Format};
use crate::read::catalogue::units::{TableRow, Units, UnitsAt};
use crate::read::records::time::TimeSource;
use crate::read::{LoggedDefinition, RecordStream};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{ErrorKind, Read};

/// What of the records is an input.
pub(super) trait Inputs {
    /// An input.
    type Input;
    /// How the records of one definition become inputs.
    type Plan;

    /// The plan for a definition; `None` if its records aren't inputs.
    ///
    /// # Errors
    ///
    /// If they can't be read. They are left out.
    fn plan(
        &mut self,
        logged: &LoggedDefinition<'_>,
        units: UnitsAt<'_>,
        source: &mut dyn FnMut(&str) -> u32,
    ) -> Result<Option<Self::Plan>, ReplayError>;

    /// The input in a record and the number of its source; `None` if it isn't one. `wraps` says how often times of 32
    /// bits have wrapped before.
    ///
    /// # Errors
    ///
    /// If the record can't be decoded.
    fn read(
        &mut self,
        plan: &mut Self::Plan,
        record: Payload<'_>,
        source: &mut dyn FnMut(&str) -> u32,
    ) -> Result<Option<(u32, Self::Input)>, ReplayError>;

    /// The names of the types that are asked for.
    fn asked(&self) -> Vec<String>;
}

/// A record's payload and where the record begins.
#[derive(Clone, Copy)]
pub(super) struct Payload<'r> {
    pub(super) offset: usize,
    pub(super) bytes: &'r [u8],
    pub(super) wraps: u32,
}

/// What is known of an id, until another definition comes.
struct Known<P> {
    time: TimeSource,
    kind: Kind<P>,
}

enum Kind<P> {
    /// FMT, FMTU, UNIT, MULT.
    Defines,
    Input(P),
    Foreign,
}

/// The inputs of an ArduPilot log.
pub(super) struct Records<R, I: Inputs> {
    reader: R,
    stream: Box<RecordStream<65536>>,
    inputs: I,
    known: [Option<Known<I::Plan>>; 256],
    /// Whether anything but definitions is known.
    has_plans: bool,
    units: Units,
    order: Order<I::Input>,
    /// Boots so far.
    boots: usize,
    /// Whether this boot has logged anything but definitions.
    is_running: bool,
    /// Whether there are inputs, or records that would be and can't be read.
    has_inputs: bool,
    /// The names of the types with records, for an error.
    has: BTreeSet<String>,
    /// The last error that was reported for each message of this boot. A log may repeat a definition.
    differing: BTreeMap<String, String>,
    is_read: bool,
    is_over: bool,
    /// What is wrong with the log as a whole: it follows the last item.
    last: Option<ReplayError>,
}

impl<R: Read, I: Inputs> Records<R, I> {
    pub(super) fn new(reader: R, inputs: I) -> Self {
        let mut order = Order::new();
        order.begin(1);
        Records {
            reader,
            stream: Box::default(),
            inputs,
            known: [const { None }; 256],
            has_plans: false,
            units: Units::default(),
            order,
            boots: 1,
            is_running: false,
            has_inputs: false,
            has: BTreeSet::new(),
            differing: BTreeMap::new(),
            is_read: false,
            is_over: false,
            last: None,
        }
    }

    /// Takes the next records whose ids are known, as long as they need no look at their definitions.
    #[inline]
    fn take_known(&mut self) -> Result<(), ReplayError> {
        let Records { stream, inputs, known, order, is_running, has_inputs, .. } = self;
        let mut result = Ok(());
        stream.pass_while(|offset, id, record| {
            let Some(Known { time, kind }) = &mut known[usize::from(id)] else { return false };
            if order.is_full() || result.is_err() {
                return false;
            }
            let bytes = record.get(Definition::HEADER_LENGTH..).unwrap_or_default();
            // Times that wrap are counted elsewhere.
            let time_us = match *time {
                TimeSource::Micros { format: Format::U64, offset } => {
                    bytes.get(offset..).and_then(|bytes| bytes.first_chunk()).map(|bytes| u64::from_le_bytes(*bytes))
                }
                time => time.time_us(bytes, 0),
            };
            match kind {
                Kind::Defines => return false,
                Kind::Foreign => {
                    if let Some(time_us) = time_us {
                        order.other(time_us);
                    }
                }
                Kind::Input(plan) => {
                    let payload = Payload { offset, bytes, wraps: 0 };
                    match inputs.read(plan, payload, &mut |name| order.source(name)) {
                        Ok(Some((source, input))) => {
                            *has_inputs = true;
                            order.input(time_us, source, input);
                        }
                        Ok(None) => {
                            if let Some(time_us) = time_us {
                                order.other(time_us);
                            }
                        }
                        Err(error) => {
                            *has_inputs = true;
                            result = Err(error);
                        }
                    }
                }
            }
            *is_running = true;
            true
        });
        result
    }

    /// Takes the next record. Returns false if more bytes are needed.
    fn take(&mut self) -> Result<bool, ReplayError> {
        let Records { stream, inputs, known, units, order, .. } = self;
        let record = match stream.next() {
            None => return Ok(false),
            Some(Ok(record)) => record,
            Some(Err(skipped)) => {
                order.between(Item::Lost {
                    offset: skipped.offset,
                    length: skipped.length,
                    reason: skipped.reason.to_string(),
                });
                return Ok(true);
            }
        };
        let (payload, offset, wraps) = (record.payload(), record.offset(), record.wraps());
        let slot = &mut known[usize::from(record.id())];
        let known_id = match slot {
            Some(known) => known,
            None => {
                let definition = record.definition();
                let kind = match definition.defines_others() {
                    true => Kind::Defines,
                    false => {
                        self.has_plans = true;
                        self.has.insert(definition.name().to_owned());
                        match inputs.plan(&definition, units.at(offset), &mut |name| order.source(name)) {
                            Ok(Some(plan)) => Kind::Input(plan),
                            Ok(None) => Kind::Foreign,
                            Err(error) => {
                                *slot = Some(Known { time: TimeSource::of(&definition), kind: Kind::Foreign });
                                self.has_inputs = true;
                                let text = error.to_string();
                                let known = self.differing.insert(definition.name().to_owned(), text.clone());
                                return if known.is_some_and(|known| known == text) { Ok(true) } else { Err(error) };
                            }
                        }
                    }
                };
                slot.insert(Known { time: TimeSource::of(&definition), kind })
            }
        };
        let time_us = match &known_id.kind {
            Kind::Defines => None,
            _ => known_id.time.time_us(payload, wraps),
        };
        match &mut known_id.kind {
            Kind::Input(plan) => {
                self.is_running = true;
                let payload = Payload { offset, bytes: payload, wraps };
                let read = inputs.read(plan, payload, &mut |name| order.source(name));
                self.has_inputs |= !matches!(read, Ok(None));
                if let Some((source, input)) = read? {
                    order.input(time_us, source, input);
                } else if let Some(time_us) = time_us {
                    order.other(time_us);
                }
            }
            Kind::Foreign => {
                self.is_running = true;
                if let Some(time_us) = time_us {
                    order.other(time_us);
                }
            }
            Kind::Defines => {
                // A boot begins where FMT defines itself again after records that aren't definitions.
                if record.defines() == Some(FMT_ID) && std::mem::take(&mut self.is_running) {
                    self.boots += 1;
                    self.differing.clear();
                    order.begin(self.boots);
                }
                let definition = record.definition();
                if let Some(row) = TableRow::of(&definition, payload) {
                    units.learn(offset, row);
                }
                // What it defines is looked at again.
                match record.defines() {
                    Some(id) if !self.has_plans => known[usize::from(id)] = None,
                    _ if std::mem::take(&mut self.has_plans) => *known = [const { None }; 256],
                    _ => {}
                }
            }
        }
        Ok(true)
    }

    /// Reads more bytes.
    fn fill(&mut self) -> Result<(), ReplayError> {
        let read = loop {
            match self.reader.read(self.stream.space()) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                read => break read.map_err(ReplayError::Read)?,
            }
        };
        self.stream.filled(read);
        if read == 0 {
            self.stream.finish();
            self.is_read = true;
        }
        Ok(())
    }

    #[cold]
    fn no_inputs(&mut self) -> ReplayError {
        ReplayError::NoInputs { asked: self.inputs.asked(), has: std::mem::take(&mut self.has).into_iter().collect() }
    }
}

impl<R: Read, I: Inputs> Iterator for Records<R, I> {
    type Item = Result<Item<I::Input>, ReplayError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(item) = self.order.pop() {
                return Some(Ok(item));
            }
            if self.is_over {
                return self.last.take().map(Err);
            }
            if let Err(error) = self.take_known() {
                return Some(Err(error));
            }
            if self.order.is_full() {
                continue;
            }
            match self.take() {
                Ok(true) => {}
                Err(error) => return Some(Err(error)),
                Ok(false) if self.is_read => {
                    self.is_over = true;
                    self.order.end();
                    if !self.has_inputs {
                        self.last = Some(self.no_inputs());
                    }
                }
                Ok(false) => {
                    if let Err(error) = self.fill() {
                        self.is_over = true;
                        self.order.end();
                        self.last = Some(error);
                    }
                }
            }
        }
    }
}
