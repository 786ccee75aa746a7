//! What is removed from a log, beside positions, which are moved: the table of kinds, with their reasons.

use std::fmt;

/// Something that tells where a log was recorded, by whom or with what.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Kind {
    /// Coordinates that can't be moved.
    Coordinates,
    /// The magnetic declination.
    Declination,
    /// The magnetic field of the earth, as filters estimate it.
    EarthField,
    /// The height of the ellipsoid.
    Ellipsoid,
    /// The height of the terrain.
    Terrain,
    /// Raw measurements of satellites.
    Satellites,
    /// Other aircraft and ships.
    Traffic,
    /// Frames of a bus.
    Bus,
    /// Texts.
    Texts,
    /// Embedded files.
    Files,
    /// Numbers and names of boards, vehicles, people and networks.
    Ids,
    /// Heights above the sea.
    Heights,
    /// Dates.
    Dates,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 13] = [
        Kind::Coordinates,
        Kind::Declination,
        Kind::EarthField,
        Kind::Ellipsoid,
        Kind::Terrain,
        Kind::Satellites,
        Kind::Traffic,
        Kind::Bus,
        Kind::Texts,
        Kind::Files,
        Kind::Ids,
        Kind::Heights,
        Kind::Dates,
    ];

    /// The name by which a command line chooses the kind.
    pub fn name(self) -> &'static str {
        self.row().0
    }

    /// Where a log has it.
    pub fn places(self) -> &'static str {
        self.row().1
    }

    /// Why it is removed.
    pub fn reason(self) -> &'static str {
        self.row().2
    }

    /// Whether it is removed unless it is kept. The others stay unless they are dropped.
    pub fn is_removed(self) -> bool {
        !matches!(self, Kind::Heights | Kind::Dates)
    }

    /// The kind with a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Kind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Name, places and reason.
    fn row(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Kind::Coordinates => (
                "coordinates",
                "columns named as a latitude or longitude in another unit than degrees and radians, in steps of more \
                 than 1e-5 degrees, or in small, scaled or half-precision numbers",
                "they can't be moved exactly, and they may show the place",
            ),
            Kind::Declination => (
                "declination",
                "COMPASS_DEC, ATT_MAG_DECL, mag_declination; RMGH.Dec",
                "a map of declinations shows a line on which the place is",
            ),
            Kind::EarthField => (
                "earth-field",
                "MN, ME, MD of the filters (XKF2, NKF2, EKF2)",
                "strength, inclination and declination together show the place to some 100 km",
            ),
            Kind::Ellipsoid => {
                ("ellipsoid", "GPA.AEl, SBFE.Undul", "its distance from the sea level differs from place to place")
            }
            Kind::Terrain => ("terrain", "TERR", "heights of the ground show the place on a map"),
            Kind::Satellites => {
                ("satellites", "GRAW, GRXH, GRXS, SBRE, SBRH, SBRM", "positions can be computed from them")
            }
            Kind::Traffic => {
                ("traffic", "ADSB, AIS1, AIS4, AIS5, AISR", "public records tell where each aircraft and ship was")
            }
            Kind::Bus => ("bus", "CANF, CAFD", "raw frames have positions and numbers of devices"),
            Kind::Texts => (
                "texts",
                "MSG and all other texts, except names of parameters, modes and tasks; of texts that name the vehicle, \
                 name and version stay",
                "they may have anything: positions, names, numbers of boards",
            ),
            Kind::Files => ("files", "FILE", "scripts, missions and settings may have anything"),
            Kind::Ids => (
                "ids",
                "parameters such as BRD_SERIAL_NUM, SYSID_THISMAV, NET_MACADDR0; columns such as \
                 CAND.UID1; of Blackbox headers, Craft name, Pilot name, DeviceUID and unknown texts",
                "they identify the vehicle, its owner or a network",
            ),
            Kind::Heights => (
                "heights",
                "heights beside positions, BARO.Press, BARO.AltAMSL, GND_PRESS; GPS_altitude of Blackbox",
                "the profile of a flight near the ground may fit one place only",
            ),
            Kind::Dates => (
                "dates",
                "GPS weeks and times, STAT_RESET; Log start datetime of Blackbox",
                "the moment, with weather or the sun, narrows the place down, and others may know who flew then",
            ),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
