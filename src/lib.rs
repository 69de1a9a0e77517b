//! A **Source** yields **Lines**; a line holds a **Value**, which a **Dialect** tells as **Events**; the **Fold** turns events into
//! **Steps**, each told once; a **View** writes steps on a **Page**.
//!
//! Every module is one of these nouns, in the order in which a line passes them; then what they share, and what ties them together.
//! `tests/it/tidy.rs` holds the table of who may use whom. The door is narrow: [`Cli`] is what was typed, [`run`] does it,
//! [`Status`] is what it came to.

mod source;
mod line;
#[cfg(not(fuzzing))]
mod value;
#[cfg(fuzzing)]
pub mod value;
mod event;
mod dialect;
mod tool;
mod fold;
mod view;
mod page;
mod human;
mod cli;
mod pipe;

pub use cli::{Cli, Terminal, usage};
pub use pipe::{Status, World, run};
