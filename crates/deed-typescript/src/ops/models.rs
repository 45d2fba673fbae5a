//! Other models than the session's, by the list that the host hands in.

use std::sync::Arc;

use deed_agent::{BoxFuture, ModelRequest, ToolSet};
use deed_models::web::host_of;
use deed_protocol::{Message, ThinkingLevel};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{Op, OpContext, OpError, OpResult, Row, done, read, say};
use crate::Access;

pub(super) const ROWS: &[Row] = &[
    ("model.list", Op::Blocking(list)),
    ("model.complete", Op::Later(complete)),
    ("model.cancel", Op::Now(cancel)),
    ("model.set", Op::Later(set)),
    ("thinking.get", Op::Now(thinking)),
    ("thinking.set", Op::Now(set_thinking)),
    ("provider.register", Op::Now(register)),
    ("provider.unregister", Op::Now(unregister)),
];

const FAMILY: &str = "model";

fn list(context: &OpContext, _: &str) -> OpResult {
    let api = context.api()?;
    let models = context.bridge.runtime.block_on(api.get_models());
    let models = models.map_err(OpError::failed)?;
    let available = models.iter().filter(|model| model.is_available);
    let available: Vec<String> = available
        .map(|model| format!("{}/{}", model.provider, model.id))
        .collect();
    let models: Vec<&Map<String, Value>> = models.iter().map(|model| &model.facts).collect();
    say(json!({ "models": models, "available": available }))
}

#[derive(Deserialize)]
struct Named {
    provider: String,
    id: String,
}

#[derive(Deserialize)]
struct Complete {
    id: Value,
    model: Named,
    context: Conversation,
    #[serde(default)]
    options: Options,
}

/// What a model is asked, as scripts write it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Conversation {
    #[serde(default)]
    system_prompt: Option<String>,
    messages: Vec<Value>,
    #[serde(default)]
    tools: Vec<Value>,
}

/// How much it is to think; all else that a script says of it is the provider's affair here.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Options {
    reasoning: Option<String>,
    reasoning_effort: Option<String>,
    thinking_level: Option<String>,
}

impl Options {
    fn thinking(&self) -> Result<ThinkingLevel, OpError> {
        let said = [
            &self.reasoning,
            &self.reasoning_effort,
            &self.thinking_level,
        ];
        match said.into_iter().flatten().next() {
            Some(level) => level_of(level),
            None => Ok(ThinkingLevel::Off),
        }
    }
}

fn level_of(text: &str) -> Result<ThinkingLevel, OpError> {
    let level = text.parse();
    level.map_err(|_| OpError::failed(format!("there is no thinking level `{text}`")))
}

impl Conversation {
    fn request(self, thinking: ThinkingLevel) -> Result<ModelRequest, OpError> {
        if !self.tools.is_empty() {
            return Err(OpError::unsupported("tools of ctx.modelRegistry.complete"));
        }
        let messages = self.messages.into_iter().enumerate();
        let messages: Result<Vec<Arc<Message>>, OpError> = messages
            .map(|(at, message)| message_of(at, message).map(Arc::new))
            .collect();
        Ok(ModelRequest {
            system: self.system_prompt.unwrap_or_default().into(),
            messages: Arc::new(messages?),
            tools: Arc::new(ToolSet::default()),
            thinking,
        })
    }
}

fn message_of(at: usize, mut message: Value) -> Result<Message, OpError> {
    if let Some(message) = message.as_object_mut() {
        message.entry("timestamp").or_insert_with(|| 0.into());
    }
    serde_json::from_value(message)
        .map_err(|error| OpError::failed(format!("messages[{at}] makes no sense: {error}")))
}

fn complete(context: Arc<OpContext>, json: String) -> BoxFuture<'static, OpResult> {
    Box::pin(async move {
        let asked: Complete = read(&json)?;
        let thinking = asked.options.thinking()?;
        let request = asked.context.request(thinking)?;
        let cancellable = context.cancellable(FAMILY, &asked.id.to_string());
        let model = (asked.model.provider.as_str(), asked.model.id.as_str());
        let answer = context
            .api()?
            .complete(model, request, &cancellable.token)
            .await
            .map_err(OpError::failed)?;
        say(Message::Assistant(answer))
    })
}

#[derive(Deserialize)]
struct Of {
    id: Value,
}

fn cancel(context: &OpContext, json: &str) -> OpResult {
    let Of { id } = read(json)?;
    context.cancel(FAMILY, &id.to_string());
    done()
}

/// A model that cannot be asked as things are is no fault of the script: it answers `false`, as in Pi.
fn set(context: Arc<OpContext>, json: String) -> BoxFuture<'static, OpResult> {
    Box::pin(async move {
        let Named { provider, id } = read(&json)?;
        let set = context.api()?.set_model(&provider, &id).await;
        if let Err(error) = &set {
            let text = format!("the model stays: {error}");
            context.log(super::LogLevel::Warning, &text);
        }
        say(json!({ "ok": set.is_ok() }))
    })
}

fn thinking(context: &OpContext, _: &str) -> OpResult {
    let level = context.api()?.get_thinking_level();
    let level = level.map_err(OpError::failed)?;
    say(json!({ "level": level.as_str() }))
}

#[derive(Deserialize)]
struct Level {
    level: String,
}

fn set_thinking(context: &OpContext, json: &str) -> OpResult {
    let Level { level } = read(json)?;
    let level = level_of(&level)?;
    let setting = context.api()?.set_thinking_level(level);
    let set = context.bridge.runtime.block_on(setting);
    set.map_err(OpError::failed)?;
    done()
}

#[derive(Deserialize)]
struct Register {
    name: String,
    config: Map<String, Value>,
}

fn register(context: &OpContext, json: &str) -> OpResult {
    let Register { name, mut config } = read(json)?;
    let models = config.get("models").and_then(Value::as_array);
    let of_models = models
        .into_iter()
        .flatten()
        .map(|model| model.get("baseUrl"));
    let addresses = of_models.chain([config.get("baseUrl")]).flatten();
    for address in addresses.filter_map(Value::as_str) {
        let host = host_of(address).ok_or_else(|| {
            OpError::failed(format!(
                "baseUrl `{address}` of {name} is no address of the web"
            ))
        })?;
        context.check(&Access::Connect(&host))?;
    }
    if let Some(Value::String(key)) = config.get_mut("apiKey") {
        *key = secret(context, key)?;
    }
    if let Some(Value::Object(headers)) = config.get_mut("headers") {
        for value in headers.values_mut() {
            if let Value::String(value) = value {
                *value = secret(context, value)?;
            }
        }
    }
    let registered = context
        .api()?
        .register_provider(&name, Value::Object(config));
    registered.map_err(OpError::failed)?;
    done()
}

/// Reads a key as Pi writes it: `$NAME` and `${NAME}` are variables, which must be the script's to
/// know: what it registers goes to hosts of its choice.
fn secret(context: &OpContext, text: &str) -> Result<String, OpError> {
    if text.starts_with('!') {
        return Err(OpError::unsupported(
            "a key of pi.registerProvider that a command prints",
        ));
    }
    let braced = text
        .strip_prefix("${")
        .and_then(|rest| rest.strip_suffix('}'));
    let Some(name) = braced.or_else(|| text.strip_prefix('$')) else {
        return Ok(text.to_owned());
    };
    context.check(&Access::Variable(name))?;
    let known = context.bridge.options.env.get(name);
    known
        .cloned()
        .ok_or_else(|| OpError::failed(format!("the variable {name} is not set, or not granted")))
}

#[derive(Deserialize)]
struct Provider {
    name: String,
}

fn unregister(context: &OpContext, json: &str) -> OpResult {
    let Provider { name } = read(json)?;
    let taken_back = context.api()?.unregister_provider(&name);
    taken_back.map_err(OpError::failed)?;
    done()
}
