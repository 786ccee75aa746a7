//! The inputs of a schema: an ArduPilot log's records as the program's messages.

use super::error::ReplayError;
use super::records::{Inputs, Payload};
use crate::format::{Format, LogSchema, Mismatch, Value};
use crate::read::LoggedDefinition;
use crate::read::by_label::{self, Conversion};
use crate::read::catalogue::units::UnitsAt;
use crate::read::records::place_in;
use std::marker::PhantomData;

/// The messages of a schema.
pub(super) struct Messages<S> {
    room: by_label::Payload,
    /// Names of messages whose instances are known to be mixed.
    mixed: Vec<&'static str>,
    schema: PhantomData<fn() -> S>,
}

impl<S> Messages<S> {
    pub(super) fn new() -> Self {
        Messages { room: [0; 255], mixed: Vec::new(), schema: PhantomData }
    }
}

/// How the records of a definition are read.
pub(super) struct Plan {
    /// The message's place in the schema.
    index: usize,
    conversion: Conversion,
    sources: InstanceSources,
    /// The label that tells the log's instances apart, until it has been said that the program's message lacks it.
    lacks: Option<String>,
}

impl<S: LogSchema> Inputs for Messages<S> {
    type Input = S;
    type Plan = Plan;

    fn plan(
        &mut self,
        logged: &LoggedDefinition<'_>,
        units: UnitsAt<'_>,
        source: &mut dyn FnMut(&str) -> u32,
    ) -> Result<Option<Plan>, ReplayError> {
        let Some(index) = place_in::<S>(logged) else { return Ok(None) };
        let program = S::MESSAGES[index].definition;
        let conversion = Conversion::new(program, logged, units).map_err(|differences| {
            let named = differences.into_iter().map(|kind| Mismatch { message: program.name, kind });
            ReplayError::Differs(named.collect())
        })?;
        // A log without units doesn't say which column separates the instances; the program does.
        let ours = program.columns.iter().find(|column| column.unit.id() == b'#').map(|column| column.label);
        let instance = logged.instance_column().or_else(|| logged.column(ours?));
        let is_said = self.mixed.contains(&program.name);
        let has = |label: &str| program.columns.iter().any(|column| column.label == label);
        let label = instance.as_ref().map(|column| column.label).filter(|_| !is_said);
        let lacks = label.filter(|label| !has(label)).map(str::to_owned);
        let instance = instance.map(|column| (column.format, column.offset));
        Ok(Some(Plan { index, conversion, sources: InstanceSources::new(logged.name(), instance, source), lacks }))
    }

    #[inline]
    fn read(
        &mut self,
        plan: &mut Plan,
        record: Payload<'_>,
        source: &mut dyn FnMut(&str) -> u32,
    ) -> Result<Option<(u32, S)>, ReplayError> {
        let number = plan.sources.of(record.bytes, source);
        if plan.lacks.is_some() && plan.sources.known.len() > 1 {
            let (name, label) = (S::MESSAGES[plan.index].definition.name, plan.lacks.take().unwrap_or_default());
            self.mixed.push(name);
            return Err(ReplayError::Instances { name: plan.sources.name.clone(), message: name, label });
        }
        let payload = plan.conversion.convert(record.bytes, record.wraps, &mut self.room);
        match S::decode(plan.index, payload) {
            Ok(message) => Ok(Some((number, message))),
            Err(error) => Err(ReplayError::Decode { offset: record.offset, source: error }),
        }
    }

    fn asked(&self) -> Vec<String> {
        S::MESSAGES.iter().map(|message| message.definition.name.to_owned()).collect()
    }
}

/// The numbers of the sources of a type: one, or one for each instance.
struct InstanceSources {
    name: String,
    instance: Option<(Format, usize)>,
    /// Of a type without instances, its only one.
    known: Vec<(Option<i128>, u32)>,
}

impl InstanceSources {
    fn new(name: &str, instance: Option<(Format, usize)>, source: &mut dyn FnMut(&str) -> u32) -> Self {
        let known = if instance.is_none() { vec![(None, source(name))] } else { Vec::new() };
        InstanceSources { name: name.into(), instance, known }
    }

    /// The number of the source of a record.
    #[inline]
    fn of(&mut self, payload: &[u8], source: &mut dyn FnMut(&str) -> u32) -> u32 {
        let instance = self.instance.and_then(|(format, offset)| match format {
            Format::U8 => payload.get(offset).map(|&instance| instance.into()),
            _ => Value::of(format, payload.get(offset..)?)?.to_integer(),
        });
        if let Some((_, number)) = self.known.iter().find(|(known, _)| *known == instance) {
            return *number;
        }
        // Damaged instances don't take up memory or time: they are as one.
        if let Some((_, number)) = self.known.get(255) {
            return *number;
        }
        let name = instance.map_or_else(|| self.name.clone(), |instance| format!("{}[{instance}]", self.name));
        let number = source(&name);
        self.known.push((instance, number));
        number
    }
}
