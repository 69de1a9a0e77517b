//! Names that say that what they name is secret.

/// What sort of secret a name promises, which decides what is believed to be one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Class {
    /// Any text may be one.
    Password,
    /// Made by a machine.
    Token,
    Key,
    Secret,
    /// A word that is often there for something harmless.
    Auth,
    /// The header.
    Authorization,
    /// One or several, each with a name of its own.
    Cookie,
}

impl Class {
    pub(super) fn kind(self) -> &'static str {
        match self {
            Self::Password => "password",
            Self::Token => "token",
            Self::Key => "key",
            Self::Secret | Self::Auth => "secret",
            Self::Authorization => "authorization",
            Self::Cookie => "cookie",
        }
    }
}

/// All that [`Class::kind`] gives.
pub(super) const KINDS: &[&str] = &["password", "token", "key", "secret", "authorization", "cookie"];

/// The parts of names that a name is looked at for, as a regular expression without regard to case.
pub(super) const CORES: &str = "token|secret|passw(?:or)?d|passphrase|pwd|[_.-]pass|credentials?|\
    (?:api|access|private|secret|account|signing|encryption|master|shared|auth|service|role|consumer|webhook|admin|\
    storage)[_ -]?key|auth|authorization|cookie|phpsessid|jsessionid|connect\\.sid";

/// What may follow at the end of such a name, so that it names the same thing.
const SUFFIXES: &[&str] = &[
    "prod",
    "production",
    "dev",
    "staging",
    "stage",
    "test",
    "live",
    "old",
    "new",
    "base",
    "value",
    "raw",
    "plain",
    "b64",
    "base64",
];

/// The same as a regular expression.
pub(super) fn suffixes() -> String {
    format!("(?:[_-]?(?:{}|[0-9]{{1,3}}))?", SUFFIXES.join("|"))
}

/// Before `token`: a place in a list, or a word of a language.
const NO_TOKENS: &[&str] = &[
    "next",
    "page",
    "continuation",
    "pagination",
    "pad",
    "eos",
    "bos",
    "unk",
    "sep",
    "cls",
    "mask",
    "start",
    "end",
    "stop",
    "special",
    "cancellation",
    "cancel",
    "sync",
    "resume",
    "current",
    "prev",
    "previous",
    "last",
    "first",
    "per",
    "syntax",
    "unexpected",
    "invalid",
    "no",
    "design",
    "color",
];

/// Before any of them: a question or a deed.
const NO_SECRETS: &[&str] = &[
    "no", "has", "is", "show", "hide", "toggle", "forgot", "reset", "change", "require", "requires", "required",
    "needs", "use", "uses", "with", "without", "skip", "enable", "enabled", "disable", "disabled", "verify",
    "validate", "check", "generate", "get", "hash", "missing", "invalid",
];

/// Before `key`.
const KEYS: &[&str] = &[
    "api",
    "access",
    "private",
    "secret",
    "account",
    "signing",
    "encryption",
    "master",
    "shared",
    "auth",
    "service",
    "role",
    "consumer",
    "webhook",
    "admin",
    "storage",
];

/// Before `pass`.
const PASSES: &[&str] = &[
    "db", "database", "user", "smtp", "mail", "email", "imap", "redis", "mysql", "postgres", "pg", "mongo", "ftp",
    "admin", "root", "login", "ssh", "proxy", "http", "rabbitmq", "sudo",
];

/// Before `token` or `secret`, glued to it.
const GLUED: &[&str] = &[
    "auth", "access", "refresh", "api", "bearer", "session", "id", "bot", "user", "app", "deploy", "github", "gh",
    "gitlab", "npm", "client", "shared", "webhook", "consumer", "jwt", "csrf", "xsrf", "private",
];

/// What sort of secret is under this name, if any.
pub(super) fn class(name: &str) -> Option<Class> {
    if name.len() > 128 || name == "PWD" || name == "OLDPWD" {
        return None;
    }
    let (mut rest, mut last) = part(name);
    while !rest.is_empty() && (is_any(last, SUFFIXES) || last.is_empty()) {
        (rest, last) = part(rest);
    }
    let before = part(rest).1;
    let class = named(last, before)?;
    let asks = is_any(before, NO_SECRETS) && class != Class::Authorization;
    (!asks).then_some(class)
}

fn named(last: &str, before: &str) -> Option<Class> {
    let is = |word: &str| last.eq_ignore_ascii_case(word);
    if is("token") {
        return (!is_any(before, NO_TOKENS)).then_some(Class::Token);
    }
    if is("key") {
        return is_any(before, KEYS).then_some(Class::Key);
    }
    if is("pass") {
        return is_any(before, PASSES).then_some(Class::Password);
    }
    match last {
        _ if is("secret") || is("credential") || is("credentials") => Some(Class::Secret),
        _ if is("pwd") || is("passphrase") || is("passwd") || is("password") => Some(Class::Password),
        _ if is("auth") => Some(Class::Auth),
        _ if is("authorization") => Some(Class::Authorization),
        _ if is("cookie") => Some(Class::Cookie),
        _ if is("phpsessid") || is("jsessionid") => Some(Class::Token),
        _ if is("sid") && before.eq_ignore_ascii_case("connect") => Some(Class::Token),
        _ => glued(last),
    }
}

/// `authtoken`, `PGPASSWORD`, `apikey`.
fn glued(word: &str) -> Option<Class> {
    let lower = word.to_ascii_lowercase();
    let ends = |end: &str, before: &[&str]| lower.strip_suffix(end).is_some_and(|head| before.contains(&head));
    let any = |end: &str| lower.strip_suffix(end).is_some_and(|head| !is_any(head, NO_SECRETS));
    match () {
        () if any("password") || any("passwd") => Some(Class::Password),
        () if ends("token", GLUED) => Some(Class::Token),
        () if ends("secret", GLUED) => Some(Class::Secret),
        () if ends("key", KEYS) || lower == "secretaccesskey" || lower == "sharedaccesskey" => Some(Class::Key),
        () => None,
    }
}

/// Whether a value under this key is a secret, whatever it looks like.
pub(super) fn names_secret(key: &str) -> bool {
    match class(key) {
        // Alone, it is the way to log in.
        Some(Class::Auth) => !part(key).0.is_empty() || key.starts_with('_'),
        class => class.is_some(),
    }
}

/// The last part of a name, without digits at its end, and what is before it. A part begins behind a sign, or with a capital.
fn part(name: &str) -> (&str, &str) {
    let name = name.trim_end_matches(|char: char| !char.is_ascii_alphabetic());
    let bytes = name.as_bytes();
    let start = (1..bytes.len()).rev().find(|&at| {
        let (before, here) = (bytes[at - 1], bytes[at]);
        let lower_next = bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase);
        !before.is_ascii_alphanumeric()
            || here.is_ascii_uppercase() && (before.is_ascii_lowercase() || !before.is_ascii_lowercase() && lower_next)
    });
    // A name may begin with a sign.
    name.split_at(start.unwrap_or(0))
}

fn is_any(word: &str, words: &[&str]) -> bool {
    words.iter().any(|one| one.eq_ignore_ascii_case(word))
}
