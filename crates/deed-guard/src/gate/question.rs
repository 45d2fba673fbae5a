//! What a person is asked.

use std::sync::Arc;

use deed_agent::{Access, FrozenCall, Question};
use deed_protocol::ToolCard;

use super::Shared;
use super::grants::may_last;
use crate::approval::{ApprovalRequest, Choice, ShownCall};
use crate::policy::Request;

/// Makes the question about a call; costs as much as the call is long.
pub(super) fn request(
    shared: &Shared,
    call: &FrozenCall,
    question: &Question,
    id: Arc<str>,
) -> ApprovalRequest {
    let policy = shared.policy();
    let policy_request = Request::of(call);
    let decision = policy.decide(&policy_request);
    let mut shown = ShownCall::of(call);
    shown.warnings.extend(decision.warnings.clone());
    let mut choices = vec![Choice::Once];
    if may_last(call) {
        choices.push(Choice::Session);
        let rule = policy.rule_for_always(&policy_request);
        let rule = rule.filter(|_| shared.stored_rules.is_some());
        choices.extend(rule.map(|rule| Choice::Always { rule }));
    }
    choices.push(Choice::Deny);
    ApprovalRequest {
        id,
        call_id: call.call().id.clone(),
        args_sha256: *call.args_sha256(),
        context_sha256: *call.context_sha256(),
        preview: preview(call),
        reason: question.reason.clone(),
        parts: decision.parts,
        shown,
        choices,
        timeout: policy.limits().approval_timeout,
    }
}

/// A card helps where it shows more than the call itself: what becomes of a file. An extension could
/// draw what it likes.
fn preview(call: &FrozenCall) -> Option<ToolCard> {
    let plan = call.plan();
    let shows_more = matches!(plan.access, Access::Write(_) | Access::Opaque);
    let is_trusted = Request::of(call).has_trusted_plan();
    plan.preview.clone().filter(|_| shows_more && is_trusted)
}
