//! Files and folders of Deed.

use std::path::Path;
use std::sync::Arc;

use deed_guard::approval::NoApprover;
use deed_guard::audit::{VerifyOptions, verify};
use deed_harness::settings::SettingsFinding;

use super::Patient;
use super::check::Check;
use crate::cli::GuardArgs;
use crate::guard::{Surroundings, load_policy, policy_files};
use crate::settings::Found;

const SET_HOME: &str = "set HOME, or the XDG variables";

/// Looks whether what Deed writes can be written.
pub(super) fn folders(patient: &Patient) -> Vec<Check> {
    let places = &patient.places;
    let sessions = patient.settings.session_dir.clone();
    let sessions = sessions.or_else(|| Some(places.share.as_ref()?.join("sessions")));
    let folders = [
        ("settings folder", places.config.clone()),
        ("trust folder", places.share.clone()),
        ("session folder", sessions),
        ("audit folder", places.audit.clone()),
        ("output folder", places.output.parent().map(Path::to_owned)),
    ];
    let check = |(name, folder): (&str, Option<std::path::PathBuf>)| match folder {
        Some(folder) => writable(name, &folder),
        None => Check::fail(name, "there is no home folder", SET_HOME),
    };
    folders.into_iter().map(check).collect()
}

fn writable(name: &str, folder: &Path) -> Check {
    let shown = folder.display();
    // What is not there yet is made in the nearest folder that is.
    let there = folder.ancestors().find(|folder| folder.exists());
    let Some(there) = there.filter(|there| there.is_dir()) else {
        let told = format!("{shown} cannot be made, for something else is in its place");
        return Check::fail(name, told, "move it away");
    };
    let tried = tempfile::Builder::new().prefix(".deed-").tempfile_in(there);
    match tried {
        Ok(_) if there == folder => Check::ok(name, format!("{shown}")),
        Ok(_) => Check::ok(name, format!("{shown} (made when it is needed)")),
        Err(error) => {
            let told = format!("{shown} cannot be written: {error}");
            let remedy = format!(
                "make {} writable for you, and see that the disk has room",
                there.display()
            );
            Check::fail(name, told, remedy)
        }
    }
}

/// Looks whether the settings can be used.
pub(super) fn settings(patient: &Patient, found: &anyhow::Result<Found>) -> Check {
    let name = "settings";
    let report = match found {
        Ok(found) => found.report.clone(),
        Err(_) => crate::settings::settings_files(&patient.places, &patient.cwd).read(false),
    };
    let lines = report.findings.iter().map(SettingsFinding::to_string);
    if report.has_faults() {
        let told = "the settings are not usable, and nothing runs with them:";
        return Check::fail(name, told, "mend the lines").and(lines);
    }
    if !report.findings.is_empty() {
        return Check::warn(
            name,
            "parts of the settings do not count:",
            "mend the lines",
        )
        .and(lines);
    }
    let count = report
        .effective
        .iter()
        .filter(|own| !own.is_default())
        .count();
    match count {
        0 => Check::ok(name, "nothing is set; the defaults hold"),
        count => Check::ok(name, format!("{count} set (`deed config` lists them)")),
    }
}

/// Looks whether the project is trusted, and what it brings.
pub(super) fn trust(found: &anyhow::Result<Found>) -> Check {
    let name = "project";
    let trust = match found {
        Ok(found) => &found.trust,
        Err(error) => return Check::fail(name, format!("{error:#}"), "mend or remove the file"),
    };
    if trust.is_trusted {
        return Check::ok(name, format!("it is trusted: {}", trust.because));
    }
    if trust.withheld.is_empty() {
        return Check::ok(name, "it brings nothing that needs trust");
    }
    let told = format!(
        "it is not trusted ({}), so these are not loaded:",
        trust.because
    );
    let withheld = trust.withheld.iter().map(|path| path.display().to_string());
    Check::warn(name, told, "look at them, then: deed trust --project .").and(withheld)
}

/// Looks whether the policy can be used.
pub(super) fn policy(patient: &Patient) -> Check {
    let name = "policy";
    let around = Surroundings {
        places: &patient.places,
        cwd: &patient.cwd,
        approver: Arc::new(NoApprover),
        default_mode: None,
        secrets: Vec::new(),
    };
    let policy = match load_policy(&GuardArgs::default(), &around) {
        Ok(loaded) => loaded.policy,
        Err(error) => {
            return Check::fail(
                name,
                format!("{error:#}"),
                "mend it; `deed policy check` helps",
            );
        }
    };
    let files = policy_files(&patient.places, &patient.cwd, None).present();
    let (mode, rules) = (policy.mode(), policy.rules().count());
    if files.is_empty() {
        return Check::ok(
            name,
            format!("no file, so mode {mode} (`deed policy init` writes one)"),
        );
    }
    let told = format!("mode {mode}, {rules} rules, from {} files", files.len());
    match policy.put_aside().len() {
        0 => Check::ok(name, told),
        count => Check::warn(
            name,
            format!("{told}; {count} entries of the project do not count"),
            "read the file, then: deed trust .deed/policy.json",
        ),
    }
}

/// Looks whether the record is whole.
pub(super) fn audit(patient: &Patient) -> Check {
    let name = "audit record";
    let Some(folder) = &patient.places.audit else {
        return Check::fail(name, "there is no home folder for it", SET_HOME);
    };
    if !folder.exists() {
        return Check::ok(name, "nothing is recorded yet");
    }
    match verify(folder, &VerifyOptions::default()) {
        Ok(report) if report.is_whole() => Check::ok(name, "it is as it was written"),
        Ok(_) => Check::fail(
            name,
            "it is not as it was written",
            "`deed audit verify` tells what differs",
        ),
        Err(error) => Check::fail(name, error.to_string(), "`deed audit verify` tells more"),
    }
}
