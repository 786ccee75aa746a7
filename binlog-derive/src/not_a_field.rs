//! Types of the standard library that people try as fields, by their names. For these, our error precedes that of
//! zerocopy, which advises to add a derive to `String`.
//!
//! The name only selects the error. The type decides whether there is one, so a type of the program with such a name may
//! be a field.

use proc_macro2::Ident;
use syn::Type;

/// The trait in `binlog::field` whose error says what to write instead, and the names of types.
const REMEDIES: [(&str, &[&str]); 4] = [
    ("TextField", &["String", "str", "CString", "CStr", "OsString", "PathBuf"]),
    ("OptionalField", &["Option"]),
    ("TimeField", &["Duration", "Instant", "SystemTime"]),
    ("OtherField", &["Vec", "VecDeque", "Box", "Rc", "Arc", "Cow", "Cell", "RefCell", "HashMap", "BTreeMap"]),
];

/// The trait that a field of this type must implement, if the type's name is one of these. It has the span of the name,
/// for its error.
pub(crate) fn remedy(ty: &Type) -> Option<Ident> {
    let name = match ty {
        Type::Reference(reference) => {
            let other = || Some(Ident::new("OtherField", reference.and_token.span));
            return remedy(&reference.elem).or_else(other);
        }
        Type::Group(group) => return remedy(&group.elem),
        Type::Paren(paren) => return remedy(&paren.elem),
        Type::Path(path) => &path.path.segments.last()?.ident,
        _ => return None,
    };
    let (remedy, _) = REMEDIES.iter().find(|(_, names)| names.iter().any(|other| name == other))?;
    Some(Ident::new(remedy, name.span()))
}
