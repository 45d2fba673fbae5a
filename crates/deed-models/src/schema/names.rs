use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use deed_schema::sha256_hex;

/// The longest name of a tool that every provider takes.
///
/// Source: the references of OpenAI, Anthropic and Gemini; the shortest of theirs.
pub const MAX_NAME_LENGTH: usize = 64;
/// How many digits of its hash a changed name carries.
const DIGITS: usize = 12;

/// Returns the name that a tool has on every wire: its own if it is valid there, else one made from
/// it that carries a hash of all of it.
///
/// Shape: a letter or `_`, then letters, digits, `_` and `-`; at most [`MAX_NAME_LENGTH`] of them.
pub fn wire_name(name: &str) -> Cow<'_, str> {
    if is_valid(name) {
        return Cow::Borrowed(name);
    }
    Cow::Owned(made(name, DIGITS))
}

fn is_valid(name: &str) -> bool {
    let starts_well = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    starts_well && name.len() <= MAX_NAME_LENGTH && name.chars().all(is_valid_inside)
}

fn is_valid_inside(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

/// Keeps what can be read of a name, and adds the hash that tells it apart.
fn made(name: &str, digits: usize) -> String {
    let readable = name
        .chars()
        .map(|c| if is_valid_inside(c) { c } else { '_' })
        .take(MAX_NAME_LENGTH - digits - 1);
    let mut made: String = readable.collect();
    if !made.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_') {
        made.insert(0, '_');
        made.truncate(MAX_NAME_LENGTH - digits - 1);
    }
    let hash = sha256_hex(name.as_bytes());
    made.push('_');
    made.extend(hash.chars().take(digits));
    made
}

/// The names of the tools of a request, both ways, and which of them are called with a bare text.
#[derive(Clone, Debug, Default)]
pub struct ToolNames {
    to_wire: HashMap<Arc<str>, Arc<str>>,
    to_real: HashMap<Arc<str>, Arc<str>>,
    text_arguments: HashMap<Arc<str>, Arc<str>>,
}

impl ToolNames {
    /// Takes the names of all tools; their order makes no difference.
    pub fn new(names: impl IntoIterator<Item = Arc<str>>) -> Self {
        let mut odd: Vec<Arc<str>> = Vec::new();
        let mut table = Self::default();
        for name in names {
            if is_valid(&name) {
                table.add(name.clone(), name);
            } else {
                odd.push(name);
            }
        }
        odd.sort_unstable();
        odd.dedup();
        for name in odd {
            // A tool may really have the name that is made of another's: then a longer hash differs.
            let free = (DIGITS..MAX_NAME_LENGTH - 1)
                .map(|digits| made(&name, digits))
                .find(|made| !table.to_real.contains_key(made.as_str()));
            let wire = free.unwrap_or_else(|| made(&name, DIGITS));
            table.add(name, wire.into());
        }
        table
    }

    /// Notes that a tool is called with a bare text, and which of its arguments that is.
    pub fn takes_text(&mut self, real: Arc<str>, argument: &str) {
        self.text_arguments.insert(real, argument.into());
    }

    /// Returns which argument of a tool the bare text is that it is called with; `None` if it is
    /// called with an object.
    pub fn text_argument(&self, real: &str) -> Option<&str> {
        self.text_arguments.get(real).map(AsRef::as_ref)
    }

    fn add(&mut self, real: Arc<str>, wire: Arc<str>) {
        self.to_wire.insert(real.clone(), wire.clone());
        self.to_real.insert(wire, real);
    }

    /// Returns the name of a tool on the wire.
    pub fn wire<'a>(&'a self, real: &'a str) -> Cow<'a, str> {
        match self.to_wire.get(real) {
            Some(wire) => Cow::Borrowed(wire),
            None => wire_name(real),
        }
    }

    /// Returns the name of the tool that a model called; a name that is no tool's comes back as it is.
    pub fn real(&self, wire: &str) -> Arc<str> {
        self.to_real
            .get(wire)
            .cloned()
            .unwrap_or_else(|| wire.into())
    }
}
