//! What a record declares about a message, and how that changes the definition known so far.

use super::definition::{Fmt, LoggedDefinition, fmt_content};
use super::fmtu::Fmtu;
use crate::format::header::FMT_ID;

/// What a record declares.
#[derive(Clone, Copy)]
pub(crate) enum Declaration<'a> {
    /// A message: the payload of its FMT.
    Fmt(&'a Fmt),
    /// The units and multipliers of the message with this id.
    Fmtu(u8, Fmtu<'a>),
}

/// How a declaration changes the definition known for its id.
#[derive(Clone, Copy)]
pub(crate) enum Change<'a> {
    /// Not at all: it repeats what is known, or gives units to a message that has no FMT.
    Same,
    /// The definition gets the units and multipliers that it lacked.
    Amended(LoggedDefinition<'a>),
    /// Another definition replaces it.
    Replaced(LoggedDefinition<'a>),
}

impl<'a> Declaration<'a> {
    /// The id of the declared message.
    pub(crate) fn id(&self) -> u8 {
        match self {
            Declaration::Fmt(fmt) => fmt[0],
            Declaration::Fmtu(id, _) => *id,
        }
    }

    /// Whether it declares FMT. The record is then read by its own declaration.
    pub(crate) fn is_of_fmt(&self) -> bool {
        matches!(self, Declaration::Fmt(fmt) if fmt[0] == FMT_ID)
    }

    /// How the definition `known` for this id changes.
    pub(crate) fn change(self, known: Option<LoggedDefinition<'a>>) -> Change<'a> {
        match (self, known) {
            // ArduPilot repeats identical FMTs without their FMTU.
            (Declaration::Fmt(fmt), Some(known)) if known.fmt_content() == fmt_content(fmt) => Change::Same,
            (Declaration::Fmt(fmt), _) => Change::Replaced(LoggedDefinition::new(fmt, None)),
            (Declaration::Fmtu(..), None) => Change::Same,
            (Declaration::Fmtu(_, fmtu), Some(known)) => match known.fmtu_content() {
                None => Change::Amended(known.with(fmtu)),
                Some(content) if content == fmtu.to_content() => Change::Same,
                Some(_) => Change::Replaced(known.with(fmtu)),
            },
        }
    }
}

#[cfg(all(test, feature = "read"))]
mod tests {
    use super::*;
    use crate::read::catalogue::definition::CopiedDefinition;
    use crate::read::catalogue::fmtu_layout::FmtuLayout;

    /// FMT and FMTU of a message with two columns.
    fn declared(labels: &str, units: &str) -> (Fmt, Vec<u8>) {
        let copy = CopiedDefinition::new(1, 15, "ATT", "Qf", labels, Some((units, "F0")));
        (*copy.fmt(), copy.fmtu(0).expect("an FMTU"))
    }

    fn fmtu(payload: &[u8]) -> Declaration<'_> {
        let own = CopiedDefinition::new(9, 44, "FMTU", "QBNN", "TimeUS,FmtType,UnitIds,MultIds", None);
        let layout = FmtuLayout::of(&own.definition()).expect("ArduPilot's layout");
        let (id, fmtu) = layout.read(payload).expect("a whole FMTU");
        Declaration::Fmtu(id, fmtu)
    }

    #[test]
    fn a_declaration_repeats_amends_or_replaces() {
        let ((fmt, own), (other_fmt, others)) = (declared("TimeUS,Roll", "sd"), declared("TimeUS,Yaw", "sr"));
        let (Declaration::Fmtu(_, of_own), own, others) = (fmtu(&own), fmtu(&own), fmtu(&others)) else {
            unreachable!()
        };
        let bare = LoggedDefinition::new(&fmt, None);
        let whole = LoggedDefinition::new(&fmt, Some(of_own));
        let replaced = |declaration: Declaration<'_>, known| match declaration.change(known) {
            Change::Replaced(new) => Some((new.labels().to_owned(), new.unit_ids().map(str::to_owned))),
            _ => None,
        };
        let is_same = |declaration: Declaration<'_>, known| matches!(declaration.change(known), Change::Same);

        assert_eq!(replaced(Declaration::Fmt(&fmt), None), Some(("TimeUS,Roll".into(), None)));
        // Repeated, a definition keeps its units.
        assert!(is_same(Declaration::Fmt(&fmt), Some(bare)) && is_same(Declaration::Fmt(&fmt), Some(whole)));
        assert_eq!(replaced(Declaration::Fmt(&other_fmt), Some(whole)), Some(("TimeUS,Yaw".into(), None)));

        let amended = own.change(Some(bare));
        assert!(matches!(amended, Change::Amended(new) if new.unit_ids() == Some("sd")));
        assert!(is_same(own, None) && is_same(own, Some(whole)));
        let changed = Some(("TimeUS,Roll".into(), Some("sr".into())));
        assert_eq!(replaced(others, Some(whole)), changed);
    }

    #[test]
    fn what_no_reader_looks_at_declares_nothing() {
        let (fmt, of_type) = declared("TimeUS,Roll", "sd");
        let (mut padded_fmt, mut padded_fmtu) = (fmt, of_type.clone());
        // After the NUL of each text, and FMTU's time.
        (padded_fmt[21], padded_fmt[85]) = (b'x', b'x');
        (padded_fmtu[0], padded_fmtu[24], padded_fmtu[40]) = (7, b'x', b'x');
        let Declaration::Fmtu(_, of_type) = fmtu(&of_type) else { unreachable!() };
        let known = Some(LoggedDefinition::new(&fmt, Some(of_type)));
        assert!(matches!(Declaration::Fmt(&padded_fmt).change(known), Change::Same));
        assert!(matches!(fmtu(&padded_fmtu).change(known), Change::Same));
    }
}
