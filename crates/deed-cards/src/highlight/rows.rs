use super::language::{Grammar, Language};
use super::rules::{Habit, Habits, HereDocuments, Keys, Quote, Rules};

/// The table: a language is added by a row here and nothing else.
#[rustfmt::skip] // one word a line would hide the rows
pub(super) static LANGUAGES: &[Language] = &[
    Language {
        name: "rust",
        aliases: &["rs", "ron"],
        grammar: Grammar::Code(Rules {
            keywords: &["as", "async", "await", "break", "const", "continue", "crate", "dyn",
                "else", "enum", "extern", "false", "fn", "for", "gen", "if", "impl", "in", "let",
                "loop", "macro_rules", "match", "mod", "move", "mut", "pub", "ref", "return",
                "self", "static", "struct", "super", "trait", "true", "try", "type", "union",
                "unsafe", "use", "where", "while", "yield"],
            types: &["Self", "bool", "char", "f32", "f64", "i128", "i16", "i32", "i64", "i8",
                "isize", "str", "u128", "u16", "u32", "u64", "u8", "usize"],
            line_comments: &["//"],
            block_comment: Some(("/*", "*/")),
            quotes: &[Quote::long("\""), Quote::verbatim("\"", "\"")],
            string_prefixes: &["b", "br", "c", "cr", "r"],
            habits: Habits::of(&[Habit::NestedComments, Habit::CapitalTypes, Habit::Rust,
                Habit::Calls]),
            ..Rules::PLAIN
        }),
    },
    Language {
        name: "typescript",
        aliases: &["ts", "tsx", "mts", "cts"],
        grammar: Grammar::Code(Rules {
            keywords: &["abstract", "as", "asserts", "async", "await", "break", "case", "catch",
                "class", "const", "constructor", "continue", "debugger", "declare", "default",
                "delete", "do", "else", "enum", "export", "extends", "false", "finally", "for",
                "from", "function", "get", "if", "implements", "import", "in", "infer",
                "instanceof", "interface", "is", "keyof", "let", "module", "namespace", "new",
                "null", "of", "override", "package", "private", "protected", "public", "readonly",
                "require", "return", "satisfies", "set", "static", "super", "switch", "this",
                "throw", "true", "try", "type", "typeof", "undefined", "unique", "using", "var",
                "while", "with", "yield"],
            types: &["any", "bigint", "boolean", "never", "number", "object", "string", "symbol",
                "unknown", "void"],
            line_comments: &["//"],
            block_comment: Some(("/*", "*/")),
            quotes: &[Quote::short("\""), Quote::short("'"), Quote::long("`")],
            sigils: b"",
            word_bytes: b"$",
            habits: Habits::of(&[Habit::CapitalTypes, Habit::Regexes,
                Habit::Directives, Habit::Calls]),
            ..Rules::PLAIN
        }),
    },
    Language {
        name: "javascript",
        aliases: &["js", "jsx", "mjs", "cjs", "node"],
        grammar: Grammar::Code(Rules {
            keywords: &["as", "async", "await", "break", "case", "catch", "class", "const",
                "constructor", "continue", "debugger", "default", "delete", "do", "else", "enum",
                "export", "extends", "false", "finally", "for", "from", "function", "get", "if",
                "import", "in", "instanceof", "let", "new", "null", "of", "require", "return",
                "set", "static", "super", "switch", "this", "throw", "true", "try", "typeof",
                "undefined", "using", "var", "void", "while", "with", "yield"],
            line_comments: &["//"],
            block_comment: Some(("/*", "*/")),
            quotes: &[Quote::short("\""), Quote::short("'"), Quote::long("`")],
            sigils: b"",
            word_bytes: b"$",
            habits: Habits::of(&[Habit::CapitalTypes, Habit::Regexes,
                Habit::Directives, Habit::Calls]),
            ..Rules::PLAIN
        }),
    },
    Language {
        name: "python",
        aliases: &["py", "pyi", "py3", "pyw", "python3"],
        grammar: Grammar::Code(Rules {
            keywords: &["False", "None", "True", "and", "as", "assert", "async", "await", "break",
                "case", "class", "continue", "def", "del", "elif", "else", "except", "finally",
                "for", "from", "global", "if", "import", "in", "is", "lambda", "match", "nonlocal",
                "not", "or", "pass", "raise", "return", "self", "try", "type", "while", "with",
                "yield"],
            types: &["bool", "bytearray", "bytes", "complex", "dict", "float", "frozenset", "int",
                "list", "object", "set", "str", "tuple"],
            line_comments: &["#"],
            quotes: &[Quote::long("\"\"\""), Quote::long("'''"), Quote::short("\""),
                Quote::short("'")],
            string_prefixes: &["B", "BR", "F", "FR", "R", "RB", "U", "b", "br", "f", "fr", "r",
                "rb", "t", "tr", "u"],
            habits: Habits::of(&[Habit::CapitalTypes, Habit::Directives, Habit::Calls]),
            ..Rules::PLAIN
        }),
    },
    Language {
        name: "go",
        aliases: &["golang"],
        grammar: Grammar::Code(Rules {
            keywords: &["break", "case", "chan", "const", "continue", "default", "defer", "else",
                "fallthrough", "false", "for", "func", "go", "goto", "if", "import", "interface",
                "iota", "map", "nil", "package", "range", "return", "select", "struct", "switch",
                "true", "type", "var"],
            types: &["any", "bool", "byte", "comparable", "complex128", "complex64", "error",
                "float32", "float64", "int", "int16", "int32", "int64", "int8", "rune", "string",
                "uint", "uint16", "uint32", "uint64", "uint8", "uintptr"],
            line_comments: &["//"],
            block_comment: Some(("/*", "*/")),
            quotes: &[Quote::short("\""), Quote::short("'"), Quote::verbatim("`", "`")],
            habits: Habits::of(&[Habit::Calls]),
            ..Rules::PLAIN
        }),
    },
    Language {
        name: "c",
        aliases: &["h"],
        grammar: Grammar::Code(Rules {
            keywords: &["NULL", "alignas", "alignof", "asm", "auto", "break", "case", "const",
                "constexpr", "continue", "default", "do", "else", "enum", "extern", "false", "for",
                "goto", "if", "inline", "nullptr", "register", "restrict", "return", "sizeof",
                "static", "static_assert", "struct", "switch", "thread_local", "true", "typedef",
                "typeof", "union", "volatile", "while"],
            types: &["FILE", "bool", "char", "double", "float", "int", "int16_t", "int32_t",
                "int64_t", "int8_t", "intptr_t", "long", "ptrdiff_t", "short", "signed", "size_t",
                "ssize_t", "uint16_t", "uint32_t", "uint64_t", "uint8_t", "uintptr_t", "unsigned",
                "void", "wchar_t"],
            line_comments: &["//"],
            block_comment: Some(("/*", "*/")),
            quotes: &[Quote::short("\""), Quote::short("'")],
            string_prefixes: &["L", "U", "u", "u8"],
            habits: Habits::of(&[Habit::Directives, Habit::Calls]),
            ..Rules::PLAIN
        }),
    },
    Language {
        name: "cpp",
        aliases: &["c++", "cc", "cxx", "hpp", "hh", "hxx", "cu", "ino"],
        grammar: Grammar::Code(Rules {
            keywords: &["NULL", "alignas", "alignof", "and", "asm", "auto", "bitand", "bitor",
                "break", "case", "catch", "class", "co_await", "co_return", "co_yield", "concept",
                "const", "const_cast", "consteval", "constexpr", "constinit", "continue",
                "decltype", "default", "delete", "do", "dynamic_cast", "else", "enum", "explicit",
                "export", "extern", "false", "final", "for", "friend", "goto", "if", "import",
                "inline", "module", "mutable", "namespace", "new", "noexcept", "not", "nullptr",
                "operator", "or", "override", "private", "protected", "public", "register",
                "reinterpret_cast", "requires", "restrict", "return", "sizeof", "static",
                "static_assert", "static_cast", "struct", "switch", "template", "this",
                "thread_local", "throw", "true", "try", "typedef", "typeid", "typename", "typeof",
                "union", "using", "virtual", "volatile", "while", "xor"],
            types: &["FILE", "bool", "char", "char16_t", "char32_t", "char8_t", "double", "float",
                "int", "int16_t", "int32_t", "int64_t", "int8_t", "intptr_t", "long", "ptrdiff_t",
                "short", "signed", "size_t", "ssize_t", "string", "string_view", "uint16_t",
                "uint32_t", "uint64_t", "uint8_t", "uintptr_t", "unsigned", "vector", "void",
                "wchar_t"],
            line_comments: &["//"],
            block_comment: Some(("/*", "*/")),
            quotes: &[Quote::short("\""), Quote::short("'")],
            string_prefixes: &["L", "U", "u", "u8"],
            habits: Habits::of(&[Habit::CapitalTypes, Habit::Directives, Habit::Calls]),
            ..Rules::PLAIN
        }),
    },
    Language {
        name: "java",
        aliases: &[],
        grammar: Grammar::Code(Rules {
            keywords: &["abstract", "assert", "break", "case", "catch", "class", "const",
                "continue", "default", "do", "else", "enum", "exports", "extends", "false", "final",
                "finally", "for", "goto", "if", "implements", "import", "instanceof", "interface",
                "module", "native", "new", "non-sealed", "null", "package", "permits", "private",
                "protected", "public", "record", "requires", "return", "sealed", "static",
                "strictfp", "super", "switch", "synchronized", "this", "throw", "throws",
                "transient", "true", "try", "var", "volatile", "when", "while", "yield"],
            types: &["boolean", "byte", "char", "double", "float", "int", "long", "short", "void"],
            line_comments: &["//"],
            block_comment: Some(("/*", "*/")),
            quotes: &[Quote::long("\"\"\""), Quote::short("\""), Quote::short("'")],
            habits: Habits::of(&[Habit::CapitalTypes, Habit::Directives, Habit::Calls]),
            ..Rules::PLAIN
        }),
    },
    Language {
        name: "csharp",
        aliases: &["cs", "c#", "csx"],
        grammar: Grammar::Code(Rules {
            keywords: &["abstract", "and", "as", "async", "await", "base", "break", "case", "catch",
                "checked", "class", "const", "continue", "default", "delegate", "do", "else",
                "enum", "event", "explicit", "extern", "false", "finally", "fixed", "for",
                "foreach", "get", "goto", "if", "implicit", "in", "init", "interface", "internal",
                "is", "lock", "namespace", "new", "not", "null", "operator", "or", "out",
                "override", "params", "partial", "private", "protected", "public", "readonly",
                "record", "ref", "required", "return", "sealed", "set", "sizeof", "stackalloc",
                "static", "struct", "switch", "this", "throw", "true", "try", "typeof", "unchecked",
                "unsafe", "using", "value", "var", "virtual", "volatile", "when", "where", "while",
                "with", "yield"],
            types: &["bool", "byte", "char", "decimal", "double", "dynamic", "float", "int", "long",
                "nint", "nuint", "object", "sbyte", "short", "string", "uint", "ulong", "ushort",
                "void"],
            line_comments: &["//"],
            block_comment: Some(("/*", "*/")),
            quotes: &[Quote::long("\"\"\""), Quote::verbatim("@\"", "\""), Quote::verbatim("$@\"",
                "\""), Quote {open: "$\"", close: "\"", escapes: true, multi_line: false},
                Quote::short("\""), Quote::short("'")],
            habits: Habits::of(&[Habit::CapitalTypes, Habit::Directives, Habit::Calls]),
            ..Rules::PLAIN
        }),
    },
    Language {
        name: "kotlin",
        aliases: &["kt", "kts"],
        grammar: Grammar::Code(Rules {
            keywords: &["abstract", "actual", "annotation", "as", "break", "by", "catch", "class",
                "companion", "const", "constructor", "continue", "crossinline", "data", "do",
                "else", "enum", "expect", "external", "false", "final", "finally", "for", "fun",
                "get", "if", "import", "in", "infix", "init", "inline", "inner", "interface",
                "internal", "is", "it", "lateinit", "noinline", "null", "object", "open",
                "operator", "out", "override", "package", "private", "protected", "public",
                "reified", "return", "sealed", "set", "super", "suspend", "tailrec", "this",
                "throw", "true", "try", "typealias", "val", "value", "var", "vararg", "when",
                "where", "while"],
            line_comments: &["//"],
            block_comment: Some(("/*", "*/")),
            quotes: &[Quote::long("\"\"\""), Quote::short("\""), Quote::short("'")],
            habits: Habits::of(&[Habit::NestedComments, Habit::CapitalTypes,
                Habit::Directives, Habit::Calls]),
            ..Rules::PLAIN
        }),
    },
    Language {
        name: "swift",
        aliases: &[],
        grammar: Grammar::Code(Rules {
            keywords: &["actor", "any", "as", "associatedtype", "async", "await", "break", "case",
                "catch", "class", "continue", "convenience", "default", "defer", "deinit", "do",
                "else", "enum", "extension", "fallthrough", "false", "fileprivate", "final", "for",
                "func", "get", "guard", "if", "import", "in", "indirect", "init", "inout",
                "internal", "is", "isolated", "lazy", "let", "mutating", "nil", "nonisolated",
                "nonmutating", "open", "operator", "override", "package", "private", "protocol",
                "public", "repeat", "required", "rethrows", "return", "self", "set", "some",
                "static", "struct", "subscript", "super", "switch", "throw", "throws", "true",
                "try", "typealias", "unowned", "var", "weak", "where", "while"],
            line_comments: &["//"],
            block_comment: Some(("/*", "*/")),
            quotes: &[Quote::long("\"\"\""), Quote::short("\"")],
            habits: Habits::of(&[Habit::NestedComments, Habit::CapitalTypes,
                Habit::Directives, Habit::Calls]),
            ..Rules::PLAIN
        }),
    },
    Language {
        name: "ruby",
        aliases: &["rb", "rake", "gemspec", "gemfile", "rakefile"],
        grammar: Grammar::Code(Rules {
            keywords: &["BEGIN", "END", "__FILE__", "__LINE__", "alias", "and", "attr_accessor",
                "attr_reader", "attr_writer", "begin", "break", "case", "class", "def", "defined",
                "do", "else", "elsif", "end", "ensure", "extend", "false", "for", "if", "in",
                "include", "module", "next", "nil", "not", "or", "private", "protected", "public",
                "puts", "raise", "redo", "require", "require_relative", "rescue", "retry", "return",
                "self", "super", "then", "true", "undef", "unless", "until", "when", "while",
                "yield"],
            line_comments: &["#"],
            block_comment: Some(("=begin", "=end")),
            sigils: b"$@:",
            word_bytes: b"?!",
            here_documents: HereDocuments::Ruby,
            quotes: &[Quote::long("\""), Quote::long("'"), Quote::long("`")],
            habits: Habits::of(&[Habit::CapitalTypes, Habit::CommentAfterBlank, Habit::Regexes,
                Habit::Calls]),
            ..Rules::PLAIN
        }),
    },
    Language {
        name: "php",
        aliases: &["php3", "php5", "phtml"],
        grammar: Grammar::Code(Rules {
            keywords: &["abstract", "and", "array", "as", "break", "callable", "case", "catch",
                "class", "clone", "const", "continue", "declare", "default", "do", "echo", "else",
                "elseif", "empty", "enddeclare", "endfor", "endforeach", "endif", "endswitch",
                "endwhile", "enum", "exit", "extends", "false", "final", "finally", "fn", "for",
                "foreach", "function", "global", "goto", "if", "implements", "include",
                "include_once", "instanceof", "insteadof", "interface", "isset", "list", "match",
                "namespace", "new", "null", "or", "parent", "php", "print", "private", "protected",
                "public", "readonly", "require", "require_once", "return", "self", "static",
                "switch", "this", "throw", "trait", "true", "try", "unset", "use", "var", "while",
                "xor", "yield"],
            types: &["bool", "float", "int", "iterable", "mixed", "never", "object", "string",
                "void"],
            line_comments: &["//", "#"],
            block_comment: Some(("/*", "*/")),
            sigils: b"$",
            here_documents: HereDocuments::Php,
            quotes: &[Quote::long("\""), Quote::long("'")],
            habits: Habits::of(&[Habit::FoldCase, Habit::CapitalTypes, Habit::Calls]),
            ..Rules::PLAIN
        }),
    },
    Language {
        name: "shell",
        aliases: &["sh", "bash", "zsh", "ksh", "fish", "ash", "console", "shellscript", "bashrc",
            "zshrc", "profile"],
        grammar: Grammar::Code(Rules {
            keywords: &["alias", "break", "builtin", "case", "cd", "continue", "declare", "do",
                "done", "echo", "elif", "else", "esac", "eval", "exec", "exit", "export", "false",
                "fi", "for", "function", "getopts", "if", "in", "let", "local", "printf", "pwd",
                "read", "readonly", "return", "select", "set", "shift", "source", "test", "then",
                "time", "trap", "true", "type", "typeset", "ulimit", "umask", "unalias", "unset",
                "until", "wait", "while"],
            line_comments: &["#"],
            sigils: b"$",
            word_bytes: b"-.",
            here_documents: HereDocuments::Shell,
            quotes: &[Quote::long("\""), Quote::verbatim("'", "'"), Quote::long("`")],
            habits: Habits::of(&[Habit::CommentAfterBlank]),
            ..Rules::PLAIN
        }),
    },
    Language {
        name: "powershell",
        aliases: &["ps1", "psm1", "psd1", "pwsh"],
        grammar: Grammar::Code(Rules {
            keywords: &["begin", "break", "catch", "class", "continue", "data", "default", "do",
                "dynamicparam", "else", "elseif", "end", "enum", "exit", "filter", "finally", "for",
                "foreach", "from", "function", "hidden", "if", "in", "param", "process", "return",
                "static", "switch", "throw", "trap", "try", "until", "using", "while"],
            line_comments: &["#"],
            block_comment: Some(("<#", "#>")),
            sigils: b"$",
            word_bytes: b"-",
            quotes: &[Quote::verbatim("@\"", "\"@"), Quote::verbatim("@'", "'@"),
                Quote::verbatim("\"", "\""), Quote::verbatim("'", "'")],
            habits: Habits::of(&[Habit::FoldCase, Habit::CapitalTypes, Habit::CommentAfterBlank]),
            ..Rules::PLAIN
        }),
    },
    Language {
        name: "sql",
        aliases: &["sqlite", "psql", "mysql", "postgres", "postgresql", "pgsql", "plsql", "ddl"],
        grammar: Grammar::Code(Rules {
            keywords: &["abort", "action", "add", "all", "alter", "analyze", "and", "any", "as",
                "asc", "attach", "autoincrement", "before", "begin", "between", "by", "call",
                "cascade", "case", "cast", "check", "collate", "column", "commit", "conflict",
                "constraint", "create", "cross", "current_date", "current_time",
                "current_timestamp", "database", "declare", "default", "deferrable", "deferred",
                "delete", "desc", "detach", "distinct", "do", "drop", "each", "else", "elsif",
                "end", "escape", "except", "exclude", "execute", "exists", "explain", "false",
                "fetch", "filter", "first", "for", "foreign", "from", "full", "function", "glob",
                "grant", "group", "having", "if", "ignore", "ilike", "immediate", "in", "index",
                "inner", "insert", "instead", "intersect", "into", "is", "isnull", "join", "key",
                "language", "last", "lateral", "left", "like", "limit", "materialized", "merge",
                "natural", "no", "not", "nothing", "notnull", "null", "nulls", "of", "offset", "on",
                "or", "order", "outer", "over", "partition", "plan", "pragma", "primary",
                "procedure", "raise", "recursive", "references", "reindex", "rename", "replace",
                "restrict", "returning", "returns", "revoke", "right", "rollback", "row", "rows",
                "savepoint", "schema", "select", "set", "table", "temp", "temporary", "then", "to",
                "transaction", "trigger", "true", "truncate", "union", "unique", "update", "using",
                "vacuum", "values", "view", "virtual", "when", "where", "window", "with",
                "without"],
            types: &["bigint", "binary", "blob", "boolean", "bytea", "char", "character", "date",
                "datetime", "decimal", "double", "float", "int", "integer", "interval", "json",
                "jsonb", "nchar", "numeric", "nvarchar", "precision", "real", "serial", "smallint",
                "text", "time", "timestamp", "timestamptz", "tinyint", "uuid", "varbinary",
                "varchar"],
            line_comments: &["--"],
            block_comment: Some(("/*", "*/")),
            quotes: &[Quote::verbatim("'", "'"), Quote::verbatim("\"", "\""), Quote::verbatim("`",
                "`")],
            habits: Habits::of(&[Habit::FoldCase, Habit::Calls]),
            ..Rules::PLAIN
        }),
    },
    Language {
        name: "json",
        aliases: &["json5", "jsonc", "jsonl", "ndjson", "geojson", "webmanifest"],
        grammar: Grammar::Code(Rules {
            keywords: &["false", "null", "true"],
            line_comments: &["//"],
            block_comment: Some(("/*", "*/")),
            keys: Keys::QuotedColon,
            quotes: &[Quote::short("\"")],
            ..Rules::PLAIN
        }),
    },
    Language {
        name: "yaml",
        aliases: &["yml"],
        grammar: Grammar::Code(Rules {
            keywords: &["false", "no", "null", "off", "on", "true", "yes"],
            line_comments: &["#"],
            sigils: b"&*",
            keys: Keys::LineColon,
            quotes: &[Quote::long("\""), Quote::long("'")],
            habits: Habits::of(&[Habit::AfterBlank]),
            ..Rules::PLAIN
        }),
    },
    Language {
        name: "toml",
        aliases: &["lock"],
        grammar: Grammar::Code(Rules {
            keywords: &["false", "inf", "nan", "true"],
            line_comments: &["#"],
            keys: Keys::LineEquals,
            quotes: &[Quote::long("\"\"\""), Quote::verbatim("'''", "'''"), Quote::short("\""),
                Quote::short("'")],
            habits: Habits::of(&[Habit::Sections]),
            ..Rules::PLAIN
        }),
    },
    Language {
        name: "ini",
        aliases: &["cfg", "conf", "editorconfig", "gitconfig", "properties", "env", "desktop",
            "service"],
        grammar: Grammar::Code(Rules {
            keywords: &["false", "no", "off", "on", "true", "yes"],
            line_comments: &["#", ";"],
            keys: Keys::LineEquals,
            quotes: &[Quote::short("\"")],
            habits: Habits::of(&[Habit::AfterBlank, Habit::Sections, Habit::FoldCase]),
            ..Rules::PLAIN
        }),
    },
    Language {
        name: "html",
        aliases: &["htm", "xhtml", "vue", "svelte", "astro"],
        grammar: Grammar::Markup { embeds: true },
    },
    Language {
        name: "xml",
        aliases: &["svg", "xsd", "xsl", "xslt", "rss", "plist", "csproj", "pom", "xaml"],
        grammar: Grammar::Markup { embeds: false },
    },
    Language {
        name: "css",
        aliases: &["scss", "less", "sass"],
        grammar: Grammar::Code(Rules {
            keywords: &["and", "from", "important", "not", "only", "or", "to"],
            line_comments: &["//"],
            block_comment: Some(("/*", "*/")),
            sigils: b"$",
            word_bytes: b"-",
            keys: Keys::WordColon,
            quotes: &[Quote::short("\""), Quote::short("'")],
            habits: Habits::of(&[Habit::Directives, Habit::Calls, Habit::CommentAfterBlank]),
            ..Rules::PLAIN
        }),
    },
    Language {
        name: "markdown",
        aliases: &["md", "mdx", "mdown", "mkd"],
        grammar: Grammar::Markdown,
    },
    Language {
        name: "diff",
        aliases: &["patch", "udiff"],
        grammar: Grammar::Diff,
    },
    Language {
        name: "dockerfile",
        aliases: &["docker", "containerfile"],
        grammar: Grammar::Code(Rules {
            keywords: &["add", "arg", "as", "cmd", "copy", "entrypoint", "env", "expose", "from",
                "healthcheck", "label", "maintainer", "onbuild", "run", "shell", "stopsignal",
                "user", "volume", "workdir"],
            line_comments: &["#"],
            sigils: b"$",
            word_bytes: b"-",
            here_documents: HereDocuments::Shell,
            quotes: &[Quote::short("\""), Quote::short("'")],
            habits: Habits::of(&[Habit::FoldCase, Habit::KeywordsFirst, Habit::CommentAfterBlank]),
            ..Rules::PLAIN
        }),
    },
    Language {
        name: "make",
        aliases: &["makefile", "mk", "gnumakefile", "mak"],
        grammar: Grammar::Code(Rules {
            keywords: &["define", "else", "endef", "endif", "export", "ifdef", "ifeq", "ifndef",
                "ifneq", "include", "override", "private", "undefine", "unexport", "vpath"],
            line_comments: &["#"],
            sigils: b"$",
            word_bytes: b"-",
            keys: Keys::Target,
            quotes: &[Quote::short("\""), Quote::short("'")],
            habits: Habits::of(&[Habit::KeywordsFirst, Habit::CommentAfterBlank]),
            ..Rules::PLAIN
        }),
    },
    Language {
        name: "lua",
        aliases: &[],
        grammar: Grammar::Code(Rules {
            keywords: &["and", "break", "do", "else", "elseif", "end", "false", "for", "function",
                "goto", "if", "in", "local", "nil", "not", "or", "repeat", "return", "then", "true",
                "until", "while"],
            line_comments: &["--"],
            block_comment: Some(("--[[", "]]")),
            quotes: &[Quote::short("\""), Quote::short("'"), Quote::verbatim("[[", "]]")],
            habits: Habits::of(&[Habit::Calls]),
            ..Rules::PLAIN
        }),
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_sorted_and_in_lower_case_where_case_is_folded() {
        for language in LANGUAGES {
            let Grammar::Code(rules) = &language.grammar else {
                continue;
            };
            for words in [rules.keywords, rules.types] {
                assert!(words.is_sorted_by(|a, b| a < b), "{language:?}");
                for word in words {
                    assert!(
                        !rules.has(Habit::FoldCase) || *word == word.to_lowercase(),
                        "{word}"
                    );
                }
            }
        }
    }
}
