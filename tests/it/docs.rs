//! README, man page and help say the same as the command line.

use crate::{given, log, root};
use anstyle_svg::{Term, WIN10_CONSOLE};
use cursor_fmt::Cli;
use std::fs;

fn file(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Every view with its options, as clap knows them. The top stands under an empty name.
fn options() -> Vec<(String, Vec<String>)> {
    let mut command = Cli::description();
    command.build();
    let long = |command: &clap::Command| -> Vec<String> {
        command.get_arguments().filter_map(|arg| arg.get_long()).map(str::to_owned).collect()
    };
    let mut all = vec![(String::new(), long(&command))];
    let views = command.get_subcommands().filter(|view| view.get_name() != "help");
    all.extend(views.map(|view| (view.get_name().to_owned(), long(view))));
    all
}

#[test]
fn the_man_page_has_every_view_and_option() {
    let man = file("man/cursor-fmt.1").replace("\\-", "-");
    for (view, options) in options() {
        assert!(view.is_empty() || man.contains(&format!(".SS {view}\n")), "the man page lacks {view}");
        for option in options {
            assert!(man.contains(&format!("--{option}")), "the man page lacks --{option} of {view:?}");
        }
    }
}

#[test]
fn the_man_page_has_every_value_of_every_option() {
    let man = file("man/cursor-fmt.1").replace("\\-", "-");
    let mut command = Cli::description();
    command.build();
    for view in std::iter::once(&command).chain(command.get_subcommands()) {
        for arg in view.get_arguments().filter(|arg| arg.get_action().takes_values()) {
            for value in arg.get_possible_values() {
                assert!(man.contains(value.get_name()), "the man page lacks {} of {}", value.get_name(), arg.get_id());
            }
        }
    }
}

#[test]
fn the_man_page_has_no_option_that_is_not_there() {
    let known: Vec<String> = options().into_iter().flat_map(|(_, options)| options).collect();
    let man = file("man/cursor-fmt.1").replace("\\-", "-");
    // The options of the agent, and of other programs in examples, are not ours.
    let others = ["print", "output-format", "stream-partial-output"];
    for word in man.split("--").skip(1) {
        let option: String = word.chars().take_while(|char| char.is_ascii_alphanumeric() || *char == '-').collect();
        if !option.is_empty() && !others.contains(&option.as_str()) {
            assert!(known.contains(&option), "the man page has --{option}");
        }
    }
}

#[test]
fn every_option_has_a_line_of_help() {
    let mut command = Cli::description();
    command.build();
    for view in std::iter::once(&command).chain(command.get_subcommands()) {
        assert!(view.get_about().is_some(), "{}", view.get_name());
        for arg in view.get_arguments() {
            assert!(arg.get_help().is_some(), "{} of {}", arg.get_id(), view.get_name());
        }
    }
}

/// The words of a command line, as a shell would part them, as far as the README needs it.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), String::new(), None);
    for char in line.chars() {
        match (quote, char) {
            (Some(open), _) if char == open => quote = None,
            (None, '"' | '\'') => quote = Some(char),
            (None, ' ') => words.push(std::mem::take(&mut word)),
            _ => word.push(char),
        }
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

#[test]
fn every_command_of_the_readme_can_be_typed() {
    let readme = file("README.md");
    let mut count = 0;
    for block in readme.split("```").skip(1).step_by(2).filter(|block| block.starts_with("sh\n")) {
        for line in block.lines().skip(1) {
            let line = line.split(" # ").next().unwrap_or_default();
            for command in
                line.split(['|', ';', '&', '(', ')']).map(str::trim).filter(|command| command.starts_with("cursor-fmt"))
            {
                let command = command.split(['>', '<']).next().unwrap_or_default();
                count += 1;
                let typed = Cli::read(words(command).into_iter().map(Into::into));
                let error = typed.err().filter(|error| error.exit_code() != 0);
                assert!(error.is_none(), "{command}: {}", error.map(|error| error.to_string()).unwrap_or_default());
            }
        }
    }
    assert!(count >= 8, "only {count} commands were found");
}

#[test]
fn the_changelog_has_this_version() {
    assert!(file("CHANGELOG.md").contains(concat!("## ", env!("CARGO_PKG_VERSION"))));
}

/// The picture of the README is a run of the program. `UPDATE_PICTURE=1` draws it anew.
#[test]
fn the_picture_is_what_the_program_shows() {
    let ansi = given(&["pretty", "--color", "always", "--width", "90"], &log("showcase")).text();
    let svg = Term::new().palette(WIN10_CONSOLE).render_svg(&ansi);
    let path = root().join("docs/pretty.svg");
    if std::env::var_os("UPDATE_PICTURE").is_some() {
        fs::write(&path, &svg).expect("the picture can be written");
    }
    let drawn = fs::read_to_string(&path).unwrap_or_default();
    assert!(drawn == svg, "the picture is old: UPDATE_PICTURE=1 cargo test picture");
}
