//! What extensions may ask of the program: other sessions, and its end.

use std::path::PathBuf;
use std::sync::Arc;

use deed_agent::BoxFuture;
use deed_extensions::{
    ControlError, ForkPosition, Replacement, SessionControl, SessionShutdownEvent, ShutdownReason,
    StartReason, SwitchReason,
};
use serde_json::json;

use crate::command::sessions::{forked, is_open_here, settled};
use crate::refusal::Refusal;
use crate::server::{Attached, Server, Switch};
use crate::{Client, Wanted};

/// Lets extensions of the served sessions go to other ones.
#[derive(Clone, Debug)]
pub struct RpcControl(pub(crate) Client);

impl RpcControl {
    fn server(&self) -> Result<Arc<Server>, ControlError> {
        let server = self.0.server();
        server.ok_or_else(|| ControlError::Failed("the program is not serving".to_owned()))
    }
}

impl SessionControl for RpcControl {
    fn replace<'a>(&'a self, by: Replacement) -> BoxFuture<'a, Result<bool, ControlError>> {
        Box::pin(async move {
            let server = self.server()?;
            let at = server.current();
            let agreed = agreed(&at, &by).await;
            if !agreed.map_err(|refusal| ControlError::Failed(refusal.to_string()))? {
                return Ok(false);
            }
            // The command that asks is part of the session that goes.
            tokio::spawn(async move {
                at.commands_over().await;
                let _switching = server.switching.lock().await;
                if !Arc::ptr_eq(&at, &server.current()) {
                    return;
                }
                let what = by.name();
                if let Err(error) = carried_out(&server, &at, by).await {
                    server.tell_fault(what, &error.to_string());
                }
            });
            Ok(true)
        })
    }

    fn shutdown(&self) -> Result<(), ControlError> {
        let server = self.server()?;
        tokio::spawn(async move {
            let at = server.current();
            at.commands_over().await;
            at.idle().await;
            server.ending.cancel();
        });
        Ok(())
    }
}

/// Asks extensions, when it can be.
async fn agreed(at: &Attached, by: &Replacement) -> Result<bool, Refusal> {
    let session = &at.session;
    Ok(match by {
        Replacement::Reload => true,
        Replacement::New { .. } => session.may_switch(SwitchReason::New, None).await,
        Replacement::File(path) => {
            let path = session.cwd().join(path);
            if !path.is_file() {
                return Err(Refusal::NoSuchFile(path));
            }
            let asking = session.may_switch(SwitchReason::Resume, Some(path));
            asking.await
        }
        Replacement::Fork { entry_id, position } => {
            let found = session.on_record(|record| record.view().contains(entry_id));
            if !found.ok_or(Refusal::NoRecord)? {
                return Err(Refusal::NoEntry(entry_id.clone()));
            }
            session.may_fork(entry_id, *position).await
        }
    })
}

async fn carried_out(server: &Server, at: &Arc<Attached>, by: Replacement) -> Result<(), Refusal> {
    match by {
        Replacement::New { parent } => {
            let parent = parent.map(|parent| at.session.cwd().join(parent));
            server.switch_to(Wanted::New { parent }, Switch::New).await
        }
        Replacement::File(path) => {
            let path = at.session.cwd().join(path);
            if is_open_here(at, &path) {
                settled(at).await;
                return Ok(());
            }
            server.switch_to(Wanted::File(path), Switch::Resume).await
        }
        Replacement::Fork { entry_id, position } => {
            let parent = at.session.on_record(|record| match position {
                ForkPosition::At => Ok(Some(entry_id.as_str().into())),
                ForkPosition::Before => record.view().parent(&entry_id).map(Option::<&_>::cloned),
            });
            let record = forked(at, parent.ok_or(Refusal::NoRecord)??).await?;
            server.switch_to(record, Switch::Fork).await
        }
        Replacement::Reload => reload(server, at).await,
    }
}

/// Opens the same session anew. Its file is locked for as long as it is open, so it is closed first;
/// if it cannot be opened then, a new one takes its place.
async fn reload(server: &Server, at: &Attached) -> Result<(), Refusal> {
    settled(at).await;
    let file = at.session.session_file().filter(|file| file.is_file());
    let wanted = match &file {
        Some(file) => Wanted::File(file.clone()),
        None => in_memory(at).await?,
    };
    at.close(SessionShutdownEvent {
        reason: ShutdownReason::Reload,
        target_session_file: file.clone(),
    })
    .await;
    let hosted = match server.host.open(wanted).await {
        Ok(hosted) => hosted,
        Err(error) => {
            server.tell_fault("ctx.reload", &error.to_string());
            let parent: Option<PathBuf> = file.clone();
            server.host.open(Wanted::New { parent }).await?
        }
    };
    server.attach(hosted, StartReason::Reload, file).await;
    Ok(())
}

/// Copies what is on no disk.
async fn in_memory(at: &Attached) -> Result<Wanted, Refusal> {
    let leaf = at.session.on_record(|record| record.leaf().cloned());
    match leaf.flatten() {
        Some(leaf) => forked(at, Some(leaf)).await,
        None => Ok(Wanted::New { parent: None }),
    }
}

impl Server {
    /// Tells the client that something went wrong that an extension asked for.
    fn tell_fault(&self, what: &str, error: &str) {
        self.client.outlet().remark(&json!({
            "type": "extension_error",
            "event": what,
            "error": error,
        }));
    }
}
