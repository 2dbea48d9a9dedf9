//! What is dangerous, as data: a line that has all of some phrases and one of others.

/// One dangerous operation.
pub(super) struct Rule {
    /// In words.
    pub what: &'static str,
    /// Whether nothing legitimate does it.
    pub certain: bool,
    /// All of these occur in the line.
    pub all: &'static [&'static str],
    /// And one of these, if there are any.
    pub any: &'static [&'static str],
}

const fn certain(what: &'static str, all: &'static [&'static str], any: &'static [&'static str]) -> Rule {
    Rule { what, certain: true, all, any }
}

const fn doubtful(what: &'static str, any: &'static [&'static str]) -> Rule {
    Rule { what, certain: false, all: &[], any }
}

const fn doubtful_if(what: &'static str, all: &'static [&'static str], any: &'static [&'static str]) -> Rule {
    Rule { what, certain: false, all, any }
}

const SHELLS: &[&str] = &["/bin/sh", "/bin/bash", "bash -i", "sh -i", "cmd.exe", "powershell"];
const REVERSE: &str = "opens a reverse shell";
const TLS: &str = "switches off the verification of TLS certificates or host keys";
const SENDS: &[&str] = &["curl", "wget", "nc", "ncat", "requests.post", "fetch", "http.post", "invoke-webrequest"];

/// Phrases are lower case; a phrase that begins or ends with a letter matches whole words only.
pub(super) const RULES: &[Rule] = &[
    certain(REVERSE, &["/dev/tcp/"], &["bash -i", "sh -i", ">&", "exec", "0>&1"]),
    certain(REVERSE, &["nc"], &["nc -e", "nc -c", "-e /bin/sh", "-e /bin/bash", "-e cmd", "-c /bin/sh"]),
    certain(REVERSE, &["ncat"], &["-e /bin/sh", "-e /bin/bash", "--exec", "-e cmd", "--sh-exec"]),
    certain(REVERSE, &["mkfifo", "nc"], SHELLS),
    certain(
        REVERSE,
        &["socat"],
        &["exec:/bin/sh", "exec:/bin/bash", "exec:'bash", "exec:\"bash", "exec:sh", "exec:bash"],
    ),
    certain(REVERSE, &["socket", "dup2"], &["/bin/sh", "/bin/bash", "pty.spawn", "subprocess"]),
    certain(REVERSE, &["socket", "pty.spawn"], &[]),
    certain(REVERSE, &["fsockopen"], SHELLS),
    certain(REVERSE, &["tcpsocket.open"], SHELLS),
    certain(REVERSE, &["tcpclient", "getstream"], &["iex", "invoke-expression", "powershell"]),
    certain("sends private keys or credentials away", &["/.ssh/id_"], SENDS),
    certain("sends private keys or credentials away", &["/.aws/credentials"], SENDS),
    certain("sends private keys or credentials away", &["/etc/shadow"], SENDS),
    certain(
        "sends the whole environment away",
        &["curl"],
        &["-d \"$(env", "-d \"`env", "--data \"$(env", "-d \"$(printenv"],
    ),
    certain("lets a stranger log in by key", &["authorized_keys"], &["echo \"ssh-", "echo 'ssh-", "echo ssh-"]),
    certain(
        "runs decoded text as code",
        &["b64decode"],
        &["exec(base64", "eval(base64", "exec(__import__('base64')", "exec(b64decode", "eval(b64decode"],
    ),
    certain(
        "runs decoded text as code",
        &["base64_decode"],
        &["eval(base64_decode", "assert(base64_decode", "eval(gzinflate(base64_decode"],
    ),
    certain("is a fork bomb", &[":(){ :|:& };:"], &[]),
    certain("is a fork bomb", &[":(){:|:&};:"], &[]),
    doubtful(
        "runs decoded text as code",
        &["eval(atob(", "exec(compile(base64", "-encodedcommand", "-enc", "new function(atob("],
    ),
    doubtful_if("runs decoded text as code", &["eval(", "base64"], &["buffer.from"]),
    doubtful(
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
    doubtful_if("runs downloaded text as code", &["downloadstring"], &["iex", "invoke-expression"]),
    doubtful_if("runs downloaded text as code", &["exec("], &["requests.get", "urlopen", "urlretrieve"]),
    doubtful_if(
        "runs downloaded text as code",
        &["eval("],
        &["requests.get", "urlopen", "await fetch", "file_get_contents('http", "file_get_contents(\"http"],
    ),
    doubtful("grants root without a password", &["nopasswd"]),
    doubtful("changes who may become root", &["/etc/sudoers", "visudo", "usermod -ag sudo", "usermod -ag wheel"]),
    doubtful(
        "gives a program another user's rights",
        &["setuid(0)", "seteuid(0)", "setcap", "chmod u+s", "chmod g+s", "chmod +s", "chmod ug+s"],
    ),
    doubtful(
        "gives everyone write access",
        &[
            "chmod a+rwx",
            "chmod o+w",
            "chmod a+w",
            "chmod ugo+rwx",
            "umask 000",
            "umask 0000",
            "0o777)",
            ", 0777)",
            "chmod 777",
            "chmod 0777",
            "chmod -r 777",
            "chmod -r 0777",
            "chmod -r a+rwx",
        ],
    ),
    doubtful(
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
    doubtful("passes over git's hooks", &["--no-verify", "husky=0", "husky_skip_hooks", "core.hookspath"]),
    doubtful(
        TLS,
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
            "verify_mode = openssl::ssl::verify_none",
            "skipcertificatecheck",
        ],
    ),
    doubtful_if(TLS, &["curl"], &["--insecure", "-k", "-sk", "-ksl", "-fsslk"]),
    doubtful_if(TLS, &["curlopt_ssl_verifypeer"], &["false", "0"]),
    doubtful_if(TLS, &["servercertificatevalidationcallback"], &["true"]),
    doubtful_if(
        "changes which keys may log in",
        &["authorized_keys"],
        &[">>", ">", "tee", "open(", "write", "append", "copy", "cp"],
    ),
    doubtful(
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
        "changes a shell's startup file",
        &[">>"],
        &[".bashrc", ".zshrc", ".bash_profile", ".profile", ".zshenv", "/etc/profile"],
    ),
    doubtful(
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
    doubtful("reads the cloud's own credentials", &["169.254.169.254", "metadata.google.internal"]),
    doubtful_if(
        "overwrites a disk",
        &["dd"],
        &["of=/dev/sd", "of=/dev/nvme", "of=/dev/vd", "of=/dev/hd", "of=/dev/disk"],
    ),
    doubtful("overwrites a disk", &["mkfs", "mkfs.ext4", "mkfs.xfs", "wipefs"]),
];

/// Words at least one of which is in every line that a rule matches: other lines are passed over at once.
pub(super) fn is_trigger(word: &[u8]) -> bool {
    matches!(
        word,
        b"tcp"
            | b"nc"
            | b"ncat"
            | b"mkfifo"
            | b"socat"
            | b"dup2"
            | b"pty"
            | b"fsockopen"
            | b"TCPSocket"
            | b"TCPClient"
            | b"id_rsa"
            | b"id_ed25519"
            | b"id_ecdsa"
            | b"credentials"
            | b"shadow"
            | b"curl"
            | b"wget"
            | b"authorized_keys"
            | b"b64decode"
            | b"base64"
            | b"base64_decode"
            | b"atob"
            | b"EncodedCommand"
            | b"encodedcommand"
            | b"enc"
            | b"DownloadString"
            | b"downloadstring"
            | b"exec"
            | b"eval"
            | b"iex"
            | b"IEX"
            | b"irm"
            | b"iwr"
            | b"fetch"
            | b"NOPASSWD"
            | b"sudoers"
            | b"visudo"
            | b"usermod"
            | b"setuid"
            | b"seteuid"
            | b"setcap"
            | b"chmod"
            | b"umask"
            | b"0o777"
            | b"0777"
            | b"privileged"
            | b"hostPID"
            | b"hostNetwork"
            | b"allowPrivilegeEscalation"
            | b"docker"
            | b"cap_add"
            | b"cap"
            | b"pid"
            | b"verify"
            | b"HUSKY"
            | b"HUSKY_SKIP_HOOKS"
            | b"hooksPath"
            | b"hookspath"
            | b"rejectUnauthorized"
            | b"InsecureSkipVerify"
            | b"danger_accept_invalid_certs"
            | b"danger_accept_invalid_hostnames"
            | b"NODE_TLS_REJECT_UNAUTHORIZED"
            | b"_create_unverified_context"
            | b"CERT_NONE"
            | b"GIT_SSL_NO_VERIFY"
            | b"sslVerify"
            | b"sslverify"
            | b"ssl"
            | b"StrictHostKeyChecking"
            | b"TRUST_ALL_CERTS"
            | b"ALLOW_ALL_HOSTNAME_VERIFIER"
            | b"NoopHostnameVerifier"
            | b"check_hostname"
            | b"certificate"
            | b"VERIFY_NONE"
            | b"SkipCertificateCheck"
            | b"CURLOPT_SSL_VERIFYPEER"
            | b"ServerCertificateValidationCallback"
            | b"crontab"
            | b"cron"
            | b"systemd"
            | b"systemctl"
            | b"d"
            | b"rc"
            | b"autostart"
            | b"LaunchAgents"
            | b"LaunchDaemons"
            | b"schtasks"
            | b"CurrentVersion"
            | b"bashrc"
            | b"zshrc"
            | b"bash_profile"
            | b"profile"
            | b"zshenv"
            | b"setenforce"
            | b"ufw"
            | b"iptables"
            | b"DisableRealtimeMonitoring"
            | b"HISTFILE"
            | b"history"
            | b"ExecutionPolicy"
            | b"169"
            | b"metadata"
            | b"dd"
            | b"mkfs"
            | b"wipefs"
            | b"rm"
            | b"rmtree"
            | b"Verify"
            | b"VerifyMode"
    )
}
