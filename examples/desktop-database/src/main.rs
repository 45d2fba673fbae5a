//! Runs the scenario in the folder that is named, or in the one for temporary files.

use std::error::Error;
use std::io::{Write, stdout};
use std::path::PathBuf;
use std::sync::Arc;

use deed_sql::Database;
use desktop_database::{Desktop, PROMPT, Person, Setup, make_shop};

fn main() -> Result<(), Box<dyn Error>> {
    let own = || std::env::temp_dir().join(format!("desktop-database-{}", std::process::id()));
    let folder = std::env::args_os().nth(1).map_or_else(own, PathBuf::from);
    std::fs::create_dir_all(&folder)?;
    let folder = folder.canonicalize()?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    runtime.block_on(run(folder))
}

async fn run(folder: PathBuf) -> Result<(), Box<dyn Error>> {
    make_shop(&folder.join("shop.db"))?;
    let person = Person::new(Arc::new(|said| {
        writeln!(stdout(), "--- the person is asked\n{said}\n").ok();
    }));
    let setup = Setup {
        audit: folder.join("audit"),
        session: "desktop".to_owned(),
        database: Database::parse("shop=sqlite:shop.db", &folder)?,
        is_scripted: true,
        folder,
    };
    writeln!(stdout(), "{PROMPT}\n")?;
    let desktop = Desktop::start(setup, person).await?;
    let end = desktop.run().await?;
    for message in &end.messages {
        if let Some(result) = message.as_tool_result() {
            let text = result.content.iter().find_map(|block| block.as_text());
            writeln!(stdout(), "--- result\n{}\n", text.unwrap_or_default())?;
        }
    }
    for record in desktop.records()? {
        writeln!(stdout(), "{record}")?;
    }
    writeln!(stdout(), "\n{}", desktop.verify()?)?;
    Ok(())
}
