//! Parameter schemas: coercion, validation, canonical JSON and hashes.
