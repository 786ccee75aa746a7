//! MAVExplorer's functions of whole messages, as expressions of their columns.
//!
//! Source: their names, arguments and results are those of pymavlink's `mavextra.py`, which graphs of `mavgraphs.xml`
//! call. The formulas are textbook ones: the rotation from body to earth by Euler angles, and the great circle.

use super::error::Problem;
use super::{Node, parser};

/// A function of messages.
#[derive(PartialEq, Debug)]
pub(super) struct OfMessages {
    pub(super) name: &'static str,
    /// The number of its arguments.
    pub(super) messages: usize,
    /// Its components; one with an empty name if the result is a number.
    components: &'static [&'static str],
    /// The expression of each component, in which `A` and `B` are the messages.
    expressions: &'static [&'static str],
}

pub(super) static FUNCTIONS: [OfMessages; 6] = [
    OfMessages {
        name: "distance_two",
        messages: 2,
        components: &[""],
        expressions: &["distance_lat_lon(A.Lat, A.Lng, B.Lat, B.Lng)"],
    },
    OfMessages {
        name: "distance_gps2",
        messages: 2,
        components: &[""],
        expressions: &["distance_lat_lon(A.Lat, A.Lng, B.Lat, B.Lng)"],
    },
    OfMessages {
        name: "distance_home",
        messages: 1,
        components: &[""],
        expressions: &["distance_first(A.Lat, A.Lng, A.Status)"],
    },
    OfMessages {
        name: "mag_field_df",
        messages: 1,
        components: &[""],
        expressions: &["sqrt(A.MagX**2 + A.MagY**2 + A.MagZ**2)"],
    },
    OfMessages {
        name: "gps_velocity_df",
        messages: 1,
        components: &["x", "y", "z"],
        expressions: &["A.Spd*cos(radians(A.GCrs))", "A.Spd*sin(radians(A.GCrs))", "A.VZ"],
    },
    OfMessages {
        name: "earth_accel_df",
        messages: 2,
        components: &["x", "y", "z"],
        expressions: &[
            "A.AccX*cos(radians(B.Pitch))*cos(radians(B.Yaw)) \
             + A.AccY*(sin(radians(B.Roll))*sin(radians(B.Pitch))*cos(radians(B.Yaw)) \
             - cos(radians(B.Roll))*sin(radians(B.Yaw))) \
             + A.AccZ*(cos(radians(B.Roll))*sin(radians(B.Pitch))*cos(radians(B.Yaw)) \
             + sin(radians(B.Roll))*sin(radians(B.Yaw)))",
            "A.AccX*cos(radians(B.Pitch))*sin(radians(B.Yaw)) \
             + A.AccY*(sin(radians(B.Roll))*sin(radians(B.Pitch))*sin(radians(B.Yaw)) \
             + cos(radians(B.Roll))*cos(radians(B.Yaw))) \
             + A.AccZ*(cos(radians(B.Roll))*sin(radians(B.Pitch))*sin(radians(B.Yaw)) \
             - sin(radians(B.Roll))*cos(radians(B.Yaw)))",
            "-A.AccX*sin(radians(B.Pitch)) + A.AccY*sin(radians(B.Roll))*cos(radians(B.Pitch)) \
             + A.AccZ*cos(radians(B.Roll))*cos(radians(B.Pitch))",
        ],
    },
];

/// Functions of `mavextra.py` that need telemetry, the parameters or a model of the earth's magnetic field.
pub(super) const UNAVAILABLE: [&str; 16] = [
    "airspeed",
    "airspeed_ratio",
    "altitude",
    "earth_accel",
    "earth_field_error",
    "earth_gyro",
    "expected_mag",
    "expected_mag_yaw",
    "flow_vel_ef",
    "gps_vel_body",
    "gravity",
    "link_up",
    "mag_field",
    "mag_heading",
    "mag_heading_df",
    "sim_body_rates",
];

impl OfMessages {
    /// The expression of a component for messages, each with its place in the text.
    pub(super) fn node(&self, component: &str, messages: &[(&str, usize)]) -> Result<Node, Problem> {
        let chosen = self.components.iter().position(|known| *known == component);
        let Some(chosen) = chosen else {
            return Err(Problem::NoComponent { name: self.name, components: self.components });
        };
        let mut node = parser::node(self.expressions[chosen]).map_err(|error| error.problem().clone())?;
        node.visit_mut(&mut |node| {
            if let Node::Column(name, at) = node
                && let Some((message, place)) = messages.get(usize::from(name.table.as_deref() == Some("B")))
            {
                name.table = Some((*message).to_owned());
                *at = *place;
            }
        });
        Ok(node)
    }
}
