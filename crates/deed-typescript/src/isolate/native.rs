//! The native object that the JavaScript side is built on.

use std::path::Path;
use std::rc::Rc;

use rquickjs::function::Opt;
use rquickjs::{Ctx, Exception, Function, Object, Persistent, Promise, Value};

use super::commonjs;
use super::inside::{Inside, Pending};
use crate::ops::{LogLevel, OpError};

/// Makes the object.
pub(super) fn object<'js>(ctx: &Ctx<'js>, inside: &Rc<Inside>) -> rquickjs::Result<Object<'js>> {
    let object = Object::new(ctx.clone())?;
    operations(ctx, &object, inside)?;
    timers(ctx, &object, inside)?;
    modules(ctx, &object, inside)?;
    let log = inside.clone();
    object.set(
        "log",
        Function::new(ctx.clone(), move |level: String, text: String| {
            log.operations.log(LogLevel::of(&level), &text);
        })?,
    )?;
    let places = inside.clone();
    object.set(
        "mapStack",
        Function::new(ctx.clone(), move |text: String| places.places.text(&text))?,
    )?;
    Ok(object)
}

fn operations<'js>(
    ctx: &Ctx<'js>,
    object: &Object<'js>,
    inside: &Rc<Inside>,
) -> rquickjs::Result<()> {
    let shared = inside.clone();
    let op = move |ctx: Ctx<'js>, name: String, json: Opt<String>| -> rquickjs::Result<String> {
        let json = json.0.unwrap_or_else(|| "{}".to_owned());
        let outcome = shared.operations.run(&name, &json);
        // What the host did meanwhile is not the script's time.
        shared.health.enter();
        outcome.map_err(|error| throw(&ctx, &error))
    };
    object.set("op", Function::new(ctx.clone(), op)?)?;
    let shared = inside.clone();
    let op_async =
        move |ctx: Ctx<'js>, name: String, json: Opt<String>| -> rquickjs::Result<Promise<'js>> {
            let (promise, resolve, reject) = ctx.promise()?;
            let id = shared.next_id();
            let pending = Pending {
                resolve: Persistent::save(&ctx, resolve),
                reject: Persistent::save(&ctx, reject),
            };
            shared.pending.borrow_mut().insert(id, pending);
            let json = json.0.unwrap_or_else(|| "{}".to_owned());
            shared.operations.start(&name, json, id);
            Ok(promise)
        };
    object.set("opAsync", Function::new(ctx.clone(), op_async)?)
}

fn timers<'js>(ctx: &Ctx<'js>, object: &Object<'js>, inside: &Rc<Inside>) -> rquickjs::Result<()> {
    let shared = inside.clone();
    let set = move |id: u32, delay_ms: f64| shared.timers.borrow_mut().set(id, delay_ms);
    object.set("setTimer", Function::new(ctx.clone(), set)?)?;
    let shared = inside.clone();
    let clear = move |id: u32| shared.timers.borrow_mut().clear(id);
    object.set("clearTimer", Function::new(ctx.clone(), clear)?)?;
    let zero = std::time::Instant::now();
    let now = move || zero.elapsed().as_secs_f64() * 1000.0;
    object.set("now", Function::new(ctx.clone(), now)?)
}

fn modules<'js>(ctx: &Ctx<'js>, object: &Object<'js>, inside: &Rc<Inside>) -> rquickjs::Result<()> {
    let shared = inside.clone();
    let require =
        move |ctx: Ctx<'js>, specifier: String, from: String| -> rquickjs::Result<Value<'js>> {
            commonjs::require(&ctx, &shared, &specifier, Path::new(&from))
        };
    object.set("require", Function::new(ctx.clone(), require)?)?;
    let shared = inside.clone();
    let built_in = move |ctx: Ctx<'js>, identity: String| -> rquickjs::Result<Object<'js>> {
        // None of them waits while it loads.
        let namespace = shared.modules.import_now(&ctx, &identity)?;
        namespace.ok_or(rquickjs::Error::WouldBlock)
    };
    object.set("builtIn", Function::new(ctx.clone(), built_in)?)?;
    let resolve =
        move |ctx: Ctx<'js>, specifier: String, from: String| -> rquickjs::Result<String> {
            commonjs::resolved(&ctx, &specifier, Path::new(&from))
        };
    object.set("resolve", Function::new(ctx.clone(), resolve)?)
}

/// Throws what an operation of the host said.
fn throw(ctx: &Ctx<'_>, error: &OpError) -> rquickjs::Error {
    match error_object(ctx, error) {
        Ok(object) => ctx.throw(object),
        Err(error) => error,
    }
}

/// Makes an error object of what an operation of the host said.
pub(super) fn error_object<'js>(ctx: &Ctx<'js>, error: &OpError) -> rquickjs::Result<Value<'js>> {
    let exception = Exception::from_message(ctx.clone(), &error.message)?;
    let object = exception.into_object();
    if let Some(name) = error.name {
        object.set("name", name)?;
    }
    if let Some(code) = &error.code {
        object.set("code", code.as_str())?;
    }
    if let Some(errno) = error.errno {
        object.set("errno", -errno)?;
    }
    Ok(object.into_value())
}
