//! The `exacta` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    exacta_cli::main()
}
