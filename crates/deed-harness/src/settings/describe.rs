use std::fmt::Write as _;

use super::key::{SettingGroup, SettingKey, WhoMaySet};
use super::table::SETTINGS;

const ABOUT: &str = "\
# Settings

Two files hold settings: yours, `~/.config/deed/settings.json`, and a project's,
`.deed/settings.json`, which counts once you trust the project. Both are JSON with comments. A name
with dots is a member of an object: `retry.enabled` is written `{\"retry\": {\"enabled\": false}}`.

The project's value wins, but for these: lists of paths and objects of both files are put together; where *who* is
*lower*, the lower number wins; where it is *you*, the project's file is passed over, and you are
told so.

`deed config` shows what holds and where it comes from. A file with a wrong value is not used at
all: Deed names the line and ends. A name that is no setting is reported and passed over. Paths
start at the folder of the file; `~/` is your home folder. Names that end in `Ms` are in
milliseconds.

`deed exec`, which asks no model, goes by the settings of tools (but not `defaultTools` and
`images.blockImages`), by `addDirs`, `cancelGraceMs`, `maxConcurrentCalls` and `durability`, and takes
out the keys that stand here; a project's file counts there if it was trusted before, for it asks
nobody. What the command line says goes before.

With `\"$schema\"` an editor can help: `deed config schema` prints the schema, which is also
`docs/settings.schema.json`.
";

/// Writes the documentation of all settings, as Markdown.
pub fn settings_markdown() -> String {
    let mut text = ABOUT.to_owned();
    for group in SettingGroup::ALL {
        // Writing to a string cannot fail.
        write!(text, "\n## {}\n\n", group.title()).ok();
        text.push_str(
            "| setting | value | default | who | what it does |\n|---|---|---|---|---|\n",
        );
        for key in SETTINGS.iter().filter(|key| key.group == group) {
            text.push_str(&row(key));
        }
    }
    text.push_str("\n## Yours only\n\n");
    for key in SETTINGS {
        if let WhoMaySet::User { because } = key.who {
            writeln!(text, "- `{}`: {because}.", key.path).ok();
        }
    }
    text
}

fn row(key: &SettingKey) -> String {
    let who = match key.who {
        WhoMaySet::Anyone => "anyone",
        WhoMaySet::User { .. } => "you",
        WhoMaySet::ProjectMayLower => "lower",
    };
    let default = key.default.to_json();
    let default = default.map_or_else(|| "–".to_owned(), |value| format!("`{value}`"));
    format!(
        "| `{}` | {} | {default} | {who} | {} |\n",
        key.path,
        key.kind.wanted(),
        key.about()
    )
}
