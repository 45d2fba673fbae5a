//! The benchmarks, one row each.

use super::{Bench, calls, extensions, files, guard, session, turns};
use crate::test::answers;
use anyhow::Result;

/// One benchmark.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) doc: &'static str,
    pub(crate) unit: Unit,
    pub(crate) budget: Budget,
    /// A program that the floor needs.
    pub(crate) need: Option<Need>,
    /// Slow benchmarks are measured less often.
    pub(crate) max_runs: usize,
    pub(crate) floor: fn(&Bench) -> Result<f64>,
    pub(crate) subject: fn(&Bench) -> Result<f64>,
}

/// What a figure is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    Seconds,
    Bytes,
}

/// What the subject may take, in the unit of its row.
#[derive(Debug)]
pub(crate) enum Budget {
    /// So many times the floor.
    Times(f64),
    /// So much over the floor.
    Above(f64),
    /// So much, whatever the floor.
    Within(f64),
}

/// A program under one of several names, and its Debian package.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Need {
    pub(crate) names: &'static [&'static str],
    pub(crate) package: &'static str,
}

pub(crate) const RIPGREP: Need = Need {
    names: &["rg"],
    package: "ripgrep",
};
pub(crate) const FD: Need = Need {
    names: &["fdfind", "fd"],
    package: "fd-find",
};

/// A row with the common settings, which the rows below change where they differ.
const PLAIN: Row = Row {
    name: "",
    doc: "",
    unit: Unit::Seconds,
    budget: Budget::Times(1.0),
    need: None,
    max_runs: usize::MAX,
    floor: calls::cat,
    subject: calls::exec_read,
};

pub(crate) const ROWS: &[Row] = &[
    Row {
        name: "exec-read",
        doc: "`deed exec` of one read, from start to end; floor: `cat` of the file",
        budget: Budget::Above(0.005),
        floor: calls::cat,
        subject: calls::exec_read,
        ..PLAIN
    },
    Row {
        name: "exec-read-memory",
        doc: "peak memory of that; floor: `cat`",
        unit: Unit::Bytes,
        budget: Budget::Within(15e6),
        max_runs: 5,
        floor: calls::cat_memory,
        subject: calls::exec_read_memory,
        ..PLAIN
    },
    Row {
        name: "sqlite-first-query",
        doc: "`deed exec --sql` of one query on SQLite, from start to end; floor: `cat` as above",
        budget: Budget::Within(0.025),
        floor: calls::cat,
        subject: calls::first_query,
        ..PLAIN
    },
    Row {
        name: "run-start",
        doc: "`deed -p` from its start to the first request to a model; floor: `cat` as above",
        budget: Budget::Within(0.015),
        floor: calls::cat,
        subject: turns::to_first_request,
        ..PLAIN
    },
    Row {
        name: "run-request",
        doc: "the body of the first request; floor: the model's name and the prompt",
        unit: Unit::Bytes,
        budget: Budget::Within(6e3),
        max_runs: 1,
        floor: turns::least_request_bytes,
        subject: turns::first_request_bytes,
        ..PLAIN
    },
    Row {
        name: "run-memory",
        doc: "peak memory of a run without tools; floor: `cat`",
        unit: Unit::Bytes,
        budget: Budget::Within(15e6),
        max_runs: 5,
        floor: calls::cat_memory,
        subject: turns::memory_without_tools,
        ..PLAIN
    },
    Row {
        name: "ext-first",
        doc: "`deed -p -e` from its start to the end of a call of the extension's tool; floor: of `read`",
        budget: Budget::Within(0.025),
        floor: extensions::first_built_in_call,
        subject: extensions::first_call,
        ..PLAIN
    },
    Row {
        name: "ext-memory",
        doc: "peak memory of a further extension, of ten; floor: `cat`",
        unit: Unit::Bytes,
        budget: Budget::Within(2e6),
        max_runs: 5,
        floor: calls::cat_memory,
        subject: extensions::memory_of_another,
        ..PLAIN
    },
    Row {
        name: "ext-hook",
        doc: "processor time of a turn with a read and a `tool_call` handler; floor: without the handler",
        budget: Budget::Above(0.000_06),
        max_runs: 5,
        floor: extensions::unhooked_turn,
        subject: extensions::hooked_turn,
        ..PLAIN
    },
    Row {
        name: "turn-first",
        doc: "the first tool turn, a read of 10 KB, from answer to next request; floor: a bare client",
        budget: Budget::Within(0.002),
        floor: turns::bare_first_turn,
        subject: turns::first_tool_turn,
        ..PLAIN
    },
    Row {
        name: "turn-read",
        doc: "a turn with a read of 10 KB, median of 20; floor: a bare client with such bodies",
        budget: Budget::Within(0.001),
        floor: turns::bare_turn,
        subject: turns::read_turn,
        ..PLAIN
    },
    Row {
        name: "turn-read-20",
        doc: "a first turn with 20 reads of 10 KB; floor: a bare client with such bodies",
        budget: Budget::Within(0.004),
        floor: turns::bare_parallel_turn,
        subject: turns::parallel_turn,
        ..PLAIN
    },
    Row {
        name: "turn-bash",
        doc: "a turn with `true` in bash, median from turn 20 to 200; floor: spawning it with pipes",
        budget: Budget::Within(0.002_5),
        max_runs: 9,
        floor: calls::spawn_true,
        subject: turns::bash_turn,
        ..PLAIN
    },
    Row {
        name: "turn-bash-200",
        doc: "200 such turns; floor: 200 spawns",
        budget: Budget::Within(0.6),
        max_runs: 9,
        floor: turns::spawn_all,
        subject: turns::bash_turns,
        ..PLAIN
    },
    Row {
        name: "turn-late",
        doc: "such a turn around the 2,000th; floor: such a turn around the 20th",
        budget: Budget::Times(1.1),
        max_runs: 3,
        floor: turns::early_turn,
        subject: turns::late_turn,
        ..PLAIN
    },
    Row {
        name: "turn-deltas",
        doc: "a call of 100 KB in 8,300 deltas, from request to request; floor: a bare client",
        budget: Budget::Within(0.03),
        floor: turns::bare_deltas,
        subject: turns::deltas,
        ..PLAIN
    },
    Row {
        name: "session-open",
        doc: "opening a session of 10,000 entries (10 MB); floor: reading its lines as JSON",
        budget: Budget::Within(0.1),
        max_runs: 5,
        floor: session::read_lines,
        subject: session::open,
        ..PLAIN
    },
    Row {
        name: "session-context",
        doc: "that with all its messages, as a run that goes on needs them; floor: the same",
        budget: Budget::Within(0.1),
        max_runs: 5,
        floor: session::read_lines,
        subject: session::open_with_context,
        ..PLAIN
    },
    Row {
        name: "guard-call",
        doc: "an allowed call with 200 rules and its record; floor: the same without a guard",
        budget: Budget::Above(150e-6),
        max_runs: 9,
        floor: guard::open,
        subject: guard::gate,
        ..PLAIN
    },
    Row {
        name: "guard-strict",
        doc: "that with its intent on the disk first; floor: a call without a guard and one sync",
        budget: Budget::Above(300e-6),
        max_runs: 9,
        floor: guard::open_and_sync,
        subject: guard::strict,
        ..PLAIN
    },
    Row {
        name: "guard-command",
        doc: "a decision on a shell command of 200 bytes; floor: reading it without rules",
        budget: Budget::Within(300e-6),
        max_runs: 9,
        floor: guard::read_command,
        subject: guard::decide,
        ..PLAIN
    },
    Row {
        name: "guard-verify",
        doc: "verification of 200,000 records; floor: reading 500 MB of a file",
        budget: Budget::Within(1.0),
        max_runs: 5,
        floor: files::read_through,
        subject: guard::verify,
        ..PLAIN
    },
    Row {
        name: "bash-200mb",
        doc: "bash printing 200 MB; floor: `bash -c … | tee FILE >/dev/null`",
        budget: Budget::Times(1.2),
        max_runs: 9,
        floor: calls::tee,
        subject: calls::bash_output,
        ..PLAIN
    },
    Row {
        name: "bash-200mb-memory",
        doc: "peak memory of that; floor: the same program running `true` in bash",
        unit: Unit::Bytes,
        budget: Budget::Above(2e6),
        max_runs: 5,
        floor: calls::bash_true_memory,
        subject: calls::bash_output_memory,
        ..PLAIN
    },
    Row {
        name: "bash-true",
        doc: "a bash call of `true`, of 100 in one process; floor: spawning `bash -c true` with pipes",
        budget: Budget::Times(1.5),
        floor: calls::spawn_true,
        subject: calls::bash_true,
        ..PLAIN
    },
    Row {
        name: "sleep-16",
        doc: "16 parallel `sleep 1`, from start to end; floor: 16 bare spawns of it",
        budget: Budget::Within(1.05),
        max_runs: 5,
        floor: calls::spawn_sleeps,
        subject: calls::sleeps,
        ..PLAIN
    },
    Row {
        name: "read-deep",
        doc: "read at line 1,000,000 of 500 MB with the line count; floor: reading the file once",
        budget: Budget::Times(2.0),
        max_runs: 9,
        floor: files::read_through,
        subject: files::read_deep,
        ..PLAIN
    },
    Row {
        name: "read-20",
        doc: "20 reads of 10 KB in one batch; floor: reading the files",
        budget: Budget::Within(0.004),
        floor: files::read_20_files,
        subject: files::read_20,
        ..PLAIN
    },
    Row {
        name: "read-1000",
        doc: "a read of 10 KB, of 1,000 in one batch, decided on and recorded; floor: reading the file",
        // 50 µs for the read, 150 for the guard.
        budget: Budget::Above(200e-6),
        floor: files::read_1000_files,
        subject: files::read_1000,
        ..PLAIN
    },
    Row {
        name: "edit-5mb",
        doc: "edit of one word in 5 MB; floor: read, search, write beside and rename",
        budget: Budget::Times(2.0),
        floor: files::replace_word,
        subject: files::edit_word,
        ..PLAIN
    },
    Row {
        name: "grep",
        doc: "grep with 50 matches in 20,000 files, from start to end; floor: `rg --sort path`",
        budget: Budget::Times(1.1),
        need: Some(RIPGREP),
        floor: files::rg,
        subject: files::grep,
        ..PLAIN
    },
    Row {
        name: "grep-limit",
        doc: "grep for a word of every file, ended by its limit; floor: `rg --sort path` as above",
        budget: Budget::Times(1.0),
        need: Some(RIPGREP),
        floor: files::rg,
        subject: files::grep_limit,
        ..PLAIN
    },
    Row {
        name: "find",
        doc: "find with 200 hits in 20,000 files, from start to end; floor: `fd … | sort`",
        budget: Budget::Times(1.1),
        need: Some(FD),
        floor: files::fd,
        subject: files::find,
        ..PLAIN
    },
];

impl Row {
    pub(crate) fn budget_text(&self) -> String {
        match self.budget {
            Budget::Times(factor) => format!("{factor} × floor"),
            Budget::Above(margin) => format!("floor + {}", self.unit.shown(margin)),
            Budget::Within(most) => self.unit.shown(most),
        }
    }
}

impl Need {
    /// The name under which the program is here.
    pub(crate) fn program(&self) -> Option<&'static str> {
        self.names
            .iter()
            .copied()
            .find(|name| answers(name, &["--version"]))
    }
}

#[cfg(test)]
mod tests {
    use super::ROWS;

    #[test]
    fn every_row_has_its_own_name_and_a_line_of_explanation() {
        for (index, row) in ROWS.iter().enumerate() {
            assert!(
                !row.name.is_empty() && row.doc.contains("floor: "),
                "{}",
                row.name
            );
            assert!(
                ROWS[index + 1..].iter().all(|other| other.name != row.name),
                "{}",
                row.name
            );
        }
    }
}
