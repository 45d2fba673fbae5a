use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

/// What one example is to do.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct Row {
    pub(crate) name: String,
    /// How much it needs: T1 and T2 tools, gates and simple questions, T3 drawing, T4 more than that.
    pub(crate) tier: String,
    /// Why it is not loaded, as part of what is said, if it is not.
    pub(crate) refused: Option<String>,
    /// Files of its folder, or of another one if the path is whole; those are removed at the end.
    #[serde(default)]
    pub(crate) files: BTreeMap<String, String>,
    /// Whether its folder is a repository, with the files committed.
    #[serde(default)]
    pub(crate) git: bool,
    /// Lines of a shell that prepare the folder further.
    #[serde(default)]
    pub(crate) setup: Vec<String>,
    /// Whether the model is behind a server, which says `hello`, and says no turns.
    #[serde(default)]
    pub(crate) remote: bool,
    /// Other models, as `provider/id`.
    #[serde(default)]
    pub(crate) models: Vec<String>,
    #[serde(default)]
    pub(crate) flags: BTreeMap<String, Value>,
    /// What the person answers, question by question; without any there is no person.
    pub(crate) answers: Option<Vec<String>>,
    /// Prompts (`go`), commands (`/name arguments`), changes of files (`file=text`), and what
    /// happens to the session, in order: `!switch`, `!fork`, `!key KEY`, `!model NAME`, `!compact`,
    /// `!discover` (resources), `!trust FOLDER`, `!bash COMMAND`, `!until TEXT` (that it is said).
    #[serde(default)]
    pub(crate) steps: Vec<String>,
    /// What the model says.
    #[serde(default)]
    pub(crate) turns: Vec<Value>,
    /// What must be said somewhere.
    #[serde(default)]
    pub(crate) expect: Vec<String>,
    /// What must not.
    #[serde(default)]
    pub(crate) never: Vec<String>,
}

impl Row {
    pub(crate) fn read(table: &Path) -> Vec<Self> {
        let text = std::fs::read_to_string(table).expect("the table");
        serde_json::from_str(&text).expect("the table is one of rows")
    }

    pub(crate) fn is_driven(&self) -> bool {
        !self.steps.is_empty() || !self.expect.is_empty()
    }

    pub(crate) fn what(&self) -> &'static str {
        match (&self.refused, self.is_driven()) {
            (Some(_), _) => "refused",
            (None, true) => "driven",
            (None, false) => "loaded",
        }
    }

    /// Compares with what was said.
    pub(crate) fn faults(&self, log: &[String]) -> Vec<String> {
        let said = log.join("\n");
        let mut faults = Vec::new();
        let refused = log.iter().find(|line| line.starts_with("diagnostic "));
        match (&self.refused, refused) {
            (None, Some(line)) => faults.push(format!("not loaded: {line}")),
            (Some(why), Some(line)) if !line.contains(why) => {
                faults.push(format!("refused otherwise: {line}"))
            }
            (Some(_), None) => faults.push("loaded, and should not be".to_owned()),
            _ => {}
        }
        let missing = self.expect.iter().filter(|text| !said.contains(*text));
        faults.extend(missing.map(|text| format!("nobody said {text:?}")));
        let present = self.never.iter().filter(|text| said.contains(*text));
        faults.extend(present.map(|text| format!("somebody said {text:?}")));
        if self.never.is_empty() {
            let failed = log.iter().filter(|line| line.starts_with("failure "));
            faults.extend(
                failed
                    .filter(|line| !self.expect.iter().any(|text| line.contains(text)))
                    .cloned(),
            );
        }
        faults
    }
}
