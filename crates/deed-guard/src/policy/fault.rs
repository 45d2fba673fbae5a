use std::fmt;
use std::sync::Arc;

/// A place in a policy file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file, as it was named.
    pub file: Arc<str>,
    /// The line.
    pub line_1based: u32,
    /// The column, in characters.
    pub column_1based: u32,
}

impl Place {
    pub(crate) fn position(&self) -> (u32, u32) {
        (self.line_1based, self.column_1based)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}:{}:{}",
            self.file, self.line_1based, self.column_1based
        )
    }
}

/// Something in a policy that makes it unusable.
///
/// Shape: shown as `file:line:column: reason; remedy`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyFault {
    /// Where; absent for a rule that stands in no file.
    pub place: Option<Place>,
    /// What is wrong, and what to do.
    pub reason: String,
}

impl fmt::Display for PolicyFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Some(place) => write!(f, "{place}: {}", self.reason),
            None => f.write_str(&self.reason),
        }
    }
}

/// Everything that makes a policy unusable.
///
/// Shape: never empty; shown one fault a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyFaults(pub Vec<PolicyFault>);

impl fmt::Display for PolicyFaults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, fault) in self.0.iter().enumerate() {
            let separator = if index == 0 { "" } else { "\n" };
            write!(f, "{separator}{fault}")?;
        }
        Ok(())
    }
}

impl std::error::Error for PolicyFaults {}
