//! Attack 2: a command leaves nothing in `writes` that lends the operator's rights to whoever starts it.

use super::*;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

/// Every call that can set a mode, as a program makes it past any library; `M` is the mode. Only x86_64 has the older ones.
const CALLS: &[(&str, i64, &str)] = &[
    ("chmod", 90, "f, M"),
    ("fchmod", 91, "fd, M"),
    ("fchmodat", 268, "-100, f, M"),
    ("fchmodat2", 452, "-100, f, M, 0"),
    ("open", 2, "n, 0o101, M"),
    ("open, without a name", 2, "b'build', 0o20200001, M"),
    ("openat", 257, "-100, n, 0o101, M"),
    ("openat, without a name", 257, "-100, b'build', 0o20200001, M"),
    ("creat", 85, "n, M"),
    ("mknod", 133, "n, 0o100000 | M, 0"),
    ("mknodat", 259, "-100, n, 0o100000 | M, 0"),
];

impl Place {
    /// What one call answers in the sandbox: 0, or the number of its error.
    fn call(&self, number: i64, arguments: &str, mode: u32) -> i32 {
        let arguments = arguments.replace('M', &format!("0o{mode:o}"));
        let code = format!(
            "import ctypes, os\n\
             call = ctypes.CDLL(None, use_errno=True).syscall\n\
             f, n = b'build/f', b'build/n'\n\
             fd = os.open(f, os.O_CREAT | os.O_RDWR)\n\
             print(ctypes.get_errno() if call({number}, {arguments}) < 0 else 0)"
        );
        let report = self.run(&format!("/usr/bin/python3 - <<'EOF'\n{code}\nEOF"), 60);
        for name in ["f", "n"] {
            drop(std::fs::remove_file(self.project.path().join("build").join(name)));
        }
        report.output.trim().parse().unwrap_or_else(|_| panic!("{number} {arguments}: {}", report.output))
    }

    fn put(&self, name: &str, mode: u32) -> PathBuf {
        let path = self.project.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, "#!/bin/sh\n").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        path
    }
}

fn mode(path: &Path) -> u32 {
    std::fs::symlink_metadata(path).unwrap().permissions().mode() & 0o7777
}

#[test]
fn attack_02_no_call_sets_the_id_of_a_file() {
    if !sandbox() || !cfg!(target_arch = "x86_64") {
        return;
    }
    const EPERM: i32 = 1;
    const ENOSYS: i32 = 38;
    let place = Place::new();
    for (name, number, arguments) in CALLS {
        for (mode, answer) in [(0o4755, EPERM), (0o2755, EPERM), (0o6777, EPERM), (0o755, 0), (0o1755, 0)] {
            assert_eq!(place.call(*number, arguments, mode), answer, "{name} {mode:o}");
        }
        // As programs with 32-bit pointers call it.
        assert_eq!(place.call(number | 0x4000_0000, arguments, 0o4755), ENOSYS, "{name}");
    }
    // Where nothing is made, what stands in the place of the mode is none.
    assert_eq!(place.call(257, "-100, f, 0, M", 0o4755), 0);
    for call in [437, 425, 426, 427] {
        assert_eq!(place.call(call, "0, 0, 0, 0", 0), ENOSYS, "{call}: its arguments cannot be seen");
    }
    // setxattr, lsetxattr, fsetxattr.
    for (call, file) in [(188, "f"), (189, "f"), (190, "fd")] {
        assert_eq!(place.call(call, &format!("{file}, b'user.a', b'b', 1, 0"), 0), 95, "{call}");
    }
}

/// What programs do every day still works.
#[test]
fn attack_02_ordinary_modes_are_set() {
    if !sandbox() {
        return;
    }
    let place = Place::new();
    let script = "umask 022; touch build/a && chmod 755 build/a && cp -a build/a build/b && install -m 700 build/a build/c \
                  && mkdir -m 1777 build/d && stat -c %a build/a build/b build/c build/d; chmod u+s build/a || echo refused";
    let report = place.run(script, 60);
    assert_eq!(report.output.lines().take(4).collect::<Vec<_>>(), ["755", "755", "700", "1777"], "{}", report.output);
    assert!(report.output.ends_with("refused\n"), "{}", report.output);
}

/// By whatever way it came there, whether the command passed, failed or was stopped.
#[test]
fn attack_02_what_is_left_in_writes_is_swept() {
    if !sandbox() {
        return;
    }
    for (script, timeout) in [("echo ready; sleep 0.3", 60), ("echo ready; sleep 0.3; exit 1", 60), ("yes", 1)] {
        let place = Place::new();
        let (mut made, elsewhere) = (None, place.put("elsewhere", 0o4755));
        let plant = &mut |_: &[u8]| {
            made.get_or_insert_with(|| (place.put("build/a/b/tool", 0o4755), place.put("build/group", 0o2711)));
        };
        let link = place.project.path().join("build/link");
        std::os::unix::fs::symlink(&elsewhere, link).unwrap();
        let error = place.watched(script, timeout, &AtomicBool::new(false), plant).unwrap_err();
        let told = error.to_string();
        assert!(told.contains("`build/a/b/tool`") && told.contains("`build/group`"), "{script}: {told}");
        assert!(!told.contains("link"), "{told}");
        let (tool, group) = made.unwrap();
        assert_eq!((mode(&tool), mode(&group), mode(&elsewhere)), (0o755, 0o711, 0o4755), "{script}");
    }
}

/// A command could write into it: a mapped file keeps its mode.
#[test]
fn attack_02_a_file_that_lends_rights_is_not_given_to_a_command() {
    if !sandbox() {
        return;
    }
    let place = Place::new();
    let tool = place.put("build/deep/tool\u{1b}[31m", 0o4755);
    let error = place.try_run("echo ran > build/ran", 60).unwrap_err();
    assert!(matches!(error, SandboxError::SetId { .. }), "{error}");
    assert!(error.to_string().contains("`build/deep/tool") && !error.to_string().contains('\u{1b}'), "{error}");
    assert_eq!(mode(&tool), 0o4755, "it is somebody's");
    assert!(!place.project.path().join("build/ran").exists());
    std::fs::remove_file(tool).unwrap();
    // A folder hands its group on by the same bit.
    let shared = place.project.path().join("build/deep");
    std::fs::set_permissions(&shared, std::fs::Permissions::from_mode(0o2775)).unwrap();
    assert_eq!(place.run("mkdir build/deep/er", 60).ended, Ended::Passed);
    assert_eq!(mode(&shared.join("er")) & 0o2000, 0o2000);
}

#[test]
fn attack_02_capabilities_are_found_and_taken_away() {
    if !sandbox() || !root() {
        return;
    }
    let place = Place::new();
    let tool = place.put("build/tool", 0o755);
    // Version 2, effective: CAP_SETUID.
    let value = [1, 0, 0, 2, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let give = || rustix::fs::setxattr(&tool, "security.capability", &value, rustix::fs::XattrFlags::empty());
    let has = || rustix::fs::getxattr(&tool, "security.capability", &mut [0_u8; 64]).is_ok();
    if !exacta_testkit::offers(give().is_ok(), "a file system with capabilities") {
        return;
    }
    let error = place.try_run("true", 60).unwrap_err();
    assert!(matches!(error, SandboxError::SetId { .. }) && has(), "{error}");
    rustix::fs::removexattr(&tool, "security.capability").unwrap();
    let plant = &mut |_: &[u8]| give().unwrap();
    let error = place.watched("echo ready; sleep 0.3", 60, &AtomicBool::new(false), plant).unwrap_err();
    assert!(matches!(error, SandboxError::Left { .. }) && !has(), "{error}");
}

/// What tests leave every day: a folder that nobody may enter, and one that goes deep. Both are looked through, and in nobody's way.
#[test]
fn attack_45_nothing_that_a_command_left_blocks_the_next() {
    if !sandbox() {
        return;
    }
    let place = Place::new();
    let script = "mkdir -p build/locked/in build/blind && chmod 000 build/locked/in build/locked build/blind; cd build; \
                  i=0; while [ $i -lt 300 ]; do mkdir d && cd d && i=$((i+1)); done; chmod 000 .";
    assert_eq!(place.run(script, 60).ended, Ended::Passed);
    assert_eq!(place.run("true", 60).ended, Ended::Passed);
    let opened = ["build/locked", "build/locked/in", "build/blind"].map(|name| mode(&place.project.path().join(name)));
    assert_eq!(opened, [0o700; 3], "the user's own are opened up");
    let deepest = format!("build{}/tool", "/d".repeat(300));
    let tools = [place.put(&deepest, 0o4755), place.put("build/locked/in/tool", 0o4755)];
    let error = place.try_run("true", 60).unwrap_err();
    assert!(matches!(error, SandboxError::SetId { .. }), "{error}");
    for tool in &tools {
        std::fs::set_permissions(tool, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    // What the command closes while somebody else puts a program there.
    let plant = &mut |_: &[u8]| drop((place.put(&deepest, 0o4755), place.put("build/locked/in/tool", 0o4755)));
    let script = "echo ready; sleep 0.3; chmod 000 build/locked/in";
    let error = place.watched(script, 60, &AtomicBool::new(false), plant).unwrap_err();
    assert!(matches!(error, SandboxError::Left { .. }), "{error}");
    assert_eq!(tools.map(|tool| mode(&tool)), [0o755; 2]);
}
