//! An error beside the code, as GitHub Actions shows it: `::error file=src/messages.rs,line=41::…`.

use std::env;
use std::fmt::{self, Write};
#[cfg(feature = "read")]
use std::path::Component;
use std::path::{Path, PathBuf};

/// One error at a line of a file. `Display` prints the command that GitHub Actions reads from the output.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Annotation {
    /// Relative to the repository; `None` for an error that isn't about a file.
    file: Option<String>,
    line: Option<usize>,
    text: String,
}

impl Annotation {
    /// An error at a line, from 1, of a file. A relative path starts at the package or at the folder of its workspace,
    /// as the compiler's paths do.
    pub(crate) fn new(file: Option<&Path>, line: Option<usize>, text: impl fmt::Display) -> Self {
        let file = file.map(in_repository);
        Annotation { file, line, text: text.to_string().trim_end().to_owned() }
    }

    /// Whether somebody reads them.
    pub(crate) fn are_wanted() -> bool {
        env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true")
    }
}

/// A path of the compiler as people can open it: one with `..`, of a file that `#[path]` names, from the root of the
/// repository.
#[cfg(feature = "read")]
pub(crate) fn shown(file: &str) -> String {
    let path = Path::new(file);
    let is_elsewhere = path.components().any(|part| part == Component::ParentDir);
    if is_elsewhere { in_repository(path) } else { file.to_owned() }
}

/// The path from the root of the repository.
fn in_repository(file: &Path) -> String {
    let folder = |name| env::var_os(name).map(PathBuf::from).filter(|folder| !folder.as_os_str().is_empty());
    let package = folder("CARGO_MANIFEST_DIR").or_else(|| env::current_dir().ok()).unwrap_or_default();
    from_root(file, &package, folder("GITHUB_WORKSPACE").as_deref())
}

/// The path from the nearest folder with a `.git`, or else from the workspace of GitHub, or else from the package.
///
/// The workspace may have checkouts of several repositories; GitHub's paths start at the root of one.
fn from_root(file: &Path, package: &Path, workspace: Option<&Path>) -> String {
    let there = package.ancestors().map(|folder| folder.join(file)).find(|path| path.exists());
    let path = whole(&there.unwrap_or_else(|| package.join(file)));
    // In a worktree, it is a file.
    let repository = path.ancestors().skip(1).find(|folder| folder.join(".git").exists());
    let roots = [repository.map(Path::to_owned), workspace.map(whole), Some(whole(package))];
    let inside = roots.into_iter().flatten().find_map(|root| path.strip_prefix(root).ok());
    inside.unwrap_or(&path).display().to_string().replace('\\', "/")
}

/// The path without links and `..`, even of a file that isn't there yet.
fn whole(path: &Path) -> PathBuf {
    let of_absent = || Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?));
    path.canonicalize().ok().or_else(of_absent).unwrap_or_else(|| path.to_owned())
}

impl fmt::Display for Annotation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("::error")?;
        if let Some(file) = &self.file {
            f.write_str(" file=")?;
            escape(f, file, "%\r\n:,")?;
        }
        if let (Some(_), Some(line)) = (&self.file, self.line) {
            write!(f, ",line={line}")?;
        }
        f.write_str("::")?;
        escape(f, &self.text, "%\r\n")
    }
}

/// Writes each of the `special` ASCII characters as `%` and its number.
fn escape(f: &mut fmt::Formatter<'_>, text: &str, special: &str) -> fmt::Result {
    text.chars().try_for_each(|character| match special.contains(character) {
        true => write!(f, "%{:02X}", u32::from(character)),
        false => f.write_char(character),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn what_would_end_a_command_is_escaped() {
        let annotation =
            Annotation { file: Some("a,b:c%.rs".into()), line: Some(3), text: "100 %, a: b\r\nand\nmore".into() };
        let expected = "::error file=a%2Cb%3Ac%25.rs,line=3::100 %25, a: b%0D%0Aand%0Amore";
        assert_eq!(annotation.to_string(), expected);
        let nowhere = Annotation { file: None, line: Some(3), text: "why".into() };
        assert_eq!(nowhere.to_string(), "::error::why");
    }

    #[test]
    fn a_file_is_named_from_the_root_of_the_repository() {
        let root = env::temp_dir().join(format!("binlog-annotation-{}", std::process::id()));
        let package = root.join("flight/app");
        fs::create_dir_all(package.join("src")).expect("a writable folder");
        fs::write(package.join("src/messages.rs"), "").expect("a writable folder");
        let absolute = package.join("src/messages.rs").display().to_string();
        let files = ["src/messages.rs", "app/src/messages.rs", "../app/src/messages.rs", absolute.as_str()];
        let named = |workspace: Option<&Path>| {
            let all = files.map(|file| from_root(Path::new(file), &package, workspace));
            assert!(all.iter().all(|name| *name == all[0]), "{all:?}");
            all[0].clone()
        };
        // Outside of GitHub and of git, code and lock are named alike.
        // The folder for temporary files may be in a repository itself.
        if !root.ancestors().any(|folder| folder.join(".git").exists()) {
            assert_eq!(named(None), "src/messages.rs");
            assert_eq!(named(Some(&root)), "flight/app/src/messages.rs");
        }
        // The checkout is a folder of the workspace, as a clone or as a worktree.
        fs::create_dir(root.join("flight/.git")).expect("a writable folder");
        assert_eq!(named(Some(&root)), "app/src/messages.rs");
        assert_eq!(named(None), "app/src/messages.rs");
        // What isn't there yet.
        assert_eq!(from_root(Path::new("../absent.lock"), &package, None), "absent.lock");
        fs::remove_dir(root.join("flight/.git")).expect("a writable folder");
        fs::write(root.join("flight/.git"), "gitdir: elsewhere").expect("a writable folder");
        assert_eq!(named(Some(&root)), "app/src/messages.rs");
        fs::remove_dir_all(&root).expect("a writable folder");
    }
}
