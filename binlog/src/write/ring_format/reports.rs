//! What only logs of messages have among their records: texts and statistics. A Blackbox log has neither; errors of the
//! compiler say what it has instead.

use crate::declare::messages::{Dropped, Dsf, Msg, Ring};
use crate::format::Logs;
use crate::format::ring_format::{Accepts, ArduPilot};

/// A format with texts among the records: those of a schema with [`Msg`].
#[diagnostic::on_unimplemented(
    message = "a log of frames has no texts",
    label = "`{S}` is a Blackbox schema, whose logs have frames and events",
    note = "for what happens in flight, log an event: `LOG.event(&Event::…)`",
    note = "for what is known before, give the drain header lines: `with_prologue`"
)]
pub trait Texts<S>: Accepts<S, Msg> {}

impl<S: Logs<Msg>> Texts<S> for ArduPilot {}

/// A format with statistics among the records: those of a schema with [`Dsf`] and [`Dropped`].
#[diagnostic::on_unimplemented(
    message = "a log of frames has no statistics",
    label = "`{S}` is a Blackbox schema, whose logs have frames and events",
    note = "the program has them: `Drain::counts`, `Logger::statistics` and the `Logger::tally` of each frame",
    note = "the log shows each gap between its frames"
)]
pub trait ReportsStatistics<S> {
    /// Encodes a message. Returns its length; `None` if `out` is too short.
    fn encode_dsf(message: &Dsf, out: &mut [u8]) -> Option<usize>;

    /// Encodes a message. Returns its length; `None` if `out` is too short.
    fn encode_dropped(message: &Dropped, out: &mut [u8]) -> Option<usize>;
}

impl<S: Logs<Dsf> + Logs<Dropped>> ReportsStatistics<S> for ArduPilot {
    fn encode_dsf(message: &Dsf, out: &mut [u8]) -> Option<usize> {
        crate::write::encode::<S, _>(message, out).ok()
    }

    fn encode_dropped(message: &Dropped, out: &mut [u8]) -> Option<usize> {
        crate::write::encode::<S, _>(message, out).ok()
    }
}

/// A format with statistics of the ring: those of a schema with [`Ring`], too.
#[diagnostic::on_unimplemented(
    message = "a log of frames has no statistics",
    label = "`{S}` is a Blackbox schema, whose logs have frames and events",
    note = "the program has them: `Logger::statistics` has the most bytes of the ring that were in use, and the longest stall"
)]
pub trait ReportsRing<S>: ReportsStatistics<S> {
    /// Encodes a message. Returns its length; `None` if `out` is too short.
    fn encode_ring(message: &Ring, out: &mut [u8]) -> Option<usize>;
}

impl<S: Logs<Dsf> + Logs<Dropped> + Logs<Ring>> ReportsRing<S> for ArduPilot {
    fn encode_ring(message: &Ring, out: &mut [u8]) -> Option<usize> {
        crate::write::encode::<S, _>(message, out).ok()
    }
}
