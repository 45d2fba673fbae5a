use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use crate::faults::Fault;

/// The largest magnitude up to which every integer is a double of its own.
pub(crate) const MAX_EXACT: u64 = (1 << 53) - 1;
/// How deep arguments may nest; the object itself is the first level.
pub(crate) const MAX_DEPTH: usize = 64;

/// Reads arguments: an object, where `null` and a blank string stand for an empty one.
pub(crate) fn read_arguments(json: &str) -> Result<Map<String, Value>, Fault> {
    let got = match read(json)? {
        Value::Object(members) => return Ok(members),
        Value::Null => return Ok(Map::new()),
        Value::String(text) if text.trim().is_empty() => return Ok(Map::new()),
        other => kind_of(&other),
    };
    Err(Fault::new(
        "",
        format!("expected an object with the arguments, got {got}"),
    ))
}

/// Reads a JSON text, refusing all that two readers could take for different values.
///
/// Shape: `-0` is read as `0`, because both have one canonical form.
pub(crate) fn read(json: &str) -> Result<Value, Fault> {
    let mut reader = Reader::default();
    let mut deserializer = serde_json::Deserializer::from_str(json);
    let value = ValueSeed(&mut reader).deserialize(&mut deserializer);
    match value.and_then(|value| deserializer.end().map(|()| value)) {
        Ok(value) => Ok(value),
        Err(error) => {
            let path = reader.dotted_path();
            Err(Fault::new(
                path,
                reader.reason.unwrap_or_else(|| reword(&error)),
            ))
        }
    }
}

/// Names the kind of a value with its article.
pub(crate) fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

fn reword(error: &serde_json::Error) -> String {
    let text = error.to_string();
    if text.starts_with("number out of range") {
        "number too large to hold".to_owned()
    } else if text.contains("surrogate") || text.contains("hex escape") {
        "the text holds half of a surrogate pair, which is no character".to_owned()
    } else {
        format!("not readable as JSON: {text}")
    }
}

enum Segment {
    Key(String),
    Index(usize),
}

/// Where the reader is; after a failure, where it failed.
#[derive(Default)]
struct Reader {
    path: Vec<Segment>,
    reason: Option<String>,
}

impl Reader {
    fn dotted_path(&self) -> String {
        let segments = self.path.iter().map(|segment| match segment {
            Segment::Key(key) => key.clone(),
            Segment::Index(index) => index.to_string(),
        });
        segments.collect::<Vec<_>>().join(".")
    }

    fn refuse<E: Error>(&mut self, reason: String) -> E {
        self.reason = Some(reason);
        E::custom("refused")
    }

    fn refuse_number<E: Error>(&mut self, number: impl fmt::Display) -> E {
        self.refuse(format!(
            "the number {number} is beyond {MAX_EXACT} (2^53-1), where JSON numbers stop being exact"
        ))
    }

    fn enter<E: Error>(&mut self) -> Result<(), E> {
        if self.path.len() < MAX_DEPTH {
            return Ok(());
        }
        Err(self.refuse(format!("nested deeper than {MAX_DEPTH} levels")))
    }
}

struct ValueSeed<'a>(&'a mut Reader);

impl<'de> DeserializeSeed<'de> for ValueSeed<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ValueSeed<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        if value > MAX_EXACT {
            return Err(self.0.refuse_number(value));
        }
        Ok(value.into())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        if value.unsigned_abs() > MAX_EXACT {
            return Err(self.0.refuse_number(value));
        }
        Ok(value.into())
    }

    // An integer of more than 64 bits arrives here too; every double this large is an integer.
    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        if value.abs() > MAX_EXACT as f64 {
            return Err(self.0.refuse_number(value));
        }
        if value == 0.0 {
            return Ok(0.into());
        }
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E: Error>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        self.0.enter()?;
        let mut items = Vec::new();
        loop {
            self.0.path.push(Segment::Index(items.len()));
            let item = seq.next_element_seed(ValueSeed(self.0))?;
            self.0.path.pop();
            match item {
                Some(item) => items.push(item),
                None => return Ok(Value::Array(items)),
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        self.0.enter()?;
        let mut members = Map::new();
        while let Some(key) = map.next_key::<String>()? {
            self.0.path.push(Segment::Key(key.clone()));
            if members.contains_key(&key) {
                return Err(self.0.refuse("the key is written twice".to_owned()));
            }
            let value = map.next_value_seed(ValueSeed(self.0))?;
            self.0.path.pop();
            members.insert(key, value);
        }
        Ok(Value::Object(members))
    }
}
