use super::key::SettingDefault::{Count, Flag, Texts, Unset, Word};
use super::key::WhoMaySet::{Anyone, ProjectMayLower, User};
use super::key::{SettingGroup, SettingKey, SettingKind};

/// A day is longer than anything should wait.
const DAY_MS: u64 = 24 * 3600 * 1000;
/// More tokens than any model takes.
const MAX_TOKENS: u64 = 1_000_000_000;

const QUEUE_MODES: SettingKind = SettingKind::Word(&["one-at-a-time", "all"]);

const THINKING: SettingKind =
    SettingKind::Word(&["off", "minimal", "low", "medium", "high", "xhigh", "max"]);

const fn ms(min: u64) -> SettingKind {
    SettingKind::Count { min, max: DAY_MS }
}

const fn count(min: u64, max: u64) -> SettingKind {
    SettingKind::Count { min, max }
}

const PLAIN: SettingKey = SettingKey {
    path: "",
    group: SettingGroup::Model,
    kind: SettingKind::Text,
    default: Unset,
    who: Anyone,
    doc: "",
    is_unused: false,
    elsewhere: &[],
};

/// All settings, in the order of the documentation.
pub const SETTINGS: &[SettingKey] = &[
    SettingKey {
        path: "model",
        doc: "The model: an id, `provider/id` or a unique part of one; `:high` behind it sets the \
              thinking level.",
        elsewhere: &["defaultModel"],
        ..PLAIN
    },
    SettingKey {
        path: "provider",
        doc: "Whose model it is, where the id alone does not tell.",
        elsewhere: &["defaultProvider"],
        ..PLAIN
    },
    SettingKey {
        path: "thinking",
        kind: THINKING,
        doc: "How much the model thinks, as far as it can.",
        elsewhere: &["defaultThinkingLevel", "thinkingLevel"],
        ..PLAIN
    },
    SettingKey {
        path: "providers",
        kind: SettingKind::Providers,
        who: User {
            because: "it says where your keys are sent and how they are got",
        },
        doc: "Providers by name: `baseUrl`, `api`, `apiKey` (`env:NAME`, `!command` or the key \
              itself), `headers`, `extraBody`, `models`; what stands here goes before the bundled \
              list.",
        ..PLAIN
    },
    SettingKey {
        path: "maxTurns",
        group: SettingGroup::Run,
        kind: count(1, 1_000_000),
        who: ProjectMayLower,
        doc: "After so many turns of one prompt the run ends.",
        ..PLAIN
    },
    SettingKey {
        path: "maxCost",
        group: SettingGroup::Run,
        kind: SettingKind::Amount,
        who: ProjectMayLower,
        doc: "At this cost of a session, in US dollars, the run ends.",
        ..PLAIN
    },
    SettingKey {
        path: "repeatLimit",
        group: SettingGroup::Run,
        kind: count(2, 1_000_000),
        default: Count(250),
        who: ProjectMayLower,
        doc: "After so many turns in a row with the very same calls and results the run ends.",
        ..PLAIN
    },
    SettingKey {
        path: "cancelGraceMs",
        group: SettingGroup::Run,
        kind: ms(0),
        default: Count(5000),
        doc: "How long a call may go on after it was cancelled, before it is let go.",
        ..PLAIN
    },
    SettingKey {
        path: "maxConcurrentCalls",
        group: SettingGroup::Run,
        kind: count(1, 1024),
        default: Count(64),
        doc: "How many tool calls run at once.",
        ..PLAIN
    },
    SettingKey {
        path: "steeringMode",
        group: SettingGroup::Run,
        kind: QUEUE_MODES,
        default: Word("one-at-a-time"),
        doc: "How many messages that came during a turn go to the model at once.",
        ..PLAIN
    },
    SettingKey {
        path: "followUpMode",
        group: SettingGroup::Run,
        kind: QUEUE_MODES,
        default: Word("one-at-a-time"),
        doc: "How many messages that wait for the end of the work go to the model at once.",
        ..PLAIN
    },
    SettingKey {
        path: "retry.enabled",
        group: SettingGroup::Run,
        kind: SettingKind::Flag,
        default: Flag(true),
        doc: "Whether a request that failed for a passing reason is sent again.",
        ..PLAIN
    },
    SettingKey {
        path: "retry.maxRetries",
        group: SettingGroup::Run,
        kind: count(0, 1000),
        default: Count(3),
        doc: "How often it is sent again.",
        ..PLAIN
    },
    SettingKey {
        path: "retry.baseDelayMs",
        group: SettingGroup::Run,
        kind: ms(0),
        default: Count(2000),
        doc: "The wait before the first time; each further wait is twice as long.",
        ..PLAIN
    },
    SettingKey {
        path: "retry.maxAgentDelayMs",
        group: SettingGroup::Run,
        kind: ms(0),
        default: Count(60_000),
        doc: "The longest wait; a provider that asks for a longer one is not waited for.",
        ..PLAIN
    },
    SettingKey {
        path: "compaction.enabled",
        group: SettingGroup::Run,
        kind: SettingKind::Flag,
        default: Flag(true),
        doc: "Whether a long session is summed up before it outgrows the context of the model.",
        ..PLAIN
    },
    SettingKey {
        path: "compaction.reserveTokens",
        group: SettingGroup::Run,
        kind: count(0, MAX_TOKENS),
        default: Count(16_384),
        doc: "With fewer tokens left in the context, the session is summed up.",
        ..PLAIN
    },
    SettingKey {
        path: "compaction.keepRecentTokens",
        group: SettingGroup::Run,
        kind: count(0, MAX_TOKENS),
        default: Count(20_000),
        doc: "About so many tokens of the latest messages are left as they are.",
        ..PLAIN
    },
    SettingKey {
        path: "compaction.modelOverrides",
        group: SettingGroup::Run,
        kind: SettingKind::CountsByName(&["reserveTokens", "keepRecentTokens"]),
        doc: "Other numbers for a model, by `provider/id`.",
        ..PLAIN
    },
    SettingKey {
        path: "defaultTools",
        group: SettingGroup::Tools,
        kind: SettingKind::ToolNames,
        default: Texts(&["read", "bash", "edit", "write"]),
        doc: "The tools that a session begins with; `+name` and `-name` change the list.",
        ..PLAIN
    },
    SettingKey {
        path: "shellPath",
        group: SettingGroup::Tools,
        kind: SettingKind::Program,
        who: User {
            because: "it would run in place of the shell that your policy speaks of",
        },
        doc: "The shell for `bash`; without it, `bash` is looked for.",
        ..PLAIN
    },
    SettingKey {
        path: "shellCommandPrefix",
        group: SettingGroup::Tools,
        kind: SettingKind::Text,
        who: User {
            because: "it would run with every command that your policy allows",
        },
        doc: "A line put before every `bash` command.",
        ..PLAIN
    },
    SettingKey {
        path: "piCompatibleHooks",
        group: SettingGroup::Tools,
        kind: SettingKind::Flag,
        default: Flag(false),
        who: User {
            because: "it leaves a check of arguments out",
        },
        doc: "Whether arguments that an extension changed need not fit the schema of the tool.",
        ..PLAIN
    },
    SettingKey {
        path: "sql",
        group: SettingGroup::Tools,
        kind: SettingKind::TextByName,
        doc: "Databases for `query_database`, by name: `sqlite:FILE`, `postgres://…` or `env:NAME` \
              of a variable that holds such a URL.",
        ..PLAIN
    },
    SettingKey {
        path: "images.autoResize",
        group: SettingGroup::Tools,
        kind: SettingKind::Flag,
        default: Flag(true),
        doc: "Whether large pictures are made smaller before a model gets them.",
        ..PLAIN
    },
    SettingKey {
        path: "images.blockImages",
        group: SettingGroup::Tools,
        kind: SettingKind::Flag,
        default: Flag(false),
        doc: "Whether pictures are kept from models; they stay in the session.",
        ..PLAIN
    },
    SettingKey {
        path: "addDirs",
        group: SettingGroup::Files,
        kind: SettingKind::Paths,
        who: User {
            because: "it widens what may be read without asking",
        },
        doc: "Further folders of the workspace.",
        ..PLAIN
    },
    SettingKey {
        path: "contextFiles",
        group: SettingGroup::Files,
        kind: SettingKind::Paths,
        doc: "Further files whose text the model always has, beside `AGENTS.md` and `CLAUDE.md`.",
        ..PLAIN
    },
    SettingKey {
        path: "skills",
        group: SettingGroup::Files,
        kind: SettingKind::Paths,
        doc: "Further skills: files, or folders of them.",
        ..PLAIN
    },
    SettingKey {
        path: "prompts",
        group: SettingGroup::Files,
        kind: SettingKind::Paths,
        doc: "Further prompt templates: files, or folders of them.",
        ..PLAIN
    },
    SettingKey {
        path: "extensions",
        group: SettingGroup::Files,
        kind: SettingKind::Paths,
        doc: "Further extensions: files, or folders of them.",
        ..PLAIN
    },
    SettingKey {
        path: "piExtensions",
        group: SettingGroup::Files,
        kind: SettingKind::Flag,
        default: Flag(false),
        who: User {
            because: "whose extensions are loaded is not for a project to say",
        },
        doc: "Whether extensions are also looked for where Pi has them: `~/.pi/agent/extensions`, \
              and `.pi/extensions` of a trusted project.",
        ..PLAIN
    },
    SettingKey {
        path: "defaultProjectTrust",
        group: SettingGroup::Files,
        kind: SettingKind::Word(&["ask", "always", "never"]),
        default: Word("ask"),
        who: User {
            because: "a project does not say whether it is trusted",
        },
        doc: "Whether the settings, skills, prompts and extensions of a project are loaded that \
              nobody decided on.",
        ..PLAIN
    },
    SettingKey {
        path: "sessionDir",
        group: SettingGroup::Files,
        kind: SettingKind::Path,
        who: User {
            because: "sessions hold all that a model was shown",
        },
        doc: "Where sessions are kept.",
        ..PLAIN
    },
    SettingKey {
        path: "durability",
        group: SettingGroup::Files,
        kind: SettingKind::Word(&["normal", "strict"]),
        default: Word("normal"),
        doc: "With `strict`, a write counts as done when the disk has it: files that tools write, \
              and sessions.",
        ..PLAIN
    },
    SettingKey {
        path: "proxy",
        group: SettingGroup::Network,
        who: User {
            because: "all requests, and your keys with them, would go through it",
        },
        doc: "The URL of the proxy for requests to models, or `none`; without it, the variables of \
              the system count.",
        elsewhere: &["httpProxy"],
        ..PLAIN
    },
    SettingKey {
        path: "noProxy",
        group: SettingGroup::Network,
        who: User {
            because: "it belongs to `proxy`",
        },
        doc: "Hosts that are reached without `proxy`, separated by commas; this machine always is.",
        ..PLAIN
    },
    SettingKey {
        path: "httpIdleTimeoutMs",
        group: SettingGroup::Network,
        kind: ms(0),
        default: Count(300_000),
        doc: "How long a server may be silent; 0 is for ever.",
        ..PLAIN
    },
    SettingKey {
        path: "tls.systemRoots",
        group: SettingGroup::Network,
        kind: SettingKind::Flag,
        default: Flag(false),
        who: User {
            because: "it says whose servers are believed",
        },
        doc: "Whether the certificates of the system are trusted, in place of those that Deed brings.",
        ..PLAIN
    },
    SettingKey {
        path: "tls.extraRoots",
        group: SettingGroup::Network,
        kind: SettingKind::Paths,
        who: User {
            because: "it says whose servers are believed",
        },
        doc: "Files in PEM form with further certificates to trust, such as that of a company.",
        ..PLAIN
    },
    SettingKey {
        path: "terminal.showImages",
        group: SettingGroup::Terminal,
        kind: SettingKind::Flag,
        default: Flag(true),
        doc: "Whether pictures are drawn, where the terminal can.",
        is_unused: true,
        ..PLAIN
    },
    SettingKey {
        path: "terminal.imageWidthCells",
        group: SettingGroup::Terminal,
        kind: count(1, 1000),
        default: Count(60),
        doc: "How wide they are drawn.",
        is_unused: true,
        ..PLAIN
    },
];
