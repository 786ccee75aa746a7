//! The page in a browser: no error, no request, dark and light.

use crate::{browser, hostile, report};
use simulator::{Fault, Simulation, log_of};
use std::fs;
use std::path::Path;

/// The page of a log, in a folder that lasts as long.
fn page(folder: &Path, log: &[u8]) -> std::path::PathBuf {
    fs::write(folder.join("flight.bin"), log).expect("room");
    report(folder, "flight.bin").args(["-o", "page.html", "--force"]).assert().success();
    folder.join("page.html")
}

#[test]
fn the_page_runs_its_own_script_and_has_no_error() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for log in [log_of(Simulation::new(1, 20).with_fault(Fault::Vibration)), hostile::log()] {
        let page = page(folder.path(), &log);
        // Its script names the other theme on the button.
        for (is_dark, button) in [(false, ">Dark</button>"), (true, ">Light</button>")] {
            let Some((dom, console)) = browser::visit(&page, is_dark) else { return };
            assert!(dom.contains(button), "dark: {is_dark}: {dom:.3000}");
            assert_eq!(console, "", "no error, and nothing that the policy forbids");
        }
    }
}

#[test]
fn the_page_names_no_other_resource_and_is_small() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = page(folder.path(), &log_of(Simulation::new(1, 40).with_fault(Fault::MotorSaturation)));
    let page = fs::read_to_string(path).expect("the page");
    for loads in ["src=", "@import", "url(h", "url(d", "fetch(", "XMLHttpRequest", "href=\"h", "<link"] {
        assert!(!page.contains(loads), "{loads}");
    }
    assert!(page.contains("<svg "), "charts are in the page");
    assert!(page.contains("default-src 'none'; script-src 'sha256-"), "{page:.900}");
    assert!(page.len() <= 800_000, "{}", page.len());
}
