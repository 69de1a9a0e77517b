//! The line of a call.

use crate::fold::{Call, Run};
use crate::human;
use crate::page::{Ink, Page, Sign, columns, cut};
use crate::tool::{Status, Target};
use std::time::Duration;

/// The name and the target of a call, each on one line.
pub(super) struct Parts {
    name: String,
    target: Option<String>,
}

/// What turns while a call runs.
const TURNING: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const TURNING_ASCII: [&str; 4] = ["|", "/", "-", "\\"];

/// The fewest columns that a target is cut to, as long as the line has any room.
const TARGET: usize = 12;

pub(super) fn parts(call: &Call, run: &Run, page: &Page) -> Parts {
    let target = call.tool.target().map(|target| match target {
        Target::Path(path) => page.one_line(&short_path(&path, run.cwd.as_deref())),
        Target::Words(words) => page.one_line(&words),
    });
    Parts { name: page.one_line(call.tool.name()), target }
}

impl Parts {
    /// The line of a call that runs.
    pub(super) fn running(&self, turns: usize, elapsed: Duration, page: &Page) -> Vec<(Ink, String)> {
        let turning: &[&str] = if page.look().ascii { &TURNING_ASCII } else { &TURNING };
        let elapsed = human::duration(i64::try_from(elapsed.as_millis()).unwrap_or(i64::MAX));
        self.line((Ink::Accent, turning[turns % turning.len()]), vec![(Ink::Dim, elapsed)], page)
    }

    /// The line of a call that is over.
    pub(super) fn ended(&self, call: &Call, page: &Page) -> Vec<(Ink, String)> {
        let (ink, sign) = match call.tool.status() {
            Status::Ok => (Ink::Good, Sign::Ok),
            Status::Failed => (Ink::Bad, Sign::Failed),
            Status::Rejected => (Ink::Warn, Sign::Rejected),
            Status::Unfinished => (Ink::Warn, Sign::Unfinished),
        };
        let mut facts = Vec::new();
        match call.tool.digest() {
            Some(digest) => {
                let told = if ink == Ink::Good { Ink::Plain } else { ink };
                facts.push((told, page.own(&page.one_line(&digest))));
            }
            // The sign must not be all that says how it went.
            None if ink != Ink::Good => facts.push((ink, call.tool.status().name().to_owned())),
            None => {}
        }
        facts.extend(call.duration_ms.map(|ms| (Ink::Dim, human::duration(ms))));
        self.line((ink, page.sign_text(sign)), facts, page)
    }

    /// Sign, name, target and facts. Where the page is narrow, the target gives way first.
    fn line(&self, (ink, sign): (Ink, &str), facts: Vec<(Ink, String)>, page: &Page) -> Vec<(Ink, String)> {
        let dot = format!(" {} ", page.sign_text(Sign::Dot));
        // A long reason may take half of the line, and no more.
        let most = page.look().width.map_or(usize::MAX, |width| usize::from(width) / 2);
        let mut line =
            vec![(Ink::Plain, "  ".to_owned()), (ink, sign.to_owned()), (Ink::Strong, format!(" {}", self.name))];
        let mut rest = Vec::new();
        for fact in facts {
            rest.push((Ink::Dim, dot.clone()));
            rest.push((fact.0, shortened(&fact.1, most, page)));
        }
        if let Some(target) = &self.target {
            let taken: usize = line.iter().chain(&rest).map(|(_, text)| columns(text)).sum();
            // A blank in front, and a last column that stays free.
            let room =
                page.look().width.map_or(usize::MAX, |width| usize::from(width).saturating_sub(taken + 2).max(TARGET));
            line.push((Ink::Plain, format!(" {}", shortened(target, room, page))));
        }
        line.extend(rest);
        line
    }
}

/// The beginning of `text` that fits, with a sign that more was there.
pub(super) fn shortened(text: &str, room: usize, page: &Page) -> String {
    if columns(text) <= room {
        return text.to_owned();
    }
    let more = page.sign_text(Sign::More);
    format!("{}{more}", cut(text, room.saturating_sub(columns(more))))
}

/// A path as seen from `cwd`, or with `~` for a home directory. Homes are told by their place, since the log may come from
/// another machine.
pub(crate) fn short_path(path: &str, cwd: Option<&str>) -> String {
    if let Some(inside) =
        cwd.filter(|cwd| cwd.len() > 1).and_then(|cwd| path.strip_prefix(cwd.trim_end_matches(['/', '\\'])))
    {
        match inside.strip_prefix(['/', '\\']) {
            Some("") | None if inside.len() <= 1 => return ".".to_owned(),
            Some(inside) => return inside.to_owned(),
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
    use super::short_path;

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
    }
}
