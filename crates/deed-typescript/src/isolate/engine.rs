use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use rquickjs::context::EvalOptions;
use rquickjs::function::This;
use rquickjs::{Context, Ctx, Error, Function, Object, Persistent, Promise, Runtime, Value};

use super::inside::Inside;
use super::{Command, Reply, loader, native};
use crate::health::Health;
use crate::ops::{OpContext, OpError};
use crate::{Limits, ScriptError, modules};

/// The engine, on its thread.
pub(super) struct Engine {
    // Before the runtime: what it holds must be gone first.
    context: Context,
    runtime: Runtime,
    inside: Rc<Inside>,
}

impl Engine {
    /// Makes an engine with the globals and the JavaScript host in it.
    pub(super) fn boot(
        limits: Limits,
        health: Arc<Health>,
        operations: Arc<OpContext>,
    ) -> Result<Self, ScriptError> {
        let failed = |error: Error| ScriptError::Answer {
            what: "starting the engine".to_owned(),
            why: error.to_string(),
        };
        let inside = Rc::new(Inside::new(limits, health, operations));
        let runtime = Runtime::new().map_err(failed)?;
        runtime.set_memory_limit(limits.max_heap_bytes);
        runtime.set_max_stack_size(limits.max_stack_bytes);
        let health = inside.health.clone();
        runtime.set_interrupt_handler(Some(Box::new(move || health.must_stop())));
        let tracking = inside.clone();
        runtime.set_host_promise_rejection_tracker(Some(Box::new(
            move |ctx, promise, reason, is_handled| {
                tracking.track(&ctx, promise, &reason, is_handled);
            },
        )));
        runtime.set_loader(
            loader::ScriptResolver(inside.clone()),
            loader::ScriptLoader(inside.clone()),
        );
        let context = Context::full(&runtime).map_err(failed)?;
        let engine = Self {
            context,
            runtime,
            inside,
        };
        engine.enter(|ctx| engine.prepare(ctx))?;
        Ok(engine)
    }

    fn prepare(&self, ctx: &Ctx<'_>) -> Result<(), ScriptError> {
        let inside = &self.inside;
        let prepared = || -> rquickjs::Result<()> {
            ctx.globals().set("__deed", native::object(ctx, inside)?)?;
            let mut options = EvalOptions::default();
            options.filename = Some(modules::PRELUDE.to_owned());
            let prelude = modules::source(modules::PRELUDE).unwrap_or_default();
            ctx.eval_with_options::<(), _>(prelude, options)?;
            ctx.globals().remove("__deed")?;
            let host: Object<'_> = inside.modules.import(ctx, modules::HOST)?.finish()?;
            let host: Object<'_> = host.get("default")?;
            *inside.host.borrow_mut() = Some(Persistent::save(ctx, host));
            Ok(())
        };
        prepared().map_err(|error| match error {
            Error::WouldBlock => ScriptError::Answer {
                what: "the JavaScript host".to_owned(),
                why: "it does not finish loading".to_owned(),
            },
            error => inside.caught(ctx, &error),
        })
    }

    /// The only way in: runs the script until it has nothing left to do.
    fn enter<R>(&self, run: impl FnOnce(&Ctx<'_>) -> R) -> R {
        self.inside.health.enter();
        let result = self.context.with(|ctx| run(&ctx));
        self.run_jobs();
        self.inside.modules.pause();
        self.inside.health.leave();
        self.inside.tell_rejections();
        result
    }

    /// Runs what waits. A chain of jobs that never ends is stopped by the interrupt inside one of them.
    fn run_jobs(&self) {
        while self.inside.health.death().is_none() {
            match self.runtime.execute_pending_job() {
                Ok(true) => {}
                Ok(false) => return,
                // Whoever waited for what the job was to do would wait for ever.
                Err(failed) => failed.0.with(|ctx| self.inside.job_failed(&ctx)),
            }
        }
    }

    pub(super) fn handle(&self, command: Command) {
        match command {
            Command::Load { path, info, reply } => self.load(&path, info, reply),
            Command::Call {
                function,
                args,
                reply,
            } => self.call(function, args, reply),
            Command::Tell { function, args } => self.tell(function, args),
            Command::Settle { id, result } => self.settle(id, result),
            Command::Stop => {}
        }
    }

    /// Imports the author's file, then calls its factory through the JavaScript host.
    fn load(&self, path: &Path, info: String, reply: Reply) {
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let answer = Answer::new(&self.inside, reply);
        self.enter(
            |ctx| match self.inside.modules.import(ctx, &path.to_string_lossy()) {
                Ok(imported) => imported_then_called(ctx, imported, path, info, answer),
                Err(error) => answer.error(ctx, &error),
            },
        );
    }

    fn call(&self, function: &str, args: Vec<String>, reply: Reply) {
        let answer = Answer::new(&self.inside, reply);
        self.enter(|ctx| match self.inside.call_host(ctx, function, args) {
            Ok(value) => answer.when_settled(ctx, value),
            Err(error) => answer.error(ctx, &error),
        });
    }

    fn tell(&self, function: &str, args: Vec<String>) {
        self.enter(|ctx| self.inside.tell_host(ctx, function, args));
    }

    fn settle(&self, id: u64, result: Result<String, OpError>) {
        let pending = self.inside.pending.borrow_mut().remove(&id);
        let Some(pending) = pending else { return };
        self.enter(|ctx| {
            let settled = match result {
                Ok(json) => pending
                    .resolve
                    .restore(ctx)
                    .and_then(|resolve| resolve.call((json,))),
                Err(error) => native::error_object(ctx, &error)
                    .and_then(|error| pending.reject.restore(ctx)?.call((error,))),
            };
            // Only an engine that is dying fails here.
            settled.unwrap_or(())
        });
    }

    pub(super) fn next_timer(&self) -> Option<Instant> {
        self.inside.timers.borrow().next()
    }

    pub(super) fn fire_timers(&self) {
        let due = self.inside.timers.borrow_mut().take_due();
        for id in due {
            if self.inside.health.death().is_some() {
                return;
            }
            self.enter(|ctx| {
                let fired = self
                    .inside
                    .host_function(ctx, "timer")
                    .and_then(|timer| timer.call((id,)));
                fired.unwrap_or_else(|error| self.inside.caught_on_its_own(ctx, &error));
            });
        }
    }

    /// Ends the engine; what it was asked and has not answered is dropped.
    pub(super) fn close(self) {
        let Self {
            context,
            runtime,
            inside,
        } = self;
        inside.operations.close();
        context.with(|_| inside.clear());
        drop(context);
        drop(runtime);
    }
}

impl Inside {
    fn host_function<'js>(&self, ctx: &Ctx<'js>, name: &str) -> rquickjs::Result<Function<'js>> {
        let host = self.host.borrow().clone().ok_or(Error::Unknown)?;
        host.restore(ctx)?.get(name)
    }

    fn call_host<'js>(
        &self,
        ctx: &Ctx<'js>,
        function: &str,
        args: Vec<String>,
    ) -> rquickjs::Result<Value<'js>> {
        let function = self.host_function(ctx, function)?;
        function.call((rquickjs::function::Rest(args),))
    }

    fn tell_host(&self, ctx: &Ctx<'_>, function: &str, args: Vec<String>) {
        if let Err(error) = self.call_host(ctx, function, args) {
            self.caught_on_its_own(ctx, &error);
        }
    }

    /// Tells of an exception that belongs to no call.
    fn caught_on_its_own(&self, ctx: &Ctx<'_>, error: &Error) {
        if let ScriptError::Thrown(thrown) = self.caught(ctx, error) {
            self.operations.rejected(&thrown);
        }
    }
}

fn imported_then_called<'js>(
    ctx: &Ctx<'js>,
    imported: Promise<'js>,
    path: PathBuf,
    info: String,
    answer: Answer,
) {
    let then = move |ctx: Ctx<'js>, outcome: Result<Value<'js>, Value<'js>>| {
        let namespace = match outcome {
            Ok(namespace) => namespace,
            Err(thrown) => return answer.thrown(&thrown),
        };
        let Some(factory) = factory_of(&namespace) else {
            return answer.send(Err(ScriptError::NoFactory { path }));
        };
        let load = answer.inside.host_function(&ctx, "load");
        match load.and_then(|load| load.call((factory, info))) {
            Ok(value) => answer.when_settled(&ctx, value),
            Err(error) => answer.error(&ctx, &error),
        }
    };
    // Where no callback can be made the answer is dropped with it, which ends the wait.
    when_settled(ctx, &imported, then).ok();
}

/// Returns the default export, also that of what was compiled to CommonJS.
fn factory_of<'js>(namespace: &Value<'js>) -> Option<Function<'js>> {
    let mut exported: Value<'js> = namespace.as_object()?.get("default").ok()?;
    if !exported.is_function()
        && let Some(inner) = exported
            .as_object()
            .and_then(|object| object.get("default").ok())
    {
        exported = inner;
    }
    exported.into_function()
}

/// Calls `then` once, when a promise is settled.
fn when_settled<'js>(
    ctx: &Ctx<'js>,
    promise: &Promise<'js>,
    then: impl FnOnce(Ctx<'js>, Result<Value<'js>, Value<'js>>) + 'js,
) -> rquickjs::Result<()> {
    let then = Rc::new(RefCell::new(Some(then)));
    let otherwise = then.clone();
    let fulfilled = Function::new(ctx.clone(), move |ctx: Ctx<'js>, value: Value<'js>| {
        let then = then.borrow_mut().take();
        if let Some(then) = then {
            then(ctx, Ok(value));
        }
    })?;
    let rejected = Function::new(ctx.clone(), move |ctx: Ctx<'js>, value: Value<'js>| {
        let then = otherwise.borrow_mut().take();
        if let Some(then) = then {
            then(ctx, Err(value));
        }
    })?;
    promise
        .then()?
        .call((This(promise.clone()), fulfilled, rejected))
}

/// Where the outcome of a call goes.
struct Answer {
    inside: Rc<Inside>,
    reply: Reply,
}

impl Answer {
    fn new(inside: &Rc<Inside>, reply: Reply) -> Self {
        Self {
            inside: inside.clone(),
            reply,
        }
    }

    fn send(self, outcome: Result<Option<String>, ScriptError>) {
        // Whoever asked may have gone.
        self.reply.send(outcome).ok();
    }

    fn error(self, ctx: &Ctx<'_>, error: &Error) {
        let error = self.inside.caught(ctx, error);
        self.send(Err(error));
    }

    fn thrown(self, value: &Value<'_>) {
        let error = self.inside.error_of(value);
        self.send(Err(error));
    }

    fn value(self, value: &Value<'_>) {
        let text = value.as_string().map(|text| text.to_string());
        match text.transpose() {
            Ok(text) => self.send(Ok(text)),
            Err(error) => self.error(value.ctx(), &error),
        }
    }

    fn when_settled<'js>(self, ctx: &Ctx<'js>, value: Value<'js>) {
        let Some(promise) = value.as_promise().cloned() else {
            return self.value(&value);
        };
        let then = move |_: Ctx<'js>, outcome: Result<Value<'js>, Value<'js>>| match outcome {
            Ok(value) => self.value(&value),
            Err(thrown) => self.thrown(&thrown),
        };
        when_settled(ctx, &promise, then).ok();
    }
}
