//! Measures one thing of a session of 10,000 entries (about 10 MB) and prints the median of its
//! seconds: for the benchmarks.
#![expect(clippy::print_stdout, reason = "what it measures is its output")]

use std::any::Any;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use deed_protocol::{
    AssistantMessage, ContentBlock, Extra, Message, StopReason, ToolCall, ToolResultMessage,
};
use deed_session::{NewCompaction, Session, SessionStore, StoreConfig};
use serde_json::Value;
use serde_json::value::RawValue;
use tempfile::TempDir;

type Result<T> = std::result::Result<T, Box<dyn Error>>;
/// What is measured, and what it makes; throwing that away is not part of it.
type Measure = (&'static str, fn(&Ground) -> Result<Box<dyn Any>>);

/// What can be measured, by name.
const MEASURES: &[Measure] = &[
    ("open", |ground| {
        Ok(Box::new(ground.store.open(&ground.path)?))
    }),
    ("open-context", |ground| {
        let mut session = ground.store.open(&ground.path)?;
        let context = session.context()?;
        Ok(Box::new((session, context)))
    }),
    ("lines", |ground| {
        let file = std::fs::read_to_string(&ground.path)?;
        let lines = file.lines().map(serde_json::from_str);
        Ok(Box::new(lines.collect::<serde_json::Result<Vec<Value>>>()?))
    }),
    ("open-compacted", |ground| {
        let mut session = ground.store.open(&ground.compacted)?;
        let context = session.context()?;
        Ok(Box::new((session, context)))
    }),
    ("list", |ground| {
        Ok(Box::new(ground.store.list(&ground.cwd)))
    }),
    ("append", |ground| {
        let mut session = ground.store.in_memory(&ground.cwd)?;
        for message in turn(1)? {
            session.append_message(message)?;
        }
        Ok(Box::new(session))
    }),
];

const TURNS: usize = 2_500;
const SESSIONS: usize = 300;
const RUNS: usize = 20;

struct Ground {
    store: SessionStore,
    cwd: PathBuf,
    path: PathBuf,
    compacted: PathBuf,
    _folder: TempDir,
}

fn main() -> Result<()> {
    let name = std::env::args().nth(1).unwrap_or_default();
    let Some((_, measure)) = MEASURES.iter().find(|(own, _)| *own == name) else {
        let names: Vec<&str> = MEASURES.iter().map(|(name, _)| *name).collect();
        return Err(format!("name one of {}", names.join(", ")).into());
    };
    let ground = ground()?;
    let mut seconds = Vec::with_capacity(RUNS);
    for _ in 0..RUNS {
        let started = Instant::now();
        let made = measure(&ground)?;
        seconds.push(started.elapsed().as_secs_f64());
        drop(made);
    }
    seconds.sort_by(f64::total_cmp);
    println!("{}", seconds.get(RUNS / 2).copied().unwrap_or_default());
    Ok(())
}

fn ground() -> Result<Ground> {
    let folder = tempfile::tempdir()?;
    let store = SessionStore::new(StoreConfig::new(folder.path().join("sessions")));
    let cwd = PathBuf::from("/home/me/project");
    let path = write(&store, &cwd, TURNS)?;
    let compacted = folder.path().join("compacted.jsonl");
    std::fs::copy(&path, &compacted)?;
    let mut session = store.open(&compacted)?;
    let first_kept = session.leaf().cloned();
    session.append_compaction(NewCompaction {
        summary: "what was done".to_owned(),
        first_kept,
        ..NewCompaction::default()
    })?;
    for _ in 1..SESSIONS {
        write(&store, Path::new("/home/me/project"), 25)?;
    }
    Ok(Ground {
        store,
        cwd,
        path,
        compacted,
        _folder: folder,
    })
}

fn write(store: &SessionStore, cwd: &Path, turns: usize) -> Result<PathBuf> {
    let mut session: Session = store.create(cwd, None)?;
    for number in 0..turns {
        for message in turn(number)? {
            session.append_message(message)?;
        }
    }
    Ok(session.path().ok_or("no file")?.to_owned())
}

/// Four entries of together 4 KB.
fn turn(number: usize) -> Result<[Arc<Message>; 4]> {
    let mut asks = AssistantMessage::new(StopReason::ToolUse, 1);
    asks.model = "m1".to_owned();
    let id = format!("call_{number}");
    let arguments = r#"{"path":"src/store/summary.rs","offset":1,"limit":200}"#.to_owned();
    let arguments = Arc::from(RawValue::from_string(arguments)?);
    let call = ToolCall::new(id.as_str(), "read", arguments);
    asks.content.push(ContentBlock::text("I look at the file."));
    asks.content.push(ContentBlock::ToolCall(call));
    let mut says = AssistantMessage::new(StopReason::Stop, 3);
    says.model = "m1".to_owned();
    says.content
        .push(ContentBlock::text("It is as it should be. ".repeat(10)));
    let lines: Vec<String> = (1..40)
        .map(|line| format!("{line}: let {line} = \"text of a line that is in a file\";\n"))
        .collect();
    let result = ToolResultMessage {
        tool_call_id: id.as_str().into(),
        tool_name: "read".into(),
        content: vec![ContentBlock::text(lines.concat())],
        details: None,
        usage: None,
        added_tool_names: Vec::new(),
        is_error: false,
        duration_ms: Some(1),
        timestamp: 2,
        extra: Extra::new(),
    };
    Ok([
        Arc::new(Message::user("Please look at the file again.", 0)),
        Arc::new(asks.into()),
        Arc::new(result.into()),
        Arc::new(says.into()),
    ])
}
