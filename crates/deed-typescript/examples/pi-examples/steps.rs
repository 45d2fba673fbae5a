use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use deed_extensions::{ForkPosition, ModelSelectSource, StartReason, SwitchReason};
use deed_harness::{AgentSession, BashRequest, ResourcePlaces, Resources};
use deed_protocol::Message;
use tokio_util::sync::CancellationToken;

use crate::person::Log;
use crate::watched::Watched;

/// Does one step of a row.
pub(crate) async fn step(session: &AgentSession, step: &str, root: &Path, log: &Log) {
    let file = step.split_once('=');
    if let Some((file, text)) = file.filter(|(file, _)| !file.contains(char::is_whitespace)) {
        // The path may be one from the root on.
        std::fs::write(root.join(file), text).expect("a file");
    } else if let Some(command) = step.strip_prefix('/') {
        let (name, arguments) = command.split_once(' ').unwrap_or((command, ""));
        if let Err(error) = session.run_command(name, arguments).await {
            log.add(format!("failure command {error}"));
        }
        settled(session).await;
    } else if let Some(what) = step.strip_prefix('!') {
        let (name, arguments) = what.split_once(' ').unwrap_or((what, ""));
        happens(session, name, arguments, log).await;
    } else {
        prompt(session, step, log).await;
    }
}

async fn prompt(session: &AgentSession, text: &str, log: &Log) {
    let prompted = session.prompt(vec![Message::user(text, 0)]).await;
    if let Ok(end) = prompted
        && let Some(error) = end.error
    {
        log.add(format!("failure run {error}"));
    }
    session.idle().await;
}

/// Waits for a run that a command began.
async fn settled(session: &AgentSession) {
    // Whether one begins shows a moment later.
    tokio::time::sleep(Duration::from_millis(50)).await;
    session.idle().await;
}

/// Lets happen to a session what a front end would do.
async fn happens(session: &AgentSession, name: &str, arguments: &str, log: &Log) {
    match name {
        "switch" => asked(name, session.may_switch(SwitchReason::New, None).await, log),
        "fork" => {
            let may = session.may_fork("0123456789", ForkPosition::Before).await;
            asked(name, may, log);
        }
        "key" => {
            if let Err(error) = session.extensions().run_shortcut(arguments).await {
                log.add(format!("failure key {error}"));
            }
            settled(session).await;
        }
        "model" => {
            let model = Watched::scripted(&[], log).named(arguments);
            let set = session.set_model(Arc::new(model), ModelSelectSource::Set);
            set.await.expect("a record");
        }
        "compact" => match session.compact(None).await {
            Ok(done) => log.add(format!("compacted {}", done.summary)),
            Err(error) => log.add(format!("not compacted: {error}")),
        },
        "discover" => discover(session, log).await,
        "trust" => trust(session, arguments, log).await,
        "bash" => bash(session, arguments, log).await,
        "until" => log.until(arguments).await,
        name => panic!("no step !{name}"),
    }
}

fn asked(what: &str, goes_on: bool, log: &Log) {
    let said = if goes_on { "goes on" } else { "is stopped" };
    log.add(format!("{what} {said}"));
}

async fn discover(session: &AgentSession, log: &Log) {
    let mut resources = Resources::load(&ResourcePlaces::default());
    let found = session
        .discover_resources(&mut resources, StartReason::Startup)
        .await;
    for skill in &resources.skills {
        log.add(format!("skill {}", skill.name));
    }
    for prompt in &resources.prompts {
        log.add(format!("template {}", prompt.name));
    }
    for theme in &found.theme_paths {
        log.add(format!("theme {}", theme.display()));
    }
}

async fn trust(session: &AgentSession, cwd: &str, log: &Log) {
    let cancel = CancellationToken::new();
    let host = session.extensions();
    let answer = host.project_trust(Path::new(cwd), &cancel).await;
    let said = match answer {
        Some(answer) if answer.is_trusted => "yes",
        Some(_) => "no",
        None => "undecided",
    };
    let remembered = answer.is_some_and(|answer| answer.remember);
    log.add(format!("trust {said}, remembered {remembered}"));
}

async fn bash(session: &AgentSession, command: &str, log: &Log) {
    let request = BashRequest {
        command: command.to_owned(),
        ..BashRequest::default()
    };
    match session.run_bash(request, &CancellationToken::new()).await {
        Ok(ran) => log.add(format!("ran {:?} {}", ran.exit_code, ran.output)),
        Err(error) => log.add(format!("failure bash {error}")),
    }
}
