//! What the consoles of CI systems can do beside showing lines.

use super::{Ink, Page};
use std::io;

/// A CI system whose console reads along.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Runner {
    /// GitHub Actions: <https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands>.
    Github,
    /// GitLab CI/CD: <https://docs.gitlab.com/ci/jobs/job_logs/>.
    Gitlab,
}

/// How much a message matters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Weight {
    /// The job should not be green.
    Error,
    /// Somebody should know.
    Warning,
}

impl Runner {
    /// The line that puts a message where it is found, if the console knows one.
    #[must_use]
    pub fn message(self, weight: Weight, title: &str, text: &str) -> Option<String> {
        let command = match weight {
            Weight::Error => "error",
            Weight::Warning => "warning",
        };
        match self {
            Self::Github => {
                let title = data(title).replace(':', "%3A").replace(',', "%2C");
                Some(format!("::{command} title={title}::{}", data(text)))
            }
            Self::Gitlab => None,
        }
    }
}

/// Text in a command to a GitHub runner.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

impl Page<'_> {
    /// Writes a line, under which a console that can do so folds away what comes up to [`Page::unfold`]. `at_ms` is when what the
    /// line tells of began, in milliseconds since 1970.
    ///
    /// # Errors
    /// As for [`Page::raw`].
    pub fn fold(&mut self, line: &[(Ink, String)], at_ms: Option<i64>) -> io::Result<()> {
        match self.look.runner {
            Some(Runner::Github) => {
                let title: String = line.iter().map(|(_, text)| text.as_str()).collect();
                self.raw(format!("::group::{}\n", data(title.trim())).as_bytes())
            }
            Some(Runner::Gitlab) => {
                self.folds += 1;
                let (second, name) = (seconds(at_ms), self.section());
                self.raw(format!("\x1b[0Ksection_start:{second}:{name}[collapsed=true]\r\x1b[0K").as_bytes())?;
                self.fitted(line)?;
                self.put(Ink::Plain, "\n")
            }
            None => {
                self.fitted(line)?;
                self.put(Ink::Plain, "\n")
            }
        }
    }

    /// What is folded away ends here. `at_ms` is when what it tells of was over.
    ///
    /// # Errors
    /// As for [`Page::raw`].
    pub fn unfold(&mut self, at_ms: Option<i64>) -> io::Result<()> {
        match self.look.runner {
            Some(Runner::Github) => self.raw(b"::endgroup::\n"),
            Some(Runner::Gitlab) => {
                let (second, name) = (seconds(at_ms), self.section());
                self.raw(format!("\x1b[0Ksection_end:{second}:{name}\r\x1b[0K\n").as_bytes())
            }
            None => Ok(()),
        }
    }

    /// The name of the section that is open. Two programs of one job must not use the same, so the process is in it.
    fn section(&self) -> String {
        format!("call_{}_{}", std::process::id(), self.folds)
    }
}

fn seconds(at_ms: Option<i64>) -> i64 {
    at_ms.unwrap_or(0).max(0) / 1000
}

#[cfg(test)]
mod tests {
    use super::{Runner, Weight};
    use crate::page::{Ink, Look, Page};

    #[test]
    fn a_message_is_one_command_whatever_it_says() {
        let line = Runner::Github.message(Weight::Error, "a: b, 5%", "x\n::warning::y\r 100%").expect("GitHub has one");
        assert_eq!(line, "::error title=a%3A b%2C 5%25::x%0A::warning::y%0D 100%25");
        assert_eq!(Runner::Gitlab.message(Weight::Warning, "a", "b"), None);
    }

    fn folded(runner: Option<Runner>) -> String {
        let mut out = Vec::new();
        let mut page = Page::new(&mut out, Look { runner, ..Look::default() });
        page.fold(&[(Ink::Good, "  ✓".to_owned()), (Ink::Strong, " shell 50% ".to_owned())], Some(12_345))
            .expect("a Vec takes all");
        page.put(Ink::Plain, "in it\n").expect("a Vec takes all");
        page.unfold(Some(20_999)).and_then(|()| page.flush()).expect("a Vec takes all");
        drop(page);
        String::from_utf8(out).expect("it is text").replace(&std::process::id().to_string(), "PID")
    }

    #[test]
    fn each_console_folds_in_its_own_way() {
        assert_eq!(folded(None), "  ✓ shell 50% \nin it\n");
        assert_eq!(folded(Some(Runner::Github)), "::group::✓ shell 50%25\nin it\n::endgroup::\n");
        let start = "\x1b[0Ksection_start:12:call_PID_1[collapsed=true]\r\x1b[0K  ✓ shell 50% \n";
        let end = "\x1b[0Ksection_end:20:call_PID_1\r\x1b[0K\n";
        assert_eq!(folded(Some(Runner::Gitlab)), format!("{start}in it\n{end}"));
    }
}
