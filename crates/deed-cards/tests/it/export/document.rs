use deed_cards::ExportFormat::Markdown;
use deed_cards::{ExportHead, ExportItem, SummaryOf};
use deed_protocol::{Block, KeyValue, NoticeLevel, ToolCard, UserContent};

use super::sample::{Session, head};
use super::{export, export_items};
use crate::samples;

/// What stands below the heading of one item.
fn drawn(item: ExportItem<'_>) -> String {
    let document = export_items(Markdown, &[item]);
    let (_, below) = document.split_once("### ").unwrap();
    below.split_once("\n\n").unwrap().1.to_owned()
}

fn answer(text: &str) -> String {
    drawn(ExportItem::Answer(text))
}

fn prompt(text: &str) -> String {
    let content = UserContent::Text(text.into());
    let document = export_items(Markdown, &[ExportItem::Prompt(&content)]);
    document.split_once("## Prompt 1\n\n").unwrap().1.to_owned()
}

fn card(card: &ToolCard) -> String {
    drawn(ExportItem::Call {
        card,
        result_id: "",
    })
}

#[test]
fn a_small_session() {
    let session = Session::new();
    let document = export(Markdown, &head(), &session.items());
    insta::assert_snapshot!(document, @r#"
    # Fix the parser

    - session: `0198f3a2-77aa-7000-8000-5f0d4c2b1a90`
    - started: 2026-11-30 21:12:12 UTC
    - folder: `~/parser`
    - messages: 9
    - tool calls: 2, 1 failed
    - tokens: 1,200 read, 345 written, 98,765 from the cache
    - cost: $0.0123

    *model: `anthropic/some-model`*

    ## Prompt 1

    *2026-11-30 21:12:13 UTC*

    Fix the parser.

        it drops <the> last line

    \[image image/png 640×480\]

    ### Assistant

    > *Thinking*
    >
    > It is the `memchr`.

    #### Plan

    The **parser** drops the last line; see [the issue](https://example.org/7) and `read_line`.

    ```rust
    let end = memchr(b'\n', input);
    ```

    | file | lines |
    |------|------:|
    | a.rs | 12 |

    1. fix it
    2. test it
       - [x] by hand

    > **edit** `src/config.rs` · +3 · -2
    >
    > ```diff
    >  impl Config {
    > -    pub fn load(path: &Path) -> Config {
    > +    pub fn load(path: &Path) -> Result<Config, ConfigError> {
    > -        let text = fs::read_to_string(path).unwrap();
    > +        let text = fs::read_to_string(path)?;
    >          parse(&text)
    > ⋮
    >      /// 漢字 are two columns wide, é is one, and 👩‍💻 is two.
    > +    #[must_use]
    >      pub fn width(&self) -> usize {
    > ```

    > **bash** `cargo test` · exit 101
    >
    > ```
    > test case_1 ... ok
    > test case_2 ... ok
    > test case_3 ... ok
    > test case_4 ... ok
    > test case_5 ... ok
    > test case_6 ... ok
    > test case_7 ... ok
    > test case_8 ... ok
    > test case_9 ... ok
    > test case_10 ... ok
    > test case_11 ... ok
    > test case_12 ... ok
    > test case_13 ... ok
    > test case_14 ... ok
    > test case_15 ... ok
    > test case_16 ... ok
    > test case_17 ... ok
    > test case_18 ... ok
    > test case_19 ... ok
    > test case_20 ... ok
    > ```

    > *Thinking*
    >
    > The provider withheld this thought.

    > **error:** the connection was lost

    ### Command of a person

    > **command** `git status` · exit 0 · not shown to the model
    >
    > ```
    > clean
    > ```
    >
    > **note:** the output is cut; all of it was saved in /tmp/out.txt

    ### Message of kind ci

    CI is **red**

    ### Summary of what came before, 123,456 tokens

    > They fixed *it*.

    ## Prompt 2

    *2026-11-30 21:12:23 UTC*

    And *now*?

    ### Assistant

    Done.
    "#);
}

#[test]
fn an_empty_session() {
    let head = ExportHead {
        title: "\n a_b *c* #\nmore",
        ..ExportHead::default()
    };
    insta::assert_snapshot!(export(Markdown, &head, &[]), @r#"
    # a_b \*c\* \#

    - messages: 0
    - tool calls: 0
    "#);
}

#[test]
fn cards_of_each_kind() {
    let cards: Vec<_> = samples::all()
        .iter()
        .filter(|(name, _)| !matches!(*name, "text" | "diff"))
        .map(|(_, sample)| card(sample))
        .collect();
    insta::assert_snapshot!(cards.join("\n"), @r##"
    > **read** `crates/deed/src/main.rs:96-103` · 8 lines
    >
    > ```rust
    > /// Reads a line; `None` at the end.
    > pub fn read_line<'a>(input: &'a [u8]) -> Option<&'a str> {
    >     let end = memchr(b'\n', input).unwrap_or(0x1F_usize);
    >     /* block
    >        comment */ let raw = r#"a "raw" string"#;
    >     println!("{raw}: a rather long line of code that does not fit into eighty columns at all");
    >     str::from_utf8(&input[..end]).ok()
    > }
    > ```

    > **query_database** `select * from people order by id` · main · read only
    >
    > | id | name | score | remark |
    > | ---: | --- | ---: | --- |
    > | 1 | Ada Lovelace | 1815.50 | wrote the first program for a machine that was never built |
    > | 20 | 山田太郎 | 9 | 表の幅 |
    > | 300 | Noether | -12345.678 |  |
    >
    > … 120 more rows

    > **read** `assets/logo.png`
    >
    > \[image image/png 640×480, the logo on white\]

    > **approve** `bash` · asks
    >
    > command:
    >
    > ```
    > # list files
    > rm -r build
    > ls -la
    > ```
    >
    > folder: `/home/ada/project/with/a/path/that/is/longer/than/the/line/allows/it`
    >
    > time limit: `600 s`

    > **grep** `TODO in src/` · running
    >
    > files: 300/1200
    >
    > matches: 17

    > **write** `notes/a.txt` · failed
    >
    > **note:** the folder was made
    >
    > **warning:** the file had DOS line ends; they were kept as they are
    >
    > **error:** notes/a.txt changed since it was read; read it again before writing it whole
    "##);
}

#[test]
fn a_fence_is_longer_than_any_run_of_backticks_in_it() {
    let text = "```\n`````rust\n``".to_owned();
    let block = ToolCard::new("read", "a`b``").block(Block::Text { text });
    insta::assert_snapshot!(card(&block), @r#"
    > **read** ``` a`b`` ```
    >
    > ``````
    > ```
    > `````rust
    > ``
    > ``````
    "#);
}

#[test]
fn cells_and_values_stand_for_themselves() {
    let value = |value: &str| KeyValue {
        key: "- key".into(),
        value: value.into(),
    };
    let table = Block::Table {
        columns: vec!["a|b".into()],
        rows: vec![
            vec![samples::cell("x\ny"), samples::cell("<b> `c` _d_ e_f")],
            vec![],
        ],
        omitted_rows: 1,
    };
    let pairs = vec![value(""), value("one `line`"), value("two\nlines")];
    let block = ToolCard::new("t", "")
        .block(table)
        .block(Block::KeyValues { pairs });
    insta::assert_snapshot!(card(&block), @r#"
    > **t**
    >
    > | a\|b |  |
    > | --- | --- |
    > | x␊y | \<b\> \`c\` \_d\_ e_f |
    > |  |  |
    >
    > … 1 more row
    >
    > \- key:
    >
    > \- key: `` one `line` ``
    >
    > \- key:
    >
    > ```
    > two
    > lines
    > ```
    "#);
}

#[test]
fn lines_of_a_notice_stay_lines() {
    let item = ExportItem::Notice {
        level: NoticeLevel::Info,
        text: "- a\n1. b\n## c\n\td\n> e",
    };
    let document = export_items(Markdown, &[ExportItem::Answer("x"), item]);
    insta::assert_snapshot!(document.split_once("x\n\n").unwrap().1, @r#"
    > **note:** \- a  
    > 1\. b  
    > \## c  
    > d  
    > \> e
    "#);
}

#[test]
fn headings_of_an_answer_are_below_ours() {
    insta::assert_snapshot!(answer("# a\n## b ##\n### c\n#### d\n###### e\n> # f\n\n- # g\n\n```\n# h\n```"), @r#"
    #### a
    ##### b ##
    ###### c
    ###### d
    ###### e
    > #### f

    - #### g

    ```
    # h
    ```
    "#);
}

#[test]
fn what_acts_is_escaped() {
    let text = "a <b>bold</b> Vec<String> `<i>` \\<u> <!-- c -->\n\n<div>\n\n![d](https://d.example) [![e](e.png)](f.md)\n\n\
                [g](javascript:g) [h](h.rs) <https://i.example> ![j][k] \\![l][k] [m]\n\n[m]: data:m\n";
    insta::assert_snapshot!(answer(text), @r#"
    a \<b>bold\</b> Vec\<String> `<i>` \<u> \<!-- c -->

    \<div>

    \![d](https://d.example) [\![e](e.png)](f.md)

    \[g](javascript:g) [h](h.rs) <https://i.example> \![j][k] \![l][k] \[m]

    \[m]: data:m
    "#);
}

#[test]
fn what_one_text_defines_does_nothing_in_another() {
    let items = [
        "[a]: javascript:x\n[b]: https://b.example/p.png",
        "[a] ![b] [b]",
        "- [x]: data:x\n\n  [X]: vbscript:x",
        "[x] [X]",
        "[y]: java&#115;cript&colon;y",
        "[z]: &#1;https://z.example",
    ];
    let document = export_items(Markdown, &items.map(ExportItem::Answer));
    insta::assert_snapshot!(document.split_once("Assistant\n\n").unwrap().1, @r#"
    \[a]: javascript:x
    [b]: https://b.example/p.png

    [a] \![b] [b]

    - \[x]: data:x

      \[X]: vbscript:x

    [x] [X]

    \[y]: java&#115;cript&colon;y

    \[z]: &#1;https://z.example
    "#);
}

#[test]
fn an_open_fence_is_closed() {
    insta::assert_snapshot!(answer("a\n\n~~~~rust\nfn f() {\n\n```"), @r#"
    a

    ~~~~rust
    fn f() {

    ```
    ~~~~
    "#);
}

#[test]
fn what_cannot_be_contained_is_fenced() {
    insta::assert_snapshot!(answer("    indented\n`a`"), @r#"
    ```
        indented
    `a`
    ```
    "#);
    let deep = format!("{}a", "> ".repeat(65));
    assert_eq!(answer(&deep), format!("```\n{deep}\n```\n"));
    // In a quote the tab reaches less far, and what it indents would be markup.
    let tabbed = "a\n\n\t<img src=x>";
    assert_eq!(answer(tabbed), format!("{tabbed}\n"));
    insta::assert_snapshot!(drawn(ExportItem::Thinking(tabbed)), @r#"
    > *Thinking*
    >
    > ```
    > a
    >
    > 	<img src=x>
    > ```
    "#);
}

#[test]
fn lines_of_a_prompt_stay_lines() {
    insta::assert_snapshot!(prompt("a\nb\n\n\nc\n- d\ne"), @r#"
    a  
    b


    c  
    - d  
    e
    "#);
    assert_eq!(prompt("\n\n  a\n  b\n"), "```\n  a\n  b\n```\n");
}

#[test]
fn what_is_hidden_is_written_out() {
    let text = "a\u{202e}b \x1b[31m\r\nc\rd\u{200b}";
    assert_eq!(answer(text), "a\\u{202e}b ␛[31m\nc␍d\\u{200b}\n");
    let of = SummaryOf::Branch;
    assert_eq!(drawn(ExportItem::Summary { of, text: "\0" }), "> ␀\n");
}
