//! JSON as the laboratory speaks it: `Json::read`, `to_string`, and `json!` to write it.
//!
//! Numbers  f64, exact for whole ones up to 2^53
//! Absent   a field or index that is not there is `Null`, so `answer["a"][0]["b"]` needs no steps between

use std::fmt::{self, Display, Formatter, Write};
use std::ops::Index;

#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

/// `json!({"symbol": "BTCUSDT", "qty": (0.1 + 0.2), "bids": [[59990, 1]]})`. What is more than one word or text is in brackets.
#[macro_export]
macro_rules! json {
    (null) => { $crate::Json::Null };
    ([$($item:tt),* $(,)?]) => { $crate::Json::List(vec![$($crate::json!($item)),*]) };
    ({$($name:tt : $value:tt),* $(,)?}) => { $crate::Json::Object(vec![$(($name.to_string(), $crate::json!($value))),*]) };
    ($value:expr) => { $crate::Json::from($value) };
}

impl Json {
    /// The value that a text is, or what is wrong with it and where.
    pub fn read(text: &str) -> Result<Json, String> {
        let mut reader = Reader { bytes: text.as_bytes(), at: 0 };
        let value = reader.value()?;
        reader.space();
        if reader.at == text.len() {
            Ok(value)
        } else {
            Err(format!("more after the end, at {}", reader.at))
        }
    }

    pub fn text(&self) -> Option<&str> {
        if let Json::Text(text) = self {
            Some(text)
        } else {
            None
        }
    }

    pub fn number(&self) -> Option<f64> {
        if let Json::Number(number) = self {
            Some(*number)
        } else {
            None
        }
    }

    pub fn list(&self) -> &[Json] {
        if let Json::List(list) = self {
            list
        } else {
            &[]
        }
    }

    /// The fields of an object, and one more or another.
    pub fn with(mut self, name: &str, value: Json) -> Json {
        if let Json::Object(fields) = &mut self {
            fields.retain(|(field, _)| field != name);
            fields.push((name.to_string(), value));
            return self;
        }
        json!({name: value})
    }

    /// A text without its quotes.
    pub(crate) fn to_word(&self) -> String {
        self.text().map_or_else(|| self.to_string(), str::to_string)
    }

    /// As a body: without fields that are null.
    pub(crate) fn written(self) -> String {
        match self {
            Json::Null => String::new(),
            Json::Object(fields) => Json::Object(fields.into_iter().filter(|(_, value)| *value != Json::Null).collect()).to_string(),
            other => other.to_string(),
        }
    }

    /// As a query, `?name=value&...`, of all fields that are not null.
    pub(crate) fn query(&self) -> String {
        let mut text = String::new();
        for (name, value) in self.fields().iter().filter(|(_, value)| *value != Json::Null) {
            text += &format!("{}{name}=", if text.is_empty() { '?' } else { '&' });
            for byte in value.to_word().bytes() {
                match byte {
                    b'-' | b'.' | b'_' | b'~' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => text.push(byte as char),
                    _ => text += &format!("%{byte:02X}"),
                }
            }
        }
        text
    }

    pub fn fields(&self) -> &[(String, Json)] {
        if let Json::Object(fields) = self {
            fields
        } else {
            &[]
        }
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn value(&mut self) -> Result<Json, String> {
        self.space();
        match self.bytes.get(self.at) {
            Some(b'{') => self
                .items(b'}', |of| {
                    of.space();
                    let name = of.string()?;
                    of.space();
                    if of.take(b':') {
                        Ok((name, of.value()?))
                    } else {
                        of.wrong()
                    }
                })
                .map(Json::Object),
            Some(b'[') => self.items(b']', Self::value).map(Json::List),
            Some(b'"') => self.string().map(Json::Text),
            _ => self.word(),
        }
    }

    fn items<T>(&mut self, end: u8, item: impl Fn(&mut Self) -> Result<T, String>) -> Result<Vec<T>, String> {
        let mut items = Vec::new();
        self.at += 1;
        self.space();
        while !self.take(end) {
            if !items.is_empty() && !self.take(b',') {
                return self.wrong();
            }
            items.push(item(self)?);
            self.space();
        }
        Ok(items)
    }

    fn string(&mut self) -> Result<String, String> {
        let mut found = Vec::new();
        if !self.take(b'"') {
            return self.wrong();
        }
        while !self.take(b'"') {
            let Some(&byte) = self.bytes.get(self.at) else { return self.wrong() };
            self.at += 1;
            if byte != b'\\' {
                found.push(byte);
                continue;
            }
            let Some(&escaped) = self.bytes.get(self.at) else { return self.wrong() };
            self.at += 1;
            found.push(match escaped {
                b'n' => b'\n',
                b't' => b'\t',
                b'r' => b'\r',
                b'b' => 8,
                b'f' => 12,
                b'u' => {
                    found.extend(self.code()?.to_string().bytes());
                    continue;
                }
                other => other,
            });
        }
        String::from_utf8(found).or_else(|_| self.wrong())
    }

    /// Four hexadecimal digits, and four more of the second half of a pair.
    fn code(&mut self) -> Result<char, String> {
        let mut units = vec![self.unit()?];
        if (0xd800..0xdc00).contains(&units[0]) && self.bytes[self.at..].starts_with(b"\\u") {
            self.at += 2;
            units.push(self.unit()?);
        }
        char::decode_utf16(units).next().and_then(Result::ok).map_or_else(|| self.wrong(), Ok)
    }

    fn unit(&mut self) -> Result<u16, String> {
        let digits = self.bytes.get(self.at..self.at + 4).and_then(|digits| std::str::from_utf8(digits).ok());
        self.at += 4;
        digits.and_then(|digits| u16::from_str_radix(digits, 16).ok()).map_or_else(|| self.wrong(), Ok)
    }

    fn word(&mut self) -> Result<Json, String> {
        let from = self.at;
        while self.bytes.get(self.at).is_some_and(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(byte)) {
            self.at += 1;
        }
        match std::str::from_utf8(&self.bytes[from..self.at]).unwrap_or_default() {
            "null" => Ok(Json::Null),
            "true" => Ok(Json::Bool(true)),
            "false" => Ok(Json::Bool(false)),
            word if word.starts_with(|first: char| first == '-' || first.is_ascii_digit()) => {
                word.parse().map(Json::Number).or_else(|_| self.wrong())
            }
            _ => self.wrong(),
        }
    }

    fn space(&mut self) {
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.bytes.get(self.at) == Some(&byte);
        self.at += usize::from(found);
        found
    }

    fn wrong<T>(&self) -> Result<T, String> {
        Err(format!("no JSON at {}", self.at))
    }
}

impl Display for Json {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Json::Null => out.write_str("null"),
            Json::Bool(value) => write!(out, "{value}"),
            Json::Number(number) => write!(out, "{number}"),
            Json::Text(text) => quoted(text, out),
            Json::List(list) => {
                out.write_char('[')?;
                for (at, item) in list.iter().enumerate() {
                    write!(out, "{}{item}", if at == 0 { "" } else { "," })?;
                }
                out.write_char(']')
            }
            Json::Object(fields) => {
                out.write_char('{')?;
                for (at, (name, value)) in fields.iter().enumerate() {
                    out.write_str(if at == 0 { "" } else { "," })?;
                    quoted(name, out)?;
                    write!(out, ":{value}")?;
                }
                out.write_char('}')
            }
        }
    }
}

fn quoted(text: &str, out: &mut Formatter<'_>) -> fmt::Result {
    out.write_char('"')?;
    for one in text.chars() {
        match one {
            '"' | '\\' => write!(out, "\\{one}")?,
            _ if one < ' ' => write!(out, "\\u{:04x}", one as u32)?,
            _ => out.write_char(one)?,
        }
    }
    out.write_char('"')
}

static NULL: Json = Json::Null;

impl Index<&str> for Json {
    type Output = Json;
    fn index(&self, name: &str) -> &Json {
        self.fields().iter().find(|(field, _)| field == name).map_or(&NULL, |(_, value)| value)
    }
}

impl Index<usize> for Json {
    type Output = Json;
    fn index(&self, at: usize) -> &Json {
        self.list().get(at).unwrap_or(&NULL)
    }
}

impl PartialEq<&str> for Json {
    fn eq(&self, other: &&str) -> bool {
        self.text() == Some(other)
    }
}

macro_rules! from {
    ($($type:ty, $value:ident => $made:expr;)*) => { $(impl From<$type> for Json {
        fn from($value: $type) -> Json { $made }
    })* };
}
from! {
    (), _none => Json::Null;
    bool, value => Json::Bool(value);
    f64, value => Json::Number(value);
    i32, value => Json::Number(value.into());
    i64, value => Json::Number(value as f64);
    u64, value => Json::Number(value as f64);
    &str, text => Json::Text(text.to_string());
    String, text => Json::Text(text);
    &String, text => Json::Text(text.clone());
    &Json, value => value.clone();
    Vec<Json>, list => Json::List(list);
}

impl<T: Into<Json>> From<Option<T>> for Json {
    fn from(value: Option<T>) -> Json {
        value.map_or(Json::Null, Into::into)
    }
}
