use std::collections::HashSet;
use std::time::{Duration, Instant};

use deed_cards::{Language, LexState, highlight};

/// Each line with its spans as `‹class text›`.
fn shown(language: &str, text: &str) -> String {
    let mut state = LexState::default();
    let mut out = String::new();
    for line in text.lines() {
        let mut end = 0;
        for span in highlight(language, line, &mut state) {
            out += &line[end..span.range.start];
            let part = &line[span.range.clone()];
            match span.class.name() {
                "punctuation" => out += part,
                class => out += &format!("‹{class} {part}›"),
            }
            end = span.range.end;
        }
        out += &line[end..];
        out += "\n";
    }
    out
}

#[test]
fn rust() {
    let text = r##"#[derive(Debug)] pub struct Point<'a> { x: &'a str, c: char } // note
impl Point<'_> { fn go(&self) -> Option<u8> { /* a /* nested */ b
 still */ let c = '\''; let q = '"'; let l = 'x'; vec![1_000u64, 0xff, 1.5e-3, 0..9] } }
let s = r#"raw " quote
ends here"#; let t = b"bytes\"" ; "open
closed" if x
"##;
    insta::assert_snapshot!(shown("rust", text), @r##"
    #[‹function derive›(‹type Debug›)] ‹keyword pub› ‹keyword struct› ‹type Point›<‹type 'a›> { x: &‹type 'a› ‹type str›, c: ‹type char› } ‹comment // note›
    ‹keyword impl› ‹type Point›<‹type '_›> { ‹keyword fn› ‹function go›(&‹keyword self›) -> ‹type Option›<‹type u8›> { ‹comment /* a /* nested */ b›
    ‹comment  still */› ‹keyword let› c = ‹string '\''›; ‹keyword let› q = ‹string '"'›; ‹keyword let› l = ‹string 'x'›; ‹function vec›![‹number 1_000u64›, ‹number 0xff›, ‹number 1.5e-3›, ‹number 0›..‹number 9›] } }
    ‹keyword let› s = ‹string r#"raw " quote›
    ‹string ends here"#›; ‹keyword let› t = ‹string b"bytes\""› ; ‹string "open›
    ‹string closed"› ‹keyword if› x
    "##);
}

#[test]
fn typescript() {
    let text = r#"import { a } from "./b"; // c
@Component() export class Foo<T> implements Bar { private x?: number = 0x1F }
const re = /["'\/]+/gi.test(s) ? a / b / c : `multi
${line}` as string;
const el = <div className="x">{'y'}</div>
"#;
    insta::assert_snapshot!(shown("typescript", text), @r#"
    ‹keyword import› { a } ‹keyword from› ‹string "./b"›; ‹comment // c›
    ‹keyword @Component›() ‹keyword export› ‹keyword class› ‹type Foo›<‹type T›> ‹keyword implements› ‹type Bar› { ‹keyword private› x?: ‹type number› = ‹number 0x1F› }
    ‹keyword const› re = ‹string /["'\/]+/gi›.‹function test›(s) ? a / b / c : ‹string `multi›
    ‹string ${line}`› ‹keyword as› ‹type string›;
    ‹keyword const› el = <div className=‹string "x"›>{‹string 'y'›}</div>
    "#);
}

#[test]
fn python() {
    let text = r#"@cached
async def f(x: int = 1) -> str:  # c
    """Doc
    'still' doc""" 
    return f"{x}" + rb'y' if None else self.Name
"#;
    insta::assert_snapshot!(shown("python", text), @r#"
    ‹keyword @cached›
    ‹keyword async› ‹keyword def› ‹function f›(x: ‹type int› = ‹number 1›) -> ‹type str›:  ‹comment # c›
        ‹string """Doc›
    ‹string     'still' doc"""› 
        ‹keyword return› ‹string f"{x}"› + ‹string rb'y'› ‹keyword if› ‹keyword None› ‹keyword else› ‹keyword self›.‹type Name›
    "#);
}

#[test]
fn go() {
    let text = r#"func main() { x := `raw
string`; defer fmt.Println("a\"b", 'c', nil) } // c
"#;
    insta::assert_snapshot!(shown("go", text), @r#"
    ‹keyword func› ‹function main›() { x := ‹string `raw›
    ‹string string`›; ‹keyword defer› fmt.‹function Println›(‹string "a\"b"›, ‹string 'c'›, ‹keyword nil›) } ‹comment // c›
    "#);
}

#[test]
fn c() {
    let text = r#"#include <stdio.h>
/* c */ static int main(void) { return L'x' == 0x1p3 ? sizeof(char) : NULL; }
"#;
    insta::assert_snapshot!(shown("c", text), @r"
    ‹keyword #include› <stdio.h>
    ‹comment /* c */› ‹keyword static› ‹type int› ‹function main›(‹type void›) { ‹keyword return› ‹string L'x'› == ‹number 0x1p3› ? ‹keyword sizeof›(‹type char›) : ‹keyword NULL›; }
    ");
}

#[test]
fn cpp() {
    let text = r#"template <typename T> auto f(std::string const& s) -> decltype(s) { return nullptr; }
"#;
    insta::assert_snapshot!(shown("cpp", text), @"‹keyword template› <‹keyword typename› ‹type T›> ‹keyword auto› ‹function f›(std::‹type string› ‹keyword const›& s) -> ‹keyword decltype›(s) { ‹keyword return› ‹keyword nullptr›; }");
}

#[test]
fn java() {
    let text = r#"@Override public final class A extends B { String s = """
  text "block" """; int x = 1_000L; }
"#;
    insta::assert_snapshot!(shown("java", text), @r#"
    ‹keyword @Override› ‹keyword public› ‹keyword final› ‹keyword class› ‹type A› ‹keyword extends› ‹type B› { ‹type String› s = ‹string """›
    ‹string   text "block" """›; ‹type int› x = ‹number 1_000L›; }
    "#);
}

#[test]
fn csharp() {
    let text = r#"public record A(string B) { var s = @"c:\dir"; var t = $"x {y}"; }
"#;
    insta::assert_snapshot!(shown("csharp", text), @r#"‹keyword public› ‹keyword record› ‹function A›(‹type string› ‹type B›) { ‹keyword var› s = ‹string @"c:\dir"›; ‹keyword var› t = ‹string $"x {y}"›; }"#);
}

#[test]
fn kotlin() {
    let text = r#"fun main(): Unit { val s = """raw
text"""; println(s) }
"#;
    insta::assert_snapshot!(shown("kotlin", text), @r#"
    ‹keyword fun› ‹function main›(): ‹type Unit› { ‹keyword val› s = ‹string """raw›
    ‹string text"""›; ‹function println›(s) }
    "#);
}

#[test]
fn swift() {
    let text = r#"@main struct A: View { let x: Int? = nil; func f() throws { guard let y else { return } } }
"#;
    insta::assert_snapshot!(shown("swift", text), @"‹keyword @main› ‹keyword struct› ‹type A›: ‹type View› { ‹keyword let› x: ‹type Int›? = ‹keyword nil›; ‹keyword func› ‹function f›() ‹keyword throws› { ‹keyword guard› ‹keyword let› y ‹keyword else› { ‹keyword return› } } }");
}

#[test]
fn ruby() {
    let text = r##"def hi?(name) # c
  puts <<~TEXT, :sym, @x
    Hello "#{name}"
  TEXT
  x << FOO unless nil
end
"##;
    insta::assert_snapshot!(shown("ruby", text), @r##"
    ‹keyword def› ‹function hi?›(name) ‹comment # c›
      ‹keyword puts› <<~TEXT, ‹name :sym›, ‹name @x›
    ‹string     Hello "#{name}"›
    ‹keyword   TEXT›
      x << FOO ‹keyword unless› ‹keyword nil›
    ‹keyword end›
    "##);
}

#[test]
fn php() {
    let text = r#"function f(int $x): ?string { echo <<<EOT
text $x
EOT;
return null; } # c
"#;
    insta::assert_snapshot!(shown("php", text), @r"
    ‹keyword function› ‹function f›(‹type int› ‹name $x›): ?‹type string› { ‹keyword echo› <<<EOT
    ‹string text $x›
    ‹keyword EOT;›
    ‹keyword return› ‹keyword null›; } ‹comment # c›
    ");
}

#[test]
fn shell() {
    let text = r#"for f in *.rs; do echo "$f ${HOME} it's" 'raw\' # c
  cat <<-'EOF' | grep -v x
if not code "here
EOF
done; echo $? $((1+2)) a#b
"#;
    insta::assert_snapshot!(shown("shell", text), @r#"
    ‹keyword for› f ‹keyword in› *.rs; ‹keyword do› ‹keyword echo› ‹string "$f ${HOME} it's"› ‹string 'raw\'› ‹comment # c›
      cat <<-‹string 'EOF'› | grep -v x
    ‹string if not code "here›
    ‹keyword EOF›
    ‹keyword done›; ‹keyword echo› ‹name $?› $((‹number 1›+‹number 2›)) a#b
    "#);
}

#[test]
fn powershell() {
    let text = r#"function Get-Thing { param($Path) if ($Path -eq "x") { Write-Output 'y' } } # c
"#;
    insta::assert_snapshot!(shown("powershell", text), @r#"‹keyword function› ‹type Get-Thing› { ‹keyword param›(‹name $Path›) ‹keyword if› (‹name $Path› -eq ‹string "x"›) { ‹type Write-Output› ‹string 'y'› } } ‹comment # c›"#);
}

#[test]
fn sql() {
    let text = r#"SELECT count(*), "name" FROM people -- c
WHERE name = 'O''Brien' AND id IN (1, 2.5) /* more
*/ ORDER BY id;
create table t (id bigint not null)
"#;
    insta::assert_snapshot!(shown("sql", text), @r#"
    ‹keyword SELECT› ‹function count›(*), ‹string "name"› ‹keyword FROM› people ‹comment -- c›
    ‹keyword WHERE› name = ‹string 'O''Brien'› ‹keyword AND› id ‹keyword IN› (‹number 1›, ‹number 2.5›) ‹comment /* more›
    ‹comment */› ‹keyword ORDER› ‹keyword BY› id;
    ‹keyword create› ‹keyword table› t (id ‹type bigint› ‹keyword not› ‹keyword null›)
    "#);
}

#[test]
fn json() {
    let text = r#"{"key": "value", "n": -1.5e3, "list": [true, null], "a\"b" : "c:d"}
"#;
    insta::assert_snapshot!(shown("json", text), @r#"{‹name "key"›: ‹string "value"›, ‹name "n"›: -‹number 1.5e3›, ‹name "list"›: [‹keyword true›, ‹keyword null›], ‹name "a\"b"› : ‹string "c:d"›}"#);
}

#[test]
fn yaml() {
    let text = r#"# c
key: value # c
- name: it's "fine"
  url: http://x/#y
  on: true
  list: [1, "two", *ref]
"quoted key": 'x'
"#;
    insta::assert_snapshot!(shown("yaml", text), @r#"
    ‹comment # c›
    ‹name key›: value ‹comment # c›
    - ‹name name›: it's ‹string "fine"›
      ‹name url›: http://x/#y
      ‹name on›: ‹keyword true›
      ‹name list›: [‹number 1›, ‹string "two"›, ‹name *ref›]
    ‹name "quoted key"›: ‹string 'x'›
    "#);
}

#[test]
fn toml() {
    let text = r#"[package] # c
name = "deed"
a.b = { x = 1 }
list = [
  "a",
]
text = """
more"""
"#;
    insta::assert_snapshot!(shown("toml", text), @r#"
    ‹heading [package]› ‹comment # c›
    ‹name name› = ‹string "deed"›
    ‹name a.b› = { x = ‹number 1› }
    ‹name list› = [
      ‹string "a"›,
    ]
    ‹name text› = ‹string """›
    ‹string more"""›
    "#);
}

#[test]
fn ini() {
    let text = r#"[section]
key = value ; c
"#;
    insta::assert_snapshot!(shown("ini", text), @r"
    ‹heading [section]›
    ‹name key› = value ‹comment ; c›
    ");
}

#[test]
fn html() {
    let text = r#"<!doctype html><p class="a
b" hidden>text &amp; &#39; <!-- c
c --></p><script>let x = "</p>";
</script><style>a { color: red; }</style> a < b
"#;
    insta::assert_snapshot!(shown("html", text), @r#"
    <!‹keyword doctype› ‹name html›><‹keyword p› ‹name class›=‹string "a›
    ‹string b"› ‹name hidden›>text ‹number &amp;› ‹number &#39;› ‹comment <!-- c›
    ‹comment c -->›</‹keyword p›><‹keyword script›>‹keyword let› x = ‹string "</p>"›;
    </‹keyword script›><‹keyword style›>a { ‹name color›: red; }</‹keyword style›> a < b
    "#);
}

#[test]
fn xml() {
    let text = r#"<?xml version='1.0'?><a:b c="d"/>
"#;
    insta::assert_snapshot!(shown("xml", text), @r#"<?‹keyword xml› ‹name version›=‹string '1.0'›?><‹keyword a:b› ‹name c›=‹string "d"›/>"#);
}

#[test]
fn css() {
    let text = r#"@media (min-width: 10px) { .a, #b:hover { color: #fff; margin: 0 -1px } } /* c */
"#;
    insta::assert_snapshot!(shown("css", text), @"‹keyword @media› (‹name min-width›: ‹number 10px›) { .a, ‹keyword #b›:hover { ‹name color›: ‹keyword #fff›; ‹name margin›: ‹number 0› -‹number 1px› } } ‹comment /* c */›");
}

#[test]
fn markdown() {
    let text = r#"# Title
Some `code` and **strong** [link](http://x) * 2
- item
> quote
```rust
let x = 1;
```
not code
"#;
    insta::assert_snapshot!(shown("markdown", text), @r"
    ‹heading # Title›
    Some ‹string `code`› and ‹heading **strong**› [link](‹name http://x›) * 2
    - item
    ‹comment > quote›
    ```rust
    ‹keyword let› x = ‹number 1›;
    ```
    not code
    ");
}

#[test]
fn diff() {
    let text = r#"--- a/x
+++ b/x
@@ -1 +1 @@
-old
+new
 same
"#;
    insta::assert_snapshot!(shown("diff", text), @r"
    ‹heading --- a/x›
    ‹heading +++ b/x›
    ‹keyword @@ -1 +1 @@›
    ‹removed -old›
    ‹added +new›
     same
    ");
}

#[test]
fn dockerfile() {
    let text = r#"FROM rust:1 AS build # c
RUN echo "run $HOME" && from
"#;
    insta::assert_snapshot!(shown("dockerfile", text), @r#"
    ‹keyword FROM› rust:‹number 1› AS build ‹comment # c›
    ‹keyword RUN› echo ‹string "run $HOME"› && from
    "#);
}

#[test]
fn make() {
    let text = r#"CC := gcc
all: main.o # c
	$(CC) -o all "x"
ifeq (a,b)
"#;
    insta::assert_snapshot!(shown("make", text), @r#"
    CC := gcc
    ‹function all›: main.o ‹comment # c›
    	$(CC) -o all ‹string "x"›
    ‹keyword ifeq› (a,b)
    "#);
}

#[test]
fn lua() {
    let text = r#"local x = [[multi
line]] -- c
"#;
    insta::assert_snapshot!(shown("lua", text), @r"
    ‹keyword local› x = ‹string [[multi›
    ‹string line]]› ‹comment -- c›
    ");
}

#[test]
fn unknown_languages_are_plain() {
    let mut state = LexState::default();
    assert!(highlight("klingon", "if \"x\" // 1", &mut state).is_empty());
    assert!(highlight("", "if", &mut state).is_empty());
    assert_eq!(state, LexState::default());
}

#[test]
fn names_and_extensions_find_one_language_each() {
    let mut seen = HashSet::new();
    for language in Language::all() {
        for name in [language.name()].iter().chain(language.aliases()) {
            assert!(seen.insert(*name), "{name} stands twice");
            assert_eq!(*name, name.to_lowercase());
            assert_eq!(Language::named(&name.to_uppercase()), Some(language));
            assert_eq!(Language::named(&format!(".{name}")), Some(language));
        }
    }
    for (path, name) in [
        ("src/main.rs", "rust"),
        ("a/b.c/Makefile", "make"),
        ("Dockerfile.dev", "dockerfile"),
        ("C:\\x\\y.TSX", "typescript"),
        ("x.tar.json", "json"),
    ] {
        assert_eq!(
            Language::of_path(path).map(Language::name),
            Some(name),
            "{path}"
        );
    }
    assert_eq!(Language::of_path("LICENSE"), None);
    assert_eq!(Language::of_path(""), None);
}

#[test]
fn hostile_lines_take_linear_time() {
    let parts = [
        "\"", "'", "`", "/", "(/[", "/*", "*/", "<!--", "<a ", "<", "&", "\\", "r#\"", "\"#",
        "<<A ", "**", "](", "``", ": ", "# ", "a", "é", "1e+1", "$", "${", "=", "[", "- ", "''",
        "--[[",
    ];
    // Each reader and each habit of the table is had by one of these.
    let languages = [
        "rust",
        "typescript",
        "ruby",
        "php",
        "shell",
        "yaml",
        "toml",
        "make",
        "lua",
        "html",
        "markdown",
    ];
    let mut lines: Vec<_> = parts
        .iter()
        .map(|part| part.repeat(40_000 / part.len()))
        .collect();
    lines.push(format!("r{}\"{}", "#".repeat(14_000), "\"#".repeat(13_000)));
    for line in &lines {
        for language in languages {
            let started = Instant::now();
            highlight(language, line, &mut LexState::default());
            let spent = started.elapsed();
            // Linear time is some ten milliseconds, quadratic time some ten seconds.
            assert!(
                spent < Duration::from_secs(3),
                "{language} {:.20} {spent:?}",
                line
            );
        }
    }
}
