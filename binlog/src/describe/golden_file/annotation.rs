//! An error beside the code, as GitHub Actions shows it: `::error file=src/messages.rs,line=41::…`.

use std::env;
use std::fmt::{self, Write};
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
    /// An error at a line, from 1, of a file. A relative path starts at the package or at the folder of its workspace, as
    /// the compiler's paths do.
    pub(crate) fn new(file: Option<&Path>, line: Option<usize>, text: impl fmt::Display) -> Self {
        let folder = |name| env::var_os(name).map(PathBuf::from).unwrap_or_default();
        let (package, repository) = (folder("CARGO_MANIFEST_DIR"), folder("GITHUB_WORKSPACE"));
        let file = file.map(|file| in_repository(file, &package, &repository));
        Annotation { file, line, text: text.to_string().trim_end().to_owned() }
    }

    /// Whether somebody reads them.
    pub(crate) fn are_wanted() -> bool {
        env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true")
    }
}

/// The path from the root of the repository, or as it is if it isn't in there.
fn in_repository(file: &Path, package: &Path, repository: &Path) -> String {
    let there = package.ancestors().map(|folder| folder.join(file)).find(|path| path.exists());
    let whole = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let path = whole(&there.unwrap_or_else(|| package.join(file)));
    let path = match path.strip_prefix(whole(repository)) {
        Ok(inside) if !repository.as_os_str().is_empty() => inside.to_owned(),
        _ => file.to_owned(),
    };
    path.display().to_string().replace('\\', "/")
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
        for file in ["src/messages.rs", "app/src/messages.rs", "../app/src/messages.rs"] {
            assert_eq!(in_repository(Path::new(file), &package, &root), "flight/app/src/messages.rs", "{file}");
        }
        let absolute = package.join("src/messages.rs");
        assert_eq!(in_repository(&absolute, &package, &root), "flight/app/src/messages.rs");
        // What isn't there yet, and a program outside of GitHub.
        assert_eq!(in_repository(Path::new("absent"), &package, Path::new("")), "absent");
        fs::remove_dir_all(&root).expect("a writable folder");
    }
}
