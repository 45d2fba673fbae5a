//! The built-in tools: read, bash, edit, write, grep, find, ls and powershell.
