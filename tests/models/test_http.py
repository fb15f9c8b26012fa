"""The ways to a server that no loopback server can show."""

import pytest

from rawr.models.http import Address, _connection, _proxy

PROXY = {"https_proxy": "http://proxy.test:3128", "http_proxy": "proxy.test:3129", "no_proxy": "in.test, .own.test"}


@pytest.mark.parametrize(
    ("scheme", "host", "proxied"),
    [
        ("https", "api.test", 3128),
        ("http", "api.test", 3129),
        ("http", "127.0.0.1", None),
        ("http", "localhost", None),
        ("https", "::1", None),
        ("https", "in.test", None),
        ("https", "a.own.test", None),
        ("https", "notin.test", 3128),
    ],
)
def test_a_proxy_is_for_others_only(scheme: str, host: str, proxied: int | None) -> None:
    found = _proxy(scheme, host, PROXY)
    assert (found.port if found is not None else None) == proxied


@pytest.mark.parametrize("proxy", ["socks5://proxy.test:1080", "http://me:secret@proxy.test:3128", "http://"])
def test_a_proxy_that_rawr_cannot_use_is_not_used(proxy: str) -> None:
    assert _proxy("https", "api.test", {"ALL_PROXY": proxy}) is None


def test_a_secure_server_is_reached_through_a_tunnel_and_another_by_its_whole_address() -> None:
    secure, path = _connection(Address("https://api.test/v1/models"), PROXY, timeout=1)
    assert (secure.host, secure.port, path) == ("proxy.test", 3128, "/v1/models")
    bare, path = _connection(Address("http://api.test/v1"), PROXY, timeout=1)
    assert (bare.host, bare.port, path) == ("proxy.test", 3129, "http://api.test/v1")
    direct, path = _connection(Address("https://api.test"), {}, timeout=1)
    assert (direct.host, direct.port, path) == ("api.test", 443, "/")
