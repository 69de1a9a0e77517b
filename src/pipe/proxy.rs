//! Where nothing is shown: what passes between a client and an agent that is started here is recorded.

use super::agent::Agent;
use super::tally::Tally;
use super::{Status, World};
use crate::cli::{Run, Shared};
use crate::source::Client;

/// Passes on what they say until the agent has ended, and says on standard error why that is no success.
pub(super) fn pass(order: &Run, world: World) -> anyhow::Result<Status> {
    let client = Client { input: world.input, output: world.through };
    let (mut tally, shared) = (Tally::default(), Shared::default());
    Agent::between(client, order)?.end(&mut tally);
    // A standard error that is closed is nobody who would want to know.
    _ = tally.report(&shared, world.errors);
    Ok(tally.status(&shared))
}
