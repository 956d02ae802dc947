//! Calls to a venue over `std::net`: those of its laboratory, and signed ones of its interface.
//!
//! Not here  TLS, which the standard library has not: a laboratory elsewhere is reached by plain HTTP, or through a tunnel

use crate::{json, sign, Json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{SystemTime, UNIX_EPOCH};
use std::{error, fmt};

/// What a venue or its laboratory refused, or why it could not be asked.
#[derive(Clone, Debug)]
pub struct LabError {
    /// Of the answer; 0: there was none.
    pub status: u16,
    /// Such as `unknown-snapshot`, or the code of the interface.
    pub code: String,
    pub message: String,
    /// Which field of the call is wrong.
    pub field: Option<String>,
    /// All that the error said: `until-not-reached` says `now`.
    pub facts: Json,
}

pub type Answer<T = Json> = Result<T, LabError>;

impl LabError {
    pub(crate) fn new(status: u16, facts: Json) -> LabError {
        let text = |name: &str| facts[name].text().unwrap_or_default().to_string();
        LabError { status, code: text("code"), message: text("message"), field: facts["field"].text().map(Into::into), facts }
    }

    pub(crate) fn here(code: &str, message: String) -> LabError {
        LabError::new(0, json!({"code": code, "message": message}))
    }
}

impl fmt::Display for LabError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.code, self.message)
    }
}

impl error::Error for LabError {}

/// A port, and what opens it.
#[derive(Clone, Debug)]
pub struct Calls {
    pub url: String,
    pub token: Option<String>,
}

impl Calls {
    pub(crate) fn lab(&self, method: &str, path: &str, body: Json) -> Answer {
        let target = format!("/_lab{path}");
        let token: Vec<_> = self.token.iter().map(|token| ("Authorization", format!("Bearer {token}"))).collect();
        let (status, text) = self.send(method, &target, &body.written(), &token)?;
        let answer = Json::read(&text).unwrap_or(Json::Null);
        if answer["ok"] == Json::Bool(true) {
            return Ok(answer["data"].clone());
        }
        if answer["error"] != Json::Null {
            return Err(LabError::new(status, answer["error"].clone()));
        }
        match (status, text.lines().map(Json::read).collect::<Result<Vec<_>, _>>()) {
            (200, Ok(lines)) => Ok(Json::List(lines)),
            (404, _) => {
                let message = format!("{} has no laboratory: start it with tidemark dev", self.url);
                Err(LabError::new(404, json!({"code": "no-laboratory", "message": message})))
            }
            _ => Err(answer_wrong(status, method, &target, &text)),
        }
    }

    pub(crate) fn signed(&self, key: &Json, method: &str, target: &str, body: Json) -> Answer {
        let sent = body.written();
        let timestamp = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis().to_string();
        let part = |name: &str| key[name].text().unwrap_or_default().to_string();
        let sign = sign::sign(&part("secret"), &format!("{timestamp}{method}{target}{sent}"));
        let headers = [
            ("ACCESS-KEY", part("apiKey")),
            ("ACCESS-PASSPHRASE", part("passphrase")),
            ("ACCESS-TIMESTAMP", timestamp),
            ("ACCESS-SIGN", sign),
        ];
        let (status, text) = self.send(method, target, &sent, &headers)?;
        let answer = Json::read(&text).unwrap_or(Json::Null);
        match answer["code"].text() {
            Some("00000") => Ok(answer["data"].clone()),
            Some(code) => {
                let message = format!("{method} {target}: {code} {}", answer["msg"].text().unwrap_or_default());
                Err(LabError::new(status, json!({"code": code, "message": message})))
            }
            None => Err(answer_wrong(status, method, target, &text)),
        }
    }

    fn send(&self, method: &str, target: &str, body: &str, headers: &[(&str, String)]) -> Answer<(u16, String)> {
        let mut bytes = Vec::new();
        let read = self.open(method, target, body, headers)?.read_to_end(&mut bytes);
        let answer = String::from_utf8_lossy(&bytes);
        let (head, text) = answer.split_once("\r\n\r\n").unwrap_or_default();
        match (read, head.split(' ').nth(1).and_then(|status| status.parse().ok())) {
            (Ok(_), Some(status)) => Ok((status, text.to_string())),
            _ => Err(self.unreachable()),
        }
    }

    /// A connection of its own for each request. By HTTP/1.0 the answer ends with it, so there are no chunks.
    pub(crate) fn open(&self, method: &str, target: &str, body: &str, headers: &[(&str, String)]) -> Answer<TcpStream> {
        let Some(rest) = self.url.strip_prefix("http://") else {
            return Err(LabError::here("option-wrong", format!("{}: an address begins with http:// here", self.url)));
        };
        let (host, prefix) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let port = if host.ends_with(']') || !host.contains(':') { ":80" } else { "" };
        let mut request = format!("{method} {prefix}{target} HTTP/1.0\r\nHost: {host}\r\nConnection: close\r\n");
        for (name, value) in headers {
            request += &format!("{name}: {value}\r\n");
        }
        if !body.is_empty() {
            request += &format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len());
        }
        request += &format!("\r\n{body}");
        let mut stream = TcpStream::connect(format!("{host}{port}")).map_err(|_| self.unreachable())?;
        stream.write_all(request.as_bytes()).map_err(|_| self.unreachable())?;
        Ok(stream)
    }

    fn unreachable(&self) -> LabError {
        LabError::here("unreachable", format!("there is no answer from {}", self.url))
    }
}

fn answer_wrong(status: u16, method: &str, target: &str, text: &str) -> LabError {
    let begin: String = text.chars().take(200).collect();
    let message = format!("{method} {target} was answered {status}: {begin}");
    LabError::new(status, json!({"code": "answer-wrong", "message": message}))
}
