mod processes;
mod recovery;
mod rows;
mod show;
mod support;
mod tamper;
mod verify;
mod writing;
