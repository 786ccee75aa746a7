//! The inputs of a Blackbox schema: the frames of a log's sessions as the program's structs.

use super::error::ReplayError;
use super::item::Item;
use super::order::Order;
use crate::blackbox::log::{Item as FrameItem, Session, TypedFrames};
use crate::blackbox::{BlackboxSchema, FrameKind};

/// The frames of all sessions.
pub(super) struct Frames<'f, S> {
    /// Those that follow, with their numbers.
    sessions: std::iter::Enumerate<std::slice::Iter<'f, Session<'f>>>,
    frames: Option<TypedFrames<'f, S>>,
    order: Order<S>,
    is_over: bool,
}

impl<'f, S: BlackboxSchema> Frames<'f, S> {
    pub(super) fn new(sessions: &'f [Session<'f>]) -> Self {
        Frames { sessions: sessions.iter().enumerate(), frames: None, order: Order::new(), is_over: false }
    }
}

impl<S: BlackboxSchema> Iterator for Frames<'_, S> {
    type Item = Result<Item<S>, ReplayError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(item) = self.order.pop() {
                return Some(Ok(item));
            }
            if self.is_over {
                return None;
            }
            match self.frames.as_mut().and_then(Iterator::next) {
                Some(Ok(FrameItem::Frame(frame))) => {
                    let name = match frame.frame.frame().0 {
                        FrameKind::Slow => "slow",
                        FrameKind::Gps => "gps",
                        FrameKind::Home => "home",
                        FrameKind::Intra | FrameKind::Inter | FrameKind::Event => "main",
                    };
                    let source = self.order.source(name);
                    self.order.input(Some(frame.time_us), source, frame.frame);
                }
                Some(Ok(FrameItem::Event { time_us, event, .. })) => {
                    self.order.between(Item::Event { time_us, event });
                }
                Some(Ok(FrameItem::Lost(lost))) => self.order.between(lost_item(&lost)),
                Some(Err(beyond)) => return Some(Err(ReplayError::Beyond(beyond))),
                None => match self.sessions.next() {
                    None => {
                        self.is_over = true;
                        self.order.end();
                    }
                    Some((i, session)) => {
                        self.order.begin(i + 1);
                        match session.typed_frames() {
                            Ok(frames) => self.frames = Some(frames),
                            Err(source) => {
                                self.frames = None;
                                return Some(Err(ReplayError::Session { number: i + 1, source }));
                            }
                        }
                    }
                },
            }
        }
    }
}

/// A stretch without frames.
pub(super) fn lost_item<T>(lost: &crate::blackbox::log::Lost) -> Item<T> {
    Item::Lost { offset: lost.offset, length: lost.length, reason: lost.reason.to_string() }
}
