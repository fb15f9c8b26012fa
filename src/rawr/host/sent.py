"""Which variables of a terminal a client sends to the host: those that a run needs, by a list that can be read.

A terminal has more than a run needs: keys to databases and clouds, tokens of other programs. What is not on the list
stays where it is, unless the user or their Codex config names it.
"""

import re
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase

from msgspec import Struct

from rawr.host.environment import is_of_a_terminal

NAMES = frozenset(
    (
        # Who and where: what every program asks for.
        "PATH", "HOME", "USER", "LOGNAME", "SHELL", "HOSTNAME", "TMPDIR", "TEMP", "TMP", "TZ", "LANG", "LANGUAGE",
        "EDITOR", "VISUAL", "PAGER", "BROWSER", "EMAIL", "MANPATH", "INFOPATH", "TERMINFO", "CI", "DEBIAN_FRONTEND",
        "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE",
        # Agents for keys, and the display: sockets, not secrets.
        "SSH_AUTH_SOCK", "SSH_AGENT_PID", "SSH_ASKPASS", "GNUPGHOME", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY",
        "DBUS_SESSION_BUS_ADDRESS",
        # The way to the network.
        "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "FTP_PROXY", "NO_PROXY",
        "http_proxy", "https_proxy", "all_proxy", "ftp_proxy", "no_proxy",
        "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "AWS_CA_BUNDLE",
        # Codex's own account.
        "OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_ORGANIZATION", "OPENAI_PROJECT",
        # Compilers and linkers.
        "CC", "CXX", "CPP", "LD", "AR", "AS", "NM", "RANLIB", "STRIP", "CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS",
        "LDLIBS", "ARCHFLAGS", "MAKE", "MAKEFLAGS", "CPATH", "LIBRARY_PATH", "LD_LIBRARY_PATH", "LD_PRELOAD",
        "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "ACLOCAL_PATH", "SDKROOT", "DEVELOPER_DIR", "MACOSX_DEPLOYMENT_TARGET",
        # Languages whose names are too short, or too common, to go by their beginning.
        "GOPATH", "GOROOT", "GOBIN", "GOFLAGS", "GOPROXY", "GOPRIVATE", "GONOPROXY", "GONOSUMDB", "GOSUMDB", "GOENV",
        "GOMODCACHE", "GOCACHE", "GOTOOLCHAIN", "GOWORK", "GOOS", "GOARCH", "CLASSPATH", "_JAVA_OPTIONS",
        "BUNDLE_GEMFILE", "BUNDLE_PATH", "BUNDLE_WITHOUT", "BUNDLE_BIN", "R_HOME", "R_LIBS", "R_LIBS_USER",
        "IN_NIX_SHELL",
        # Where programs find their services. What opens these is not here.
        "DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CONFIG", "DOCKER_BUILDKIT", "CONTAINER_HOST", "KUBECONFIG",
        "AWS_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_CONFIG_FILE", "WSL_DISTRO_NAME", "WSL_INTEROP",
        "WSLENV", "CHROME_BIN",
    )
)  # fmt: skip
BEGINNINGS = (
    "LC_", "XDG_", "CODEX_", "OPENAGENTS_GUIDANCE_", "GIT_",
    "CMAKE_", "PKG_CONFIG", "CCACHE_", "SCCACHE_", "MESON", "NINJA", "BAZEL", "DYLD_", "CGO_", "CUDA_", "NVIDIA_",
    "VIRTUAL_ENV", "PYTHON", "PYENV_", "CONDA_", "MAMBA_", "_CE_", "PIP_", "PIPX_", "UV_", "POETRY_", "PDM_", "HATCH_",
    "TOX_", "NOX_", "PYTEST_", "COVERAGE_", "MYPY", "RUFF_", "DJANGO_SETTINGS",
    "NODE_", "NVM_", "NPM_CONFIG_", "npm_config_", "YARN_", "PNPM_", "BUN_", "DENO_", "VOLTA_", "FNM_", "COREPACK_",
    "PLAYWRIGHT_", "PUPPETEER_", "CYPRESS_",
    "CARGO_", "RUST", "JAVA_", "JDK_", "M2_", "MAVEN_", "GRADLE_", "KOTLIN_", "SDKMAN_", "SBT_", "ANDROID_",
    "RUBY", "GEM_", "RBENV_", "RAILS_ENV", "RACK_ENV", "PHP", "COMPOSER_", "COMPOSE_", "DOTNET_", "NUGET_", "MSBUILD",
    "MIX_", "HEX_", "ERL_", "ELIXIR_", "GHCUP_", "STACK_", "CABAL_", "OPAM", "OCAML", "CAML_", "LUA_", "PERL", "JULIA_",
    "SWIFT", "TEXMF", "NIX_", "ASDF_", "MISE_", "HOMEBREW_",
)  # fmt: skip
"""How the names of others begin. One of these that speaks of a secret stays all the same."""

_SECRETS = re.compile(r"(?:TOKEN|PASSWORD|PASSWD|PASS|SECRETS?|KEYS?|CREDENTIALS?|AUTH|PAT|PWD)\Z", re.IGNORECASE)
"""How a word of a name ends that speaks of one."""
_GIT_SETTINGS = ("GIT_CONFIG_COUNT", "GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_", "GIT_CONFIG_PARAMETERS")
"""Settings by variable, often a header with a token. They belong together: git fails on half of them."""
_NEVER = frozenset({"RAWR_HOME", "RAWR_FOREGROUND"})
_OF_A_DESKTOP = (
    "LS_COLORS", "LSCOLORS", "LESS", "PS1", "PS2", "PROMPT", "HIST", "BASH", "ZSH", "ZDOTDIR", "FZF_", "MAIL",
    "GNOME_", "KDE_", "GTK", "GDK_", "QT_", "XCURSOR_", "DESKTOP_SESSION", "SESSION_MANAGER", "WINDOWPATH", "GIO_",
    "SSH_", "SUDO_", "VSCODE_", "INSIDE_EMACS", "MOTD_", "LOGIN", "COMMAND_MODE", "Apple_", "__CF", "XPC_",
    "SECURITYSESSIONID", "_ZO_", "ZELLIJ", "CHROME_DESKTOP", "ORIGINAL_XDG_", "PAM_", "DIRENV_",
)  # fmt: skip
"""Of shells and desktops: nobody misses them in a check, so nobody is told that they stay."""


class Sent(Struct, frozen=True):
    """What becomes of the variables of a terminal."""

    variables: dict[str, str]
    """Those that are sent."""
    staying: tuple[str, ...]
    """Names of those that stay, and that a check could miss."""


def chosen(variables: Mapping[str, str], *, named: Iterable[str]) -> Sent:
    """``named``: what the user, or their Codex config, names besides; ``*`` stands for any text."""
    patterns = tuple(named)
    sent = {name: value for name, value in variables.items() if _goes(name, patterns)}
    staying = sorted(name for name in variables if name not in sent and _could_be_missed(name))
    return Sent(sent, tuple(staying))


def _goes(name: str, patterns: tuple[str, ...]) -> bool:
    if name in _NEVER:
        return False
    if name in NAMES or any(fnmatchcase(name, one) for one in patterns):
        return True
    if name.startswith("CODEX_"):
        return True
    return name.startswith(BEGINNINGS) and not name.startswith(_GIT_SETTINGS) and not _speaks_of_a_secret(name)


def _speaks_of_a_secret(name: str) -> bool:
    return any(_SECRETS.search(word) for word in name.split("_"))


def _could_be_missed(name: str) -> bool:
    return not (name in _NEVER or is_of_a_terminal(name) or name.startswith(_OF_A_DESKTOP))
