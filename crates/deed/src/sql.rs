//! The databases that a run may use, as the command line names them.

use std::path::Path;

use anyhow::Context;
use deed_guard::redact::KnownSecret;
use deed_harness::settings::Settings;
use deed_sql::Database;

use crate::cli::SqlArgs;
use crate::exit::complain;

/// What stands in front of the name of a variable that holds a URL.
const FROM_VARIABLE: &str = "env:";

/// The most letters of a password that may well be a word of other texts.
const MAX_WORD_CHARS: usize = 12;

/// Adds the databases of the settings, but for those that the command line names otherwise.
pub(crate) fn with_settings(args: &SqlArgs, settings: &Settings) -> SqlArgs {
    let mut all = args.clone();
    let named = |spec: &str| spec.split('=').next().unwrap_or_default().to_owned();
    let given: Vec<String> = args.sql.iter().map(|spec| named(spec)).collect();
    let more = settings.sql.specs();
    all.sql
        .extend(more.filter(|spec| !given.contains(&named(spec))));
    all
}

/// Makes the databases of the options.
///
/// Errors: what is wrong, without any part of a URL.
pub(crate) fn databases(args: &SqlArgs, folder: &Path) -> anyhow::Result<Vec<Database>> {
    let mut databases = Vec::new();
    for spec in &args.sql {
        let (name, url) = spec.split_once('=').unwrap_or((spec, ""));
        let spec = match url.is_empty() {
            true => spec.clone(),
            false => format!("{name}={}", looked_up(url)?),
        };
        let mut database = Database::parse(&spec, folder).context("--sql")?;
        if let Some(url) = of(&args.sql_writer, name) {
            let writer = database.with_writer(&looked_up(url)?, folder);
            database = writer.context("--sql-writer")?;
        }
        if args.sql_privileged.iter().any(|one| one == name) {
            database = database.allow_privileged_role();
        }
        databases.push(database);
    }
    ensure_known(args, &databases)?;
    Ok(databases)
}

/// Returns the passwords of databases, but for those that are words of other texts as well.
pub(crate) fn secrets(databases: &[Database]) -> Vec<KnownSecret> {
    let mut secrets = Vec::new();
    for database in databases {
        for value in database.secrets() {
            if is_word(&value) {
                complain(&format!(
                    "warning: the password of database {} is a plain word and is not redacted; \
                     use a longer one",
                    database.name()
                ));
                continue;
            }
            let kind = format!("sql-{}", database.name());
            secrets.push(KnownSecret { kind, value });
        }
    }
    secrets
}

fn ensure_known(args: &SqlArgs, databases: &[Database]) -> anyhow::Result<()> {
    let writers = args
        .sql_writer
        .iter()
        .map(|spec| spec.split('=').next().unwrap_or_default());
    let named = writers.chain(args.sql_privileged.iter().map(String::as_str));
    for name in named {
        let is_known = databases
            .iter()
            .any(|database| database.name().as_ref() == name);
        anyhow::ensure!(
            is_known,
            "there is no database {name}; give its --sql {name}=URL too"
        );
    }
    Ok(())
}

fn of<'a>(specs: &'a [String], name: &str) -> Option<&'a str> {
    let find = |spec: &'a String| spec.strip_prefix(name)?.strip_prefix('=');
    specs.iter().find_map(find)
}

/// Takes a URL from a variable, so that its password is in no list of processes.
fn looked_up(url: &str) -> anyhow::Result<String> {
    let Some(variable) = url.strip_prefix(FROM_VARIABLE) else {
        return Ok(url.to_owned());
    };
    let value = std::env::var(variable);
    value.with_context(|| format!("the variable {variable}, which holds the URL of a database"))
}

fn is_word(value: &str) -> bool {
    value.chars().count() <= MAX_WORD_CHARS && value.chars().all(|c| c.is_ascii_lowercase())
}
