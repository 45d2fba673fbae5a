use std::path::{Path, PathBuf};

use deed_harness::PolicyFiles;

use crate::places::Places;

/// The policy of whoever runs the machine.
const ADMIN_POLICY: &str = "/etc/deed/policy.json";

/// Returns where the policies of a run in a folder are.
pub(crate) fn policy_files(places: &Places, cwd: &Path, named: Option<&Path>) -> PolicyFiles {
    let in_config = |name: &str| Some(places.config.as_ref()?.join(name));
    let in_share = |name: &str| Some(places.share.as_ref()?.join(name));
    PolicyFiles {
        admin: PathBuf::from(ADMIN_POLICY),
        command_line: named.map(Path::to_owned),
        user: in_config("policy.json"),
        project: cwd.join(".deed/policy.json"),
        stored_rules: in_share("rules.json"),
        trust: in_share("trust.json"),
    }
}
