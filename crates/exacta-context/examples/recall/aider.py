# Answers each line of JSON on its input ({root, text, tokens}) with a line: the files in aider's repository map for that request.
# Mentions are found as aider's chat finds them (base_coder.py); tokens are a quarter of the bytes, as in the other columns.
import json, os, re, shutil, subprocess, sys, tempfile
from pathlib import Path

out = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
from aider.repomap import RepoMap


class Model:
    def token_count(self, text):
        return (len(text.encode()) + 3) // 4


class Io:
    def tool_output(self, *a, **k): pass
    def tool_warning(self, *a, **k): pass
    def tool_error(self, *a, **k): pass
    def read_text(self, path, **k):
        try:
            return Path(path).read_text()
        except (OSError, UnicodeError):
            return None


def file_mentions(text, files):
    words = {word.rstrip(",.!;:?").strip("\"'`*_") for word in text.split()}
    mentioned, by_name = set(), {}
    for file in files:
        if file in words:
            mentioned.add(file)
        name = os.path.basename(file)
        if re.search(r"[/._-]", name):
            by_name.setdefault(name, []).append(file)
    for name, found in by_name.items():
        if len(found) == 1 and name in words:
            mentioned.add(found[0])
    return mentioned


def name_matches(idents, files):
    stems = {}
    for file in files:
        stem = Path(file).stem.lower()
        if len(stem) >= 5:
            stems.setdefault(stem, set()).add(file)
    return set().union(*(stems.get(i.lower(), set()) for i in idents if len(i) >= 5), set())


for line in sys.stdin:
    ask = json.loads(line)
    root = ask["root"]
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True).stdout.decode()
    files = [file for file in listed.split("\0") if file and os.path.isfile(os.path.join(root, file))]
    shutil.rmtree(os.path.join(root, RepoMap.TAGS_CACHE_DIR), ignore_errors=True)
    idents = set(re.split(r"\W+", ask["text"]))
    fnames = file_mentions(ask["text"], files) | name_matches(idents, files)
    repo_map = RepoMap(map_tokens=ask["tokens"], root=root, main_model=Model(), io=Io())
    text = repo_map.get_repo_map([], [os.path.join(root, f) for f in files], fnames, idents) or ""
    known = set(files)
    shown = sorted({l.rstrip(":") for l in text.splitlines() if l.rstrip(":") in known})
    print(json.dumps(shown), file=out, flush=True)
