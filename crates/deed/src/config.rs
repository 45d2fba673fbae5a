//! `deed config`: what settings hold, and where each comes from.

use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::Context;
use deed_harness::project_trust::ProjectTrust;
use deed_harness::settings::{
    EffectiveSetting, SettingsReport, Severity, nearest, settings_markdown, settings_schema,
};
use serde_json::{Value, json};

use crate::cli::{ConfigArgs, ConfigCommand};
use crate::exit::{Ending, complain};
use crate::places::Places;
use crate::settings::{self, Found};
use crate::wiring;
use crate::writer::print;

/// Shows settings, where they are, or what there may be in them.
pub(crate) fn run(args: &ConfigArgs) -> anyhow::Result<Ending> {
    let places = Places::find();
    match &args.command {
        Some(ConfigCommand::Path { all }) => path(&places, *all),
        Some(ConfigCommand::Schema { markdown: true }) => print(settings_markdown().as_bytes()),
        Some(ConfigCommand::Schema { markdown: false }) => {
            let schema = serde_json::to_string_pretty(&settings_schema())?;
            print(format!("{schema}\n").as_bytes())
        }
        None => show(&places, args),
    }
}

fn show(places: &Places, args: &ConfigArgs) -> anyhow::Result<Ending> {
    let cwd = wiring::working_folder(None)?;
    let Found { trust, report } = settings::find(places, &cwd, args.trust.said())?;
    let wanted = match wanted(&report, args.key.as_deref()) {
        Ok(wanted) => wanted,
        Err(hint) => {
            complain(&hint);
            return Ok(Ending::Usage);
        }
    };
    let text = match (args.json, &args.key) {
        (true, _) => {
            let whole = as_json(&wanted, &report, &trust);
            format!("{}\n", serde_json::to_string_pretty(&whole)?)
        }
        (false, None) => table(&wanted),
        (false, Some(_)) => wanted.iter().map(|setting| explained(setting)).collect(),
    };
    tell(&report, &trust);
    let written = print(text.as_bytes())?;
    Ok(match report.has_faults() {
        true => Ending::Usage,
        false => written,
    })
}

/// Picks the settings of a name: that one, or those below it.
fn wanted<'r>(
    report: &'r SettingsReport,
    key: Option<&str>,
) -> Result<Vec<&'r EffectiveSetting>, String> {
    let Some(key) = key else {
        return Ok(report.effective.iter().collect());
    };
    let outer = format!("{key}.");
    let is_wanted = |path: &str| path == key || path.starts_with(&outer);
    let all = report.effective.iter();
    let found: Vec<_> = all.filter(|own| is_wanted(own.key.path)).collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let paths = report.effective.iter().map(|own| own.key.path);
    let hint = match nearest(key, paths) {
        Some(near) => format!("did you mean {near}?"),
        None => "`deed config` lists all there are".to_owned(),
    };
    Err(format!("there is no setting {key}; {hint}"))
}

/// Tells what is wrong with the files and what is not read.
fn tell(report: &SettingsReport, trust: &ProjectTrust) {
    for finding in &report.findings {
        let word = match finding.severity {
            Severity::Fault => "",
            Severity::Ignored => "warning: ",
        };
        complain(&format!("{word}{finding}"));
    }
    let is_settings = |path: &&PathBuf| path.ends_with(".deed/settings.json");
    if let Some(path) = trust.withheld.iter().find(is_settings) {
        complain(&format!(
            "note: {} is not read, for the project is not trusted ({}); deed trust --project .",
            path.display(),
            trust.because
        ));
    }
}

fn table(settings: &[&EffectiveSetting]) -> String {
    let rows: Vec<[String; 3]> = settings
        .iter()
        .map(|setting| {
            [
                setting.key.path.to_owned(),
                value_of(setting),
                origin_of(setting),
            ]
        })
        .collect();
    let width = |column: fn(&[String; 3]) -> &str| {
        let widths = rows.iter().map(|row| column(row).chars().count());
        // One long value does not push all others aside.
        widths.filter(|width| *width <= 40).max().unwrap_or(0)
    };
    let (paths, values) = (width(|row| &row[0]), width(|row| &row[1]));
    let mut text = String::new();
    for [path, value, origin] in &rows {
        // Writing to a string cannot fail.
        writeln!(text, "{path:paths$}  {value:values$}  {origin}").ok();
    }
    text
}

fn explained(setting: &EffectiveSetting) -> String {
    let key = setting.key;
    let default = key.default.to_json();
    let default = default.map_or_else(|| "none".to_owned(), |value| value.to_string());
    format!(
        "{} = {}\n  from     {}\n  default  {default}\n  {}\n",
        key.path,
        value_of(setting),
        origin_of(setting),
        key.about()
    )
}

fn value_of(setting: &EffectiveSetting) -> String {
    let shown = setting.shown();
    shown.map_or_else(|| "-".to_owned(), |value| value.to_string())
}

fn origin_of(setting: &EffectiveSetting) -> String {
    if setting.is_default() {
        return "default".to_owned();
    }
    let origins = setting.origins.iter().map(ToString::to_string);
    let origins = origins.collect::<Vec<_>>().join(", ");
    match setting.key.is_unused {
        true => format!("{origins}  (not used yet)"),
        false => origins,
    }
}

fn as_json(settings: &[&EffectiveSetting], report: &SettingsReport, trust: &ProjectTrust) -> Value {
    let rows = settings.iter().map(|setting| {
        json!({
            "path": setting.key.path,
            "value": setting.shown(),
            "default": setting.key.default.to_json(),
            "origins": setting.origins,
            "isUsed": !setting.key.is_unused,
        })
    });
    json!({
        "settings": rows.collect::<Vec<_>>(),
        "findings": report.findings,
        "project": {
            "isTrusted": trust.is_trusted,
            "because": trust.because.to_string(),
            "withheld": trust.withheld,
        },
    })
}

fn path(places: &Places, all: bool) -> anyhow::Result<Ending> {
    let cwd = wiring::working_folder(None)?;
    let files = settings::settings_files(places, &cwd);
    if !all {
        let own = files.user.context("there is no home folder; set HOME")?;
        return print(format!("{}\n", own.display()).as_bytes());
    }
    let config = |name: &str| places.config.as_ref().map(|folder| folder.join(name));
    let share = |name: &str| places.share.as_ref().map(|folder| folder.join(name));
    let rows = [
        ("settings", config("settings.json")),
        ("policy", config("policy.json")),
        ("keys", config("auth.json")),
        ("trust", share("trust.json")),
        ("rules", share("rules.json")),
        ("sessions", share("sessions")),
        ("audit", places.audit.clone()),
        ("output", places.output.parent().map(PathBuf::from)),
        ("project settings", files.project_file()),
        ("project policy", Some(cwd.join(".deed/policy.json"))),
    ];
    let mut text = String::new();
    for (name, path) in rows {
        let Some(path) = path else { continue };
        let state = match path.exists() {
            true => "",
            false => "  (not there)",
        };
        // Writing to a string cannot fail.
        writeln!(text, "{name:16}  {}{state}", path.display()).ok();
    }
    print(text.as_bytes())
}
