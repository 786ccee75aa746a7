//! Writes the elements of an SVG.

use super::text::{self, FAMILY};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::fmt::Write;

/// An SVG that grows.
pub(super) struct Svg {
    text: String,
    clips: usize,
}

/// The point of a text that its place names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

impl Anchor {
    fn name(self) -> &'static str {
        match self {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        }
    }
}

/// A rectangle: left, top, width, height.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Rectangle {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

impl Rectangle {
    pub(super) fn right(&self) -> f64 {
        self.left + self.width
    }

    pub(super) fn bottom(&self) -> f64 {
        self.top + self.height
    }
}

// Writing to a `String` doesn't fail.
impl Svg {
    /// An SVG with a white background.
    pub(super) fn new(width: u32, height: u32) -> Self {
        let mut text = String::new();
        let _ = writeln!(
            text,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" width=\"{width}\" \
             height=\"{height}\" viewBox=\"0 0 {width} {height}\" font-family=\"{FAMILY}\">\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>"
        );
        Svg { text, clips: 0 }
    }

    pub(super) fn finish(mut self) -> String {
        self.text.push_str("</svg>\n");
        self.text
    }

    pub(super) fn text(&mut self, text: &str, (x, y): (f64, f64), size: f64, anchor: Anchor, color: &str) {
        let text = text::escaped(text);
        let anchor = anchor.name();
        let _ = writeln!(
            self.text,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" text-anchor=\"{anchor}\" fill=\"{color}\">{text}</text>"
        );
    }

    /// A text from bottom to top.
    pub(super) fn upright(&mut self, text: &str, (x, y): (f64, f64), size: f64, anchor: Anchor, color: &str) {
        let text = text::escaped(text);
        let anchor = anchor.name();
        let _ = writeln!(
            self.text,
            "<text transform=\"translate({x:.1} {y:.1}) rotate(-90)\" font-size=\"{size}\" text-anchor=\"{anchor}\" \
             fill=\"{color}\">{text}</text>"
        );
    }

    pub(super) fn rectangle(&mut self, rectangle: &Rectangle, fill: &str) {
        let Rectangle { left, top, width, height } = rectangle;
        let _ = writeln!(
            self.text,
            "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"{fill}\"/>"
        );
    }

    pub(super) fn frame(&mut self, rectangle: &Rectangle, color: &str) {
        let Rectangle { left, top, width, height } = rectangle;
        let _ = writeln!(
            self.text,
            "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"none\" \
             stroke=\"{color}\"/>"
        );
    }

    pub(super) fn line(&mut self, from: (f64, f64), to: (f64, f64), color: &str, style: &str) {
        let _ = writeln!(
            self.text,
            "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"{color}\"{style}/>",
            from.0, from.1, to.0, to.1
        );
    }

    /// Lines between points. A stretch ends where a coordinate isn't finite; a stretch of one point is a dot.
    pub(super) fn curve(&mut self, points: impl Iterator<Item = (f64, f64)>, color: &str, dashes: &str) {
        let _ = write!(
            self.text,
            "<path fill=\"none\" stroke=\"{color}\" stroke-width=\"1.4\" stroke-linejoin=\"round\" \
             stroke-linecap=\"round\"{dashes} d=\""
        );
        let mut drawn = 0usize;
        for (x, y) in points {
            if !x.is_finite() || !y.is_finite() {
                self.end_stretch(drawn);
                drawn = 0;
                continue;
            }
            let command = if drawn == 0 { 'M' } else { 'L' };
            let _ = write!(self.text, "{command}{x:.1} {y:.1}");
            drawn += 1;
        }
        self.end_stretch(drawn);
        self.text.push_str("\"/>\n");
    }

    fn end_stretch(&mut self, drawn: usize) {
        if drawn == 1 {
            self.text.push_str("h0");
        }
    }

    /// A picture that fills a rectangle.
    pub(super) fn image(&mut self, rectangle: &Rectangle, png: &[u8]) {
        let Rectangle { left, top, width, height } = rectangle;
        let data = STANDARD.encode(png);
        let _ = writeln!(
            self.text,
            "<image x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" \
             preserveAspectRatio=\"none\" image-rendering=\"optimizeSpeed\" xlink:href=\"data:image/png;base64,{data}\"/>"
        );
    }

    /// Draws with everything outside of a rectangle left out.
    pub(super) fn clipped(&mut self, rectangle: &Rectangle, draw: impl FnOnce(&mut Svg)) {
        let Rectangle { left, top, width, height } = rectangle;
        let clip = self.clips;
        self.clips += 1;
        let _ = writeln!(
            self.text,
            "<clipPath id=\"clip{clip}\"><rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" \
             height=\"{height:.1}\"/></clipPath>\n<g clip-path=\"url(#clip{clip})\">"
        );
        draw(self);
        self.text.push_str("</g>\n");
    }
}
