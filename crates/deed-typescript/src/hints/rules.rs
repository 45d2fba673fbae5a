//! The checklist, as far as it can be looked at.

use deed_agent::{ExecutionMode, ToolSpec};
use serde_json::Value;

use super::Hint;
use super::code::{Code, FoundFunction, FoundHandler, FoundTool};
use super::effects::Effects;
use super::schema;
use crate::{events, support};

const PARAMETERS: &str = "narrow parameters";
const RESULTS: &str = "bounded results";
const ABORT: &str = "abort";
const SEQUENTIAL: &str = "sequential";
const APPROVAL: &str = "approval";
const EVENTS: &str = "events";

/// What is said of parameters.
const OF_PARAMETERS: &[fn(&Value) -> Option<String>] =
    &[schema::any_object, schema::undescribed, schema::open];

/// A tool as its code shows it.
struct Case<'c> {
    spec: Option<&'c ToolSpec>,
    execute: &'c FoundFunction,
    effects: Effects,
    code: &'c Code,
}

type Look = fn(&Case<'_>) -> Option<&'static str>;

/// What is said of code.
const OF_CODE: &[(&str, Look)] = &[(RESULTS, unbounded), (ABORT, deaf), (SEQUENTIAL, at_once)];

fn unbounded(case: &Case<'_>) -> Option<&'static str> {
    let is_unbounded = case.effects.takes_in_anything() && !case.effects.cuts;
    is_unbounded.then_some(
        "it reads, runs or fetches and cuts nothing; bound its content with `truncateHead` or `truncateTail`",
    )
}

fn deaf(case: &Case<'_>) -> Option<&'static str> {
    let Some(signal) = case.execute.params.get(2) else {
        return case
            .effects
            .waits
            .then_some("`execute` waits and does not take `signal`, its third parameter; take it and hand it on");
    };
    // One that is taken apart is used.
    let signal = signal.as_ref()?;
    let is_used = case.execute.mentions.contains(signal);
    let hands_on_all = case.execute.mentions.contains("arguments");
    (case.effects.waits && !is_used && !hands_on_all)
        .then_some("`execute` waits and does nothing with its `signal`; hand it on to what waits")
}

fn at_once(case: &Case<'_>) -> Option<&'static str> {
    let is_sequential = case.spec?.execution_mode == Some(ExecutionMode::Sequential);
    let queues = case.code.reach(case.execute);
    let queues = queues
        .iter()
        .any(|one| one.calls.contains("withFileMutationQueue"));
    let does = case.effects.runs || (case.effects.writes && !queues);
    (does && !is_sequential).then_some(
        "it writes or runs programs, and other calls may run meanwhile; say `executionMode: \"sequential\"`",
    )
}

/// Looks at tools: what they registered, and the code that did it.
pub(super) fn of_tools(code: &Code, specs: &[&ToolSpec]) -> Vec<Hint> {
    let mut hints = Vec::new();
    for spec in specs {
        let place = found(code, specs, spec).map(place_of);
        let faults = OF_PARAMETERS
            .iter()
            .filter_map(|look| look(spec.parameters.as_value()));
        hints.extend(faults.map(|text| Hint {
            about: PARAMETERS,
            place: place.clone(),
            text: format!("`{}`: {text}", spec.name),
        }));
    }
    for tool in &code.tools {
        let Some(execute) = code.execute_of(tool) else {
            continue;
        };
        let spec = specs
            .iter()
            .copied()
            .find(|spec| found(code, specs, spec).is_some_and(|found| std::ptr::eq(found, tool)));
        let case = Case {
            spec,
            execute,
            effects: Effects::of(code, execute),
            code,
        };
        let name = spec.map(|spec| spec.name.to_string()).or(tool.name.clone());
        let name = name.map_or("a tool".to_owned(), |name| format!("`{name}`"));
        let faults = OF_CODE
            .iter()
            .filter_map(|(about, look)| Some((about, look(&case)?)));
        hints.extend(faults.map(|(about, text)| Hint {
            about,
            place: Some(place_of(tool)),
            text: format!("{name}: {text}"),
        }));
    }
    hints
}

/// Returns the code of a tool: the one that writes its name, or the only one that writes none.
fn found<'c>(code: &'c Code, specs: &[&ToolSpec], spec: &ToolSpec) -> Option<&'c FoundTool> {
    let written = |tool: &&FoundTool| tool.name.as_deref() == Some(&*spec.name);
    if let Some(tool) = code.tools.iter().find(written) {
        return Some(tool);
    }
    let is_unwritten = |spec: &&&ToolSpec| {
        let mut tools = code.tools.iter();
        !tools.any(|tool| tool.name.as_deref() == Some(&*spec.name))
    };
    let mut tools = code.tools.iter().filter(|tool| tool.name.is_none());
    let only = tools.next()?;
    let is_only = tools.next().is_none() && specs.iter().filter(is_unwritten).count() == 1;
    is_only.then_some(only)
}

fn place_of(tool: &FoundTool) -> (std::path::PathBuf, usize) {
    (tool.file.clone(), tool.line_1based)
}

/// Looks at handlers.
pub(super) fn of_handlers(code: &Code) -> Vec<Hint> {
    let hint = |handler: &FoundHandler| {
        let (about, text) = of_handler(code, handler)?;
        Some(Hint {
            about,
            place: Some((handler.file.clone(), handler.line_1based)),
            text,
        })
    };
    code.handlers.iter().filter_map(hint).collect()
}

fn of_handler(code: &Code, handler: &FoundHandler) -> Option<(&'static str, String)> {
    if handler.event == "tool_call" {
        let function = code.function_of(handler)?;
        let looks = code.reach(function);
        let looks = looks.iter().any(|one| one.mentions.contains("hasUI"));
        let is_blind = Effects::of(code, function).asks && !looks;
        return is_blind.then(|| {
            let text =
                "the gate asks and does not look at `ctx.hasUI`; block when there is nobody to ask";
            (APPROVAL, text.to_owned())
        });
    }
    let is_of_pi = support::is_event(&handler.event);
    (is_of_pi && events::known(&handler.event).is_none()).then(|| {
        (
            EVENTS,
            format!(
                "`{}` is never told here; its handler is not called",
                handler.event
            ),
        )
    })
}
