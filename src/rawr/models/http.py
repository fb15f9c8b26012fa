"""One HTTP request to a model's address, and to nothing else: no redirects, one deadline for all, a bounded answer.

Local addresses never go through a proxy; others do if the environment names one.
"""

import contextlib
import http.client
import ipaddress
import socket
import ssl
import threading
import time
from collections.abc import Mapping
from urllib.parse import SplitResult, urlsplit

import msgspec
from msgspec import Struct

from rawr.addresses import address_problem
from rawr.core.text import head
from rawr.models.completion import Stop, Unavailable

MAX_BODY = 4_000_000
CONNECT_SECONDS = 5.0
_LEAST = 0.01
_CHUNK = 65_536


class _Reason(Struct):
    message: str = ""


class _Error(Struct):
    error: _Reason | str = ""
    message: str = ""


class Answer(Struct, frozen=True):
    status: int
    body: bytes

    @property
    def reason(self) -> str:
        """What a server says about an error, in the usual forms. Of any length."""
        try:
            told = msgspec.json.decode(self.body, type=_Error)
        except (msgspec.DecodeError, ValueError):
            return "no reason given"
        said = told.error if isinstance(told.error, str) else told.error.message
        return " ".join((said or told.message).split()) or "no reason given"


class Address(Struct, frozen=True):
    """A checked address of a model."""

    base: str
    """Without a slash at the end."""

    @property
    def parts(self) -> SplitResult:
        return urlsplit(self.base)

    def below(self, path: str) -> "Address":
        return Address(self.base + path)


def address(url: str, setting: str) -> Address:
    """The address in a setting."""
    url = url.strip()
    if not url:
        raise Unavailable(f"{setting} is not set.", way_out=f'Set it in [rawr_models]: {setting} = "http://…".')
    if problem := address_problem(url):
        raise Unavailable(f"{setting}: {problem}.")
    return Address(url.rstrip("/"))


def fetch(
    target: Address,
    *,
    body: bytes | None = None,
    headers: Mapping[str, str] | None = None,
    seconds: float,
    env: Mapping[str, str],
    stop: Stop | None = None,
) -> Answer:
    """GET, or POST if there is a body. Raises ``Unavailable`` if no complete answer comes."""
    where = target.parts.netloc
    connection, path = _connection(target, env, timeout=min(CONNECT_SECONDS, max(seconds, _LEAST)))
    exchange = _Exchange(connection, path, ends=time.monotonic() + seconds, body=body, headers=dict(headers or {}))
    if stop is not None:
        stop.add(exchange.abandon)
    answer = exchange.outcome(seconds)
    match answer:
        case TimeoutError() | None:
            raise Unavailable(f"{where} did not answer within {seconds:.1f} s")
        case OSError() | http.client.HTTPException() | ValueError():
            raise Unavailable(f"{where}: {_cause(answer)}")
        case BaseException():
            raise answer
        case _:
            pass
    if len(answer.body) > MAX_BODY:
        raise Unavailable(f"{where} sent more than {MAX_BODY // 1_000_000} MB")
    if 300 <= answer.status < 400:
        raise Unavailable(f"{where} answered HTTP {answer.status}; rawr does not follow redirects")
    return answer


class _Exchange:
    """A request and its answer, in a separate thread.

    A socket's timeout applies to each wait on it, and a name lookup has none at all. So the waiter has the deadline,
    and an answer that is not complete by then is abandoned, however little is missing.
    """

    def __init__(
        self,
        connection: http.client.HTTPConnection,
        path: str,
        *,
        ends: float,
        body: bytes | None,
        headers: dict[str, str],
    ) -> None:
        self._connection = connection
        self._path = path
        self._ends = ends
        self._body = body
        self._headers = headers
        self._over = threading.Event()
        self._abandoned = False
        self._outcome: Answer | BaseException | None = None

    def outcome(self, seconds: float) -> Answer | BaseException | None:
        """The answer, or what went wrong; None if there is neither in time."""
        threading.Thread(target=self._run, name="rawr-http", daemon=True).start()
        self._over.wait(max(seconds, _LEAST))
        found = self._outcome
        if found is None:
            self.abandon()
        return found

    def abandon(self) -> None:
        """Nobody waits for it any more. From any thread."""
        self._abandoned = True
        sock: socket.socket | None = self._connection.sock
        if sock is not None:
            # Below the TLS layer: only this wakes a thread that waits in a read.
            with contextlib.suppress(OSError):
                socket.socket.shutdown(sock, socket.SHUT_RDWR)
        self._over.set()

    def _run(self) -> None:
        try:
            self._outcome = self._exchanged()
        except BaseException as error:
            self._outcome = error
        finally:
            self._connection.close()
            self._over.set()

    def _exchanged(self) -> Answer:
        connection, ends = self._connection, self._ends
        connection.connect()
        sock: socket.socket = connection.sock
        if self._abandoned:
            raise TimeoutError
        sock.settimeout(_left(ends))
        connection.request("GET" if self._body is None else "POST", self._path, body=self._body, headers=self._headers)
        found = bytearray()
        # Closed here: a connection that ends with its answer drops it, and then closes nothing.
        with connection.getresponse() as reply:
            while len(found) <= MAX_BODY:
                sock.settimeout(_left(ends))
                chunk = reply.read1(_CHUNK)
                if not chunk:
                    break
                found += chunk
                if time.monotonic() >= ends:
                    raise TimeoutError
        if self._abandoned:
            raise TimeoutError  # an answer that was cut off is not an answer
        return Answer(reply.status, bytes(found))


def _left(ends: float) -> float:
    return max(ends - time.monotonic(), _LEAST)


def _cause(error: Exception) -> str:
    said = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return head(said or type(error).__name__, 200)


def _connection(target: Address, env: Mapping[str, str], *, timeout: float) -> tuple[http.client.HTTPConnection, str]:
    parts = target.parts
    host, path = parts.hostname or "", parts.path or "/"
    secure = parts.scheme == "https"
    port = parts.port or (443 if secure else 80)
    proxy = _proxy(parts.scheme, host, env)
    near, near_port = (proxy.hostname or "", proxy.port or 80) if proxy is not None else (host, port)
    if not secure:
        return http.client.HTTPConnection(near, near_port, timeout=timeout), target.base if proxy is not None else path
    connection = http.client.HTTPSConnection(near, near_port, timeout=timeout, context=ssl.create_default_context())
    if proxy is not None:
        connection.set_tunnel(host, port)
    return connection, path


def _proxy(scheme: str, host: str, env: Mapping[str, str]) -> SplitResult | None:
    """The plain HTTP proxy that the environment names for this host. A proxy that requires a password is not used."""
    proxies = {
        name: env.get(f"{name}_proxy") or env.get(f"{name.upper()}_PROXY") or "" for name in (scheme, "all", "no")
    }
    named = proxies[scheme] or proxies["all"]
    if not named or _is_own(host) or _is_exempt(host, proxies["no"]):
        return None
    parts = urlsplit(named if "://" in named else f"http://{named}")
    return parts if parts.scheme == "http" and parts.hostname and parts.username is None else None


def _is_exempt(host: str, listed: str) -> bool:
    names = [name.strip().lower().lstrip(".") for name in listed.split(",") if name.strip()]
    return "*" in names or any(host.lower() == name or host.lower().endswith(f".{name}") for name in names)


def _is_own(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower().rstrip(".") == "localhost"
