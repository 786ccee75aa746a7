//! Plots: what computes, and what draws.
//!
//! - [`expression`] is what a plot shows; [`presets`] are named lists of expressions.
//! - [`curves`] evaluates it on sessions, whose columns [`source`] has; [`align`] puts several logs on one axis of
//!   time. [`moments`] are modes, messages and events; [`vibration`] and [`spectrum`] have frequencies.
//! - [`pairs`] are two signals side by side, of which [`step_response`] and [`delay`] say how one follows the other;
//!   [`groups`] divide a flight by mode or throttle.
//! - [`figure`] is what a picture shows, with [`ticks`] on its axes; [`figures`] makes one of curves or of spectra.
//!   [`drawing`] makes SVG and PNG of it, [`html`] a page, [`terminal`] braille. They call
//!   [`thinning`], which leaves out what can't be seen.

pub mod align;
pub mod curves;
pub mod delay;
pub mod drawing;
pub mod expression;
pub mod figure;
pub mod figures;
pub mod groups;
pub mod html;
pub mod moments;
pub mod pairs;
pub mod presets;
pub mod source;
pub mod spectrum;
pub mod step_response;
pub mod terminal;
pub mod thinning;
pub mod ticks;
pub mod vibration;
