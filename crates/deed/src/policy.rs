//! `deed policy`: check it, explain it, begin one.

mod recorded;

use std::fmt::Write as _;
use std::fs::File;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use deed_agent::Access;
use deed_guard::approval::NoApprover;
use deed_guard::policy::{Policy, SampleCall, explain, starter};
use deed_guard::trust::StoredRules;

use crate::cli::{GuardArgs, PolicyCommand};
use crate::exit::{Ending, complain};
use crate::guard::{Surroundings, ground, load_policy, policy_files};
use crate::places::Places;
use crate::wiring;
use crate::writer::print;

/// Runs one of the commands.
pub(crate) fn run(command: &PolicyCommand) -> anyhow::Result<Ending> {
    let places = Places::find();
    match command {
        PolicyCommand::Check {
            call,
            session,
            json,
            guard,
        } => check(&places, guard, call.as_deref(), (session.as_deref(), *json)),
        PolicyCommand::Init { file } => init(&places, file.as_deref()),
        PolicyCommand::Rules { revoke } => rules(&places, revoke.as_deref()),
    }
}

fn check(
    places: &Places,
    args: &GuardArgs,
    call: Option<&str>,
    (session, json): (Option<&Path>, bool),
) -> anyhow::Result<Ending> {
    let cwd = wiring::working_folder(None)?;
    let around = Surroundings {
        places,
        cwd: &cwd,
        approver: Arc::new(NoApprover),
        default_mode: None,
        secrets: Vec::new(),
    };
    let policy = match load_policy(args, &around) {
        Ok(loaded) => loaded.policy,
        Err(error) => {
            complain(&format!("{error:#}"));
            return Ok(Ending::Usage);
        }
    };
    if let Some(session) = session {
        return recorded::check(places, &policy, session, json);
    }
    let Some(call) = call else {
        let files = policy_files(places, &cwd, args.policy.as_deref());
        let there = files.present();
        return print(summary(&policy, &there).as_bytes());
    };
    let ground = ground(args, &around)?;
    let sample = match SampleCall::parse(call, &ground) {
        Ok(sample) => at_real_paths(sample),
        Err(error) => {
            complain(&format!("`{call}`: {error}"));
            return Ok(Ending::Usage);
        }
    };
    let explanation = explain(&policy, &sample.request());
    print(
        match json {
            true => format!("{}\n", serde_json::to_string_pretty(&explanation)?),
            false => explanation.to_string(),
        }
        .as_bytes(),
    )
}

/// Follows the links of the paths of a call, as its tool would.
fn at_real_paths(mut sample: SampleCall) -> SampleCall {
    if let Access::Read(paths) | Access::Write(paths) = &mut sample.plan.access {
        for path in paths {
            *path = deed_harness::real(path);
        }
    }
    sample
}

/// Says what holds here.
fn summary(policy: &Policy, files: &[PathBuf]) -> String {
    let mut text = String::new();
    if files.is_empty() {
        text.push_str("no policy file; `deed policy init` writes one\n");
    }
    // Writing to a string cannot fail.
    for file in files {
        writeln!(text, "file     {}", file.display()).ok();
    }
    writeln!(text, "mode     {}", policy.mode()).ok();
    writeln!(text, "version  {}", policy.version()).ok();
    for rule in policy.rules() {
        write!(text, "{:<5}    {}", rule.list.as_str(), rule.spec).ok();
        match (&rule.file, rule.line_1based) {
            (Some(file), Some(line)) => writeln!(text, "  [{file}:{line}]").ok(),
            _ => writeln!(text, "  [{}]", rule.tier.as_str()).ok(),
        };
    }
    for aside in policy.put_aside() {
        writeln!(
            text,
            "aside    {} ({}:{}) counts after `deed trust {}`",
            aside.what, aside.file, aside.line_1based, aside.file
        )
        .ok();
    }
    text
}

fn init(places: &Places, file: Option<&Path>) -> anyhow::Result<Ending> {
    let own = || {
        places
            .config
            .as_ref()
            .map(|config| config.join("policy.json"))
    };
    let path = file.map(Path::to_owned).or_else(own);
    let path = path.context("there is no home folder to write it to; name a file")?;
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent)
            .with_context(|| format!("cannot make {}", parent.display()))?;
    }
    match File::create_new(&path) {
        Ok(mut file) => {
            let written = file.write_all(starter().as_bytes());
            written.with_context(|| format!("cannot write {}", path.display()))?;
            print(format!("wrote {}\n", path.display()).as_bytes())
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            complain(&format!(
                "{} is there already and was left alone",
                path.display()
            ));
            Ok(Ending::Usage)
        }
        Err(error) => Err(error).with_context(|| format!("cannot write {}", path.display())),
    }
}

fn rules(places: &Places, revoke: Option<&str>) -> anyhow::Result<Ending> {
    let share = places.share.as_ref();
    let share = share.context("there is no home folder that rules are stored in; set HOME")?;
    let mut stored = StoredRules::load(share.join("rules.json"))?;
    if let Some(id) = revoke {
        if stored.revoke(id)? {
            return print(format!("taken back: {id}\n").as_bytes());
        }
        complain(&format!(
            "there is no rule {id}; `deed policy rules` lists them"
        ));
        return Ok(Ending::Usage);
    }
    let mut text = String::new();
    for rule in stored.list() {
        writeln!(
            text,
            "{}  {}  in {}, since {:.0}, by the answer {}",
            rule.id,
            rule.spec,
            rule.workspace.display(),
            rule.created_at,
            rule.approval_id
        )
        .ok();
    }
    if text.is_empty() {
        "no rules are stored\n".clone_into(&mut text);
    }
    print(text.as_bytes())
}
