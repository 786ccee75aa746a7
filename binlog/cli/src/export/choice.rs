//! Which types and columns are exported: `ATT,IMU.GyrX,GPS[0].Alt`.

use super::chosen_table::ChosenTable;
use crate::patterns::matches;
use binlog::LoggedDefinition;
use std::fmt;

/// The chosen types and columns. The default is everything except for the log's own definitions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    items: Vec<Item>,
    /// The name of the only type: exactly this one; in a damaged log it may have any characters.
    only: Option<String>,
}

/// `IMU`, `IMU[1]`, `IMU.GyrX` or `IMU[1].GyrX`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Item {
    name: String,
    instance: Option<String>,
    label: Option<String>,
}

/// A name in a choice that no log has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// The name as given.
    pub given: String,
    /// What it could have been: types, or labels of the type.
    pub known: Vec<String>,
    /// The column with this name, if the type was left out.
    pub column: Option<String>,
}

impl Choice {
    /// The choice of these names: `ATT`, `IMU.GyrX`, `GPS[0].Alt`.
    pub fn of<'n>(names: impl IntoIterator<Item = &'n str>) -> Self {
        Choice { items: names.into_iter().map(Item::parse).collect(), only: None }
    }

    /// Whether no name is given: everything is exported. Only JSON lines have FMT, FMTU, UNIT and MULT, too.
    pub fn is_everything(&self) -> bool {
        self.items.is_empty() && self.only.is_none()
    }

    /// What is chosen of one type. Its name is neither a pattern nor that of an instance: a damaged log may have the
    /// types `X?F*` and `X[Q]`.
    #[must_use]
    pub fn only(&self, name: &str) -> Self {
        Choice { items: self.items.clone(), only: Some(name.into()) }
    }

    /// The chosen instances: the names of types, which may have wildcards, with an instance each.
    pub fn instances(&self) -> impl Iterator<Item = (&str, &str)> {
        self.items.iter().filter_map(|item| Some((item.name.as_str(), item.instance.as_deref()?)))
    }

    /// Whether records of a type are exported.
    pub fn has_type(&self, name: &str) -> bool {
        match (&self.only, self.items.is_empty()) {
            (Some(only), _) if only != name => false,
            // What definitions say is in headers and metadata.
            (None, true) => !LoggedDefinition::DEFINING.contains(&name),
            (Some(_), true) => true,
            (_, false) => self.items.iter().any(|item| item.is_of(name)),
        }
    }

    /// Whether a column of a type is exported, of one instance at least.
    pub fn has_column(&self, name: &str, label: &str) -> bool {
        self.items.is_empty() || self.of_type(name).any(|item| item.has_label(label))
    }

    /// Whether the records of an instance are exported.
    pub fn has_instance(&self, name: &str, instance: Option<&str>) -> bool {
        self.items.is_empty() || self.of_type(name).any(|item| item.has_instance(instance))
    }

    /// Whether a column is exported of the records of an instance: `IMU[1].GyrX,IMU[0].AccX` has no `IMU[0].GyrX`.
    pub fn has_column_of(&self, name: &str, instance: Option<&str>, label: &str) -> bool {
        self.items.is_empty() || self.of_type(name).any(|item| item.has_instance(instance) && item.has_label(label))
    }

    fn of_type(&self, name: &str) -> impl Iterator<Item = &Item> {
        self.items.iter().filter(move |item| item.is_of(name))
    }

    /// Leaves out the records of instances that are not chosen, and of the others the columns that are chosen of other
    /// instances only.
    pub fn keep_instances(&self, table: &mut ChosenTable) {
        if !self.of_type(&table.name).any(|item| item.instance.is_some()) {
            return;
        }
        let mut instances: Vec<Option<String>> = (0..table.len()).map(|i| table.instance_of(i)).collect();
        let has_instance = |instance: &Option<String>| self.has_instance(&table.name, instance.as_deref());
        let is_kept: Vec<bool> = instances.iter().map(has_instance).collect();
        instances.retain(|instance| self.has_instance(&table.name, instance.as_deref()));
        table.keep(|i| is_kept.get(i).copied().unwrap_or(false));
        let (name, separates) = (&table.name, table.instance);
        let columns = table.columns.iter_mut().enumerate().filter(|(place, _)| Some(*place) != separates);
        for (_, column) in columns {
            let is_chosen = |instance: &Option<String>| self.has_column_of(name, instance.as_deref(), &column.label);
            let is_chosen: Vec<bool> = instances.iter().map(is_chosen).collect();
            column.is_chosen = is_chosen.contains(&false).then_some(is_chosen);
        }
    }

    /// The items that none of the types and labels satisfies.
    pub fn unknown(&self, types: &[(String, Vec<String>)]) -> Vec<Unknown> {
        let unknown = |item: &Item| {
            let matching: Vec<_> = types.iter().filter(|(name, _)| item.is_of(name)).collect();
            if matching.is_empty() {
                let given = match &item.instance {
                    Some(instance) => format!("{}[{instance}]", item.name),
                    None => item.name.clone(),
                };
                let has_it = |(_, labels): &&(String, Vec<String>)| item.label.is_none() && labels.contains(&given);
                let column = types.iter().find(has_it).map(|(name, _)| format!("{name}.{given}"));
                let mut known: Vec<String> = Vec::new();
                for (name, _) in types {
                    // The sessions of a log have the same types.
                    if !known.contains(name) {
                        known.push(name.clone());
                    }
                }
                return Some(Unknown { given, known, column });
            }
            let known = matching.into_iter().flat_map(|(_, labels)| labels);
            let label = item.label.as_ref().filter(|label| !known.clone().any(|known| known == *label))?;
            Some(Unknown { given: format!("{}.{label}", item.name), known: known.cloned().collect(), column: None })
        };
        self.items.iter().filter_map(unknown).collect()
    }
}

impl Item {
    /// Whether it is about a type; its name may have wildcards.
    fn is_of(&self, name: &str) -> bool {
        matches(&self.name, name)
    }

    fn has_instance(&self, instance: Option<&str>) -> bool {
        self.instance.is_none() || self.instance.as_deref() == instance
    }

    fn has_label(&self, label: &str) -> bool {
        self.label.as_deref().is_none_or(|of_item| of_item == label)
    }

    fn parse(text: &str) -> Self {
        // A dot inside of brackets belongs to the name of an instance, one after them begins the label. Blackbox has
        // brackets in labels: `main.gyroADC[0]`.
        let dot = match (text.find('.'), text.find('[')) {
            (Some(dot), Some(bracket)) if bracket < dot => text.find("].").map(|at| at + 1),
            (dot, _) => dot,
        };
        let (of_type, label) = dot.map_or((text, None), |dot| (&text[..dot], Some(text[dot + 1..].to_owned())));
        let (name, instance) = match of_type.strip_suffix(']').and_then(|text| text.split_once('[')) {
            Some((name, instance)) => (name, Some(instance.to_owned())),
            None => (of_type, None),
        };
        Item { name: name.into(), instance, label }
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, Item { name, instance, label }) in self.items.iter().enumerate() {
            write!(f, "{}{name}", if i == 0 { "" } else { "," })?;
            instance.as_ref().map_or(Ok(()), |instance| write!(f, "[{instance}]"))?;
            label.as_ref().map_or(Ok(()), |label| write!(f, ".{label}"))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_both_formats() {
        let choice = Choice::of(["ATT", "IMU.GyrX", "GPS[1].Alt", "main.gyroADC[0]"]);
        assert_eq!(choice.to_string(), "ATT,IMU.GyrX,GPS[1].Alt,main.gyroADC[0]");
        assert!(choice.has_type("ATT") && choice.has_column("ATT", "Roll"));
        assert!(choice.has_column("IMU", "GyrX") && !choice.has_column("IMU", "GyrY"));
        assert!(choice.has_instance("GPS", Some("1")) && !choice.has_instance("GPS", Some("0")));
        assert!(choice.has_column("main", "gyroADC[0]") && !choice.has_column("main", "gyroADC[1]"));
        assert!(!choice.has_type("BARO"));
    }

    #[test]
    fn a_column_of_one_instance_is_not_one_of_another() {
        let choice = Choice::of(["IMU[1].GyrX", "IMU[0].AccX", "IMU.T"]);
        let has = |instance: &str, label: &str| choice.has_column_of("IMU", Some(instance), label);
        assert!(has("1", "GyrX") && has("0", "AccX") && has("0", "T") && has("1", "T") && has("2", "T"));
        assert!(!has("0", "GyrX") && !has("1", "AccX") && !has("2", "AccX"));
        assert_eq!(choice.instances().collect::<Vec<_>>(), [("IMU", "1"), ("IMU", "0")]);
    }

    #[test]
    fn types_have_wildcards() {
        let choice = Choice::of(["XK*", "I?U.GyrX"]);
        assert!(choice.has_type("XKF1") && choice.has_column("XKF1", "Roll") && choice.has_type("IMU"));
        assert!(choice.has_column("IMU", "GyrX") && !choice.has_column("IMU", "GyrY") && !choice.has_type("ATT"));
        let only = choice.only("IMU");
        assert!(only.has_type("IMU") && only.has_column("IMU", "GyrX") && !only.has_column("IMU", "GyrY"));
        assert!(!only.has_type("XKF1"));
        let types = [("IMU".to_owned(), vec!["GyrX".to_owned()])];
        assert_eq!(choice.unknown(&types)[0].given, "XK*");
        assert_eq!(Choice::of(["I*.GyrW"]).unknown(&types)[0].known, ["GyrX"]);
    }

    #[test]
    fn the_name_of_the_only_type_is_no_pattern() {
        for choice in [Choice::default(), Choice::of(["X*", "*"])] {
            for (name, other) in [("X?F*", "XKF1"), ("X[Q]", "X"), ("????", "ATT")] {
                let only = choice.only(name);
                assert!(only.has_type(name) && only.has_column(name, "V") && !only.has_type(other), "{name}");
            }
        }
    }

    #[test]
    fn everything_leaves_out_definitions() {
        let choice = Choice::default();
        assert!(choice.has_type("ATT") && !choice.has_type("FMT"));
        assert!(Choice::of(["FMT"]).has_type("FMT"));
    }

    #[test]
    fn what_no_log_has_comes_with_what_there_is() {
        let types = [("ATT".to_owned(), vec!["Roll".to_owned(), "Pitch".to_owned()])];
        assert!(Choice::of(["ATT.Roll", "ATT"]).unknown(&types).is_empty());
        let unknown = Choice::of(["ATT.Rol", "AT"]).unknown(&types);
        assert_eq!(
            unknown[0],
            Unknown { given: "ATT.Rol".into(), known: vec!["Roll".into(), "Pitch".into()], column: None }
        );
        assert_eq!(unknown[1], Unknown { given: "AT".into(), known: vec!["ATT".into()], column: None });
    }
}
