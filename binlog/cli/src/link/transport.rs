//! Bytes over UDP, TCP or a serial port.

use super::name::{Kind, LinkName};
use super::{WAIT, is_nothing};
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs, UdpSocket};
use std::time::Duration;

/// Opening a connection, or sending, takes no longer.
const PATIENCE: Duration = Duration::from_secs(2);

pub(super) enum Transport {
    Udp(UdpSocket),
    UdpIn(UdpSocket),
    Tcp(TcpStream),
    #[cfg(feature = "serial")]
    Serial(Box<dyn serialport::SerialPort>),
}

impl std::fmt::Debug for Transport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Transport::Udp(_) => "Udp",
            Transport::UdpIn(_) => "UdpIn",
            Transport::Tcp(_) => "Tcp",
            #[cfg(feature = "serial")]
            Transport::Serial(_) => "Serial",
        })
    }
}

impl Transport {
    pub(super) fn open(name: &LinkName) -> io::Result<Self> {
        Ok(match &name.0 {
            Kind::Udp(address) => {
                let open = |to: SocketAddr| {
                    let any = if to.is_ipv4() { "0.0.0.0:0" } else { "[::]:0" };
                    let socket = UdpSocket::bind(any)?;
                    socket.connect(to)?;
                    Ok(socket)
                };
                Transport::Udp(with_timeout(first(address, open)?)?)
            }
            Kind::UdpIn(address) => Transport::UdpIn(with_timeout(first(address, UdpSocket::bind)?)?),
            Kind::Tcp(address) => {
                let stream = first(address, |to| TcpStream::connect_timeout(&to, PATIENCE))?;
                stream.set_nodelay(true)?;
                stream.set_read_timeout(Some(WAIT))?;
                stream.set_write_timeout(Some(PATIENCE))?;
                Transport::Tcp(stream)
            }
            #[cfg(feature = "serial")]
            Kind::Serial { port, baud } => Transport::Serial(serialport::new(port, *baud).timeout(WAIT).open()?),
            #[cfg(not(feature = "serial"))]
            Kind::Serial { .. } => {
                let text = "this binlog is built without serial ports; `cargo install binlog-cli --features serial` has \
                            them";
                return Err(io::Error::new(io::ErrorKind::Unsupported, text));
            }
        })
    }

    /// Waits for bytes; none come if nothing is there. A UDP port of this computer has the address that sent them.
    ///
    /// # Errors
    ///
    /// If the link is closed.
    pub(super) fn receive(&mut self, buffer: &mut [u8]) -> io::Result<(usize, Option<SocketAddr>)> {
        let received = match self {
            Transport::Udp(socket) => socket.recv(buffer),
            Transport::UdpIn(socket) => match socket.recv_from(buffer) {
                Ok((length, from)) => return Ok((length, Some(from))),
                Err(error) => Err(error),
            },
            Transport::Tcp(stream) => match stream.read(buffer) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Err(error) if error.kind() == io::ErrorKind::ConnectionReset => return Err(error),
                read => read,
            },
            #[cfg(feature = "serial")]
            Transport::Serial(port) => match port.read(buffer) {
                // A terminal that was hung up.
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                read => read,
            },
        };
        match received {
            Err(error) if is_nothing(&error) => Ok((0, None)),
            received => received.map(|length| (length, None)),
        }
    }

    /// Sends a frame, from a UDP port of this computer to the addresses `to`. A UDP packet may be lost, as on its way.
    ///
    /// # Errors
    ///
    /// If the link is closed, or doesn't take the frame.
    pub(super) fn send(&mut self, frame: &[u8], to: impl FnOnce() -> Vec<SocketAddr>) -> io::Result<()> {
        match self {
            Transport::Udp(socket) => drop(socket.send(frame)),
            Transport::UdpIn(socket) => to().into_iter().for_each(|to| drop(socket.send_to(frame, to))),
            Transport::Tcp(stream) => stream.write_all(frame)?,
            #[cfg(feature = "serial")]
            Transport::Serial(port) => match port.write_all(frame) {
                Err(error) if is_nothing(&error) => {}
                written => written?,
            },
        }
        Ok(())
    }
}

/// What opens at the first of the addresses at which it does.
fn first<T>(address: &str, mut open: impl FnMut(SocketAddr) -> io::Result<T>) -> io::Result<T> {
    let mut failed = io::Error::new(io::ErrorKind::NotFound, "the host has no address");
    for address in address.to_socket_addrs()? {
        match open(address) {
            Ok(opened) => return Ok(opened),
            Err(error) => failed = error,
        }
    }
    Err(failed)
}

fn with_timeout(socket: UdpSocket) -> io::Result<UdpSocket> {
    socket.set_read_timeout(Some(WAIT))?;
    Ok(socket)
}
