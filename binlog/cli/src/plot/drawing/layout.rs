//! Where everything of a picture is.

use super::svg::{Anchor, Rectangle, Svg};
use super::{BAND_COLORS, text};
use crate::plot::figure::{Axis, Figure, Panel};
use crate::plot::ticks::ticks;

/// Space at the edges of the picture.
pub(super) const MARGIN: f64 = 14.0;

/// The height of a line of the legend.
const LEGEND_LINE: f64 = 18.0;

/// The height of the strip with the names of modes.
const BAND_STRIP: f64 = 18.0;

/// The length of the line before a name in the legend, and the space around it.
pub(super) const SAMPLE: f64 = 22.0;
pub(super) const SAMPLE_GAP: f64 = 6.0;
const ENTRY_GAP: f64 = 18.0;

/// The places of a picture's parts, in pixels.
pub(super) struct Layout {
    pub(super) width: f64,
    height: f64,
    /// The base line of the title.
    pub(super) title: f64,
    /// The top of the strip with the names of modes.
    band_strip: f64,
    /// The panels, from top to bottom.
    pub(super) panels: Vec<Area>,
}

/// The places of a panel's parts.
pub(super) struct Area {
    /// Where the curves are.
    pub(super) plot: Rectangle,
    pub(super) legend: Vec<Entry>,
    /// The marks of the axes.
    pub(super) left: Vec<(f64, String)>,
    pub(super) right: Vec<(f64, String)>,
    /// The middle of the axes' labels.
    pub(super) left_label: f64,
    pub(super) right_label: f64,
}

/// An entry of a legend.
pub(super) struct Entry {
    /// The index of the curve in its panel.
    pub(super) curve: usize,
    /// The left end of its sample line.
    pub(super) place: (f64, f64),
    /// The name, cut if it doesn't fit.
    pub(super) name: String,
}

impl Layout {
    pub(super) fn new(figure: &Figure, width: f64, height: f64) -> Self {
        let title = MARGIN + if figure.title.is_empty() { 0.0 } else { text::TITLE };
        let band_strip = title + if figure.title.is_empty() { 0.0 } else { 10.0 };
        let bottom = height - MARGIN - 2.0 * text::LABEL - 12.0;
        let mut top = band_strip + if figure.bands.is_empty() { 0.0 } else { BAND_STRIP };
        let heights = |top: f64| ((bottom - top) / figure.panels.len().max(1) as f64).max(40.0);
        let height_of_panel = heights(top);
        // The same edges for all panels, so that times are above each other.
        let y_ticks = |axis: &Axis| match axis.states.is_empty() {
            true => ticks(axis.range, ((height_of_panel / 45.0) as usize).clamp(2, 12)),
            false => states(axis, height_of_panel * 0.6, (width * 0.25).min(160.0)),
        };
        let widest = |ticks: &[(f64, String)]| {
            ticks.iter().map(|(_, label)| text::width(label, text::LABEL)).fold(0.0, f64::max)
        };
        let of_panel = |panel: &Panel| {
            let left = y_ticks(&panel.left);
            let right = panel.right.as_ref().map(y_ticks).unwrap_or_default();
            (left, right)
        };
        let axes: Vec<_> = figure.panels.iter().map(of_panel).collect();
        let labelled = |has: bool| if has { text::LABEL + 8.0 } else { 0.0 };
        let has_left = figure.panels.iter().any(|panel| !panel.left.label.is_empty());
        let has_right_axis = figure.panels.iter().any(|panel| panel.right.is_some());
        let has_right = figure.panels.iter().any(|p| p.right.as_ref().is_some_and(|axis| !axis.label.is_empty()));
        let left_edge =
            MARGIN + labelled(has_left) + axes.iter().map(|(left, _)| widest(left)).fold(20.0, f64::max) + 8.0;
        let right_room = axes.iter().map(|(_, right)| widest(right)).fold(0.0, f64::max);
        let right_room = if has_right_axis { labelled(has_right) + right_room + 8.0 } else { 10.0 };
        let plot_width = (width - left_edge - right_room - MARGIN).max(40.0);
        let mut panels = Vec::new();
        for (panel, (left, right)) in figure.panels.iter().zip(axes) {
            let max_lines = ((height_of_panel * 0.4 / LEGEND_LINE) as usize).max(1);
            let (legend, lines) = legend(panel, (left_edge, top), plot_width, max_lines);
            let plot_top = top + lines as f64 * LEGEND_LINE + 4.0;
            let plot_height = (top + height_of_panel - plot_top - 6.0).max(20.0);
            let plot = Rectangle { left: left_edge, top: plot_top, width: plot_width, height: plot_height };
            panels.push(Area {
                plot,
                legend,
                left,
                right,
                left_label: MARGIN + text::LABEL * 0.8,
                right_label: width - MARGIN - 3.0,
            });
            top += height_of_panel;
        }
        Layout { width, height, title, band_strip, panels }
    }

    /// The names of the bands above the first panel. A name is shortened or left out where it doesn't fit.
    pub(super) fn band_names(&self, figure: &Figure, svg: &mut Svg) {
        let Some(first) = self.panels.first() else { return };
        let names = figure.band_names();
        for band in &figure.bands {
            let Some((left, right)) = place(figure, &first.plot, band.from, band.to) else { continue };
            let strip = Rectangle { left, top: self.band_strip, width: right - left, height: BAND_STRIP - 3.0 };
            svg.rectangle(&strip, band_color(&names, &band.name));
            let name = text::fitted(&band.name, text::SMALL, strip.width - 6.0);
            svg.text(&name, (left + 3.0, self.band_strip + 11.0), text::SMALL, Anchor::Start, "#333333");
        }
    }

    /// The marks and the label of the horizontal axis, below the last panel.
    pub(super) fn x_axis(&self, figure: &Figure, svg: &mut Svg) {
        let Some(last) = self.panels.last() else { return };
        let plot = &last.plot;
        for (at, label) in x_ticks(figure, plot) {
            let x = x_of(figure, plot, at);
            svg.line((x, plot.bottom()), (x, plot.bottom() + 4.0), "#555555", "");
            // A label at the edge must not leave the picture.
            let half = text::width(&label, text::LABEL) / 2.0;
            let x = x.clamp(half + 2.0, (self.width - half - 2.0).max(half + 2.0));
            svg.text(&label, (x, plot.bottom() + 17.0), text::LABEL, Anchor::Middle, "#333333");
        }
        let label = text::fitted(&figure.x_label, text::LABEL, self.width - 2.0 * MARGIN);
        let middle = (plot.left + plot.width / 2.0, self.height - MARGIN);
        svg.text(&label, middle, text::LABEL, Anchor::Middle, "#333333");
    }
}

/// The marks of an axis of states: the names that fit, with enough pixels between them.
fn states(axis: &Axis, height: f64, room_for_name: f64) -> Vec<(f64, String)> {
    let room = (text::LABEL + 2.0) / height.max(1.0) * (axis.range.1 - axis.range.0);
    let mut free = f64::NEG_INFINITY;
    let is_apart = |(value, _): &&(f64, String)| {
        *value >= free && {
            free = *value + room;
            true
        }
    };
    let states = axis.states.iter().filter(is_apart);
    states.map(|(value, name)| (*value, text::fitted(name, text::LABEL, room_for_name))).collect()
}

/// The marks of the horizontal axis.
pub(super) fn x_ticks(figure: &Figure, plot: &Rectangle) -> Vec<(f64, String)> {
    ticks(figure.x_range, ((plot.width / 90.0) as usize).clamp(2, 20))
}

/// The place of a time or a frequency.
pub(super) fn x_of(figure: &Figure, plot: &Rectangle, x: f64) -> f64 {
    let (from, to) = figure.x_range;
    plot.left + (x - from) / (to - from) * plot.width
}

/// The visible part of an interval; `None` if all of it is outside.
pub(super) fn place(figure: &Figure, plot: &Rectangle, from: f64, to: f64) -> Option<(f64, f64)> {
    let (left, right) = (x_of(figure, plot, from).max(plot.left), x_of(figure, plot, to).min(plot.right()));
    (right > left).then_some((left, right))
}

/// The colour of the bands with a name.
pub(super) fn band_color(names: &[&str], name: &str) -> &'static str {
    let number = names.iter().position(|known| *known == name).unwrap_or(0);
    BAND_COLORS[number % BAND_COLORS.len()]
}

/// The entries of a legend, line by line, and the number of lines: those of the left axis from the left, then those of
/// the right axis, which say so. Entries that don't fit into the lines are left out.
fn legend(panel: &Panel, (left, top): (f64, f64), width: f64, max_lines: usize) -> (Vec<Entry>, usize) {
    let mut entries = Vec::new();
    let (mut x, mut line) = (left, 0);
    let order = [false, true]
        .into_iter()
        .flat_map(|is_right| panel.curves.iter().enumerate().filter(move |(_, curve)| curve.is_right == is_right));
    for (i, curve) in order {
        let name = if curve.is_right { format!("{} →", curve.name) } else { curve.name.clone() };
        let name = text::fitted(&name, text::LABEL, width - SAMPLE - SAMPLE_GAP);
        let entry = SAMPLE + SAMPLE_GAP + text::width(&name, text::LABEL);
        if x > left && x + entry > left + width {
            if line + 1 == max_lines {
                break;
            }
            (x, line) = (left, line + 1);
        }
        entries.push(Entry { curve: i, place: (x, top + (line as f64 + 0.5) * LEGEND_LINE), name });
        x += entry + ENTRY_GAP;
    }
    let lines = if entries.is_empty() { usize::from(panel.heat.is_some()) } else { line + 1 };
    (entries, lines)
}
