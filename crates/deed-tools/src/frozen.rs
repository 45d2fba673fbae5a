use std::path::Path;

use deed_agent::FrozenContext;
use deed_env::ExecutionEnv;
use deed_env::file::FileStamp;
use deed_schema::sha256_hex;
use serde_json::{Value, json};

use crate::path::Located;

/// A file of at most that size is read to show what a write would change.
pub(crate) const MAX_PREVIEW_BYTES: usize = 256 * 1024;

/// Reads a small file as it is now, without noting that the session saw it: what only a person
/// sees in a preview is nothing that the model has seen.
pub(crate) async fn small_content(env: &dyn ExecutionEnv, path: &Path) -> Option<Vec<u8>> {
    let head = env.read_head(path, MAX_PREVIEW_BYTES + 1).await.ok()?;
    (head.len() <= MAX_PREVIEW_BYTES).then_some(head)
}

/// Says what must still be so when a file is written: where it really is, in which folder, and
/// what stands there.
pub(crate) async fn write_context(
    env: &dyn ExecutionEnv,
    located: &Located,
    content: Option<&[u8]>,
) -> FrozenContext {
    let parent = match located.real().parent() {
        Some(parent) => env.inspect(parent).await.ok().and_then(|found| found.stamp),
        None => None,
    };
    let parent = parent.map(|stamp| json!({ "device": stamp.device, "inode": stamp.inode }));
    let preimage = located.found.stamp.map(|stamp| preimage(stamp, content));
    FrozenContext::default()
        .with("path", located.real().display().to_string())
        .with("parent", parent.unwrap_or_default())
        .with("preimage", preimage.unwrap_or_default())
}

/// Shape: times are texts, for nanoseconds are beyond what every reader of JSON can count.
fn preimage(stamp: FileStamp, content: Option<&[u8]>) -> Value {
    json!({
        "device": stamp.device,
        "inode": stamp.inode,
        "bytes": stamp.bytes,
        "mtimeNs": stamp.mtime_ns.to_string(),
        "ctimeNs": stamp.ctime_ns.to_string(),
        "sha256": content.map(sha256_hex),
    })
}
