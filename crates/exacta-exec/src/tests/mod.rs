//! The promise, tested: on a real file system, in a simulated one, under kills, errors and races.

mod adopt;
mod attributes;
mod block;
mod crowd;
mod drive;
mod growth;
mod kill;
mod meanwhile;
mod power;
mod project;
mod race;
mod recover;
mod run;
mod sim;
mod swap;
mod whole;
