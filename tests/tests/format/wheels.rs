//! The workflow for wheels builds what the Python module's manifests say.

use std::path::Path;

const WORKFLOW: &str = include_str!("../../../.github/workflows/wheels.yml");
const PYPROJECT: &str = include_str!("../../../binlog/python/pyproject.toml");
const MODULE: &str = include_str!("../../../binlog/python/Cargo.toml");
const WORKSPACE: &str = include_str!("../../../Cargo.toml");

/// What stands between the quotes after a text.
fn quoted<'t>(text: &'t str, before: &str) -> &'t str {
    let (_, after) = text.split_once(before).unwrap_or_else(|| panic!("no `{before}` in\n{text}"));
    after.split('"').nth(1).expect("a text in quotes")
}

#[test]
fn wheels_are_for_the_python_that_the_manifests_name() {
    let version = quoted(WORKFLOW, "PYTHON:");
    assert_eq!(quoted(PYPROJECT, "requires-python ="), format!(">={version}"));
    let interface = format!("\"abi3-py{}\"", version.replace('.', ""));
    assert!(MODULE.contains(&interface), "pyo3 has the feature {interface}");
    assert_eq!(quoted(WORKFLOW, "RUST:"), quoted(MODULE, "rust-version ="));
}

#[test]
fn the_module_has_the_version_of_the_crates() {
    let (_, package) = WORKSPACE.split_once("[workspace.package]").expect("the workspace has a version");
    assert_eq!(quoted(MODULE, "\nversion ="), quoted(package, "\nversion ="));
}

#[test]
fn files_that_the_workflow_names_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests are a folder of the workspace");
    let words = WORKFLOW.split_whitespace().filter(|word| word.starts_with("binlog/") && word.contains('.'));
    let named: Vec<&str> = words.collect();
    assert!(named.len() >= 3, "{named:?}");
    named.iter().for_each(|file| assert!(root.join(file).is_file(), "there is no {file}"));
}

#[test]
fn the_workflow_builds_for_each_platform() {
    for platform in
        ["manylinux-x86_64", "manylinux-aarch64", "musllinux-x86_64", "musllinux-aarch64", "macos", "windows"]
    {
        assert!(WORKFLOW.contains(&format!("- name: {platform}")), "{platform}");
    }
}

/// An action or a token that a pull request can change or read must not be able to publish.
#[test]
fn only_tags_publish_and_only_that_job_has_a_token() {
    let (before, publish) = WORKFLOW.split_once("\n  publish:\n").expect("the job that publishes");
    assert!(publish.starts_with("    if: ${{ startsWith(github.ref, 'refs/tags/v') }}\n"), "{publish}");
    assert!(before.contains("\npermissions:\n  contents: read\n"));
    assert_eq!(WORKFLOW.matches("id-token: write").count(), 1);
    assert!(publish.contains("permissions:\n      id-token: write\n"));
    assert_eq!(WORKFLOW.matches(": write").count(), 1, "no other permission");
    assert!(!WORKFLOW.contains("secrets."), "publishing needs no password");
    let checkouts = WORKFLOW.matches("actions/checkout@").count();
    assert_eq!(WORKFLOW.matches("persist-credentials: false").count(), checkouts);
    for action in WORKFLOW.lines().filter_map(|line| line.trim().strip_prefix("- uses: ")) {
        let (_, version) = action.split_once('@').expect("an action has a version");
        let major = version.strip_prefix("release/").unwrap_or(version).strip_prefix('v');
        assert!(major.is_some_and(|major| major.parse::<u8>().is_ok()), "{action}");
    }
}
