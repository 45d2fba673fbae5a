//! Programs that drive an agent over lines of JSON: commands in, events and answers out.
