//! What is a secret and what is none, as tables. Every secret is made up, and put together only when the test runs, so that whoever
//! scans this code for secrets finds none.

use super::Redact;
use super::mark;
use super::names::names_secret;
use proptest::prelude::*;
use std::borrow::Cow;

/// So many letters and digits that look random.
fn word(length: usize) -> String {
    "a7Kd93mQx2ZpL5vR8tYw1NcB6hJs4GfE0u".chars().cycle().take(length).collect()
}

fn hex(length: usize) -> String {
    "9f3c0b7a1e5d8246".chars().cycle().take(length).collect()
}

fn upper(length: usize) -> String {
    "Q7ZK3MX2PL5VR6TY".chars().cycle().take(length).collect()
}

fn base64(length: usize) -> String {
    "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC/KcwggSjAgEAAoIBAQC7+3x".chars().cycle().take(length).collect()
}

/// A token with a well-known beginning, and the kind of it.
fn tokens() -> Vec<(String, &'static str)> {
    let jwt = format!("eyJ{}.eyJ{}.{}", word(30), word(60), word(43));
    let mut tokens = vec![
        (format!("{}_{}_{}", "github_pat", word(22), word(59)), "github-token"),
        (format!("{}-ant-api03-{}-{}AA", "sk", word(60), word(30)), "anthropic-key"),
        (format!("{}-{}T3BlbkFJ{}", "sk", word(20), word(20)), "openai-key"),
        (format!("{}-proj-{}_{}", "sk", word(40), word(40)), "openai-key"),
        (format!("{}-or-v1-{}", "sk", hex(64)), "openai-key"),
        (format!("{}_{}", "key", hex(64)), "cursor-key"),
        (format!("{}_{}", "crsr", word(64)), "cursor-key"),
        (format!("{}{}", "AKIA", upper(16)), "aws-key"),
        (format!("{}{}", "ASIA", upper(16)), "aws-key"),
        (format!("{}{}_-{}", "AIza", word(20), word(13)), "google-key"),
        (format!("{}.a0{}-{}", "ya29", word(40), word(30)), "google-key"),
        (format!("{}-{}", "GOCSPX", word(28)), "google-key"),
        (format!("{}-123456789012-1234567890123-{}", "xoxb", word(24)), "slack-token"),
        (format!("{}-123456789012-123456789012-{}", "xoxp", hex(32)), "slack-token"),
        (format!("{}-1-A0{}-123456789012-{}", "xapp", upper(9), hex(64)), "slack-token"),
        (format!("sk_{}_{}", "live", word(24)), "stripe-key"),
        (format!("rk_{}_{}", "live", word(24)), "stripe-key"),
        (format!("sk_{}_51{}", "test", word(97)), "stripe-key"),
        (format!("{}_{}", "whsec", word(32)), "stripe-key"),
        (format!("{}_{}", "npm", word(36)), "npm-token"),
        (format!("{}-AgEIcHlwaS5vcmc{}", "pypi", word(120)), "pypi-token"),
        (format!("{}_{}", "hf", word(34)), "huggingface-token"),
        (format!("{}_v1_{}", "dop", hex(64)), "digitalocean-token"),
        (format!("{}.{}.{}", "SG", word(22), word(43)), "sendgrid-key"),
        (format!("{}{}", "SK", hex(32)), "twilio-key"),
        (format!("{}_{}", "dckr_pat", word(27)), "docker-token"),
        (format!("{}{}", "dapi", hex(32)), "databricks-token"),
        (format!("{}_{}", "lin_api", word(40)), "linear-key"),
        (format!("{}_{}", "ntn", word(46)), "notion-token"),
        (format!("{}_{}", "secret", word(43)), "notion-token"),
        (format!("{}.{}", "hvs", word(90)), "vault-token"),
        (format!("{}-1{}", "AGE-SECRET-KEY", upper(58)), "age-key"),
        (format!("{}_{}", "gsk", word(52)), "groq-key"),
        (format!("{}_{}", "shpat", hex(32)), "shopify-token"),
        (format!("{}_{}_{}", "glsa", word(32), hex(8)), "grafana-token"),
        (format!("{}-{}", "pul", hex(40)), "pulumi-token"),
        (format!("{}MT{}.{}.{}", "", word(22), word(6), word(38)), "discord-token"),
        (format!("{}:AA{}", "123456789", word(33)), "telegram-token"),
        (jwt, "jwt"),
    ];
    for letter in ["p", "o", "u", "s", "r"] {
        tokens.push((format!("gh{letter}_{}", word(36)), "github-token"));
    }
    for name in ["pat", "dt", "rt", "cbt", "ptt", "oas"] {
        tokens.push((format!("gl{name}-{}", word(20)), "gitlab-token"));
    }
    tokens
}

/// Places in which a token may stand.
const PLACES: &[&str] = &[
    "{}",
    "found {} in the log",
    "\"{}\"",
    "'{}',",
    "`{}`",
    "({})",
    "[{}]",
    "\n{}\n",
    "\u{1b}[32m{}\u{1b}[0m",
    "\\u001b[1;31m{}\\u001b[0m",
    "line\\n{}\\nline",
    "{{\\\"a\\\":\\\"{}\\\"}}",
    "a={}&b=c",
    "https://example.com/{}/x",
    "+  {}",
    "**{}**",
    "é{}é",
    "{}.",
    "x:{}, y",
    "<b>{}</b>",
];

/// Texts, in which `{}` stands for the secret, the secret, and its kind.
#[expect(clippy::too_many_lines, reason = "it is a table")]
fn placed() -> Vec<(String, String, &'static str)> {
    let (long, short) = (word(40), "hunter2!x".to_owned());
    let rows: Vec<(&str, String, &'static str)> = vec![
        ("FOO_TOKEN={}", "abcdefgh".into(), "token"),
        ("export API_KEY=\"{}\"", "abcdefgh".into(), "key"),
        ("export API_KEY='{}' # mine", long.clone(), "key"),
        ("DB_PASSWORD={}", short.clone(), "password"),
        ("DB_PASSWORD={}\nNEXT=1", "p&w)x;y".into(), "password"),
        ("DB_PASSWORD_PROD={} npm start", short.clone(), "password"),
        ("docker run -e POSTGRES_PASSWORD={} postgres", "swordfish".into(), "password"),
        ("docker run -e \"POSTGRES_PASSWORD={}\" postgres", "swordfish".into(), "password"),
        ("PGPASSWORD={} psql -h db", "swordfish".into(), "password"),
        ("MYSQL_PWD={} mysql", "swordfish".into(), "password"),
        ("AWS_SECRET_ACCESS_KEY={}", format!("{}/{}+{}", word(13), word(12), word(13)), "key"),
        ("aws_secret_access_key = {}", format!("{}/{}+{}", word(13), word(12), word(13)), "key"),
        ("SECRET_KEY_BASE={}", hex(64), "key"),
        ("TOKEN2={}", long.clone(), "token"),
        ("SMTP_PASS={}", "swordfish".into(), "password"),
        ("//registry.npmjs.org/:_authToken={}", long.clone(), "token"),
        ("_auth={}", format!("{}==", word(22)), "secret"),
        ("{\"auths\":{\"ghcr.io\":{\"auth\":\"{}\"}}}", format!("{}=", word(31)), "secret"),
        ("password: {}", short.clone(), "password"),
        ("  password: {}\n  user: ada", "hunter2".into(), "password"),
        ("password: {} # for tests", "hunter2".into(), "password"),
        ("db:\n  password: \"{}\"\n", "correct horse battery staple".into(), "password"),
        ("api_key: {}", long.clone(), "key"),
        ("Token: {}", long.clone(), "token"),
        ("environment:\n  API_TOKEN: {}\n  X: 1", "abcdef123456".into(), "token"),
        ("API key: {}", long.clone(), "key"),
        ("{\"client_secret\": \"{}\"}", "abcdefghijkl".into(), "secret"),
        ("{\"clientSecret\":\"{}\",\"x\":1}", long.clone(), "secret"),
        ("{\\\"api_token\\\":\\\"{}\\\",\\\"x\\\":1}", long.clone(), "token"),
        ("{\\\\\\\"api_token\\\\\\\":\\\\\\\"{}\\\\\\\"}", long.clone(), "token"),
        ("const password = \"{}\";", "hunter2!".into(), "password"),
        ("const password: string = '{}';", "hunter2!".into(), "password"),
        ("let password: &str = \"{}\";", "hunter2!".into(), "password"),
        ("self.password = b'{}'", "hunter2!".into(), "password"),
        ("var apiKey = `{}`;", long.clone(), "key"),
        ("config[\"password\"] = \"{}\"", "hunter2!".into(), "password"),
        (":password => '{}',", "hunter2!".into(), "password"),
        ("login(user=\"ada\", password=\"{}\")", "hunter2!".into(), "password"),
        ("spring.datasource.password={}", "hunter2x".into(), "password"),
        ("Server=db;Uid=sa;Pwd={};Timeout=3", "hunter2x".into(), "password"),
        ("AccountName=x;AccountKey={};EndpointSuffix=core", format!("{}==", word(86)), "key"),
        ("Endpoint=sb://x/;SharedAccessKeyName=Root;SharedAccessKey={}", format!("{}=", word(43)), "key"),
        ("tool --password {} run", "hunter2".into(), "password"),
        ("tool --password '{}' run", "hunter2 x".into(), "password"),
        ("tool --token={}", "abcdef12".into(), "token"),
        ("tool --api-key \"{}\"", long.clone(), "key"),
        ("[\"--token\", \"{}\", \"run\"]", "abcdef12".into(), "token"),
        ("set -x FOO_SECRET {}", "abcdefgh".into(), "secret"),
        ("set -gx FOO_SECRET '{}'", "abcdefgh".into(), "secret"),
        ("setenv FOO_TOKEN {}", "abcdefgh".into(), "token"),
        ("$env:FOO_TOKEN = \"{}\"", "abcdef12".into(), "token"),
        ("<password>{}</password>", "hunter2x".into(), "password"),
        ("CREATE USER ada WITH PASSWORD '{}';", "hunter2x".into(), "password"),
        ("CREATE USER ada IDENTIFIED BY '{}';", "hunter2x".into(), "password"),
        ("machine example.com login ada password {}", "hunter2x".into(), "password"),
        ("Authorization: Bearer {}", long.clone(), "authorization"),
        ("authorization: bearer {}\r\nHost: x", long.clone(), "authorization"),
        ("Authorization: Basic {}", "YWRhOmh1bnRlcjI=".into(), "authorization"),
        ("Authorization: token {}", hex(40), "authorization"),
        ("Authorization: {}", hex(40), "authorization"),
        ("Proxy-Authorization: Basic {}", "YWRhOmh1bnRlcjI=".into(), "authorization"),
        ("curl -H \"Authorization: Bearer {}\" https://x.y/z", long.clone(), "authorization"),
        ("curl -H 'Authorization: token {}' https://x.y/z", long.clone(), "authorization"),
        ("curl -H \\\"Authorization: Bearer {}\\\" https://x.y/z", long.clone(), "authorization"),
        ("{ headers: { \"Authorization\": \"Bearer {}\" } }", long.clone(), "authorization"),
        ("Authorization: Digest {}", "username=\"ada\", response=\"9f3c0b7a\"".into(), "authorization"),
        ("the server wants Bearer {} there", long.clone(), "authorization"),
        ("X-Api-Key: {}", long.clone(), "key"),
        ("curl -H 'X-Api-Key: {}'", "abcdefgh12345678".into(), "key"),
        ("Private-Token: {}", long.clone(), "token"),
        ("Cookie: {}", "sid=abc; theme=dark".into(), "cookie"),
        ("curl -H 'Cookie: {}' https://x.y", "sid=abcd; theme=dark".into(), "cookie"),
        ("< Set-Cookie: {}\r\n< Via: x", "sid=s%3Aabc.def; Path=/; HttpOnly".into(), "cookie"),
        ("{\"cookie\":\"{}\"}", "sid=abcd1234".into(), "cookie"),
        ("curl -u ada:{} https://x.y", short.clone(), "password"),
        ("curl -s -u 'ada:{}' https://x.y", "hunter2 x".into(), "password"),
        ("curl --user ada:{} https://x.y", short.clone(), "password"),
        ("curl https://x.y \\\n  -u ada:{} \\\n  -o z", short.clone(), "password"),
        ("postgres://ada:{}@db:5432/app", "hunter2".into(), "url-password"),
        ("DATABASE_URL=postgres://ada:{}@db:5432/app", "p@ss".into(), "url-password"),
        ("redis://:{}@cache:6379/0", "hunter2".into(), "url-password"),
        ("git clone https://oauth2:{}@git.example.com/x.git", word(20), "url-password"),
        ("https://x.y/z?token={}&a=b", "abcdef12".into(), "token"),
        ("https://x.y/z?a=b&access_token={}#top", long.clone(), "token"),
        ("GET /z?api_key={} HTTP/1.1", long.clone(), "key"),
        ("https://maps.example.com/js?key={}&v=3", long.clone(), "url-secret"),
        (
            "https://a.blob.example.net/c?sv=2024-01-01&sig={}&se=x",
            format!("{}%2B{}%3D", word(20), word(20)),
            "url-secret",
        ),
        ("https://x.y/?X-Amz-Signature={}", hex(64), "url-secret"),
        ("https://x.y/z?password={}", "hunter2x".into(), "password"),
        ("grant_type=x&client_secret={}&scope=y", long.clone(), "secret"),
        ("redirect%3Faccess_token%3D{}", long.clone(), "token"),
        ("+ API_TOKEN={}", "abcdefgh".into(), "token"),
        ("A=1\\nAPI_TOKEN={}\\nB=2", "abcdefgh".into(), "token"),
        ("\u{1b}[36mAPI_TOKEN\u{1b}[0m API_TOKEN={}\u{1b}[0m", "abcdefgh".into(), "token"),
        ("`API_TOKEN={}`", "abcdefgh".into(), "token"),
        ("ENV API_TOKEN={}", "abcdefgh".into(), "token"),
        ("gh auth login --with-token <<< API_TOKEN={}", "abcdefgh".into(), "token"),
        ("{\"name\":\"API_TOKEN\",\"value\":\"{}\"}", "abcdef12".into(), "token"),
        ("{\\\"name\\\": \\\"DB_PASSWORD\\\",\\n  \\\"value\\\": \\\"{}\\\"}", "hunter2x".into(), "password"),
        ("  {\n    \"Name\": \"apiKey\",\n    \"Value\": \"{}\"\n  }", long.clone(), "key"),
        ("env:\n  - name: DB_PASSWORD\n    value: {}\n  - name: X", "hunter2x".into(), "password"),
        ("env:\n  - name: DB_PASSWORD\n    value: \"{}\"\n", "correct horse".into(), "password"),
        ("{\"name\": \"Authorization\", \"value\": \"Bearer {}\"}", long.clone(), "authorization"),
        ("{\"name\":\"Cookie\",\"value\":\"{}\"}", "sid=abcd1234".into(), "cookie"),
        ("sshpass -p {} ssh ada@db", "swordfish".into(), "password"),
        ("sshpass -p{} ssh ada@db", "swordfish".into(), "password"),
        ("sshpass -p '{}' scp a b", "sword fish".into(), "password"),
        ("redis-cli -a {} ping", "swordfish".into(), "password"),
        ("redis-cli -h cache -p 6379 -a \"{}\" ping", "swordfish".into(), "password"),
        ("{\"password\":\"{}\"}", "[redacted:hunter2]".into(), "password"),
        ("password: \"{}\"", "[redacted:pass]hunter2".into(), "password"),
        ("https://ada:{}@db/x", "[redacted:hunter2]".into(), "url-password"),
    ];
    let mut placed: Vec<_> =
        rows.into_iter().map(|(place, secret, kind)| (place.replace("{}", &secret), secret, kind)).collect();
    for (token, kind) in tokens() {
        // The slash could be a part of base64.
        for place in PLACES.iter().filter(|place| !(token.starts_with("whsec") && place.contains("{}/"))) {
            let place =
                if place.contains("{{") { place.replace("{{", "{").replace("}}", "}") } else { (*place).to_owned() };
            placed.push((place.replace("{}", &token), token.clone(), kind));
        }
    }
    placed
}

fn redact() -> Redact {
    Redact::new(None).expect("no pattern is wrong")
}

#[test]
fn secrets_are_masked_and_what_is_around_them_stays() {
    let redact = redact();
    let mut wrong = Vec::new();
    for (text, secret, kind) in placed() {
        let want = text.replace(&secret, &format!("[redacted:{kind}]"));
        let masked = redact.mask(&text);
        if masked != want {
            wrong.push(format!("{text:?}\n   {masked:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn blocks_of_private_keys_are_masked_whole_or_cut() {
    let redact = redact();
    let dashes = "-----";
    let lines = |newline: &str| (0..6).map(|_| base64(64)).collect::<Vec<_>>().join(newline);
    for label in ["PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY", "OPENSSH PRIVATE KEY", "ENCRYPTED PRIVATE KEY"] {
        for newline in ["\n", "\r\n", "\\n", "\\r\\n", "\n  ", "\n+", "\n-"] {
            let (begin, end) = (format!("{dashes}BEGIN {label}{dashes}"), format!("{dashes}END {label}{dashes}"));
            let body = lines(newline);
            let whole = format!("{begin}{newline}{body}{newline}{end}");
            for (before, after) in
                [("", ""), ("KEY=\"", "\"\nX=1"), ("key: |\n  ", "\nnext: 1"), ("a {\"k\":\"", "\\n\"}")]
            {
                let text = format!("{before}{whole}{after}");
                let masked = redact.mask(&text);
                assert_eq!(masked, format!("{before}[redacted:private-key]{after}"), "{text:?}");
            }
            let cut = format!("$ head key\n{begin}{newline}{body}{newline}{}", base64(20));
            assert_eq!(redact.mask(&cut), "$ head key\n[redacted:private-key]");
            let rest = format!("{}{newline}{body}{newline}{end}\n$ ls", base64(20));
            assert_eq!(redact.mask(&rest), "[redacted:private-key]\n$ ls", "{rest:?}");
            let tail = format!("$ tail key\n{body}{newline}abc={newline}{end}");
            assert_eq!(redact.mask(&tail), "$ tail key\n[redacted:private-key]", "{tail:?}");
        }
    }
    let pgp = format!(
        "{dashes}BEGIN PGP PRIVATE KEY BLOCK{dashes}\nVersion: X v2\n\n{}\n=abcd\n{dashes}END PGP PRIVATE KEY BLOCK{dashes}\n",
        lines("\n")
    );
    assert_eq!(redact.mask(&pgp), "[redacted:private-key]\n");
    let old = format!(
        "{dashes}BEGIN RSA PRIVATE KEY{dashes}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,9F3C\n\n{}\n{dashes}END RSA PRIVATE KEY{dashes}",
        lines("\n")
    );
    assert_eq!(redact.mask(&old), "[redacted:private-key]");
}

/// What shows nothing, or is written over.
const HIDDEN: &[&str] = &[
    "\u{1b}[m",
    "\u{1b}[01;31m\u{1b}[K",
    "\u{1b}]8;;http://a.b/c\u{1b}\\",
    "\u{1b}]0;title\u{7}",
    "\u{1b}(B\u{1b}[m",
    "\u{1b}7",
    "\u{1b}Pq#0\u{1b}\\",
    "\u{9b}31m",
    "\u{9d}0;title\u{9c}",
    "x\u{8}",
    "é漢\u{8}\u{8}",
    "\0",
    "\u{7}",
    "\u{b}",
    "\u{c}",
    "\u{1b}",
    "\u{7f}",
    "\u{85}",
    "\u{ad}",
    "\u{34f}",
    "\u{61c}",
    "\u{115f}",
    "\u{1160}",
    "\u{17b4}",
    "\u{180e}",
    "\u{200b}",
    "\u{200d}",
    "\u{200f}",
    "\u{202e}",
    "\u{2060}",
    "\u{2069}",
    "\u{3164}",
    "\u{fe0f}",
    "\u{feff}",
    "\u{ffa0}",
    "\u{fff9}",
    "\u{e000}",
    "\u{e001}",
    "\u{1d173}",
    "\u{e0041}",
];

/// The text with something hidden before every so many characters.
fn parted(text: &str, hidden: &str, every: usize) -> String {
    let chars = text.chars().enumerate();
    chars.map(|(at, char)| if at % every == 0 { format!("{hidden}{char}") } else { char.to_string() }).collect()
}

#[test]
fn what_shows_nothing_hides_no_secret() {
    let redact = redact();
    let mut wrong = Vec::new();
    for (text, secret, _) in placed() {
        // An escape may not be parted from what follows it, nor come to stand before what it goes well with.
        let unfit = |hidden: &str| text.contains('\u{1b}') || hidden == "\u{1b}" && text.contains(['[', ']']);
        for (place, hidden) in HIDDEN.iter().enumerate().filter(|(_, hidden)| !unfit(hidden)) {
            for every in [1, 3, 7 + place % 5] {
                let masked = redact.mask(&parted(&text, hidden, every)).replace(hidden, "");
                // Some of what is around may be taken along, where the raw text is a secret too.
                if masked.contains(&secret) || !masked.contains("[redacted:") {
                    wrong.push(format!("{text:?} {hidden:?} {every}\n   {masked:?}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong[..wrong.len().min(40)].join("\n"));
}

#[test]
fn what_is_hidden_stays_around_a_secret_and_goes_with_what_is_within() {
    let redact = redact();
    let (long, token) = (word(16), format!("ghp_{}", word(36)));
    let rows = [
        (
            format!("\u{1b}[01;31m\u{1b}[Kghp_\u{1b}[m\u{1b}[K{}", word(36)),
            "\u{1b}[01;31m\u{1b}[K[redacted:github-token]",
        ),
        (
            format!("DB_\u{1b}[01;31m\u{1b}[KPASSWORD\u{1b}[m\u{1b}[K={long}"),
            "DB_\u{1b}[01;31m\u{1b}[KPASSWORD\u{1b}[m\u{1b}[K=[redacted:password]",
        ),
        (format!("API_TOKEN=\u{1b}[32m{long}\u{1b}[0m"), "API_TOKEN=\u{1b}[32m[redacted:token]\u{1b}[0m"),
        (
            format!(
                "\u{1b}[34;1m\"password\"\u{1b}[0m\u{1b}[1;39m:\u{1b}[0m \u{1b}[0;32m\"{long}\"\u{1b}[0m\u{1b}[1;39m,\u{1b}[0m"
            ),
            "\u{1b}[34;1m\"password\"\u{1b}[0m\u{1b}[1;39m:\u{1b}[0m \u{1b}[0;32m\"[redacted:password]\"\u{1b}[0m\u{1b}[1;39m,\u{1b}[0m",
        ),
        (
            format!("https://user:\u{1b}[1m{long}\u{1b}[0m@h/"),
            "https://user:\u{1b}[1m[redacted:url-password]\u{1b}[0m@h/",
        ),
        (
            format!("Authorization: \u{1b}[1mBearer\u{1b}[0m {long}"),
            "Authorization: \u{1b}[1mBearer\u{1b}[0m [redacted:authorization]",
        ),
        (format!("a {}\u{1b}[1m{} b", &token[..20], &token[20..]), "a [redacted:github-token] b"),
        (format!("gh\u{8}{}", &token[1..]), "[redacted:github-token]"),
        (format!("gh\u{8}{}", &token[2..]), "[redacted:github-token]"),
        (format!("a\u{8} {token}\u{8}"), "a\u{8} [redacted:github-token]\u{8}"),
        (
            format!("\u{1b}]8;;https://a/\u{1b}\\{token}\u{1b}]8;;\u{1b}\\"),
            "\u{1b}]8;;https://a/\u{1b}\\[redacted:github-token]\u{1b}]8;;\u{1b}\\",
        ),
        (format!("\u{1b}]8;;https://a/?token={long}\u{1b}\\x"), "\u{1b}]8;;https://a/?token=[redacted:token]\u{1b}\\x"),
    ];
    for (text, want) in rows {
        assert_eq!(redact.mask(&text), want, "{text:?}");
    }
}

#[test]
fn a_users_patterns_find_what_shows() {
    let redact = Redact::new(Some("ACME-[0-9]{6}")).expect("it is valid");
    assert_eq!(redact.mask("é ACME\u{200b}-12\u{1b}[1m3456\u{1b}[0m."), "é [redacted:pattern]\u{1b}[0m.");
}

#[test]
fn every_kind_has_a_mark_and_no_other_word_has_one() {
    let redact = redact();
    for (_, _, kind) in placed() {
        assert!(mark::is_mark(&format!("[redacted:{kind}]")), "{kind}");
    }
    let rows = [
        ("password=[redacted:hunter2]", "password=[redacted:password]]"),
        ("API_TOKEN=[redacted:abc-def]", "API_TOKEN=[redacted:token]]"),
        ("API_TOKEN=[redacted:token]abcdef12", "API_TOKEN=[redacted:token][redacted:token]"),
        ("password=[redacted:token]hunter2", "password=[redacted:token][redacted:password]"),
    ];
    for (text, want) in rows {
        assert_eq!(redact.mask(text), want);
        assert_eq!(redact.mask(want), want);
    }
}

#[test]
fn under_a_secret_name_all_is_masked_that_is_not_clearly_none() {
    let (long, short) = (word(16), word(12));
    let secret = [
        ("secretAccessKey", format!("/{long}")),
        ("secretAccessKey", format!("/{}/{}+{}", word(13), word(12), word(13))),
        ("secretAccessKey", format!("/Abc/{long}")),
        ("password", "/hunter2".into()),
        ("password", "/hunter/2!".into()),
        ("password", "$uper9Secret!x".into()),
        ("password", "$uper9Secret".into()),
        ("password", "~hunter".into()),
        ("password", "$hunter2".into()),
        ("password", "change of heart".into()),
        ("password", "enter sandman".into()),
        ("token", format!("~{short}")),
        ("token", format!("<{short}>")),
        ("token", format!("${{{long}}}")),
        ("token", format!("%{short}%")),
        ("token", "12345".into()),
        ("token", "abcdefgh".into()),
        ("password", "[redacted:hunter2]".into()),
        ("password", "[redacted:password]hunter2".into()),
        ("password", "yourself1".into()),
        ("password", "correct horse".into()),
        ("Authorization", format!("Bearer {long}")),
        ("cookie", "sid=abcd1234".into()),
        ("pass\u{200b}word", "hunter2".into()),
        ("API_\u{1b}[1mTOKEN", "hunter2".into()),
        ("dbPassword", "é漢字".into()),
    ];
    for (key, value) in secret {
        assert!(Redact::is_secret(key, &value), "{key}: {value:?}");
    }
    let none = [
        ("name", "hunter2x"),
        ("command", "$uper9Secret!x"),
        ("maxTokens", "123456"),
        ("token", ""),
        ("token", "abcd"),
        ("token", "     "),
        ("password", "false"),
        ("password", "$DB_PASSWORD"),
        ("password", "$DB_PASSWORD_2"),
        ("password", "$dbPassword"),
        ("password", "${DB_PASSWORD}"),
        ("password", "${{ secrets.DB_PASSWORD }}"),
        ("password", "$(cat /run/secrets/db)"),
        ("password", "{{ .Values.db.password }}"),
        ("password", "%DB_PASSWORD%"),
        ("password", "$env:DB_PASSWORD"),
        ("token", "process.env.API_TOKEN"),
        ("token", "op://vault/item/field"),
        ("token", "/run/secrets/db_token"),
        ("token", "~/.config/gh/token"),
        ("token", "./token.txt"),
        ("token", "../a/token-2024.txt"),
        ("token", "C:\\Users\\ada\\token.txt"),
        ("privateKey", "/home/ada/.ssh/id_ed25519"),
        ("token", "<your-token>"),
        ("token", "your-token-here"),
        ("token", "YOUR_API_TOKEN"),
        ("token", "replace-me"),
        ("token", "changeme"),
        ("token", "********"),
        ("token", "xxxxxxxx"),
        ("token", "undefined"),
        ("token", "string"),
        ("credentials", "include"),
        ("credentials", "omit"),
        ("credentials", "same-origin"),
        ("token", "[redacted:github-token]"),
        ("Authorization", "Bearer $API_TOKEN"),
        ("Authorization", "Bearer [redacted:authorization]"),
        ("Authorization", "token ${API_TOKEN}"),
    ];
    for (key, value) in none {
        assert!(!Redact::is_secret(key, value), "{key}: {value:?}");
    }
}

/// Texts without secrets, one a row.
const INNOCENT: &[&str] = &[
    // Names that only look like it.
    "max_tokens=4096",
    "\"max_tokens\": 4096,",
    "tokens: 123",
    "token_count=1234567",
    "\"inputTokens\":123456,\"outputTokens\":98765",
    "let tokenizer = Tokenizer::from_file(\"tokenizer-v2.json\");",
    "tokenizer: bert-base-uncased-2018",
    "secretary: \"Ada Lovelace 1815\"",
    "author: \"ada1815@example.com\"",
    "authority=\"https://login.example.com/tenant1\"",
    "keyboard: \"us-intl-105\"",
    "monkey=\"george123\"",
    "primary_key=id123456",
    "foreign_key: \"user_id_1234\"",
    "password_reset_url: https://example.com/reset/123",
    "csrf_token_name: \"csrfmiddleware1\"",
    "token_type: \"Bearer123\"",
    "secret_name = \"prod/db-2024\"",
    "secretName: my-tls-secret-2024",
    "passwordFile: /run/secrets/db2024",
    "PASSWORD_FILE=/run/secrets/db_password",
    "PWD=/home/ada/project1",
    "OLDPWD=/home/ada/project2",
    "SSH_AUTH_SOCK=/tmp/ssh-XXXX1234/agent.1",
    "key: value-1234567890",
    "cache-key: Linux-cargo-9f3c0b7a1e5d8246",
    "session_id: 0b6c1f3e-7a52-4d1c-9e08-5f2d7a6b3c41",
    "\"session_id\":\"0b6c1f3e-7a52-4d1c-9e08-5f2d7a6b3c41\"",
    "next_token: \"a7Kd93mQx2ZpL5vR\"",
    "nextPageToken=a7Kd93mQx2ZpL5vR",
    "pad_token=\"[PAD]99\"",
    "show_password=true123",
    "requires_auth: \"yes-always-123\"",
    "auth: basic",
    "auth: \"oauth2-pkce\"",
    "oauth: https://example.com/oauth2/authorize",
    "passing: 123456 tests",
    "bypass=\"all-123456\"",
    "compass: north-12345",
    "ssh_key_name: deploy-2024-01",
    "access_key_id: primary-1234",
    "tokenize=porter2stemmer",
    "cookie_consent: \"accepted-2024\"",
    "cookies: 12 chocolate",
    // References.
    "TOKEN=$GITHUB_TOKEN",
    "export API_TOKEN=\"${API_TOKEN}\"",
    "API_TOKEN=${{ secrets.API_TOKEN }}",
    "password: ${{ secrets.DB_PASSWORD }}",
    "set FOO=%API_TOKEN%",
    "API_TOKEN=%API_TOKEN%",
    "token: process.env.GITHUB_TOKEN,",
    "const token = process.env.GITHUB_TOKEN;",
    "token = os.environ[\"GITHUB_TOKEN\"]",
    "api_key=os.environ.get(\"API_KEY\")",
    "let token = env::var(\"GITHUB_TOKEN\")?;",
    "let token = std::env::var(\"GITHUB_TOKEN\").unwrap_or_default();",
    "password: !vault |",
    "password: {{ db_password }}",
    "password: \"{{ .Values.db.password }}\"",
    "password = var.db_password",
    "secret_key = aws_secretsmanager_secret.app.secret_string",
    "curl -H \"Authorization: Bearer $TOKEN\" https://x.y",
    "curl -H \"Authorization: Bearer ${API_TOKEN}\" https://x.y",
    "headers: { Authorization: `Bearer ${token}` }",
    "headers[\"Authorization\"] = f\"Bearer {token}\"",
    "\"Authorization\": \"Bearer \" + token",
    "Authorization: Bearer <your-token>",
    "Authorization: Bearer YOUR_TOKEN",
    "Authorization: Bearer xxx",
    "curl -u $USER:$PASSWORD https://x.y",
    "curl -u \"$USER:${PASSWORD}\" https://x.y",
    "postgres://ada:${DB_PASSWORD}@db:5432/app",
    "postgres://ada:$DB_PASSWORD@db:5432/app",
    "https://user:***@example.com/x",
    "DB_PASSWORD=$(cat /run/secrets/db)",
    "PASSWORD=`pass show db`",
    "https://x.y/z?token=${token}",
    "https://x.y/z?token=$TOKEN&a=b",
    "tool --token $TOKEN --verbose",
    "tool --token \"$TOKEN\"",
    "tool --token <token>",
    "tool --token TOKEN",
    "tool --password-stdin < file1234",
    "use the --token option to log in",
    "`--token` is read before `--password` there",
    // Placeholders.
    "API_KEY=xxx",
    "API_KEY=xxxxxxxxxxxxxxxx",
    "API_KEY=your-api-key-1",
    "API_KEY=<your-token>",
    "password: \"***\"",
    "password: ********",
    "token: \"...\"",
    "secret: null",
    "password: none",
    "token: undefined",
    "password: true",
    "secret=",
    "password:",
    "token: \"\"",
    "token: ''",
    "token=[redacted:token]",
    "password: [redacted:password]",
    "\"token\": 123456789",
    // Types and code.
    "token: string",
    "token?: string;",
    "password: &str,",
    "password: String,",
    "pub token: Option<String>,",
    "secret: SecretString,",
    "api_key: Optional[str] = None",
    "def login(user: str, password: str) -> Token:",
    "fn token(&self) -> &str {",
    "let token = next_token();",
    "let token = self.tokens.next()?;",
    "const token = await getToken(user1, 'read');",
    "password = getpass()",
    "password = getpass.getpass(\"Password: \")",
    "token == other12345",
    "if (token === otherToken123) {",
    "if password != expected_password1 {",
    "token => token.kind2,",
    "Token::Ident(name123) => {}",
    "match token { Token::Eof => break, _ => {} }",
    "return { token: accessToken, user: user1 };",
    "{ token, secret: this.secret, password: user.password }",
    "password: z.string().min(8),",
    "password: bcrypt.hashSync(password, 10),",
    "<Form token={token} password={user.password1} />",
    "<input type=\"password\" name=\"token\" value=\"\" />",
    "client = Client(api_key=settings.api_key, token=token1)",
    "    token=get_token(),",
    "    password=hashed_password,",
    "this.password = password;",
    "self.token = token",
    "$password = $_POST['password'];",
    "password := r.FormValue(\"password\")",
    "token, err := parser.next()",
    "private final String password;",
    "SecretKey key = new SecretKeySpec(bytes, \"AES\");",
    "const { token } = useAuth();",
    "type Token = { kind: 'ident'; value: string };",
    "expect(token).toBe('identifier');",
    "{ token: 'keyword.control', foreground: 'ff0000' }",
    "\"token\": \"identifier\"",
    "password: \"Enter your password\"",
    "\"password\": \"Password\"",
    "\"password\": \"auth.login.password\"",
    "errors.password = \"Password must be at least 8 characters\";",
    "credentials: 'include',",
    "fetch(url, { credentials: \"same-origin\" })",
    "Authorization: required",
    "let auth = Authorization::basic(user, pass1);",
    "cookie: string;",
    "Cookie: the small one",
    "document.cookie.split('; ')",
    "CREATE TABLE users (id INT, password VARCHAR(255), token TEXT);",
    "SELECT token, password FROM users WHERE id = 12345;",
    "UPDATE users SET token = NULL WHERE id = 12345;",
    "assert(text.starts_with(\"-----BEGIN PRIVATE KEY-----\"));",
    "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
    "the line must be -----END RSA PRIVATE KEY-----",
    "grep -r 'BEGIN RSA PRIVATE KEY' .",
    "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYDVQQGEwJJ\nabcdefgh\n-----END CERTIFICATE-----",
    "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\n-----END PUBLIC KEY-----",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJl3dIeudNqd0DPMRD6OIh65tjkxFNOtGcWI2B8RCkZr ada@example",
    "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQC7vbqajDhA3cf1a9c0b7a1e5d8246 ada@example",
    // Hashes, ids, data.
    "9f3c0b7a1e5d82469f3c0b7a1e5d82469f3c0b7a",
    "commit 9f3c0b7a1e5d82469f3c0b7a1e5d82469f3c0b7a (HEAD -> main)",
    "9f3c0b7a1e5d82469f3c0b7a1e5d82469f3c0b7a1e5d82469f3c0b7a1e5d8246  file.tar.gz",
    "0b6c1f3e-7a52-4d1c-9e08-5f2d7a6b3c41",
    "sha256:9f3c0b7a1e5d82469f3c0b7a1e5d82469f3c0b7a1e5d82469f3c0b7a1e5d8246",
    "FROM rust@sha256:9f3c0b7a1e5d82469f3c0b7a1e5d82469f3c0b7a1e5d82469f3c0b7a1e5d8246",
    "\"integrity\": \"sha512-9f3cZp0b7aK1e5dQ8246xR9f3cZp0b7aK1e5dQ8246xR9f3cZp0b7aK1e5dQ8246xRAA==\",",
    "checksum = \"9f3c0b7a1e5d82469f3c0b7a1e5d82469f3c0b7a1e5d82469f3c0b7a1e5d8246\"",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
    "index 9f3c0b7..1e5d824 100644",
    "toolu_01A7Kd93mQx2ZpL5vR8tYw1Nc",
    "req_a7Kd93mQx2ZpL5vR8tYw1NcB",
    "2026-01-02T03:04:05.678Z",
    "color: #9f3c0b; background: #1e5d8246",
    "v1.2.3-beta.4+build.5678",
    "192.168.100.200:8080",
    "http://localhost:3000/path?x=1",
    "https://example.com:8443/a:b@c",
    "http://[::1]:8080/",
    "git@github.com:ada/app.git",
    "ssh://git@github.com:22/ada/app.git",
    "mailto:ada@example.com",
    "https://example.com/search?key=value&page=2",
    "https://example.com/x?key=user-profile-settings-page",
    "npm_config_registry=https://registry.npmjs.org/",
    "npm_lifecycle_event=build",
    "npm_package_dependencies_left_pad_version",
    "pip install hf_hub hf_transfer",
    "hf_hub_download(repo_id=\"a/b\", filename=\"c.bin\")",
    "task-management-with-numbers-1234567890",
    "risk-assessment-2024-report-final-v2",
    "desk-sk-circle",
    "sk-folding-cube sk-circle1 sk-circle12",
    "class=\"sk-fading-circle sk-three-bounce-wrapper\"",
    "key_points_of_the_design_document",
    "secret_santa_2024_organisation_of_the_whole_department",
    "gl-matrix glpat-docs-example-page",
    "ghp_import_tests_for_the_output_of_all_tools_2024",
    "pypi-publish-action-for-the-release-workflow-v2",
    "xoxo-hugs-and-kisses-2024",
    "AKIAVELLI wrote a book",
    "eyJust some text.eyJ",
    "the SG.com site and SK1234",
    "dapi_docs and dapience",
    "test redact::masks_a_token_of_every_known_maker ... ok",
    "test it::password_is_not_shown_in_the_log ... ok",
    "node_modules/@types/jsonwebtoken/index.d.ts:12:34",
    "src/auth/token.rs:123:45: error[E0308]: mismatched types",
    "import { token } from './token1';",
    "use crate::token::{Token, TokenKind2};",
    "- [ ] rotate the token: it is 90 days old",
    "## Token: how it is made",
    "The password: never shown to anybody.",
    "Invalid token: unexpected end of input at line 12",
    "SyntaxError: Unexpected token: punc (12345)",
    "error: unexpected token `}` at 12:34",
    "| token | string | the access token |",
    "diff --git a/src/secret.rs b/src/secret.rs",
    "@@ -12,7 +12,9 @@ fn password(&self) -> bool {",
    "+    let secret = load_secret(path)?;",
    "-    password: Option<&'a str>,",
    "set -e -u -o pipefail",
    "set -x",
    "sort -u file:name1234",
    "docker run -u 1000:1000 image",
    "git push -u origin main:main123",
    "Bearer authentication is described in RFC 6750",
    "a bearer of good news, again and again and again",
    "WITH PASSWORD 'must be set'",
    "login ada with password hunter",
    "aws sts get-session-token --duration-seconds 3600",
    "gh auth login --with-token < token.txt",
    "kubectl get secret app -o yaml",
    "vault kv get secret/app",
    "permissions:\n  id-token: write\n  contents: read",
    "uses: actions/checkout@9f3c0b7a1e5d82469f3c0b7a1e5d82469f3c0b7a",
    "apiVersion: v1\nkind: Secret\nmetadata:\n  name: app-2024",
    "secretKeyRef:\n  name: app-2024\n  key: password",
    "env:\n  - name: DB_PASSWORD\n    valueFrom:\n      secretKeyRef: {name: app1}",
    "secrets: inherit",
    "token: ${{ github.token }}",
    "with:\n  token: ${{ secrets.GITHUB_TOKEN }}",
    "[build-dependencies]\nsecrecy = \"0.10.3\"",
    "jsonwebtoken = { version = \"9.3.0\" }",
    "\"node_modules/csrf-token\": { \"version\": \"1.2.3\" }",
    "password-hash 0.5.0 (registry+https://github.com/rust-lang/crates.io-index)",
    "sshpass -p \"$PASSWORD\" ssh ada@db",
    "sshpass -p $PASSWORD ssh ada@db",
    "sshpass -e ssh ada@db1234",
    "redis-cli -a $REDIS_PASSWORD ping",
    "redis-cli -h cache1234 ping",
    "{\"name\":\"API_TOKEN\",\"value\":\"$API_TOKEN\"}",
    "{\"name\":\"API_TOKEN\",\"type\":\"string\",\"value\":\"a\"}",
    "{ name: 'token', value: token1 },",
    "- name: DB_PASSWORD\n  value: ${DB_PASSWORD}",
    "{\"name\":\"tokens\",\"value\":\"1234567a\"}",
    // Nothing shows, and nothing is secret.
    "\u{1b}[34;1m\"token\"\u{1b}[0m\u{1b}[1;39m:\u{1b}[0m \u{1b}[0;32m\"identifier\"\u{1b}[0m",
    "API_\u{1b}[1mTOKEN\u{1b}[0m=$\u{1b}[1mAPI_TOKEN\u{1b}[0m",
    "tok\u{ad}en: str\u{200b}ing",
    "⚠\u{fe0f} the pass\u{ad}word: never shown",
    "\u{feff}\u{200b}\u{1b}\u{9b}\u{8}",
    "(?P<public_key>.*?):(?P<secret_key>.*?)@(?P<host>.*?)/",
    "^https://(?:[^:@/]+):(?:[^@/]+)@",
    "\u{1b}[32mtoken\u{1b}[0m: string",
    "é token: ü, 密码：无",
    "",
    "=",
];

#[test]
fn what_is_no_secret_comes_back_as_it_was() {
    let redact = redact();
    let masked = INNOCENT.iter().filter_map(|text| match redact.mask(text) {
        Cow::Borrowed(_) => None,
        Cow::Owned(masked) => Some(format!("{text:?}\n   {masked:?}")),
    });
    let wrong: Vec<String> = masked.collect();
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn names_of_secrets_are_told_from_those_that_only_look_like_it() {
    let secret = "token Token API_TOKEN apiToken GITHUB_TOKEN accessToken access_token secret clientSecret client-secret \
        SECRET_KEY SECRET_KEY_BASE password Password DB_PASSWORD passwd dbPasswd pwd MYSQL_PWD passphrase api_key apiKey \
        apikey API-KEY x-api-key APIKey accessKey aws_secret_access_key secretAccessKey private_key privateKey credential \
        credentials NPM_AUTH _auth _authToken authtoken authorization Authorization Proxy-Authorization Cookie set-cookie \
        TOKEN_2 password1 PGPASSWORD SMTP_PASS AccountKey PHPSESSID connect.sid tokenValue";
    for name in secret.split_whitespace() {
        assert!(names_secret(name), "{name}");
    }
    let other = "tokenizer tokens max_tokens maxTokens token_count tokenCount secretary author authority auth keyboard monkey key \
        primary_key foreign_key publicKey password_reset_url csrf_token_name PWD OLDPWD session_id sessionId path command \
        requires_auth nextToken page_token AWS_ACCESS_KEY_ID secretName compass bypass resetPassword SSH_AUTH_SOCK cookies";
    for name in other.split_whitespace().chain(["", "_", "é", "1"]) {
        assert!(!names_secret(name), "{name}");
    }
}

#[test]
fn a_users_patterns_are_masked_and_a_bad_one_is_named() {
    let redact =
        Redact::new(Some("\u{feff}# ours\n\n  \nACME-[0-9]{6}\r\n(?i)code ?name \\w+\nx*\n")).expect("all are valid");
    assert_eq!(
        redact.mask("see ACME-123456 of Codename Ünder, ghp"),
        "see [redacted:pattern] of [redacted:pattern], ghp"
    );
    let wide = Redact::new(Some("=.+")).expect("it is valid");
    assert_eq!(wide.mask("API_TOKEN=abcdefgh"), "API_TOKEN[redacted:pattern]", "the longest has the name");
    let error = Redact::new(Some("fine\n# no\n(open")).expect_err("it is no pattern");
    assert_eq!(error, "line 3: unclosed group");
    for (pattern, reason) in [
        ("\u{1b}]0;x\u{7}[", "unclosed character class"),
        ("::error::\u{85}\u{202e}(", "unclosed group"),
        ("(?P<1é>a)", "invalid capture group character"),
        ("\\é", "unrecognized escape sequence"),
        ("a{2,1}", "invalid repetition count range, the start must be <= the end"),
        ("\\pX", "Unicode property not found"),
        ("(?:a{1000}){1000}", "Compiled regex exceeds size limit of 10485760 bytes."),
    ] {
        assert_eq!(Redact::new(Some(pattern)).expect_err("it is no pattern"), format!("line 1: {reason}"));
    }
    let trimmed = Redact::new(Some(" # a note (\n\tACME-[0-9]+ \t\n")).expect("all are valid");
    assert_eq!(trimmed.mask("ACME-12"), "[redacted:pattern]");
}

#[test]
fn a_long_secret_is_masked_to_its_end() {
    let redact = redact();
    for (before, after) in
        [("API_TOKEN=", "\nx"), ("password: \"", "\", x"), ("Authorization: Bearer ", "'"), ("Cookie: a=", "\nb")]
    {
        let masked = redact.mask(&format!("{before}{}{after}", word(100_000))).into_owned();
        assert!(masked.len() < 60 && masked.ends_with(after), "{}", &masked[..60.min(masked.len())]);
    }
}

/// One of the texts above, or some of what they are made of, or anything.
fn piece() -> impl Strategy<Value = String> {
    let secrets: Vec<String> = placed().into_iter().map(|(text, ..)| text).collect();
    let signs = [
        "\n",
        " ",
        "\"",
        "\\",
        "'",
        "=",
        ":",
        "-",
        "token=",
        "password: ",
        "Bearer ",
        "://a:",
        "@",
        "eyJ",
        ".",
        "[redacted:",
        "]",
        "[redacted:jwt]",
        "-----BEGIN PRIVATE KEY-----",
        "-----END PRIVATE KEY-----",
        "\\n",
        "\u{1b}[1m",
        "é",
        "sk-",
        "curl -u a:",
        "[redacted:hunter2]",
        "$",
    ];
    let signs = [signs.as_slice(), HIDDEN].concat();
    prop_oneof![
        prop::sample::select(secrets),
        prop::sample::select(INNOCENT).prop_map(str::to_owned),
        prop::sample::select(signs).prop_map(str::to_owned),
        "[a-zA-Z0-9]{1,40}",
        any::<String>(),
    ]
}

proptest! {
    #[test]
    fn what_was_masked_is_not_masked_again(pieces in prop::collection::vec(piece(), 0..8), glue in "[ \n\"]?") {
        let redact = redact();
        let text = pieces.join(&glue);
        let masked = redact.mask(&text);
        let again = redact.mask(&masked);
        prop_assert_eq!(&again, &masked);
    }

    #[test]
    fn what_was_masked_is_not_masked_again_where_much_is_hidden(
        pieces in prop::collection::vec(piece(), 0..5),
        hidden in prop::sample::select(HIDDEN),
        every in 1..40_usize,
    ) {
        let redact = redact();
        let masked = redact.mask(&parted(&pieces.concat(), hidden, every)).into_owned();
        prop_assert_eq!(&redact.mask(&masked), &masked);
    }

    #[test]
    fn any_text_can_be_masked(text in any::<String>()) {
        let _ = redact().mask(&text);
    }
}
