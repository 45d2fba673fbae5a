use deed_cards::{CardText, draw_text};
use deed_protocol::{Block, KeyValue, Progress, Tone, ToolCard};

use crate::{coloured, plain, samples};

fn expanded(card: &ToolCard, width: usize) -> String {
    draw_text(
        card,
        &CardText {
            width,
            expanded: true,
            ..CardText::default()
        },
    )
}

fn ascii(card: &ToolCard, width: usize) -> String {
    draw_text(
        card,
        &CardText {
            width,
            unicode: false,
            ..CardText::default()
        },
    )
}

#[test]
fn text_at_both_widths() {
    let card = samples::text();
    insta::assert_snapshot!(plain(&card, 80), @r"
    ● bash  cargo test --quiet -- --test-threads=1   exit 0 · 2.4 s
      │ test case_1 ... ok
      │ test case_2 ... ok
      │ test case_3 ... ok
      │ test case_4 ... ok
      │ test case_5 ... ok
      │ … 25 more lines
      │ test case_31 ... ok
      │ test case_32 ... ok
      │ test case_33 ... ok
      │ test case_34 ... ok
      │ test case_35 ... ok
      │ test case_36 ... ok
      │ test case_37 ... ok
      │ test case_38 ... ok
      │ test case_39 ... ok
      │ test case_40 ... ok
      │     tabs    are expanded
      │ note: lines 1001-3000 of 3000 are shown; the whole output is in
      │       ~/.local/state/deed/output/7f3a/call_12.txt
    ");
    insta::assert_snapshot!(plain(&card, 40), @r"
    ● bash  cargo test --q…   exit 0 · 2.4 s
      │ test case_1 ... ok
      │ test case_2 ... ok
      │ test case_3 ... ok
      │ test case_4 ... ok
      │ test case_5 ... ok
      │ … 25 more lines
      │ test case_31 ... ok
      │ test case_32 ... ok
      │ test case_33 ... ok
      │ test case_34 ... ok
      │ test case_35 ... ok
      │ test case_36 ... ok
      │ test case_37 ... ok
      │ test case_38 ... ok
      │ test case_39 ... ok
      │ test case_40 ... ok
      │     tabs    are expanded
      │ note: lines 1001-3000 of 3000 are
      │       shown; the whole output is in
      │       ~/.local/state/deed/output/7f3
      │       a/call_12.txt
    ");
    insta::assert_snapshot!(coloured(&card, 80), @r"
    ‹32›●‹› ‹1›bash‹›  cargo test --quiet -- --test-threads=1   ‹32›exit 0‹›‹2› · ‹›‹2›2.4 s‹›
      ‹2›│‹› test case_1 ... ok
      ‹2›│‹› test case_2 ... ok
      ‹2›│‹› test case_3 ... ok
      ‹2›│‹› test case_4 ... ok
      ‹2›│‹› test case_5 ... ok
      ‹2›│‹› ‹2›… 25 more lines‹›
      ‹2›│‹› test case_31 ... ok
      ‹2›│‹› test case_32 ... ok
      ‹2›│‹› test case_33 ... ok
      ‹2›│‹› test case_34 ... ok
      ‹2›│‹› test case_35 ... ok
      ‹2›│‹› test case_36 ... ok
      ‹2›│‹› test case_37 ... ok
      ‹2›│‹› test case_38 ... ok
      ‹2›│‹› test case_39 ... ok
      ‹2›│‹› test case_40 ... ok
      ‹2›│‹›     tabs    are expanded
      ‹2›│‹› ‹2›note:‹› lines 1001-3000 of 3000 are shown; the whole output is in
      ‹2›│‹›       ~/.local/state/deed/output/7f3a/call_12.txt
    ");
    insta::assert_snapshot!(ascii(&card, 40), @r"
    * bash  cargo test -...   exit 0 | 2.4 s
      | test case_1 ... ok
      | test case_2 ... ok
      | test case_3 ... ok
      | test case_4 ... ok
      | test case_5 ... ok
      | ... 25 more lines
      | test case_31 ... ok
      | test case_32 ... ok
      | test case_33 ... ok
      | test case_34 ... ok
      | test case_35 ... ok
      | test case_36 ... ok
      | test case_37 ... ok
      | test case_38 ... ok
      | test case_39 ... ok
      | test case_40 ... ok
      |     tabs    are expanded
      | note: lines 1001-3000 of 3000 are
      |       shown; the whole output is in
      |       ~/.local/state/deed/output/7f3
      |       a/call_12.txt
    ");
}

#[test]
fn code_at_both_widths() {
    let card = samples::code();
    insta::assert_snapshot!(plain(&card, 80), @r##"
    ● read  crates/deed/src/main.rs:96-103   8 lines
      │  96  /// Reads a line; `None` at the end.
      │  97  pub fn read_line<'a>(input: &'a [u8]) -> Option<&'a str> {
      │  98      let end = memchr(b'\n', input).unwrap_or(0x1F_usize);
      │  99      /* block
      │ 100         comment */ let raw = r#"a "raw" string"#;
      │ 101      println!("{raw}: a rather long line of code that does not fit into…
      │ 102      str::from_utf8(&input[..end]).ok()
      │ 103  }
    "##);
    insta::assert_snapshot!(plain(&card, 40), @r#"
    ● read  …ed/src/main.rs:96-103   8 lines
      │  96  /// Reads a line; `None` at th…
      │  97  pub fn read_line<'a>(input: &'…
      │  98      let end = memchr(b'\n', in…
      │  99      /* block
      │ 100         comment */ let raw = r#…
      │ 101      println!("{raw}: a rather …
      │ 102      str::from_utf8(&input[..en…
      │ 103  }
    "#);
    insta::assert_snapshot!(coloured(&card, 80), @r##"
    ● ‹1›read‹›  crates/deed/src/main.rs:96-103   ‹2›8 lines‹›
      ‹2›│‹› ‹2› 96‹›  ‹2›/// Reads a line; `None` at the end.‹›
      ‹2›│‹› ‹2› 97‹›  ‹35›pub‹› ‹35›fn‹› read_line<‹36›'a‹›>(input: &‹36›'a‹› [‹36›u8‹›]) -> ‹36›Option‹›<&‹36›'a‹› ‹36›str‹›> {
      ‹2›│‹› ‹2› 98‹›      ‹35›let‹› end = ‹33›memchr‹›(b‹32›'\n'‹›, input).‹33›unwrap_or‹›(‹36›0x1F_usize‹›);
      ‹2›│‹› ‹2› 99‹›      ‹2›/* block‹›
      ‹2›│‹› ‹2›100‹›  ‹2›       comment */‹› ‹35›let‹› raw = ‹32›r#"a "raw" string"#‹›;
      ‹2›│‹› ‹2›101‹›      ‹33›println‹›!(‹32›"{raw}: a rather long line of code that does not fit into‹›‹2›…‹›
      ‹2›│‹› ‹2›102‹›      ‹36›str‹›::‹33›from_utf8‹›(&input[..end]).‹33›ok‹›()
      ‹2›│‹› ‹2›103‹›  }
    "##);
    insta::assert_snapshot!(ascii(&card, 40), @r#"
    * read  .../src/main.rs:96-103   8 lines
      |  96  /// Reads a line; `None` at ...
      |  97  pub fn read_line<'a>(input: ...
      |  98      let end = memchr(b'\n', ...
      |  99      /* block
      | 100         comment */ let raw = ...
      | 101      println!("{raw}: a rathe...
      | 102      str::from_utf8(&input[.....
      | 103  }
    "#);
}

#[test]
fn diff_at_both_widths() {
    let card = samples::diff();
    insta::assert_snapshot!(plain(&card, 80), @r"
    ● edit  src/config.rs   +3 · -2
      │   8   impl Config {
      │   9 −     pub fn load(path: &Path) -> Config {
      │   9 +     pub fn load(path: &Path) -> Result<Config, ConfigError> {
      │  10 −         let text = fs::read_to_string(path).unwrap();
      │  10 +         let text = fs::read_to_string(path)?;
      │  11           parse(&text)
      │   ⋮
      │ 118       /// 漢字 are two columns wide, é is one, and 👩‍💻 is two.
      │ 119 +     #[must_use]
      │ 119       pub fn width(&self) -> usize {
    ");
    insta::assert_snapshot!(plain(&card, 40), @r"
    ● edit  src/config.rs   +3 · -2
      │   8   impl Config {
      │   9 −     pub fn load(path: &Path) …
      │   9 +     pub fn load(path: &Path) …
      │  10 −         let text = fs::read_t…
      │  10 +         let text = fs::read_t…
      │  11           parse(&text)
      │   ⋮
      │ 118       /// 漢字 are two columns …
      │ 119 +     #[must_use]
      │ 119       pub fn width(&self) -> us…
    ");
    insta::assert_snapshot!(coloured(&card, 80), @r"
    ‹32›●‹› ‹1›edit‹›  src/config.rs   ‹32›+3‹›‹2› · -2‹›
      ‹2›│‹› ‹2›  8‹›   impl Config {
      ‹2›│‹› ‹2›  9‹› ‹31›−‹› ‹31›    pub fn load(path: &Path) -> Config {‹›
      ‹2›│‹› ‹2›  9‹› ‹32›+‹› ‹32›    pub fn load(path: &Path) -> ‹›‹7;32›Result<‹›‹32›Config‹›‹7;32›, ConfigError>‹›‹32› {‹›
      ‹2›│‹› ‹2› 10‹› ‹31›−‹› ‹31›        let text = fs::read_to_string(path)‹›‹7;31›.unwrap()‹›‹31›;‹›
      ‹2›│‹› ‹2› 10‹› ‹32›+‹› ‹32›        let text = fs::read_to_string(path)‹›‹7;32›?‹›‹32›;‹›
      ‹2›│‹› ‹2› 11‹›           parse(&text)
      ‹2›│‹› ‹2›  ⋮‹›
      ‹2›│‹› ‹2›118‹›       /// 漢字 are two columns wide, é is one, and 👩‍💻 is two.
      ‹2›│‹› ‹2›119‹› ‹32›+‹› ‹32›    #[must_use]‹›
      ‹2›│‹› ‹2›119‹›       pub fn width(&self) -> usize {
    ");
    insta::assert_snapshot!(ascii(&card, 40), @r"
    * edit  src/config.rs   +3 | -2
      |   8   impl Config {
      |   9 -     pub fn load(path: &Path...
      |   9 +     pub fn load(path: &Path...
      |  10 -         let text = fs::read...
      |  10 +         let text = fs::read...
      |  11           parse(&text)
      |   :
      | 118       /// \u{6f22}\u{5b57} ar...
      | 119 +     #[must_use]
      | 119       pub fn width(&self) -> ...
    ");
}

#[test]
fn table_at_both_widths() {
    let card = samples::table();
    insta::assert_snapshot!(plain(&card, 80), @r"
    ● query_database  select * from people order by id   main · read only
      │  id  name               score  remark
      │ ───  ────────────  ──────────  ─────────────────────────────────────────────
      │   1  Ada Lovelace     1815.50  wrote the first program for a machine that w…
      │  20  山田太郎               9  表の幅
      │ 300  Noether       -12345.678
      │ … 120 more rows
    ");
    insta::assert_snapshot!(plain(&card, 40), @r"
    ● query_database  select * from…   main
      │  id  name           score  remark
      │ ───  ────────  ──────────  ─────────
      │   1  Ada Lov…     1815.50  wrote th…
      │  20  山田太郎           9  表の幅
      │ 300  Noether   -12345.678
      │ … 120 more rows
    ");
    insta::assert_snapshot!(coloured(&card, 80), @r"
    ‹32›●‹› ‹1›query_database‹›  select * from people order by id   ‹2›main · ‹›‹32›read only‹›
      ‹2›│‹›  ‹1›id‹›  ‹1›name‹›               ‹1›score‹›  ‹1›remark‹›
      ‹2›│‹› ‹2›───‹›  ‹2›────────────‹›  ‹2›──────────‹›  ‹2›─────────────────────────────────────────────‹›
      ‹2›│‹›   1  Ada Lovelace     1815.50  wrote the first program for a machine that w‹2›…‹›
      ‹2›│‹›  20  山田太郎               9  表の幅
      ‹2›│‹› 300  Noether       -12345.678
      ‹2›│‹› ‹2›… 120 more rows‹›
    ");
    insta::assert_snapshot!(ascii(&card, 40), @r"
    * query_database  select * fr...   main
      |  id  name           score  remark
      | ---  --------  ----------  ---------
      |   1  Ada L...     1815.50  wrote ...
      |  20  ...                9  ...
      | 300  Noether   -12345.678
      | ... 120 more rows
    ");
}

#[test]
fn image_at_both_widths() {
    let card = samples::image();
    insta::assert_snapshot!(plain(&card, 80), @r"
    ● read  assets/logo.png
      │ [image image/png 640×480, the logo on white]
    ");
    insta::assert_snapshot!(plain(&card, 40), @r"
    ● read  assets/logo.png
      │ [image image/png 640×480, the logo …
    ");
    insta::assert_snapshot!(coloured(&card, 80), @r"
    ● ‹1›read‹›  assets/logo.png
      ‹2›│‹› ‹2›[image image/png 640×480, the logo on white]‹›
    ");
    insta::assert_snapshot!(ascii(&card, 40), @r"
    * read  assets/logo.png
      | [image image/png 640x480, the log...
    ");
}

#[test]
fn pairs_at_both_widths() {
    let card = samples::pairs();
    insta::assert_snapshot!(plain(&card, 80), @r"
    ● approve  bash   asks
      │ command     # list files
      │             rm -r build
      │             ls -la
      │ folder      /home/ada/project/with/a/path/that/is/longer/than/the/line/allo…
      │ time limit  600 s
    ");
    insta::assert_snapshot!(plain(&card, 40), @r"
    ● approve  bash   asks
      │ command     # list files
      │             rm -r build
      │             ls -la
      │ folder      /home/ada/project/with/…
      │ time limit  600 s
    ");
    insta::assert_snapshot!(coloured(&card, 80), @r"
    ‹33›●‹› ‹1›approve‹›  bash   ‹33›asks‹›
      ‹2›│‹› ‹36›command‹›     # list files
      ‹2›│‹›             rm -r build
      ‹2›│‹›             ls -la
      ‹2›│‹› ‹36›folder‹›      /home/ada/project/with/a/path/that/is/longer/than/the/line/allo‹2›…‹›
      ‹2›│‹› ‹36›time limit‹›  600 s
    ");
    insta::assert_snapshot!(ascii(&card, 40), @r"
    * approve  bash   asks
      | command     # list files
      |             rm -r build
      |             ls -la
      | folder      /home/ada/project/wit...
      | time limit  600 s
    ");
}

#[test]
fn progress_at_both_widths() {
    let card = samples::progress();
    insta::assert_snapshot!(plain(&card, 80), @r"
    ● grep  TODO in src/   running
      │ files  ━━━━━─────────────────  300/1200
      │ matches  17
    ");
    insta::assert_snapshot!(plain(&card, 40), @r"
    ● grep  TODO in src/   running
      │ files  ━━──────  300/1200
      │ matches  17
    ");
    insta::assert_snapshot!(coloured(&card, 80), @r"
    ● ‹1›grep‹›  TODO in src/   ‹2›running‹›
      ‹2›│‹› files  ‹32›━━━━━‹›‹2›─────────────────‹›  ‹2›300/1200‹›
      ‹2›│‹› matches  ‹2›17‹›
    ");
    insta::assert_snapshot!(ascii(&card, 40), @r"
    * grep  TODO in src/   running
      | files  ##......  300/1200
      | matches  17
    ");
}

#[test]
fn notices_at_both_widths() {
    let card = samples::notices();
    insta::assert_snapshot!(plain(&card, 80), @r"
    ● write  notes/a.txt   failed
      │ note: the folder was made
      │ warning: the file had DOS line ends; they were kept as they are
      │ error: notes/a.txt changed since it was read; read it again before writing
      │        it whole
    ");
    insta::assert_snapshot!(plain(&card, 40), @r"
    ● write  notes/a.txt   failed
      │ note: the folder was made
      │ warning: the file had DOS line ends;
      │          they were kept as they are
      │ error: notes/a.txt changed since it
      │        was read; read it again
      │        before writing it whole
    ");
    insta::assert_snapshot!(coloured(&card, 80), @r"
    ‹31›●‹› ‹1›write‹›  notes/a.txt   ‹31›failed‹›
      ‹2›│‹› ‹2›note:‹› the folder was made
      ‹2›│‹› ‹33›warning:‹› the file had DOS line ends; they were kept as they are
      ‹2›│‹› ‹31›error:‹› notes/a.txt changed since it was read; read it again before writing
      ‹2›│‹›        it whole
    ");
    insta::assert_snapshot!(ascii(&card, 40), @r"
    * write  notes/a.txt   failed
      | note: the folder was made
      | warning: the file had DOS line ends;
      |          they were kept as they are
      | error: notes/a.txt changed since it
      |        was read; read it again
      |        before writing it whole
    ");
}

#[test]
fn expanded_text_hides_nothing() {
    let long = "x".repeat(100);
    let text = (1..=60)
        .map(|n| format!("{n} {long}\n"))
        .collect::<String>();
    let card = ToolCard::new("bash", format!("echo {long}; rm -r build"))
        .block(Block::Text { text: text.clone() });
    let drawn = expanded(&card, 40);
    let joined: String = drawn
        .lines()
        .map(|line| line.trim_start_matches([' ', '│']))
        .collect();
    assert!(joined.contains("rm -r build"), "{drawn}");
    assert_eq!(joined.matches('x').count(), 61 * 100);
    assert!(!drawn.contains('…'), "{drawn}");
}

#[test]
fn an_expanded_table_goes_on_inside_its_cells() {
    insta::assert_snapshot!(expanded(&samples::table(), 44), @r"
    ● query_database  select * from people order
      │                by id
      │ main
      │ read only
      │  id  name             score  remark
      │ ───  ──────────  ──────────  ───────────
      │   1  Ada            1815.50  wrote the
      │      Lovelace                first
      │                              program for
      │                              a machine
      │                              that was
      │                              never built
      │  20  山田太郎             9  表の幅
      │ 300  Noether     -12345.678
      │ … 120 more rows
    ");
}

#[test]
fn a_block_one_line_too_long_is_shown_whole() {
    let options = CardText {
        max_body_lines: 3,
        ..CardText::default()
    };
    let block = |lines: usize| {
        ToolCard::new("read", "a").block(Block::Text {
            text: "a\n".repeat(lines),
        })
    };
    assert_eq!(draw_text(&block(4), &options).matches("│ a").count(), 4);
    assert!(draw_text(&block(5), &options).contains("… 2 more lines"));
}

#[test]
fn a_long_value_is_cut_and_says_so() {
    let pair = KeyValue {
        key: "command".into(),
        value: "echo\n".repeat(50),
    };
    let card = ToolCard::new("approve", "bash").block(Block::KeyValues { pairs: vec![pair] });
    assert!(plain(&card, 40).ends_with("  │          … 34 more lines\n"));
    assert_eq!(expanded(&card, 40).matches("echo").count(), 50);
}

#[test]
fn b028_numbers_stand_as_given() {
    let code = |first| {
        let block = Block::Code {
            text: "a".into(),
            language: String::new(),
            first_line_1based: first,
        };
        plain(&ToolCard::new("read", "a").block(block), 40)
    };
    insta::assert_snapshot!(code(Some(7)), @r"
    ● read  a
      │ 7  a
    ");
    insta::assert_snapshot!(code(None), @r"
    ● read  a
      │ a
    ");
    assert!(code(Some(u64::MAX)).contains("18446744073709551615  a"));
    let row = ["007", "1e3", "0x10", "-0", "12345678901234567890"].map(samples::cell);
    let table = Block::Table {
        columns: vec![],
        rows: vec![row.into()],
        omitted_rows: 0,
    };
    let drawn = plain(&ToolCard::new("query_database", "").block(table), 80);
    assert!(
        drawn.contains("007  1e3  0x10  -0  12345678901234567890"),
        "{drawn}"
    );
}

#[test]
fn numbers_of_a_table_outlive_its_text() {
    let row = [samples::cell("1234567"), samples::cell(&"word ".repeat(20))];
    let table = Block::Table {
        columns: vec!["n".into(), "t".into()],
        rows: vec![row.into()],
        omitted_rows: 0,
    };
    let drawn = plain(&ToolCard::new("query_database", "").block(table), 24);
    assert!(drawn.contains("1234567  word word …"), "{drawn}");
}

#[test]
fn columns_without_room_are_counted() {
    let names = (0..30).map(|n| format!("column{n}")).collect();
    let table = Block::Table {
        columns: names,
        rows: vec![],
        omitted_rows: 1,
    };
    insta::assert_snapshot!(plain(&ToolCard::new("query_database", "").block(table), 40), @r"
    ● query_database
      │ col…  col…  col…  col…  col…  colum…
      │ ────  ────  ────  ────  ────  ──────
      │ … 1 more row
      │ … 24 more columns
    ");
}

#[test]
fn progress_beyond_its_total_keeps_its_bar() {
    let card = ToolCard::new("grep", "x").block(Block::Progress(Progress {
        label: "files".into(),
        done: u64::MAX,
        total: Some(3),
    }));
    insta::assert_snapshot!(plain(&card, 60), @r"
    ● grep  x
      │ files  ━━━━━━━━━━  18446744073709551615/3
    ");
}

#[test]
fn the_bullet_has_the_gravest_tone() {
    let card = ToolCard::new("a", "")
        .badge("fine", Tone::Good)
        .badge("lost", Tone::Bad);
    insta::assert_snapshot!(coloured(&card, 40), @"‹31›●‹› ‹1›a‹›   ‹32›fine‹›‹2› · ‹›‹31›lost‹›");
}

#[test]
fn only_the_sixteen_colours_are_used() {
    for (name, card) in samples::all() {
        let drawn = draw_text(
            &card,
            &CardText {
                colour: true,
                ..CardText::default()
            },
        );
        for code in drawn.split("\x1b[").skip(1) {
            let code = code.split('m').next().unwrap();
            assert!(
                [
                    "0", "1", "2", "31", "32", "33", "35", "36", "7;31", "7;32", "7;35"
                ]
                .contains(&code),
                "{name}: {code}"
            );
        }
        let without = draw_text(&card, &CardText::default());
        assert!(!without.contains('\x1b'), "{name}");
    }
}
