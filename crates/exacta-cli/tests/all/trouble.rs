//! Trouble while a plan is carried out: disks, folders, clocks, records, other processes. A clear error, the right exit code,
//! nothing lost.

use crate::story::fix;
use crate::world::{Done, EXACTA, World, done};
use exacta_testkit::{Lines, Running, needs, output, program, sandbox, succeeds};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

pub(crate) const BEFORE: &str = "hello\nworld\n";
pub(crate) const AFTER: &str = "hello\nthere\n";

/// A project with an approved plan, and the plan.
pub(crate) fn approved() -> (World, String) {
    let world = World::begun();
    let id = approve(&world);
    (world, id)
}

pub(crate) fn approve(world: &World) -> String {
    let made = world.pipe(&["submit", "-", "--json"], fix().to_string().as_bytes()).expect(30).json();
    let id = made["plan_id"].as_str().unwrap().to_owned();
    world.run(&["approve", &id, "--approver-key", &world.key()]).expect(0);
    id
}

/// The same, executed; the run.
fn executed() -> (World, String) {
    let (world, id) = approved();
    let run = world.run(&["execute", &id, "--json"]).expect(0).json();
    assert_eq!(world.read("greet.txt"), AFTER);
    (world, run["run_id"].as_str().unwrap().to_owned())
}

/// A script in a world of its own mounts, which end with it. `$EXACTA`, `$PROJECT`, `$PLAN` and `$KEY` are what they say.
pub(crate) fn script(world: &World, plan: &str, script: &str) -> Done {
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-c", script]).env_clear().stdin(Stdio::null()).current_dir(world.path());
    command.envs(world.command(&[]).get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.env("EXACTA", EXACTA).env("PROJECT", world.project()).env("PLAN", plan).env("KEY", world.key());
    done(output(&mut command))
}

pub(crate) fn is_root(what: &str) -> bool {
    needs(rustix::process::geteuid().is_root(), &format!("the super-user, for {what}"))
}

/// Whether something becomes so before long.
fn comes_true(is_so: impl Fn() -> bool) -> bool {
    (0..3_000).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(10));
        is_so()
    })
}

#[track_caller]
pub(crate) fn clear(done: &Done) {
    assert!(done.err.starts_with("error: ") || done.err.contains("\nerror: "), "{}", done.err);
}

/// The entry is made, and what follows it fails: the checkpoint cannot be written. The next command gives the run its end.
#[test]
fn a_run_that_is_in_the_record_has_an_end_there() {
    let (world, id) = approved();
    let in_the_way = world.project().join(".exacta/.tmp");
    std::fs::create_dir(&in_the_way).unwrap();
    let failed = world.run(&["execute", &id]).expect(60);
    assert!(failed.err.contains("error: nothing was changed: "), "{}", failed.err);
    std::fs::remove_dir(&in_the_way).unwrap();
    let recovered = world.run(&["recover", "--json"]).expect(0).json();
    assert_eq!(recovered["recovered"][0]["outcome"], "rolled_back", "{recovered}");
    assert_eq!(world.read("greet.txt"), BEFORE);
    world.run(&["audit", "verify"]).expect(0);
}

#[test]
fn a_target_on_another_file_system_is_refused() {
    if !is_root("mounts") {
        return;
    }
    let (world, id) = approved();
    // A mount on the target itself, with the very bytes that were approved.
    let mount = r#"cp "$PROJECT/greet.txt" twin && mount --bind twin "$PROJECT/greet.txt" && cd "$PROJECT" && "$EXACTA" execute "$PLAN""#;
    let refused = script(&world, &id, mount);
    clear(&refused);
    assert_eq!(refused.code, 40, "{refused:?}");
    let told = refused.err.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("another file system is mounted on `greet.txt`"), "{told}");
    assert_eq!(world.read("greet.txt"), BEFORE);
    // A mount on the folder of a new file.
    let mut plan = fix();
    plan["steps"][0] = serde_json::json!({
        "id": "s1", "order": 1, "type": "file_create", "target": "src/new.py", "dependencies": [],
        "description": "Add a module of its own for the greeting.", "content": "greeting = \"hello\"\n"
    });
    let plan = world.file("new.json", plan.to_string());
    let mount = r#"mount -t tmpfs none "$PROJECT/src" && cd "$PROJECT" && "$EXACTA" submit "$PLAN" && ls src"#;
    let refused = script(&world, &plan, mount);
    assert!(refused.code == 10 && refused.out.contains("file system"), "{refused:?}");
}

#[test]
fn a_read_only_mount_changes_nothing() {
    if !is_root("mounts") {
        return;
    }
    let (world, id) = approved();
    let mount = r#"mount --bind "$PROJECT" "$PROJECT" && mount -o remount,bind,ro "$PROJECT" && cd "$PROJECT" && "$EXACTA" execute "$PLAN""#;
    let failed = script(&world, &id, mount);
    clear(&failed);
    assert!([50, 60].contains(&failed.code) && failed.err.to_lowercase().contains("read-only"), "{failed:?}");
    assert_eq!(world.read("greet.txt"), BEFORE);
    world.run(&["execute", &id]).expect(0);
    assert_eq!(world.read("greet.txt"), AFTER);
}

/// Whoever cannot write the pinned checkpoint is not told to throw it away.
#[test]
fn a_read_only_or_full_home_is_told_as_that() {
    if !is_root("mounts") {
        return;
    }
    let (world, id) = approved();
    let read_only = r#"mount --bind "$EXACTA_HOME" "$EXACTA_HOME" && mount -o remount,bind,ro "$EXACTA_HOME""#;
    let full = r#"cp -a "$EXACTA_HOME" copy && mount -t tmpfs -o size=1m,mode=0700 none "$EXACTA_HOME" &&
        cp -a copy/. "$EXACTA_HOME" && { cat /dev/zero >"$EXACTA_HOME/filler" 2>/dev/null; true; }"#;
    for (mount, hint) in [(read_only, "make the file system writable"), (full, "free some space")] {
        // The first is cut off when its entry is made; the second cannot finish that.
        let twice = r#"cd "$PROJECT" && for n in 1 2; do "$EXACTA" execute "$PLAN"; done"#;
        let failed = script(&world, &id, &format!("{mount} && {twice}"));
        assert_eq!(failed.code, 60, "{failed:?}");
        let told = failed.err.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(told.contains(hint) && !told.contains("away") && !told.contains("ls -ld"), "{told}");
        assert_eq!(world.read("greet.txt"), BEFORE);
    }
    let project = r#"mount --bind "$PROJECT" "$PROJECT" && mount -o remount,bind,ro "$PROJECT""#;
    for (mount, name) in [(read_only, "home"), (project, "project")] {
        let looked = script(&world, &id, &format!(r#"{mount} && cd "$PROJECT" && "$EXACTA" doctor"#));
        let line = looked.out.lines().find(|line| line.contains(&format!(" {name} "))).unwrap_or_default();
        assert!(looked.code == 60 && line.starts_with("broken"), "{looked:?}");
    }
}

#[test]
fn a_full_disk_changes_nothing() {
    if !is_root("mounts") {
        return;
    }
    let (world, id) = approved();
    // Copies of the project and of the user's folder; the project's disk is full but for some KiB.
    for free in [0, 4, 8, 16, 32, 64, 128, 256] {
        let line = format!(
            r#"
            set -e
            cp -a "$EXACTA_HOME" home.{free} && export EXACTA_HOME="$PWD/home.{free}"
            cp -a "$PROJECT" copy.{free}
            mount -t tmpfs -o size=16m none "$PROJECT"
            cp -a copy.{free}/. "$PROJECT" && cd "$PROJECT"
            cat /dev/zero >filler 2>/dev/null || truncate -s -{free}k filler
            set +e
            "$EXACTA" execute "$PLAN" >&2
            code=$?
            rm filler
            "$EXACTA" recover >&2 || exit 99
            cat greet.txt
            exit $code"#
        );
        let ended = script(&world, &id, &line);
        match ended.code {
            0 => assert_eq!(ended.out, AFTER, "{free} KiB: {ended:?}"),
            50 | 60 => {
                clear(&ended);
                assert_eq!(ended.out, BEFORE, "{free} KiB: {ended:?}");
            }
            _ => panic!("{free} KiB: {ended:?}"),
        }
    }
}

/// btrfs limits what a folder may hold; on the other file systems here quotas are not to be had.
#[test]
fn a_full_quota_changes_nothing() {
    if !is_root("mounts") || !program("mkfs.btrfs") {
        return;
    }
    let (world, id) = approved();
    let image = world.file("image", "");
    std::fs::File::options().write(true).open(&image).unwrap().set_len(128 << 20).unwrap();
    assert!(succeeds(Command::new("mkfs.btrfs").args(["-q", &image]).stdout(Stdio::null())));
    // So much is there already, of 4 MiB that may be; what metadata takes of it, the file system knows.
    for used in [2_000, 3_000, 3_900, 4_000] {
        let line = format!(
            r#"
            set -e
            cp -a "$EXACTA_HOME" home.{used} && export EXACTA_HOME="$PWD/home.{used}"
            cp -a "$PROJECT" copy.{used} && mkdir -p small && mount -o loop image small
            btrfs quota enable small && btrfs subvolume create small/p.{used} >/dev/null
            mount --bind small/p.{used} "$PROJECT" && cp -a copy.{used}/. "$PROJECT"
            id=$(btrfs inspect-internal rootid small/p.{used})
            btrfs qgroup limit 4M "0/$id" small
            head -c {used}k /dev/urandom >"$PROJECT/filler" && sync -f small
            set +e
            cd "$PROJECT"
            "$EXACTA" execute "$PLAN" >&2
            code=$?
            btrfs qgroup limit none "0/$id" "$OLDPWD/small"
            "$EXACTA" recover >&2 || exit 99
            "$EXACTA" audit verify >&2 || exit 98
            cat greet.txt
            exit $code"#
        );
        let ended = script(&world, &id, &line);
        match ended.code {
            0 if used < 3_500 => assert_eq!(ended.out, AFTER, "{used} KiB: {ended:?}"),
            50 | 60 => {
                clear(&ended);
                assert_eq!(ended.out, BEFORE, "{used} KiB: {ended:?}");
            }
            _ => panic!("{used} KiB: {ended:?}"),
        }
    }
}

#[test]
fn a_file_system_that_cannot_rename_strictly_is_told() {
    if !is_root("mounts") || !program("fuse2fs") {
        return;
    }
    let world = World::new();
    let image = world.file("image", "");
    std::fs::File::options().write(true).open(&image).unwrap().set_len(32 << 20).unwrap();
    assert!(succeeds(Command::new("mkfs.ext4").args(["-qF", &image])));
    let plan = world.file("plan.json", fix().to_string());
    let line = r#"
        set -e
        mkdir small
        fuse2fs -o fakeroot image small >/dev/null 2>&1
        cd small
        printf 'hello\nworld\n' >greet.txt
        "$EXACTA" init --approver tester --no-passphrase >/dev/null 2>&1
        "$EXACTA" submit "$PLAN" >/dev/null 2>&1 || true
        id=$("$EXACTA" list --json | grep -o '[0-9a-f-]\{36\}' | head -n 1)
        hash=$("$EXACTA" show "$id" --json | sed -n 's/.*"plan_hash": *"\([0-9a-f]*\)".*/\1/p')
        "$EXACTA" approve "$id" --hash "$hash" --approver-key "$KEY" >/dev/null 2>&1
        set +e
        "$EXACTA" execute "$id" >&2
        code=$?
        cat greet.txt
        cd .. && umount small
        exit $code"#;
    let ended = script(&world, &plan, line);
    assert_eq!((ended.code, ended.out.as_str()), (50, BEFORE), "{ended:?}");
    assert!(ended.err.contains("hint: the file system"), "{}", ended.err);
}

#[test]
fn permissions_taken_away_change_nothing() {
    if !is_root("another user") {
        return;
    }
    let (world, id) = approved();
    let as_user = |args: &[&str]| as_another(&world, args);
    hand_over(&world);
    for (path, mode, back) in [(".", 0o555, 0o755), (".exacta/exec", 0o500, 0o700), ("greet.txt", 0o000, 0o644)] {
        let at = world.project().join(path);
        std::fs::create_dir_all(world.project().join(".exacta/exec")).unwrap();
        hand_over(&world);
        std::fs::set_permissions(&at, std::fs::Permissions::from_mode(mode)).unwrap();
        let failed = as_user(&["execute", &id]);
        std::fs::set_permissions(&at, std::fs::Permissions::from_mode(back)).unwrap();
        clear(&failed);
        assert!([10, 40, 50, 60].contains(&failed.code), "{path}: {failed:?}");
        assert_eq!(world.read("greet.txt"), BEFORE, "{path}");
        assert_eq!(as_user(&["recover"]).code, 0, "{path}");
    }
}

/// The folder of a throw-away world is its maker's alone.
/// Gives everything to user 4242.
fn hand_over(world: &World) {
    // Where that user can reach it; the build folder may be closed to everybody else. By a process of its own: what another thread
    // starts meanwhile would hold it open for writing, and then it could not be run.
    let program = world.path().join("exacta");
    assert!(program.exists() || succeeds(Command::new("cp").arg(EXACTA).arg(&program)));
    assert!(succeeds(Command::new("chown").args(["-R", "4242:4242"]).arg(world.path())));
    open_way(world.path());
}

/// A command as user 4242.
fn as_another(world: &World, args: &[&str]) -> Done {
    let plain = world.command(args);
    let mut command = Command::new("setpriv");
    command.args(["--reuid", "4242", "--regid", "4242", "--clear-groups"]).arg(world.path().join("exacta")).args(args);
    command.env_clear().envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
    done(output(command.current_dir(world.project()).stdin(Stdio::null())))
}

#[test]
fn what_could_not_be_given_back_is_not_deleted() {
    if !is_root("another user") {
        return;
    }
    let world = World::begun();
    let mut plan = crate::story::three_steps();
    plan["steps"].as_array_mut().unwrap().drain(..2);
    plan["steps"][0]["order"] = 1.into();
    plan["intent"]["text"] = "nothing uses the entry point".into();
    plan["intent"]["target"]["files"] = serde_json::json!(["src/main.py"]);
    let made = world.pipe(&["submit", "-", "--json"], plan.to_string().as_bytes()).expect(30).json();
    let id = made["plan_id"].as_str().unwrap();
    world.run(&["approve", id, "--approver-key", &world.key()]).expect(0);
    hand_over(&world);
    // The user owns the file, and could delete it; but does not belong to its group.
    std::os::unix::fs::chown(world.project().join("src/main.py"), None, Some(77)).unwrap();
    let refused = as_another(&world, &["execute", id]).expect(10);
    clear(&refused);
    assert!(refused.err.contains("could not be given back"), "{}", refused.err);
    assert!(world.read("src/main.py").contains("hello"));
    assert_eq!(
        std::fs::read_dir(world.project().join(".exacta/exec")).unwrap().count(),
        2,
        "`locks` and `over` alone are left"
    );
}

fn open_way(path: &Path) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_journal_with_a_flipped_bit_is_not_acted_upon() {
    let (world, run) = executed();
    let journal = journal(&world, &run);
    let mut bytes = std::fs::read(&journal).unwrap();
    bytes[40] ^= 1;
    std::fs::write(&journal, bytes).unwrap();
    let refused = world.run(&["undo", "--approver-key", &world.key()]);
    clear(&refused);
    assert_eq!((refused.code, world.read("greet.txt").as_str()), (60, AFTER), "{refused:?}");
}

#[test]
fn before_images_deleted_by_hand_are_missed() {
    let (world, run) = executed();
    std::fs::remove_file(journal(&world, &run)).unwrap();
    let refused = world.run(&["undo", "--approver-key", &world.key()]).expect(60);
    clear(&refused);
    assert!(refused.err.contains("kept") && refused.err.contains("hint: "), "{}", refused.err);
    assert_eq!(world.read("greet.txt"), AFTER);
}

/// As `execute` does: a run that did not come about is told as one.
#[test]
fn an_undo_that_is_refused_is_told_as_a_run() {
    let (world, run) = executed();
    let key = world.key();
    let told = |args: &[&str], exit: i32, code: &str| {
        let told = world.run(&[args, &["--json"]].concat()).expect(exit).json();
        assert_eq!((&told["schema"], &told["outcome"]), (&json!("exacta.run/1"), &json!("refused")), "{told}");
        assert_eq!((&told["run_id"], &told["error"]["code"]), (&Value::Null, &json!(code)), "{told}");
        assert!(told["plan_id"].is_string() && told["status"] == "user_approved", "{told}");
    };
    told(&["undo"], 30, "person_needed");
    world.write("greet.txt", "somebody else's\n");
    told(&["undo", &run, "--approver-key", &key], 40, "target_changed");
    world.write("greet.txt", AFTER);
    world.run(&["undo", &run, "--approver-key", &key]).expect(0);
    told(&["undo", &run, "--approver-key", &key], 40, "wrong_state");
    let unknown = world.run(&["undo", "ffffffff", "--approver-key", &key, "--json"]).expect(2).json();
    assert_eq!(unknown["schema"], "exacta.error/1");
}

#[test]
fn of_many_undos_at_once_one_undoes() {
    for round in 0..3 {
        let (world, run) = executed();
        let undos: Vec<_> = (0..8)
            .map(|_| {
                let mut command = world.command(&["undo", &run, "--approver-key", &world.key()]);
                Running::start(command.stdout(Stdio::piped()).stderr(Stdio::piped()))
            })
            .collect();
        let ends: Vec<Done> = undos.into_iter().map(|undo| done(undo.finish())).collect();
        assert_eq!(ends.iter().filter(|end| end.code == 0).count(), 1, "round {round}: {ends:?}");
        assert!(ends.iter().all(|end| [0, 40, 60].contains(&end.code)), "{ends:?}");
        ends.iter().filter(|end| end.code != 0).for_each(clear);
        assert_eq!(world.read("greet.txt"), BEFORE);
        world.run(&["undo", &run, "--approver-key", &world.key()]).expect(40);
        world.run(&["audit", "verify"]).expect(0);
    }
}

/// The clock is moved for one command at a time, by a library that is put before the C library's.
#[test]
fn a_clock_that_jumps_loses_nothing() {
    let (world, id) = approved();
    let Some(shim) = clock_shim(&world) else { return };
    let at = |seconds: i64, args: &[&str]| {
        let mut command = world.command(args);
        done(output(command.env("LD_PRELOAD", &shim).env("CLOCK_OFFSET", seconds.to_string())))
    };
    const YEAR: i64 = 365 * 24 * 60 * 60;
    for offset in [YEAR, -YEAR, -3600, -80 * YEAR, 9_000 * YEAR] {
        let refused = at(offset, &["execute", &id]);
        clear(&refused);
        assert!([30, 40, 60].contains(&refused.code), "{offset}: {refused:?}");
        assert_eq!(world.read("greet.txt"), BEFORE, "{offset}");
    }
    for offset in [-80 * YEAR, 9_000 * YEAR] {
        let path = world.file("plan.json", fix().to_string());
        for args in [&["check", path.as_str()][..], &["submit", &path], &["doctor"]] {
            let done = at(offset, args);
            assert!([0, 30].contains(&done.code) && !done.err.contains("internal fault"), "{offset}: {done:?}");
        }
    }
    let id = approve(&world);
    let run = world.run(&["execute", &id, "--json"]).expect(0).json();
    let run = run["run_id"].as_str().unwrap().to_owned();
    // Back in time a person's own key still undoes, or it says why not; nothing is dropped for being old or from the future.
    let undone = at(-YEAR, &["undo", &run, "--approver-key", &world.key()]);
    if undone.code != 0 {
        clear(&undone);
        world.run(&["undo", &run, "--approver-key", &world.key()]).expect(0);
    }
    assert_eq!(world.read("greet.txt"), BEFORE);
    world.run(&["audit", "verify"]).expect(0);
}

/// The log has come past the end of an approved plan, so that no clock that is right again, or was set back, lets it run.
#[test]
fn attack_53_a_plan_that_is_over_by_the_logs_time_does_not_run() {
    let (world, id) = approved();
    let Some(shim) = clock_shim(&world) else { return };
    let path = world.file("plan.json", fix().to_string());
    let mut later = world.command(&["submit", &path]);
    done(output(later.env("LD_PRELOAD", &shim).env("CLOCK_OFFSET", "3600"))).expect(30);
    let refused = world.run(&["execute", &id, "--json"]).expect(40).json();
    assert_eq!(refused["error"]["code"], "plan_expired", "{refused}");
    assert_eq!(world.read("greet.txt"), BEFORE);
    assert_eq!(world.run(&["show", &id, "--json"]).expect(0).json()["status"], "expired");
    // One that is decided after that is as young as the clock says.
    let id = approve(&world);
    world.run(&["execute", &id]).expect(0);
    assert_eq!(world.read("greet.txt"), AFTER);
    world.run(&["audit", "verify"]).expect(0);
}

fn clock_shim(world: &World) -> Option<String> {
    let source = world.file(
        "clock.c",
        "#define _GNU_SOURCE\n#include <stdlib.h>\n#include <sys/syscall.h>\n#include <time.h>\n#include <unistd.h>\n\
         int clock_gettime(clockid_t id, struct timespec *ts)\n{\n    long code = syscall(SYS_clock_gettime, id, ts);\n\
         if (code == 0 && id == CLOCK_REALTIME && getenv(\"CLOCK_OFFSET\"))\n        ts->tv_sec += atol(getenv(\"CLOCK_OFFSET\"));\n\
         return (int)code;\n}\n",
    );
    let shim = world.path().join("clock.so").display().to_string();
    let made = succeeds(Command::new("cc").args(["-shared", "-fPIC", "-o", &shim, &source]));
    needs(made, "a C compiler").then_some(shim)
}

/// A signal to the program alone, not to its group as from a terminal.
#[test]
fn a_signal_stops_a_check_and_rolls_back() {
    if !sandbox() {
        return;
    }
    for signal in ["TERM", "INT", "HUP"] {
        let world = World::begun();
        demand(&world, "echo begun; sleep 600", 600, "");
        let id = approve(&world);
        let run = Begun::execute(&world, &id);
        let end = run.stopped_by(signal);
        assert_eq!(end["outcome"], "cancelled", "{end}");
        assert_eq!(world.read("greet.txt"), BEFORE);
        assert_eq!(world.run(&["status"]).expect(0).out.matches("unfinished").count(), 0);
    }
}

/// A plan whose targets another run holds was not carried out: it stays approved, and is told who is at it.
#[test]
fn a_lock_held_by_another_run_costs_no_plan() {
    if !sandbox() {
        return;
    }
    let world = World::begun();
    demand(&world, "test -e quick || (echo begun; sleep 600)", 600, "");
    let (first, second) = (approve(&world), approve(&world));
    let run = Begun::execute(&world, &first);
    let refused = world.run(&["execute", &second]).expect(60);
    clear(&refused);
    let holder = format!("(process {})", run.child.id());
    assert!(refused.err.contains("`greet.txt` is locked by run") && refused.err.contains(&holder), "{refused:?}");
    world.run(&["execute", &first]).expect(40);
    let shown = world.run(&["show", &second, "--json"]).expect(0).json();
    assert_eq!((&shown["status"], &shown["run"]), (&"user_approved".into(), &Value::Null), "{shown}");
    world.write("quick", "");
    let mut waiting = world.command(&["execute", &second, "--queue"]);
    let mut waiting = Running::start(waiting.stdout(Stdio::null()).stderr(Stdio::null()));
    run.stopped_by("TERM");
    assert_eq!(waiting.wait().code(), Some(0), "it had its turn");
    assert_eq!(world.read("greet.txt"), AFTER);
    world.run(&["audit", "verify"]).expect(0);
}

/// Runs that were killed have failed, like others.
#[test]
fn three_killed_runs_make_the_profile_fall() {
    if !sandbox() {
        return;
    }
    let world = World::begun();
    demand(&world, "echo begun; sleep 600", 600, "");
    world.run(&["profile", "set", "DEV", "--approver-key", &world.key()]).expect(0);
    for profile in ["DEV", "DEV", "SAFE"] {
        let made = world.pipe(&["submit", "-", "--json"], fix().to_string().as_bytes()).expect(0).json();
        Begun::execute(&world, made["plan_id"].as_str().unwrap()).child.kill();
        world.run(&["recover"]).expect(0);
        let current = world.run(&["profile", "current", "--json"]).expect(0).json();
        assert_eq!(current["in_force"], profile, "{current}");
    }
}

/// A run of which nothing is left changed nothing: that a target is another one by now is no concern of it. What was approved
/// is another matter.
#[test]
fn a_run_that_died_early_says_nothing_about_later_edits() {
    if !sandbox() {
        return;
    }
    let world = World::begun();
    demand(&world, "echo begun; sleep 600", 600, "");
    for (edit, code, outcome) in [("an edit\n", 0, "rolled_back"), (AFTER, 60, "needs_attention")] {
        world.write("greet.txt", BEFORE);
        let id = approve(&world);
        Begun::execute(&world, &id).child.kill();
        for left in std::fs::read_dir(world.project().join(".exacta/exec")).unwrap() {
            let left = left.unwrap().path();
            if left.is_file() {
                std::fs::remove_file(left).unwrap();
            }
        }
        world.write("greet.txt", edit);
        world.run(&["recover"]).expect(code);
        assert_eq!(world.run(&["show", &id, "--json"]).expect(0).json()["run"]["outcome"], outcome);
    }
}

/// A run that waits for its turn does not wait for the dead: it recovers what they left, and goes on.
#[test]
fn a_run_that_dies_makes_room_for_one_that_waits() {
    if !sandbox() {
        return;
    }
    let world = World::begun();
    demand(&world, "test -e quick || (echo begun; sleep 600)", 600, "");
    let (first, second, third) = (approve(&world), approve(&world), approve(&world));
    let mut run = Begun::execute(&world, &first);
    let wait = |id: &str| {
        let mut command = world.command(&["execute", id, "--queue", "--json"]);
        Running::start(command.stdout(Stdio::piped()).stderr(Stdio::piped()))
    };
    let cancelled = wait(&third);
    let status = format!("/proc/{}/status", cancelled.id());
    let catches_term = || {
        let status = std::fs::read_to_string(&status).unwrap_or_default();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).map(str::trim);
        caught.and_then(|caught| u64::from_str_radix(caught, 16).ok()).is_some_and(|caught| caught >> 14 & 1 == 1)
    };
    assert!(comes_true(catches_term), "it waits");
    assert!(succeeds(Command::new("kill").args(["-TERM", &cancelled.id().to_string()])));
    let end = done(cancelled.finish()).expect(50).json();
    assert_eq!((&end["outcome"], &end["error"]["code"]), (&"cancelled".into(), &"cancelled".into()), "{end}");

    world.write("quick", "");
    let waiting = wait(&second);
    run.child.kill();
    let end = done(waiting.finish()).expect(0).json();
    assert_eq!(end["outcome"], "completed", "{end}");
    assert_eq!(world.read("greet.txt"), AFTER);
    world.run(&["audit", "verify"]).expect(0);
}

/// What a run was permitted under must hold until it is committed, however long its checks take.
#[test]
fn a_policy_that_changes_during_a_check_withdraws_the_run() {
    if !sandbox() {
        return;
    }
    let world = World::begun();
    std::fs::create_dir(world.project().join("out")).unwrap();
    demand(&world, "echo begun; until test -e out/changed; do sleep 0.1; done", 600, "\"out\"");
    let (first, second) = (approve(&world), approve(&world));
    let run = Begun::execute(&world, &first);
    let mut waiting = world.command(&["execute", &second, "--queue"]);
    let waiting = Running::start(waiting.stdout(Stdio::piped()).stderr(Stdio::piped()));
    let policy = world.home().join("safety-policy.toml");
    let text = std::fs::read_to_string(&policy).unwrap();
    std::fs::write(&policy, format!("protected_paths = [\"greet.txt\"]\n{text}")).unwrap();
    world.write("out/changed", "");
    let end = run.ended(40);
    assert_eq!((&end["outcome"], &end["error"]["code"]), (&"rolled_back".into(), &"approval_outdated".into()), "{end}");
    // It had begun to wait when the policy changed, or had not.
    let waited = done(waiting.finish());
    assert!([40, 10].contains(&waited.code) && waited.err.contains("policy"), "{waited:?}");
    assert_eq!(world.read("greet.txt"), BEFORE);
    world.run(&["execute", &second]).expect(10);
    world.run(&["audit", "verify"]).expect(0);
}

/// The operator demands this check, with a time limit in seconds and folders that it may write to.
pub(crate) fn demand(world: &World, script: &str, limit: u32, writes: &str) {
    let root = world.project().canonicalize().unwrap();
    let policy = format!(
        "[[projects.\"{}\".checks]]\nargv = [\"sh\", \"-c\", \"{script}\"]\ntimeout_seconds = {limit}\nwrites = [{writes}]\n",
        root.display()
    );
    let file = world.home().join("safety-policy.toml");
    std::fs::write(&file, policy).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
}

/// A run whose check has said `begun`.
pub(crate) struct Begun {
    pub(crate) child: Running,
    lines: Lines,
}

impl Begun {
    pub(crate) fn execute(world: &World, id: &str) -> Self {
        let mut command = world.command(&["execute", id, "--events"]);
        let mut child = Running::start(command.stdout(Stdio::piped()).stderr(Stdio::null()));
        let mut lines = Lines::of(child.stdout().unwrap());
        assert!(lines.any(|line| line.contains("begun")), "the check runs");
        Self { child, lines }
    }

    /// Sends a signal and waits for the end; what was printed last.
    fn stopped_by(self, signal: &str) -> Value {
        let pid = self.child.id().to_string();
        assert!(succeeds(Command::new("kill").args([&format!("-{signal}"), &pid])));
        self.ended(50)
    }

    /// Waits for the end; what was printed last.
    pub(crate) fn ended(mut self, code: i32) -> Value {
        let last = self.lines.last().unwrap();
        assert_eq!(self.child.wait().code(), Some(code), "{last}");
        serde_json::from_str(&last).unwrap()
    }
}

/// What stands against an undo is told for every kind of change.
#[test]
fn an_undo_tells_what_changed_since() {
    let (world, run) = executed();
    let file = world.project().join("greet.txt");
    let undo = || world.run(&["undo", &run, "--approver-key", &world.key()]).expect(40).err;
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    assert!(undo().contains("`greet.txt`, mode 644 → 600"), "{}", undo());
    std::fs::remove_file(&file).unwrap();
    std::os::unix::fs::symlink("src/main.py", &file).unwrap();
    assert!(undo().contains("no file that could be read"), "{}", undo());
}

/// Where the journal of a run lies.
fn journal(world: &World, run: &str) -> std::path::PathBuf {
    let all = std::fs::read_dir(world.project().join(".exacta/exec/over")).unwrap().map(|entry| entry.unwrap().path());
    let is =
        |path: &std::path::PathBuf| path.to_str().is_some_and(|path| path.contains(run) && path.ends_with(".done"));
    all.into_iter().find(is).unwrap()
}
