//! What can be appended.

use std::sync::Arc;

use deed_protocol::{
    BranchSummaryEntry, CompactionEntry, ContextEditEntry, CustomEntry, CustomMessageEntry, Entry,
    Extra, LabelEntry, Message, MessageEntry, ModelChangeEntry, Replacement, SessionInfoEntry,
    ThinkingLevelChangeEntry, Usage, UsageEntry, UserContent,
};
use serde::Serialize;
use serde_json::Value;
use serde_json::value::to_raw_value;

use super::Session;
use crate::context::{blocks_of, is_editable};
use crate::error::SessionError;
use crate::own::{ACTIVE_TOOLS, ActiveToolsNote};
use crate::tree::EntryId;

/// A summary that stands for what came before.
#[derive(Clone, Debug, Default)]
pub struct NewCompaction {
    /// The summary.
    pub summary: String,
    /// The first entry that stays in the context; `None` if none does.
    pub first_kept: Option<EntryId>,
    /// Size of the context before.
    pub tokens_before: u64,
    /// What the maker adds, such as lists of files.
    pub details: Option<Value>,
    /// What the summary used.
    pub usage: Option<Usage>,
    /// Whether an extension made it.
    pub from_hook: bool,
    /// The prompt and tools as they stand, if the branch has them.
    pub system_message: Option<Arc<Message>>,
}

/// A summary of a branch that is left.
#[derive(Clone, Debug, Default)]
pub struct NewBranchSummary {
    /// The summary.
    pub summary: String,
    /// What the maker adds.
    pub details: Option<Value>,
    /// What the summary used.
    pub usage: Option<Usage>,
    /// Whether an extension made it.
    pub from_hook: bool,
}

/// A message of an extension.
#[derive(Clone, Debug, Default)]
pub struct NewCustomMessage {
    /// The extension's name for the kind of message.
    pub custom_type: String,
    /// Text, or text and pictures.
    pub content: UserContent,
    /// Whether people see it.
    pub display: bool,
    /// What programs see.
    pub details: Option<Value>,
}

/// All of these append behind the leaf, which moves there.
///
/// Errors: the file cannot be written; then the session is as it was before.
impl Session {
    /// Appends a message.
    ///
    /// Errors: as all of these.
    pub fn append_message(&mut self, message: Arc<Message>) -> Result<EntryId, SessionError> {
        self.add(|base| {
            Entry::Message(MessageEntry {
                base,
                message,
                extra: Extra::new(),
            })
        })
    }

    /// Appends that another model was chosen.
    ///
    /// Errors: as all of these.
    pub fn append_model_change(
        &mut self,
        provider: &str,
        model_id: &str,
    ) -> Result<EntryId, SessionError> {
        self.add(|base| {
            Entry::ModelChange(ModelChangeEntry {
                base,
                provider: provider.to_owned(),
                model_id: model_id.to_owned(),
                extra: Extra::new(),
            })
        })
    }

    /// Appends that another thinking level was chosen.
    ///
    /// Errors: as all of these.
    pub fn append_thinking_level(&mut self, level: &str) -> Result<EntryId, SessionError> {
        self.add(|base| {
            Entry::ThinkingLevelChange(ThinkingLevelChangeEntry {
                base,
                thinking_level: level.to_owned(),
                extra: Extra::new(),
            })
        })
    }

    /// Appends a summary that stands for what came before.
    ///
    /// Errors: as all of these; or the first kept entry is not on the branch.
    pub fn append_compaction(&mut self, new: NewCompaction) -> Result<EntryId, SessionError> {
        if let Some(first_kept) = &new.first_kept {
            self.ensure_on_branch(first_kept)?;
        }
        self.add(|base| {
            let first_kept = new.first_kept.unwrap_or_else(|| base.id.clone());
            Entry::Compaction(CompactionEntry {
                base,
                summary: new.summary,
                first_kept_entry_id: first_kept,
                tokens_before: new.tokens_before,
                details: new.details,
                usage: new.usage,
                from_hook: new.from_hook.then_some(true),
                system_message: new.system_message,
                extra: Extra::new(),
            })
        })
    }

    /// Goes to another entry, or before all, and appends there a summary of the branch that is left.
    ///
    /// Errors: as all of these; or there is no such entry.
    pub fn move_with_summary(
        &mut self,
        leaf: Option<&str>,
        new: NewBranchSummary,
    ) -> Result<EntryId, SessionError> {
        let left = self.tree.leaf;
        let from_id = self.leaf().map_or("root", |id| id).to_owned();
        self.move_to(leaf)?;
        let added = self.add(|base| {
            Entry::BranchSummary(BranchSummaryEntry {
                base,
                from_id,
                summary: new.summary,
                details: new.details,
                usage: new.usage,
                from_hook: new.from_hook.then_some(true),
                extra: Extra::new(),
            })
        });
        if added.is_err() {
            self.tree.leaf = left;
            self.calls = None;
            self.unnoted = None;
        }
        added
    }

    /// Appends that an earlier message gives something else to the context, or nothing.
    ///
    /// Errors: as all of these; or there is no such message on the branch.
    pub fn append_context_edit(
        &mut self,
        target: &str,
        content: Option<UserContent>,
    ) -> Result<EntryId, SessionError> {
        self.ensure_on_branch(target)?;
        let not_editable = || SessionError::NotEditable { id: target.into() };
        let needs_blocks = match self.tree.entry(target)? {
            Entry::CustomMessage(_) => false,
            Entry::Message(entry) if is_editable(&entry.message) => {
                matches!(
                    &*entry.message,
                    Message::Assistant(_) | Message::ToolResult(_)
                )
            }
            _ => return Err(not_editable()),
        };
        let content = content.map(|content| match needs_blocks {
            true => UserContent::Blocks(blocks_of(&content)),
            false => content,
        });
        self.add(|base| {
            Entry::ContextEdit(ContextEditEntry {
                base,
                target_id: target.into(),
                replacement: content.map(|content| Replacement {
                    content,
                    extra: Extra::new(),
                }),
                extra: Extra::new(),
            })
        })
    }

    /// Appends something that models never see; data that is `null` is left out.
    ///
    /// Errors: as all of these; or JSON cannot say the data.
    pub fn append_custom(
        &mut self,
        custom_type: &str,
        data: &impl Serialize,
    ) -> Result<EntryId, SessionError> {
        let data = to_raw_value(data)?;
        self.add(|base| {
            Entry::Custom(CustomEntry {
                base,
                custom_type: custom_type.to_owned(),
                data: (data.get() != "null").then_some(data),
                extra: Extra::new(),
            })
        })
    }

    /// Appends a message of an extension.
    ///
    /// Errors: as all of these.
    pub fn append_custom_message(
        &mut self,
        new: NewCustomMessage,
    ) -> Result<EntryId, SessionError> {
        self.add(|base| {
            Entry::CustomMessage(CustomMessageEntry {
                base,
                custom_type: new.custom_type,
                content: new.content,
                display: new.display,
                details: new.details,
                extra: Extra::new(),
            })
        })
    }

    /// Appends a mark on an entry; without a text it is taken away.
    ///
    /// Errors: as all of these; or there is no such entry.
    pub fn append_label(
        &mut self,
        target: &str,
        label: Option<&str>,
    ) -> Result<EntryId, SessionError> {
        self.tree.number(target)?;
        self.add(|base| {
            Entry::Label(LabelEntry {
                base,
                target_id: target.into(),
                label: label.filter(|text| !text.is_empty()).map(str::to_owned),
                extra: Extra::new(),
            })
        })
    }

    /// Appends a name for the session; an empty one takes it away.
    ///
    /// Errors: as all of these.
    pub fn append_name(&mut self, name: &str) -> Result<EntryId, SessionError> {
        let lines: Vec<&str> = name
            .split(['\r', '\n'])
            .filter(|it| !it.is_empty())
            .collect();
        let name = lines.join(" ").trim().to_owned();
        self.add(|base| {
            Entry::SessionInfo(SessionInfoEntry {
                base,
                name: Some(name),
                extra: Extra::new(),
            })
        })
    }

    /// Appends what a model call beside the transcript used.
    ///
    /// Errors: as all of these.
    pub fn append_usage(
        &mut self,
        kind: &str,
        (provider, model): (&str, &str),
        usage: Usage,
        note: Option<&str>,
    ) -> Result<EntryId, SessionError> {
        self.add(|base| {
            Entry::Usage(UsageEntry {
                base,
                kind: kind.to_owned(),
                provider: provider.to_owned(),
                model: model.to_owned(),
                usage,
                note: note.map(str::to_owned),
                extra: Extra::new(),
            })
        })
    }

    /// Appends which tools are active now, so that they are again when the session is resumed.
    ///
    /// Errors: as all of these.
    pub fn append_active_tools(&mut self, names: &[Arc<str>]) -> Result<EntryId, SessionError> {
        let names = names.to_vec();
        self.append_custom(ACTIVE_TOOLS, &ActiveToolsNote { names })
    }

    fn ensure_on_branch(&self, id: &str) -> Result<(), SessionError> {
        let number = self.tree.number(id)?;
        match self.tree.index.branch(self.tree.leaf).contains(&number) {
            true => Ok(()),
            false => Err(SessionError::NotOnBranch { id: id.into() }),
        }
    }
}
