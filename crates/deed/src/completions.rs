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
    clap_mangen::Man::new(definition.clone()).render(&mut page)?;
    for command in definition
        .get_subcommands()
        .filter(|one| one.get_name() != "help")
    {
        let name = format!("deed-{}", command.get_name());
        let command = command.clone().name(name.clone()).display_name(name);
        clap_mangen::Man::new(command).render(&mut page)?;
    }
    print(&page)
}
