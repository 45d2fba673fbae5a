//! What the log says in its own records.

use serde::Deserialize;

use super::FindingKind;

/// A record of what a writer found wrong.
pub(super) struct Recovery {
    pub(super) reason: String,
    found: Vec<String>,
}

impl Recovery {
    pub(super) fn read(record: &[u8]) -> Option<Self> {
        #[derive(Deserialize)]
        struct Recovered {
            reason: String,
            detail: Detail,
        }
        #[derive(Deserialize)]
        struct Detail {
            found: Vec<String>,
        }
        let Recovered { reason, detail } = serde_json::from_slice(record).ok()?;
        Some(Self {
            reason,
            found: detail.found,
        })
    }

    /// Whether a stopped writer or a power cut explains it.
    pub(super) fn is_innocent(&self) -> bool {
        let is_innocent =
            |kind| matches!(kind, FindingKind::TornTail | FindingKind::LongerThanHead);
        let mut kinds = self.found.iter().map(|word| FindingKind::named(word));
        kinds.all(|kind| kind.is_some_and(is_innocent))
    }
}

/// The file before, if the record begins one.
pub(super) fn previous_file(record: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Genesis {
        event: String,
        detail: Detail,
    }
    #[derive(Deserialize)]
    struct Detail {
        previous_file: String,
    }
    let genesis = serde_json::from_slice::<Genesis>(record).ok()?;
    (genesis.event == "genesis").then_some(genesis.detail.previous_file)
}
