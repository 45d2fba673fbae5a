//! Other models than the session's, other places of the session.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use deed_agent::{BoxFuture, Model, ModelDelta, ModelInfo, ModelRequest};
use deed_extensions::{KnownModel, MadeModel, ModelSource};
use deed_protocol::{AssistantMessage, ContentBlock, StopReason, ThinkingLevel};
use deed_typescript::{Access, Permissions};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::support::{Play, Played, batch, call, tool};

/// Models that say what they were asked.
#[derive(Default)]
struct Models(Mutex<HashMap<String, Value>>);

impl ModelSource for Models {
    fn list<'a>(&'a self) -> BoxFuture<'a, Vec<KnownModel>> {
        let known = |id: &str, is_available| KnownModel {
            provider: "acme".into(),
            id: id.into(),
            is_available,
            facts: json!({ "provider": "acme", "id": id, "name": id.to_uppercase() })
                .as_object()
                .cloned()
                .unwrap(),
        };
        Box::pin(async move { vec![known("small", true), known("locked", false)] })
    }

    fn make<'a>(
        &'a self,
        provider: &'a str,
        id: &'a str,
        thinking: ThinkingLevel,
    ) -> BoxFuture<'a, Result<MadeModel, String>> {
        Box::pin(async move {
            if (provider, id) != ("acme", "small") {
                return Err(format!("{provider}/{id} has no key; set one"));
            }
            Ok(MadeModel {
                model: Arc::new(Echo::new()),
                thinking: thinking.min(ThinkingLevel::Low),
            })
        })
    }

    fn register(&self, provider: &str, settings: Value) -> Result<(), String> {
        self.0.lock().unwrap().insert(provider.to_owned(), settings);
        Ok(())
    }

    fn unregister(&self, provider: &str) {
        self.0.lock().unwrap().remove(provider);
    }
}

struct Echo(ModelInfo);

impl Echo {
    fn new() -> Self {
        Self(ModelInfo {
            api: "test".into(),
            provider: "acme".into(),
            id: "small".into(),
            ..ModelInfo::default()
        })
    }
}

impl Model for Echo {
    fn info(&self) -> &ModelInfo {
        &self.0
    }

    fn respond<'a>(
        &'a self,
        request: &'a ModelRequest,
        _: mpsc::Sender<ModelDelta>,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, AssistantMessage> {
        Box::pin(async move {
            if &*request.system == "wait" {
                cancel.cancelled().await;
                return AssistantMessage::new(StopReason::Aborted, 0);
            }
            let messages = serde_json::to_string(&request.messages).unwrap();
            let text = format!("{}|{}|{messages}", request.system, request.thinking);
            let mut answer = AssistantMessage::new(StopReason::Stop, 0);
            answer.content = vec![ContentBlock::text(text)];
            answer
        })
    }
}

async fn play(body: &str) -> Played {
    Play::new()
        .models(Arc::new(Models::default()))
        .with("m.ts", &tool(body))
        .run(batch(&[call("c", "t", json!({}))]))
        .await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_is_found_and_asked_outside_of_the_session() {
    let body = "const model = ctx.modelRegistry.find('acme', 'small');
        const messages = [{ role: 'user', content: [{ type: 'text', text: 'sum up' }], timestamp: 1 }];
        const answer = await ctx.modelRegistry.complete(model, { systemPrompt: 'be short', messages }, { reasoningEffort: 'high', cacheRetention: 'none' });
        return [model.name, answer.role, answer.stopReason, answer.content[0].text].join('\\n');";
    let played = play(body).await;
    insta::assert_snapshot!(played.text("c"), @r#"
    SMALL
    assistant
    stop
    be short|low|[{"role":"user","content":[{"type":"text","text":"sum up"}],"timestamp":1}]
    "#);
    let messages = played.session.agent().messages();
    assert_eq!(messages.len(), 4, "{messages:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn which_models_there_are_and_which_can_be_asked() {
    let body = "const registry = ctx.modelRegistry;
        const ids = (models) => models.map((model) => model.id).join('+');
        const locked = registry.find('acme', 'locked');
        const refused = await registry.complete(locked, { messages: [] }).catch((error) => error.message);
        return [ids(registry.getAll()), ids(registry.getAvailable()), registry.hasConfiguredAuth(locked), registry.find('acme', 'none'), refused].join('\\n');";
    let played = play(body).await;
    insta::assert_snapshot!(played.text("c"), @r"
    small+locked+script
    small+script
    false

    acme/locked has no key; set one
    ");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_is_called_off_says_so() {
    let body = "const off = new AbortController();
        const asking = ctx.modelRegistry.complete({ provider: 'acme', id: 'small' }, { systemPrompt: 'wait', messages: [] }, { signal: off.signal });
        setTimeout(() => off.abort(), 5);
        return (await asking).stopReason;";
    assert_eq!(play(body).await.text("c"), "aborted");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_request_cannot_have_is_refused_by_name() {
    let body = "const ask = (context, options) => ctx.modelRegistry.complete({ provider: 'acme', id: 'small' }, context, options).catch((error) => error.message);
        return [
            await ask({ messages: [], tools: [{ name: 't' }] }),
            await ask({ messages: [{ role: 'user' }] }),
            await ask({ messages: [] }, { reasoning: 'wild' }),
        ].join('\\n');";
    let text = play(body).await.text("c");
    let text = text.replace(env!("CARGO_PKG_VERSION"), "VERSION");
    insta::assert_snapshot!(text, @r"
    'tools of ctx.modelRegistry.complete' isn't supported by this host (deed VERSION)
    messages[0] makes no sense: missing field `content` at line 1 column 29
    there is no thinking level `wild`
    ");
}

const SETS: &str = "export default (pi) => {
    pi.registerCommand('model', { handler: async (id, ctx) => {
        const ok = await pi.setModel({ provider: 'acme', id });
        pi.setThinkingLevel('high');
        ctx.ui.notify(`${ok} ${pi.getThinkingLevel()}`, 'info');
    } });
    pi.on('model_select', (event) => console.log(event.model.id));
};";

#[tokio::test(flavor = "multi_thread")]
async fn a_script_lets_another_model_answer_and_think() {
    let played = Play::new()
        .models(Arc::new(Models::default()))
        .person(true)
        .with("s.js", SETS)
        .load(json!([{ "say": "ok" }]))
        .await;
    played.session.run_command("model", "locked").await.unwrap();
    assert_eq!(&*played.session.model().id, "script");
    played.session.run_command("model", "small").await.unwrap();
    assert_eq!(&*played.session.model().id, "small");
    assert_eq!(played.session.thinking(), ThinkingLevel::Low);
    assert_eq!(played.seen(), ["Info false high", "Info true low"]);
    let notices = played.notices.lines();
    assert!(notices.contains(&"Info small".to_owned()), "{notices:?}");
    let stays = "Warning the model stays: acme/locked has no key; set one".to_owned();
    assert!(notices.contains(&stays), "{notices:?}");
}

struct NoKeys;

impl Permissions for NoKeys {
    fn check(&self, access: &Access<'_>) -> Result<(), String> {
        match access {
            Access::Variable("HIDDEN") | Access::Connect("elsewhere.example") => {
                Err("not granted".to_owned())
            }
            _ => Ok(()),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_is_registered_by_configuration_alone() {
    let models = Arc::new(Models::default());
    let text = "export default (pi) => {
        const add = (name, config) => { try { pi.registerProvider(name, config); return 'ok'; } catch (error) { return error.message; } };
        const base = { baseUrl: 'https://here.example/v1', api: 'openai-completions', models: [{ id: 'm', name: 'M' }] };
        const said = [
            add('mine', { ...base, apiKey: '$GIVEN', headers: { 'x-k': '${GIVEN}' } }),
            add('gone', { ...base, apiKey: 'literal' }),
            add('hidden', { ...base, apiKey: '$HIDDEN' }),
            add('command', { ...base, apiKey: '!pass show key' }),
            add('far', { ...base, baseUrl: 'https://elsewhere.example/v1' }),
            add('stream', { ...base, streamSimple: () => {} }),
            add('login', { ...base, oauth: {} }),
            add('bad', { ...base, baseUrl: 'file:///x' }),
        ];
        pi.unregisterProvider('gone');
        pi.registerCommand('said', { handler: async (_, ctx) => ctx.ui.notify(said.join('\\n'), 'info') });
    };";
    let played = Play::new()
        .models(models.clone())
        .permissions(NoKeys)
        .options(|options| {
            options.env.insert("GIVEN".to_owned(), "secret".to_owned());
        })
        .person(true)
        .with("p.js", text)
        .load(json!([{ "say": "ok" }]))
        .await;
    played.session.run_command("said", "").await.unwrap();
    let said = played.seen().remove(0);
    let said = said.replace(env!("CARGO_PKG_VERSION"), "VERSION");
    insta::assert_snapshot!(said, @r"
    Info ok
    ok
    this extension isn't allowed to know the variable HIDDEN: not granted
    'a key of pi.registerProvider that a command prints' isn't supported by this host (deed VERSION)
    this extension isn't allowed to connect to elsewhere.example: not granted
    'streamSimple' of 'pi.registerProvider' isn't supported by this host (deed VERSION)
    'oauth' of 'pi.registerProvider' isn't supported by this host (deed VERSION)
    baseUrl `file:///x` of bad is no address of the web
    ");
    let registered = models.0.lock().unwrap();
    assert_eq!(registered.keys().collect::<Vec<_>>(), ["mine"]);
    assert_eq!(registered["mine"]["apiKey"], "secret");
    assert_eq!(registered["mine"]["headers"]["x-k"], "secret");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_leads_one_session_says_where_others_can_be_had() {
    let text = "export default (pi) => pi.registerCommand('go', { handler: async (_, ctx) => {
        await ctx.waitForIdle();
        const no = async (work) => { try { await work(); return 'done'; } catch (error) { return error.message; } };
        ctx.ui.notify([
            await no(() => ctx.newSession()),
            await no(() => ctx.fork('x')),
            await no(() => ctx.switchSession('x')),
            await no(() => ctx.reload()),
            await no(async () => ctx.shutdown()),
            await no(() => ctx.newSession({ withSession: async () => {} })),
            await no(() => ctx.navigateTree('x', { summarize: true })),
            await no(() => ctx.navigateTree('x')),
        ].join('\\n'), 'info');
    } });";
    let played = Play::new()
        .person(true)
        .with("g.js", text)
        .load(json!([{ "say": "ok" }]))
        .await;
    played.session.run_command("go", "").await.unwrap();
    let said = played.seen().remove(0);
    let said = said.replace(env!("CARGO_PKG_VERSION"), "VERSION");
    insta::assert_snapshot!(said, @r"
    Info ctx.newSession does not work here; it does in --mode rpc
    ctx.fork does not work here; it does in --mode rpc
    ctx.switchSession does not work here; it does in --mode rpc
    ctx.reload does not work here; it does in --mode rpc
    ctx.shutdown does not work here; it does in --print and --mode rpc
    'withSession' of ctx (session.new) isn't supported by this host (deed VERSION)
    'summarize of ctx.navigateTree' isn't supported by this host (deed VERSION)
    this session keeps no record
    ");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_script_goes_back_in_the_tree_of_its_session() {
    let text = "export default (pi) => pi.registerCommand('back', { handler: async (_, ctx) => {
        const said = ctx.sessionManager.getBranch().filter((entry) => entry.message?.role === 'user');
        const went = await ctx.navigateTree(said[1].id);
        ctx.ui.notify(JSON.stringify(went), 'info');
    } });";
    let play = Play::new().person(true).recorded().with("b.js", text);
    let played = play
        .load(json!([{ "say": "one" }, { "say": "two" }, { "say": "three" }]))
        .await;
    played.prompt("first").await;
    played.prompt("second").await;
    assert_eq!(played.session.agent().messages().len(), 4);
    played.session.run_command("back", "").await.unwrap();
    assert_eq!(
        played.seen(),
        [r#"Info {"cancelled":false,"editorText":"second"}"#]
    );
    assert_eq!(played.session.agent().messages().len(), 2);
    played.prompt("other").await;
    assert_eq!(played.session.agent().messages().len(), 4);
}
