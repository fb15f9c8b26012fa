"""Sixty more, written down in one go after the rules had learned the first sixty: whether they generalise."""

# ruff: noqa: E501, RUF001 - one to a line, in many languages

import string
from random import Random

from tests.journal.fresh_first import password
from tests.journal.secret_shapes import ALNUM, BASE64, HEX, LOWER, URL_SAFE, Maker, parts, some


def plain_word(chance: Random) -> str:
    """A password that is a word with a number, as most people have it."""
    return chance.choice(("Sommer", "Dragon", "Monkey")) + str(chance.randrange(1980, 2031)) + chance.choice("!?#")


def pin(chance: Random) -> str:
    return f"{chance.randrange(10**5, 10**6)}"


def app_password(chance: Random) -> str:
    return "-".join(some(string.ascii_lowercase, 4)(chance) for _ in range(4))


SECOND: dict[str, tuple[str, Maker]] = {
    # prose
    "English, with": ("Log in as bob with password {} and check the dashboard.", password),
    "English, credentials": ("The staging credentials are admin / {} (ask Ann for prod).", password),
    "English, use": ("Use {} as the password for the test account.", password),
    "English, set to": ("I set the root password to {} yesterday.", password),
    "German, Kennwort": ("Dein neues Kennwort ist „{}“, bitte ändern.", password),
    "German, Zugang": ("Zugang: Benutzer bob, Passwort {}", plain_word),
    "French": ("Le mot de passe du serveur est {} .", password),
    "French, mdp": ("mdp : {}", password),
    "Spanish": ("La contraseña de la base de datos es {}.", password),
    "Italian": ("la password del database è {}", password),
    "Portuguese": ("A senha do banco é {}, não compartilhe.", password),
    "Chinese": ("数据库密码是{}，请不要外传。", password),
    "Chinese, colon": ("密码：{}", plain_word),
    "Japanese": ("データベースのパスワードは{}です。", password),
    "Korean": ("데이터베이스 비밀번호는 {} 입니다.", password),
    "Russian": ("Пароль от базы данных — {}", password),
    "Russian, key": ("Ключ API: {}", some(ALNUM, 40)),
    # tools
    "aws, environment": ("AWS_SESSION_TOKEN={} aws s3 ls", parts("IQoJb3JpZ2luX2Vj", some(BASE64, 300), "==")),
    "restic": ("RESTIC_PASSWORD={} restic -r sftp:x snapshots", plain_word),
    "ansible": ("ansible-playbook site.yml -e 'ansible_become_pass={}'", password),
    "curl, a bundle": ("curl -fsSLu 'bob:{}' https://example.com/a.tgz", password),
    "curl, a form": ("curl -d 'grant_type=password&username=bob&password={}' https://x/token", password),
    "curl, JSON": ('curl --json \'{{"user":"bob","password":"{}"}}\' https://x/login', password),
    "wget": ("wget --header='X-Auth-Token: {}' https://x", some(HEX, 40)),
    "ssh with expect": ('expect -c \'spawn ssh bob@x; expect "assword:"; send "{}\\r"; interact\'', password),
    "mount": ("mount -t cifs //srv/share /mnt -o username=bob,password={},vers=3.0", password),
    "useradd": ("useradd -m -p {} bob", some(ALNUM, 13)),
    "ldap": ("ldapsearch -xw {} -D cn=admin,dc=x -b dc=x", password),
    "mongo": ('mongosh "mongodb://root:{}@localhost:27017/?authSource=admin"', some(ALNUM, 20)),
    "clickhouse": ("clickhouse-client --user default --password={} -q 'select 1'", plain_word),
    "snowflake": ("SNOWSQL_PWD={} snowsql -a acme -u bob", plain_word),
    "db2": ("db2 connect to SAMPLE user db2inst1 using {}", password),
    "sqlplus": ("sqlplus system/{}@//db:1521/XEPDB1", some(ALNUM, 12)),
    "impacket": ("secretsdump.py ACME/bob:{}@10.0.0.5", password),
    "xfreerdp": ("xfreerdp /v:10.0.0.5 /u:bob /p:{} /cert:ignore", password),
    "runas": ("psexec \\\\srv -u ACME\\bob -p {} cmd", password),
    "registry": (
        'reg add "HKLM\\SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion\\Winlogon" /v DefaultPassword /t REG_SZ /d {} /f',
        password,
    ),
    "unattended Windows": (
        "<AdministratorPassword><Value>{}</Value><PlainText>true</PlainText></AdministratorPassword>",
        password,
    ),
    "cloud-init": ("#cloud-config\nchpasswd:\n  list: |\n    root:{}\n  expire: false\n", password),
    "kickstart": ("rootpw --plaintext {}\n", password),
    "Cisco": ("username admin privilege 15 secret 0 {}\n", password),
    "MikroTik": ('/interface wireless security-profiles set default wpa2-pre-shared-key="{}"', password),
    "FortiGate": ("    set psksecret {}\n", password),
    "OpenWrt": ("uci set wireless.@wifi-iface[0].key='{}'", password),
    "hostapd": ("ssid=Home\nwpa=2\nwpa_passphrase={}\n", password),
    "Home Assistant": ("mqtt_password: {}\nhttp_password: x\n", plain_word),
    "Tuya": ('{{"devId": "bf1234567890", "local_key": "{}", "ip": "10.0.0.9"}}', some(LOWER, 16)),
    "notarytool": ("xcrun notarytool submit x.zip --apple-id a@b.c --team-id X --password {}", app_password),
    "TeamCity": ("##teamcity[setParameter name='env.DEPLOY_TOKEN' value='{}']", some(ALNUM, 32)),
    "GitHub output": ("::add-mask::{}\n", some(ALNUM, 32)),
    "Jenkins": ("Please use the following password to proceed to installation:\n\n{}\n\n", some(HEX, 32)),
    "Grafana": ("GF_SECURITY_ADMIN_PASSWORD={} docker compose up", plain_word),
    "compose": ("    environment:\n      - POSTGRES_PASSWORD={}\n      - POSTGRES_USER=x\n", plain_word),
    "Spring": ("spring.datasource.password={}\nspring.jpa.show-sql=true\n", plain_word),
    "Django": ("SECRET_KEY = 'django-insecure-{}'", some(ALNUM + "!@#$%^&*(-_=+)", 50)),
    "Flask": ('app.secret_key = b"{}"', some(ALNUM, 24)),
    "OpenSearch, in a diff": (
        "-OPENSEARCH_INITIAL_ADMIN_PASSWORD={}\n+OPENSEARCH_INITIAL_ADMIN_PASSWORD=x\n",
        password,
    ),
    "PayPal": ('"client_id": "Aabc", "client_secret": "{}"', some(URL_SAFE, 80)),
    "Gemini": ("https://generativelanguage.googleapis.com/v1beta/models?key={}", parts("AIza", some(URL_SAFE, 35))),
    "OpenRouter": ("OPENROUTER_KEY={}", parts("sk-or-v1-", some(HEX, 64))),
}
