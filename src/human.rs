//! Numbers and places as people say them.

use std::fmt;

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
    let seconds = ms.saturating_add(500) / 1000;
    match seconds {
        ..3600 => format!("{}m {:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h {:02}m", seconds / 3600, seconds % 3600 / 60),
    }
}

/// A count, short: `450`, `12.3k`, `4.1M`.
#[must_use]
pub fn count(number: i64) -> String {
    scaled(number, &["", "k", "M", "G"])
}

/// A size in bytes: `17 B`, `12.3 kB`.
#[must_use]
pub fn bytes(number: i64) -> String {
    scaled(number, &[" B", " kB", " MB", " GB"])
}

fn scaled(number: i64, units: &[&str]) -> String {
    const STEP: i64 = 1000;
    let mut unit = 0;
    let mut scale = 1;
    // One decimal is shown, so 999.95 is the next unit's 1.0.
    while unit + 1 < units.len() && number.saturating_mul(20).saturating_add(scale) >= scale.saturating_mul(STEP * 20) {
        scale *= STEP;
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
pub fn plural(number: impl fmt::Display, one: &str) -> String {
    let number = number.to_string();
    let ending = match (number.as_str(), one.as_bytes()) {
        ("1", _) => "",
        (_, [.., b's' | b'h']) => "es",
        _ => "s",
    };
    format!("{number} {one}{ending}")
}

/// A path as seen from `cwd`, or with `~` for a home directory. Homes are told by their place, since the log may come from
/// another machine.
#[must_use]
pub fn short_path(path: &str, cwd: Option<&str>) -> String {
    if let Some(inside) =
        cwd.filter(|cwd| cwd.len() > 1).and_then(|cwd| path.strip_prefix(cwd.trim_end_matches(['/', '\\'])))
    {
        match inside.strip_prefix(['/', '\\']) {
            Some("") => return ".".to_owned(),
            Some(inside) => return inside.to_owned(),
            None if inside.is_empty() => return ".".to_owned(),
            // Another directory, whose name begins so.
            None => {}
        }
    }
    for homes in ["/home/", "/Users/", "C:\\Users\\"] {
        if let Some(inside) = path.strip_prefix(homes) {
            let user = inside.find(['/', '\\']).unwrap_or(inside.len());
            if user > 0 {
                return format!("~{}", &inside[user..]);
            }
        }
    }
    match path.strip_prefix("/root") {
        Some(inside) if inside.is_empty() || inside.starts_with('/') => format!("~{inside}"),
        _ => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{bytes, count, duration, plural, short_path};

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

    #[test]
    fn paths_are_seen_from_the_run() {
        let cwd = Some("/home/ada/app");
        assert_eq!(short_path("/home/ada/app/src/a.rs", cwd), "src/a.rs");
        assert_eq!(short_path("/home/ada/app", cwd), ".");
        assert_eq!(short_path("/home/ada/app/", cwd), ".");
        assert_eq!(short_path("/home/ada/apple/a", cwd), "~/apple/a");
        assert_eq!(short_path("/home/ada", None), "~");
        assert_eq!(short_path("/Users/eve/x", cwd), "~/x");
        assert_eq!(short_path("C:\\Users\\eve\\x\\y.txt", Some("C:\\Users\\eve\\x")), "y.txt");
        assert_eq!(short_path("/rooted/x", None), "/rooted/x");
        assert_eq!(short_path("/root/x", None), "~/x");
        assert_eq!(short_path("/etc/hosts", Some("/")), "/etc/hosts");
        assert_eq!(short_path("src/a.rs", cwd), "src/a.rs");
        assert_eq!(short_path("/srv/app2", Some("/srv/app")), "/srv/app2");
        assert_eq!(short_path("/srv/app-x/a", Some("/srv/app")), "/srv/app-x/a");
    }
}
