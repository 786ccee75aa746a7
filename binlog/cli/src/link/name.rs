//! How a link is written on the command line.

use std::fmt;
use std::str::FromStr;

/// Bits a second that serial ports have at most.
const MOST_BAUD: u32 = 20_000_000;

/// A link: `udp:HOST:PORT`, `udpin:PORT` or `udpin:HOST:PORT`, `tcp:HOST:PORT`, `serial:PORT:BAUD`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LinkName(pub(super) Kind);

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// Sends to an address.
    Udp(String),
    /// Receives at an address of this computer.
    UdpIn(String),
    Tcp(String),
    Serial {
        port: String,
        baud: u32,
    },
}

impl LinkName {
    pub(super) fn is_serial(&self) -> bool {
        matches!(self.0, Kind::Serial { .. })
    }
}

impl FromStr for LinkName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let forms = "udp:HOST:PORT, udpin:PORT, udpin:HOST:PORT, tcp:HOST:PORT or serial:PORT:BAUD";
        let Some((kind, rest)) = text.split_once(':') else { return Err(format!("a link is {forms}")) };
        let kind = match kind {
            "udp" => Kind::Udp(host_and_port("udp", rest)?),
            "tcp" => Kind::Tcp(host_and_port("tcp", rest)?),
            "udpin" => Kind::UdpIn(address_and_port(rest)?),
            "serial" => {
                let baud = |text: &str| text.parse().ok().filter(|baud| (1..=MOST_BAUD).contains(baud));
                match rest.rsplit_once(':').map(|(port, text)| (port, baud(text))) {
                    Some((port, Some(baud))) if !port.is_empty() => Kind::Serial { port: port.to_owned(), baud },
                    _ => return Err("a serial port has its bits a second: serial:/dev/ttyACM0:921600".into()),
                }
            }
            other => return Err(format!("`{other}` isn't a kind of link; a link is {forms}")),
        };
        Ok(LinkName(kind))
    }
}

fn port(text: &str) -> Option<u16> {
    text.parse().ok().filter(|port| *port > 0)
}

/// Splits at the last colon. An IPv6 address has brackets, so that its colons aren't the port's.
fn split(text: &str) -> Option<(&str, &str)> {
    let (host, port) = text.rsplit_once(':')?;
    let is_whole = !host.contains(':') || host.starts_with('[') && host.ends_with(']');
    (!host.is_empty() && is_whole).then_some((host, port))
}

fn host_and_port(kind: &str, text: &str) -> Result<String, String> {
    match split(text) {
        Some((_, number)) if port(number).is_some() => Ok(text.to_owned()),
        _ => Err(format!(
            "`{text}` isn't a host and a port from 1 to 65535: write {kind}:192.168.1.7:14550, or {kind}:[::1]:14550 \
             for IPv6"
        )),
    }
}

/// Without an address it is that of this computer, so that others can't reach it unless that is asked for.
fn address_and_port(text: &str) -> Result<String, String> {
    match (port(text.strip_prefix(':').unwrap_or(text)), split(text)) {
        (Some(number), _) => Ok(format!("127.0.0.1:{number}")),
        (None, Some((_, number))) if port(number).is_some() => Ok(text.to_owned()),
        _ => Err(format!(
            "`{text}` isn't a port from 1 to 65535, with or without an address of this computer: write udpin:14550, \
             udpin:0.0.0.0:14550 or udpin:[::]:14550"
        )),
    }
}

impl fmt::Display for LinkName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Udp(address) => write!(f, "udp:{address}"),
            Kind::UdpIn(address) => write!(f, "udpin:{address}"),
            Kind::Tcp(address) => write!(f, "tcp:{address}"),
            Kind::Serial { port, baud } => write!(f, "serial:{port}:{baud}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_read_as_it_is_typed() {
        for (typed, read) in [
            ("udp:192.168.1.7:14550", "udp:192.168.1.7:14550"),
            ("udp:[::1]:14550", "udp:[::1]:14550"),
            ("udpin:14550", "udpin:127.0.0.1:14550"),
            ("udpin::14550", "udpin:127.0.0.1:14550"),
            ("udpin:0.0.0.0:14550", "udpin:0.0.0.0:14550"),
            ("udpin:[::]:14550", "udpin:[::]:14550"),
            ("tcp:localhost:5760", "tcp:localhost:5760"),
            ("serial:/dev/ttyACM0:921600", "serial:/dev/ttyACM0:921600"),
            ("serial:COM5:57600", "serial:COM5:57600"),
            ("serial:/dev/serial/by-id/a:b:115200", "serial:/dev/serial/by-id/a:b:115200"),
        ] {
            assert_eq!(typed.parse::<LinkName>().map(|link| link.to_string()), Ok(read.to_owned()));
        }
    }

    #[test]
    fn a_wrong_link_is_an_error_that_says_what_is_right() {
        for (typed, said) in [
            ("", "a link is udp:HOST:PORT"),
            ("14550", "a link is udp:HOST:PORT"),
            ("udpout:1.2.3.4:1", "`udpout` isn't a kind of link"),
            ("udp:14550", "`14550` isn't a host and a port from 1 to 65535: write udp:192.168.1.7:14550"),
            ("udp::14550", "isn't a host and a port"),
            ("udp:::1:14550", "udp:[::1]:14550 for IPv6"),
            ("udp:[::1]", "udp:[::1]:14550 for IPv6"),
            ("tcp:localhost", "`localhost` isn't a host and a port from 1 to 65535: write tcp:"),
            ("udpin:", "`` isn't a port from 1 to 65535"),
            ("udpin:0", "`0` isn't a port from 1 to 65535"),
            ("udpin:65536", "`65536` isn't a port from 1 to 65535"),
            ("udpin:localhost", "`localhost` isn't a port from 1 to 65535"),
            ("udpin:0.0.0.0", "write udpin:14550, udpin:0.0.0.0:14550"),
            ("udpin:0.0.0.0:", "write udpin:14550, udpin:0.0.0.0:14550"),
            ("udpin:0.0.0.0:port", "write udpin:14550, udpin:0.0.0.0:14550"),
            ("udpin:::1:14550", "udpin:[::]:14550"),
            ("udpin:[::]", "udpin:[::]:14550"),
            ("serial:/dev/ttyACM0", "bits a second"),
            ("serial:COM5:0", "bits a second"),
            ("serial::9600", "bits a second"),
        ] {
            let error = typed.parse::<LinkName>().expect_err(typed);
            assert!(error.contains(said), "{typed}: {error}");
        }
    }
}
