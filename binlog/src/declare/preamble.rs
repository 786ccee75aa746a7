//! The bytes of the preamble, written while compiling.

use crate::declare::plan::{FMT, FMTU, MULT, OWN, Plan, UNIT, Variant};
use crate::format::header::record_header;
use crate::format::{Definition, Multiplier, Unit};

/// `LogSchema::PREAMBLE`: FMT of FMT, UNIT, MULT and FMTU; UNIT and MULT records; then FMT and FMTU of each type.
///
/// pymavlink needs the UNIT and MULT records before the first FMTU.
pub const fn preamble<const N: usize, const LENGTH: usize>(variants: &[Variant; N], plan: &Plan<N>) -> [u8; LENGTH] {
    let mut bytes = [0; LENGTH];
    let mut records = Buffer { bytes: &mut bytes, at: 0 };
    let (fmt, fmtu) = (plan.own_ids[FMT], plan.own_ids[FMTU]);
    let mut fmtu_time = 0;
    let mut own = 0;
    while own < OWN.len() {
        records.fmt(fmt, plan.own_ids[own], OWN[own]);
        own += 1;
    }
    // pymavlink's sequential parse takes the first column of FMTU for a type's id.
    let mut i = 0;
    while i < N {
        if plan.ids[i] == 0 {
            fmtu_time = 256;
        }
        i += 1;
    }
    let mut own = 0;
    while own < OWN.len() {
        if plan.own_ids[own] == 0 {
            fmtu_time = 256;
        }
        own += 1;
    }
    let mut id = 0;
    while id < 128 {
        if let Some(unit) = &plan.units[id] {
            records.unit(plan.own_ids[UNIT], unit);
        }
        id += 1;
    }
    let mut id = 0;
    while id < 128 {
        if let Some(multiplier) = &plan.multipliers[id] {
            records.multiplier(plan.own_ids[MULT], multiplier);
        }
        id += 1;
    }
    let mut own = 0;
    while own < OWN.len() {
        records.fmtu(fmtu, plan.own_ids[own], OWN[own], fmtu_time);
        own += 1;
    }
    let mut i = 0;
    while i < N {
        if !plan.is_own(i) {
            records.fmt(fmt, plan.ids[i], variants[i].definition);
            records.fmtu(fmtu, plan.ids[i], variants[i].definition, fmtu_time);
        }
        i += 1;
    }
    bytes
}

/// Not generic, and each record is one assignment, because the number of calls and steps determines the compile time of
/// a schema.
struct Buffer<'a> {
    bytes: &'a mut [u8],
    at: usize,
}

impl Buffer<'_> {
    const fn put<const WIDTH: usize>(&mut self, record: [u8; WIDTH]) {
        match self.bytes.split_at_mut(self.at).1.first_chunk_mut() {
            Some(place) => *place = record,
            None => panic!("the preamble is longer than planned"),
        }
        self.at += WIDTH;
    }

    const fn unit(&mut self, record_id: u8, unit: &Unit) {
        let mut record = record::<{ OWN[UNIT].length() }>(record_id);
        record[11] = unit.id();
        copy(&mut record, 12, unit.name());
        self.put(record);
    }

    const fn multiplier(&mut self, record_id: u8, multiplier: &Multiplier) {
        let mut record = record::<{ OWN[MULT].length() }>(record_id);
        record[11] = multiplier.id();
        *record.last_chunk_mut().unwrap() = multiplier.value().to_le_bytes();
        self.put(record);
    }

    const fn fmt(&mut self, record_id: u8, id: u8, definition: &Definition) {
        const FORMATS: usize = 9;
        const LABELS: usize = 25;
        let mut record = record::<{ OWN[FMT].length() }>(record_id);
        record[3] = id;
        record[4] = definition.length() as u8;
        copy(&mut record, 5, definition.name);
        let mut end = LABELS;
        let mut i = 0;
        while i < definition.columns.len() && i < 16 {
            let column = &definition.columns[i];
            record[FORMATS + i] = column.format as u8;
            if i > 0 && end < record.len() {
                record[end] = b',';
                end += 1;
            }
            end = copy(&mut record, end, column.label);
            i += 1;
        }
        self.put(record);
    }

    const fn fmtu(&mut self, record_id: u8, id: u8, definition: &Definition, time_us: u64) {
        const UNITS: usize = 12;
        const MULTIPLIERS: usize = 28;
        let mut record = record::<{ OWN[FMTU].length() }>(record_id);
        // It is 0 or 256.
        record[4] = (time_us >> 8) as u8;
        record[11] = id;
        let mut i = 0;
        while i < definition.columns.len() && i < 16 {
            let column = &definition.columns[i];
            record[UNITS + i] = column.unit.id();
            record[MULTIPLIERS + i] = column.multiplier.id();
            i += 1;
        }
        self.put(record);
    }
}

/// A record of zeros.
const fn record<const LENGTH: usize>(id: u8) -> [u8; LENGTH] {
    let mut record = [0; LENGTH];
    match record.first_chunk_mut() {
        Some(header) => *header = record_header(id),
        None => panic!("a record is longer than its header"),
    }
    record
}

/// Copies text to a place, and returns where it ends. Text that doesn't fit is cut; such a schema fails to compile
/// anyway.
const fn copy(record: &mut [u8], mut at: usize, text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut i = 0;
    while i < bytes.len() && at < record.len() {
        record[at] = bytes[i];
        at += 1;
        i += 1;
    }
    at
}
