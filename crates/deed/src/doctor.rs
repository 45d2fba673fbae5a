//! `deed doctor`: what works on this machine, and what to do about the rest.

mod check;
mod files;
mod machine;
mod models;

use std::path::PathBuf;
use std::sync::Arc;

use deed_harness::settings::Settings;
use serde_json::json;

use crate::cli::DoctorArgs;
use crate::exit::{Ending, complain};
use crate::places::Places;
use crate::writer::print;
use crate::{runtime, settings, wiring};

use check::Check;

/// What the checks look at.
struct Patient {
    places: Places,
    cwd: PathBuf,
    /// The settings, as far as they are sound.
    settings: Settings,
}

/// Looks at everything and tells.
pub(crate) fn run(args: &DoctorArgs) -> anyhow::Result<Ending> {
    let places = Places::find();
    let cwd = match wiring::working_folder(args.cwd.as_deref()) {
        Ok(cwd) => cwd,
        Err(error) => {
            complain(&format!("{error:#}"));
            return Ok(Ending::Usage);
        }
    };
    // A store of trust that cannot be read is a check of its own.
    let found = settings::find(&places, &cwd, None);
    let settings = match &found {
        Ok(found) => found.report.sound(),
        Err(_) => settings::settings_files(&places, &cwd).read(false).sound(),
    };
    let patient = Arc::new(Patient {
        places,
        cwd,
        settings,
    });
    let mut checks = vec![machine::version()];
    checks.extend(files::folders(&patient));
    checks.push(files::settings(&patient, &found));
    checks.push(files::trust(&found));
    checks.push(files::policy(&patient));
    checks.push(files::audit(&patient));
    let rest = Arc::clone(&patient);
    checks.extend(runtime::run(async move {
        let mut checks = machine::programs(&rest).await;
        checks.extend(models::checks(&rest).await);
        checks
    })?);
    checks.push(machine::terminal());
    checks.push(machine::sandbox());
    report(&checks, args.json)
}

fn report(checks: &[Check], as_json: bool) -> anyhow::Result<Ending> {
    let has_failed = checks.iter().any(Check::has_failed);
    let text = match as_json {
        true => {
            let whole = json!({ "works": !has_failed, "checks": checks });
            format!("{}\n", serde_json::to_string_pretty(&whole)?)
        }
        false => checks.iter().map(ToString::to_string).collect(),
    };
    let written = print(text.as_bytes())?;
    Ok(match has_failed {
        true => Ending::Failed,
        false => written,
    })
}
