//! What the guide says of tests and CI works when it is pasted: the workflow in a scratch repository, and the packages
//! of firmware that can't use `std`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

const README: &str = include_str!("../../../../README.md");
const CHAPTER: &str = include_str!("../../../src/guide/formats_over_years.md");
const DESCRIPTIONS: &str = include_str!("../../../src/guide/descriptions.md");

/// The next code block of a kind after a text, without its hidden lines.
fn block(page: &str, after: &str, kind: &str) -> String {
    let (_, rest) = page.split_once(after).unwrap_or_else(|| panic!("the page has `{after}`"));
    let is_begin = |line: &&str| line.strip_prefix("```") == Some(kind);
    let lines = rest.lines().skip_while(|line| !is_begin(line)).skip(1).take_while(|line| *line != "```");
    lines.filter(|line| !line.starts_with("# ")).map(|line| format!("{line}\n")).collect()
}

/// A package beside a checkout of binlog, as the guide has it.
struct Package(PathBuf);

impl Package {
    /// The folder stays, so that cargo compiles dependencies once.
    fn new(name: &str, files: &[(&str, &str)]) -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace");
        let beside = Path::new(env!("CARGO_TARGET_TMPDIR")).join("in-ci");
        let package = Package(beside.join(name));
        let _ = fs::remove_dir_all(&package.0);
        fs::create_dir_all(&beside).expect("room");
        // Another test may have made it by now.
        let _ = std::os::unix::fs::symlink(&root, beside.join("binlog"));
        // The versions that the workspace uses are already downloaded.
        let lock = fs::read_to_string(root.join("Cargo.lock")).expect("the workspace has a lock file");
        let manifests = files.iter().filter_map(|(name, _)| name.strip_suffix("Cargo.toml"));
        manifests.for_each(|folder| package.write(&format!("{folder}Cargo.lock"), &lock));
        files.iter().for_each(|(name, text)| package.write(name, text));
        package
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("room");
        fs::write(path, text).expect("room");
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Whether a line of a shell succeeds, with these variables, and what it prints.
    fn sh(&self, line: &str, variables: &[(&str, &str)]) -> (bool, String) {
        let program = Path::new(env!("CARGO_BIN_EXE_binlog")).parent().expect("a folder");
        let cargo = env::var_os("CARGO").map(PathBuf::from);
        let cargo = cargo.as_deref().and_then(Path::parent).map(Path::to_owned);
        let paths = env::var_os("PATH").unwrap_or_default();
        let path = [program.to_owned()].into_iter().chain(cargo).chain(env::split_paths(&paths));
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("it is `tmp` in the target folder");
        let mut bash = Command::new("bash");
        bash.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", line]).current_dir(&self.0);
        for name in ["CI", "GITHUB_ACTIONS", "BINLOG_LOCK", "CARGO_MANIFEST_DIR", "RUSTFLAGS"] {
            bash.env_remove(name);
        }
        bash.env("PATH", env::join_paths(path).expect("paths")).env("CARGO_TARGET_DIR", target);
        bash.env("CARGO_NET_OFFLINE", "true").envs(variables.iter().copied());
        let output = bash.output().expect("bash runs");
        (output.status.success(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
    }

    fn fine(&self, line: &str, variables: &[(&str, &str)]) {
        let (succeeds, said) = self.sh(line, variables);
        assert!(succeeds, "{line}: {said}");
    }

    /// Commits everything.
    fn commit(&self) {
        let git = "git -c user.name=a -c user.email=a@b -c commit.gpgsign=false";
        self.fine(&format!("git add --all && {git} commit --quiet --message changed"), &[]);
    }
}

/// For the host, even if the `.cargo/config.toml` of the package has another target.
const INSTALL: &str = "cargo install --locked --no-default-features --target host-tuple --path ../binlog/binlog/cli";

/// What GitHub runs, without what it installs.
fn steps() -> Vec<String> {
    let workflow = block(CHAPTER, "`.github/workflows/format.yml`", "yaml");
    let runs = workflow.lines().filter_map(|line| line.trim_start().strip_prefix("- run: "));
    let lines: Vec<&str> = runs.map(|line| line.split_once("  #").map_or(line, |(line, _)| line).trim()).collect();
    assert_eq!(lines[..2], ["rustup update stable", INSTALL]);
    lines[2..].iter().map(|line| (*line).to_owned()).collect()
}

const GITHUB: [(&str, &str); 2] = [("CI", "true"), ("GITHUB_ACTIONS", "true")];

/// The README's program, with the guide's test.
fn flown() -> Package {
    let manifest = format!(
        "[package]\nname = \"in-ci\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n{}",
        block(README, "## A log in forty lines", "toml")
    );
    let test = block(CHAPTER, "# The lock: one line in a test", "no_run");
    let program = format!("{}\n{test}", block(README, "## A log in forty lines", "rust,no_run"));
    let package =
        Package::new("falcon", &[("Cargo.toml", &manifest), ("src/main.rs", &program), (".gitignore", "*.bin\n")]);
    package.fine("git init --quiet --initial-branch main", &[]);
    package.fine("cargo test --quiet", &[]);
    package.fine("cargo test --quiet", &[("BINLOG_LOCK", "release:1.0")]);
    package.commit();
    // As a checkout has it.
    package.fine("git update-ref refs/remotes/origin/main main && git switch --quiet --create change", &[]);
    package
}

#[test]
fn ci_workflow_passes_and_finds_a_format_changed_with_its_lock() {
    let package = flown();
    for step in steps() {
        package.fine(&step, &GITHUB);
    }
    package.fine("git diff --exit-code", &[]);

    // A pull request that renames a column. The checkout is a folder of GitHub's workspace.
    let program = package.read("src/main.rs").replace("pub roll:", "pub bank:").replace(" roll: ", " bank: ");
    package.write("src/main.rs", &program);
    let (passes, said) = package.sh("GITHUB_WORKSPACE=\"$(dirname \"$PWD\")\" cargo test", &GITHUB);
    assert!(!passes && said.contains("\n::error file=src/main.rs,line="), "{said}");

    // It allows that, with a reason, and is green.
    let (_, proposed) = said.split_once("\n  Or allow it, with a reason: ").expect("a line to paste");
    let (proposed, _) = proposed.split_once('\n').expect("a line");
    let lock = package.read("flightlog.lock");
    let allowed = proposed.replace("\"why\"", "\"it is the bank angle\"");
    package.write("flightlog.lock", &lock.replacen("release 1.0\n", &format!("release 1.0\n{allowed}\n"), 1));
    package.fine("cargo test --quiet", &[("BINLOG_LOCK", "accept")]);
    package.commit();
    for step in steps() {
        package.fine(&step, &GITHUB);
    }
    let (_, said) = package.sh(steps().last().expect("a step"), &GITHUB);
    assert!(said.contains(&format!("\n  allowed by flightlog.lock: {allowed}\n")), "{said}");

    // One that makes the lock again as if it had always been so.
    fs::remove_file(package.0.join("flightlog.lock")).expect("a lock");
    package.fine("cargo test --quiet", &[]);
    package.fine("cargo test --quiet", &[("BINLOG_LOCK", "release:1.0")]);
    package.commit();
    let results: Vec<bool> = steps().iter().map(|step| package.sh(step, &GITHUB).0).collect();
    // The test of the lock, the program, `check`, the count, and the lock of the main branch.
    assert_eq!(results, [true, true, true, true, false]);
    let (_, said) = package.sh(steps().last().expect("a step"), &GITHUB);
    assert!(said.contains("ATT.Roll") && said.contains("\n::error::column-renamed: ATT.Roll"), "{said}");
}

const MESSAGES: &str = "\
use binlog::{LogMessage, LogSchema};
use zerocopy::{Immutable, IntoBytes};

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = \"ATT\")]
#[repr(C, packed)]
pub struct Attitude {
    pub time_us: u64,
    pub roll: f32,
}

#[derive(LogSchema)]
pub enum FlightLog {
    Att(Attitude),
}
";

#[test]
fn a_library_without_std_has_its_lock_tested() {
    let dependencies = block(CHAPTER, "A library without `std`", "toml");
    let manifest = format!(
        "[package]\nname = \"falcon\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n{dependencies}"
    );
    let library = format!("#![no_std]\n\n{MESSAGES}");
    let test = block(CHAPTER, "`tests/lock.rs`:", "rust,ignore");
    let files = [("Cargo.toml", manifest.as_str()), ("src/lib.rs", &library), ("tests/lock.rs", &test)];
    let package = Package::new("library", &files);
    package.fine("cargo test --quiet", &[]);
    assert!(package.read("flightlog.lock").contains("next.. ATT.Roll f"));
    package.fine("cargo test --quiet", &GITHUB);

    // The guide's tests of descriptions: one that fails doesn't hide the other.
    let tests = block(DESCRIPTIONS, "# Files that stay up to date", "no_run");
    package.write("tests/descriptions.rs", &format!("use falcon::FlightLog;\n{tests}"));
    package.fine("cargo test --quiet", &[]);
    let described = library.replace("pub struct Attitude", "/// Turned.\npub struct Attitude");
    package.write("src/lib.rs", &described);
    let (passes, said) = package.sh("cargo test --no-fail-fast", &GITHUB);
    let both = ["log-messages.html", "LogMessages.xml"];
    let is_told = |file: &str| said.contains(&format!("{file}: the schema's descriptions differ"));
    assert!(!passes && both.into_iter().all(is_told), "{said}");
    assert!(said.contains("LogMessages.xml,line="), "{said}");
}

#[test]
fn lock_of_a_cross_compiled_program_is_tested_by_a_package() {
    let program = "[package]\nname = \"program\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n";
    let files = [
        ("Cargo.toml", program),
        (".cargo/config.toml", "[build]\ntarget = \"thumbv7em-none-eabihf\"\n"),
        ("src/main.rs", "#![no_std]\n#![no_main]\nmod messages;\n"),
        ("src/messages.rs", MESSAGES),
        ("tool/Cargo.toml", &program.replace("program", "tool")),
        ("tool/src/main.rs", "fn main() {}"),
        ("format/Cargo.toml", &block(CHAPTER, "`format/Cargo.toml`:", "toml")),
        ("format/src/lib.rs", &block(CHAPTER, "`format/src/lib.rs`:", "rust,ignore")),
    ];
    let package = Package::new("program", &files);
    let commands = block(CHAPTER, "`format/src/lib.rs`:", "console");
    assert!(commands.contains("--manifest-path format/Cargo.toml"), "{commands}");
    let line = commands.trim().strip_prefix("$ ").expect("a command");
    package.fine(line, &[]);
    assert!(package.read("flightlog.lock").contains("next.. ATT.Roll f"));
    package.fine(line, &GITHUB);

    // The guide's second test writes a log for the last step, which `check` doesn't accept.
    let second = block(CHAPTER, "which a second test in", "rust,ignore");
    package.write("format/src/lib.rs", &format!("{}\n{second}", package.read("format/src/lib.rs")));
    let (passes, said) = package.sh(line, &GITHUB);
    assert!(passes && !said.contains("warning: "), "{said}");
    package.fine("binlog lock - flight.bin < flightlog.lock", &GITHUB);
    assert!(!package.sh("binlog check flight.bin", &GITHUB).0);
    // Programs are installed for the host, too. The lock file is that of other packages.
    let install = INSTALL.replace("../binlog/binlog/cli", "tool --debug --root installed").replace("--locked ", "");
    package.fine(&install, &GITHUB);
    let (succeeds, said) = package.sh(&install.replace("--target host-tuple ", ""), &GITHUB);
    assert!(!succeeds, "{said}");

    // What it says is right in the folder of the program, too.
    package.fine("git init --quiet", &[]);
    package.fine(line, &[("BINLOG_LOCK", "release:1.0")]);
    package.write("src/messages.rs", &MESSAGES.replace("roll", "bank"));
    let (passes, said) = package.sh(line, &[]);
    assert!(!passes && said.contains("\n  at src/messages.rs:9:"), "{said}");
    assert!(said.contains("`cargo test` is that of the package in ") && said.contains("/program/format,"), "{said}");
}
