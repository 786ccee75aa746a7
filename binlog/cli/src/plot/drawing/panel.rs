//! Draws a panel: bands and grid, marks, curves, axes, legend.

use super::layout::{Area, Entry, SAMPLE, SAMPLE_GAP, band_color, place, x_of, x_ticks};
use super::svg::{Anchor, Rectangle, Svg};
use super::{heat, style, text};
use crate::plot::figure::{Axis, Curve, Figure, Heat, Panel};
use crate::plot::thinning::thin;

/// The dashes of a line as an attribute.
fn dashes(dashes: &[f64]) -> String {
    if dashes.is_empty() {
        return String::new();
    }
    let lengths: Vec<String> = dashes.iter().map(f64::to_string).collect();
    format!(" stroke-dasharray=\"{}\"", lengths.join(" "))
}

/// Draws a panel. The first one has the texts of marks.
pub(super) fn draw(figure: &Figure, panel: &Panel, area: &Area, is_first: bool, svg: &mut Svg) {
    let plot = &area.plot;
    if panel.heat.is_none() {
        bands(figure, plot, svg);
        grid(figure, panel, area, svg);
        marks(figure, plot, is_first, svg);
    }
    svg.clipped(plot, |svg| {
        if let Some(heat) = &panel.heat {
            draw_heat(figure, heat, &panel.left, plot, svg);
        }
        for curve in &panel.curves {
            draw_curve(figure, panel, curve, plot, svg);
        }
    });
    svg.frame(plot, "#888888");
    axes(panel, area, svg);
    legend(panel, area, svg);
}

fn bands(figure: &Figure, plot: &Rectangle, svg: &mut Svg) {
    let names = figure.band_names();
    for band in &figure.bands {
        let Some((left, right)) = place(figure, plot, band.from, band.to) else { continue };
        svg.rectangle(&Rectangle { left, width: right - left, ..*plot }, band_color(&names, &band.name));
    }
}

fn grid(figure: &Figure, panel: &Panel, area: &Area, svg: &mut Svg) {
    let plot = &area.plot;
    let style = " stroke-opacity=\"0.13\"";
    for (at, _) in x_ticks(figure, plot) {
        let x = x_of(figure, plot, at);
        svg.line((x, plot.top), (x, plot.bottom()), "#000000", style);
    }
    for (at, _) in &area.left {
        let y = y_of(&panel.left, plot, *at);
        svg.line((plot.left, y), (plot.right(), y), "#000000", style);
    }
}

/// Dotted lines at the moments, with their texts where they don't cover each other.
fn marks(figure: &Figure, plot: &Rectangle, has_texts: bool, svg: &mut Svg) {
    let mut free = f64::NEG_INFINITY;
    for mark in &figure.marks {
        let x = x_of(figure, plot, mark.at);
        if !(plot.left..=plot.right()).contains(&x) {
            continue;
        }
        svg.line((x, plot.top), (x, plot.bottom()), "#777777", " stroke-dasharray=\"1 3\"");
        // Left of its line, and right of it at the left edge. Letters reach left of the base line, and a little right.
        let beside = if x - plot.left < text::SMALL + 3.0 { text::SMALL } else { -3.0 };
        if x + beside - text::SMALL < free || !has_texts {
            continue;
        }
        let text = text::fitted(&mark.text, text::SMALL, plot.height * 0.6);
        svg.upright(&text, (x + beside, plot.bottom() - 4.0), text::SMALL, Anchor::Start, "#666666");
        free = x + beside + text::DESCENT * text::SMALL;
    }
}

fn y_of(axis: &Axis, plot: &Rectangle, value: f64) -> f64 {
    let (from, to) = axis.range;
    plot.bottom() - (value - from) / (to - from) * plot.height
}

fn draw_curve(figure: &Figure, panel: &Panel, curve: &Curve, plot: &Rectangle, svg: &mut Svg) {
    let axis = match &panel.right {
        Some(right) if curve.is_right => right,
        _ => &panel.left,
    };
    let (color, lengths) = style(curve.style);
    let points = || curve.x.iter().zip(&curve.y).map(|(x, y)| (x_of(figure, plot, *x), y_of(axis, plot, *y)));
    if curve.is_marked {
        return svg.curve(points().flat_map(cross), color, "");
    }
    if !curve.x.is_sorted() {
        // A path that goes back and forth: all of it, without what a pixel doesn't show.
        let mut last = (f64::NAN, f64::NAN);
        let is_apart = |point: &(f64, f64)| {
            let is_near = (point.0 - last.0).abs() < 0.3 && (point.1 - last.1).abs() < 0.3;
            last = if is_near { last } else { *point };
            !is_near
        };
        return svg.curve(points().filter(is_apart), color, &dashes(lengths));
    }
    // Only what is visible, and the samples beside it, to which lines lead.
    let from = curve.x.partition_point(|x| *x < figure.x_range.0).saturating_sub(1);
    let to = (curve.x.partition_point(|x| *x <= figure.x_range.1) + 1).min(curve.x.len());
    let (x, y) = (&curve.x[from.min(to)..to], &curve.y[from.min(to)..to]);
    let kept = thin(x, y, plot.width.ceil() as usize);
    let points = kept.into_iter().map(|i| (x_of(figure, plot, x[i]), y_of(axis, plot, y[i])));
    svg.curve(points, color, &dashes(lengths));
}

/// The lines of a mark.
fn cross((x, y): (f64, f64)) -> [(f64, f64); 6] {
    const REACH: f64 = 4.0;
    const END: (f64, f64) = (f64::NAN, f64::NAN);
    [(x - REACH, y), (x + REACH, y), END, (x, y - REACH), (x, y + REACH), END]
}

fn draw_heat(figure: &Figure, heat: &Heat, axis: &Axis, plot: &Rectangle, svg: &mut Svg) {
    let Some(picture) = heat::picture(heat, figure.x_range, plot.width.ceil() as usize) else { return };
    let (low, high) = heat.y.first().zip(heat.y.last()).map_or((0.0, 1.0), |(low, high)| (*low, *high));
    let (top, bottom) = (y_of(axis, plot, high), y_of(axis, plot, low));
    svg.image(&Rectangle { left: plot.left, top, width: plot.width, height: bottom - top }, &picture);
}

fn axes(panel: &Panel, area: &Area, svg: &mut Svg) {
    let plot = &area.plot;
    let middle = plot.top + plot.height / 2.0;
    let room = plot.height;
    for (at, label) in &area.left {
        let y = y_of(&panel.left, plot, *at);
        svg.line((plot.left - 4.0, y), (plot.left, y), "#555555", "");
        svg.text(label, (plot.left - 7.0, y + 4.0), text::LABEL, Anchor::End, "#333333");
    }
    let label = text::fitted(&panel.left.label, text::LABEL, room);
    svg.upright(&label, (area.left_label, middle), text::LABEL, Anchor::Middle, "#333333");
    let Some(right) = &panel.right else { return };
    for (at, label) in &area.right {
        let y = y_of(right, plot, *at);
        svg.line((plot.right(), y), (plot.right() + 4.0, y), "#555555", "");
        svg.text(label, (plot.right() + 7.0, y + 4.0), text::LABEL, Anchor::Start, "#333333");
    }
    let label = text::fitted(&right.label, text::LABEL, room);
    svg.upright(&label, (area.right_label, middle), text::LABEL, Anchor::Middle, "#333333");
}

fn legend(panel: &Panel, area: &Area, svg: &mut Svg) {
    for Entry { curve, place: (x, y), name } in &area.legend {
        let curve = &panel.curves[*curve];
        let (color, lengths) = style(curve.style);
        if curve.is_marked {
            svg.curve(cross((x + SAMPLE / 2.0, *y)).into_iter(), color, "");
        } else {
            let line = format!(" stroke-width=\"2.5\"{}", dashes(lengths));
            svg.line((*x, *y), (x + SAMPLE, *y), color, &line);
        }
        svg.text(name, (x + SAMPLE + SAMPLE_GAP, y + 4.0), text::LABEL, Anchor::Start, "#1a1a1a");
    }
    if let (Some(heat), true) = (&panel.heat, panel.curves.is_empty()) {
        heat_legend(heat, area, svg);
    }
}

/// The name of a spectrogram, and its colours with the highest amplitude and a thousandth of it.
fn heat_legend(heat: &Heat, area: &Area, svg: &mut Svg) {
    let plot = &area.plot;
    let y = plot.top - 9.0;
    let highest = heat::highest(heat);
    let [low, high] = heat::range(heat);
    const BAR: f64 = 120.0;
    let right = plot.right() - text::width(&high, text::LABEL) - 6.0;
    let left = right - BAR;
    svg.text(&high, (plot.right(), y + 4.0), text::LABEL, Anchor::End, "#333333");
    svg.text(&low, (left - 6.0, y + 4.0), text::LABEL, Anchor::End, "#333333");
    for i in 0..60u8 {
        let [red, green, blue] = heat::color(highest * 10f64.powf(3.0 * (f64::from(i) / 59.0 - 1.0)), highest);
        let part = Rectangle { left: left + f64::from(i) * 2.0, top: y - 5.0, width: 2.5, height: 10.0 };
        svg.rectangle(&part, &format!("#{red:02x}{green:02x}{blue:02x}"));
    }
    let room = left - plot.left - text::width(&low, text::LABEL) - 20.0;
    let name = text::fitted(&heat.name, text::LABEL, room);
    svg.text(&name, (plot.left, y + 4.0), text::LABEL, Anchor::Start, "#1a1a1a");
}
