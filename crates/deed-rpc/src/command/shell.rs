//! Commands of the person behind the client.

use deed_harness::BashRequest;
use serde::Serialize;

use super::Call;
use crate::response::{Answer, Answered};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Ran {
    output: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<i32>,
    cancelled: bool,
    truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    full_output_path: Option<String>,
}

pub(super) async fn bash(call: Call) -> Answered {
    let request = BashRequest {
        command: call.fields.required("command")?,
        exclude_from_context: call.fields.optional("excludeFromContext")?.unwrap_or(false),
        id: call.fields.lenient("id"),
    };
    let (_running, cancel) = call.at.begin_shell().await?;
    let ran = call.at.session.run_bash(request, &cancel).await?;
    let path = ran.full_output_path.filter(|_| ran.is_truncated);
    Answer::of(&Ran {
        output: ran.output,
        exit_code: ran.exit_code,
        cancelled: ran.is_cancelled,
        truncated: ran.is_truncated,
        full_output_path: path.map(|path| path.display().to_string()),
    })
}

pub(super) async fn abort_bash(call: Call) -> Answered {
    call.at.cancel_shell();
    Answer::nothing()
}
