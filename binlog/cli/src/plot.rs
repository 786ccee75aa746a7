//! Plots: what computes, and what draws.
//!
//! - [`expression`] is what a plot shows; [`presets`] are named lists of expressions.
//! - [`curves`] evaluates it on sessions, whose columns [`source`] has; [`align`] puts several logs on one axis of
//!   time. [`moments`] are modes, messages and events; [`vibration`] and [`spectrum`] have frequencies.
//! - [`figure`] is what a picture shows, with [`ticks`] on its axes; [`figures`] makes one of curves or of spectra.
//!   [`drawing`] makes SVG and PNG of it, [`html`] a page, [`terminal`] braille. They call
//!   [`thinning`], which leaves out what can't be seen.

pub mod align;
pub mod curves;
pub mod drawing;
pub mod expression;
pub mod figure;
pub mod figures;
pub mod html;
pub mod moments;
pub mod presets;
pub mod source;
pub mod spectrum;
pub mod terminal;
pub mod thinning;
pub mod ticks;
pub mod vibration;
