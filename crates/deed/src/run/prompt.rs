//! From words, files and standard input to the first message.

use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};

use anyhow::Context;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use deed_env::ExecutionEnv;
use deed_harness::Resources;
use deed_protocol::{ContentBlock, Extra, Message, UserContent, UserMessage};
use deed_tooling::{ImageLimits, fit_image, sniff_image};

use super::Ground;

/// More than so much of standard input or of a file is no context but a mistake.
const MAX_CONTEXT_BYTES: u64 = 10 * 1024 * 1024;

/// Reads what a prompt is made of: standard input, then the files, then the words.
///
/// Errors: a file that cannot be read or is too large; nothing at all to say.
pub(super) fn read(words: &[String], ground: &Ground) -> anyhow::Result<Said> {
    let cwd = ground.env.cwd();
    let (files, words): (Vec<_>, Vec<_>) = words
        .iter()
        .map(String::as_str)
        .partition(|word| word.len() > 1 && word.starts_with('@'));
    let fits_images = ground.settings.images.auto_resize;
    let limits = fits_images.then(ImageLimits::default);
    let mut said = Said::default();
    said.texts.extend(standard_input()?);
    for file in files {
        said.add_file(&cwd.join(file.trim_start_matches('@')), limits.as_ref())?;
    }
    said.words = words.join(" ");
    anyhow::ensure!(
        !said.words.trim().is_empty() || !said.texts.is_empty() || !said.pictures.is_empty(),
        "there is no prompt; write it behind -p or pipe it in: deed -p \"what does this do?\" < a.rs"
    );
    // What is wrong with a skill or template that is there already is told before anything begins.
    ground.resources.expand(&said.words)?;
    Ok(said)
}

/// What a prompt is made of.
#[derive(Default)]
pub(super) struct Said {
    pub(super) words: String,
    texts: Vec<String>,
    pictures: Vec<ContentBlock>,
}

impl Said {
    fn add_file(&mut self, path: &Path, limits: Option<&ImageLimits>) -> anyhow::Result<()> {
        let bytes = bounded(path)?;
        let name = path.display();
        if sniff_image(&bytes).is_some() {
            let fitted = fit_image(&bytes, limits)
                .map_err(|fault| anyhow::anyhow!("{name}: the picture cannot be used: {fault}"))?;
            let data = STANDARD.encode(&fitted.bytes);
            let mime_type = fitted.kind.mime_type();
            self.pictures.push(ContentBlock::image(data, mime_type));
            let hint = fitted.hint().map(|hint| format!("\n{hint}"));
            self.texts.push(format!(
                "<file name=\"{name}\">picture{}</file>",
                hint.unwrap_or_default()
            ));
            return Ok(());
        }
        let text = String::from_utf8(bytes)
            .ok()
            .with_context(|| format!("{name}: this is neither UTF-8 text nor a picture"))?;
        self.texts
            .push(format!("<file name=\"{name}\">\n{text}\n</file>"));
        Ok(())
    }

    /// Makes the message, with skills and templates written out.
    ///
    /// Errors: a skill or template that cannot be used.
    pub(super) fn message(mut self, resources: &Resources, now_ms: i64) -> anyhow::Result<Message> {
        let words = match resources.expand(&self.words)? {
            Some(expanded) => expanded.text,
            None => self.words,
        };
        if !words.trim().is_empty() {
            self.texts.push(words);
        }
        let text = self.texts.join("\n\n");
        if self.pictures.is_empty() {
            return Ok(Message::user(text, now_ms));
        }
        let mut blocks = vec![ContentBlock::text(text)];
        blocks.extend(self.pictures);
        Ok(Message::User(UserMessage {
            content: UserContent::Blocks(blocks),
            timestamp: now_ms,
            extra: Extra::new(),
        }))
    }
}

fn bounded(path: &Path) -> anyhow::Result<Vec<u8>> {
    let cannot = || format!("cannot read {}", path.display());
    let file = File::open(path).with_context(cannot)?;
    anyhow::ensure!(
        !file.metadata().with_context(cannot)?.is_dir(),
        "{}: it is a folder; name files",
        cannot()
    );
    all_of(file, path)
}

/// Reads standard input, if somebody gives it.
fn standard_input() -> anyhow::Result<Option<String>> {
    let stdin = io::stdin();
    if stdin.is_terminal() {
        return Ok(None);
    }
    let bytes = all_of(stdin.lock(), &PathBuf::from("standard input"))?;
    let text = String::from_utf8(bytes).ok().context(
        "standard input is not UTF-8 text; save it to a file and name that in the prompt",
    )?;
    Ok(Some(text).filter(|text| !text.trim().is_empty()))
}

fn all_of(from: impl Read, name: &Path) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(MAX_CONTEXT_BYTES + 1)
        .read_to_end(&mut bytes)
        .with_context(|| format!("cannot read {}", name.display()))?;
    anyhow::ensure!(
        bytes.len() as u64 <= MAX_CONTEXT_BYTES,
        "{} has more than {} MB; name the file in the prompt, and the model reads what it needs",
        name.display(),
        MAX_CONTEXT_BYTES / 1024 / 1024
    );
    Ok(bytes)
}
