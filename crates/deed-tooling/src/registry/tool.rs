use std::fmt;
use std::sync::Arc;

use deed_agent::ToolSpec;
use deed_protocol::SourceInfo;
use serde::Serialize;

use crate::ToolDefinition;

/// Where a tool stands when several have one name: a later layer takes the place of an earlier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Layer {
    /// Deed ships it.
    BuiltIn,
    /// An extension brings it; of two extensions the first stands.
    Extension,
    /// The program that embeds Deed hands it in.
    Sdk,
}

/// A definition with its source and layer.
#[derive(Clone)]
pub struct RegisteredTool {
    definition: Arc<dyn ToolDefinition>,
    spec: ToolSpec,
    layer: Layer,
    active_by_default: bool,
}

impl RegisteredTool {
    /// Takes a definition; `source` counts, whatever the definition says of itself.
    pub fn new(layer: Layer, source: Arc<SourceInfo>, definition: Arc<dyn ToolDefinition>) -> Self {
        let spec = ToolSpec {
            source,
            ..definition.spec().clone()
        };
        Self {
            definition,
            spec,
            layer,
            active_by_default: true,
        }
    }

    /// Takes a definition that Deed ships, under the source it says.
    pub fn built_in(definition: Arc<dyn ToolDefinition>) -> Self {
        let source = Arc::new(SourceInfo::builtin(&definition.spec().name));
        Self::new(Layer::BuiltIn, source, definition)
    }

    /// Makes it inactive until somebody asks for it.
    pub fn inactive_by_default(mut self) -> Self {
        self.active_by_default = false;
        self
    }

    /// Returns the definition.
    pub fn definition(&self) -> &Arc<dyn ToolDefinition> {
        &self.definition
    }

    /// Returns the fixed facts, as they were at registration, with the source of registration.
    pub fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    /// Returns the name.
    pub fn name(&self) -> &Arc<str> {
        &self.spec.name
    }

    /// Returns where it comes from.
    pub fn source(&self) -> &Arc<SourceInfo> {
        &self.spec.source
    }

    /// Returns its layer.
    pub fn layer(&self) -> Layer {
        self.layer
    }

    pub(crate) fn is_active_by_default(&self) -> bool {
        self.active_by_default
    }
}

impl fmt::Debug for RegisteredTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RegisteredTool")
            .field("name", &self.name())
            .field("layer", &self.layer)
            .field("source", &self.source().path)
            .finish_non_exhaustive()
    }
}
