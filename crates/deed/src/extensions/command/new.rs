use std::path::Path;

use anyhow::Context;
use deed_typescript::new_extension;

use crate::exit::{Ending, complain};
use crate::wiring;
use crate::writer::print;

/// Writes a first extension into a folder of its own, below the one that is named or here.
pub(super) fn run(name: &str, below: Option<&Path>) -> anyhow::Result<Ending> {
    let files = match new_extension(name) {
        Ok(files) => files,
        Err(error) => {
            complain(&error.to_string());
            return Ok(Ending::Usage);
        }
    };
    let cwd = wiring::working_folder(None)?;
    let folder = cwd.join(below.unwrap_or(Path::new(""))).join(name);
    if folder.symlink_metadata().is_ok() {
        complain(&format!(
            "{} is there already; nothing was written",
            folder.display()
        ));
        return Ok(Ending::Usage);
    }
    for (path, text) in &files {
        let path = folder.join(path);
        let written = path
            .parent()
            .map_or(Ok(()), std::fs::create_dir_all)
            .and_then(|()| std::fs::write(&path, text));
        written.with_context(|| format!("cannot write {}", path.display()))?;
    }
    let shown = folder.strip_prefix(&cwd).unwrap_or(&folder).display();
    print(
        format!(
            "made {shown}: a tool, a gate and a command in index.ts, and declarations for editors\n\
             try it: deed -p -e {shown} \"…\"\n\
             what it brings and wants: deed extension check {shown}\n"
        )
        .as_bytes(),
    )
}
