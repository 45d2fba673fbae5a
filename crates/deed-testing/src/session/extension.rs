use std::sync::Arc;

use deed_agent::BoxFuture;
use deed_extensions::{Extension, ExtensionApi, ExtensionError};

type Register = Box<dyn Fn(&ExtensionApi) -> Result<(), ExtensionError> + Send + Sync>;

struct Told {
    name: &'static str,
    register: Register,
}

/// Makes an extension that registers what a test tells it to.
pub fn extension(
    name: &'static str,
    register: impl Fn(&ExtensionApi) -> Result<(), ExtensionError> + Send + Sync + 'static,
) -> Arc<dyn Extension> {
    Arc::new(Told {
        name,
        register: Box::new(register),
    })
}

impl Extension for Told {
    fn name(&self) -> &str {
        self.name
    }

    fn register<'a>(&'a self, api: &'a ExtensionApi) -> BoxFuture<'a, Result<(), ExtensionError>> {
        Box::pin(async move {
            // Registering is asynchronous, and the next extension waits for it.
            tokio::task::yield_now().await;
            (self.register)(api)
        })
    }
}
