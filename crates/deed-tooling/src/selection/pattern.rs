/// A tool name in which `*` stands for any characters; it matches whole names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamePattern(String);

impl NamePattern {
    /// Takes a name or a pattern.
    pub fn new(pattern: impl Into<String>) -> Self {
        Self(pattern.into())
    }

    /// Takes a list separated by commas; white space round entries and empty ones do not count.
    pub fn list(text: &str) -> Vec<Self> {
        text.split(',')
            .map(str::trim)
            .filter(|entry| !entry.is_empty())
            .map(Self::new)
            .collect()
    }

    /// Returns the pattern as it was written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Tells whether a name is meant.
    pub fn matches(&self, name: &str) -> bool {
        let Some((first, rest)) = self.0.split_once('*') else {
            return self.0 == name;
        };
        let Some(mut name) = name.strip_prefix(first) else {
            return false;
        };
        let mut parts = rest.split('*');
        let last = parts.next_back().unwrap_or_default();
        for part in parts {
            // The earliest place leaves most room for the parts that follow.
            let Some((_, after)) = name.split_once(part) else {
                return false;
            };
            name = after;
        }
        name.ends_with(last)
    }
}
