//! One page that needs nothing else: the curves, uPlot and the program that draws them.
//!
//! uPlot's licence is in the page, because its code is.

use super::drawing::{BAND_COLORS, COLORS, heat_picture, heat_range, style};
use super::figure::{Curve, Figure, Heat, Panel};
use super::thinning::thin;
use serde::Serialize;

const PAGE: &str = concat!(include_str!("html/head.html"), include_str!("html/page.html"));
const POLICY: &str = "script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:";
const CSS: &str = include_str!("html/page.css");
const SCRIPT: &str = include_str!("html/page.js");
const UPLOT: &str = include_str!("html/uPlot.iife.min.js");
const UPLOT_CSS: &str = include_str!("html/uPlot.min.css");
const UPLOT_LICENCE: &str = include_str!("html/uPlot.LICENSE");

/// The maximum number of samples in a page, and of one curve: about 15 bytes each.
const SAMPLES: usize = 48_000;
const SAMPLES_OF_CURVE: usize = 20_000;

/// The maximum number of spectra in a page.
const HEAT_COLUMNS: usize = 700;

/// The colours of curves and bands on a dark background, in the order of those of pictures.
const DARK_COLORS: [&str; COLORS.len()] = ["#4ba3e3", "#ff8a3d", "#2fc79a", "#e79ac6", "#b394f5", "#f5bd3d", "#8fd0f5"];
const DARK_BAND_COLORS: [&str; BAND_COLORS.len()] =
    ["#16293b", "#3a2713", "#16301d", "#371d31", "#282044", "#383410", "#103438", "#2e2b25"];

/// The unit of places: a microsecond, or a millionth of a Hz.
const X_STEP: f64 = 1e-6;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PageData<'f> {
    x_label: &'f str,
    x_range: (f64, f64),
    x_step: f64,
    panels: Vec<PanelData<'f>>,
    bands: Vec<BandData<'f>>,
    band_colors: [&'static str; BAND_COLORS.len()],
    dark_band_colors: [&'static str; BAND_COLORS.len()],
    marks: Vec<MarkData<'f>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PanelData<'f> {
    left: &'f str,
    right: Option<&'f str>,
    /// The named values of the axes; empty for axes of numbers.
    left_states: &'f [(f64, String)],
    right_states: &'f [(f64, String)],
    curves: Vec<CurveData<'f>>,
    heat: Option<HeatData>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CurveData<'f> {
    name: &'f str,
    unit: &'f str,
    right: bool,
    color: &'static str,
    dark_color: &'static str,
    dash: Vec<f64>,
    /// The first place, and the steps from each to the next.
    x: Vec<i64>,
    y: Vec<Option<f64>>,
    /// The names of values.
    states: &'f [(f64, String)],
}

#[derive(Serialize)]
struct HeatData {
    name: String,
    picture: String,
    from: f64,
    to: f64,
    low: f64,
    high: f64,
}

#[derive(Serialize)]
struct BandData<'f> {
    from: f64,
    to: f64,
    name: &'f str,
}

#[derive(Serialize)]
struct MarkData<'f> {
    at: f64,
    text: &'f str,
}

/// A page with zoom by dragging, a legend that hides curves, a cursor with values, and colours for light and dark.
/// Nothing is loaded from anywhere; the page forbids it, too.
///
/// Curves are [thinned](super::thinning) to 48,000 samples in all, with their extremes.
pub fn page(figure: &Figure) -> String {
    let curves: usize = figure.panels.iter().map(|panel| panel.curves.len()).sum();
    let samples = (SAMPLES / curves.max(1)).min(SAMPLES_OF_CURVE);
    let data = PageData {
        x_label: &figure.x_label,
        x_range: figure.x_range,
        x_step: X_STEP,
        panels: figure.panels.iter().map(|panel| panel_data(figure, panel, samples)).collect(),
        bands: figure.bands.iter().map(|b| BandData { from: b.from, to: b.to, name: &b.name }).collect(),
        band_colors: BAND_COLORS,
        dark_band_colors: DARK_BAND_COLORS,
        marks: figure.marks.iter().map(|mark| MarkData { at: mark.at, text: &mark.text }).collect(),
    };
    // The data are texts and finite numbers, which JSON has. `<` would end the element that contains them.
    let data = serde_json::to_string(&data).unwrap_or_default().replace('<', "\\u003c");
    let title = if figure.title.is_empty() { "binlog plot" } else { &figure.title };
    fill(
        PAGE,
        &[
            ("version", env!("CARGO_PKG_VERSION")),
            ("policy", POLICY),
            ("title", &super::drawing::escaped(title)),
            ("licence", &super::drawing::escaped(UPLOT_LICENCE)),
            ("uplot_css", UPLOT_CSS.trim()),
            ("css", CSS.trim()),
            ("uplot", UPLOT.trim()),
            ("js", SCRIPT.trim()),
            ("data", &data),
        ],
    )
}

/// Fills `{{name}}` in one pass, so that values may contain braces.
pub(crate) fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let mut filled = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        filled.push_str(before);
        let (name, after) = after.split_once("}}").unwrap_or((after, ""));
        filled.push_str(values.iter().find(|(known, _)| *known == name).map_or("", |(_, value)| value));
        rest = after;
    }
    filled.push_str(rest);
    filled
}

fn panel_data<'f>(figure: &'f Figure, panel: &'f Panel, samples: usize) -> PanelData<'f> {
    PanelData {
        left: &panel.left.label,
        right: panel.right.as_ref().map(|axis| axis.label.as_str()),
        left_states: &panel.left.states,
        right_states: panel.right.as_ref().map_or(&[], |axis| &axis.states),
        curves: panel.curves.iter().map(|curve| curve_data(curve, samples)).collect(),
        heat: panel.heat.as_ref().and_then(|heat| heat_data(figure, heat)),
    }
}

fn curve_data(curve: &Curve, samples: usize) -> CurveData<'_> {
    let kept = thin(&curve.x, &curve.y, (samples / 4).max(1));
    let (color, dash) = style(curve.style);
    let mut before = 0;
    let step = |&i: &usize| {
        let place = (curve.x[i] / X_STEP).round() as i64;
        place - std::mem::replace(&mut before, place)
    };
    CurveData {
        name: &curve.name,
        unit: &curve.unit,
        right: curve.is_right,
        color,
        dark_color: DARK_COLORS[curve.style % DARK_COLORS.len()],
        dash: dash.to_vec(),
        x: kept.iter().map(step).collect(),
        states: &curve.states,
        y: kept.iter().map(|&i| Some(curve.y[i]).filter(|y| y.is_finite()).map(short)).collect(),
    }
}

/// A number with as few digits as it needs: those of a 32-bit float if it is one, else ten.
fn short(value: f64) -> f64 {
    let narrow = value as f32;
    let text = if f64::from(narrow) == value { format!("{narrow:e}") } else { format!("{value:.9e}") };
    text.parse().unwrap_or(value)
}

fn heat_data(figure: &Figure, heat: &Heat) -> Option<HeatData> {
    // Gaps between the spectra take columns, too.
    let (from, to) = figure.x_range;
    let columns = heat.x.len().max(((to - from) / heat.width).round() as usize).clamp(1, HEAT_COLUMNS);
    let [low, high] = heat_range(heat);
    Some(HeatData {
        name: format!("{} (dark: {low}, light: {high})", heat.name),
        picture: heat_picture(heat, figure.x_range, columns)?,
        from,
        to,
        low: *heat.y.first()?,
        high: *heat.y.last()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::figure::{Mark, NewCurve, panels};

    fn figure(curves: usize, samples: u32) -> Figure {
        let curve = |i: usize| NewCurve {
            name: format!("IMU[{i}].GyrX"),
            unit: "rad/s".into(),
            x: (0..samples).map(|i| f64::from(i) * 0.0025).collect(),
            y: (0..samples).map(|i| f64::from((f64::from(i) * 0.7).sin() as f32)).collect(),
            ..NewCurve::default()
        };
        Figure {
            title: "</script><script>alert(1)</script>".into(),
            x_label: "time (s)".into(),
            x_range: (0.0, f64::from(samples) * 0.0025),
            panels: panels((0..curves).map(curve).collect()),
            bands: Vec::new(),
            marks: vec![Mark { at: 1.0, text: "</script> {{data}}".into() }],
        }
    }

    #[test]
    fn ten_long_curves_fit_into_a_megabyte() {
        let page = page(&figure(10, 400_000));
        assert!(page.len() < 1_000_000, "{}", page.len());
        assert!(page.contains("Copyright (c) 2022 Leon Sorokin"), "uPlot's licence is with its code");
    }

    #[test]
    fn names_and_texts_are_no_markup() {
        let page = page(&figure(1, 10));
        assert!(page.contains("<h1>&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;</h1>"));
        assert!(page.contains("\\u003c/script> {{data}}"), "a value isn't filled again");
        assert_eq!(page.matches("<script").count(), page.matches("</script>").count());
    }

    #[test]
    fn the_page_names_no_other_resource() {
        let page = page(&figure(1, 10));
        for loads in ["src=\"", "href=\"", "@import", "url(", "fetch(", "XMLHttpRequest"] {
            assert!(!page.contains(loads), "{loads}");
        }
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(short(f64::from(5.97f32)).to_string(), "5.97");
        assert_eq!(short(48.123456789012).to_string(), "48.12345679");
        assert_eq!(short(0.1).to_string(), "0.1");
        assert_eq!(short(0.0), 0.0);
    }
}
