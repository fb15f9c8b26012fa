"""Where secrets stand in what an agent reads, writes and runs: a placement takes a text and puts more around it."""

import json
import re
import shlex
from collections.abc import Callable

from tests.journal.secrets_made import COLOURS

Place = Callable[[str], str]


def in_double_quotes(text: str) -> str:
    return '"' + re.sub(r'([\\"$`])', r"\\\1", text) + '"'


def nested(text: str) -> str:
    return json.dumps({"item": {"type": "call", "arguments": json.dumps({"cmd": text, "n": 1})}})


WRAPPINGS: dict[str, Place] = {
    "as it is": lambda text: text,
    "a shell in single quotes": lambda text: f"bash -lc {shlex.quote(text)}",
    "a shell in double quotes": lambda text: f"bash -lc {in_double_quotes(text)}",
    "a shell in a shell": lambda text: f"bash -lc {in_double_quotes('bash -c ' + in_double_quotes(text))}",
    "a shell in a shell in single quotes": lambda text: f"bash -lc {shlex.quote('sh -c ' + shlex.quote(text))}",
    "JSON": lambda text: json.dumps({"text": text}),
    "JSON in JSON": nested,
    "coloured": lambda text: f"{COLOURS[0]}{text}{COLOURS[1]}",
}
"""For any text."""

SPELLED = ("\\n", "\\t", "\\r", "\\r\\n", "\\0", "\\012", "\\x3d", "\\u003d", "\\\\n", "%3D", "%20", "%0a", "%2F")
"""Characters as a string, a shell's ``printf`` and a URL spell them out. They end with a letter or a digit, and a
secret may follow at once."""

AROUND_TOKENS: dict[str, Place] = {
    "plain": lambda token: f"use {token} for it",
    "shell": lambda token: f"deploy --with {token} --verbose",
    "XML element": lambda token: f"<config><value>{token}</value></config>",
    "XML attribute": lambda token: f'<server ref="{token}" port="80"/>',
    "CSV": lambda token: f"name,ref,n\nbob,{token},3\n",
    "INI": lambda token: f"[server]\nref = {token}\n",
    "YAML": lambda token: f"server:\n  ref: {token}\n  port: 80\n",
    "TOML": lambda token: f'[server]\nref = "{token}"\n',
    ".env": lambda token: f"REF={token}\nPORT=80\n",
    "header": lambda token: f"GET / HTTP/1.1\r\nX-Ref: {token}\r\nHost: example.com\r\n",
    "URL": lambda token: f"https://example.com/?ref={token}&page=2",
    "Python": lambda token: f"client = Client('{token}', retries=3)",
    "JavaScript": lambda token: f"const client = new Client(`{token}`);",
    "list": lambda token: json.dumps(["run", token, "x"]),
}
"""For what is known by its own looks: no name around it says anything."""


def _pair(name: str, value: str) -> str:
    return json.dumps({"env": [{"name": name, "value": value}]})


AROUND_NAMES: dict[str, Callable[[str, str], str]] = {
    ".env": lambda name, value: f"PORT=80\n{name}={value}\nHOST=x\n",
    "export": lambda name, value: f"export {name}={value} && make",
    "export in quotes": lambda name, value: f"export {name}='{value}' && make",
    "JSON": lambda name, value: json.dumps({"db": {"host": "x", name: value}}),
    "pretty JSON": lambda name, value: json.dumps({"db": {"host": "x", name: value}}, indent=2),
    "name and value": _pair,
    "XML element": lambda name, value: f"<db>\n  <host>x</host>\n  <{name}>{value}</{name}>\n</db>",
    "XML attribute": lambda name, value: f'<db host="x" {name}="{value}"/>',
    "XML key": lambda name, value: f'<add key="{name}" value="{value}" />',
    "XML entry": lambda name, value: f'<entry key="{name}">{value}</entry>',
    "plist": lambda name, value: f"<key>{name}</key>\n<string>{value}</string>",
    "CSV": lambda name, value: f"user,{name},age\nann,{value},30\nbob,{value}x,31\n",
    "CSV at the end": lambda name, value: f"user,{name}\nann,{value}\n",
    "CSV in quotes": lambda name, value: f'"user","{name}"\n"ann","{value}"\n',
    "INI": lambda name, value: f"[db]\nhost = x\n{name} = {value}\n",
    "YAML": lambda name, value: f"db:\n  host: x\n  {name}: {value}\n",
    "YAML on the next line": lambda name, value: f"db:\n  {name}: >-\n    {value}\n",
    "YAML list": lambda name, value: f"env:\n  - name: {name}\n    value: {value}\n",
    "TOML": lambda name, value: f'[db]\nhost = "x"\n{name} = "{value}"\n',
    "header": lambda name, value: f"POST / HTTP/1.1\r\nX-{name}: {value}\r\nHost: x\r\n",
    "URL": lambda name, value: f"https://example.com/?page=2&{name}={value}&x=1",
    "Python": lambda name, value: f"connect(host='x', {name}='{value}')",
    "Python dict": lambda name, value: f"settings = {{'host': 'x', '{name}': '{value}'}}",
    "JavaScript": lambda name, value: f"const options = {{ host: 'x', {name}: '{value}' }};",
    "subscript": lambda name, value: f'os.environ["{name}"] = "{value}"',
    "properties": lambda name, value: f"db.host=x\ndb.{name}={value}\n",
}
"""For what is known by a name only."""

IN_LANGUAGES: dict[str, Callable[[str, str], str]] = {
    "Python, annotated": lambda name, value: f'{name}: str = "{value}"\n',
    "Python, annotated in brackets": lambda name, value: f'{name}: Final[str | None] = "{value}"\n',
    "Python, raw": lambda name, value: f"settings = {{'{name}': r'{value}'}}\n",
    "Python, bytes": lambda name, value: f"{name} = b'{value}'\n",
    "Python, formatted": lambda name, value: f'{name} = f"{value}"\n',
    "Python, default": lambda name, value: f'os.getenv("{name}", "{value}")',
    "Python, set default": lambda name, value: f'os.environ.setdefault("{name}", "{value}")',
    "Rust": lambda name, value: f'let {name}: &str = "{value}";',
    "Rust, static": lambda name, value: f'const {name}: &\'static str = "{value}";',
    "Rust, raw": lambda name, value: f'let {name} = r#"{value}"#;',
    "TypeScript": lambda name, value: f"const {name}: string = '{value}';",
    "JavaScript, template": lambda name, value: f"const {name} = `{value}`;",
    "JavaScript, or": lambda name, value: f"const a = process.env.{name} || '{value}';",
    "Go, raw": lambda name, value: f"{name} := `{value}`",
    "PHP": lambda name, value: f"define('{name}', '{value}');",
    "C": lambda name, value: f'#define {name} "{value}"\n',
    "Dockerfile": lambda name, value: f"FROM x\nENV {name} {value}\nRUN y\n",
    "Ruby": lambda name, value: f"ENV.fetch('{name}', '{value}')",
    "Terraform": lambda name, value: f'variable "{name}" {{\n  type = string\n  default = "{value}"\n}}\n',
    "YAML, marked": lambda name, value: f"db:\n  {name}: &a {value}\n",
    "YAML, of a kind": lambda name, value: f"db:\n  {name}: !!str {value}\n",
    "TOML, long": lambda name, value: f'{name} = """\n{value}"""\n',
    "shell, spelled": lambda name, value: f"export {name}=$'{value}'",
    "SQL, inserted": lambda name, value: f"INSERT INTO users (id, {name}) VALUES (1, '{value}'), (2, 'x{value}');",  # noqa: S608
    "group": lambda name, value: json.dumps({name: {"type": "plain", "value": value}}),
    "XML, name and value": lambda name, value: f"<property><name>x.{name}</name><value>{value}</value></property>",
    "Markdown": lambda name, value: f"| user | {name} |\n|---|---|\n| bob | {value} |\n",
    "psql": lambda name, value: f" user | {name} \n------+------\n bob  | {value}\n(1 row)\n",
    "mysql": lambda name, value: f"+---+---+\n| user | {name} |\n+---+---+\n| bob | {value} |\n+---+---+\n",
    "in a URL in a URL": lambda name, value: f"https://example.com/?next=https%3A%2F%2Fx%2F%3F{name}%3D{value}%26a%3D1",
    "nginx": lambda name, value: f'proxy_set_header {name} "{value}";',
}
"""For what is known by a name, with more than a sign between the two."""

LINES: tuple[str, ...] = (
    "CREATE USER bob WITH PASSWORD '{}';",
    "ALTER ROLE bob PASSWORD '{}'",
    "CREATE USER 'bob'@'%' IDENTIFIED BY '{}';",
    "SET PASSWORD FOR bob = '{}';",
    "config.setPassword('{}');",
    'builder.password("{}")',
    "requirepass {}",
    "Driver=x;Uid=sa;Pwd={{{}}};",
    "aws secretsmanager create-secret --name x --secret-string {}",
    "aws ssm put-parameter --name x --type SecureString --value {}",
    "twine upload -u bob -p {} dist/x",
    "gh secret set NAME -b{}",
    '{{"passwords": ["{}", "{}x"]}}',
    '{{"secrets": {{"a": "{}", "b": 1}}}}',
    '{{"credentials": {{"user": "bob", "p": "{}"}}}}',
)
"""With a name of their own."""
