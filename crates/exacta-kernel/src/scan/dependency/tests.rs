use super::*;
use crate::path::RelPath;

/// What is read from a manifest: `name < source`, `!` if it runs a script; then registries after `@`.
fn read(path: &str, text: &str) -> Option<Vec<String>> {
    let path = RelPath::parse(path).unwrap();
    let manifest = format_of(&path).unwrap().read(text.as_bytes(), &path)?;
    let packages = manifest.packages.iter().map(|(name, package)| {
        let source = package.source.as_deref().map(|source| format!(" < {source}")).unwrap_or_default();
        format!("{name}{source}{}", if package.runs_script { " !" } else { "" })
    });
    Some(packages.chain(manifest.registries.iter().map(|registry| format!("@ {registry}"))).collect())
}

#[test]
fn manifests() {
    for (path, text, expected) in [
        (
            "crates/a/Cargo.toml",
            "[dependencies]\na = \"1\"\nb = { path = \"../b\" }\nc = { path = \"../../../c\" }\nd = { git = \"https://g.example/d\" }\ne = { package = \"real\", version = \"1\" }\n[target.'cfg(unix)'.dependencies]\nf = \"1\"\n[workspace.dependencies]\ng = \"1\"\n[patch.crates-io]\nh = { git = \"https://g.example/h\" }\n",
            &[
                "a",
                "b",
                "c < folder ../../../c",
                "d < repository https://g.example/d",
                "f",
                "g",
                "h < repository https://g.example/h",
                "real",
            ][..],
        ),
        (
            "Cargo.lock",
            "[[package]]\nname = \"a\"\nversion = \"1\"\nsource = \"registry+https://github.com/rust-lang/crates.io-index\"\n[[package]]\nname = \"b\"\nversion = \"1\"\nsource = \"git+https://g.example/b#abc\"\n[[package]]\nname = \"own\"\nversion = \"1\"\n",
            &["a", "b < git+https://g.example/b", "own"],
        ),
        (
            "package.json",
            r#"{"dependencies":{"a":"^1","b":"github:x/b","c":"x/c#main","d":"npm:other@1","e":"workspace:*","f":"file:./f","g":"file:../g"},"devDependencies":{"h":"https://h.example/h.tgz"}}"#,
            &[
                "a",
                "b < github:x/b",
                "c < x/c",
                "d < package other",
                "e",
                "f",
                "g < folder ../g",
                "h < https://h.example/h.tgz",
            ],
        ),
        (
            "package-lock.json",
            r#"{"packages":{"":{"name":"own"},"node_modules/a":{"version":"1","resolved":"https://registry.npmjs.org/a/-/a-1.tgz"},"node_modules/a/node_modules/@s/b":{"version":"2","resolved":"https://npm.example/@s/b/-/b-2.tgz"},"node_modules/own":{"link":true},"node_modules/z":{"version":"1","hasInstallScript":true}}}"#,
            &["@s/b < npm.example", "a", "z !"],
        ),
        (
            "yarn.lock",
            "# yarn lockfile v1\n\n\"@s/a@^1\", \"@s/a@^1.2\":\n  version \"1.2.0\"\n  resolved \"https://registry.yarnpkg.com/@s/a/-/a-1.2.0.tgz#abc\"\n\nb@^2:\n  version \"2.0.0\"\n  resolved \"https://npm.example/b\"\n",
            &["@s/a", "b < npm.example"],
        ),
        (
            "pnpm-lock.yaml",
            "lockfileVersion: '9'\npackages:\n\n  '@s/a@1.0.0':\n    resolution: {}\n  b@2.0.0(x@1):\n    resolution: {}\n    requiresBuild: true\nsnapshots:\n  c@1:\n",
            &["@s/a", "b !"],
        ),
        (
            "pyproject.toml",
            "[project]\ndependencies = [\"Flask_Login>=1; python_version > '3'\", \"b @ git+https://g.example/b@main\"]\n[project.optional-dependencies]\ntest = [\"pytest[x]==8\"]\n[tool.poetry.dependencies]\npython = \"^3\"\nc = { git = \"https://g.example/c\" }\n[[tool.uv.index]]\nurl = \"https://i.example\"\n[build-system]\nrequires = [\"hatchling\"]\n",
            &[
                "b < git+https://g.example/b",
                "c < source https://g.example/c",
                "flask-login",
                "hatchling",
                "pytest",
                "@ https://i.example",
            ],
        ),
        (
            "docs/constraints.txt",
            "Constraints\n===========\n\nSee `the manual <https://db.example/>`_ for more.\nThese are for one database\n",
            &[],
        ),
        // Nothing that an installer reads hides behind three words.
        (
            "constraints.txt",
            "a>=1 \\\n    --hash=sha256:00\n# three bare words\nb @ https://b.example/b.whl\n",
            &["a", "b < https://b.example/b.whl"],
        ),
        (
            "requirements-dev.txt",
            "# tools\na==1 # pinned\n-r other.txt\n--index-url https://i.example/simple\n-e git+https://g.example/x#egg=x\nhttps://h.example/y.whl\n",
            &[
                "a",
                "https://h.example/y.whl < https://h.example/y.whl",
                "x < git+https://g.example/x",
                "@ https://i.example/simple",
            ],
        ),
        (
            "Pipfile",
            "[[source]]\nurl = \"https://pypi.org/simple\"\n[packages]\na = \"*\"\n[dev-packages]\nb = \"*\"\n",
            &["a", "b"],
        ),
        (
            "poetry.lock",
            "[[package]]\nname = \"a\"\nversion = \"1\"\n[[package]]\nname = \"b\"\nversion = \"1\"\n[package.source]\ntype = \"git\"\nurl = \"https://g.example/b\"\n",
            &["a", "b < https://g.example/b"],
        ),
        (
            "go.mod",
            "module x\n\nrequire (\n\tgithub.com/a/a v1.0.0 // indirect\n\tb.example/b v2\n)\nrequire c.example/c v1\nreplace b.example/b => ../b\nreplace c.example/c => fork.example/c v1\n",
            &["b.example/b < folder ../b", "c.example/c < module fork.example/c", "github.com/a/a"],
        ),
        ("go.sum", "a v1 h1:x\na v1/go.mod h1:y\n", &["a"]),
        (
            "composer.json",
            r#"{"require":{"a/a":"^1"},"require-dev":{"b/b":"*"},"repositories":[{"type":"vcs","url":"https://g.example/b"}]}"#,
            &["a/a", "b/b", "@ https://g.example/b"],
        ),
        (
            "Gemfile",
            "source \"https://rubygems.org\"\nsource \"https://gems.example\"\ngem \"a\", \"~> 1\"\ngem 'b', git: 'https://g.example/b'\n# gem 'c'\n",
            &["a", "b < https://g.example/b", "@ https://gems.example"],
        ),
        (
            "Gemfile.lock",
            "GEM\n  remote: https://rubygems.org/\n  specs:\n    a (1.0)\n      b (>= 1)\nGIT\n  remote: https://g.example/c\n  specs:\n    c (2.0)\n",
            &["a", "c < https://g.example/c"],
        ),
        (
            "pom.xml",
            "<project><dependencies><dependency><groupId>g</groupId><artifactId>a</artifactId><version>1</version></dependency></dependencies><repositories><repository><url>https://m.example</url></repository></repositories></project>",
            &["g:a", "@ https://m.example"],
        ),
        (
            "build.gradle.kts",
            "repositories { maven { url = uri(\"https://m.example\") } }\ndependencies {\n    implementation(\"g:a:1.0\")\n    // implementation(\"g:b:1.0\")\n}\n",
            &["g:a", "@ https://m.example"],
        ),
        (
            "libs.versions.toml",
            "[versions]\nx = \"1\"\n[libraries]\na = { module = \"g:a\", version.ref = \"x\" }\nb = { group = \"g\", name = \"b\" }\nc = \"g:c:2\"\n[plugins]\nd = { id = \"org.d\", version = \"3\" }\n",
            &["g:a", "g:b", "g:c", "org.d"],
        ),
        (
            "App.csproj",
            "<Project><ItemGroup><PackageReference Include=\"A\" Version=\"1\" /><PackageReference Include='B'><Version>2</Version></PackageReference></ItemGroup></Project>",
            &["A", "B"],
        ),
    ] {
        assert_eq!(read(path, text).unwrap(), expected, "{path}");
    }
}

#[test]
fn what_cannot_be_read_is_said() {
    for (path, text) in
        [("Cargo.toml", "[package"), ("package.json", "{"), ("composer.lock", "[]"), ("poetry.lock", "=")]
    {
        assert_eq!(read(path, text), None, "{path}");
    }
    for path in ["cargo.toml.md", "requirements.md", "src/main.rs", "package.json5"] {
        assert!(format_of(&RelPath::parse(path).unwrap()).is_none(), "{path}");
    }
}
