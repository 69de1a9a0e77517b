//! Secrets that are known by how they begin: tokens of well-known makers.

use super::Span;
use super::around::{begins, behind_escape, run};

/// A kind of token: how it begins, and what must follow for it to be one.
pub(super) struct Shape {
    pub(super) kind: &'static str,
    /// What it may begin with, as a regular expression, whose first byte is always the same.
    pub(super) starts: &'static str,
    body: Body,
}

/// What stands behind the beginning.
#[derive(Clone, Copy)]
enum Body {
    /// At least so many letters and digits.
    Word(usize),
    /// Exactly so many letters and digits.
    Exact(usize),
    /// At least so many hexadecimal digits.
    Hex(usize),
    /// At least so many letters, digits, dashes and stops, with a stretch among them that is no word.
    Dense(usize),
    /// The same with the signs of base64.
    Base64(usize),
    /// As much as the expression itself took.
    Taken,
}

impl Shape {
    /// The byte that every one begins with.
    pub(super) fn first(&self) -> u8 {
        let starts = self.starts.as_bytes();
        if starts[0] == b'\\' { starts[1] } else { starts[0] }
    }
}

const fn shape(kind: &'static str, starts: &'static str, body: Body) -> Shape {
    Shape { kind, starts, body }
}

use Body::{Base64, Dense, Exact, Hex, Taken, Word};

pub(super) const SHAPES: &[Shape] = &[
    shape("github-token", "gh[opusr]_", Word(30)),
    shape("github-token", "github_pat_", Dense(30)),
    shape("gitlab-token", "gl(?:pat|ptt|oas|dt|rt|rtr|cbt|ft|imt|agent|wt|soat|ffct)-", Dense(18)),
    shape("anthropic-key", "sk-ant-", Dense(20)),
    shape("openai-key", "sk-", Dense(20)),
    shape("cursor-key", "key_", Hex(32)),
    shape("cursor-key", "crsr_", Dense(20)),
    shape("aws-key", "A(?:KIA|SIA|BIA|CCA)", Exact(16)),
    shape("google-key", "AIza", Dense(30)),
    shape("google-key", "ya29\\.", Dense(20)),
    shape("google-key", "GOCSPX-", Dense(20)),
    shape("slack-token", "xox[abcdeoprs]-", Dense(10)),
    shape("slack-token", "xapp-", Dense(20)),
    shape("slack-token", "hooks\\.slack\\.com/(?:services|workflows|triggers)/[A-Za-z0-9/_-]{20}", Taken),
    shape("discord-token", "discord(?:app)?\\.com/api/webhooks/[0-9]{10,20}/[A-Za-z0-9_-]{40}", Taken),
    shape("stripe-key", "sk_(?:live|test)_", Word(16)),
    shape("stripe-key", "rk_(?:live|test)_", Word(16)),
    shape("stripe-key", "whsec_", Base64(24)),
    shape("npm-token", "npm_", Word(30)),
    shape("pypi-token", "pypi-", Dense(32)),
    shape("huggingface-token", "hf_", Word(30)),
    shape("digitalocean-token", "do[por]_v1_", Hex(40)),
    shape("sendgrid-key", "SG\\.[A-Za-z0-9_-]{16,32}\\.[A-Za-z0-9_-]{16}", Taken),
    shape("twilio-key", "SK[0-9a-f]{32}", Taken),
    shape("docker-token", "dckr_[op]at_", Dense(20)),
    shape("databricks-token", "dapi[0-9a-f]{32}", Taken),
    shape("linear-key", "lin_(?:api|oauth)_", Word(30)),
    shape("notion-token", "ntn_", Word(30)),
    shape("notion-token", "secret_[A-Za-z0-9]{43}", Taken),
    shape("vault-token", "hv[sbr]\\.", Dense(24)),
    shape("age-key", "AGE-SECRET-KEY-1", Word(40)),
    shape("groq-key", "gsk_", Word(40)),
    shape("xai-key", "xai-", Word(40)),
    shape("replicate-token", "r8_", Word(30)),
    shape("shopify-token", "shp(?:at|ca|pa|ss)_", Hex(32)),
    shape("grafana-token", "gl(?:sa|c)_", Dense(32)),
    shape("sentry-token", "sntry[su]_", Base64(32)),
    shape("atlassian-token", "ATATT3", Base64(40)),
    shape("nvidia-key", "nvapi-", Dense(40)),
    shape("pulumi-token", "pul-", Hex(40)),
    shape("rubygems-key", "rubygems_", Hex(40)),
    shape("tailscale-key", "tskey-", Dense(20)),
    shape("postman-key", "PMAK-", Dense(40)),
    shape("figma-token", "figd_", Dense(30)),
    shape("supabase-key", "sb(?:p|_secret)_", Dense(30)),
    shape("jwt", "eyJ[A-Za-z0-9_-]{14}", Taken),
    shape("telegram-token", ":AA[A-Za-z0-9_-]{33}", Taken),
    shape("discord-token", "\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27}", Taken),
];

/// How much of a body is looked at before it is believed. Together with the bound on its left this keeps the work linear.
const LOOK: usize = 256;

/// The token that begins at `at`, where the expression of `shape` took all up to `body`.
pub(super) fn token(text: &[u8], at: usize, body: usize, shape: &Shape) -> Option<Span> {
    match (shape.kind, text[at]) {
        ("jwt", _) => return jwt(text, at),
        ("telegram-token", _) => return telegram(text, at, body),
        ("discord-token", b'.') => return discord(text, at, body),
        _ => {}
    }
    if !begins(text, at) {
        return None;
    }
    let look = &text[body..text.len().min(body + LOOK)];
    let end = match shape.body {
        Word(least) => {
            let found = run(look, |byte| byte.is_ascii_alphanumeric()) >= least && is_mixed(&look[..least]);
            found.then(|| body + run(&text[body..], is_slug))
        }
        Exact(length) => {
            let found = run(look, |byte| byte.is_ascii_uppercase() || byte.is_ascii_digit()) == length;
            (found && !look.get(length).is_some_and(|byte| is_slug(*byte))).then_some(body + length)
        }
        Hex(least) => (run(look, |byte| byte.is_ascii_hexdigit()) >= least)
            .then(|| body + run(&text[body..], |byte| byte.is_ascii_alphanumeric())),
        Dense(least) => stretch(text, body, least, |byte| is_slug(byte) || byte == b'.'),
        Base64(least) => stretch(text, body, least, |byte| is_slug(byte) || matches!(byte, b'+' | b'/' | b'=')),
        Taken => Some(body + run(&text[body..], |byte| is_slug(byte) || (byte == b'/' && shape.kind == "slack-token"))),
    };
    // A stop at the end belongs to the sentence.
    let end = end?;
    let end = end - text[body..end].iter().rev().take_while(|byte| **byte == b'.').count();
    Some(Span { start: at, end, kind: shape.kind })
}

fn stretch(text: &[u8], body: usize, least: usize, such: fn(u8) -> bool) -> Option<usize> {
    let look = &text[body..text.len().min(body + LOOK)];
    let length = run(look, such);
    (length >= least && is_random(&look[..length])).then(|| body + run(&text[body..], such))
}

/// Three parts with dots between them, the last of which may be missing or cut.
fn jwt(text: &[u8], at: usize) -> Option<Span> {
    if !begins(text, at) {
        return None;
    }
    let head = at + run(&text[at..text.len().min(at + 8 * LOOK)], is_slug);
    if !text[head..].starts_with(b".eyJ") {
        return None;
    }
    let mut end = head + 1 + run(&text[head + 1..], is_slug);
    // An encrypted one has five parts.
    for _ in 0..3 {
        let more = text.get(end + 1..).map_or(0, |rest| run(rest, is_slug));
        if more > 0 && text[end] == b'.' {
            end += 1 + more;
        }
    }
    Some(Span { start: at, end, kind: "jwt" })
}

/// A number, a colon, `AA` and more.
fn telegram(text: &[u8], at: usize, body: usize) -> Option<Span> {
    let digits = text[..at].iter().rev().take(12).take_while(|byte| byte.is_ascii_digit()).count();
    let end = body + run(&text[body..], is_slug);
    // `bot` stands before it in addresses.
    ((8..=10).contains(&digits) && end - at < 64).then_some(Span { start: at - digits, end, kind: "telegram-token" })
}

/// The number of a user in base64, a time, and a signature, with dots between them.
fn discord(text: &[u8], at: usize, body: usize) -> Option<Span> {
    let length = text[..at].iter().rev().take(40).take_while(|byte| is_slug(**byte)).count();
    let start = behind_escape(text, at - length, at);
    let (id, length) = (&text[start..at], at - start);
    let end = body + run(&text[body..], is_slug);
    let fits = (23..=28).contains(&length) && matches!(id[0], b'M' | b'N' | b'O') && is_random(id) && end - at < 80;
    fits.then_some(Span { start, end, kind: "discord-token" })
}

pub(super) fn is_slug(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// Whether there are digits and letters in it.
fn is_mixed(text: &[u8]) -> bool {
    text.iter().any(u8::is_ascii_digit) && text.iter().any(u8::is_ascii_alphabetic)
}

/// Whether there is a stretch in it that nobody would write by hand: long, of letters and digits mixed.
pub(super) fn is_random(text: &[u8]) -> bool {
    text.split(|byte| !byte.is_ascii_alphanumeric()).any(|part| part.len() >= 10 && changes(part) >= 3)
}

/// How often it changes between letters and digits.
fn changes(part: &[u8]) -> usize {
    part.windows(2).filter(|pair| pair[0].is_ascii_digit() != pair[1].is_ascii_digit()).count()
}
