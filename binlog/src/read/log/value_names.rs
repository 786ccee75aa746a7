//! What the values and bits of a column are called.

use crate::format::Format;
use crate::read::catalogue::column::ResolvedColumn;
use crate::read::descriptions;
use crate::read::descriptions::{Described, DescribedColumn, DescribedMessage};
use crate::read::{Log, LoggedColumn};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

/// The names of a column's values or bits, as the log's [descriptions](Log::descriptions) have them. Those of the
/// flight modes come from [`Log::modes`] first. A clone shares them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ValueNames {
    described: Arc<DescribedColumn>,
    /// The bits of a stored value.
    bits: u32,
}

impl ValueNames {
    /// `None` if nothing has a name, or if the format stores no integer that is shown as it is.
    fn new(described: Arc<DescribedColumn>, format: Format) -> Option<Self> {
        let has_names = described.values.iter().chain(&described.bits).any(|named| !named.name.is_empty());
        (format.is_integer() && has_names).then(|| ValueNames { described, bits: 8 * format.size() as u32 })
    }

    /// The name of a stored value. If bits have names, the names of those that are set, joined by ` | `; the others
    /// follow as one hexadecimal number: `Battery | Compass | 0x40`. `None` if no part of it has a name.
    ///
    /// ```
    /// # use binlog::{LogMessage, LogSchema, LogWriter, messages};
    /// # use zerocopy::{Immutable, IntoBytes};
    /// #[derive(LogMessage, IntoBytes, Immutable)]
    /// #[log(name = "HLTH")]
    /// #[repr(C, packed)]
    /// struct Health {
    ///     time_us: u64,
    ///     #[log(bits(0 = "Battery", 2 = "Compass"))]
    ///     faults: u16,
    /// }
    /// # #[derive(LogSchema)]
    /// # enum FlightLog { Hlth(Health), File(messages::File) }
    ///
    /// let mut log = LogWriter::<FlightLog, _>::new(Vec::new())?;
    /// log.descriptions()?;
    /// log.write(&Health { time_us: 1, faults: 5 })?;
    /// let log = binlog::Log::from_bytes(log.finish()?);
    /// let faults = log.column("HLTH.Faults")?;
    /// assert_eq!(faults.value_name(0).as_deref(), Some("Battery | Compass"));
    /// let names = faults.value_names().expect("the log has them");
    /// assert_eq!(names.of(0x44).as_deref(), Some("Compass | 0x40"));
    /// assert_eq!(names.of(0x40), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of(&self, value: i128) -> Option<Cow<'_, str>> {
        if let Some(named) = self.values().iter().find(|named| named.value == value && !named.name.is_empty()) {
            return Some(Cow::Borrowed(&named.name));
        }
        // A negative number is stored with the bits of its two's complement.
        let mut rest = value as u128 & ((1 << self.bits) - 1);
        let mut names = Vec::new();
        for named in self.bits().iter().filter(|named| !named.name.is_empty()) {
            let bit = u32::try_from(named.value).ok().and_then(|bit| 1_u128.checked_shl(bit)).unwrap_or(0);
            if rest & bit != 0 {
                rest &= !bit;
                names.push(named.name.as_str());
            }
        }
        match (names.as_slice(), rest) {
            ([], _) => None,
            ([one], 0) => Some(Cow::Borrowed(one)),
            (names, 0) => Some(Cow::Owned(names.join(" | "))),
            (names, rest) => Some(Cow::Owned(format!("{} | {rest:#x}", names.join(" | ")))),
        }
    }

    /// The names of values, and those of bits, by number. Of several names of one number, the first.
    pub fn by_number(&self) -> [BTreeMap<i128, String>; 2] {
        [self.values(), self.bits()].map(|named| {
            let named = named.iter().rev().filter(|named| !named.name.is_empty());
            named.map(|named| (named.value, named.name.clone())).collect()
        })
    }

    /// The values that have names.
    pub fn values(&self) -> &[Described] {
        &self.described.values
    }

    /// The bits that have names.
    pub fn bits(&self) -> &[Described] {
        &self.described.bits
    }
}

/// By type and label, the columns whose values or bits have names in one boot.
#[derive(Default)]
pub(super) struct Named(HashMap<String, HashMap<String, Arc<DescribedColumn>>>);

impl Named {
    fn of(messages: Vec<DescribedMessage>) -> Self {
        let mut named = Named::default();
        for message in messages {
            let columns = message.columns.into_iter();
            let columns = columns.filter(|column| !column.values.is_empty() || !column.bits.is_empty());
            let mut columns = columns.peekable();
            if columns.peek().is_some() {
                let of_type = named.0.entry(message.name).or_default();
                columns.for_each(|column| _ = of_type.entry(column.label.clone()).or_insert_with(|| Arc::new(column)));
            }
        }
        named
    }

    fn get(&self, of_type: &str, label: &str) -> Option<&Arc<DescribedColumn>> {
        self.0.get(of_type)?.get(label)
    }

    /// What all boots with records of a type say about its columns.
    fn shared(boots: &[Named], log: &Log<'_>) -> Named {
        let types: HashSet<&String> = boots.iter().flat_map(|boot| boot.0.keys()).collect();
        let of_type = |of_type: &String| {
            let mut boots = log.all(of_type).boots().into_iter().map(|boot| boots.get(boot)?.0.get(of_type));
            let mut shared = boots.next()??.clone();
            for boot in boots {
                let boot = boot?;
                let columns = shared.into_iter();
                let agreed = |(label, column)| Some((agreed(column, boot.get(&label)?), label));
                shared = columns.filter_map(agreed).map(|(column, label)| (label, column)).collect();
            }
            Some((of_type.clone(), shared))
        };
        Named(types.into_iter().filter_map(of_type).collect())
    }
}

/// The names of values and bits in a log.
pub(super) struct LogNames {
    boots: Vec<Named>,
    /// Those of a log of several boots; empty otherwise.
    shared: Named,
}

impl Log<'_> {
    /// What the values and bits of a column are called: a column of a definition of the type `of_type`. `None` if the
    /// log doesn't say it, and for a column of floats, text or arrays, or with a multiplier other than 1: descriptions
    /// name stored integers.
    ///
    /// Names belong to the [boot](Log::boots) that logged them. In a log of several boots, a value has a name here if
    /// all boots with records of the type give it the same, and a flight mode if [`Log::modes`] always calls it the
    /// same. `boot.log()` has all names of one boot, as it has the columns that the log redefines.
    ///
    /// [`Column::value_name`](super::Column::value_name) has the name of one record.
    pub fn value_names(&self, of_type: &str, column: &LoggedColumn<'_>) -> Option<ValueNames> {
        let names = ValueNames::new(self.described(of_type, column.label)?, column.format)?;
        let is_scaled = match column.multiplier_id {
            None | Some(b'-') => false,
            Some(_) => {
                let column = ResolvedColumn::of_log(column, self.units().at(usize::MAX));
                column.stated_multiplier().is_some_and(|multiplier| multiplier != 1.0)
            }
        };
        (!is_scaled).then_some(names)
    }

    /// What all boots with records of the type say about a column.
    fn described(&self, of_type: &str, label: &str) -> Option<Arc<DescribedColumn>> {
        let names = self.named();
        let shared = if let [only] = &names.boots[..] { only } else { &names.shared };
        let described = shared.get(of_type, label).cloned();
        match of_type == "MODE" && matches!(label, "Mode" | "ModeNum") {
            true => Some(Arc::new(self.named_modes(label, described.as_deref()))),
            false => described,
        }
    }

    /// The names in each boot.
    fn named(&self) -> &LogNames {
        self.named.get_or_init(|| {
            let texts = self.embedded_texts().iter();
            let boots: Vec<Named> = texts.map(|xml| Named::of(descriptions::read(xml).messages)).collect();
            let shared = if boots.len() > 1 { Named::shared(&boots, self) } else { Named::default() };
            LogNames { boots, shared }
        })
    }

    /// The flight modes as values of a column: what [`Log::modes`] calls them, and the names that are `described`. A
    /// number that has several names in the log, or once none, has none here.
    fn named_modes(&self, label: &str, described: Option<&DescribedColumn>) -> DescribedColumn {
        let mut names: BTreeMap<i128, Option<String>> = BTreeMap::new();
        for (number, name) in self.mode_names() {
            let known = names.entry(number.into()).or_insert_with(|| name.clone());
            if *known != name {
                *known = None;
            }
        }
        let described = described.map_or(&[][..], |described| &described.values);
        let logged = names.iter().filter_map(|(&value, name)| {
            let name = name.as_ref()?;
            let known = described.iter().find(|named| named.value == value);
            let description = known.map(|named| named.description.clone()).unwrap_or_default();
            Some(Described { value, name: name.clone(), description })
        });
        let others = described.iter().filter(|named| !names.contains_key(&named.value)).cloned();
        DescribedColumn { label: label.into(), values: logged.chain(others).collect(), ..Default::default() }
    }

    /// The name that the descriptions of a boot give a flight mode: the number in a column of MODE.
    pub(super) fn described_mode(&self, boot: usize, number: u8) -> Option<String> {
        let of = |label: &str| self.named().boots.get(boot)?.get("MODE", label)?.name_of(number.into());
        of("ModeNum").or_else(|| of("Mode")).filter(|name| !name.is_empty()).map(str::to_owned)
    }
}

/// The names of values and bits that are the same in `b`.
fn agreed(mut a: Arc<DescribedColumn>, b: &DescribedColumn) -> Arc<DescribedColumn> {
    if *a != *b {
        let keep = |list: &mut Vec<Described>, others: &[Described]| {
            // Of several names of one value, the first counts.
            let others: HashMap<i128, &str> =
                others.iter().rev().map(|other| (other.value, other.name.as_str())).collect();
            list.retain(|named| others.get(&named.value) == Some(&named.name.as_str()));
        };
        let both = Arc::make_mut(&mut a);
        keep(&mut both.values, &b.values);
        keep(&mut both.bits, &b.bits);
    }
    a
}
