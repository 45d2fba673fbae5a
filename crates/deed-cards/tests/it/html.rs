use deed_cards::{CARD_CSS, draw_html};
use deed_protocol::{Block, ToolCard};

use crate::hostile::everywhere;
use crate::samples;

const ELEMENTS: [&str; 29] = [
    "article",
    "header",
    "strong",
    "code",
    "span",
    "pre",
    "figure",
    "figcaption",
    "ins",
    "del",
    "mark",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "p",
    "img",
    "dl",
    "dt",
    "dd",
    "label",
    "progress",
    "br",
    "h3",
    "ul",
    "li",
    "small",
];

/// The tags of a page, each without its angle brackets; fails on a bare `<` or `>`.
fn tags(page: &str) -> Vec<&str> {
    let mut tags = Vec::new();
    let mut rest = page;
    while let Some((before, after)) = rest.split_once('<') {
        assert!(!before.contains('>'), "{before}");
        let (tag, later) = after.split_once('>').unwrap();
        tags.push(tag);
        rest = later;
    }
    assert!(!rest.contains('>'));
    tags
}

#[test]
fn cards_as_pages() {
    insta::assert_snapshot!(draw_html(&samples::code()), @r#"
    <article class="card"><header class="card-header"><strong class="card-title">read</strong> <code class="card-subject">crates/deed/src/main.rs:96-103</code> <span class="card-badge">8 lines</span></header><pre class="card-code"><code class="card-lines" data-language="rust"><span class="card-line"><span class="card-line-number">96</span> <span class="card-comment">/// Reads a line; `None` at the end.</span>
    </span><span class="card-line"><span class="card-line-number">97</span> <span class="card-keyword">pub</span> <span class="card-keyword">fn</span> read_line<span class="card-punctuation">&lt;</span><span class="card-type">&#39;a</span><span class="card-punctuation">&gt;(</span>input<span class="card-punctuation">:</span> <span class="card-punctuation">&amp;</span><span class="card-type">&#39;a</span> <span class="card-punctuation">[</span><span class="card-type">u8</span><span class="card-punctuation">])</span> <span class="card-punctuation">-&gt;</span> <span class="card-type">Option</span><span class="card-punctuation">&lt;&amp;</span><span class="card-type">&#39;a</span> <span class="card-type">str</span><span class="card-punctuation">&gt;</span> <span class="card-punctuation">{</span>
    </span><span class="card-line"><span class="card-line-number">98</span>     <span class="card-keyword">let</span> end <span class="card-punctuation">=</span> <span class="card-function">memchr</span><span class="card-punctuation">(</span>b<span class="card-string">&#39;\n&#39;</span><span class="card-punctuation">,</span> input<span class="card-punctuation">).</span><span class="card-function">unwrap_or</span><span class="card-punctuation">(</span><span class="card-number">0x1F_usize</span><span class="card-punctuation">);</span>
    </span><span class="card-line"><span class="card-line-number">99</span>     <span class="card-comment">/* block</span>
    </span><span class="card-line"><span class="card-line-number">100</span> <span class="card-comment">       comment */</span> <span class="card-keyword">let</span> raw <span class="card-punctuation">=</span> <span class="card-string">r#&quot;a &quot;raw&quot; string&quot;#</span><span class="card-punctuation">;</span>
    </span><span class="card-line"><span class="card-line-number">101</span>     <span class="card-function">println</span><span class="card-punctuation">!(</span><span class="card-string">&quot;{raw}: a rather long line of code that does not fit into eighty columns at all&quot;</span><span class="card-punctuation">);</span>
    </span><span class="card-line"><span class="card-line-number">102</span>     <span class="card-type">str</span><span class="card-punctuation">::</span><span class="card-function">from_utf8</span><span class="card-punctuation">(&amp;</span>input<span class="card-punctuation">[..</span>end<span class="card-punctuation">]).</span><span class="card-function">ok</span><span class="card-punctuation">()</span>
    </span><span class="card-line"><span class="card-line-number">103</span> <span class="card-punctuation">}</span>
    </span></code></pre></article>
    "#);
    insta::assert_snapshot!(draw_html(&samples::diff()), @r#"
    <article class="card"><header class="card-header card-good"><strong class="card-title">edit</strong> <code class="card-subject">src/config.rs</code> <span class="card-badge card-good">+3</span> <span class="card-badge">-2</span></header><figure class="card-diff"><pre class="card-code"><span class="card-line"><span class="card-line-number">8</span> <span class="card-sign">  </span>impl Config {
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
    "#);
    insta::assert_snapshot!(draw_html(&samples::table()), @r#"<article class="card"><header class="card-header card-good"><strong class="card-title">query_database</strong> <code class="card-subject">select * from people order by id</code> <span class="card-badge">main</span> <span class="card-badge card-good">read only</span></header><table class="card-table"><thead><tr><th class="card-right" scope="col">id</th><th scope="col">name</th><th class="card-right" scope="col">score</th><th scope="col">remark</th></tr></thead><tbody><tr><td class="card-right">1</td><td>Ada Lovelace</td><td class="card-right">1815.50</td><td>wrote the first program for a machine that was never built</td></tr><tr><td class="card-right">20</td><td>山田太郎</td><td class="card-right">9</td><td>表の幅</td></tr><tr><td class="card-right">300</td><td>Noether</td><td class="card-right">-12345.678</td><td></td></tr></tbody></table><p class="card-more">… 120 more rows</p></article>"#);
    insta::assert_snapshot!(draw_html(&samples::image()), @r#"<article class="card"><header class="card-header"><strong class="card-title">read</strong> <code class="card-subject">assets/logo.png</code></header><figure class="card-image"><img class="card-picture" src="data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAoAAAAHgCAYAAAA=" alt="the logo on white" width="640" height="480"><figcaption class="card-caption">the logo on white</figcaption></figure></article>"#);
    insta::assert_snapshot!(draw_html(&samples::pairs()), @r#"
    <article class="card"><header class="card-header card-warning"><strong class="card-title">approve</strong> <code class="card-subject">bash</code> <span class="card-badge card-warning">asks</span></header><dl class="card-pairs"><dt>command</dt><dd># list files
    rm -r build
    ls -la</dd><dt>folder</dt><dd>/home/ada/project/with/a/path/that/is/longer/than/the/line/allows/it</dd><dt>time limit</dt><dd>600 s</dd></dl></article>
    "#);
    insta::assert_snapshot!(draw_html(&samples::progress()), @r#"<article class="card"><header class="card-header"><strong class="card-title">grep</strong> <code class="card-subject">TODO in src/</code> <span class="card-badge">running</span></header><p class="card-progress"><label>files <progress class="card-bar" value="300" max="1200"></progress> <span class="card-muted">300/1200</span></label></p><p class="card-progress"><label>matches <span class="card-muted">17</span></label></p></article>"#);
    insta::assert_snapshot!(draw_html(&samples::notices()), @r#"<article class="card"><header class="card-header card-bad"><strong class="card-title">write</strong> <code class="card-subject">notes/a.txt</code> <span class="card-badge card-bad">failed</span></header><p class="card-notice card-muted" role="note"><strong>note:</strong> the folder was made</p><p class="card-notice card-warning" role="note"><strong>warning:</strong> the file had DOS line ends; they were kept as they are</p><p class="card-notice card-bad" role="note"><strong>error:</strong> notes/a.txt changed since it was read; read it again before writing it whole</p></article>"#);
}

#[test]
fn markup_of_a_card_is_text() {
    let hostile = [
        "<script>alert(1)</script>",
        "\"><img src=x onerror=alert(1)>",
        "' onmouseover='x",
        "</pre></article><iframe>",
        "&lt;b&gt;&#60;",
        "javascript:alert(1)",
    ];
    for text in hostile {
        let page = draw_html(&everywhere(text));
        let mut open = Vec::new();
        for tag in tags(&page) {
            let name = tag.trim_start_matches('/').split(' ').next().unwrap();
            assert!(ELEMENTS.contains(&name), "{tag}");
            let harmless =
                !tag.contains(" on") && !tag.contains("style=") && !tag.contains("javascript:\"");
            assert!(harmless || tag.starts_with("img"), "{tag}");
            match tag.strip_prefix('/') {
                Some(name) => assert_eq!(open.pop(), Some(name), "{page}"),
                None if name != "img" => open.push(name),
                None => {}
            }
        }
        assert!(open.is_empty(), "{open:?}");
        assert!(
            !page.contains(text) || text.starts_with("javascript"),
            "{text}"
        );
    }
}

#[test]
fn attributes_hold_nothing_but_what_they_should() {
    let page = draw_html(&everywhere("\" onload=\"x' <"));
    for tag in tags(&page).iter().filter(|tag| tag.starts_with("img")) {
        let quotes = tag.matches('"').count();
        assert_eq!(quotes % 2, 0, "{tag}");
        let outside: String = tag.split('"').step_by(2).collect();
        assert!(!outside.contains("onload"), "{tag}");
    }
}

#[test]
fn only_well_formed_pictures_are_embedded() {
    let page = |data: &str, mime: &str| {
        let block = Block::Image {
            data: data.into(),
            mime_type: mime.into(),
            alt: "x".into(),
        };
        draw_html(&ToolCard::new("read", "a").block(block))
    };
    let known = [
        ("iVBORw0KGgo=", "image/png"),
        ("/9j/", "image/jpeg"),
        ("R0lGODdh", "image/gif"),
        ("R0lGODlh", "image/gif"),
        ("UklGRgAAAABXRUJQ", "image/webp"),
    ];
    for (data, mime) in known {
        // What it was called may be another of the four.
        for called in [mime, "image/png", "image/webp"] {
            let source = format!("src=\"data:{mime};base64,{data}\"");
            assert!(page(data, called).contains(&source), "{mime} as {called}");
        }
    }
    let refused = [
        ("iVBORw0KGgo=", "image/svg+xml"),
        ("iVBORw0KGgo=", "text/html"),
        ("iVBORw0KGgo=", "IMAGE/PNG"),
        ("iVBORw0KGgo=", "image/png\" onload=\"x"),
        ("iVBORw0KGgo=\"", "image/png"),
        ("iVBORw0KGgo", "image/png"),
        ("AAAA", "image/png"),
        ("PHN2Zz48c2NyaXB0Pg==", "image/png"),
        ("UklGRgAAAABXQVZF", "image/webp"),
        ("AAA", "image/png"),
        ("", "image/png"),
        ("====", "image/png"),
        ("A===", "image/png"),
        ("AA\nA", "image/png"),
        ("AA\"A", "image/png"),
        ("AA=A", "image/png"),
        ("é==", "image/png"),
    ];
    for (data, mime) in refused {
        let page = page(data, mime);
        assert!(
            !page.contains("<img") && page.contains("[image "),
            "{data:?} {mime}: {page}"
        );
    }
}

#[test]
fn every_class_that_needs_a_colour_has_one() {
    assert!(CARD_CSS.contains("prefers-color-scheme: dark"));
    let pages: String = samples::all()
        .iter()
        .map(|(_, card)| draw_html(card))
        .collect();
    let unstyled = [
        "card-title",
        "card-lines",
        "card-bar",
        "card-punctuation",
        "card-diff",
    ];
    for part in pages.split("class=\"").skip(1) {
        for class in part.split('"').next().unwrap().split(' ') {
            let known = CARD_CSS.contains(&format!(".{class}"));
            assert!(known || unstyled.contains(&class), "{class}");
        }
    }
}

#[test]
fn a_tab_stays_and_lines_keep_their_ends() {
    let block = Block::Text {
        text: "a\tb\n\nc\n".into(),
    };
    let page = draw_html(&ToolCard::new("bash", "").block(block));
    assert!(
        page.contains("<pre class=\"card-text\">a\tb\n\nc</pre>"),
        "{page}"
    );
    // A browser drops the first line end of the element.
    let block = Block::Text {
        text: "\n\na".into(),
    };
    let page = draw_html(&ToolCard::new("bash", "").block(block));
    assert!(
        page.contains("<pre class=\"card-text\">\n\n\na</pre>"),
        "{page}"
    );
}
