//! Numbers as people say them.

/// A time span: `41ms`, `0.2s`, `12.4s`, `3m 05s`, `2h 07m`.
#[must_use]
pub fn duration(ms: i64) -> String {
    let ms = ms.max(0);
    if ms < 100 {
        return format!("{ms}ms");
    }
    // What would round up to a minute is one.
    if ms < 59_950 {
        let tenths = (ms + 50) / 100;
        return format!("{}.{}s", tenths / 10, tenths % 10);
    }
    let seconds = (ms + 500) / 1000;
    match seconds {
        ..3600 => format!("{}m {:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h {:02}m", seconds / 3600, seconds % 3600 / 60),
    }
}

/// A count, short: `450`, `12.3k`, `4.1M`.
#[must_use]
pub fn count(number: i64) -> String {
    scaled(number, 1000, &["", "k", "M", "G"])
}

/// A size in bytes: `17 B`, `12.3 kB`.
#[must_use]
pub fn bytes(number: i64) -> String {
    scaled(number, 1000, &[" B", " kB", " MB", " GB"])
}

fn scaled(number: i64, step: i64, units: &[&str]) -> String {
    let mut unit = 0;
    let mut scale = 1;
    // One decimal is shown, so 999.95 is the next unit's 1.0.
    while unit + 1 < units.len() && number.saturating_mul(20).saturating_add(scale) >= scale.saturating_mul(step * 20) {
        scale *= step;
        unit += 1;
    }
    if unit == 0 {
        return format!("{number}{}", units[0]);
    }
    let tenths = (i128::from(number) * 10 + i128::from(scale) / 2) / i128::from(scale);
    format!("{}.{}{}", tenths / 10, tenths % 10, units[unit])
}

/// A number of things: `1 line`, `3 lines`.
#[must_use]
pub fn plural(number: i64, one: &str) -> String {
    let ending = match (number, one.as_bytes()) {
        (1, _) => "",
        (_, [.., b's' | b'h']) => "es",
        _ => "s",
    };
    format!("{number} {one}{ending}")
}

#[cfg(test)]
mod tests {
    use super::{bytes, count, duration, plural};

    #[test]
    fn durations_are_short_and_round_to_what_they_show() {
        let shown: Vec<String> =
            [0, 99, 100, 192, 59_949, 59_950, 185_000, 3_599_499, 3_599_500, 7_620_000, -5].map(duration).into();
        let want = ["0ms", "99ms", "0.1s", "0.2s", "59.9s", "1m 00s", "3m 05s", "59m 59s", "1h 00m", "2h 07m", "0ms"];
        assert_eq!(shown, want);
    }

    #[test]
    fn counts_change_their_unit_where_they_would_show_a_thousand() {
        let shown: Vec<String> = [0, 999, 1000, 12_345, 999_949, 999_950, 4_100_000, i64::MAX].map(count).into();
        assert_eq!(shown, ["0", "999", "1.0k", "12.3k", "999.9k", "1.0M", "4.1M", "9223372036.9G"]);
        assert_eq!(bytes(17), "17 B");
        assert_eq!(bytes(53_900), "53.9 kB");
    }

    #[test]
    fn plurals() {
        assert_eq!(plural(1, "match"), "1 match");
        assert_eq!(plural(0, "line"), "0 lines");
        assert_eq!(plural(2, "match"), "2 matches");
    }
}
