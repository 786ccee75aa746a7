//! Draws a figure as text: braille, of which each character has two by four dots.

use super::figure::{Axis, Curve, Figure, Panel};
use super::thinning::thin;
use super::ticks::ticks;
use std::fmt::Write;

/// Colours of curves: the numbers of a terminal's sixteen.
const COLORS: [u8; 6] = [94, 91, 92, 95, 93, 96];

/// How curves differ without colours: which of twelve columns of dots a line is drawn in, and its mark in the legend.
const DASHES: [(u16, char); 4] =
    [(0b1111_1111_1111, '━'), (0b0011_1100_1111, '╍'), (0b0011_0011_0011, '┅'), (0b0001_0001_0001, '┉')];

/// Characters on the left for the labels of the axis, and on the right. Names of states may take more on the left.
const LEFT: usize = 10;
const LONGEST_LEFT: usize = 22;
const RIGHT: usize = 10;

/// The dots of a braille character, by column and row, as bits (Unicode, block U+2800).
const DOTS: [[u8; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];

/// Draws a figure in this many columns and lines of text, at least 40 by 10, with colours or without.
pub fn text(figure: &Figure, columns: usize, lines: usize, color: bool) -> String {
    let columns = columns.clamp(40, 1000);
    let mut text = String::new();
    if !figure.title.is_empty() {
        line(&mut text, &centered(&figure.title, columns));
    }
    let rows = (lines.max(10).saturating_sub(4) / figure.panels.len().max(1)).saturating_sub(2).clamp(5, 200);
    for panel in &figure.panels {
        draw_panel(figure, panel, (columns, rows), color, &mut text);
    }
    x_axis(figure, columns, &mut text);
    text
}

// Writing to a `String` doesn't fail.
fn line(text: &mut String, line: &str) {
    let _ = writeln!(text, "{}", line.trim_end());
}

fn shortened(text: &str, room: usize) -> String {
    let shown: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if shown.chars().count() <= room {
        return shown;
    }
    shown.chars().take(room.saturating_sub(1)).chain(['…']).collect()
}

fn centered(text: &str, columns: usize) -> String {
    let text = shortened(text, columns);
    let before = (columns - text.chars().count()) / 2;
    format!("{}{text}", " ".repeat(before))
}

fn painted(text: &str, style: usize, color: bool) -> String {
    match color {
        true => format!("\x1b[{}m{text}\x1b[0m", COLORS[style % COLORS.len()]),
        false => text.into(),
    }
}

/// The dots of a panel, and the last curve that drew in each character.
struct Canvas {
    width: usize,
    height: usize,
    /// Whether curves have dashes, because they don't have colours.
    is_dashed: bool,
    cells: Vec<(u8, Option<usize>)>,
}

impl Canvas {
    /// A dot of a line, which may be in a gap between dashes.
    fn dot(&mut self, x: i64, y: i64, style: usize) {
        if !self.is_dashed || DASHES[style % DASHES.len()].0 >> x.rem_euclid(12) & 1 != 0 {
            self.set(x, y, style);
        }
    }

    fn set(&mut self, x: i64, y: i64, style: usize) {
        let (Ok(x), Ok(y)) = (usize::try_from(x), usize::try_from(y)) else { return };
        if x >= self.width * 2 || y >= self.height * 4 {
            return;
        }
        let cell = &mut self.cells[y / 4 * self.width + x / 2];
        cell.0 |= DOTS[x % 2][y % 4];
        cell.1 = Some(style);
    }

    /// A mark.
    fn cross(&mut self, (x, y): (f64, f64), style: usize) {
        let (x, y) = (x.floor() as i64, y.floor() as i64);
        for (right, down) in [(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1)] {
            self.set(x.saturating_add(right), y.saturating_add(down), style);
        }
    }

    fn line(&mut self, from: (f64, f64), to: (f64, f64), style: usize) {
        // A dot for each column or row, whichever are more; nothing is visible further away than the canvas is large.
        let room = (self.width * 2 + self.height * 4) as f64 * 4.0;
        let steps = (to.0 - from.0).abs().max((to.1 - from.1).abs()).ceil().clamp(1.0, room) as usize;
        for step in 0..=steps {
            let share = step as f64 / steps as f64;
            let [x, y] = [from.0 + (to.0 - from.0) * share, from.1 + (to.1 - from.1) * share];
            self.dot(x.floor() as i64, y.floor() as i64, style);
        }
    }
}

fn draw_panel(figure: &Figure, panel: &Panel, (columns, rows): (usize, usize), color: bool, text: &mut String) {
    let (left_room, right) = (left_room(figure), if panel.right.is_some() { RIGHT } else { 1 });
    let width = columns.saturating_sub(left_room + right).max(10);
    let is_dashed = !color && panel.curves.len() > 1;
    let mut legend = String::new();
    let mut used = 0;
    for curve in &panel.curves {
        let unit = if curve.unit.is_empty() { String::new() } else { format!(" ({})", curve.unit) };
        let arrow = if curve.is_right { " →" } else { "" };
        let mark = match is_dashed {
            _ if curve.is_marked => '+',
            true => DASHES[curve.style % DASHES.len()].1,
            false => '━',
        };
        let name = shortened(&format!("{mark} {}{unit}{arrow}", curve.name), columns.saturating_sub(left_room));
        let length = name.chars().count();
        if used > 0 && left_room + used + length > columns {
            line(text, &format!("{}{legend}", " ".repeat(left_room)));
            (legend, used) = (String::new(), 0);
        }
        legend += &painted(&name, curve.style, color);
        legend += "  ";
        used += length + 2;
    }
    line(text, &format!("{}{legend}", " ".repeat(left_room)));
    let mut canvas = Canvas { width, height: rows, is_dashed, cells: vec![(0, None); width * rows] };
    for curve in &panel.curves {
        draw_curve(figure, panel, curve, &mut canvas);
    }
    let left_labels = labels(&panel.left, rows);
    let right_labels = panel.right.as_ref().map(|axis| labels(axis, rows)).unwrap_or_default();
    for row in 0..rows {
        let label = |labels: &[(usize, String)]| {
            labels.iter().find(|(of, _)| *of == row).map_or(String::new(), |(_, label)| label.clone())
        };
        let left = label(&left_labels);
        let mark = if left.is_empty() { '│' } else { '┤' };
        let mut shown = format!("{:>width$} {mark}", shortened(&left, left_room - 2), width = left_room - 2);
        for (dots, style) in &canvas.cells[row * width..(row + 1) * width] {
            let character = char::from_u32(0x2800 + u32::from(*dots)).filter(|_| *dots != 0).unwrap_or(' ');
            match style {
                Some(style) => shown += &painted(character.encode_utf8(&mut [0; 4]), *style, color),
                None => shown.push(character),
            }
        }
        if panel.right.is_some() {
            let right = label(&right_labels);
            shown.push(if right.is_empty() { '│' } else { '├' });
            shown += &shortened(&right, RIGHT - 1);
        }
        line(text, &shown);
    }
}

fn draw_curve(figure: &Figure, panel: &Panel, curve: &Curve, canvas: &mut Canvas) {
    let axis = match &panel.right {
        Some(right) if curve.is_right => right,
        _ => &panel.left,
    };
    let (width, height) = (canvas.width as f64 * 2.0, canvas.height as f64 * 4.0);
    let x_of = |x: f64| (x - figure.x_range.0) / (figure.x_range.1 - figure.x_range.0) * (width - 1.0);
    let y_of = |y: f64| (axis.range.1 - y) / (axis.range.1 - axis.range.0) * (height - 1.0);
    let mut before: Option<(f64, f64)> = None;
    // A path that goes back and forth can't be thinned.
    let kept = match curve.x.is_sorted() {
        true => thin(&curve.x, &curve.y, canvas.width * 2),
        false => (0..curve.x.len()).collect(),
    };
    for i in kept {
        let point = (x_of(curve.x[i]), y_of(curve.y[i]));
        let is_there = point.0.is_finite() && point.1.is_finite();
        match is_there {
            true if curve.is_marked => canvas.cross(point, curve.style),
            true => canvas.line(before.unwrap_or(point), point, curve.style),
            false => {}
        }
        before = Some(point).filter(|_| is_there);
    }
}

/// The characters on the left of all panels, whose times are above each other.
fn left_room(figure: &Figure) -> usize {
    let names = figure.panels.iter().flat_map(|panel| &panel.left.states);
    names.map(|(_, name)| name.chars().count() + 2).max().unwrap_or(0).clamp(LEFT, LONGEST_LEFT)
}

/// The labels of an axis, with their rows.
fn labels(axis: &Axis, rows: usize) -> Vec<(usize, String)> {
    let (low, high) = axis.range;
    let row = |value: f64| ((high - value) / (high - low) * (rows as f64 * 4.0 - 1.0) / 4.0) as usize;
    let marks = if axis.states.is_empty() { ticks(axis.range, (rows / 3).max(2)) } else { axis.states.clone() };
    marks.into_iter().map(|(at, label)| (row(at).min(rows - 1), label)).collect()
}

fn x_axis(figure: &Figure, columns: usize, text: &mut String) {
    let has_right = figure.panels.iter().any(|panel| panel.right.is_some());
    let left_room = left_room(figure);
    let width = columns.saturating_sub(left_room + if has_right { RIGHT } else { 1 }).max(10);
    let (from, to) = figure.x_range;
    let (mut rule, mut labels) = (vec!['─'; width], vec![' '; width]);
    let mut free = 0;
    for (at, label) in ticks(figure.x_range, (width / 8).max(2)) {
        let column = (((at - from) / (to - from) * (width - 1) as f64).round() as usize).min(width - 1);
        rule[column] = '┬';
        let length = label.chars().count();
        let start = column.saturating_sub(length / 2).min(width.saturating_sub(length));
        if start >= free && start + length <= width {
            labels[start..start + length].iter_mut().zip(label.chars()).for_each(|(room, c)| *room = c);
            free = start + length + 1;
        }
    }
    let indent = " ".repeat(left_room - 1);
    line(text, &format!("{indent}└{}", rule.into_iter().collect::<String>()));
    line(text, &format!("{indent} {}", labels.into_iter().collect::<String>()));
    line(text, &format!("{indent} {}", centered(&figure.x_label, width)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::figure::{NewCurve, panels};

    fn figure(y: Vec<f64>) -> Figure {
        let x: Vec<f64> = (0..y.len()).map(|i| i as f64).collect();
        let x_range = (0.0, x.last().copied().unwrap_or(1.0));
        let (name, unit) = ("ATT.Roll".into(), "deg".into());
        let curve = NewCurve { name, unit, x, y, ..NewCurve::default() };
        let panels = panels(vec![curve]);
        Figure { title: "A flight".into(), x_label: "time (s)".into(), x_range, panels, bands: vec![], marks: vec![] }
    }

    #[test]
    fn a_rising_line_goes_from_the_lower_left_to_the_upper_right() {
        let text = text(&figure((0..100).map(f64::from).collect()), 60, 20, false);
        let rows: Vec<&str> = text.lines().filter(|line| line.contains(['│', '┤'])).collect();
        let place = |row: &str| row.chars().position(|c| ('\u{2801}'..='\u{28ff}').contains(&c));
        let places: Vec<usize> = rows.iter().filter_map(|row| place(row)).collect();
        assert!(places.len() > 10 && places.is_sorted_by(|a, b| a >= b), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 60), "{text}");
        assert!(text.contains("━ ATT.Roll (deg)") && text.contains("time (s)") && text.contains("A flight"));
    }

    #[test]
    fn missing_samples_draw_nothing() {
        let text = text(&figure(vec![f64::NAN; 50]), 60, 20, false);
        assert!(!text.contains(|c| ('\u{2801}'..='\u{28ff}').contains(&c)), "{text}");
    }

    #[test]
    fn curves_without_colors_have_dashes() {
        let mut figure = figure(vec![1.0; 100]);
        let curve = |name: &str, value| {
            let (x, y) = ((0..100).map(f64::from).collect(), vec![value; 100]);
            let (name, unit) = (name.into(), "deg".into());
            NewCurve { name, unit, x, y, ..NewCurve::default() }
        };
        figure.panels = panels(vec![curve("ATT.Roll", 1.0), curve("ATT.Pitch", 2.0)]);
        let dots = |text: &str| {
            let count = |line: &str| line.chars().filter(|c| ('\u{2801}'..='\u{28ff}').contains(c)).count();
            text.lines().map(count).filter(|&count| count > 0).collect::<Vec<_>>()
        };
        let plain = text(&figure, 60, 20, false);
        assert!(plain.contains("━ ATT.Roll (deg)  ╍ ATT.Pitch (deg)"), "{plain}");
        let [dashed, solid] = dots(&plain)[..] else { panic!("{plain}") };
        assert!(solid > 45 && dashed < solid * 5 / 6, "{plain}");
        let [one, other] = dots(&text(&figure, 60, 20, true))[..] else { panic!("two lines") };
        assert_eq!(one, other, "colours tell them apart");
    }

    #[test]
    fn colors_are_on_a_terminal_only() {
        let figure = figure(vec![1.0, 2.0]);
        assert!(!text(&figure, 80, 24, false).contains('\x1b'));
        assert!(text(&figure, 80, 24, true).contains("\x1b[94m"));
    }
}
