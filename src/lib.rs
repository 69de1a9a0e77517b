//! A **Source** yields **Lines**; a line holds a **Value**, which a **Dialect** tells as **Events**; the **Fold** turns events into
//! **Steps**, each told once; a **View** writes steps on a **Page**.
//!
//! Every module is one of these nouns, in the order in which a line passes them; then what they share, and what ties them together.
//! `tests/it/tidy.rs` holds the table of who may use whom. The door is narrow: [`Cli`] is what was typed, [`run`] does it,
//! [`Status`] is what it came to.

mod source;
mod line;
mod value;
mod event;
mod dialect;
mod redact;
mod tool;
mod fold;
mod view;
mod page;
mod human;
mod cli;
mod pipe;
#[cfg(any(test, feature = "internals"))]
mod plain;

/// What is behind the door, for benchmarks and fuzz targets. No user needs it, and it may change with every version.
#[cfg(feature = "internals")]
pub mod internals {
    pub use crate::dialect::{Dialect, Reader};
    pub use crate::event::{Calls, Event, Needs};
    pub use crate::fold::Fold;
    pub use crate::line::{Filled, Lines, Shorten};
    pub use crate::pipe::show_slice;
    pub use crate::plain::{Fast, told};
    pub use crate::value::{Spans, Value, append, complete, is_json_object, lossy};
}

pub use cli::{Cli, Terminal, usage};
pub use pipe::{Status, World, run};
pub use source::widen;
