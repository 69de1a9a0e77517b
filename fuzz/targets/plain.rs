//! Any bytes as a whole log: the fast way tells the same steps as the plain one, whatever is asked for, wherever the reads end, and
//! though long lines are shortened. The first byte says what is asked for, the second how long the reads are, the third how long a
//! line may be.

#![no_main]

use cursor_fmt::internals::{Calls, Fast, Needs, told};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let [first, second, third, log @ ..] = data else { return };
    let asked = |bit: u8| first & (1 << bit) != 0;
    let calls = [Calls::None, Calls::Brief, Calls::Short, Calls::Full][usize::from(first >> 4 & 3)];
    let needs = Needs {
        prompts: asked(6),
        pieces: asked(0),
        messages: asked(1),
        thoughts: asked(2),
        calls,
        fields: asked(3),
        times: asked(7),
        // A byte has no more bits, and this goes with what it resembles. What is printed belongs to a call.
        printed: asked(0) && calls > Calls::None,
        // Who looks for faults does not read in the fast way.
        faults: false,
    };
    let reads = if *second == 0 { usize::MAX } else { usize::from(*second) };
    let long = if *third == 0 { usize::MAX } else { usize::from(*third) };
    let shortened = *third != 0;
    assert_eq!(told(log, needs, Some(Fast { reads, long }), shortened), told(log, needs, None, shortened));
});
