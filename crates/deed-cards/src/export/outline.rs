use super::item::{ExportEntry, ExportItem, SummaryOf};
use super::words;

/// Who is heard at the moment, what was asked so far: what both formats need to set headings.
#[derive(Debug, Default)]
pub(super) struct Outline {
    last_id: String,
    speaker: Option<Speaker>,
    pub(super) prompts: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Speaker {
    Person,
    Model,
    Shell,
    Extension(String),
    Session,
}

/// How an item begins.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Opening {
    /// Whether the id of the entry is seen for the first time.
    pub(super) is_new: bool,
    pub(super) heading: Option<Heading>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Heading {
    /// The heading of the prompt of this number.
    Prompt(u64),
    /// A heading below that of a prompt.
    Other(String),
}

impl Outline {
    /// Goes on to the next item.
    pub(super) fn next(&mut self, entry: ExportEntry<'_>, item: &ExportItem<'_>) -> Opening {
        let is_new = entry.id.is_empty() || entry.id != self.last_id;
        if is_new {
            self.last_id.clear();
            self.last_id.push_str(entry.id);
        }
        Opening {
            is_new,
            heading: self.heading(item),
        }
    }

    fn heading(&mut self, item: &ExportItem<'_>) -> Option<Heading> {
        let (speaker, heading) = match item {
            ExportItem::Prompt(_) => {
                self.prompts += 1;
                self.speaker = Some(Speaker::Person);
                return Some(Heading::Prompt(self.prompts));
            }
            ExportItem::Answer(_) | ExportItem::Thinking(_) | ExportItem::Call { .. } => {
                (Speaker::Model, "Assistant".to_owned())
            }
            ExportItem::Command(_) => (Speaker::Shell, "Command of a person".to_owned()),
            ExportItem::Custom { kind, .. } => (
                Speaker::Extension((*kind).to_owned()),
                format!("Message of kind {kind}"),
            ),
            ExportItem::Summary { of, .. } => {
                self.speaker = Some(Speaker::Session);
                return Some(Heading::Other(summary_heading(*of)));
            }
            // They interrupt nobody.
            ExportItem::Change { .. } | ExportItem::Notice { .. } => return None,
        };
        if self.speaker.as_ref() == Some(&speaker) {
            return None;
        }
        self.speaker = Some(speaker);
        Some(Heading::Other(heading))
    }
}

fn summary_heading(of: SummaryOf) -> String {
    match of {
        SummaryOf::Compaction { tokens_before } => format!(
            "Summary of what came before, {} tokens",
            words::grouped(tokens_before)
        ),
        SummaryOf::Branch => "Summary of a branch that was left".to_owned(),
    }
}
