mod models;

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Weak};

use deed_agent::BoxFuture;
use deed_env::ExecutionEnv;
use deed_env::process::{ExitReport, OutputSink, ProcessSpec};
use deed_protocol::{CustomMessage, Message, SourceInfo, UserContent, UserMessage};
use deed_tooling::{ActiveChange, ActiveChanged, RegisteredTool, ToolDefinition, ToolInfo};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::command::Command;
use crate::exec::exec;
use crate::failure::Fault;
use crate::flag::Flag;
use crate::host::{Core, Loaded, Phase};
use crate::scope::GuardScope;
use crate::shortcut::Shortcut;
use crate::tool::running_call;
use crate::{
    CommandInfo, Delivery, Draws, ExecOptions, ExecOutput, ExtensionContext, ExtensionError,
    ExtensionEvent, FlagKind, FlagValue, RecordedEntries, Renderer, SessionRecord, Subscription,
};

/// What an extension registers with and acts through.
///
/// Cheap to clone, to keep in handlers and tools. What registers works from the beginning; all else
/// once the session has started. When the session has ended, everything fails.
#[derive(Clone)]
pub struct ExtensionApi {
    /// Weak, since handlers and tools keep this and belong to what it leads to.
    core: Weak<Core>,
    loaded: Weak<Loaded>,
    source: Arc<SourceInfo>,
}

impl ExtensionApi {
    pub(crate) fn new(core: &Arc<Core>, loaded: &Arc<Loaded>) -> Self {
        Self {
            core: Arc::downgrade(core),
            loaded: Arc::downgrade(loaded),
            source: loaded.source.clone(),
        }
    }

    /// Returns where the extension comes from.
    pub fn source(&self) -> &Arc<SourceInfo> {
        &self.source
    }

    /// Listens to an event, from the next one on.
    ///
    /// Errors: of the handler, see [`ExtensionEvent`].
    pub fn on<E: ExtensionEvent>(
        &self,
        handler: impl for<'a> Fn(
            &'a mut E,
            &'a ExtensionContext,
        ) -> BoxFuture<'a, Result<E::Reply, ExtensionError>>
        + Send
        + Sync
        + 'static,
    ) -> Result<Subscription, ExtensionError> {
        let (_, loaded) = self.registering("on")?;
        Ok(loaded.handlers.add::<E>(Arc::new(handler)))
    }

    /// Adds a tool, active from the next model request on unless the user's selection objects, or
    /// puts it in the place of an earlier one of this extension.
    ///
    /// It takes the place of a built-in tool of its name, and does not wrap it.
    ///
    /// Errors: no provider would take it, or another extension has the name; that is a diagnostic
    /// too, and while extensions register nothing but a diagnostic.
    pub fn register_tool(&self, definition: Arc<dyn ToolDefinition>) -> Result<(), ExtensionError> {
        let (core, loaded) = self.registering("register_tool")?;
        if let Some(waiting) = &mut loaded.registered().waiting_tools {
            waiting.push(definition);
            return Ok(());
        }
        let name = definition.spec().name.clone();
        core.register_tool(&loaded, definition)?;
        let registry = core.session.registry();
        if let Some(call) = running_call()
            && registry.active_names().contains(&name)
        {
            // It is active already; the call that brought it says so in its result.
            call.actions().activate_tools(&[name]);
        }
        Ok(())
    }

    /// Takes a tool of this extension away, from the next model request on; tells whether there was
    /// one. A tool that it took the place of is back.
    pub fn unregister_tool(&self, name: &str) -> Result<bool, ExtensionError> {
        let (core, loaded) = self.registering("unregister_tool")?;
        if let Some(waiting) = &mut loaded.registered().waiting_tools {
            let before = waiting.len();
            waiting.retain(|tool| &*tool.spec().name != name);
            return Ok(waiting.len() < before);
        }
        let registry = core.session.registry();
        Ok(registry.unregister_tool(&self.source.path, name))
    }

    /// Returns the names of the active tools in order.
    pub fn get_active_tools(&self) -> Result<Vec<Arc<str>>, ExtensionError> {
        let (core, _) = self.acting("get_active_tools")?;
        Ok(core.session.registry().active_names())
    }

    /// Makes exactly these tools active from the next model request on.
    ///
    /// Names that are not known, or that the user's selection keeps out, are ignored.
    pub fn set_active_tools<N: AsRef<str>>(
        &self,
        names: &[N],
    ) -> Result<ActiveChanged, ExtensionError> {
        let (core, _) = self.acting("set_active_tools")?;
        let names = names.iter().map(|name| name.as_ref().into()).collect();
        let change = ActiveChange::Set(names);
        // Through the call, if one of this extension's tools runs here, so that its result tells.
        Ok(match running_call() {
            Some(call) => call.actions().change_active_tools(&change),
            None => core
                .session
                .context()
                .actions()
                .change_active_tools(&change),
        })
    }

    /// Returns what may be told of all tools, whether active or not; there is no way from it to the
    /// running of one.
    pub fn get_all_tools(&self) -> Result<Vec<ToolInfo>, ExtensionError> {
        let (core, _) = self.acting("get_all_tools")?;
        Ok(core.session.registry().get_all_tools())
    }

    /// Adds a command for people, or puts it in the place of an earlier one of this extension.
    pub fn register_command(
        &self,
        name: &str,
        description: &str,
        handler: impl for<'a> Fn(
            &'a str,
            &'a ExtensionContext,
        ) -> BoxFuture<'a, Result<(), ExtensionError>>
        + Send
        + Sync
        + 'static,
    ) -> Result<(), ExtensionError> {
        let (core, loaded) = self.registering("register_command")?;
        if name.is_empty() || name.contains(char::is_whitespace) {
            return Err(ExtensionError::CommandName {
                name: name.to_owned(),
            });
        }
        let command = Command {
            name: name.into(),
            description: description.into(),
            handler: Arc::new(handler),
        };
        core.register_command(&loaded, command);
        Ok(())
    }

    /// Adds a key, such as `ctrl+shift+p`, or puts it in the place of an earlier one of this
    /// extension. Whether there are keys is the affair of the front end.
    ///
    /// Errors: the key has no name.
    pub fn register_shortcut(
        &self,
        key: &str,
        description: &str,
        handler: impl for<'a> Fn(&'a ExtensionContext) -> BoxFuture<'a, Result<(), ExtensionError>>
        + Send
        + Sync
        + 'static,
    ) -> Result<(), ExtensionError> {
        let (core, loaded) = self.registering("register_shortcut")?;
        let key = key.trim().to_lowercase();
        if key.is_empty() {
            return Err("a shortcut needs a key, such as `ctrl+shift+p`".into());
        }
        let shortcut = Shortcut {
            key: key.into(),
            description: description.into(),
            handler: Arc::new(handler),
        };
        core.register_shortcut(&loaded, shortcut);
        Ok(())
    }

    /// Adds a flag of the command line.
    ///
    /// Errors: the default is of another kind; another extension has the flag, which while
    /// extensions register is a diagnostic.
    pub fn register_flag(
        &self,
        name: &str,
        kind: FlagKind,
        default: Option<FlagValue>,
        description: &str,
    ) -> Result<(), ExtensionError> {
        let (core, loaded) = self.registering("register_flag")?;
        if default.as_ref().is_some_and(|value| !kind.takes(value)) {
            return Err(ExtensionError::FlagDefault {
                name: name.to_owned(),
                expected: kind.noun(),
            });
        }
        let flag = Flag {
            name: name.into(),
            kind,
            default,
            description: description.into(),
        };
        core.register_flag(&loaded, flag)
    }

    /// Lets a renderer draw something, in the place of an earlier one of this extension for the same.
    pub fn register_renderer(
        &self,
        draws: Draws,
        renderer: Arc<dyn Renderer>,
    ) -> Result<(), ExtensionError> {
        let (_, loaded) = self.registering("register_renderer")?;
        loaded.registered().put_renderer(draws, renderer);
        Ok(())
    }

    /// Returns the value of a flag of this extension: what was given, otherwise the default.
    pub fn get_flag(&self, name: &str) -> Result<Option<FlagValue>, ExtensionError> {
        let (core, loaded) = self.registering("get_flag")?;
        Ok(core.flag(&loaded, name))
    }

    /// Runs a program without a shell and waits for its end.
    ///
    /// A guard that waits here does not use its own time.
    ///
    /// Errors: it could not be started; an exit code other than 0 is none.
    ///
    /// Cancellation: by the token or the timeout of `options`, and when the future is dropped: TERM
    /// to the whole tree, and KILL to what is left five seconds later.
    pub async fn exec(
        &self,
        program: &str,
        args: &[&str],
        options: ExecOptions,
    ) -> Result<ExecOutput, ExtensionError> {
        let (core, _) = self.acting("exec")?;
        let _waiting = GuardScope::current().as_ref().map(GuardScope::wait);
        Ok(exec(core.session.env().as_ref(), program, args, options).await?)
    }

    /// Says something to the model in the user's place: into a run that is under way as `delivery`
    /// says, otherwise as the prompt of a new one. Does not wait.
    pub fn send_user_message(
        &self,
        content: UserContent,
        delivery: Delivery,
    ) -> Result<(), ExtensionError> {
        let (core, _) = self.acting("send_user_message")?;
        let message = Message::User(UserMessage {
            content,
            timestamp: core.session.now_ms(),
            extra: Default::default(),
        });
        core.session.send(message, delivery);
        Ok(())
    }

    /// Says something to the model as the extension: into a run that is under way as `delivery`
    /// says, otherwise as the prompt of a new one. Does not wait.
    pub fn send_message(
        &self,
        message: CustomMessage,
        delivery: Delivery,
    ) -> Result<(), ExtensionError> {
        let (core, _) = self.acting("send_message")?;
        core.session.send(Message::Custom(message), delivery);
        Ok(())
    }

    /// Returns a tool that Deed ships, also where another took its place, to be part of a tool of
    /// this extension.
    pub fn built_in_tool(&self, name: &str) -> Result<Option<RegisteredTool>, ExtensionError> {
        let (core, _) = self.registering("built_in_tool")?;
        Ok(core.session.registry().built_in(name))
    }

    /// Returns where the session's tools act: its files, its programs, and the queue that keeps
    /// writes of one file in order.
    pub fn environment(&self) -> Result<Arc<dyn ExecutionEnv>, ExtensionError> {
        let (core, _) = self.registering("environment")?;
        Ok(core.session.env().clone())
    }

    /// Runs a program and hands its output on as it comes; works from the beginning.
    ///
    /// Errors: it could not be started.
    ///
    /// Cancellation: by the token, and when the future is dropped.
    pub async fn spawn(
        &self,
        spec: ProcessSpec,
        output: Box<dyn OutputSink>,
        cancel: &CancellationToken,
    ) -> Result<ExitReport, ExtensionError> {
        let (core, _) = self.registering("spawn")?;
        Ok(core.session.env().run(spec, output, cancel).await?)
    }

    /// Finds a program by its name or path, where programs run.
    pub async fn find_program(&self, name: &str) -> Result<Option<PathBuf>, ExtensionError> {
        let (core, _) = self.registering("find_program")?;
        Ok(core.session.env().find_program(name).await)
    }

    /// Returns the commands of all extensions.
    pub fn get_commands(&self) -> Result<Vec<CommandInfo>, ExtensionError> {
        let (core, _) = self.acting("get_commands")?;
        Ok(core.command_infos())
    }

    /// Reads what is written down of the session: nothing where no record is kept.
    ///
    /// Errors: the record cannot be read.
    pub fn get_entries(&self) -> Result<RecordedEntries, ExtensionError> {
        let (core, _) = self.acting("get_entries")?;
        let record = core.session.record();
        Ok(record
            .map(SessionRecord::entries)
            .transpose()?
            .unwrap_or_default())
    }

    /// Adds an entry that models never see to what is written down of the session; without a
    /// record it is dropped.
    ///
    /// Errors: the record cannot be written.
    pub fn append_entry(&self, custom_type: &str, data: Value) -> Result<(), ExtensionError> {
        let (core, _) = self.acting("append_entry")?;
        let record = core.session.record();
        let added = record.map(|record| record.append_custom(custom_type, data));
        Ok(added.transpose().map(drop)?)
    }

    /// Marks an entry; without a text the mark is taken away.
    ///
    /// Errors: there is no such entry, or the record cannot be written.
    pub fn set_label(&self, entry_id: &str, label: Option<&str>) -> Result<(), ExtensionError> {
        let (core, _) = self.acting("set_label")?;
        let record = core.session.record();
        let marked = record.map(|record| record.set_label(entry_id, label));
        Ok(marked.transpose().map(drop)?)
    }

    /// Names the session; an empty name takes it away.
    ///
    /// Errors: the record cannot be written.
    pub fn set_session_name(&self, name: &str) -> Result<(), ExtensionError> {
        let (core, _) = self.acting("set_session_name")?;
        let named = core.session.record().map(|record| record.set_name(name));
        Ok(named.transpose().map(drop)?)
    }

    /// Returns the context of no event: what may be known and done outside of a handler.
    pub fn context(&self) -> Result<ExtensionContext, ExtensionError> {
        let (core, _) = self.acting("context")?;
        Ok(core.context(&core.cancellation()))
    }

    /// Reports that part of a handler failed, for one that stands for several; the event keeps what
    /// the others did.
    pub fn report_failure(&self, event: &'static str, error: String) {
        if let Ok((core, loaded)) = self.registering("report_failure") {
            core.report(&loaded, event, &Fault::Error(error.into()), None);
        }
    }

    /// Errors: the session has ended.
    fn registering(
        &self,
        action: &'static str,
    ) -> Result<(Arc<Core>, Arc<Loaded>), ExtensionError> {
        let core = self.core.upgrade();
        let live = core.filter(|core| core.phase() != Phase::Closed);
        live.zip(self.loaded.upgrade())
            .ok_or(ExtensionError::Stale { action })
    }

    /// Errors: the session has not started or has ended.
    fn acting(&self, action: &'static str) -> Result<(Arc<Core>, Arc<Loaded>), ExtensionError> {
        let (core, loaded) = self.registering(action)?;
        match core.phase() {
            Phase::Loading => Err(ExtensionError::Registering { action }),
            _ => Ok((core, loaded)),
        }
    }
}

impl fmt::Debug for ExtensionApi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExtensionApi")
            .field("source", &self.source.path)
            .finish_non_exhaustive()
    }
}
