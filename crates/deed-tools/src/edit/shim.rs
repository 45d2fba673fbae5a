use std::fmt;

use deed_schema::RawArgs;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// Brings arguments of known wrong shapes into the right one and leaves all others alone: `edits`
/// as JSON text or as one edit, and one edit written beside `path` instead of in `edits`.
pub(super) fn prepare(raw: RawArgs) -> RawArgs {
    match serde_json::from_str::<Members>(raw.get()) {
        Ok(members) => members.prepared().unwrap_or(raw),
        Err(_) => raw,
    }
}

/// The members of an object in order, values to the letter, so that nothing that a strict reader
/// would refuse (a key written twice) is lost on the way to it.
struct Members(Vec<(String, Box<RawValue>)>);

impl Members {
    /// Returns the arguments in the right shape; `None` if they are not in a known wrong one.
    fn prepared(mut self) -> Option<RawArgs> {
        let old = self.take("oldText");
        let new = self.take("newText");
        let edits = self.take("edits");
        if [&old, &new, &edits].iter().any(|values| values.len() > 1) {
            return None;
        }
        let given = edits.first().map_or("[]", |edits| edits.get());
        let mut list = as_list(given)?;
        let has_legacy = !old.is_empty() && !new.is_empty();
        if let (Some(old), Some(new)) = (old.first(), new.first()) {
            list.push(format!(
                r#"{{"oldText":{},"newText":{}}}"#,
                old.get(),
                new.get()
            ));
        }
        if !has_legacy && (edits.is_empty() || given.starts_with('[')) {
            return None;
        }
        if old.len() != new.len() {
            return None;
        }
        let mut members: Vec<String> = Vec::with_capacity(self.0.len() + 1);
        for (name, value) in &self.0 {
            members.push(format!(
                "{}:{}",
                serde_json::to_string(name).ok()?,
                value.get()
            ));
        }
        members.push(format!(r#""edits":[{}]"#, list.join(",")));
        RawArgs::from_text(&format!("{{{}}}", members.join(","))).ok()
    }

    fn take(&mut self, name: &str) -> Vec<Box<RawValue>> {
        let is_it = |member: &mut (String, Box<RawValue>)| member.0 == name;
        self.0
            .extract_if(.., is_it)
            .map(|(_, value)| value)
            .collect()
    }
}

/// Reads a list of edits, one edit, or either of them as JSON text.
fn as_list(given: &str) -> Option<Vec<String>> {
    let inner: String;
    let given = if given.starts_with('"') {
        inner = serde_json::from_str(given).ok()?;
        inner.trim()
    } else {
        given
    };
    if given.starts_with('[') {
        let list: Vec<Box<RawValue>> = serde_json::from_str(given).ok()?;
        return Some(list.iter().map(|edit| edit.get().to_owned()).collect());
    }
    let is_object = given.starts_with('{') && serde_json::from_str::<&RawValue>(given).is_ok();
    is_object.then(|| vec![given.to_owned()])
}

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Reader;

        impl<'de> Visitor<'de> for Reader {
            type Value = Members;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }

        from.deserialize_map(Reader)
    }
}
