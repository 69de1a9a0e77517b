//! A **Source** yields **Lines**; a line holds a **Value**, which a **Dialect** tells as **Events**; the **Fold** turns events into
//! **Steps**, each told once; a **View** writes steps on a **Page**.
//!
//! Every module is one of these nouns, in this order; each uses only those before it. `tests/it/tidy.rs` holds the table of who
//! may use whom. The door is narrow: [`Cli`] is what was typed, [`run`] does it, [`Status`] is what it came to.

mod cli;
mod dialect;
mod event;
mod fold;
mod human;
mod line;
mod page;
mod pipe;
mod source;
mod tool;
#[cfg(not(fuzzing))]
mod value;
#[cfg(fuzzing)]
#[allow(missing_docs)]
pub mod value;
mod view;

pub use cli::{Cli, Terminal};
pub use pipe::{Status, World, run};
