//! Prints `docs/extensions.md`, as `cargo xtask docs` keeps it.

use std::error::Error;
use std::io::Write as _;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let text = deed_typescript::extensions_markdown().await?;
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(())
}
