//! Files that name dependencies, or where they come from, and are not read: programs and formats without a reader.

use super::{fits, last_two};
use crate::path::RelPath;

/// Lower case; `*` stands for anything.
const NAMES: &[&str] = &[
    // Python
    "setup.py",
    "requirements.yml",
    "requirements.yaml",
    "pip.conf",
    "pip.ini",
    ".condarc",
    "conda-lock.yml",
    "pixi.toml",
    "pixi.lock",
    "tox.ini",
    "noxfile.py",
    ".pre-commit-config.yaml",
    // JavaScript
    ".npmrc",
    ".yarnrc",
    ".yarnrc.yml",
    ".pnpmfile.cjs",
    "bower.json",
    "bun.lock",
    "bun.lockb",
    "bunfig.toml",
    "deno.lock",
    // Rust, Go
    ".cargo/config",
    ".cargo/config.toml",
    "vendor/modules.txt",
    // JVM
    "*.sbt",
    "build.sc",
    "build.xml",
    "ivy.xml",
    "deps.edn",
    "project.clj",
    "extensions.xml",
    "gradle.properties",
    "gradle-wrapper.properties",
    "maven-wrapper.properties",
    "verification-metadata.xml",
    // .NET
    "nuget.config",
    "global.json",
    "dotnet-tools.json",
    "*.props",
    "*.targets",
    "*.proj",
    "*.vcxproj",
    "paket.dependencies",
    "paket.lock",
    "paket.references",
    // Ruby
    "*.gemspec",
    // Apple
    "package.swift",
    "package@swift-*.swift",
    "podfile",
    "podfile.lock",
    "*.podspec",
    "cartfile*",
    "*.pbxproj",
    // C and C++
    "conanfile.py",
    "conan.lock",
    "meson.build",
    "*.wrap",
    "build.zig.zon",
    "module.bazel",
    "module.bazel.lock",
    "workspace.bazel",
    // Others
    "mix.exs",
    "mix.lock",
    "rebar.config",
    "rebar.lock",
    "gleam.toml",
    "*.cabal",
    "cabal.project",
    "stack.yaml",
    "package.yaml",
    "*.opam",
    "dune-project",
    "elm.json",
    "shard.yml",
    "shard.lock",
    "dub.json",
    "dub.sdl",
    "*.nimble",
    "*.rockspec",
    "cpanfile",
    "renv.lock",
    "project.toml",
    "manifest.toml",
    "flake.nix",
    "flake.lock",
    "brewfile",
    "chart.yaml",
    "chart.lock",
    ".gitmodules",
];

/// Whether a file of this name may name dependencies in a form that is not read.
pub(crate) fn is_unread(path: &RelPath) -> bool {
    let (folder, name) = last_two(path);
    NAMES.iter().any(|pattern| fits(pattern, &folder, &name))
}
