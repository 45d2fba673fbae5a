//! Tool definitions, registry, active set, prompt text, truncation and normalisation.
