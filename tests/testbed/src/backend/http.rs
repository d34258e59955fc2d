//! As much of an HTTP/1.1 client as a question to a back end needs, blocking.

use std::io::{self, ErrorKind, Read, Write};

/// Asks for a path and reads the answer to its end.
pub(super) fn ask(mut stream: impl Read + Write, host: &str, path: &str) -> io::Result<(u16, String)> {
    // In one piece: a server that answers after the first line would break the writing of the second.
    let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes())?;
    stream.flush()?;
    let mut text = Vec::new();
    match stream.read_to_end(&mut text) {
        // TLS that ends without saying so; whether the answer is whole is seen below.
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => {}
        result => drop(result?),
    }
    parse(&String::from_utf8_lossy(&text)).ok_or_else(|| ErrorKind::UnexpectedEof.into())
}

/// The status and the body; none if the answer is not whole.
fn parse(text: &str) -> Option<(u16, String)> {
    let (head, body) = text.split_once("\r\n\r\n")?;
    let mut lines = head.lines();
    let status = lines.next()?.strip_prefix("HTTP/1.")?.split(' ').nth(1)?.parse().ok()?;
    let length = lines
        .filter_map(|line| line.split_once(':'))
        .find(|(name, _)| name.eq_ignore_ascii_case("content-length"))
        .and_then(|(_, value)| value.trim().parse::<usize>().ok());
    match length {
        Some(length) => Some((status, body.get(..length)?.to_owned())),
        None => Some((status, body.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn only_a_whole_answer_is_an_answer() {
        for (text, expected) in [
            ("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi", Some((200, "hi"))),
            ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nhi", None),
            ("HTTP/1.0 400 Bad Request\r\n\r\nno", Some((400, "no"))),
            ("HTTP/1.1 200 OK\r\n", None),
            ("SSH-2.0-OpenSSH\r\n\r\n", None),
            ("", None),
        ] {
            assert_eq!(parse(text), expected.map(|(status, body)| (status, body.to_owned())), "{text:?}");
        }
    }
}
