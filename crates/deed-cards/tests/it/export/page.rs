use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use deed_cards::ExportFormat::Html;
use deed_cards::{ExportEntry, ExportHead, ExportItem};
use deed_protocol::{Block, ContentBlock, ToolCard, UserContent};
use sha2::{Digest, Sha256};

use super::checker::check;
use super::sample::{Session, head};
use super::{answer, export, export_items};

/// What stands between two marks.
fn between<'a>(text: &'a str, start: &str, end: &str) -> &'a str {
    let (_, rest) = text.split_once(start).unwrap();
    rest.split_once(end).unwrap().0
}

#[test]
fn a_small_session() {
    let session = Session::new();
    let page = export(Html, &head(), &session.items());
    check(&page);
    let hash = between(&page, "&#39;sha256-", "&#39;");
    let style = between(&page, "<style>", "</style>");
    assert_eq!(hash, STANDARD.encode(Sha256::digest(style)));
    let shown = page.replace(style, "STYLE").replace(hash, "HASH");
    insta::assert_snapshot!(shown, @r##"
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;; img-src data:; style-src &#39;sha256-HASH&#39;; base-uri &#39;none&#39;; form-action &#39;none&#39;">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta name="referrer" content="no-referrer">
    <title>Fix the parser</title>
    <style>STYLE</style>
    </head>
    <body class="page card-palette">
    <header class="page-head"><h1>Fix the parser</h1><dl class="page-facts"><div><dt>session</dt><dd>0198f3a2-77aa-7000-8000-5f0d4c2b1a90</dd></div><div><dt>started</dt><dd>2026-11-30 21:12:12 UTC</dd></div><div><dt>folder</dt><dd>~/parser</dd></div><div><dt>messages</dt><dd>9</dd></div><div><dt>tool calls</dt><dd>2, 1 failed</dd></div><div><dt>tokens</dt><dd>1,200 read, 345 written, 98,765 from the cache</dd></div><div><dt>cost</dt><dd>$0.0123</dd></div></dl><p class="page-note"><a href="#prompts">List of prompts</a></p></header>
    <main>
    <article class="page-entry" id="entry-a1">
    <p class="page-note">model: <strong>anthropic/some-model</strong></p>
    </article>
    <article class="page-entry page-prompt" id="entry-a2">
    <header class="page-entry-head"><h2 id="prompt-1"><a href="#prompt-1">Prompt 1</a></h2> <a class="page-when" href="#entry-a2"><time class="page-when" datetime="2026-11-30T21:12:13Z">2026-11-30 21:12:13 UTC</time></a></header>
    <div class="page-said">Fix the parser.

        it drops &lt;the&gt; last line</div><figure class="card-image"><img class="card-picture" src="data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAoAAAAHgCAYAAAA=" alt="image image/png 640×480" width="640" height="480"><figcaption class="card-caption">image image/png 640×480</figcaption></figure>
    </article>
    <article class="page-entry page-turn" id="entry-a3">
    <header class="page-entry-head"><h3>Assistant</h3> <a class="page-when" href="#entry-a3"><time class="page-when" datetime="2026-11-30T21:12:14Z">2026-11-30 21:12:14 UTC</time></a></header>
    <details class="page-fold"><summary>Thinking <span class="card-muted">1 line</span></summary><div class="prose"><p>It is the <code>memchr</code>.</p></div></details>
    <div class="prose"><h4>Plan</h4><p>The <strong>parser</strong> drops the last line; see <a href="https://example.org/7" rel="noopener noreferrer">the issue</a> and <code>read_line</code>.</p><pre class="card-code"><code class="card-lines" data-language="rust"><span class="card-line"><span class="card-keyword">let</span> end <span class="card-punctuation">=</span> <span class="card-function">memchr</span><span class="card-punctuation">(</span>b<span class="card-string">&#39;\n&#39;</span><span class="card-punctuation">,</span> input<span class="card-punctuation">);</span>
    </span></code></pre><div class="prose-wide" role="region" aria-label="table" tabindex="0"><table><thead><tr><th scope="col">file</th><th class="prose-right" scope="col">lines</th></tr></thead><tbody><tr><td>a.rs</td><td class="prose-right">12</td></tr></tbody></table></div><ol start="1"><li>fix it</li><li>test it<ul><li><span role="img" aria-label="done">☑</span> by hand</li></ul></li></ol></div>
    <article class="card" id="entry-a4"><header class="card-header card-good"><strong class="card-title">edit</strong> <code class="card-subject">src/config.rs</code> <span class="card-badge card-good">+3</span> <span class="card-badge">-2</span></header><figure class="card-diff"><pre class="card-code"><span class="card-line"><span class="card-line-number">8</span> <span class="card-sign">  </span>impl Config {
    </span><del class="card-line card-removed"><span class="card-line-number">9</span> <span class="card-sign">− </span>    pub fn load(path: &amp;Path) -&gt; Config {
    </del><ins class="card-line card-added"><span class="card-line-number">9</span> <span class="card-sign">+ </span>    pub fn load(path: &amp;Path) -&gt; <mark class="card-word">Result&lt;</mark>Config<mark class="card-word">, ConfigError&gt;</mark> {
    </ins><del class="card-line card-removed"><span class="card-line-number">10</span> <span class="card-sign">− </span>        let text = fs::read_to_string(path)<mark class="card-word">.unwrap()</mark>;
    </del><ins class="card-line card-added"><span class="card-line-number">10</span> <span class="card-sign">+ </span>        let text = fs::read_to_string(path)<mark class="card-word">?</mark>;
    </ins><span class="card-line"><span class="card-line-number">11</span> <span class="card-sign">  </span>        parse(&amp;text)
    </span><span class="card-line card-muted"><span class="card-line-number">⋮</span> <span class="card-sign">  </span>
    </span><span class="card-line"><span class="card-line-number">118</span> <span class="card-sign">  </span>    /// 漢字 are two columns wide, é is one, and 👩‍💻 is two.
    </span><ins class="card-line card-added"><span class="card-line-number">119</span> <span class="card-sign">+ </span>    #[must_use]
    </ins><span class="card-line"><span class="card-line-number">119</span> <span class="card-sign">  </span>    pub fn width(&amp;self) -&gt; usize {
    </span></pre></figure></article>

    </article>
    <article class="page-entry" id="entry-a5">
    <article class="card" id="entry-a6"><details><summary class="card-header card-bad"><strong class="card-title">bash</strong> <code class="card-subject">cargo test</code> <span class="card-badge card-bad">exit 101</span> <span class="card-badge card-size">20 lines</span></summary><pre class="card-text">test case_1 ... ok
    test case_2 ... ok
    test case_3 ... ok
    test case_4 ... ok
    test case_5 ... ok
    test case_6 ... ok
    test case_7 ... ok
    test case_8 ... ok
    test case_9 ... ok
    test case_10 ... ok
    test case_11 ... ok
    test case_12 ... ok
    test case_13 ... ok
    test case_14 ... ok
    test case_15 ... ok
    test case_16 ... ok
    test case_17 ... ok
    test case_18 ... ok
    test case_19 ... ok
    test case_20 ... ok</pre></details></article>

    </article>
    <article class="page-entry" id="entry-a7">
    <p class="card-muted">The provider withheld this thought.</p>
    <p class="card-notice card-bad" role="note"><strong>error:</strong> the connection was lost</p>
    </article>
    <article class="page-entry page-turn" id="entry-a8">
    <header class="page-entry-head"><h3>Command of a person</h3> <a class="page-when" href="#entry-a8"><time class="page-when" datetime="2026-11-30T21:12:20Z">2026-11-30 21:12:20 UTC</time></a></header>
    <article class="card"><header class="card-header card-good"><strong class="card-title">command</strong> <code class="card-subject">git status</code> <span class="card-badge card-good">exit 0</span> <span class="card-badge card-muted">not shown to the model</span></header><pre class="card-text">clean</pre><p class="card-notice card-muted" role="note"><strong>note:</strong> the output is cut; all of it was saved in /tmp/out.txt</p></article>

    </article>
    <article class="page-entry page-turn" id="entry-a9">
    <header class="page-entry-head"><h3>Message of kind ci</h3> <a class="page-when" href="#entry-a9"><time class="page-when" datetime="2026-11-30T21:12:21Z">2026-11-30 21:12:21 UTC</time></a></header>
    <div class="prose"><p>CI is <strong>red</strong></p></div>
    </article>
    <article class="page-entry page-turn" id="entry-b1">
    <header class="page-entry-head"><h3>Summary of what came before, 123,456 tokens</h3> <a class="page-when" href="#entry-b1"><time class="page-when" datetime="2026-11-30T21:12:22Z">2026-11-30 21:12:22 UTC</time></a></header>
    <details class="page-fold"><summary>Summary <span class="card-muted">1 line</span></summary><div class="prose"><p>They fixed <em>it</em>.</p></div></details>
    </article>
    <article class="page-entry page-prompt" id="entry-b2">
    <header class="page-entry-head"><h2 id="prompt-2"><a href="#prompt-2">Prompt 2</a></h2> <a class="page-when" href="#entry-b2"><time class="page-when" datetime="2026-11-30T21:12:23Z">2026-11-30 21:12:23 UTC</time></a></header>
    <div class="page-said">And *now*?</div>
    </article>
    <article class="page-entry page-turn" id="entry-b3">
    <header class="page-entry-head"><h3>Assistant</h3> <a class="page-when" href="#entry-b3"><time class="page-when" datetime="2026-11-30T21:12:24Z">2026-11-30 21:12:24 UTC</time></a></header>
    <div class="prose"><p>Done.</p></div>
    </article>
    </main>
    <nav id="prompts" class="page-prompts" aria-labelledby="prompts-title">
    <h2 id="prompts-title">Prompts</h2>
    <ol>
    <li><a href="#prompt-1">Fix the parser.</a></li>
    <li><a href="#prompt-2">And *now*?</a></li>
    </ol>
    </nav>
    </body>
    </html>
    "##);
}

#[test]
fn an_empty_session() {
    let page = export(Html, &ExportHead::default(), &[]);
    check(&page);
    let (_, body) = page.split_once("<body").unwrap();
    insta::assert_snapshot!(body, @r##"
     class="page card-palette">
    <header class="page-head"><h1>Session</h1><dl class="page-facts"><div><dt>messages</dt><dd>0</dd></div><div><dt>tool calls</dt><dd>0</dd></div></dl><p class="page-note"><a href="#prompts">List of prompts</a></p></header>
    <main>
    </main>
    <nav id="prompts" class="page-prompts" aria-labelledby="prompts-title">
    <h2 id="prompts-title">Prompts</h2>
    <ol>
    </ol>
    </nav>
    </body>
    </html>
    "##);
}

#[test]
fn markdown_of_an_answer() {
    let text = "\
# One\n## Two\n###### Six\n\nUnder\n---\n
a *b* **c** ~~d~~ `e < f` \\*g\\* &amp; h  \ni\nj\n
> quoted\n> > twice\n
3. three\n4. four\n\n   more\n
- tight\n- [ ] open\n- [x] done\n
***\n
    indented\n
```python title=x\ndef f(): pass\n```\n
~~~unknown\n<b>\n~~~";
    insta::assert_snapshot!(answer(text), @r#"
    <h4>One</h4><h5>Two</h5><h6>Six</h6><h5>Under</h5><p>a <em>b</em> <strong>c</strong> <del>d</del> <code>e &lt; f</code> *g* &amp; h<br>i
    j</p><blockquote><p>quoted</p><blockquote><p>twice</p></blockquote></blockquote><ol start="3"><li><p>three</p></li><li><p>four</p><p>more</p></li></ol><ul><li>tight</li><li><span role="img" aria-label="to do">☐</span> open</li><li><span role="img" aria-label="done">☑</span> done</li></ul><hr><pre class="card-code"><code class="card-lines" data-language="plain"><span class="card-line">indented
    </span></code></pre><pre class="card-code"><code class="card-lines" data-language="python"><span class="card-line"><span class="card-keyword">def</span> <span class="card-function">f</span><span class="card-punctuation">():</span> <span class="card-keyword">pass</span>
    </span></code></pre><pre class="card-code"><code class="card-lines" data-language="plain"><span class="card-line">&lt;b&gt;
    </span></code></pre>
    "#);
}

#[test]
fn links_that_lead_to_a_page_are_links() {
    let text = "[a](https://example.org/?q=1&r=\"2\") [b](HTTP://example.org) <https://c.example> \
                <d@example.org> [](https://e.example) [*f*][1]\n\n[1]: mailto:f@example.org 'title'";
    insta::assert_snapshot!(answer(text), @r#"<p><a href="https://example.org/?q=1&amp;r=&quot;2&quot;" rel="noopener noreferrer">a</a> <a href="HTTP://example.org" rel="noopener noreferrer">b</a> <a href="https://c.example" rel="noopener noreferrer">https://c.example</a> <a href="mailto:d@example.org" rel="noopener noreferrer">d@example.org</a> <a href="https://e.example" rel="noopener noreferrer">https://e.example</a> <a href="mailto:f@example.org" rel="noopener noreferrer"><em>f</em></a></p>"#);
}

#[test]
fn other_links_stand_beside_their_words() {
    let text = "[a](src/a.rs:7) [src/b.rs](src/b.rs) [c](#prompt-1) [d](javascript:alert%281%29) \
                [e](//example.org) [f](java&#10;script:x) [g](https:x) [h](<https://e.x/ onclick>) \
                [i](data:text/html,x) <vscode:j>";
    insta::assert_snapshot!(answer(text), @r#"<p>a <code class="prose-target">src/a.rs:7</code> src/b.rs c <code class="prose-target">#prompt-1</code> d <code class="prose-target">javascript:alert%281%29</code> e <code class="prose-target">//example.org</code> f <code class="prose-target">java<span class="card-odd">␊</span>script:x</code> g <code class="prose-target">https:x</code> h <code class="prose-target">https://e.x/ onclick</code> i <code class="prose-target">data:text/html,x</code> vscode:j</p>"#);
    let long = answer(&format!("[a](data:{})", "x".repeat(500)));
    assert_eq!(long.matches('x').count(), 195, "{long}");
    assert!(long.contains("x…</code>"), "{long}");
}

#[test]
fn pictures_in_markdown_are_never_loaded() {
    let text = "![a *b*](https://example.org/a.png) [![c](c.png)](https://example.org) ![](data:image/png;base64,AAAA)";
    insta::assert_snapshot!(answer(text), @r#"<p>[image: a <em>b</em>] <code class="prose-target">https://example.org/a.png</code> <a href="https://example.org" rel="noopener noreferrer">[image: c] <code class="prose-target">c.png</code></a> [image: ] <code class="prose-target">data:image/png;base64,AAAA</code></p>"#);
}

#[test]
fn markup_in_markdown_is_text() {
    let text = "<details open>\n<summary>x</summary>\n\n<b onclick=\"x\">y</b> Vec<String> <!-- z -->\n\n<script>\n\n1\n</script>";
    insta::assert_snapshot!(answer(text), @r#"
    <p class="prose-markup">&lt;details open&gt;
    &lt;summary&gt;x&lt;/summary&gt;
    </p><p>&lt;b onclick=&quot;x&quot;&gt;y&lt;/b&gt; Vec&lt;String&gt; &lt;!-- z --&gt;</p><p class="prose-markup">&lt;script&gt;

    1
    &lt;/script&gt;</p>
    "#);
}

#[test]
fn a_table_keeps_its_sides() {
    let text = "| a | b | c |\n|:--|:-:|--:|\n| 1 | `x\\|y` |\n| 1 | 2 | 3 | 4 |";
    insta::assert_snapshot!(answer(text), @r#"<div class="prose-wide" role="region" aria-label="table" tabindex="0"><table><thead><tr><th scope="col">a</th><th class="prose-center" scope="col">b</th><th class="prose-right" scope="col">c</th></tr></thead><tbody><tr><td>1</td><td class="prose-center"><code>x|y</code></td><td class="prose-right"></td></tr><tr><td>1</td><td class="prose-center">2</td><td class="prose-right">3</td></tr></tbody></table></div>"#);
}

#[test]
fn what_is_nested_too_deep_loses_its_elements_and_nothing_else() {
    let drawn = answer(&format!("{}a *b* `c`", "> ".repeat(60)));
    assert_eq!(drawn.matches("<blockquote>").count(), 32);
    assert!(drawn.contains("a b <code>c</code>"), "{drawn}");
    let drawn = answer(&format!("{}- a\n", "> - ".repeat(25)));
    assert_eq!(drawn.matches("<li>").count(), 11, "{drawn}");
}

#[test]
fn what_would_take_long_to_read_is_plain_text() {
    let deep = format!("{}**a**", "> ".repeat(65));
    let long = "**a** ".repeat(100_000);
    for text in [deep, long] {
        let page = export_items(Html, &[ExportItem::Answer(&text)]);
        check(&page);
        assert!(page.contains("<div class=\"page-said\">"));
        assert!(page.contains("**a**") && !page.contains("<strong>a"));
    }
    let rule = answer(&"- ".repeat(64));
    assert_eq!(rule, "<hr>");
}

#[test]
fn a_long_prompt_is_folded_after_its_start() {
    let lines: Vec<_> = (1..=61).map(|n| format!("line {n}")).collect();
    let prompt = |count: usize| {
        let content = UserContent::Text(lines[..count].join("\n"));
        export_items(Html, &[ExportItem::Prompt(&content)])
    };
    assert!(!prompt(60).contains("<details"));
    let page = prompt(61);
    check(&page);
    let said = between(&page, "</header>\n<div", "</article>");
    let fold = "line 20</div><details class=\"page-fold\"><summary>41 more lines</summary>\
                <div class=\"page-said\">line 21\n";
    assert!(said.contains(fold), "{said}");
}

#[test]
fn a_long_card_is_folded_under_its_header() {
    let page = |text: String| {
        let card = ToolCard::new("bash", "ls").block(Block::Text { text });
        let call = ExportItem::Call {
            card: &card,
            result_id: "",
        };
        export_items(Html, &[call])
    };
    assert!(!page("a\n".repeat(16)).contains("<details"));
    assert!(
        page("a\n".repeat(17)).contains("<span class=\"card-badge card-size\">17 lines</span>")
    );
    assert!(page("a".repeat(9_000)).contains("<span class=\"card-badge card-size\">8 KB</span>"));
}

#[test]
fn items_of_one_entry_share_its_anchor() {
    let entry = |id, text| (ExportEntry { id, at_ms: None }, ExportItem::Answer(text));
    let items = [
        entry("a b", "1"),
        entry("a b", "2"),
        entry("a_b", "3"),
        entry("", "4"),
        entry("", "5"),
        entry("é\"", "6"),
    ];
    let page = export(Html, &ExportHead::default(), &items);
    check(&page);
    let ids: Vec<_> = page
        .split("<article class=")
        .skip(1)
        .map(|article| article.split_once('>').unwrap().0)
        .collect();
    insta::assert_debug_snapshot!(ids, @r#"
    [
        "\"page-entry page-turn\" id=\"entry-a_20b\"",
        "\"page-entry\" id=\"entry-a_5fb\"",
        "\"page-entry\"",
        "\"page-entry\"",
        "\"page-entry\" id=\"entry-_c3_a9_22\"",
    ]
    "#);
}

#[test]
fn prompts_are_listed_by_their_first_words() {
    let long = format!("\n\n  {}\nsecond", "word ".repeat(40));
    let contents = [
        UserContent::Text(long),
        UserContent::Text(" \n ".into()),
        UserContent::Blocks(vec![ContentBlock::image("AAAA", "image/png")]),
        UserContent::Blocks(vec![
            ContentBlock::image("AAAA", "image/png"),
            ContentBlock::text("after\u{202e} <it>"),
        ]),
    ];
    let items: Vec<_> = contents.iter().map(ExportItem::Prompt).collect();
    let page = export_items(Html, &items);
    check(&page);
    insta::assert_snapshot!(between(&page, "<ol>", "</ol>"), @r##"
    <li><a href="#prompt-1">word word word word word word word word word word word word word word word word…</a></li>
    <li><a href="#prompt-2">no text</a></li>
    <li><a href="#prompt-3">a picture</a></li>
    <li><a href="#prompt-4">after<span class="card-odd">\u{202e}</span> &lt;it&gt;</a></li>
    "##);
}

#[test]
fn every_class_has_a_style() {
    let session = Session::new();
    let page = export(Html, &head(), &session.items());
    let style = between(&page, "<style>", "</style>");
    for part in page.split("class=\"").skip(1) {
        for class in part.split('"').next().unwrap().split(' ') {
            let is_known = style.contains(&format!(".{class}"));
            let is_unstyled = ["card-title", "card-lines", "card-punctuation", "card-diff"];
            assert!(is_known || is_unstyled.contains(&class), "{class}");
        }
    }
    for wanted in [
        "prefers-color-scheme: dark",
        "@media print",
        "@media (max-width",
    ] {
        assert!(style.contains(wanted), "{wanted}");
    }
}
