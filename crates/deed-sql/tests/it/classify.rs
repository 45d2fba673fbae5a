use deed_sql::Dialect::{self, Postgres, Sqlite};
use deed_sql::{SqlClass, classify};

use crate::cases::{self, Verdict};

#[track_caller]
fn check(dialect: Dialect, text: &str, class: SqlClass) -> String {
    let found = classify(dialect, text);
    assert_eq!(found.class, class, "{text}: {}", found.reason);
    found.reason
}

fn every_case(dialect: Dialect, count: usize) {
    let cases = cases::of(dialect);
    assert_eq!(cases.len(), count);
    let mut wrong = Vec::new();
    for case in cases {
        let found = classify(dialect, &case.statement);
        let verdict = cases::verdict(found.class);
        let wanted = match case.verdict {
            Verdict::AllowBounded => Verdict::Allow,
            other => other,
        };
        if verdict != wanted && !(case.over_refusal_ok && verdict > wanted) {
            wrong.push(format!(
                "{} {:?}: {found:?}, not {wanted:?}",
                case.id, case.statement
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_postgres_case_has_its_verdict() {
    every_case(Postgres, 95);
}

#[test]
fn every_sqlite_case_has_its_verdict() {
    every_case(Sqlite, 58);
}

#[test]
fn a_reason_names_what_is_wrong() {
    let cases = [
        (Sqlite, "ATTACH 'x' AS y"),
        (Sqlite, "PRAGMA query_only = OFF"),
        (Sqlite, "SELECT load_extension('x')"),
        (Sqlite, "SELECT 1; DELETE FROM t"),
        (Sqlite, "SELECT edit(1)"),
        (Postgres, "SELECT nextval('s')"),
        (Postgres, "SELECT pg_notify('a','b')"),
        (Postgres, "SET ROLE x"),
        (Postgres, "SELECT 1 === 2"),
        (Postgres, "SELECT 'x'::evil_dom"),
        (Postgres, "\\! id"),
    ];
    let reasons: Vec<String> = cases
        .iter()
        .map(|(dialect, text)| format!("{text}: {}", classify(*dialect, text).reason))
        .collect();
    insta::assert_snapshot!(reasons.join("\n"));
}

#[test]
fn b149_a_with_clause_does_not_hide_a_write() {
    for dialect in [Sqlite, Postgres] {
        check(
            dialect,
            "WITH c AS (SELECT 1) DELETE FROM t",
            SqlClass::Write,
        );
        check(
            dialect,
            "WITH c AS (SELECT 1) INSERT INTO t VALUES (1,'x') RETURNING id",
            SqlClass::Write,
        );
    }
}

#[test]
fn b151_timing_a_select_is_a_read_and_timing_a_delete_is_not() {
    check(Postgres, "EXPLAIN (ANALYZE) SELECT 1", SqlClass::Read);
    check(
        Postgres,
        "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT 1",
        SqlClass::Read,
    );
    check(Postgres, "EXPLAIN ANALYZE VERBOSE SELECT 1", SqlClass::Read);
    check(Postgres, "EXPLAIN (ANALYZE) DELETE FROM t", SqlClass::Write);
    check(
        Postgres,
        "EXPLAIN (ANALYZE) CREATE TABLE x AS SELECT 1",
        SqlClass::Write,
    );
    check(Sqlite, "EXPLAIN QUERY PLAN SELECT * FROM t", SqlClass::Read);
}

#[test]
fn b152_comments_do_not_hide_the_first_word() {
    for dialect in [Sqlite, Postgres] {
        check(dialect, "/* x */ DELETE FROM t", SqlClass::Write);
        check(dialect, "-- x\nDROP TABLE t", SqlClass::Write);
        check(dialect, "\u{feff}DELETE FROM t", SqlClass::Write);
    }
    check(Postgres, "/* /* */ */ DELETE FROM t", SqlClass::Write);
    // SQLite does not nest comments: what is left is no statement.
    check(Sqlite, "/* /* */ */ DELETE FROM t", SqlClass::Invalid);
    check(Postgres, "SELECT 1 -- x\r; DELETE FROM t", SqlClass::Multi);
}

#[test]
fn a_parser_that_sees_comments_and_texts_end_elsewhere_does_not_matter() {
    // PostgreSQL ends a comment at CR and knows escapes in E'…' only.
    check(Postgres, "SELECT 1 -- x\r, sd_write()", SqlClass::Write);
    check(
        Postgres,
        "SELECT 1 /* /* */ , 2 */ , sd_write()",
        SqlClass::Write,
    );
    check(Postgres, "SELECT '\\', sd_write(), '\\'", SqlClass::Write);
    check(
        Postgres,
        "SELECT $a$ $b$ $a$, sd_write(), $b$ $b$",
        SqlClass::Write,
    );
    check(Postgres, "SELECT e'\\', sd_write(), '", SqlClass::Read);
}

#[test]
fn b154_neither_a_comment_in_a_keyword_nor_one_that_runs_reads() {
    for dialect in [Sqlite, Postgres] {
        assert!(
            !classify(dialect, "SELECT 1 INTO/**/OUTFILE 'f'")
                .class
                .is_read()
        );
        check(dialect, "/*!50000 DELETE FROM t */", SqlClass::Invalid);
        check(dialect, "SELECT 1 /*!50000 , 2 */", SqlClass::Invalid);
    }
}

#[test]
fn b155_a_call_of_an_unknown_function_is_no_read() {
    check(Postgres, "SELECT nextval('s')", SqlClass::Write);
    check(Postgres, "SELECT my_function(1)", SqlClass::Write);
    check(Postgres, "SELECT public.upper('x')", SqlClass::Write);
    check(Postgres, "SELECT PG_CATALOG.UPPER('x')", SqlClass::Read);
    check(Postgres, "SELECT \"UPPER\"('x')", SqlClass::Write);
    check(
        Postgres,
        "SELECT lo_export(1,'/tmp/a')",
        SqlClass::SideEffect,
    );
    check(
        Postgres,
        "SELECT pg_terminate_backend(1)",
        SqlClass::SideEffect,
    );
    check(Sqlite, "SELECT load_extension('x')", SqlClass::SideEffect);
    check(
        Sqlite,
        "SELECT \"Load_Extension\"('x')",
        SqlClass::SideEffect,
    );
}

#[test]
fn a_denied_call_is_denied_wherever_it_stands() {
    for text in [
        "INSERT INTO t SELECT pg_terminate_backend(1)",
        "SELECT * FROM t ORDER BY pg_notify('a', 'b')",
        "SELECT count(*) FILTER (WHERE pg_notify('a','b') IS NULL) FROM t",
        "SELECT sum(x) OVER (PARTITION BY pg_read_file('x')) FROM t",
        "SELECT 1 LIMIT pg_ls_dir('/')",
        "CREATE TABLE x AS SELECT pg_switch_wal()",
        "SELECT pg_notify /* x */ ('a','b')",
        "DO $$ $$; ",
    ] {
        let found = classify(Postgres, text);
        assert_eq!(
            found.class == SqlClass::SideEffect,
            !text.starts_with("DO"),
            "{text}: {found:?}"
        );
    }
}

#[test]
fn a_name_in_code_points_is_no_read() {
    check(
        Postgres,
        r#"SELECT U&"pg\005Fterminate\005Fbackend"(1)"#,
        SqlClass::Write,
    );
}

#[test]
fn a_type_or_operator_that_somebody_defined_is_no_read() {
    check(Postgres, "SELECT 'x'::evil_dom", SqlClass::Write);
    check(Postgres, "SELECT CAST('x' AS evil_dom[])", SqlClass::Write);
    check(Postgres, "SELECT evil_dom 'x'", SqlClass::Write);
    check(
        Postgres,
        "SELECT * FROM json_to_record('{}') AS x(a evil_dom)",
        SqlClass::Write,
    );
    check(Postgres, "SELECT 1 OPERATOR(public.+) 2", SqlClass::Write);
    check(Postgres, "SELECT 1 @-2", SqlClass::Write);
    check(Postgres, "SELECT 1 +-2, 3--4\n", SqlClass::Read);
    check(
        Postgres,
        "SELECT '1'::int, x::text[], DATE '2020-01-01', j->>'a' FROM t",
        SqlClass::Read,
    );
    check(
        Postgres,
        "SELECT 't'::regclass, '{1}'::int4[], '1'::oid",
        SqlClass::Read,
    );
}

#[test]
fn what_takes_a_transaction_number_is_no_read() {
    check(Postgres, "SELECT txid_current()", SqlClass::Write);
}

#[test]
fn everyday_reads_need_no_approval() {
    for (dialect, statements) in [
        (Postgres, include_str!("everyday_postgres.sql")),
        (Sqlite, include_str!("everyday_sqlite.sql")),
    ] {
        for text in statements.lines() {
            let found = classify(dialect, text);
            assert!(found.class.is_read(), "{text}: {found:?}");
        }
    }
}

#[test]
fn b157_attach_detach_and_pragmas_that_set_are_refused() {
    check(Sqlite, "ATTACH '/tmp/o.db' AS o", SqlClass::Session);
    check(Sqlite, "DETACH o", SqlClass::Session);
    check(Sqlite, "PRAGMA foreign_keys=OFF", SqlClass::Session);
    check(Sqlite, "PRAGMA foreign_keys", SqlClass::Read);
    check(Sqlite, "PRAGMA table_info = t", SqlClass::Session);
    check(
        Sqlite,
        "SELECT * FROM pragma_journal_mode('off')",
        SqlClass::Read,
    );
    check(Sqlite, "SELECT * FROM pragma_optimize", SqlClass::Session);
}

#[test]
fn b158_a_pragma_that_changes_the_file_is_no_read() {
    check(Sqlite, "PRAGMA journal_mode=DELETE", SqlClass::Session);
    check(Sqlite, "PRAGMA journal_mode(DELETE)", SqlClass::Session);
    check(Sqlite, "PRAGMA table_info(t)", SqlClass::Read);
    check(Sqlite, "PRAGMA main.table_info('t');", SqlClass::Read);
}

#[test]
fn b161_a_path_is_no_table() {
    for dialect in [Sqlite, Postgres] {
        assert!(
            !classify(dialect, "SELECT * FROM '/etc/hosts'")
                .class
                .is_read()
        );
    }
}

#[test]
fn a_trigger_is_one_statement_and_what_follows_it_another() {
    let trigger = "CREATE TRIGGER x AFTER INSERT ON t BEGIN DELETE FROM t; SELECT 1; END";
    check(Sqlite, trigger, SqlClass::Write);
    check(Sqlite, &format!("{trigger};"), SqlClass::Write);
    check(Sqlite, &format!("{trigger}; DROP TABLE t"), SqlClass::Multi);
    check(
        Sqlite,
        &format!("{trigger}; SELECT CASE WHEN 1 THEN 2 END"),
        SqlClass::Multi,
    );
}

#[test]
fn a_parameter_is_refused_where_its_value_cannot_be_given() {
    check(Postgres, "SELECT $1", SqlClass::Invalid);
    for text in [
        "SELECT ?",
        "SELECT ?1",
        "SELECT :a",
        "SELECT @a",
        "SELECT $a",
    ] {
        check(Sqlite, text, SqlClass::Invalid);
    }
}

#[test]
fn a_statement_that_is_too_long_is_refused() {
    let text = format!("SELECT '{}'", "x".repeat(100_000));
    check(Sqlite, &text, SqlClass::Invalid);
}

#[test]
fn deep_nesting_is_refused_and_does_not_overflow() {
    let deep = format!("SELECT {}1{}", "(".repeat(5000), ")".repeat(5000));
    for dialect in [Sqlite, Postgres] {
        assert!(!classify(dialect, &deep).class.is_read());
    }
}

proptest::proptest! {
    #[test]
    fn any_text_is_classified(text in ".{0,60}") {
        for dialect in [Sqlite, Postgres] {
            proptest::prop_assert!(!classify(dialect, &text).reason.is_empty());
        }
    }

    #[test]
    fn what_is_taken_for_a_read_is_none_that_writes(
        pieces in proptest::collection::vec(proptest::sample::select(PIECES), 0..12)
    ) {
        let text = pieces.concat();
        let connection = rusqlite::Connection::open_in_memory().unwrap();
        connection.execute_batch("CREATE TABLE t(a, b)").unwrap();
        if classify(Sqlite, &text).class.is_read()
            && let Ok(statement) = connection.prepare(&text)
        {
            proptest::prop_assert!(statement.readonly(), "{text}");
        }
    }
}

const PIECES: &[&str] = &[
    "SELECT ",
    "a",
    "1",
    "DELETE FROM t",
    " RETURNING a",
    "INSERT INTO t ",
    "VALUES (1, 2)",
    ";",
    " ",
    "'",
    "\"",
    "`",
    "[",
    "]",
    "/*",
    "*/",
    "--",
    "\n",
    "(",
    ")",
    "WITH x AS ",
    "(SELECT 1) ",
    ",",
    "EXPLAIN ",
    "*",
    " FROM t",
    " UNION ",
    "\\",
    "x'00'",
    "E'",
    "$$",
    "PRAGMA user_version",
    "=1",
    "REPLACE INTO t ",
];
