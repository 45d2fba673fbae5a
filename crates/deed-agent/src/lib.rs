//! The agent core: tool contract, batch runner, turn loop and their seams.
