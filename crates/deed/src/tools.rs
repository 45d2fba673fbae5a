use std::fmt::Write as _;

use deed_harness::AgentSession;
use deed_harness::settings::Durability;
use deed_tooling::{DefaultTools, ToolRow};

use crate::cli::{ToolsArgs, ToolsCommand};
use crate::exit::{Ending, complain};
use crate::places::Places;
use crate::wiring;
use crate::writer::print;

/// Lists tools or prints a schema.
pub(crate) fn run(args: &ToolsArgs) -> anyhow::Result<Ending> {
    let places = Places::find();
    let cwd = wiring::working_folder(None)?;
    let env = wiring::environment(cwd, &places, Durability::Normal);
    let selection = match wiring::selection(&args.selection, DefaultTools::default()) {
        Ok(selection) => selection,
        Err(error) => {
            complain(&format!("{error:#}"));
            return Ok(Ending::Usage);
        }
    };
    let session = wiring::session(&env, &places)
        .selection(selection)
        .build()?;
    if let Some(ToolsCommand::Schema { name }) = &args.command {
        return schema(&session, name);
    }
    wiring::warn_of_unmatched(&session);
    let rows: Vec<ToolRow> = session
        .registry()
        .explain()
        .into_iter()
        .filter(|row| args.all || row.active)
        .collect();
    let text = if args.json {
        format!("{}\n", serde_json::to_string_pretty(&rows)?)
    } else {
        table(&rows)
    };
    print(text.as_bytes())
}

fn schema(session: &AgentSession, name: &str) -> anyhow::Result<Ending> {
    let tools = session.registry().get_all_tools();
    let Some(tool) = tools.iter().find(|tool| tool.name.as_ref() == name) else {
        let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_ref()).collect();
        complain(&format!(
            "there is no tool {name}; there are {}",
            names.join(", ")
        ));
        return Ok(Ending::Usage);
    };
    print(format!("{}\n", serde_json::to_string_pretty(&tool.parameters)?).as_bytes())
}

fn table(rows: &[ToolRow]) -> String {
    if rows.is_empty() {
        return "no tools are active\n".to_owned();
    }
    let width = rows
        .iter()
        .map(|row| row.name.chars().count())
        .max()
        .unwrap_or(0);
    let mut text = String::new();
    for row in rows {
        let about = row
            .description
            .split_inclusive(['.', '\n'])
            .next()
            .unwrap_or("")
            .trim();
        let about = about.trim_end_matches('.');
        let state = match &row.reason_if_not {
            Some(reason) => format!("  [{reason}]"),
            None => String::new(),
        };
        // Writing to a string cannot fail.
        writeln!(
            text,
            "{:width$}  {}  {about}{state}",
            row.name, row.source.path
        )
        .ok();
    }
    text
}
