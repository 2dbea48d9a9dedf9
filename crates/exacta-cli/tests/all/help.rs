//! Every page of help is a snapshot, has examples, and fits into 80 columns.

fn pages(command: clap::Command, path: &str, out: &mut Vec<(String, String)>) {
    let name = format!("{path}{}", command.get_name());
    let mut page = command.clone().bin_name(name.clone()).term_width(80);
    out.push((name.clone(), page.render_long_help().to_string()));
    for sub in command.get_subcommands() {
        pages(sub.clone(), &format!("{name} "), out);
    }
}

#[test]
fn every_command() {
    let mut command = exacta_cli::args::command();
    command.build();
    let mut found = Vec::new();
    pages(command, "", &mut found);
    assert!(found.len() > 3);
    for (name, page) in found {
        insta::assert_snapshot!(name.replace(' ', "-"), page);
        for line in page.lines() {
            assert!(line.chars().count() <= 80, "{name}: {line}");
        }
        let group = page.contains("Commands:");
        assert!(group || page.contains("Examples:"), "{name} has no examples");
    }
}
