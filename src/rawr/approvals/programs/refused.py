"""Commands that are known and never safe (C10), with the reasons to give. Commands on no list are unknown."""

_RUNS = "runs other commands"
_NETWORK = "reaches the network"
_CHANGES = "changes or removes files"
_MAKES = "writes where the agent can put a link meanwhile; in the sandbox it needs no approval"
_PROJECT = "runs the project's own code"
_KEEPS = "writes its output to a file"
_PAGER = "is a pager, which can run other commands"
_SECRETS = "shows variables or processes, including secrets"
_SETS = "sets variables for the commands that follow"
_SYSTEM = "changes the system or other processes"
_LINE = "changes how the rest of the line is read"

_BY_REASON = {
    _RUNS: (
        "eval source . exec trap xargs parallel sudo doas su pkexec watch script expect at batch crontab "
        "setsid unshare chroot nsenter strace gdb ltrace coproc busybox rlwrap entr flock"
    ),
    _NETWORK: (
        "curl wget ssh scp sftp rsync nc ncat netcat telnet ftp socat ping dig nslookup host gh glab aws "
        "gcloud az kubectl helm docker podman http xh aria2c lynx w3m openssl"
    ),
    _CHANGES: (
        "rm rmdir mv ln install dd truncate shred tee split csplit patch ed ex vi vim nvim nano emacs chmod "
        "chown chgrp chattr setfacl mkfifo mknod unlink rename sponge gzip gunzip xz bzip2 zip rsync unlink "
        "mktemp"
    ),
    _MAKES: "cp mkdir touch",
    _PROJECT: (
        "make pytest npm npx yarn pnpm bun deno cargo go node python python3 perl ruby php java mvn gradle "
        "tox nox pip pip3 uv poetry pdm bundle rake ninja cmake bazel just mix swift dotnet ctest jest vitest "
        "tsc eslint prettier ruff mypy black lua Rscript osascript powershell pwsh gcc g++ cc clang"
    ),
    _KEEPS: ("nohup"),
    _PAGER: ("less more most man info bat batcat pg view"),
    _SECRETS: ("printenv ps declare typeset export history env set compgen lsof top htop pgrep"),
    _SYSTEM: (
        "kill pkill killall reboot shutdown halt poweroff systemctl service mount umount mkfs fdisk sysctl "
        "apt apt-get dpkg yum dnf brew pacman useradd passwd launchctl defaults iptables modprobe insmod"
    ),
    _LINE: (
        "alias unalias shopt enable hash function if then else elif fi for while until do done case esac "
        "select in [[ let local readonly unset read mapfile readarray getopts return break continue shift "
        "pushd popd dirs ulimit umask bind complete wait jobs fg bg disown suspend logout times caller "
        "builtin"
    ),
}
PROJECT = frozenset(_BY_REASON[_PROJECT].split())
WHY = {name: reason for reason, names in _BY_REASON.items() for name in names.split()}
RUNNERS = frozenset(_BY_REASON[_RUNS].split())
"""A command that may run one of these may run anything."""

_SHOW_OR_SET = frozenset({"set", "export", "declare", "typeset", "env"})


def why_not(words: tuple[str, ...]) -> str | None:
    """Why a command is not safe, in the words of a reason; None if it is not known, or may well be safe."""
    name, *others = words
    if name in _SHOW_OR_SET and others and not others[0].startswith("-p"):
        # With arguments they show nothing; `set -e` and `env LC_ALL=C ls` are safe.
        return _SETS if name not in ("set", "env") else None
    return WHY.get(name)
