"""What a value looks like by itself."""

import pytest

from rawr.journal.values import is_code_path, is_irregular, is_path, looks_made_up, refers


@pytest.mark.parametrize(
    "value",
    [
        "$TOKEN",
        "${TOKEN}",
        "$(touch x)",
        "\\$(touch",
        "\\$",
        "$token",
        "$dbPassword",
        "$1",
        "$k8s_token",
        "$env:TOKEN",
        "$row['x']",
        "$this->key",
        "${{ secrets.X }}",
        "%PASSWORD%",
        "%s",
        "@file.json",
        "!Ref",
        "<your key>",
        "***",
        "",
    ],
)
def test_what_only_refers_to_a_secret(value: str) -> None:
    assert refers(value)


@pytest.mark.parametrize(
    "value", ["$ecr3t!x", "$x9Kq2mLp", "\\$x9Kq2mLp", "$2y7ab", "%x9Kq2", "@x9Kq2mz!", "!x9Kq2", "pa$$word"]
)
def test_what_only_begins_like_a_reference(value: str) -> None:
    assert not refers(value)


@pytest.mark.parametrize(
    "value", ["/etc/ssl/key", "/v1/tokens", "./x", "~/x9Kq2", "/", "//host/x", "key.pem", "/{id}/x", "/Users/x"]
)
def test_paths(value: str) -> None:
    assert is_path(value)


@pytest.mark.parametrize("value", ["/x9Kq2vLp8aa", "/x9Kq2/vLp8aa", "/aB3xK9qLmZ2pR/b=", "x/y", "key"])
def test_what_only_begins_like_a_path(value: str) -> None:
    assert not is_path(value)


def test_chance_changes_more_often_than_words() -> None:
    assert is_irregular("x9Kq2vLp8aQr")
    assert is_irregular("4f3c9d1a77be02c8")
    assert not is_irregular("getElementsByClassName")
    assert not is_irregular("SOME_LONG_CONSTANT_NAME")
    assert is_code_path("settings.api_key")
    assert not is_code_path("s.x9Kq2vLp8aQrT4bN7cW1zY5h")


@pytest.mark.parametrize("value", ["Wint3r!x", "k9XmqABC", "Sommer2024!", "hunter2x"])
def test_what_a_person_makes_up(value: str) -> None:
    assert looks_made_up(value)


@pytest.mark.parametrize(
    "value", ["sha256", "base64url", "v1.2.3", "2024-01-02T10:00:00Z", "step2", "ipv6", "settings", "5GB", "utf8mb4"]
)
def test_what_is_a_word_of_the_trade(value: str) -> None:
    assert not looks_made_up(value)
