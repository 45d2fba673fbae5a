use jsonc_parser::ast::{Object, ObjectProp, Value};

use super::{ExtensionEntry, ExtensionGrants, Extent};
use crate::policy::ground::Ground;
use crate::policy::jsonc::{Reader, range_of};
use crate::policy::path::PathPattern;

const KEYS: [&str; 4] = ["fs", "exec", "net", "env"];
const FILE_KEYS: [&str; 2] = ["read", "write"];

/// Reads the section of a file that speaks of extensions.
pub(crate) fn read_extensions<'t>(
    reader: &mut Reader<'t>,
    member: &ObjectProp<'t>,
    ground: &Ground,
) -> Vec<ExtensionEntry> {
    let Some(object) = reader.object(member) else {
        return Vec::new();
    };
    let names: Vec<&str> = object
        .properties
        .iter()
        .map(|it| it.name.as_str())
        .collect();
    let mut entries = Vec::new();
    for (key, member) in reader.members(object, &names) {
        let Some(object) = reader.object(member) else {
            continue;
        };
        let grants = grants(reader, object, ground);
        match ExtensionEntry::new(key, grants, ground) {
            Ok(entry) => entries.push(entry),
            Err(error) => reader.fault(member.range.start, format!("`{key}`: {error}")),
        }
    }
    entries
}

fn grants<'t>(reader: &mut Reader<'t>, object: &Object<'t>, ground: &Ground) -> ExtensionGrants {
    let mut grants = ExtensionGrants::default();
    for (name, member) in reader.members(object, &KEYS) {
        match name {
            "fs" => files(reader, member, ground, &mut grants),
            "exec" => grants.exec = extent(reader, member, |_| Ok(())),
            "net" => grants.net = extent(reader, member, host),
            _ => grants.env = extent(reader, member, |_| Ok(())),
        }
    }
    grants
}

fn files<'t>(
    reader: &mut Reader<'t>,
    member: &ObjectProp<'t>,
    ground: &Ground,
    grants: &mut ExtensionGrants,
) {
    let Some(object) = reader.object(member) else {
        return;
    };
    let is_pattern = |text: &str| match PathPattern::parse(text, ground) {
        Ok(_) => Ok(()),
        Err(error) => Err(error.to_string()),
    };
    for (name, member) in reader.members(object, &FILE_KEYS) {
        match name {
            "read" => grants.fs.read = extent(reader, member, is_pattern),
            _ => grants.fs.write = extent(reader, member, is_pattern),
        }
    }
}

/// A host is a name; who writes an address means that.
fn host(text: &str) -> Result<(), String> {
    match text.contains(['/', ':']) || text.is_empty() {
        true => Err("no host; write its name, as in `api.example.com` or `*.example.com`".into()),
        false => Ok(()),
    }
}

/// Reads `true`, `false` or a list of texts.
fn extent<'t>(
    reader: &mut Reader<'t>,
    member: &ObjectProp<'t>,
    check: impl Fn(&str) -> Result<(), String>,
) -> Extent {
    let items = match &member.value {
        Value::BooleanLit(switch) if switch.value => return Extent::Everything,
        Value::BooleanLit(_) => return Extent::Nothing,
        Value::Array(items) => &items.elements,
        other => {
            let name = member.name.as_str();
            let reason =
                format!("`{name}` is not `true`, `false` or a list `[…]`; write one of them");
            reader.fault(range_of(other).start, reason);
            return Extent::Nothing;
        }
    };
    let mut texts = Vec::with_capacity(items.len());
    for item in items {
        let at = range_of(item).start;
        match item.as_string_lit() {
            Some(text) => match check(&text.value) {
                Ok(()) => texts.push(text.value.clone().into_owned()),
                Err(reason) => reader.fault(at, format!("`{}`: {reason}", text.value)),
            },
            None => reader.fault(at, "this is no text; write it as `\"…\"`"),
        }
    }
    Extent::These(texts)
}
