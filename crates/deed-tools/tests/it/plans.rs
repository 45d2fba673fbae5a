//! What the file tools say of a call before it runs.

use std::path::Path;
use std::sync::Arc;

use deed_agent::{Access, EffectPlan};
use deed_env::{ExecutionEnv as _, LocalConfig, LocalEnv};
use deed_protocol::{Block, DiffLineKind};
use deed_schema::RawArgs;
use deed_tools::{ToolBasis, ToolSettings, create_all_tool_definitions};
use serde_json::{Value, json};

/// Plans calls in a folder of its own.
struct Planner {
    folder: tempfile::TempDir,
    env: Arc<LocalEnv>,
}

impl Planner {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let cwd = folder.path().canonicalize().unwrap();
        let config = LocalConfig {
            cwd,
            ..LocalConfig::default()
        };
        Self {
            folder,
            env: Arc::new(LocalEnv::new(config)),
        }
    }

    fn put(&self, name: &str, content: &str) {
        std::fs::write(self.folder.path().join(name), content).unwrap();
    }

    async fn plan(&self, name: &str, arguments: Value) -> EffectPlan {
        let basis = ToolBasis {
            env: self.env.clone(),
            settings: Arc::new(ToolSettings::default()),
        };
        let tools = create_all_tool_definitions(&basis);
        let tool = tools
            .iter()
            .find(|tool| &*tool.spec().name == name)
            .unwrap();
        let raw = tool
            .prepare_arguments(RawArgs::from_value(&arguments))
            .await
            .unwrap();
        let args = tool.spec().parameters.validate(&raw).unwrap();
        tool.plan(&args).await.unwrap()
    }

    fn real(&self, name: &str) -> Vec<std::path::PathBuf> {
        vec![self.env.cwd().join(name)]
    }
}

#[tokio::test]
async fn reading_names_the_real_path_and_the_path_as_written() {
    let planner = Planner::new();
    planner.put("real", "x");
    std::os::unix::fs::symlink("real", planner.folder.path().join("link")).unwrap();
    let plan = planner.plan("read", json!({ "path": "@link" })).await;
    assert_eq!(plan.access, Access::Read(planner.real("real")));
    assert_eq!(&*plan.policy_name, "Read");
    assert_eq!(plan.subject, "@link");
    let plan = planner.plan("ls", json!({})).await;
    assert_eq!(
        plan.access,
        Access::Read(vec![planner.env.cwd().to_owned()])
    );
    assert_eq!((&*plan.policy_name, &*plan.subject), ("Read", "."));
}

#[tokio::test]
async fn writing_freezes_the_file_as_it_is_and_shows_the_difference() {
    let planner = Planner::new();
    planner.put("file", "one\ntwo\n");
    for (name, arguments) in [
        ("write", json!({ "path": "file", "content": "one\n2\n" })),
        (
            "edit",
            json!({ "path": "file", "edits": { "oldText": "two", "newText": "2" } }),
        ),
    ] {
        let plan = planner.plan(name, arguments).await;
        assert_eq!(plan.access, Access::Write(planner.real("file")));
        assert_eq!((&*plan.policy_name, &*plan.subject), ("Write", "file"));
        let preimage = &plan.context.0["preimage"];
        assert_eq!(preimage["bytes"], 8);
        assert_eq!(preimage["sha256"], deed_schema::sha256_hex(b"one\ntwo\n"));
        assert!(plan.context.0["parent"]["inode"].is_u64());
        let preview = plan.preview.unwrap();
        let [Block::Diff { lines, .. }] = preview.blocks.as_slice() else {
            panic!("no diff: {preview:?}");
        };
        let kinds: Vec<_> = lines.iter().map(|line| line.kind).collect();
        use DiffLineKind::{Added, Context, Removed};
        assert_eq!(kinds, [Context, Removed, Added], "{name}");
    }
    assert_eq!(
        planner.folder.path().join("file").metadata().unwrap().len(),
        8
    );
}

#[tokio::test]
async fn the_context_changes_with_the_file() {
    let planner = Planner::new();
    planner.put("file", "one\n");
    let write = json!({ "path": "file", "content": "x" });
    let before = planner.plan("write", write.clone()).await.context;
    assert_eq!(planner.plan("write", write.clone()).await.context, before);
    planner.put("file", "two\n");
    assert_ne!(planner.plan("write", write).await.context, before);
}

#[tokio::test]
async fn a_file_that_a_preview_showed_is_not_seen() {
    let planner = Planner::new();
    planner.put("file", "one\n");
    planner
        .plan("write", json!({ "path": "file", "content": "x" }))
        .await;
    let path = planner.env.resolve(Path::new("file")).await.unwrap();
    assert_eq!(planner.env.ledger().last_seen(&path), None);
}

#[tokio::test]
async fn a_new_file_has_no_preimage() {
    let planner = Planner::new();
    let plan = planner
        .plan("write", json!({ "path": "new/file.rs", "content": "x\n" }))
        .await;
    assert_eq!(plan.access, Access::Write(planner.real("new/file.rs")));
    assert_eq!(plan.context.0["preimage"], Value::Null);
    let preview = plan.preview.unwrap();
    assert_eq!(preview.badges[0].text, "new file");
    assert!(matches!(&preview.blocks[0], Block::Code { language, .. } if language == "rs"));
}
