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
use layout::Layout;
use svg::Svg;

/// The width of a picture in pixels, if none is asked for.
pub const WIDTH: u32 = 1200;

/// The height of a picture in pixels, if none is asked for: more for more panels.
pub fn height(panels: usize) -> u32 {
    500 + 280 * u32::try_from(panels.saturating_sub(1)).unwrap_or(20).min(20)
}

/// The least height of a picture with so many panels.
pub fn least_height(panels: usize) -> u32 {
    70 + 80 * u32::try_from(panels).unwrap_or(u32::MAX / 100).min(u32::MAX / 100)
}

/// The colours of curves: those of Okabe and Ito, which people with colour blindness distinguish, ordered by contrast with
/// white. Further curves have the same colours and dashes.
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
    Some(format!("data:image/png;base64,{}", text::base64(&png)))
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
