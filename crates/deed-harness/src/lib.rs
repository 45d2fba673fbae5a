//! The agent session: wires tools, environment, model and gate together.
