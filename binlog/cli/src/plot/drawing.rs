//! Draws a figure: to SVG, and by it to PNG.
//!
//! One path draws both, so that they are alike: the PNG is the SVG, rendered by `resvg` with the embedded font.

mod heat;
mod layout;
mod panel;
mod raster;
mod svg;
mod text;

pub use raster::{RasterError, png};
pub use text::escaped;

use super::figure::{Figure, Heat};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use layout::Layout;
use svg::Svg;

/// The width of a picture in pixels, if none is asked for.
pub const WIDTH: u32 = 1200;

/// The height of a picture in pixels, if none is asked for: more for more panels.
pub fn height(panels: usize) -> u32 {
    500 + 280 * u32::try_from(panels.saturating_sub(1)).unwrap_or(20).min(20)
}

/// The least height of a picture with this number of panels.
pub fn least_height(panels: usize) -> u32 {
    70 + 80 * u32::try_from(panels).unwrap_or(u32::MAX / 100).min(u32::MAX / 100)
}

/// The colours of curves: those of Okabe and Ito, which people with colour blindness distinguish, ordered by contrast
/// with white. Further curves have the same colours and dashes.
pub const COLORS: [&str; 7] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a5fd1", "#e69f00", "#56b4e9"];

/// The colours of bands, pale enough for curves on them.
pub const BAND_COLORS: [&str; 8] =
    ["#dbe9f6", "#fde6cf", "#dcf0dc", "#f3dcea", "#e6e1f5", "#fbf3c8", "#d7f0f2", "#e8e4dc"];

/// The colour and the dashes of a curve, by the number of its style. Without dashes, the line is solid.
pub fn style(number: usize) -> (&'static str, &'static [f64]) {
    const DASHES: [&[f64]; 4] = [&[], &[6.0, 4.0], &[2.0, 3.0], &[9.0, 3.0, 2.0, 3.0]];
    (COLORS[number % COLORS.len()], DASHES[number / COLORS.len() % DASHES.len()])
}

/// What the darkest and the lightest colour of a spectrogram mean, with the unit.
pub fn heat_range(heat: &Heat) -> [String; 2] {
    heat::range(heat)
}

/// The picture of a spectrogram between two times, as the URL of a PNG with its data. `None` if it can't be encoded.
pub fn heat_picture(heat: &Heat, range: (f64, f64), columns: usize) -> Option<String> {
    let png = heat::picture(heat, range, columns)?;
    Some(format!("data:image/png;base64,{}", STANDARD.encode(&png)))
}

/// Draws a figure as SVG, of this size in pixels.
pub fn svg(figure: &Figure, width: u32, height: u32) -> String {
    let mut svg = Svg::new(width, height);
    let layout = Layout::new(figure, width.into(), height.into());
    if !figure.title.is_empty() {
        let title = text::fitted(&figure.title, text::TITLE, layout.width - 2.0 * layout::MARGIN);
        svg.text(&title, (layout::MARGIN, layout.title), text::TITLE, svg::Anchor::Start, "#1a1a1a");
    }
    layout.band_names(figure, &mut svg);
    for (i, (panel, area)) in figure.panels.iter().zip(&layout.panels).enumerate() {
        panel::draw(figure, panel, area, i == 0, &mut svg);
    }
    layout.x_axis(figure, &mut svg);
    svg.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::figure::{Band, Mark, NewCurve, panels};

    /// The corners of each text: left, top, right, bottom.
    fn boxes(svg: &str) -> Vec<(String, [f64; 4])> {
        let attribute = |line: &str, name: &str| {
            let (_, rest) = line.split_once(&format!("{name}=\""))?;
            Some(rest.split_once('"')?.0.to_owned())
        };
        let number = |line: &str, name: &str| attribute(line, name)?.parse::<f64>().ok();
        let of_line = |line: &str| {
            let (size, anchor) = (number(line, "font-size")?, attribute(line, "text-anchor")?);
            let shown = line.split_once('>')?.1.split_once('<')?.0.to_owned();
            let width = text::width(&shown, size);
            let from = match anchor.as_str() {
                "start" => 0.0,
                "middle" => -width / 2.0,
                _ => -width,
            };
            // Capital letters and digits.
            let (up, down) = (size * 0.75, size * text::DESCENT);
            let corners = match attribute(line, "transform") {
                None => {
                    let (x, y) = (number(line, " x")?, number(line, " y")?);
                    [x + from, y - up, x + from + width, y + down]
                }
                Some(upright) => {
                    let place = upright.strip_prefix("translate(")?.split_once(')')?.0.to_owned();
                    let (x, y) = place.split_once(' ')?;
                    let (x, y): (f64, f64) = (x.parse().ok()?, y.parse().ok()?);
                    [x - up, y - from - width, x + down, y - from]
                }
            };
            Some((shown, corners)).filter(|(shown, _)| !shown.is_empty())
        };
        svg.lines().filter(|line| line.starts_with("<text")).filter_map(of_line).collect()
    }

    fn figure(units: &[&str], marks: &[f64], low: f64, high: f64) -> Figure {
        let curve = |(i, unit): (usize, &&str)| NewCurve {
            name: format!("TYPE[{i}].LongLabelOfColumn"),
            unit: (*unit).to_owned(),
            x: vec![0.0, 100.0],
            y: vec![low, high],
            ..NewCurve::default()
        };
        let band = |i: usize| {
            let from = i as f64 * 7.0;
            Band { from, to: from + 7.0, name: format!("MODE_{i}") }
        };
        Figure {
            title: "flight.bin".into(),
            x_label: "time since the start of the log (s)".into(),
            x_range: (0.0, 100.0),
            panels: panels(units.iter().enumerate().map(curve).collect()),
            bands: (0..15).map(band).collect(),
            marks: marks.iter().map(|at| Mark { at: *at, text: format!("text at {at} s") }).collect(),
        }
    }

    #[test]
    fn no_text_covers_another() {
        // Texts of the start are at the left edge, beside each other.
        let marks: Vec<f64> = (0..200).map(|i| f64::from(i) * 0.5).collect();
        let starts = [0.0, 1.0, 1.5, 2.0, 2.5, 3.0, 99.0, 99.9, 100.0];
        for (width, height) in [(1200, 500), (700, 420), (400, 300), (250, 300), (2000, 2000)] {
            for marks in [&marks[..], &starts] {
                for (low, high) in [(-1e-9, 2e-9), (0.0, 1.0), (-123_456.0, -123_455.0), (0.0, 1e12)] {
                    for (units, is_named) in [
                        (&["deg"][..], false),
                        (&["deg", "m"], false),
                        (&["deg", "m"], true),
                        (&["deg", "m", "V", "m/s/s"], false),
                        (&["deg", "m", "V", "m/s/s"], true),
                    ] {
                        let mut figure = figure(units, marks, low, high);
                        let axes =
                            figure.panels.iter_mut().flat_map(|panel| [Some(&mut panel.left), panel.right.as_mut()]);
                        for axis in axes.flatten().filter(|_| is_named) {
                            let value = |i: usize| low + (high - low) * i as f64 / 20.0;
                            axis.states =
                                (0..20).map(|i| (value(i), format!("A state with a long name {i}"))).collect();
                        }
                        if height < least_height(figure.panels.len()) {
                            continue;
                        }
                        let boxes = boxes(&svg(&figure, width, height));
                        assert!(boxes.len() > 8, "{boxes:?}");
                        for (i, (one, a)) in boxes.iter().enumerate() {
                            for (other, b) in &boxes[..i] {
                                let covers = a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
                                let size = (width, height, units, low);
                                assert!(!covers, "{one:?} at {a:?} covers {other:?} at {b:?}, {size:?}");
                            }
                        }
                    }
                }
            }
        }
    }
}
