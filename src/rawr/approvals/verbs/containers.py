"""Containers, clusters and infrastructure (C10).

``docker compose`` and ``terraform`` do what the workspace's files say, by nature. Nowhere on these lists: what is taken
from the machine into a container (``-v``, ``--mount``, ``--device``, ``--privileged``, ``--network host``,
``--env-file``, ``-e NAME``, ``--ssh``, ``--secret``), another daemon or cluster (``-H``, ``--context``,
``--kubeconfig``), and what leaves (``push``, ``cp``, ``login``). ``docker run``, ``docker exec`` and ``kubectl exec``
are opened by their own words only: they run any program, where the whole machine may be mounted.
"""

from rawr.approvals.judgment import shown
from rawr.approvals.programs.arguments import Call
from rawr.approvals.verbs.kinds import (
    ARGUMENT,
    ASSIGNMENT,
    CHANGED,
    EXPRESSION,
    FILE,
    NAME,
    NAMES,
    NUMBER,
    SELECTOR,
    TARGET,
    TEXT,
    THERE,
    checked,
    one_of,
)
from rawr.approvals.verbs.verb import Verb, verb

_REGISTRIES = frozenset(
    ["docker.io", "ghcr.io", "quay.io", "gcr.io", "public.ecr.aws", "mcr.microsoft.com", "registry.k8s.io"]
)


def _image(text: str, call: Call) -> list[str]:
    """From a registry that everybody uses: a name at another one may carry data."""
    host = text.partition("/")[0] if "/" in text else ""
    if TARGET.check(text, call) or (("." in host or ":" in host or host == "localhost") and host not in _REGISTRIES):
        return [f"{shown(text)} is not an image of a public registry."]
    return []


_IMAGE = checked("an image of a public registry", _image)
_KUBE = {
    NAME: "-n --namespace",
    SELECTOR: "-l --selector",
    EXPRESSION: "--field-selector",
    one_of("wide yaml json name"): "-o --output",
}


def _resource(text: str, call: Call) -> list[str]:
    kinds = text.lower().partition("/")[0].split(",")
    if not NAMES.check(text, call) and not any(one.startswith(("secret", "all")) for one in kinds):
        return []
    return [f"{shown(text)} may show secrets."]


_RESOURCE = checked("a resource, but no secret", _resource)

CONTAINERS: tuple[Verb, ...] = (
    verb(
        "docker ps", "-aqs --all --quiet --no-trunc --size", values={EXPRESSION: "-f --filter --format", NUMBER: "-n"}
    ),
    verb(
        "docker images",
        "-aq --all --quiet --no-trunc --digests",
        values={EXPRESSION: "-f --filter --format"},
        operands=_IMAGE,
    ),
    verb(
        "docker logs",
        "-ft --follow --timestamps --details",
        values={NUMBER: "-n --tail", TEXT: "--since --until"},
        operands=NAME,
    ),
    verb("docker version"),
    verb("docker stats", "-a --no-stream --all", operands=NAME),
    verb("docker top", operands=NAME),
    verb("docker pull", "-q --quiet", values={TARGET: "--platform"}, operands=_IMAGE),
    *(verb(f"docker {one}", values={NUMBER: "-t --time"}, operands=NAME) for one in ("stop", "start", "restart")),
    verb(
        "docker build",
        "-q --no-cache --pull --quiet --rm --load",
        values={
            TARGET: "-t --tag --platform",
            FILE: "-f --file",
            NAME: "--target",
            ASSIGNMENT: "--build-arg --label",
            one_of("plain auto tty quiet"): "--progress",
        },
        operands=THERE,
        project=True,
    ),
    verb(
        "docker compose up",
        "-dV --detach --build --no-build --wait --force-recreate --no-recreate --no-deps --remove-orphans "
        "--abort-on-container-exit --quiet-pull --no-start --no-color --renew-anon-volumes",
        values={NUMBER: "-t --timeout --wait-timeout", NAME: "--exit-code-from"},
        operands=NAME,
        project=True,
    ),
    verb(
        "docker compose down",
        "-v --volumes --remove-orphans",
        values={NUMBER: "-t --timeout"},
        operands=NAME,
        project=True,
    ),
    verb("docker compose ps", "-aq --all --quiet --services", values={NAME: "--format --status"}, operands=NAME),
    verb(
        "docker compose logs",
        "-ft --follow --timestamps --no-color --no-log-prefix",
        values={NUMBER: "-n --tail"},
        operands=NAME,
    ),
    verb(
        "docker compose build",
        "-q --no-cache --pull --quiet",
        values={ASSIGNMENT: "--build-arg"},
        operands=NAME,
        project=True,
    ),
    verb("docker compose pull", "-q --quiet --ignore-pull-failures", operands=NAME, project=True),
    *(
        verb(f"docker compose {one}", values={NUMBER: "-t --timeout"}, operands=NAME, project=True)
        for one in ("stop", "start", "restart")
    ),
    verb(
        "docker compose exec",
        "-Tdit --no-TTY --detach",
        values={NAME: "-u --user", ASSIGNMENT: "-e --env"},
        first=(NAME,),
        operands=ARGUMENT,
        style="ordered",
        project=True,
    ),
    verb(
        "docker compose run",
        "-Tdit --no-TTY --detach --rm --no-deps --build --service-ports",
        values={NAME: "-u --user --name", ASSIGNMENT: "-e --env"},
        first=(NAME,),
        operands=ARGUMENT,
        style="ordered",
        project=True,
    ),
    verb(
        "kubectl get",
        "-Aw --all-namespaces --watch --show-labels --no-headers",
        values=_KUBE,
        first=(_RESOURCE,),
        operands=NAME,
    ),
    verb("kubectl describe", "-A --all-namespaces", values=_KUBE, first=(_RESOURCE,), operands=NAME),
    verb(
        "kubectl logs",
        "-fp --follow --previous --all-containers --timestamps --prefix",
        values={**_KUBE, NAME: "-n --namespace -c --container", NUMBER: "--tail --since"},
        operands=TARGET,
    ),
    verb("kubectl top", "-A --all-namespaces --containers", values=_KUBE, operands=NAME),
    verb("kubectl rollout status", "-w --watch", values={**_KUBE, NUMBER: "--timeout"}, operands=TARGET),
    verb("kubectl version", "--client"),
    verb(
        "kubectl apply",
        "--server-side --validate",
        values={**_KUBE, FILE: "-f --filename", one_of("none client server"): "--dry-run"},
        project=True,
    ),
    verb(
        "terraform init",
        "--upgrade --reconfigure --no-color --input=false --backend=false",
        style="words",
        project=True,
    ),
    verb("terraform validate", "--json --no-color", style="words", project=True),
    verb("terraform fmt", "--check --diff --recursive --list=false --write=false", operands=CHANGED, style="words"),
    verb(
        "terraform plan",
        "--no-color --input=false --lock=false --refresh=false --refresh-only --destroy --detailed-exitcode "
        "--compact-warnings",
        values={
            CHANGED: "--out",
            EXPRESSION: "--target --replace",
            ASSIGNMENT: "--var",
            FILE: "--var-file",
            NUMBER: "--parallelism",
        },
        style="words",
        project=True,
    ),
    verb(
        "terraform apply",
        "--no-color --input=false --auto-approve --lock=false --refresh-only",
        values={EXPRESSION: "--target --replace", ASSIGNMENT: "--var", FILE: "--var-file"},
        operands=FILE,
        style="words",
        project=True,
    ),
    verb("terraform output", "--no-color", operands=NAME, style="words"),
    verb("helm lint", "--strict", values={FILE: "-f --values"}, operands=FILE),
    verb("helm template", values={FILE: "-f --values", NAME: "-n --namespace"}, operands=FILE),
)
