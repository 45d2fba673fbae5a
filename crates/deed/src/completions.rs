use clap::Command;
use clap::builder::Resettable;
use clap_complete::Shell;

use crate::cli;
use crate::exit::Ending;
use crate::writer::print;

/// Prints the completion script of a shell.
pub(crate) fn completions(shell: Shell) -> anyhow::Result<Ending> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut cli::definition(), "deed", &mut script);
    print(&script)
}

/// Prints the manual page, the pages of the commands behind it.
pub(crate) fn man() -> anyhow::Result<Ending> {
    let mut page = Vec::new();
    let mut definition = cli::definition();
    definition.build();
    render_all(&definition, "deed", &mut page)?;
    print(&page)
}

/// Renders the page of a command and those of its own commands.
fn render_all(command: &Command, name: &str, page: &mut Vec<u8>) -> anyhow::Result<()> {
    let named = command.clone().name(name.to_owned()).display_name(name);
    render(named, page)?;
    for inner in command.get_subcommands() {
        if inner.get_name() != "help" {
            render_all(inner, &format!("{name}-{}", inner.get_name()), page)?;
        }
    }
    Ok(())
}

/// Renders one page, with the examples line by line as they stand in the help.
fn render(command: Command, page: &mut Vec<u8>) -> anyhow::Result<()> {
    let notes = command.get_after_help().map(ToString::to_string);
    let command = command.after_help(Resettable::Reset);
    clap_mangen::Man::new(command).render(page)?;
    if let Some(notes) = notes {
        page.extend_from_slice(b".SH NOTES\n.nf\n");
        for line in notes.lines() {
            // In front of a line, a full stop or a quote would be taken as a command.
            let guard = if line.starts_with(['.', '\'']) {
                "\\&"
            } else {
                ""
            };
            let line = line.replace('\\', "\\e").replace('-', "\\-");
            page.extend_from_slice(format!("{guard}{line}\n").as_bytes());
        }
        page.extend_from_slice(b".fi\n");
    }
    Ok(())
}
