//! The CI jobs of the README: each command in them is run, with an agent that is played.

use crate::{log, root};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};
use yaml_rust2::{Yaml, YamlLoader};

/// The YAML of the README that has `word` in it.
fn job(word: &str) -> Yaml {
    let readme = fs::read_to_string(root().join("README.md")).expect("it is there");
    let blocks = readme.split("```").skip(1).step_by(2).filter_map(|block| block.strip_prefix("yaml\n"));
    let block = blocks.into_iter().find(|block| block.contains(word)).expect("the README has such a job");
    YamlLoader::load_from_str(block).expect("it is YAML").remove(0)
}

/// Runs a line of a job in `folder`, where the agent writes `log`.
fn line(line: &str, folder: &Path, log: &[u8], variables: &[(&str, &str)]) -> Output {
    fs::write(folder.join("played.ndjson"), log).expect("there is room");
    let agent = folder.join("agent");
    fs::write(&agent, "#!/bin/sh\nprintf '%s\\n' \"$@\" > typed\ncat played.ndjson\nsleep 0.1\n")
        .expect("there is room");
    fs::set_permissions(&agent, fs::Permissions::from_mode(0o755)).expect("the file is ours");
    let program = Path::new(env!("CARGO_BIN_EXE_cursor-fmt")).parent().expect("it lies in a folder");
    let path = format!("{}:{}:{}", folder.display(), program.display(), std::env::var("PATH").unwrap_or_default());
    let mut bash = Command::new("bash");
    for name in crate::SURROUNDINGS {
        bash.env_remove(name);
    }
    bash.args(["-e", "-o", "pipefail", "-c", line])
        .current_dir(folder)
        .env("PATH", path)
        .envs(variables.iter().copied())
        .output()
        .expect("bash is there")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn the_github_job_runs_the_agent_and_tells_the_truth() {
    let job = job("GITHUB_PATH");
    let steps = job["jobs"]["agent"]["steps"].as_vec().expect("the job has steps");
    let work =
        steps.iter().find(|step| step["name"].as_str() == Some("Let the agent work")).expect("one of them runs it");
    let command = work["run"].as_str().expect("it runs a command");
    for (name, status) in [("whole-messages", 0), ("failed-result", 1), ("never-completed", 3), ("rejected", 4)] {
        let folder = tempfile::tempdir().expect("there is room");
        let summary = folder.path().join("summary.md");
        let summary_name = summary.to_string_lossy().into_owned();
        let variables = [("GITHUB_ACTIONS", "true"), ("GITHUB_STEP_SUMMARY", &summary_name), ("PROMPT", "Mend\n it")];
        let output = line(command, folder.path(), &log(name), &variables);
        assert_eq!(output.status.code(), Some(status), "{name}: {}", text(&output.stderr));
        assert_eq!(fs::read(folder.path().join("run.ndjson")).expect("it is recorded"), log(name), "{name}");
        assert!(fs::read_to_string(&summary).expect("it is written").starts_with("## "), "{name}");
        let typed = fs::read_to_string(folder.path().join("typed")).expect("the agent was started");
        let want = "--print\n--output-format\nstream-json\n--stream-partial-output\n--force\nMend\n it\n";
        assert_eq!(typed, want);
        let message = text(&output.stderr).lines().any(|line| line.starts_with("::"));
        assert_eq!(message, status != 0, "{name}: {}", text(&output.stderr));
    }
}

#[test]
fn the_gitlab_job_runs_the_agent_and_keeps_a_summary() {
    let job = job("after_script");
    let commands = |key: &str| -> Vec<String> {
        let lines = job["agent"][key].as_vec().expect("the job has it");
        lines.iter().map(|line| line.as_str().expect("it is a command").to_owned()).collect()
    };
    for (name, status) in [("whole-messages", 0), ("failed-result", 1), ("rejected", 4)] {
        let folder = tempfile::tempdir().expect("there is room");
        let output = line(&commands("script")[0], folder.path(), &log(name), &[("GITLAB_CI", "true"), ("PROMPT", "x")]);
        assert_eq!(output.status.code(), Some(status), "{name}: {}", text(&output.stderr));
        assert_eq!(text(&output.stdout).contains("\x1b[0Ksection_start:"), name == "whole-messages", "{name}");
        let after = line(&commands("after_script")[0], folder.path(), b"", &[("GITLAB_CI", "true")]);
        assert_eq!(after.status.code(), Some(0), "{}", text(&after.stderr));
        let kept: Vec<&str> = job["agent"]["artifacts"]["paths"]
            .as_vec()
            .expect("files are kept")
            .iter()
            .filter_map(Yaml::as_str)
            .collect();
        assert_eq!(kept, ["run.ndjson", "summary.md"]);
        assert_eq!(fs::read(folder.path().join("run.ndjson")).expect("it is recorded"), log(name), "{name}");
        assert!(fs::read_to_string(folder.path().join("summary.md")).expect("it is written").starts_with("## "));
    }
}
