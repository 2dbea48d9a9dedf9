//! What is dangerous, as data: a line that has all of some phrases and one of others.

use super::hooks::PASSED_OVER;
use crate::scan::lexicon::{
    CONTAINER, DECODE, DISK, FETCH, HOOKS, LOGIN, MODE, Marks, PROTECTION, ROOT, SHELL, START, TLS,
};

/// One dangerous operation.
pub(super) struct Rule {
    /// In words.
    pub what: &'static str,
    /// Whether nothing legitimate does it.
    pub certain: bool,
    /// The line has a word of one of these kinds.
    pub marks: Marks,
    /// All of these occur in the line.
    pub all: &'static [&'static str],
    /// And one of these, if there are any.
    pub any: &'static [&'static str],
}

pub(super) const fn certain(
    marks: Marks,
    what: &'static str,
    all: &'static [&'static str],
    any: &'static [&'static str],
) -> Rule {
    Rule { what, certain: true, marks, all, any }
}

pub(super) const fn doubtful(marks: Marks, what: &'static str, any: &'static [&'static str]) -> Rule {
    Rule { what, certain: false, marks, all: &[], any }
}

pub(super) const fn doubtful_if(
    marks: Marks,
    what: &'static str,
    all: &'static [&'static str],
    any: &'static [&'static str],
) -> Rule {
    Rule { what, certain: false, marks, all, any }
}

const SHELLS: &[&str] = &["/bin/sh", "/bin/bash", "bash -i", "sh -i", "cmd.exe", "powershell"];
const REVERSE: &str = "opens a reverse shell";
const TLS_WHAT: &str = "switches off the verification of TLS certificates or host keys";
const SENDS: &[&str] = &["curl", "wget", "nc", "ncat", "requests.post", "fetch", "http.post", "invoke-webrequest"];

/// Phrases are lower case; a phrase that begins or ends with a letter matches whole words only.
pub(super) const RULES: &[Rule] = &[
    certain(SHELL, REVERSE, &["/dev/tcp/"], &["bash -i", "sh -i", ">&", "exec", "0>&1"]),
    certain(SHELL, REVERSE, &["nc"], &["nc -e", "nc -c", "-e /bin/sh", "-e /bin/bash", "-e cmd", "-c /bin/sh"]),
    certain(SHELL, REVERSE, &["ncat"], &["-e /bin/sh", "-e /bin/bash", "--exec", "-e cmd", "--sh-exec"]),
    certain(SHELL, REVERSE, &["mkfifo", "nc"], SHELLS),
    certain(
        SHELL,
        REVERSE,
        &["socat"],
        &["exec:/bin/sh", "exec:/bin/bash", "exec:'bash", "exec:\"bash", "exec:sh", "exec:bash"],
    ),
    certain(SHELL, REVERSE, &["socket", "dup2"], &["/bin/sh", "/bin/bash", "pty.spawn", "subprocess"]),
    certain(SHELL, REVERSE, &["socket", "pty.spawn"], &[]),
    certain(SHELL, REVERSE, &["fsockopen"], SHELLS),
    certain(SHELL, REVERSE, &["tcpsocket.open"], SHELLS),
    certain(SHELL, REVERSE, &["tcpclient", "getstream"], &["iex", "invoke-expression", "powershell"]),
    certain(LOGIN, "sends private keys or credentials away", &["/.ssh/id_"], SENDS),
    certain(LOGIN, "sends private keys or credentials away", &["/.aws/credentials"], SENDS),
    certain(LOGIN, "sends private keys or credentials away", &["/etc/shadow"], SENDS),
    certain(
        LOGIN,
        "sends the whole environment away",
        &["curl"],
        &["-d \"$(env", "-d \"`env", "--data \"$(env", "-d \"$(printenv"],
    ),
    certain(LOGIN, "lets a stranger log in by key", &["authorized_keys"], &["echo \"ssh-", "echo 'ssh-", "echo ssh-"]),
    certain(
        DECODE,
        "runs decoded text as code",
        &["b64decode"],
        &["exec(base64", "eval(base64", "exec(__import__('base64')", "exec(b64decode", "eval(b64decode"],
    ),
    certain(
        DECODE,
        "runs decoded text as code",
        &["base64_decode"],
        &["eval(base64_decode", "assert(base64_decode", "eval(gzinflate(base64_decode"],
    ),
    doubtful(
        DECODE,
        "runs decoded text as code",
        &["eval(atob(", "exec(compile(base64", "-encodedcommand", "-enc", "new function(atob("],
    ),
    doubtful_if(DECODE, "runs decoded text as code", &["eval(", "base64"], &["buffer.from"]),
    doubtful(
        FETCH,
        "runs downloaded text as code",
        &[
            "bash <(curl",
            "bash <(wget",
            "sh <(curl",
            "source <(curl",
            ". <(curl",
            "bash -c \"$(curl",
            "sh -c \"$(curl",
            "sh -c \"$(wget",
            "bash -c \"$(wget",
            "eval \"$(curl",
            "eval $(curl",
            "eval \"$(wget",
            "eval `curl",
            "bash -c '$(curl",
        ],
    ),
    doubtful_if(FETCH, "runs downloaded text as code", &["downloadstring"], &["iex", "invoke-expression"]),
    doubtful_if(FETCH, "runs downloaded text as code", &["exec("], &["requests.get", "urlopen", "urlretrieve"]),
    doubtful_if(
        FETCH,
        "runs downloaded text as code",
        &["eval("],
        &["requests.get", "urlopen", "await fetch", "file_get_contents('https:", "file_get_contents(\"https:"],
    ),
    doubtful(ROOT, "grants root without a password", &["nopasswd"]),
    doubtful(ROOT, "changes who may become root", &["/etc/sudoers", "visudo", "usermod -ag sudo", "usermod -ag wheel"]),
    doubtful(
        ROOT | MODE,
        "gives a program another user's rights",
        &["setuid(0)", "seteuid(0)", "setcap", "chmod u+s", "chmod g+s", "chmod +s", "chmod ug+s"],
    ),
    doubtful(
        MODE,
        "gives everyone write access",
        &[
            "chmod a+rwx",
            "chmod o+w",
            "chmod a+w",
            "chmod ugo+rwx",
            "umask 000",
            "umask 0000",
            "chmod 777",
            "chmod 0777",
            "chmod -r 777",
            "chmod -r 0777",
            "chmod -r a+rwx",
        ],
    ),
    doubtful_if(MODE, "gives everyone write access", &["chmod"], &["0o777", "0777", "s_irwxo"]),
    doubtful(
        CONTAINER,
        "gives a container the rights of its host",
        &[
            "--privileged",
            "privileged: true",
            "hostpid: true",
            "hostnetwork: true",
            "allowprivilegeescalation: true",
            "/var/run/docker.sock",
            "cap_add: sys_admin",
            "--cap-add=all",
            "--cap-add=sys_admin",
            "pid: host",
            "--pid=host",
        ],
    ),
    doubtful(
        HOOKS,
        PASSED_OVER,
        &[
            "husky=0",
            "husky_skip_hooks",
            "lefthook=0",
            "lefthook=false",
            "overcommit_disable=1",
            "core.hookspath",
            "--no-commit-hooks",
            "git commit -n",
            "git commit -nm",
            "git commit -an",
            "git commit -anm",
            "git commit -nam",
        ],
    ),
    doubtful_if(HOOKS, PASSED_OVER, &["git commit"], &["skip="]),
    doubtful(
        TLS,
        TLS_WHAT,
        &[
            "verify=false",
            "rejectunauthorized: false",
            "\"rejectunauthorized\": false",
            "insecureskipverify: true",
            "danger_accept_invalid_certs(true)",
            "danger_accept_invalid_hostnames(true)",
        ],
    ),
    doubtful(
        TLS,
        TLS_WHAT,
        &[
            "node_tls_reject_unauthorized",
            "_create_unverified_context",
            "ssl.cert_none",
            "git_ssl_no_verify",
            "http.sslverify false",
            "http.sslverify=false",
            "strict-ssl=false",
            "strict-ssl false",
            "stricthostkeychecking=no",
            "stricthostkeychecking no",
            "trust_all_certs",
            "allow_all_hostname_verifier",
            "noophostnameverifier",
            "check_hostname = false",
            "--no-check-certificate",
            "--no-verify-ssl",
            "verify_mode = openssl::ssl::verify_none",
            "skipcertificatecheck",
        ],
    ),
    doubtful_if(TLS, TLS_WHAT, &["curl"], &["--insecure", "-k", "-sk", "-ksl", "-fsslk"]),
    doubtful_if(TLS, TLS_WHAT, &["curlopt_ssl_verifypeer"], &["false", "0"]),
    doubtful_if(TLS, TLS_WHAT, &["servercertificatevalidationcallback"], &["true"]),
    doubtful_if(
        LOGIN,
        "changes which keys may log in",
        &["authorized_keys"],
        &[">>", ">", "tee", "open(", "write", "append", "copy", "cp"],
    ),
    doubtful(
        START,
        "installs something that runs by itself",
        &[
            "crontab -",
            "/etc/cron",
            "/var/spool/cron",
            "/etc/systemd/system",
            "systemctl enable",
            "/etc/init.d",
            "/etc/rc.local",
            "/.config/autostart",
            "launchagents",
            "launchdaemons",
            "schtasks /create",
            "\\currentversion\\run",
        ],
    ),
    doubtful_if(
        START,
        "changes a shell's startup file",
        &[">>"],
        &[".bashrc", ".zshrc", ".bash_profile", ".profile", ".zshenv", "/etc/profile"],
    ),
    doubtful(
        PROTECTION,
        "switches a protection of the system off",
        &[
            "setenforce 0",
            "ufw disable",
            "iptables -f",
            "disablerealtimemonitoring",
            "unset histfile",
            "history -c",
            "set-executionpolicy bypass",
            "-executionpolicy bypass",
        ],
    ),
    doubtful(PROTECTION, "reads the cloud's own credentials", &["169.254.169.254", "metadata.google.internal"]),
    doubtful(DISK, "overwrites a disk", &["mkfs", "mkfs.ext4", "mkfs.xfs", "wipefs"]),
];
