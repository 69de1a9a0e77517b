//! Any bytes as a whole log: the fast way tells the same steps as the plain one, whatever is asked for and wherever the reads
//! end. The first byte says what is asked for, the second how long the reads are.

#![no_main]

use cursor_fmt::internals::{Calls, Fast, Needs, steps};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let [first, second, log @ ..] = data else { return };
    let asked = |bit: u8| first & (1 << bit) != 0;
    let calls = [Calls::None, Calls::Brief, Calls::Short, Calls::Full][usize::from(first >> 4 & 3)];
    let needs = Needs { prompts: asked(6), pieces: asked(0), messages: asked(1), thoughts: asked(2), calls, fields: asked(3) };
    let reads = if *second == 0 { usize::MAX } else { usize::from(*second) };
    let fast = Fast { reads, long: usize::MAX };
    assert_eq!(steps(log, needs, Some(fast)), steps(log, needs, None));
});
