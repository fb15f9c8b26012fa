"""Classes that earlier lists showed once each, in other programs, languages and quotes."""

from tests.journal.secret_shapes import Maker
from tests.journal.shapes import like

_BOX = "┌──────────────────┐\n│ {} │\n└──────────────────┘"

NINTH: dict[str, tuple[str, Maker]] = {
    # alone, below what announces it
    "recovery key in letters": (
        "A secret recovery key has been generated:\n\n    {}\n\nPlease save it.",
        like("aaaaaaaa-aaaaaaaa-aaaaaaaa-aaaaaaaa-aaaaaaaa-aaaaaaaa-aaaaaaaa-aaaaaaaa"),
    ),
    "japanese, below": ("解凍パスワードは下記のとおりです。\n\n{}\n\nよろしくお願いいたします。", like("aA0aA0Aa")),
    "german, below": ("Das neue Kennwort lautet wie folgt:\n\n{}\n\nBitte ändern.", like("Aaaaa-Aaaaaa-00")),
    "french, below": ("Voici le mot de passe provisoire :\n\n{}\n\nMerci", like("Aaaaaa0!Aaaa")),
    "boxed password": ("The admin password is:\n\n" + _BOX, like("aA0aA0Aa0aAA")),
    "boxed token": ("Your access token, shown once:\n" + _BOX, like("aA0aA0Aa0aAA0aAA00aa")),
    "quoted below": ("Use this api key:\n\n`{}`\n", like("aA0aA0Aa0aAA0aAA00aaAA0a")),
    "jq raw": ("$ terraform output -json | jq -r '.rds_master_password.value'\n{}", like("a0(A]a0aA#aAa0>aAa0A")),
    "yq": ("$ yq '.smtp.password' values.yaml\n{}", like("Aaaaaa-Aaaaa-00")),
    "vault field": ("$ vault kv get -field=db_password kv/app\n{}", like("aA0aA0Aa0aAA")),
    "az query": (
        "$ az acr credential show -n hub --query 'passwords[0].value' -o tsv\n{}",
        like("aA0aA0Aa0aAA"),
    ),
    "jsonpath": ("$ oc get secret pg -o jsonpath='{{.data.password}}' | cut -c1-\n{}", like("aA0aA0Aa0aAA0aAA")),
    "terraform prompt": (
        "var.master_password\n  Master user password\n\n  Enter a value: {}\n",
        like("Aaaaaaaa-0!Aaaaa"),
    ),
    # calls that open a session
    "paramiko": ('ssh.connect("sw1.tarn.example", 22, "noc", "{}")', like("Aaaaa_aaaa_000")),
    "arduino": ('WiFi.begin("Casa-IoT", "{}");', like("aaaaaaa0aaaa")),
    "perl dbi": (
        "my $dbh = DBI->connect('dbi:Pg:dbname=wms;host=10.20.3.8', 'wms_ro', '{}', {{ RaiseError => 1 }});",
        like("Aaaaa0_aaAaaaaa"),
    ),
    "java drivermanager": (
        'Connection c = DriverManager.getConnection("jdbc:oracle:thin:@db:1521/X", "app", "{}");',
        like("Aaaaa0_aaAaaaaa"),
    ),
    "php mysqli": ("$db = mysqli_connect('10.0.0.4', 'shop', '{}', 'orders');", like("Aaaaa0_aaAaaaaa")),
    "python ftp": ("ftp.login('upload', '{}')", like("Aaaaaa-Aaaa-00")),
    "python imap": ('imap.login("jo@tarn.example", "{}")', like("Aaaaaa0Aaaaa!")),
    "go smtp": ('auth := smtp.PlainAuth("", "bot@tarn.example", "{}", "mx.tarn.example")', like("Aaaaaa-Aaaa-00")),
    "go basic auth": ('req.SetBasicAuth("ci", "{}")', like("Aaaaaa-Aaaa-00")),
    "micropython": ("wlan.connect('Werkstatt', '{}')", like("aaaaaaa0aaaa")),
    "ruby ssh": ('session.login("ops", "{}")', like("Aaaaaa-Aaaa-00")),
    "java mail": ('new PasswordAuthentication("jo@tarn.example", "{}")', like("Aaaaaa-Aaaa-00")),
    # words and typed constants
    "tacacs 0": ("sw(config-server-tacacs)# key 0 {}", like("Aaaa&Aaaaa00")),
    "bind": (
        'key "acme-ddns" {{\n    algorithm hmac-sha256;\n    secret "{}";\n}};',
        like("A0aa0AaaaaaAAAaaaAa0AaaAaAa00aaAAAAaA0aaa00="),
    ),
    "rust constant": ('const APP_KEY: [u8; 16] = hex!("{}");', like("HHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHH")),
    "rust slice": ('static SECRET_KEY: &[u8] = hex_literal::hex!("{}");', like("h32")),
    "go jwt": ('signed, err := token.SignedString([]byte("{}"))', like("AaAa0A0aa0aa00aAa0a0aaAaaa0aaAA0a0aaaA0aa")),
    "go hmac": ('mac := hmac.New(sha256.New, []byte("{}"))', like("AaAa0A0aa0aa00aAa0a0aaAaaa0aaAA0a0aaaA0aa")),
    "node jwt": (
        "const t = jwt.sign({{ id: 7 }}, '{}', {{ expiresIn: '1h' }});",
        like("AaAa0A0aa0aa00aAa0a0aaAaaa0aaAA0a0aaaA0aa"),
    ),
    "node hmac": ("crypto.createHmac('sha256', '{}').update(b)", like("AaAa0A0aa0aa00aAa0a0aaAaaa0aaAA0a0aaaA0aa")),
    "java key": ('Keys.hmacShaKeyFor("{}".getBytes())', like("AaAa0A0aa0aa00aAa0a0aaAaaa0aaAA0a0aaaA0aa")),
    "define": ('#define WIFI_PASS "{}"', like("aaaaaaa0aaaa")),
    # what a script sends
    "expect": (
        'expect "Enter passphrase for ~/.ssh/id:"\nsend "{}\\r"\nexpect eof',
        like("aaaa-aaaaaaa-aa-aaaaaa"),
    ),
    "expect, dashes": ('expect "*?assword:"\nsend -- "{}\\r"', like("aaaa0aaaaaa")),
    "expect, braces": ('expect "assword for admin: "\nsend {{{}}}\nsend "\\r"', like("Aaaa0aaaaaa")),
    "pexpect": ("child.expect('(?i)password:')\nchild.sendline('{}')", like("aaaa0aaaaaa")),
    # codes
    "codes in a file": ("$ cat ~/Downloads/github-recovery-codes.txt\n{}\n", like("aa00a-0a00a")),
    "backup codes": ("$ cat backup_codes.txt\n{}\n", like("aa00a-0a00a")),
    "japanese code": ("リカバリーコード {} でログインしてください。", like("0a0aa-a00a0")),
    "korean code": ("복구 코드는 {} 입니다", like("0a0aa-a00a0")),
    "homekit": ("Enter this code with your HomeKit app to pair with Homebridge:\n\n" + _BOX, like("000-00-000")),
    "setup code": ("Setup code: {}", like("000-00-000")),
    "czech pin": ("alarm v serverovně odkóduješ PINem {}, pak máš 30 sekund", like("70000")),
    "german pin": ("Der PIN-Code ist {}", like("7000")),
    "french pin": ("le PIN du coffre est {}", like("700000")),
    "french totp": (
        "la clé secrète TOTP est {} (SHA1, 6 chiffres).",
        like("A7AAAA66AAA45AAAAAA3AAAA3AAAAAA2"),
    ),
    "totp seed": ("TOTP seed for ops: {}", like("AAAA7AA2AAAA3AAA")),
    "2fa in groups": ("2FA, manual entry: {}", like("aaa7 aa2a a3aa aaaa aa4a 5aaa aaaa aaa2")),
}
