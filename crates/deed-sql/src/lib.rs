//! The `query_database` tool.
