use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::short::short;
use crate::visible::visible;

const MAX_SHOWN_CHARS: usize = 80;

/// A record to show.
///
/// Shape: `Display` is one line for people, with what could deceive a terminal made visible.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The record as it stands in the log.
    pub record: Box<RawValue>,
}

impl Shown {
    /// Takes the bytes of a record; `None` if they are none.
    pub(super) fn of(record: &[u8]) -> Option<Self> {
        let record: Box<RawValue> = serde_json::from_slice(record).ok()?;
        Fields::of(&record).is_some().then_some(Self { record })
    }
}

/// What the columns and the filters need.
#[derive(Deserialize)]
pub(super) struct Fields<'a> {
    pub(super) ts: &'a str,
    #[serde(borrow)]
    pub(super) session: Cow<'a, str>,
    pub(super) event: &'a str,
    #[serde(borrow)]
    pub(super) call_id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub(super) tool: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub(super) decision: Option<Cow<'a, str>>,
    #[serde(borrow)]
    rule_id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    args_redacted: Option<Cow<'a, str>>,
    #[serde(borrow)]
    reason: Option<Cow<'a, str>>,
    approval: Option<ApprovalFields>,
    hook: Option<HookFields>,
    result: Option<ResultFields>,
}

#[derive(Deserialize)]
struct ApprovalFields {
    channel: String,
    decision: Option<String>,
    user: Option<String>,
}

#[derive(Deserialize)]
struct HookFields {
    name: String,
    changed: Option<bool>,
}

#[derive(Deserialize)]
struct ResultFields {
    bytes: u64,
    code: Option<String>,
    is_error: bool,
    ms: u64,
}

impl<'a> Fields<'a> {
    pub(super) fn of(record: &'a RawValue) -> Option<Self> {
        serde_json::from_str(record.get()).ok()
    }
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(fields) = Fields::of(&self.record) else {
            return write!(f, "{}", visible(self.record.get()));
        };
        write!(f, "{}  {}", visible(fields.ts), visible(&fields.session))?;
        let call = fields.call_id.as_deref().unwrap_or("-");
        write!(f, "  {}  {}", visible(call), visible(fields.event))?;
        for word in [&fields.tool, &fields.decision, &fields.rule_id]
            .into_iter()
            .flatten()
        {
            write!(f, "  {}", visible(word))?;
        }
        if let Some(approval) = &fields.approval {
            approval.fmt(f)?;
        }
        if let Some(hook) = &fields.hook {
            hook.fmt(f)?;
        }
        if let Some(result) = &fields.result {
            result.fmt(f)?;
        }
        for text in [&fields.args_redacted, &fields.reason]
            .into_iter()
            .flatten()
        {
            write!(f, "  {}", visible(&short(text, MAX_SHOWN_CHARS)))?;
        }
        Ok(())
    }
}

impl ApprovalFields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decision = self.decision.as_deref().unwrap_or("asked");
        write!(f, "  {} by {}", visible(decision), visible(&self.channel))?;
        match &self.user {
            Some(user) => write!(f, " ({})", visible(user)),
            None => Ok(()),
        }
    }
}

impl HookFields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let changed = match self.changed {
            Some(true) => " changed the arguments",
            Some(false) => " changed nothing",
            None => "",
        };
        write!(f, "  hook {}{changed}", visible(&self.name))
    }
}

impl ResultFields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { bytes, ms, .. } = self;
        let word = if self.is_error { "error" } else { "ok" };
        write!(f, "  {word}")?;
        if let Some(code) = &self.code {
            write!(f, " ({})", visible(code))?;
        }
        write!(f, ", {bytes} bytes, {ms} ms")
    }
}
