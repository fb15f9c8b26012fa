"""Words that tell of a secret, crossed with what stands between the two, with what secrets look like, and with places.

Lists of examples show what somebody thought of. Here every word meets every sign and every shape, so that what is
missing shows as a row or a column.
"""

# ruff: noqa: E501, RUF001 - signs of many languages

import json
from collections.abc import Iterator
from typing import NamedTuple

from tests.journal.secret_places import Place, in_double_quotes

WORDS: dict[str, str] = {
    "en": "password|Password|PASSWORD|passphrase|passcode|temporary password|Initial password|admin password|login password",
    "en, short": "pass|pwd|pw|passwd|PSK|secret key|API key|access token|shared secret|Wi-Fi password",
    "de": "Passwort|Kennwort|Passphrase|Startpasswort|WLAN-Passwort|neues Passwort",
    "nl": "wachtwoord|nieuw wachtwoord",
    "sv, da, no": "lösenord|lösenordet|adgangskode|kodeord|passord|passordet",
    "fr": "mot de passe|mdp|Mot de passe|phrase secrète",
    "es": "contraseña|la contraseña nueva|clave de acceso",
    "pt": "senha|a senha|palavra-passe",
    "it": "parola d'ordine|password provvisoria|parola chiave",
    "ro, ca": "parola|parola nouă|contrasenya",
    "pl": "hasło|nowe hasło|hasło tymczasowe",
    "cs, sk": "heslo|nové heslo",
    "sl, hr": "geslo|lozinka",
    "ru": "пароль|новый пароль|Пароль",
    "uk": "пароль для входу|тимчасовий пароль",
    "bg, sr": "парола|лозинка",
    "hu": "jelszó|az új jelszó",
    "fi, et": "salasana|parool",
    "lt, lv": "slaptažodis|parole",
    "tr": "şifre|parola|yeni şifre",
    "el": "κωδικός πρόσβασης|συνθηματικό",
    "he, ar, fa": "סיסמה|סיסמא|كلمة المرور|كلمة السر|رمز عبور|گذرواژه",
    "hi, bn, ta": "पासवर्ड|পাসওয়ার্ড|கடவுச்சொல்",
    "vi, id, th": "mật khẩu|kata sandi|รหัสผ่าน",
    "zh": "密码|密碼|初始密码|登录密码|口令",
    "ja": "パスワード|初期パスワード|暗証番号",
    "ko": "비밀번호|초기 비밀번호|암호",
}
"""As people write them."""

NAMES = (
    "password",
    "Password",
    "PASSWORD",
    "db_password",
    "dbPassword",
    "DB_PASSWORD",
    "adminPassword",
    "smtp-password",
    "user.password",
    "passwd",
    "pwd",
    "passphrase",
    "api_key",
    "apiKey",
    "API_KEY",
    "client_secret",
    "clientSecret",
    "auth_token",
    "ACCESS_TOKEN",
    "secretKey",
    "encryption_key",
    "signing_secret",
)
"""As programs write them."""

SAID: dict[str, str] = {
    "colon": "{w}: {s}",
    "colon, tight": "{w}:{s}",
    "colon, apart": "{w} : {s}",
    "wide colon": "{w}：{s}",
    "aligned": "Account             : svc-print\n{w}            : {s}\nExpires             : 4/19/2025 6:02:11 PM",
    "aligned by blanks": "user        jmeyer\n{w}        {s}\nhost        db7",
    "equals": "{w} = {s}",
    "equals, tight": "{w}={s}",
    "is": "the {w} is {s}",
    "is now": "{w} is now {s}, keep it safe",
    "quotes": 'user "jmeyer", {w} "{s}"',
    "single quotes": "user jmeyer, {w} '{s}'",
    "backticks": "{w} `{s}` (please change it)",
    "guillemets": "{w}: «{s}»",
    "low quotes": "{w} „{s}“",
    "corners": "{w}「{s}」",
    "wide brackets": "{w}【{s}】",
    "brackets": "{w} ({s})",
    "square brackets": "{w} [{s}]",
    "arrow": "{w} → {s}",
    "arrow of signs": "{w} -> {s}",
    "fat arrow": "{w} => {s}",
    "dash": "{w} – {s}",
    "tab": "{w}\t{s}",
    "next line": "{w}:\n{s}\n",
    "next line, indented": "{w}:\n    {s}",
    "line after next": "{w}:\n\n{s}\n",
    "next line, no sign": "{w}\n{s}",
    "bullet": "- host: db7\n- user: jmeyer\n- {w}: {s}",
    "bold": "**{w}:** {s}",
    "bold, code": "**{w}**: `{s}`",
    "table": "| user | {w} |\n|---|---|\n| jmeyer | {s} |",
    "row": "| {w} | {s} |",
    "for whom": "{w} for jmeyer@db7: {s}",
    "in brackets": "{w} (bastion, until Friday): {s}",
    "after a comma": "小李,账号已开通,用户名 liwei,{w}:{s},首次登录后请尽快修改。",
    "user before": "user: jmeyer, {w}: {s}",
    "user slash": "jmeyer, {w}: {s} / host db7",
    "ends a sentence": "Hi, here is the {w}: {s}.",
    "prompt": "$ su - jmeyer\n{w}: {s}\njmeyer@db7:~$",
    "log": "2025-03-04 10:11:12 INFO setup {w}: {s}",
    "log, equals": "level=debug msg=login user=jmeyer {w}={s} ok=true",
}
"""Between a word that somebody says and the secret."""

WRITTEN: dict[str, str] = {
    "JSON": '{{"user": "jmeyer", "{w}": "{j}"}}',
    "YAML": "db:\n  user: jmeyer\n  {w}: {s}\n  port: 5432",
    "YAML, quoted": "db:\n  {w}: '{q}'\n  port: 5432",
    "TOML": '[db]\n{w} = "{j}"\nport = 5432',
    "INI": "[db]\n{w} = {s}\nport = 5432",
    "INI, tight": "[db]\n{w}={s}\nport=5432",
    "XML": "<db><user>jmeyer</user><{w}>{x}</{w}></db>",
    "XML attribute": '<db user="jmeyer" {w}="{x}"/>',
    "HCL": 'resource "db" "x" {{\n  {w}    = "{j}"\n  port = 5432\n}}',
    "properties": "db.user=jmeyer\ndb.{w}={s}\ndb.port=5432",
    "flag": "tool --host db7 --{w} '{q}' --port 5432",
    "flag, equals": "tool --host db7 --{w}='{q}' --port 5432",
    "flag, one dash": "tool -host db7 -{w} '{q}' -port 5432",
    "environment": "{w}='{q}' ./deploy.sh",
    "export": "export {w}='{q}'",
    "set": 'set "{w}={s}"',
    "PowerShell": "$env:{w} = '{q}'",
    "call": "connect(host='db7', {w}='{q}')",
    "call, setter": 'config.set("{w}", "{j}")',
    "dictionary": "cfg['{w}'] = '{q}'",
    "object": "const c = {{ user: 'jmeyer', {w}: '{q}' }};",
    "Ruby": "{{ user: 'jmeyer', :{w} => '{q}' }}",
    "PHP": "'{w}' => '{q}',",
    "Go": '{w} := "{j}"',
    "Kotlin": 'val {w}: String = "{j}"',
    "Lua": 'local {w} = "{j}"',
    "plist": "<key>{w}</key>\n<string>{x}</string>",
    "form": "user=jmeyer&{w}={u}&submit=1",
}
"""Between a name in a program and the secret. ``{j}``, ``{q}``, ``{x}`` and ``{u}`` are the secret as such a text spells it."""

SECRETS: dict[str, str] = {
    "word, digits, sign": "Hutong@8846wx",
    "words and digits": "Fjord9Camel",
    "sign at the end": "Vienna2031!",
    "phrase": "quattro-gatti-tetto-9",
    "hex": "863587e978bb0f27ae84b3bc387f0fb8",
    "base64": "q8Zk2+Vt0xYw7LmPn4Rb/Q==",
    "groups": "00e3 6sio c5oa lgai wl43 i9w0",
    "base32": "JBSWY3DPEHPK3PXPZK4XQ2LM",
    "digits": "48213067",
    "begins with a sign": "}B5r,9[kUw&2xN",
    "begins with a dollar": "$kQ7#vT9zW!m",
    "begins with a dash": "-t9Kq#Lm2vX",
    "brackets": "k7[T2]q{w}9Zb!",
    "a quote": "tR8\"mK2'wq#5",
    "comma and semicolon": "aK9,x;T4wq!Lz",
    "backslash": "wQ4\\zR7k#mT1",
    "other letters": "Größe§77Wärme",
    "other script": "Ёжик-туман19",
}


class Cell(NamedTuple):
    name: str
    text: str
    secret: str


def said() -> Iterator[Cell]:
    for language, words in WORDS.items():
        for word in words.split("|"):
            for sign, form in SAID.items():
                for shape, secret in SECRETS.items():
                    yield Cell(f"{language} | {word} | {sign} | {shape}", form.format(w=word, s=secret), secret)


def written() -> Iterator[Cell]:
    for name in NAMES:
        for sign, form in WRITTEN.items():
            for shape, secret in SECRETS.items():
                if not (sign in {"form", "environment", "export", "set"} and ("-" in name or "." in name)):
                    told = _spelled(form, name, secret)
                    if told:
                        yield Cell(f"{name} | {sign} | {shape}", *told)


def _spelled(form: str, name: str, secret: str) -> tuple[str, str] | None:
    ways = {
        "s": secret,
        "j": json.dumps(secret, ensure_ascii=False)[1:-1],
        "q": secret.replace("\\", "\\\\").replace("'", "\\'"),
        "x": secret.replace("&", "&amp;").replace('"', "&quot;").replace("'", "&apos;"),
        "u": secret.replace("&", "%26").replace(" ", "+"),
    }
    way = next(one for one in ways if f"{{{one}}}" in form)
    return form.format(w=name, **ways), ways[way]


KNOWN = 0.005
"""The share of what people write that may stay: "pass – Fjord9Camel", a number behind "the shared secret is"."""

PLACES: dict[str, Place] = {
    "as it is": lambda text: text,
    "a shell in double quotes": lambda text: f"/bin/bash -lc {in_double_quotes(text)}",
    "in a message": lambda text: f"Hi, please do it like this:\n\n{text}\n\nThanks!",
    "fenced": lambda text: f"Run this:\n```\n{text}\n```\nand tell me.",
}
