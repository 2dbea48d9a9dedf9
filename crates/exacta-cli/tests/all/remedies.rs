//! Every command that a hint names can be typed.

use exacta_cli::args;

const COMMANDS: &str = include_str!("../../../exacta-view/src/command.rs");

#[test]
fn every_command_of_a_remedy_exists() {
    let table = COMMANDS.split("fn arguments(").nth(1).unwrap().split("\n}\n").next().unwrap();
    let mut checked = 0;
    for words in table.split('"').skip(1).step_by(2).filter(|words| !words.is_empty()) {
        let mut command = args::command();
        let words = words.strip_prefix("--project {} ").unwrap_or(words);
        let mut words = words.split([' ', '=']).peekable();
        while let Some(next) = words.peek().and_then(|word| command.find_subcommand(word).cloned()) {
            command = next;
            words.next();
        }
        assert_ne!(command.get_name(), "exacta", "no such command: {words:?}");
        command.build();
        for option in words.filter_map(|word| word.strip_prefix("--")) {
            let known = command.get_arguments().any(|known| known.get_long() == Some(option));
            assert!(known || option == "json", "`{}` has no `--{option}`", command.get_name());
        }
        checked += 1;
    }
    assert!(checked > 50, "{checked}");
}
