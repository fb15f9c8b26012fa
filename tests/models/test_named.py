import pytest

from rawr.core.policy.models import Models
from rawr.models.completion import Stop, Unavailable
from rawr.models.named import ModelName, candidate, openai_key, parse_model


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("codex", ModelName("codex", "")),
        ("codex:gpt-5.5", ModelName("codex", "gpt-5.5")),
        ("ollama:llama3.2", ModelName("ollama", "llama3.2")),
        (" ollama:qwen3:8b ", ModelName("ollama", "qwen3:8b")),
        ("openai:org/model-7b", ModelName("openai", "org/model-7b")),
    ],
)
def test_names_of_models(text: str, name: ModelName) -> None:
    assert parse_model(text) == name
    assert str(name) == text.strip()


@pytest.mark.parametrize("text", ["", "gpt-5.5", "codex:", "ollama", "ollama:", "openai: ", "anthropic:x", "Codex"])
def test_what_is_no_name_says_how_one_looks(text: str) -> None:
    with pytest.raises(Unavailable, match="Write codex, codex:MODEL, ollama:MODEL or openai:MODEL"):
        parse_model(text)


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("", "openai_url is not set"),
        ("localhost:8000", "openai_url: expected an address such as http"),
        ("ftp://host/v1", "openai_url: expected an address such as http"),
        ("http://", "openai_url: expected an address such as http"),
        ("http://host:99999/v1", "openai_url: expected an address such as http"),
        ("http://me:secret@host/v1", "openai_url: expected an address without a user name, password"),
        ("http://host/v1?key=x", "openai_url: expected an address without a user name, password or parameters"),
    ],
)
def test_an_address_that_is_none_is_told(url: str, problem: str) -> None:
    def nobody() -> None:
        raise AssertionError

    with pytest.raises(Unavailable, match=problem) as told:
        candidate("openai:m", Models(openai_url=url), env={}, stop=Stop(), codex=nobody)  # type: ignore[arg-type]
    assert "secret" not in str(told.value)


def test_a_key_shows_itself_to_nobody() -> None:
    key = openai_key(Models(openai_key_env="MY_KEY"), {"MY_KEY": " sk-0123456789 "})
    assert (key.value, repr(key), f"{key}") == ("sk-0123456789", "Key(from MY_KEY)", "Key(from MY_KEY)")
