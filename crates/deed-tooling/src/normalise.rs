use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

mod bound;
mod picture;

use deed_agent::{BoxFuture, Normalise};
use deed_protocol::{ContentBlock, ToolResult};

use crate::ImageLimits;

/// How much text the content of any result holds; tools that know their output bound it below.
pub const MAX_CONTENT_BYTES: usize = 256 * 1024;

/// How much JSON the details of any result hold.
pub const MAX_DETAILS_BYTES: usize = 256 * 1024;

/// Keeps text that was too long for a result where the session can read it.
pub trait OutputStore: Send + Sync + 'static {
    /// Saves a text; `None` if it could not be saved.
    fn save<'a>(&'a self, tool_name: &'a str, text: String) -> BoxFuture<'a, Option<PathBuf>>;
}

/// Brings the result of every tool into the form that may be stored and sent.
///
/// Pictures that no provider takes are converted, made smaller or replaced by words; text and
/// details are held within [`MAX_CONTENT_BYTES`] and [`MAX_DETAILS_BYTES`]. A success without
/// content stays without.
pub struct ProductNormalise {
    auto_resize: AtomicBool,
    limits: ImageLimits,
    store: Option<Arc<dyn OutputStore>>,
}

impl ProductNormalise {
    /// Makes a normaliser; without `auto_resize` pictures keep their size.
    pub fn new(auto_resize: bool) -> Self {
        Self {
            auto_resize: AtomicBool::new(auto_resize),
            limits: ImageLimits::default(),
            store: None,
        }
    }

    /// Takes other limits for pictures.
    pub fn with_image_limits(mut self, limits: ImageLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Saves text that is too long in `store` and names the place.
    pub fn saving_to(mut self, store: Arc<dyn OutputStore>) -> Self {
        self.store = Some(store);
        self
    }

    /// Changes the setting from the next result on.
    pub fn set_auto_resize(&self, auto_resize: bool) {
        self.auto_resize.store(auto_resize, Ordering::Relaxed);
    }

    async fn normalise_pictures(&self, result: ToolResult) -> ToolResult {
        if !result
            .content
            .iter()
            .any(|block| matches!(block, ContentBlock::Image(_)))
        {
            return result;
        }
        let limits = self
            .auto_resize
            .load(Ordering::Relaxed)
            .then_some(self.limits);
        let lost = ToolResult {
            content: Vec::new(),
            ..result.clone()
        };
        let work = move || {
            let mut result = result;
            result.content = picture::normalise_pictures(result.content, limits.as_ref());
            result
        };
        match tokio::task::spawn_blocking(work).await {
            Ok(result) => result,
            Err(fault) => {
                let text = format!("[image left out: it could not be looked at ({fault})]");
                ToolResult {
                    content: vec![ContentBlock::text(text)],
                    ..lost
                }
            }
        }
    }
}

impl Normalise for ProductNormalise {
    fn normalise<'a>(
        &'a self,
        tool_name: &'a str,
        result: ToolResult,
    ) -> BoxFuture<'a, ToolResult> {
        Box::pin(async move {
            let mut result = self.normalise_pictures(result).await;
            bound::bound_details(&mut result);
            if let Some(surplus) = bound::bound_text(&mut result.content) {
                let place = match &self.store {
                    Some(store) => store.save(tool_name, surplus.whole).await,
                    None => None,
                };
                result
                    .content
                    .push(ContentBlock::text(bound::notice(surplus.bytes, place)));
            }
            result
        })
    }
}

impl fmt::Debug for ProductNormalise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProductNormalise")
            .field("auto_resize", &self.auto_resize)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}
