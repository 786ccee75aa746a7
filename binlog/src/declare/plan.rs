// Held by tests/compile-fail/schema, tests/compile-pass/schemas.rs.

//! The ids, priorities, units and multipliers of a schema, worked out while compiling.
//!
//! All messages are checked in one pass: a check for each of 200 would cost seconds of compile time.

use crate::declare::messages::{Fmt, Fmtu, Mult};
use crate::declare::{messages, rules};
use crate::format::counts::Rate;
use crate::format::header::FMT_ID;
use crate::format::{ColumnDefinition, Definition, Format, LogMessage, Multiplier, SchemaMessage, Unit};
use crate::wording::const_text::{ConstText, same};

/// A variant of the schema's enum, as it is declared.
pub struct Variant {
    /// The message that it holds.
    pub definition: &'static Definition,
    /// `#[log(id = …)]`.
    pub id: Option<u8>,
    /// `#[log(critical)]`, `#[log(critical = false)]`.
    pub critical: Option<bool>,
    /// `#[log(rate = …)]`.
    pub rate: Option<u32>,
}

/// What the preamble itself is made of. Each is in every log, listed in the schema or not.
pub(crate) const OWN: [&Definition; 4] =
    [&Fmt::DEFINITION, &messages::Unit::DEFINITION, &Mult::DEFINITION, &Fmtu::DEFINITION];
pub(crate) const FMT: usize = 0;
pub(crate) const UNIT: usize = 1;
pub(crate) const MULT: usize = 2;
pub(crate) const FMTU: usize = 3;

/// Ids that messages of the format have by default; automatic ones leave them alone, so that listing one of them later
/// renumbers nothing.
const DEFAULT_IDS: core::ops::RangeInclusive<u8> = 128..=143;

/// Ids are one byte, 255 is reserved.
const LAST_ID: u8 = 254;

/// Critical without being marked: what tells people what happened.
const CRITICAL: [&str; 4] = ["MSG", "EV", "ERR", "MODE"];

/// The ids, priorities and units of a schema.
pub struct Plan<const N: usize> {
    pub(crate) ids: [u8; N],
    critical: [bool; N],
    rates: [Option<Rate>; N],
    rate_slots: usize,
    pub(crate) own_ids: [u8; OWN.len()],
    /// Which of the variants is one of `OWN`.
    own_variants: [Option<usize>; OWN.len()],
    pub(crate) units: [Option<Unit>; 128],
    pub(crate) multipliers: [Option<Multiplier>; 128],
    /// The first error, and the variant that it is about.
    fault: Option<(usize, ConstText)>,
}

/// Which ids are taken, and which variants have theirs.
struct Assigned<const N: usize> {
    ids: [bool; 256],
    variants: [bool; N],
}

/// Gives every variant its id and checks them against one another.
pub const fn plan<const N: usize>(variants: &[Variant; N]) -> Plan<N> {
    let mut plan = Plan {
        ids: [0; N],
        critical: [false; N],
        rates: [None; N],
        rate_slots: 0,
        own_ids: [0; OWN.len()],
        own_variants: [None; OWN.len()],
        units: [None; 128],
        multipliers: [None; 128],
        fault: None,
    };
    plan.priorities(variants);
    plan.names(variants);
    plan.assign_ids(variants);
    let mut own = 0;
    while own < OWN.len() {
        // Their columns have no custom units, so there is no variant to blame.
        plan.use_units(OWN[own], 0, variants);
        own += 1;
    }
    let mut i = 0;
    while i < N {
        plan.use_units(variants[i].definition, i, variants);
        i += 1;
    }
    plan
}

/// Reports what is wrong with one variant, if anything is. The derive has checked the message itself, with better
/// places, unless it is implemented by hand.
#[track_caller]
pub const fn report_fault<const N: usize>(variants: &[Variant; N], plan: &Plan<N>, variant: usize) {
    rules::definition_rules(variants[variant].definition);
    if let Some((at, text)) = &plan.fault
        && *at == variant
    {
        panic!("{}", text.as_str());
    }
}

/// `LogSchema::MESSAGES`.
pub const fn messages<const N: usize>(variants: &[Variant; N], plan: &Plan<N>) -> [SchemaMessage; N] {
    let mut messages = [SchemaMessage { id: 0, definition: OWN[FMT], rate: None }; N];
    let mut i = 0;
    while i < N {
        messages[i] = SchemaMessage { id: plan.ids[i], definition: variants[i].definition, rate: plan.rates[i] };
        i += 1;
    }
    messages
}

impl<const N: usize> Plan<N> {
    /// The id of one variant.
    pub const fn id(&self, variant: usize) -> u8 {
        self.ids[variant]
    }

    /// Whether a variant's records may use the reserve.
    pub const fn critical(&self, variant: usize) -> bool {
        self.critical[variant]
    }

    /// How a variant is decimated.
    pub const fn rate(&self, variant: usize) -> Option<Rate> {
        self.rates[variant]
    }

    /// Times that the decimation of all variants keeps.
    pub const fn rate_slots(&self) -> usize {
        self.rate_slots
    }

    const fn fault(&mut self, variant: usize, text: ConstText) {
        if self.fault.is_none() {
            self.fault = Some((variant, text));
        }
    }

    /// What is critical, and what is decimated by which time.
    const fn priorities(&mut self, variants: &[Variant; N]) {
        let mut i = 0;
        while i < N {
            let Variant { definition, critical, rate, .. } = variants[i];
            let mut by_name = false;
            let mut j = 0;
            while j < CRITICAL.len() {
                by_name |= same(CRITICAL[j], definition.name);
                j += 1;
            }
            self.critical[i] = match critical {
                Some(critical) => critical,
                None => by_name,
            };
            // An empty name stands for a message that didn't compile.
            if let Some(per_second) = rate
                && !definition.name.is_empty()
            {
                let columns = definition.columns;
                if columns.is_empty() || !same(columns[0].label, "TimeUS") || !matches!(columns[0].format, Format::U64)
                {
                    let text =
                        ConstText::new().str(definition.name).str(" has no rate: it is decimated by its time, and ");
                    self.fault(i, text.str("its first column is not TimeUS"));
                }
                // Rule 7 puts the instance directly after the time.
                let by_instance = columns.len() > 1 && columns[1].unit.id() == b'#';
                let slots = if by_instance { Rate::INSTANCES } else { 1 };
                self.rates[i] = Some(Rate {
                    period_us: 1_000_000u32.div_ceil(per_second),
                    by_instance,
                    first_slot: self.rate_slots,
                });
                self.rate_slots += slots;
            }
            i += 1;
        }
    }

    /// Names are unique, and what the preamble is made of has its own layout.
    const fn names(&mut self, variants: &[Variant; N]) {
        let mut packed = [0; N];
        let mut i = 0;
        while i < N {
            let definition = variants[i].definition;
            packed[i] = packed_name(definition.name);
            // An empty name stands for a message that didn't compile.
            let mut j = if packed[i] == 0 { i } else { 0 };
            while j < i {
                if packed[j] == packed[i] {
                    let text = ConstText::new().str("the schema has two messages named ").str(definition.name);
                    self.fault(i, text);
                }
                j += 1;
            }
            if !definition.aliases.is_empty() {
                self.aliases(variants, i);
            }
            let mut own = 0;
            while own < OWN.len() {
                if packed_name(OWN[own].name) == packed[i] {
                    self.own_variants[own] = Some(i);
                    if !same_layout(OWN[own], definition) {
                        let text =
                            ConstText::new().str(definition.name).str(" is written by binlog itself and has one ");
                        self.fault(i, text.str("layout: use the struct of `binlog::messages`"));
                    }
                }
                own += 1;
            }
            i += 1;
        }
    }

    /// A record belongs to one message: the aliases of a message are neither names nor aliases of another one.
    const fn aliases(&mut self, variants: &[Variant; N], variant: usize) {
        let Definition { name, aliases, .. } = *variants[variant].definition;
        let mut i = 0;
        while i < aliases.len() {
            let mut j = 0;
            while j < N {
                let other = variants[j].definition;
                let mut taken = j != variant && same(other.name, aliases[i]);
                let mut k = 0;
                while j < variant && k < other.aliases.len() {
                    taken |= same(other.aliases[k], aliases[i]);
                    k += 1;
                }
                if taken {
                    let text = ConstText::new().str("the alias `").str(aliases[i]).str("` of ").str(name);
                    self.fault(variant, text.str(" is a name or an alias of ").str(other.name));
                }
                j += 1;
            }
            i += 1;
        }
    }

    /// Given ids first, then the defaults of the format's messages, then the smallest that are free.
    const fn assign_ids(&mut self, variants: &[Variant; N]) {
        let mut assigned = Assigned { ids: [false; 256], variants: [false; N] };
        assigned.ids[FMT_ID as usize] = true;
        self.assign_given_ids(variants, &mut assigned);
        self.assign_default_ids(variants, &mut assigned);
        self.assign_unlisted_own_ids(&mut assigned);
        self.assign_automatic_ids(variants, &mut assigned);
        self.copy_listed_own_ids();
    }

    const fn assign_given_ids(&mut self, variants: &[Variant; N], assigned: &mut Assigned<N>) {
        let mut i = 0;
        while i < N {
            if let Some(id) = variants[i].id {
                self.check_given_id(i, id, variants, assigned);
                self.assign_id(i, id, assigned);
            }
            i += 1;
        }
    }

    const fn assign_default_ids(&mut self, variants: &[Variant; N], assigned: &mut Assigned<N>) {
        let mut i = 0;
        while i < N {
            if !assigned.variants[i]
                && let Some(id) = variants[i].definition.default_id
                && (!assigned.ids[id as usize] || self.is_fmt(i))
            {
                self.assign_id(i, id, assigned);
            }
            i += 1;
        }
    }

    /// The preamble's own records, where the schema doesn't list them: nobody relies on their ids.
    const fn assign_unlisted_own_ids(&mut self, assigned: &mut Assigned<N>) {
        let mut own = 0;
        while own < OWN.len() {
            if self.own_variants[own].is_none() {
                let mut id = match OWN[own].default_id {
                    Some(id) => id,
                    None => LAST_ID,
                };
                if own != FMT && assigned.ids[id as usize] {
                    id = LAST_ID;
                    while assigned.ids[id as usize] && id > 0 {
                        id -= 1;
                    }
                    if assigned.ids[id as usize] {
                        let text = ConstText::new().str("no id is left for ").str(OWN[own].name);
                        self.fault(N - 1, text.str(", which is in every log; a log has 255 types at most"));
                    }
                }
                assigned.ids[id as usize] = true;
                self.own_ids[own] = id;
            }
            own += 1;
        }
    }

    const fn assign_automatic_ids(&mut self, variants: &[Variant; N], assigned: &mut Assigned<N>) {
        let mut next = 1;
        let mut i = 0;
        while i < N {
            if !assigned.variants[i] {
                while next <= LAST_ID
                    && (assigned.ids[next as usize] || (*DEFAULT_IDS.start() <= next && next <= *DEFAULT_IDS.end()))
                {
                    next += 1;
                }
                if next > LAST_ID {
                    let text = ConstText::new().str("no id is left for ").str(variants[i].definition.name);
                    let text = text.str(": automatic ids are 1 to ").number(*DEFAULT_IDS.start() as u64 - 1);
                    let text =
                        text.str(" and ").number(*DEFAULT_IDS.end() as u64 + 1).str(" to 254; give it one with ");
                    self.fault(i, text.str("`id = …`"));
                } else {
                    self.assign_id(i, next, assigned);
                }
            }
            i += 1;
        }
    }

    /// The preamble's own records that the schema lists have the ids of their variants.
    const fn copy_listed_own_ids(&mut self) {
        let mut own = 0;
        while own < OWN.len() {
            if let Some(variant) = self.own_variants[own] {
                self.own_ids[own] = self.ids[variant];
            }
            own += 1;
        }
    }

    const fn assign_id(&mut self, variant: usize, id: u8, assigned: &mut Assigned<N>) {
        self.ids[variant] = id;
        assigned.ids[id as usize] = true;
        assigned.variants[variant] = true;
    }

    const fn is_fmt(&self, variant: usize) -> bool {
        matches!(self.own_variants[FMT], Some(fmt) if fmt == variant)
    }

    const fn check_given_id(&mut self, variant: usize, id: u8, variants: &[Variant; N], assigned: &Assigned<N>) {
        let name = variants[variant].definition.name;
        let text = ConstText::new().str("id ").number(id as u64);
        if (id == FMT_ID) != self.is_fmt(variant) && !name.is_empty() {
            self.fault(variant, ConstText::new().str("FMT has id 128 in every log, and nothing else has"));
        } else if assigned.ids[id as usize] && id != FMT_ID {
            let mut other = 0;
            while other < N && !(assigned.variants[other] && self.ids[other] == id) {
                other += 1;
            }
            let owner = if other < N { variants[other].definition.name } else { "another message" };
            self.fault(variant, text.str(" is taken by ").str(owner));
        }
    }

    /// Notes which units and multipliers a message uses; an id stands for one of them in the whole log.
    const fn use_units(&mut self, definition: &Definition, variant: usize, variants: &[Variant; N]) {
        let mut i = 0;
        while i < definition.columns.len() {
            let ColumnDefinition { unit, multiplier, .. } = definition.columns[i];
            let slot = &mut self.units[unit.id() as usize & 127];
            match slot {
                None => *slot = Some(unit),
                Some(first) if unit.is_custom() && !same(first.name(), unit.name()) => {
                    let text =
                        ConstText::new().str("unit '").char(unit.id()).str("' is `").str(unit.name()).str("` in ");
                    let text = text.str(definition.name).str(" and `").str(first.name()).str("` in ");
                    let id = unit.id();
                    self.fault(variant, text.str(first_user(variants, id, true)));
                }
                Some(_) => {}
            }
            let slot = &mut self.multipliers[multiplier.id() as usize & 127];
            match slot {
                None => *slot = Some(multiplier),
                Some(first) if multiplier.is_custom() && first.value() != multiplier.value() => {
                    let id = multiplier.id();
                    let text = ConstText::new().str("multiplier '").char(id).str("' has one value in ");
                    let text = text.str(definition.name).str(" and another in ");
                    self.fault(variant, text.str(first_user(variants, id, false)));
                }
                Some(_) => {}
            }
            i += 1;
        }
    }

    /// Whether a variant is one of `OWN`.
    pub(crate) const fn is_own(&self, variant: usize) -> bool {
        let mut own = 0;
        while own < OWN.len() {
            if matches!(self.own_variants[own], Some(index) if index == variant) {
                return true;
            }
            own += 1;
        }
        false
    }

    /// Types of the log: those listed, and those of `OWN` that are not.
    const fn types(&self) -> usize {
        let mut types = N;
        let mut own = 0;
        while own < OWN.len() {
            if self.own_variants[own].is_none() {
                types += 1;
            }
            own += 1;
        }
        types
    }

    /// Bytes of the preamble.
    pub const fn preamble_length(&self) -> usize {
        let mut length = self.types() * (OWN[FMT].length() + OWN[FMTU].length());
        let mut id = 0;
        while id < 128 {
            if self.units[id].is_some() {
                length += OWN[UNIT].length();
            }
            if self.multipliers[id].is_some() {
                length += OWN[MULT].length();
            }
            id += 1;
        }
        length
    }
}

/// The name of the first message that uses a unit or multiplier, for an error.
const fn first_user<const N: usize>(variants: &[Variant; N], id: u8, unit: bool) -> &'static str {
    let mut i = 0;
    while i < N {
        let definition = variants[i].definition;
        let mut j = 0;
        while j < definition.columns.len() {
            let column = &definition.columns[j];
            if id == (if unit { column.unit.id() } else { column.multiplier.id() }) {
                return definition.name;
            }
            j += 1;
        }
        i += 1;
    }
    ""
}

/// A name of at most 4 bytes as one number, 0 for the empty one.
const fn packed_name(name: &str) -> u32 {
    let bytes = name.as_bytes();
    let mut packed = 0;
    let mut i = 0;
    while i < bytes.len() && i < 4 {
        packed |= (bytes[i] as u32) << (8 * i);
        i += 1;
    }
    packed
}

const fn same_layout(a: &Definition, b: &Definition) -> bool {
    if a.columns.len() != b.columns.len() {
        return false;
    }
    let mut i = 0;
    while i < a.columns.len() {
        if a.columns[i].format as u8 != b.columns[i].format as u8 || !same(a.columns[i].label, b.columns[i].label) {
            return false;
        }
        i += 1;
    }
    true
}
