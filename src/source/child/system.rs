//! The agent and what it starts, as the system knows them: the only place that differs from one system to another.

#[cfg(not(unix))]
pub(super) use elsewhere::{Ears, Group};
#[cfg(unix)]
pub(super) use unix::{Ears, Group};

/// How a process has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exit {
    /// With this status.
    Code(i32),
    /// By this signal.
    #[cfg_attr(not(unix), expect(dead_code, reason = "a signal is a thing of Unix"))]
    Signal(i32),
}

/// What a group is told.
#[derive(Clone, Copy)]
pub(super) enum Ask {
    /// A signal that came here.
    #[cfg_attr(not(unix), expect(dead_code, reason = "a signal is a thing of Unix"))]
    Pass(u8),
    End,
    Kill,
}

#[cfg(unix)]
mod unix {
    use super::{Ask, Exit};
    use nix::sys::signal::{SigSet, Signal as Blocked, raise};
    use rustix::process::{self, Pid, Signal, WaitOptions};
    use rustix::termios::{self, OptionalActions, Termios};
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;
    use std::fs::File;
    use std::io::{self, ErrorKind};
    use std::os::unix::process::CommandExt;
    use std::process::{ChildStdin, ChildStdout, Command};
    use std::thread;
    use std::time::Duration;

    /// The variable by which what an agent has started is known, also where it has left the group.
    const MARK: &str = "CURSOR_FMT_RUN";

    /// After how many vain searches nothing is left. One process may be overlooked while it becomes another program, since then
    /// it has no environment for a moment.
    const GONE: u8 = 2;

    /// What is left to do when a third signal comes has so much time.
    const LAST: Duration = Duration::from_secs(2);

    /// The signals that end what gets them.
    const HEARD: [i32; 4] = [SIGINT, SIGTERM, SIGHUP, SIGQUIT];

    /// An agent, and what it has started.
    pub(crate) struct Group {
        id: Pid,
        #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "only Linux tells who carries it"))]
        mark: String,
        /// When this process began.
        #[cfg(target_os = "linux")]
        began: u64,
        /// How often in a row nothing of it was found.
        missed: u8,
        /// It waits for the terminal.
        waits: bool,
        /// It has the terminal.
        lent: Option<Lent>,
    }

    /// What the terminal was before the agent had it.
    struct Lent {
        terminal: File,
        home: Pid,
        modes: Option<Termios>,
    }

    impl Group {
        /// Starts an agent in a group of its own. Gives what it reads from, if that is a pipe, and what it writes into.
        pub(crate) fn start(command: &mut Command) -> io::Result<(Self, Option<ChildStdin>, ChildStdout)> {
            let outer = std::env::var(MARK).unwrap_or_default();
            let now = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default().as_nanos();
            let mark = format!("{}-{now}", std::process::id());
            // One that runs within another is part of both.
            command.env(MARK, format!("{outer} {mark}").trim_start()).process_group(0);
            let mut child = command.spawn()?;
            let id = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
            let (id, output) = id.zip(child.stdout.take()).ok_or(ErrorKind::BrokenPipe)?;
            crate::source::widen(&output);
            #[cfg(target_os = "linux")]
            let began = stat("self").map_or(0, |stat| stat.began);
            Ok((
                Self {
                    id,
                    mark,
                    #[cfg(target_os = "linux")]
                    began,
                    missed: 0,
                    waits: false,
                    lent: None,
                },
                child.stdin.take(),
                output,
            ))
        }

        /// Whether the agent has ended. If it `may_read` from the terminal, and waits for it, it gets it.
        pub(crate) fn look(&mut self, may_read: bool) -> Option<Exit> {
            match process::waitpid(Some(self.id), WaitOptions::NOHANG | WaitOptions::UNTRACED) {
                Ok(None) | Err(rustix::io::Errno::INTR) => {}
                Ok(Some((_, status))) => match (status.exit_status(), status.terminating_signal()) {
                    (Some(code), _) => return Some(Exit::Code(code)),
                    (_, Some(signal)) => return Some(Exit::Signal(signal)),
                    (None, None) => {
                        let reads = [Signal::TTIN.as_raw(), Signal::TTOU.as_raw()];
                        self.waits = status.stopping_signal().is_some_and(|signal| reads.contains(&signal));
                    }
                },
                // Where the signal of a child's end is ignored, nobody is told its status.
                Err(_) => return Some(Exit::Code(0)),
            }
            if self.waits && may_read && self.lent.is_none() {
                self.lend_terminal();
            }
            None
        }

        /// Gives the group the terminal, as a shell does. This process joins the group, so that it hears what is typed there.
        fn lend_terminal(&mut self) {
            let home = process::getpgrp();
            let Ok(terminal) = File::open("/dev/tty") else { return };
            // Where the terminal is not ours to give, it may become so.
            if termios::tcgetpgrp(&terminal) != Ok(home) {
                return;
            }
            self.waits = false;
            let modes = termios::tcgetattr(&terminal).ok();
            if termios::tcsetpgrp(&terminal, self.id).is_ok() {
                _ = process::setpgid(None, Some(self.id));
                self.lent = Some(Lent { terminal, home, modes });
            }
            _ = process::kill_process_group(self.id, Signal::CONT);
        }

        /// Takes the terminal back. Whether the group had it.
        pub(crate) fn take_terminal(&mut self) -> bool {
            let Some(Lent { terminal, home, modes }) = self.lent.take() else { return false };
            if process::setpgid(None, Some(home)).is_err() {
                // Nobody else is left there.
                _ = process::setpgid(None, None);
            }
            _ = termios::tcsetpgrp(&terminal, process::getpgrp());
            if let Some(modes) = modes {
                _ = termios::tcsetattr(&terminal, OptionalActions::Now, &modes);
            }
            true
        }

        /// Whether a signal is one that pauses.
        pub(crate) fn pauses(signal: u8) -> bool {
            i32::from(signal) == Signal::TSTP.as_raw()
        }

        /// Whether a signal is one that can be typed.
        pub(crate) fn is_typed(signal: u8) -> bool {
            [Signal::INT.as_raw(), Signal::QUIT.as_raw()].contains(&i32::from(signal))
        }

        /// Pauses the agent and this process, as their shell expects, until the shell lets them go on.
        pub(crate) fn pause(&mut self, signal: u8) {
            let lent = self.take_terminal();
            if !lent {
                self.ask(Ask::Pass(signal));
            }
            pause();
            self.waits |= lent;
            _ = process::kill_process_group(self.id, Signal::CONT);
        }

        /// Tells all that the agent has started.
        pub(crate) fn ask(&mut self, ask: Ask) {
            let signal = match ask {
                Ask::Pass(signal) => Signal::from_named_raw(i32::from(signal)).unwrap_or(Signal::TERM),
                Ask::End => Signal::TERM,
                Ask::Kill => Signal::KILL,
            };
            // Its number may be another's by now.
            if self.missed >= GONE {
                return;
            }
            _ = process::kill_process_group(self.id, signal);
            for member in self.members().unwrap_or_default().into_iter().filter(|member| !member.inside) {
                _ = process::kill_process(member.id, signal);
            }
            // What is stopped would not hear it.
            if !matches!(ask, Ask::Pass(signal) if Self::pauses(signal)) {
                _ = process::kill_process_group(self.id, Signal::CONT);
            }
        }

        /// Whether anything that the agent has started still runs, now that the agent does not.
        pub(crate) fn lives(&mut self) -> bool {
            if self.missed >= GONE {
                return false;
            }
            let found = match self.members() {
                Some(members) => !members.is_empty(),
                None => process::test_kill_process_group(self.id).is_ok(),
            };
            self.missed = if found { 0 } else { self.missed + 1 };
            self.missed < GONE
        }

        /// The processes that run, as far as the system tells.
        #[cfg(target_os = "linux")]
        fn members(&self) -> Option<Vec<Member>> {
            let list = std::fs::read_dir("/proc").ok()?;
            let ids: Vec<Pid> = list
                .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok().and_then(Pid::from_raw))
                .filter(|id| *id != process::getpid())
                .collect();
            if ids.is_empty() && !std::path::Path::new("/proc/self").exists() {
                return None;
            }
            Some(ids.into_iter().filter_map(|id| self.member(id)).collect())
        }

        #[cfg(not(target_os = "linux"))]
        #[expect(clippy::unused_self, reason = "elsewhere there is something to tell")]
        fn members(&self) -> Option<Vec<Member>> {
            None
        }

        /// Whether a process belongs to the agent, and has not ended.
        #[cfg(target_os = "linux")]
        fn member(&self, id: Pid) -> Option<Member> {
            let number = id.as_raw_nonzero();
            let Stat { runs, group, began } = stat(&number.to_string())?;
            let inside = group == self.id.as_raw_nonzero().get();
            // Most are older than this process, and that is cheaper to see.
            let marked = || {
                began >= self.began
                    && std::fs::read(format!("/proc/{number}/environ"))
                        .is_ok_and(|text| memchr::memmem::find(&text, self.mark.as_bytes()).is_some())
            };
            (runs && (inside || marked())).then_some(Member { id, inside })
        }
    }

    /// What the system tells of a process.
    #[cfg(target_os = "linux")]
    struct Stat {
        /// It has not ended.
        runs: bool,
        group: i32,
        /// When it began, in the system's own time.
        began: u64,
    }

    #[cfg(target_os = "linux")]
    fn stat(process: &str) -> Option<Stat> {
        use std::io::Read;
        let mut bytes = [0; 1024];
        let count = File::open(format!("/proc/{process}/stat")).ok()?.read(&mut bytes).ok()?;
        let text = String::from_utf8_lossy(&bytes[..count]);
        // The name, which may hold anything, is in the last brackets.
        let mut fields = text.rsplit_once(')')?.1.split_ascii_whitespace();
        let runs = !matches!(fields.next()?, "Z" | "X");
        Some(Stat { runs, group: fields.nth(1)?.parse().ok()?, began: fields.nth(16)?.parse().ok()? })
    }

    /// A process that belongs to the agent.
    struct Member {
        id: Pid,
        /// It is in the agent's group.
        inside: bool,
    }

    /// Hears the signals that come.
    pub(crate) struct Ears(Signals);

    impl Ears {
        /// From now on, a signal that ends what gets it is held for [`Ears::listen`]. An agent that is started meanwhile gets
        /// them as ever, which it would not if they were blocked.
        pub(crate) fn new() -> io::Result<Self> {
            let ignored = ignored();
            Signals::new(HEARD.into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0)).map(Self)
        }

        /// Tells each signal. One that nobody minds does here what it does elsewhere, and so does the third. Threads that are not
        /// there yet leave it alone that the terminal wants to pause them, or to keep them from writing to it.
        pub(crate) fn listen(mut self, tell: impl Fn(u8) -> bool + Clone + Send + 'static) {
            let paused = SigSet::from_iter([Blocked::SIGTSTP]);
            _ = SigSet::from_iter([Blocked::SIGTSTP, Blocked::SIGTTOU]).thread_block();
            let told = tell.clone();
            thread::spawn(move || {
                for (count, signal) in self.0.forever().enumerate() {
                    let minded = told(u8::try_from(signal).unwrap_or_default());
                    if minded && count >= 2 {
                        // At the second, the agent is ended at once; that comes first.
                        thread::sleep(LAST);
                    }
                    if !minded || count >= 2 {
                        _ = emulate_default_handler(signal);
                    }
                }
            });
            thread::spawn(move || {
                while let Ok(signal) = paused.wait() {
                    if !tell(u8::try_from(signal as i32).unwrap_or_default()) {
                        pause();
                    }
                }
            });
        }
    }

    /// Pauses this process, as far as its shell can let it go on.
    fn pause() {
        let only = SigSet::from_iter([Blocked::SIGTSTP]);
        _ = only.thread_unblock();
        // To this thread, since the one that listens would only tell it again. The process is stopped before this returns.
        _ = raise(Blocked::SIGTSTP);
        _ = only.thread_block();
    }

    /// The signals that are not for us: `nohup` has them ignored.
    fn ignored() -> u64 {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        line.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default()
    }
}

#[cfg(not(unix))]
mod elsewhere {
    use super::{Ask, Exit};
    use std::io::{self, ErrorKind};
    use std::process::{Child, ChildStdin, ChildStdout, Command};

    /// An agent.
    pub(crate) struct Group(Child);

    #[expect(clippy::unused_self, reason = "a group has more to do where there are signals")]
    impl Group {
        pub(crate) fn start(command: &mut Command) -> io::Result<(Self, Option<ChildStdin>, ChildStdout)> {
            let mut child = command.spawn()?;
            let (input, output) = (child.stdin.take(), child.stdout.take().ok_or(ErrorKind::BrokenPipe)?);
            Ok((Self(child), input, output))
        }

        pub(crate) fn look(&mut self, _may_read: bool) -> Option<Exit> {
            let ended = self.0.try_wait();
            ended.map_or(Some(Exit::Code(0)), |status| Some(Exit::Code(status?.code().unwrap_or_default())))
        }

        pub(crate) fn take_terminal(&mut self) -> bool {
            false
        }

        pub(crate) fn pauses(_signal: u8) -> bool {
            false
        }

        pub(crate) fn is_typed(_signal: u8) -> bool {
            false
        }

        pub(crate) fn pause(&mut self, _signal: u8) {}

        /// There is no way to ask.
        pub(crate) fn ask(&mut self, _ask: Ask) {
            _ = self.0.kill();
        }

        pub(crate) fn lives(&mut self) -> bool {
            false
        }
    }

    /// What is typed goes to the agent and to this process alike.
    pub(crate) struct Ears;

    impl Ears {
        #[expect(clippy::unnecessary_wraps, reason = "it can fail where there are signals")]
        pub(crate) fn new() -> io::Result<Self> {
            Ok(Self)
        }

        #[expect(clippy::unused_self, reason = "there is nothing to hear")]
        pub(crate) fn listen(self, _tell: impl Fn(u8) -> bool + Clone + Send + 'static) {}
    }
}
