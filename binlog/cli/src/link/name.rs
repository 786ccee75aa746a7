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
    /// Waits for the first sender.
    UdpIn(String),
    Tcp(String),
    Serial {
        port: String,
        baud: u32,
    },
}

impl FromStr for LinkName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let forms = "udp:HOST:PORT, udpin:PORT, udpin:HOST:PORT, tcp:HOST:PORT or serial:PORT:BAUD";
        let Some((kind, rest)) = text.split_once(':') else { return Err(format!("a link is {forms}")) };
        let kind = match kind {
            "udp" => Kind::Udp(host_and_port(rest)?),
            "tcp" => Kind::Tcp(host_and_port(rest)?),
            // Others can't reach it unless that is asked for.
            "udpin" if !rest.trim_start_matches(':').contains(':') => {
                Kind::UdpIn(host_and_port(&format!("127.0.0.1:{}", rest.trim_start_matches(':')))?)
            }
            "udpin" => Kind::UdpIn(host_and_port(rest)?),
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

fn host_and_port(text: &str) -> Result<String, String> {
    let port = |text: &str| text.parse::<u16>().ok().filter(|port| *port > 0);
    match text.rsplit_once(':').map(|(host, text)| (host, port(text))) {
        Some((host, Some(_))) if !host.is_empty() => Ok(text.to_owned()),
        _ => Err(format!("`{text}` isn't a host and a port, such as 127.0.0.1:14550")),
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
            ("udp:14550", "`14550` isn't a host and a port"),
            ("udp::14550", "isn't a host and a port"),
            ("udpin:", "isn't a host and a port"),
            ("udpin:0", "isn't a host and a port"),
            ("udpin:65536", "isn't a host and a port"),
            ("tcp:localhost", "isn't a host and a port"),
            ("serial:/dev/ttyACM0", "bits a second"),
            ("serial:COM5:0", "bits a second"),
            ("serial::9600", "bits a second"),
        ] {
            let error = typed.parse::<LinkName>().expect_err(typed);
            assert!(error.contains(said), "{typed}: {error}");
        }
    }
}
