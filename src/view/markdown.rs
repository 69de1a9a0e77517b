//! Text of a log as Markdown for GitHub's renderer, from which nothing can break out: no tag, no image, no cell, no fence.

use pulldown_cmark::{Event, Options, Parser, Tag};
use std::ops::Range;

/// Text on one line, shown as it is: nothing in it can end a cell, or be a link, a tag, a heading or the beginning of a block.
pub(super) fn plain(text: &str) -> String {
    let text = text.trim();
    let number = text.trim_start_matches(|char: char| char.is_ascii_digit());
    let mut shown = String::with_capacity(text.len());
    for (at, char) in text.char_indices() {
        let rest = &text[at..];
        match char {
            '<' => shown.push_str("&lt;"),
            '>' => shown.push_str("&gt;"),
            '&' => shown.push_str("&amp;"),
            // What GitHub would make an address of.
            ':' if rest.starts_with("://") => shown.push_str("&#58;"),
            'w' | 'W' if rest.len() > 3 && rest.as_bytes()[..4].eq_ignore_ascii_case(b"www.") => {
                shown.push_str(if char == 'w' { "&#119;" } else { "&#87;" });
            }
            '=' if at == 0 => shown.push_str("\\="),
            '-' if at == 0 && (ends(&rest[1..]) || rest[1..].starts_with('-')) => shown.push_str("\\-"),
            '+' if at == 0 && ends(&rest[1..]) => shown.push_str("\\+"),
            '.' | ')' if at > 0 && rest.len() == number.len() && ends(&rest[1..]) => shown.extend(["\\", &rest[..1]]),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '@' | '#' | '$' | '!' => {
                shown.push('\\');
                shown.push(char);
            }
            _ => shown.push(char),
        }
    }
    shown
}

/// Whether a mark in front of `rest` stands by itself.
fn ends(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with(char::is_whitespace)
}

/// Text on one line as code.
pub(super) fn code(text: &str) -> String {
    let text = text.trim();
    if text.is_empty() {
        return String::new();
    }
    let ticks = "`".repeat(longest(text, '`') + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{ticks}{pad}{text}{pad}{ticks}")
}

/// The same in a cell of a table.
pub(super) fn code_in_cell(text: &str) -> String {
    // There, a backslash in front of a bar cannot be written as code.
    if text.contains("\\|") || text.trim_end().ends_with('\\') {
        return plain(text);
    }
    code(text).replace('|', "\\|")
}

/// A row of a table, of cells that are escaped.
pub(super) fn row<T: AsRef<str>>(cells: &[T]) -> String {
    let cells: Vec<&str> = cells.iter().map(AsRef::as_ref).collect();
    format!("| {} |\n", cells.join(" | "))
}

/// The line under the head of a table; these columns are set to the right.
pub(super) fn rule(right: &[bool]) -> String {
    row(&right.iter().map(|right| if *right { "--:" } else { "---" }).collect::<Vec<&str>>())
}

/// Lines as they are.
pub(super) fn fence(text: &str) -> String {
    let fence = "`".repeat(longest(text, '`').max(2) + 1);
    format!("{fence}text\n{}\n{fence}\n", text.trim_end_matches('\n'))
}

/// The longest run of `char`.
fn longest(text: &str, char: char) -> usize {
    text.split(|other| other != char).map(str::len).max().unwrap_or(0)
}

/// Markdown by somebody else, in a quotation, which ends all that is left open in it. What would be a tag or an image is text.
pub(super) fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 64);
    for line in text.trim_end().lines() {
        quoted.push_str(if line.is_empty() { ">" } else { "> " });
        quoted.extend(line.chars().filter(|char| !matches!(*char, CODE | CODE_END)));
        quoted.push('\n');
    }
    // What is taken for text may change what is taken for code behind it, so it is read again until nothing is found.
    for round in 0.. {
        let edits = edits(&quoted, round < ROUNDS);
        if edits.is_empty() {
            break;
        }
        quoted = edited(&quoted, &edits);
    }
    quoted.replace(CODE, "<code>").replace(CODE_END, "</code>")
}

/// After so many readings, a quotation that still changes, as only an adversary can make it, has no code any more.
const ROUNDS: usize = 6;

/// These stand for the two tags that are put into a quotation, until it has no others.
const CODE: char = '\u{e000}';
const CODE_END: char = '\u{e001}';

/// A place in a text and what is put there.
type Edit = (Range<usize>, String);

/// What has to be changed so that nothing outside code blocks begins a tag or an image. Renderers do not agree on each span of code,
/// so one that holds such a beginning is written in another way.
fn edits(text: &str, code: bool) -> Vec<Edit> {
    let marks = marks(text);
    if marks.is_empty() {
        return marks;
    }
    let options = Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES | Options::ENABLE_STRIKETHROUGH;
    let parts = Parser::new_ext(text, options | Options::ENABLE_TASKLISTS).into_offset_iter();
    // None: a block of code, which stays as it is.
    let mut spans: Vec<(Range<usize>, Option<String>)> = parts
        .filter(|_| code)
        .filter_map(|(event, range)| match event {
            Event::Start(Tag::CodeBlock(_)) => Some((range, None)),
            Event::Code(text) if ["<", "![", "[^"].iter().any(|mark| text.contains(mark)) => {
                Some((range, Some(format!("{CODE}{}{CODE_END}", plain(&text)))))
            }
            _ => None,
        })
        .collect();
    spans.sort_by_key(|(range, _)| range.start);
    let mut inside = spans.iter().map(|(range, _)| range).peekable();
    let outside = |(place, _): &Edit| {
        while inside.next_if(|range| range.end <= place.start).is_some() {}
        inside.peek().is_none_or(|range| place.start < range.start)
    };
    let mut edits: Vec<Edit> = marks.into_iter().filter(outside).collect();
    edits.extend(spans.into_iter().filter_map(|(range, span)| Some((range, span?))));
    edits.sort_by_key(|(range, _)| range.start);
    edits
}

/// What could begin a tag, an image or a footnote, and what GitHub takes for an address that goes on over the tick that opens code.
fn marks(text: &str) -> Vec<Edit> {
    // Whether a tick comes before the next blank, where an address would end.
    let mut ticks = false;
    let mark = |(at, char): (usize, char)| {
        ticks = if char.is_whitespace() || char == '<' { false } else { ticks || char == '`' };
        let instead = match &text.as_bytes()[at..] {
            [b'<', ..] => "&lt;",
            [b'!', b'[', ..] => "!\\",
            // A footnote would stand behind the quotation.
            [b'[', b'^', ..] => "[\\",
            [b':', b'/', b'/', ..] if ticks => "&#58;",
            [b'w', b'w', b'w', b'.', ..] if ticks => "&#119;",
            _ => return None,
        };
        Some((at..at + 1, instead.to_owned()))
    };
    let mut marks: Vec<Edit> = text.char_indices().rev().filter_map(mark).collect();
    marks.reverse();
    marks
}

fn edited(text: &str, edits: &[Edit]) -> String {
    let mut new = String::with_capacity(text.len() + 8 * edits.len());
    let mut done = 0;
    for (range, instead) in edits {
        new.push_str(&text[done..range.start]);
        new.push_str(instead);
        done = range.end;
    }
    new.push_str(&text[done..]);
    new
}

#[cfg(test)]
mod tests {
    use super::{code, code_in_cell, fence, plain, quote};
    use comrak::{Options, markdown_to_html};
    use proptest::prelude::*;

    /// What GitHub's renderer makes of it, with no tag taken out.
    fn html(markdown: &str) -> String {
        let mut options = Options::default();
        options.extension.table = true;
        options.extension.strikethrough = true;
        options.extension.autolink = true;
        options.extension.tasklist = true;
        options.extension.footnotes = true;
        options.render.r#unsafe = true;
        markdown_to_html(markdown, &options)
    }

    fn escaped(text: &str) -> String {
        text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
    }

    #[test]
    fn text_is_shown_as_it_is() {
        let hostile = "a|b \\| `c` <b>d</b> <!-- e --> [f](g) ![h](i) *j* _k_ ~~l~~ # m &lt; $n$ [^1] https://o.p/q_r www.s.t WWW.u.v";
        for text in
            [hostile, "> q", "- q", "+ q", "1. q", "12) q", "---", "===", "# q", "> - 1. q", "    q", "`q", "\\"]
        {
            assert_eq!(html(&plain(text)), format!("<p>{}</p>\n", escaped(text.trim())), "{}", plain(text));
        }
    }

    #[test]
    fn code_is_shown_as_it_is_and_in_a_cell_too() {
        for text in ["a", "a|b", "`", "``a`", "a`", "| |", "<i>x</i>", "a\\", "\\|", "x \\`| y", "!", "&amp;", "[^a]"] {
            assert_eq!(html(&code(text)), format!("<p><code>{}</code></p>\n", escaped(text)), "{}", code(text));
            let table = format!("| x | y |\n| - | - |\n| {} | end |\n", code_in_cell(text));
            let html = html(&table);
            let cell = html.split("<td>").nth(1).and_then(|rest| rest.split("</td>").next()).unwrap_or_default();
            assert_eq!(cell.trim_start_matches("<code>").trim_end_matches("</code>"), escaped(text), "{html}");
            assert!(html.contains("<td>end</td>"), "{html}");
        }
    }

    #[test]
    fn a_footnote_stays_in_the_quotation() {
        let html = html(&quote("ok[^1]\n\n[^1]:\n    ## fake\n\n`a[^b]`"));
        assert!(!html.contains("footnote") && html.trim_end().ends_with("</blockquote>"), "{html}");
        assert!(html.contains("<code>a[^b]</code>"), "{html}");
    }

    #[test]
    fn a_fence_is_longer_than_any_in_it() {
        let text = "a\n```\nb\n`````\n~~~\n<i>\n";
        let html = html(&format!("{}after", fence(text)));
        assert!(
            html.starts_with("<pre><code class=\"language-text\">a\n```\nb\n`````\n~~~\n&lt;i&gt;\n</code></pre>"),
            "{html}"
        );
        assert!(html.ends_with("<p>after</p>\n"), "{html}");
    }

    #[test]
    fn a_quotation_keeps_its_markdown_and_its_code_but_no_tag() {
        let text = "# Done\n\n- `Vec<u8>` is **new**\n\n```html\n<b>x</b>\n```\n\n<details><summary>x</summary>\n\n![p](http://q/r.png)";
        let html = html(&quote(text));
        for part in ["<h1>Done</h1>", "<code>Vec&lt;u8&gt;</code> is <strong>new</strong>", "&lt;b&gt;x&lt;/b&gt;"] {
            assert!(html.contains(part), "{part} in {html}");
        }
        assert!(html.contains("&lt;details&gt;&lt;summary&gt;x&lt;/summary&gt;"), "{html}");
        assert!(!html.contains("<img") && html.trim_end().ends_with("</blockquote>"), "{html}");
    }

    #[test]
    fn what_is_left_open_ends_with_the_quotation() {
        for open in
            ["```\nx", "~~~~ a\nx", "`a <b>", "<!-- x", "<pre>\n\nx", "<![CDATA[ x", "- a\n  > ```\n  > x", "\\`<b>`"]
        {
            let html = html(&format!("{}\nafter\n", quote(open)));
            assert!(html.contains("</blockquote>\n<p>after</p>"), "{open:?}: {html}");
            assert!(!html.contains("<b>") && !html.contains("<!--"), "{open:?}: {html}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(5000))]

        /// Read by another library than the one that it was made with, and by the rules of GitHub.
        #[test]
        fn no_quotation_holds_a_tag(parts in proptest::collection::vec(prop::sample::select(vec![
            "`", "``", "```", "~~~", "\n", "\n\n", "<i9>", "</i9>", "<!--", "-->", "<?", "]]>", "<![CDATA[", "\\", "    ", "> ",
            "- ", "1. ", "|", "a", " ", "![x](y)", "![", "](", ")", "[^1]", "[^1]: ", "[^", "^", "[x]: y\n", "&lt;", "&", "#", "<https://a.b>",
            "--- | ---", "$", "*", "<script>", "<i9\n", "\"", "=", "<i9 a=\"`\">", "<i9 a='", "https://a", "www.a.b", "ftp://x", "a@b.c", "mailto:x@y.z", "://", "HTTP://Q",
        ]), 0..24)) {
            let text = parts.concat();
            let html = html(&format!("{}\nafter\n", quote(&text)));
            for tag in ["<i9", "</i9", "<!--", "<script", "<?", "<![CDATA", "<img"] {
                prop_assert!(!html.contains(tag), "{tag} of {text:?} in {html}");
            }
            prop_assert!(html.contains("<p>after</p>"), "{text:?}: {html}");
        }
    }
}
