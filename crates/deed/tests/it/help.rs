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

    Usage: deed [OPTIONS] [PROMPT]...
           deed <COMMAND>

    Commands:
      exec         Run tool calls from a file or a pipe, without a model
      demo         Watch whole runs: a scripted model, real files, real commands, a real database
      tools        List the tools
      policy       Check, explain and begin a policy
      audit        Check and read the audit log
      trust        Record that you trust exactly this content of a file
      extension    List, check and begin extensions
      session      List, read and hand on sessions
      config       Show what settings hold, and where each comes from
      auth         Keep the keys of model providers
      doctor       Tell what works on this machine, and what to do about the rest
      import       Take over what you have in another agent
      completions  Print the completion script of a shell
      man          Print the manual page
      help         Print this message or the help of the given subcommand(s)

    Arguments:
      [PROMPT]...
              What to do; a word that begins with `@` names a file whose content goes with it

    Options:
      -p, --print
              Run once and print the answer; standard input goes with the prompt

          --mode <MODE>
              What to print: the last answer, every event as a JSON line, or answers to commands that
              come as JSON lines

              Possible values:
              - text: The last answer
              - json: Every event
              - rpc:  Commands in, answers and events out

          --cards
              With --mode json or rpc: put the card of each call, as its tool draws it, into its events

          --max-turns <N>
              End the run after so many answers of the model

          --max-cost <DOLLARS>
              End the run when it has cost so many US dollars

          --verbose
              Tell on standard error what goes on; no secret is in it

      -h, --help
              Print help (see a summary with '-h')

      -V, --version
              Print version

    Model:
          --model <MODEL>
              The model: its id, provider/id, either with `:LEVEL` of thinking, or script:FILE

          --provider <NAME>
              Who runs it, such as anthropic, openai, google or ollama

          --thinking <LEVEL>
              How much it thinks: off, minimal, low, medium, high, xhigh or max

          --api <API>
              The interface of --base-url: chat, responses, anthropic or gemini

          --base-url <URL>
              Where the model is reached

          --api-key <KEY>
              The key; other users of this machine can see it, so prefer `deed auth`

    Session:
      -r, --session <SESSION>
              Go on with this session: its file, its id or the beginning of its id

              [alias: --resume]

      -c, --continue
              Go on with the last session of this folder

          --fork <SESSION>
              Begin a new session with the transcript of this one

          --no-session
              Keep nothing of this run but its audit log

          --session-dir <DIR>
              The folder of the sessions

          --name <NAME>
              A name for the session

    Instructions:
          --system-prompt <TEXT>
              In place of the usual system prompt: a text, or a file

          --append-system-prompt <TEXT>
              Behind the system prompt: a text, or a file; may be given several times

          --skill <PATH>
              One more skill, or folder of skills; may be given several times

          --prompt-template <PATH>
              One more prompt template, or folder of them; may be given several times

      -C, --no-context-files
              Leave out AGENTS.md and CLAUDE.md

          --trust-project
              Load settings, skills and templates of this project

          --no-trust-project
              Load nothing of this project but its AGENTS.md

    Extensions:
      -e, --extension <PATH>
              Load this extension too, as it is: a .ts or .js file, or a folder of them; may be given
              several times

          --no-extensions
              Load no others

              [alias: --ne]

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

    Permissions:
          --permission-mode <MODE>
              What happens to calls that no rule speaks of: plan, default, acceptEdits, dontAsk or
              bypass

          --policy <FILE>
              A policy file for this run, beside the user's and the project's

          --add-dir <DIR>
              One more folder of the workspace; may be given several times

          --audit <DIR>
              The folder of the audit log

          --no-audit
              Write nothing down

    Databases:
          --sql <NAME=URL>
              A database for query_database: sqlite:FILE, postgres://… or env:VARIABLE that holds such a
              URL; may be given several times

          --sql-writer <NAME=URL>
              The URL of another role for writes that a person allowed

          --sql-privileged <NAME>
              Let reads run under a role that could reach files or other sessions of the server

          --color <WHEN>
              When to colour output for people

              Possible values:
              - auto:   On a terminal
              - always: Always
              - never:  Never

              [default: auto]

    Examples:
      deed -p "why does the build fail?"         run once and print the answer
      git diff | deed -p "review this"           with standard input as context
      deed -c -p "now mend it"                   go on with the last session of this folder
      deed -p --model ollama/qwen3 "hello"       with a model on this machine
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
    otherwise.

    Whoever writes the input is trusted: nothing is asked but database writes, and only deny rules hold.
    With --permission-mode or --policy that is otherwise; questions then come to the terminal, whatever
    standard input and output are, and where there is none, asking is refusing. Everything is written to
    the audit log.

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

    Permissions:
          --permission-mode <MODE>
              What happens to calls that no rule speaks of: plan, default, acceptEdits, dontAsk or
              bypass

          --policy <FILE>
              A policy file for this run, beside the user's and the project's

          --add-dir <DIR>
              One more folder of the workspace; may be given several times

          --audit <DIR>
              The folder of the audit log

          --no-audit
              Write nothing down

    Databases:
          --sql <NAME=URL>
              A database for query_database: sqlite:FILE, postgres://… or env:VARIABLE that holds such a
              URL; may be given several times

          --sql-writer <NAME=URL>
              The URL of another role for writes that a person allowed

          --sql-privileged <NAME>
              Let reads run under a role that could reach files or other sessions of the server

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
      deed exec --permission-mode default < calls.jsonl     ask before anything is changed
      deed exec --sql shop=sqlite:shop.db < calls.jsonl     with query_database on that file

    Exit code: 0 all calls were answered, 1 a result is an error (with --fail-on-error), 2 the input is
    no tool call (nothing of that item ran) or a policy is wrong (nothing ran), 128 + n stopped by
    signal n, 141 nobody reads the output.
    "#);
}

#[test]
fn help_of_demo() {
    insta::assert_snapshot!(help(&["demo", "--help"]), @r"
    Watch whole runs: a scripted model, real files, real commands, a real database

    Works in a scratch folder and touches nothing outside it. Needs no model and no network.

    Usage: deed demo [OPTIONS] [PART]

    Arguments:
      [PART]
              Only this part

              Possible values:
              - project:  An agent mends a small project
              - database: An agent reads a database; a person allows each write, and all of it is on
                record

    Options:
          --ask
              Answer the questions yourself, at the terminal, instead of the scripted person

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
fn help_of_policy_and_its_commands() {
    insta::assert_snapshot!(help(&["policy", "--help"]), @r#"
    Check, explain and begin a policy

    Usage: deed policy <COMMAND>

    Commands:
      check  Check the policy that holds in this folder, or explain what it says of a call
      init   Write a starter file with comments; one that is there is left alone
      rules  List the rules that were stored with "always", or take one back
      help   Print this message or the help of the given subcommand(s)

    Options:
      -h, --help  Print help

    Files, from the one that weighs most: /etc/deed/policy.json, --policy FILE,
    ~/.config/deed/policy.json, .deed/policy.json of the project (which only tightens until you trust
    it with `deed trust`). Deny beats ask beats allow; the order of rules makes no difference.

    Examples:
      deed policy init                                   write a starter file with comments
      deed policy check                                  check the files that hold here
      deed policy check 'Bash(cargo test && rm -rf x)'   what would happen to this command, and why
      deed policy check 'Read(~/.ssh/id)' --json
      deed policy check --session run.jsonl              what a recorded run would have met
      deed policy rules                                  rules that were stored with "always"

    Exit code: 0, or 2 if a policy or the call is wrong; the message names file, line and column.
    "#);
    insta::assert_snapshot!(help(&["policy", "check", "--help"]), @"
    Check the policy that holds in this folder, or explain what it says of a call

    Usage: deed policy check [OPTIONS] [CALL]

    Arguments:
      [CALL]  A call as a rule would name it, such as `Bash(cargo test)` or `Write(src/a.rs)`

    Options:
          --session <FILE>  A recorded run: JSON lines, as `deed exec --output events` prints them, or
                            messages
          --json            Print JSON
      -h, --help            Print help

    Permissions:
          --permission-mode <MODE>  What happens to calls that no rule speaks of: plan, default,
                                    acceptEdits, dontAsk or bypass
          --policy <FILE>           A policy file for this run, beside the user's and the project's
          --add-dir <DIR>           One more folder of the workspace; may be given several times
          --audit <DIR>             The folder of the audit log
          --no-audit                Write nothing down
    ");
    insta::assert_snapshot!(help(&["policy", "init", "--help"]), @"
    Write a starter file with comments; one that is there is left alone

    Usage: deed policy init [FILE]

    Arguments:
      [FILE]  Where; by default the user's policy

    Options:
      -h, --help  Print help
    ");
    insta::assert_snapshot!(help(&["policy", "rules", "--help"]), @r#"
    List the rules that were stored with "always", or take one back

    Usage: deed policy rules [OPTIONS]

    Options:
          --revoke <ID>  The id of a rule to take back
      -h, --help         Print help
    "#);
}

#[test]
fn help_of_audit_and_its_commands() {
    insta::assert_snapshot!(help(&["audit", "--help"]), @"
    Check and read the audit log

    Usage: deed audit <COMMAND>

    Commands:
      verify  Check that no record was changed, taken away or added
      show    Print records
      help    Print this message or the help of the given subcommand(s)

    Options:
      -h, --help  Print help

    Exit code of verify: 0 the log is whole, 1 it is not, or cannot be read.

    Examples:
      deed audit verify                     check the whole log
      deed audit show --tool bash           what commands ran, and on whose word
      deed audit show --decision deny --since 2026-12-01 --json
    ");
    insta::assert_snapshot!(help(&["audit", "verify", "--help"]), @"
    Check that no record was changed, taken away or added

    Usage: deed audit verify [OPTIONS] [PATH]

    Arguments:
      [PATH]  The folder of the log, or one file of it

    Options:
          --head <HEAD>  A head that was noted elsewhere and must be in the log: SEQ:SHA256
          --json         Print JSON
      -h, --help         Print help
    ");
    insta::assert_snapshot!(help(&["audit", "show", "--help"]), @"
    Print records

    Usage: deed audit show [OPTIONS] [PATH]

    Arguments:
      [PATH]  The folder of the log

    Options:
          --call <ID>        Only of this call
          --tool <NAME>      Only of this tool
          --decision <WORD>  Only with this decision: allow, ask or deny
          --event <WORD>     Only this event, such as intent, outcome or approval
          --since <TIME>     Only from this time on, such as 2026-12-01 or 2026-12-01T09:30:00Z
          --until <TIME>     Only before this time
          --session <ID>     Only of this session
          --limit <N>        No more than the last so many
          --json             Print the records as they are, one JSON line each
      -h, --help             Print help
    ");
}

#[test]
fn help_of_trust() {
    insta::assert_snapshot!(help(&["trust", "--help"]), @"
    Record that you trust exactly this content of a file

    Usage: deed trust [OPTIONS] [PATH]

    Arguments:
      [PATH]  The file, or the folder of a project

    Options:
          --policy     It is a policy (the default)
          --extension  It is an extension
          --project    It is the folder of a project
          --revoke     Take back what was said of it
          --refuse     Never trust it, nor anything below it
          --list       List what was trusted and what was refused
      -h, --help       Print help

    Trust holds for exactly the content that the file has now; when it changes, it is asked for again.
    A project is trusted as a folder, with all below it; its settings, skills and prompts are loaded.

    Examples:
      deed trust .deed/policy.json    let the project's policy also allow things
      deed trust --project .          load the settings, skills and prompts of this project
      deed trust --refuse ~/work      never trust a file or a project below this folder
      deed trust --list
      deed trust --revoke .deed/policy.json
    ");
}

#[test]
fn help_of_config_and_its_commands() {
    insta::assert_snapshot!(help(&["config", "--help"]), @r#"
    Show what settings hold, and where each comes from

    Usage: deed config [OPTIONS] [KEY]
           deed config <COMMAND>

    Commands:
      path    Print where your settings are
      schema  Print the JSON Schema of settings
      help    Print this message or the help of the given subcommand(s)

    Arguments:
      [KEY]  Only this setting, or those below this name

    Options:
          --json  Print JSON
      -h, --help  Print help

    Project:
          --trust-project     As if the project were trusted
          --no-trust-project  As if it were not

    Files: ~/.config/deed/settings.json, and .deed/settings.json of the project once you trust it (`deed
    trust --project .`). Both are JSON with comments; a project cannot set what would reach your keys.

    Examples:
      deed config                           everything that holds, and where it comes from
      deed config retry                     some of it, with what it means
      deed config --json
      $EDITOR "$(deed config path)"         change your settings
      deed config schema > schema.json      for an editor: "$schema": "schema.json"

    Exit code: 0, or 2 if a file is wrong (the message names file, line and column) or there is no such
    setting.
    "#);
    insta::assert_snapshot!(help(&["config", "path", "--help"]), @"
    Print where your settings are

    Usage: deed config path [OPTIONS]

    Options:
          --all   All files and folders that Deed uses, and whether they are there
      -h, --help  Print help
    ");
    insta::assert_snapshot!(help(&["config", "schema", "--help"]), @"
    Print the JSON Schema of settings

    Usage: deed config schema [OPTIONS]

    Options:
          --markdown  Print the documentation of all settings instead
      -h, --help      Print help
    ");
}

#[test]
fn help_of_auth_and_its_commands() {
    insta::assert_snapshot!(help(&["auth", "--help"]), @"
    Keep the keys of model providers

    Usage: deed auth <COMMAND>

    Commands:
      set     Store the key of a provider, read from the terminal or from standard input
      list    List whose keys there are and where they come from; no key is shown
      remove  Forget the key of a provider
      help    Print this message or the help of the given subcommand(s)

    Options:
      -h, --help  Print help

    Keys are kept in ~/.config/deed/auth.json, which nobody else may read. A key is looked for in this
    order: --api-key, the provider's apiKey in the settings, this file, the variables of the provider.

    Examples:
      deed auth set anthropic                                     asks for the key
      deed auth set openai < key.txt
      deed auth set openai --command 'pass show openai'           runs it when the key is needed
      deed auth set groq --env MY_GROQ_KEY
      deed auth list
      deed auth remove anthropic
    ");
    insta::assert_snapshot!(help(&["auth", "set", "--help"]), @"
    Store the key of a provider, read from the terminal or from standard input

    Usage: deed auth set [OPTIONS] <PROVIDER>

    Arguments:
      <PROVIDER>  Whose key, such as anthropic or openai

    Options:
          --command <COMMAND>  A command that prints the key, instead of the key
          --env <NAME>         The variable that holds the key, instead of the key
      -h, --help               Print help
    ");
    insta::assert_snapshot!(help(&["auth", "list", "--help"]), @"
    List whose keys there are and where they come from; no key is shown

    Usage: deed auth list [OPTIONS]

    Options:
          --json  Print JSON
      -h, --help  Print help
    ");
    insta::assert_snapshot!(help(&["auth", "remove", "--help"]), @"
    Forget the key of a provider

    Usage: deed auth remove <PROVIDER>

    Arguments:
      <PROVIDER>  Whose key

    Options:
      -h, --help  Print help
    ");
}

#[test]
fn help_of_doctor() {
    insta::assert_snapshot!(help(&["doctor", "--help"]), @"
    Tell what works on this machine, and what to do about the rest

    Usage: deed doctor [OPTIONS]

    Options:
          --json       Print JSON
          --cwd <DIR>  The folder to look from
      -h, --help       Print help

    Nothing is changed and nothing is sent: only servers on this machine are asked.

    Exit code: 0, or 1 if something does not work.
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
    insta::assert_snapshot!(refused(&["session", "lost"]), @"
    error: unrecognized subcommand 'lost'

      tip: a similar subcommand exists: 'list'

    Usage: deed session [OPTIONS] <COMMAND>

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(refused(&["exec", "--output", "xml"]), @"
    error: invalid value 'xml' for '--output <FORMAT>'
      [possible values: results, events, text]

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(refused(&["exec", "--permission-mode", "yolo"]), @"
    error: invalid value 'yolo' for '--permission-mode <MODE>': the modes are plan, default, acceptEdits, dontAsk and bypass

    For more information, try '--help'.
    ");
    assert!(refused(&["exec", "--audit", "a", "--no-audit"]).contains("cannot be used with"));
    assert!(refused(&[]).contains("Usage: deed [OPTIONS] [PROMPT]..."));
}

#[test]
fn the_version_is_that_of_the_package() {
    let said = help(&["--version"]);
    assert_eq!(said, concat!("deed ", env!("CARGO_PKG_VERSION")));
}
