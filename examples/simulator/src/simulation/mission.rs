//! The flight plan: take off, fly squares, come home in time, land.

use std::fmt;

use super::estimate::Estimate;
use super::math::Vec3;
use super::params::*;

/// Side of the square, m.
const SIDE: f64 = 20.0;
/// Corners of the square, NED, m, and the heading on the way to each, degrees.
const CORNERS: [(Vec3, f64); 4] = [
    (Vec3::new(SIDE, 0.0, 0.0), 0.0),
    (Vec3::new(SIDE, SIDE, 0.0), 90.0),
    (Vec3::new(0.0, SIDE, 0.0), 180.0),
    (Vec3::ZERO, 270.0),
];
/// Height of the flight, m.
const HEIGHT: f64 = 10.0;
/// Motors turn on the ground for this long before take-off and after landing, s.
const IDLE_TIME: f64 = 1.0;
/// Time to hold over home after every square, s.
const HOLD_TIME: f64 = 10.0;
/// The vehicle counts as landed when it has not sunk for this long, s.
const LANDED_TIME: f64 = 0.7;

/// Flight modes, numbered as in ArduCopter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The pilot flies.
    Stabilize = 0,
    /// The vehicle follows waypoints.
    Auto = 3,
    /// The vehicle goes where it is told.
    Guided = 4,
    /// The vehicle holds its place.
    Loiter = 5,
    /// The vehicle returns to where it took off.
    Rtl = 6,
    /// The vehicle lands where it is.
    Land = 9,
}

/// Parts of the mission, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Waiting for a position.
    Startup,
    /// Ready to arm.
    Ready,
    /// Motors at idle before take-off.
    Armed,
    /// Climbing.
    TakeOff,
    /// On the way to a corner of the square.
    Square,
    /// Holding over home between squares.
    Hold,
    /// Flying home.
    Return,
    /// Descending to the ground.
    Land,
    /// Motors at idle after landing.
    Landed,
    /// Disarmed for good.
    Done,
}

impl Phase {
    /// The flight mode of this phase.
    pub fn mode(self) -> Mode {
        match self {
            Self::Startup | Self::Ready => Mode::Stabilize,
            Self::Armed | Self::TakeOff => Mode::Guided,
            Self::Square => Mode::Auto,
            Self::Hold => Mode::Loiter,
            Self::Return => Mode::Rtl,
            Self::Land | Self::Landed | Self::Done => Mode::Land,
        }
    }

    /// Whether the motors may turn in this phase.
    pub fn is_armed(self) -> bool {
        self.spool() != Spool::Off
    }

    /// What the motors may do in this phase.
    pub fn spool(self) -> Spool {
        match self {
            Self::Startup | Self::Ready | Self::Done => Spool::Off,
            Self::Armed | Self::Landed => Spool::Idle,
            _ => Spool::Flying,
        }
    }
}

/// Something worth a line in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The flight mode changed.
    Mode(Mode),
    /// Home is known.
    HomeSet,
    /// The motors may turn.
    Armed,
    /// The vehicle is about to leave the ground.
    TakeOff,
    /// A corner of the square, 1 to 4, was reached.
    Corner(usize),
    /// A gust began.
    GustBegin,
    /// The gust ended.
    GustEnd,
    /// The vehicle stands on the ground again.
    LandComplete,
    /// The motors are locked.
    Disarmed,
    /// The radio is lost.
    RadioLost,
    /// The compass isn't healthy.
    CompassUnhealthy,
    /// The estimator took its core of this number.
    LaneSwitch(u8),
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mode(mode) => write!(f, "Mode {mode:?}"),
            Self::HomeSet => f.write_str("Home set"),
            Self::Armed => f.write_str("Arming motors"),
            Self::TakeOff => f.write_str("Take-off"),
            Self::Corner(number) => write!(f, "Reached corner {number}"),
            Self::GustBegin => f.write_str("Gust begins"),
            Self::GustEnd => f.write_str("Gust ends"),
            Self::LandComplete => f.write_str("Land complete"),
            Self::Disarmed => f.write_str("Disarming motors"),
            Self::RadioLost => f.write_str("Radio Failsafe"),
            Self::CompassUnhealthy => f.write_str("Compass unhealthy"),
            Self::LaneSwitch(core) => write!(f, "EKF3 lane switch {core}"),
        }
    }
}

/// What the motors may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spool {
    /// Stand still.
    Off,
    /// Turn without lifting.
    Idle,
    /// Lift.
    Flying,
}

/// What the mission asks of the controllers.
#[derive(Clone, Copy, Debug)]
pub struct Setpoint {
    /// What the motors may do.
    pub spool: Spool,
    /// Where to fly to, NED, m.
    pub position: Vec3,
    /// Heading, degrees.
    pub yaw: f64,
    /// Fastest descent, m/s.
    pub descent_speed: f64,
}

/// The mission and its progress.
#[derive(Clone, Debug)]
pub struct Mission {
    /// The part the mission is in.
    pub phase: Phase,
    /// What the mission asks of the controllers.
    pub setpoint: Setpoint,
    /// Whether the radio is lost, so that the vehicle comes home.
    pub radio_lost: bool,
    since: f64,
    duration: f64,
    height: f64,
    corner: usize,
    still: f64,
    dt: f64,
}

impl Mission {
    /// A mission that is over after `duration` seconds, updated every `dt` seconds.
    pub fn new(duration: f64, dt: f64) -> Self {
        Self {
            phase: Phase::Startup,
            setpoint: Setpoint {
                spool: Spool::Off,
                position: Vec3::ZERO,
                yaw: 0.0,
                descent_speed: WPNAV_SPEED_DN / 100.0,
            },
            radio_lost: false,
            since: 0.0,
            duration,
            // A short flight stays low, so that it too ends on the ground.
            height: (0.4 * (duration - 12.0)).clamp(2.0, HEIGHT),
            corner: 0,
            still: 0.0,
            dt,
        }
    }

    /// The pilot's throttle stick, 0 to 1: in the middle while the vehicle flies itself.
    pub fn throttle_stick(&self) -> f64 {
        match self.phase.spool() {
            Spool::Flying => 0.5,
            _ => 0.0,
        }
    }

    /// Moves on to `time` seconds; what happens goes to `events`.
    ///
    /// `throttle` is that of the controller, which tells a landing from a slow descent.
    pub fn update(&mut self, time: f64, has_fix: bool, estimate: &Estimate, throttle: f64, events: &mut Vec<Event>) {
        let elapsed = time - self.since;
        let next = match self.phase {
            Phase::Startup if has_fix => {
                events.push(Event::HomeSet);
                Some(Phase::Ready)
            }
            Phase::Ready if elapsed > IDLE_TIME => {
                events.push(Event::Armed);
                Some(Phase::Armed)
            }
            Phase::Armed if elapsed > IDLE_TIME => {
                events.push(Event::TakeOff);
                self.setpoint.yaw = estimate.attitude.euler().yaw;
                self.fly_to(Vec3::ZERO);
                Some(Phase::TakeOff)
            }
            Phase::TakeOff if self.is_there(estimate) => {
                self.fly_to_corner(0);
                Some(Phase::Square)
            }
            Phase::Square | Phase::Hold if self.must_return(time, estimate) => {
                self.fly_to(Vec3::ZERO);
                Some(Phase::Return)
            }
            Phase::Square if self.is_there(estimate) => {
                events.push(Event::Corner(self.corner + 1));
                if self.corner + 1 < CORNERS.len() {
                    self.fly_to_corner(self.corner + 1);
                    None
                } else {
                    Some(Phase::Hold)
                }
            }
            Phase::Hold if elapsed > HOLD_TIME => {
                self.fly_to_corner(0);
                Some(Phase::Square)
            }
            Phase::Return if elapsed > RTL_LOIT_TIME / 1000.0 && self.is_home(estimate) => Some(Phase::Land),
            Phase::Land => self.has_landed(estimate, throttle).then(|| {
                events.push(Event::LandComplete);
                Phase::Landed
            }),
            Phase::Landed if elapsed > IDLE_TIME => {
                events.push(Event::Disarmed);
                Some(Phase::Done)
            }
            _ => None,
        };
        if let Some(next) = next {
            if next.mode() != self.phase.mode() {
                events.push(Event::Mode(next.mode()));
            }
            self.phase = next;
            self.since = time;
            self.setpoint.spool = next.spool();
        }
        if self.phase == Phase::Land {
            // A goal under the ground is never reached, so the descent does not slow down.
            self.setpoint.position.z = HEIGHT;
            let low = estimate.altitude() < LAND_ALT_LOW / 100.0;
            self.setpoint.descent_speed = if low { LAND_SPEED } else { WPNAV_SPEED_DN } / 100.0;
        }
    }

    fn fly_to(&mut self, place: Vec3) {
        self.setpoint.position = place + Vec3::new(0.0, 0.0, -self.height);
    }

    fn fly_to_corner(&mut self, corner: usize) {
        let (place, yaw) = CORNERS[corner];
        self.corner = corner;
        self.setpoint.yaw = yaw;
        self.fly_to(place);
    }

    fn is_there(&self, estimate: &Estimate) -> bool {
        (self.setpoint.position - estimate.position).length() < WPNAV_RADIUS / 100.0
    }

    /// Whether the vehicle is at rest over home, as it should be before it sinks.
    fn is_home(&self, estimate: &Estimate) -> bool {
        let distance = (self.setpoint.position - estimate.position).horizontal();
        distance.length() < 0.5 && estimate.velocity.length() < 0.5
    }

    /// Whether just enough time is left to fly home and land.
    fn must_return(&self, time: f64, estimate: &Estimate) -> bool {
        let way = estimate.position.horizontal().length() / (WPNAV_SPEED / 100.0);
        let low = LAND_ALT_LOW / 100.0;
        let fast_descent = (estimate.altitude() - low).max(0.0) / (WPNAV_SPEED_DN / 100.0);
        let slow_descent = estimate.altitude().min(low) / (LAND_SPEED / 100.0);
        // To turn round, to come to rest over home, and to be sure of the ground.
        let margin = 12.0;
        self.radio_lost || time + way + fast_descent + slow_descent + margin > self.duration
    }

    /// Whether the vehicle has stopped sinking though hardly any thrust holds it.
    fn has_landed(&mut self, estimate: &Estimate, throttle: f64) -> bool {
        let still = estimate.climb_rate().abs() < 0.15 && throttle < 0.5 * MOT_THST_HOVER;
        self.still = if still { self.still + self.dt } else { 0.0 };
        self.still > LANDED_TIME
    }
}
