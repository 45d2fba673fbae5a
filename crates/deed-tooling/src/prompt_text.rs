/// What the system prompt says of a tool while it is active.
///
/// Shape: single lines without leading, trailing or repeated white space, none empty, no guideline
/// twice.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PromptText {
    snippet: Option<String>,
    guidelines: Vec<String>,
}

static NONE: PromptText = PromptText {
    snippet: None,
    guidelines: Vec::new(),
};

impl PromptText {
    /// Says nothing.
    pub fn none() -> &'static Self {
        &NONE
    }

    /// Makes prompt text of a line for the list of tools and of rules.
    ///
    /// An empty snippet means none: the tool is not in the list but can be called.
    pub fn new<G: AsRef<str>>(snippet: &str, guidelines: impl IntoIterator<Item = G>) -> Self {
        let mut text = Self {
            snippet: one_line(snippet),
            guidelines: Vec::new(),
        };
        for guideline in guidelines {
            if let Some(line) = one_line(guideline.as_ref())
                && !text.guidelines.contains(&line)
            {
                text.guidelines.push(line);
            }
        }
        text
    }

    /// Returns what stands behind the name in the list of tools.
    pub fn snippet(&self) -> Option<&str> {
        self.snippet.as_deref()
    }

    /// Returns the rules.
    pub fn guidelines(&self) -> &[String] {
        &self.guidelines
    }
}

fn one_line(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    (!words.is_empty()).then(|| words.join(" "))
}
