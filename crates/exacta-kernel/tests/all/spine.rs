//! From a plan that was made to the right to run it: every row of the tables of drift, approval and undo.

mod adopt;
mod binding;
mod circumstances;
mod derive;
mod drift;
mod permit;
mod scene;
mod undo;
