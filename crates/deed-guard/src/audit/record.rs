use std::borrow::Cow;

use deed_schema::Sha256Hash;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use super::clock::text_of;
use super::entry::{ApprovalPart, Entry, HookPart};
use super::event::Event;
use super::facts::{ApprovalDecision, Decided, OutcomeRecord};
use super::line::{self, HexHash, MAX_EXACT};
use super::scrub::{MAX_ARGS_BYTES, MAX_PROSE_BYTES, Scrub};

/// The version of the shape of a record.
const VERSION: u32 = 1;

/// What all records of one append share.
pub(super) struct Common<'a> {
    pub(super) scrub: Scrub<'a>,
    pub(super) session: &'a str,
    pub(super) boot_id: &'a str,
    pub(super) ts: &'a str,
    pub(super) mono_us: u64,
}

/// Where a record stands in the chain.
#[derive(Clone, Copy)]
pub(super) struct Link {
    pub(super) seq: u64,
    pub(super) prev: HexHash,
}

impl Common<'_> {
    /// Appends the line of an entry and returns its hash.
    pub(super) fn write(&self, entry: &Entry, link: Link, lines: &mut Vec<u8>) -> HexHash {
        line::write(lines, &self.record(entry, &link))
    }

    fn record<'r>(&'r self, entry: &'r Entry, link: &'r Link) -> Record<'r> {
        let call = entry.call.as_ref();
        let word = |text: &'r str| self.scrub.word(text);
        Record {
            approval: entry.approval.as_ref().map(|part| self.approval(part)),
            args_redacted: self.long(entry.args.as_deref(), MAX_ARGS_BYTES),
            args_sha256: call.and_then(|call| call.args_sha256),
            boot_id: word(self.boot_id),
            call_id: call.map(|call| word(&call.id)),
            call_serial: call.and_then(|call| call.serial).map(exact),
            context_sha256: call.and_then(|call| call.context_sha256),
            decision: entry.decided,
            detail: self.scrub.detail(&entry.detail),
            event: entry.event,
            grant: entry.grant.as_deref().map(word),
            hook: entry.hook.as_ref().map(|part| self.hook(part)),
            mono_us: exact(self.mono_us),
            policy_sha256: entry.policy_sha256,
            prev: link.prev.as_str(),
            reason: self.long(entry.reason.as_deref(), MAX_PROSE_BYTES),
            redactions: entry.redactions.map(exact),
            result: entry.outcome.as_ref().map(|outcome| self.outcome(outcome)),
            rule_id: entry.rule_id.as_deref().map(word),
            run: call.map(|call| word(&call.run)),
            seq: exact(link.seq),
            session: word(self.session),
            tool: call.map(|call| word(&call.tool)),
            tool_source: call.and_then(|call| call.source.as_deref()).map(word),
            ts: self.ts,
            turn: call.and_then(|call| call.turn).map(exact),
            v: VERSION,
        }
    }

    fn long<'r>(&self, text: Option<&'r str>, max_bytes: usize) -> Option<Cow<'r, str>> {
        text.map(|text| self.scrub.text(text, max_bytes))
    }

    fn approval<'r>(&self, part: &'r ApprovalPart) -> ApprovalForm<'r> {
        let (asked, answer) = match part {
            ApprovalPart::Asked(asked) => (asked, None),
            ApprovalPart::Answered(answer) => (&answer.asked, Some(answer)),
        };
        let word = |text: &'r str| self.scrub.word(text);
        ApprovalForm {
            answered_at: answer.map(|answer| text_of(answer.answered_at)),
            approval_id: word(&asked.approval_id),
            asked_at: answer.map(|answer| text_of(answer.asked_at)),
            channel: word(&asked.channel),
            comment: answer.and_then(|it| self.long(it.comment.as_deref(), MAX_PROSE_BYTES)),
            decision: answer.map(|answer| answer.decision),
            display_sha256: asked.display_sha256,
            rule_created: answer
                .and_then(|it| self.long(it.rule_created.as_deref(), MAX_PROSE_BYTES)),
            user: answer.and_then(|it| it.user.as_deref()).map(word),
            verified: answer.map(|answer| answer.verified),
        }
    }

    fn hook<'r>(&self, part: &'r HookPart) -> HookForm<'r> {
        let (name, change) = match part {
            HookPart::Named(name) => (name, None),
            HookPart::Changed(change) => (&change.name, Some(change)),
        };
        HookForm {
            after_sha256: change.map(|change| change.after_sha256),
            before_sha256: change.map(|change| change.before_sha256),
            changed: change.map(|change| change.before_sha256 != change.after_sha256),
            name: self.scrub.word(name),
        }
    }

    fn outcome<'r>(&self, outcome: &'r OutcomeRecord) -> ResultForm<'r> {
        ResultForm {
            bytes: exact(outcome.bytes),
            code: outcome.code.as_deref().map(|code| self.scrub.word(code)),
            is_error: outcome.is_error,
            ms: exact(u64::try_from(outcome.elapsed.as_millis()).unwrap_or(MAX_EXACT)),
            sha256: outcome.sha256,
            truncated: outcome.truncated,
        }
    }
}

fn exact(number: u64) -> u64 {
    number.min(MAX_EXACT)
}

// The fields of these types stand in the order of RFC 8785, so that what serde writes is canonical.

#[derive(Serialize)]
struct Record<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    approval: Option<ApprovalForm<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    args_redacted: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "hex")]
    args_sha256: Option<Sha256Hash>,
    boot_id: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    call_id: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    call_serial: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "hex")]
    context_sha256: Option<Sha256Hash>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<Decided>,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<Box<RawValue>>,
    event: Event,
    #[serde(skip_serializing_if = "Option::is_none")]
    grant: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hook: Option<HookForm<'a>>,
    mono_us: u64,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "hex")]
    policy_sha256: Option<Sha256Hash>,
    prev: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    redactions: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<ResultForm<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule_id: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<Cow<'a, str>>,
    seq: u64,
    session: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_source: Option<Cow<'a, str>>,
    ts: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    turn: Option<u64>,
    v: u32,
}

#[derive(Serialize)]
struct ApprovalForm<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    answered_at: Option<String>,
    approval_id: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    asked_at: Option<String>,
    channel: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    comment: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<ApprovalDecision>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "hex")]
    display_sha256: Option<Sha256Hash>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule_created: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verified: Option<bool>,
}

#[derive(Serialize)]
struct HookForm<'a> {
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "hex")]
    after_sha256: Option<Sha256Hash>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "hex")]
    before_sha256: Option<Sha256Hash>,
    #[serde(skip_serializing_if = "Option::is_none")]
    changed: Option<bool>,
    name: Cow<'a, str>,
}

#[derive(Serialize)]
struct ResultForm<'a> {
    bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<Cow<'a, str>>,
    is_error: bool,
    ms: u64,
    sha256: Sha256Hash,
    truncated: bool,
}

fn hex<S: Serializer>(hash: &Option<Sha256Hash>, serializer: S) -> Result<S::Ok, S::Error> {
    match hash {
        Some(hash) => serializer.serialize_str(HexHash::from(*hash).as_str()),
        None => serializer.serialize_none(),
    }
}
