//! Help texts and mistakes on the command line.

use super::support::Sandbox;

fn help(args: &[&str]) -> String {
    let ran = Sandbox::new().deed(args);
    ran.assert_clean();
    // Ends of lines differ in blanks that nobody sees.
    let lines: Vec<&str> = ran.stdout.lines().map(str::trim_end).collect();
    lines.join("\n")
}

#[test]
fn help_of_the_program() {
    insta::assert_snapshot!(help(&["--help"]), @r#"
    The tool system of a coding agent, and the agent round it

    A model only writes down what it wants done. Deed checks it, runs it in the right place, bounds what
    comes back, and answers every call with a complete result.

    Usage: deed <COMMAND>

    Commands:
      exec         Run tool calls from a file or a pipe, without a model
      demo         Watch a whole run: a scripted model, real files, real commands
      tools        List the tools
      completions  Print the completion script of a shell
      man          Print the manual page
      help         Print this message or the help of the given subcommand(s)

    Options:
      -h, --help
              Print help (see a summary with '-h')

      -V, --version
              Print version

    Examples:
      deed demo                          watch a whole run, without a model and without a network
      echo '{"name":"ls"}' | deed exec   run one tool call
      deed tools --all                   list every tool, and why it is not active
    "#);
}

#[test]
fn help_of_exec() {
    insta::assert_snapshot!(help(&["exec", "--help"]), @r#"
    Run tool calls from a file or a pipe, without a model

    Reads tool calls and writes their results, one JSON line each, as soon as they are there. Every call
    gets a result; a call that fails is a result too. All built-in tools are active unless selected
    otherwise, and whoever writes the input is trusted: nothing is asked.

    Usage: deed exec [OPTIONS] [FILE]

    Arguments:
      [FILE]
              The file with tool calls; `-` or nothing reads standard input

    Options:
          --cwd <DIR>
              The folder that relative paths start from

          --output <FORMAT>
              What to print

              Possible values:
              - results: One `toolResult` message on each line
              - events:  Every event on a line of its own
              - text:    Cards for people

              [default: results]

          --fail-on-error
              Exit with 1 if a result is an error

          --color <WHEN>
              When to colour output for people

              Possible values:
              - auto:   On a terminal
              - always: Always
              - never:  Never

              [default: auto]

      -h, --help
              Print help (see a summary with '-h')

    Tools:
      -t, --tools <LIST>
              Only these, by name, `*` for any characters; or `+name,-name` to change the default

          --no-tools
              No tools

              [alias: --nt]

          --no-builtin-tools
              No built-in tools to begin with

              [alias: --nbt]

          --exclude-tools <LIST>
              Never these, whatever else is said

              [alias: --xt]

    Input, as JSON or one JSON value on each line:
      {"id": "1", "name": "read", "arguments": {"path": "a.txt"}}   one call; id may be left out
      [{"name": "ls"}, {"name": "ls"}]                              one batch, run in parallel
      {"role": "assistant", "content": [...]}                       a message with tool calls

    Examples:
      echo '{"name":"bash","arguments":{"command":"make test"}}' | deed exec
      deed exec calls.jsonl --output text --cwd ~/src/app
      deed exec --tools read,grep --fail-on-error < calls.jsonl

    Exit code: 0 all calls ran, 1 a result is an error (with --fail-on-error), 2 the input is no tool
    call (nothing of that item ran), 128 + n stopped by signal n, 141 nobody reads the output.
    "#);
}

#[test]
fn help_of_demo() {
    insta::assert_snapshot!(help(&["demo", "--help"]), @"
    Watch a whole run: a scripted model, real files, real commands

    Works in a scratch folder and touches nothing outside it. Needs no model and no network.

    Usage: deed demo [OPTIONS]

    Options:
          --keep
              Keep the scratch folder and print where it is

          --color <WHEN>
              When to colour output for people

              Possible values:
              - auto:   On a terminal
              - always: Always
              - never:  Never

              [default: auto]

      -h, --help
              Print help (see a summary with '-h')
    ");
}

#[test]
fn help_of_tools() {
    insta::assert_snapshot!(help(&["tools", "--help"]), @"
    List the tools

    Usage: deed tools [OPTIONS]
           deed tools <COMMAND>

    Commands:
      schema  Print the JSON Schema of a tool's arguments
      help    Print this message or the help of the given subcommand(s)

    Options:
          --all   List also tools that are not active, and why
          --json  Print JSON
      -h, --help  Print help

    Tools:
      -t, --tools <LIST>          Only these, by name, `*` for any characters; or `+name,-name` to
                                  change the default
          --no-tools              No tools [alias: --nt]
          --no-builtin-tools      No built-in tools to begin with [alias: --nbt]
          --exclude-tools <LIST>  Never these, whatever else is said [alias: --xt]

    Examples:
      deed tools                       the tools that a session starts with
      deed tools --tools 'read,gr*'    what this selection would give
      deed tools --tools=+grep,-bash   the default set, changed
      deed tools schema edit           the JSON Schema of a tool's arguments
    ");
}

#[test]
fn mistakes_end_with_2_and_a_hint() {
    let sandbox = Sandbox::new();
    let refused = |args: &[&str]| {
        let ran = sandbox.deed(args);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{args:?}");
        ran.stderr
    };
    insta::assert_snapshot!(refused(&["exce"]), @"
    error: unrecognized subcommand 'exce'

      tip: a similar subcommand exists: 'exec'

    Usage: deed <COMMAND>

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(refused(&["exec", "--output", "xml"]), @"
    error: invalid value 'xml' for '--output <FORMAT>'
      [possible values: results, events, text]

    For more information, try '--help'.
    ");
    assert!(refused(&[]).contains("Usage: deed <COMMAND>"));
}

#[test]
fn the_version_is_that_of_the_package() {
    let said = help(&["--version"]);
    assert_eq!(said, concat!("deed ", env!("CARGO_PKG_VERSION")));
}
