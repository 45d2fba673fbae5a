//! Going to another session, and what there is to say of the present one.

use std::path::{Path, PathBuf};

use deed_extensions::{ForkPosition, SwitchReason};
use deed_session::EntryId;
use serde_json::json;

use super::Call;
use crate::Wanted;
use crate::refusal::Refusal;
use crate::response::{Answer, Answered};
use crate::server::{Attached, Switch};

fn switched() -> Answered {
    Answer::of(&json!({ "cancelled": false }))
}

/// An extension said no; the session goes on as it was.
fn cancelled() -> Answered {
    Answer::of(&json!({ "cancelled": true }))
}

pub(super) async fn new_session(call: Call) -> Answered {
    let parent: Option<String> = call.fields.optional("parentSession")?;
    let _switching = call.server.switching.lock().await;
    let at = call.server.current();
    if !at.session.may_switch(SwitchReason::New, None).await {
        return cancelled();
    }
    let parent = parent.map(PathBuf::from);
    let wanted = Wanted::New { parent };
    call.server.switch_to(wanted, Switch::New).await?;
    switched()
}

pub(super) async fn switch_session(call: Call) -> Answered {
    let path: String = call.fields.required("sessionPath")?;
    let _switching = call.server.switching.lock().await;
    let at = call.server.current();
    let path = at.session.cwd().join(path);
    if is_open_here(&at, &path) {
        settled(&at).await;
        return switched();
    }
    if !path.is_file() {
        return Err(Refusal::NoSuchFile(path));
    }
    let asking = at
        .session
        .may_switch(SwitchReason::Resume, Some(path.clone()));
    if !asking.await {
        return cancelled();
    }
    let wanted = Wanted::File(path);
    call.server.switch_to(wanted, Switch::Resume).await?;
    switched()
}

/// Tells whether a file is that of the present session, which would be locked by ourselves.
pub(crate) fn is_open_here(at: &Attached, path: &Path) -> bool {
    let Some(present) = at.session.session_file() else {
        return false;
    };
    match (present.canonicalize(), path.canonicalize()) {
        (Ok(present), Ok(path)) => present == path,
        // It is made with the first message.
        _ => present == path,
    }
}

pub(super) async fn fork(call: Call) -> Answered {
    let entry_id: String = call.fields.required("entryId")?;
    let _switching = call.server.switching.lock().await;
    let at = call.server.current();
    let found = at.session.on_record(|record| {
        let texts = record.view().user_texts()?;
        let found = texts.into_iter().find(|(id, _)| **id == *entry_id);
        let (id, text) = found.ok_or_else(|| Refusal::NoUserMessage(entry_id.clone()))?;
        let parent = record.view().parent(&id)?.cloned();
        Ok::<_, Refusal>((parent, text))
    });
    let (parent, text) = found.ok_or(Refusal::NoRecord)??;
    if !at.session.may_fork(&entry_id, ForkPosition::Before).await {
        return cancelled();
    }
    let record = forked(&at, parent).await?;
    call.server.switch_to(record, Switch::Fork).await?;
    Answer::of(&json!({ "text": text, "cancelled": false }))
}

pub(super) async fn clone(call: Call) -> Answered {
    let _switching = call.server.switching.lock().await;
    let at = call.server.current();
    if at.session.agent().messages().is_empty() {
        return Err(Refusal::NothingToClone);
    }
    let leaf = at.session.on_record(|record| record.leaf().cloned());
    if let Some(leaf) = leaf.ok_or(Refusal::NoRecord)?
        && !at.session.may_fork(&leaf, ForkPosition::At).await
    {
        return cancelled();
    }
    settled(&at).await;
    // What went on has its end on record by now.
    let leaf = at.session.on_record(|record| record.leaf().cloned());
    let record = forked(&at, leaf.ok_or(Refusal::NoRecord)?).await?;
    call.server.switch_to(record, Switch::Fork).await?;
    switched()
}

/// Ends what goes on in a session.
pub(crate) async fn settled(at: &Attached) {
    at.cancel_run();
    at.idle().await;
}

/// Copies the branch up to an entry, when what goes on in it has come to its end.
pub(crate) async fn forked(at: &Attached, leaf: Option<EntryId>) -> Result<Wanted, Refusal> {
    settled(at).await;
    let forked = at.session.on_record(|record| record.fork(leaf.as_deref()));
    let record = forked.ok_or(Refusal::NoRecord)??;
    Ok(Wanted::Record(Box::new(record)))
}

pub(super) async fn get_fork_messages(call: Call) -> Answered {
    let texts = call
        .at
        .session
        .on_record(|record| record.view().user_texts());
    let texts = texts.ok_or(Refusal::NoRecord)??;
    let messages = texts.into_iter().filter(|(_, text)| !text.is_empty());
    let messages: Vec<_> = messages
        .map(|(id, text)| json!({ "entryId": id, "text": text }))
        .collect();
    Answer::of(&json!({ "messages": messages }))
}

pub(super) async fn set_session_name(call: Call) -> Answered {
    let name: String = call.fields.required("name")?;
    let name = name.trim();
    if name.is_empty() {
        return Err(Refusal::EmptyName);
    }
    call.at.session.set_session_name(name).await?;
    Answer::nothing()
}

pub(super) async fn export_html(call: Call) -> Answered {
    let to: Option<String> = call.fields.optional("outputPath")?;
    let to = to.map(|to| call.at.session.cwd().join(to));
    let exporting = call.server.host.export(&call.at.session, to.as_deref());
    let path = exporting.await?;
    Answer::of(&json!({ "path": path }))
}
