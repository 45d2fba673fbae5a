//! Modules and globals of node: scripts that node ran print the same here.
//!
//! Beside each script in `tests/node` stands what node 22 printed, with the real packages where it
//! imports some (Pi 1.6.0, typebox 1.3.27).

use std::path::Path;
use std::time::Duration;

use serde_json::json;

use crate::support::Play;

async fn printed(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/node");
    let script = std::fs::read_to_string(folder.join(format!("{name}.mjs"))).unwrap();
    let extension = format!("{script}\nexport default () => {{}};\n");
    let played = Play::new()
        .limits(|limits| limits.slice = Duration::from_secs(60))
        .with("script.mjs", &extension)
        .load(json!([{}]))
        .await;
    let lines = played.notices.lines();
    let texts = lines.iter().filter_map(|line| line.strip_prefix("Info "));
    texts.map(|text| format!("{text}\n")).collect()
}

macro_rules! scripts {
    ($($name:ident),+ $(,)?) => {
        $(#[tokio::test(flavor = "multi_thread")]
        async fn $name() {
            let expected = include_str!(concat!("../node/", stringify!($name), ".txt"));
            assert_eq!(printed(stringify!($name)).await, expected);
        })+
    };
}

scripts! {
    buffer, child, encoding, events, fs, inspect, misc, path, pi, stream, typebox, url, util,
}
