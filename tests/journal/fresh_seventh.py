"""What was missed of three hundred kinds, written down before a look at the rules: a host's and a bank's day, devices, oddities."""

# ruff: noqa: E501, RUF001 - texts as they were written, with the signs of many languages

from tests.journal.secret_shapes import Maker
from tests.journal.shapes import like

SEVENTH: dict[str, tuple[str, Maker]] = {
    "openvpn auth file": ("$ cat /etc/openvpn/auth.txt\nfiliale-sued\n{}", like("Aaa0aaaaaaaa")),
    "hostapd": ("interface=wlan0\nssid=gast\nwpa=2\nwpa_passphrase={}", like("Aaaaaa-aaa-Aaaaaa")),
    "dovecot doveadm": (
        "doveadm auth test anna@kunde.example {}\npassdb: anna@kunde.example auth succeeded",
        like("Aaaaaaaa=0"),
    ),
    "bind tsig": (
        'key "ddns-key" {{\n  algorithm hmac-sha256;\n  secret "{}";\n}};',
        like("0aAa0aA0aA0aA0aA0aA0aA0aA0aA0aAaAaAaAaAaAaA="),
    ),
    "nsupdate -y": ("nsupdate -y hmac-sha256:ddns:{} <<< 'update add'", like("Aa00AAAAaAAAaA0aAa0aAAaaA00aAA0aaa==")),
    "corosync/keepalived": (
        "vrrp_instance VI_1 {{\n  authentication {{\n    auth_type PASS\n    auth_pass {}\n  }}\n}}",
        like("a00aAa0a"),
    ),
    "idrac default in ticket": (
        "Ticket #4412: iDRAC on node15 reset, default login is root with {} (sticker on the pull-out tag)",
        like("A0AAA0AA0A"),
    ),
    "proxmox token output": (
        "┌──────────────┬──────────────────────────────────────┐\n│ full-tokenid │ root@pam!backup                      │\n│ value        │ {} │\n└──────────────┴──────────────────────────────────────┘",
        like("0a0a0a0a-0a00-0a0a-aa0a-a0a0a0a0a0a0"),
    ),
    "kinit pipe": ("echo {} | kinit svc-web@EXAMPLE.LAN", like("AaaaAaaa-00")),
    "ldif": (
        "dn: uid=anna,ou=people,dc=kunde,dc=example\nchangetype: modify\nreplace: userPassword\nuserPassword: {{SSHA}}{}",
        like("AaAAaAa+a/0AAAaAAAAaaAaAAAaaAaa0"),
    ),
    "german prose 2": (
        'Das WLAN im Serverraum heißt "rz-intern", der Schlüssel steht am Rack: {}',
        like("aaaaaaa-aaaaa-0000"),
    ),
    "dutch prose": (
        "Hoi, het wachtwoord van de backupserver is gewijzigd naar {}, sleutel ligt in de kluis.",
        like("Aaaaa&Aaaaa0"),
    ),
    "polish prose": ("Cześć, nowe hasło do panelu to {} — zmień je po zalogowaniu.", like("Aaaaaaaa_00a")),
    "french prose": (
        "Bonjour, le mot de passe du compte « sauvegarde » est désormais {} ; merci de ne pas le diffuser.",
        like("Aaaaaaa*aaaa0"),
    ),
    "door code": ("The datacenter cage at row F opens with keypad code {} then #.", like("00000000")),
    "bitlocker": (
        "Recovery Key for volume C:\n  Numerical Password:\n    ID: {{A1B2C3D4-1111-2222-3333-444455556666}}\n    Password:\n      {}",
        like("000000-000000-000000-000000-000000-000000-000000-000000"),
    ),
    "twilio": ("const client = require('twilio')('AC2f0a9c7b4e1d8f3a6b5c0d9e8f7a6b5c', '{}');", like("h32")),
    "algolia admin": ("algoliasearch('LJ8AB3K2XD', '{}')", like("h32")),
    "fastlane match": ("MATCH_PASSWORD={} bundle exec fastlane match appstore", like("aaaaaa.aaaa.aaaaa")),
    "java getConnection": ('Connection c = DriverManager.getConnection(url, "scott", "{}");', like("a0aaa.aaaa")),
    "rust env": ('std::env::set_var("DB_PASS", "{}");', like("aaaaaa-Aaaaa0")),
    "magic link": (
        "Sign in: https://app.acme.example/auth/callback?token_hash=pkce_{}&type=magiclink",
        like("0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a"),
    ),
    "seed phrase": (
        "MetaMask seed: {}",
        like("aaaaaaa aaaaaaa aaaaa aaaa aaaaaa aaaaaa aaaaaa aaaaaaaa aaaaaa aaaa aaaa aaaa"),
    ),
    "eth private key hardhat": (
        "accounts: ['{}']",
        like("\\0\\xhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh"),
    ),
    "slack english": ("fyi staging basic auth is now acme / {}", like("aaaaaa-aaaaaa-00")),
    "one-time code": ("Your Acme verification code is {}. It expires in 10 minutes.", like("00000000")),
    "mosquitto_passwd": ("mosquitto_passwd -b /etc/mosquitto/passwd sensor12 {}", like("aaaa&aaaaa")),
    "zigbee2mqtt": (
        "advanced:\n  network_key: [{}]",
        like("00, 000, 00, 0, 00, 000, 000, 0, 00, 00, 000, 00, 00, 000, 0, 000"),
    ),
    "lmic array": (
        "static const u1_t PROGMEM APPKEY[16] = {{ {} }};",
        like(
            "\\0\\xHH, \\0\\xHH, \\0\\xHH, \\0\\xHH, \\0\\xHH, \\0\\xHH, \\0\\xHH, \\0\\xHH, \\0\\xHH, \\0\\xHH, \\0\\xHH, \\0\\xHH, \\0\\xHH, \\0\\xHH, \\0\\xHH, \\0\\xHH"
        ),
    ),
    "sim puk": ("SIM 8949020000123456789 PIN: 4471 PUK: {}", like("00000000")),
    "sim ki/opc": (
        "open5gs> subscriber imsi 262019876543210 k 465B5CE8B199B49FAA5F0A2EE238A6BC opc {}",
        like("HHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHH"),
    ),
    "huawei cipher": ("[HUAWEI-aaa] local-user netops password irreversible-cipher {}", like("Aa0aaaaa#0000")),
    "fortigate ENC": ("set password ENC {}", like("AA0aAaAa0A0a0AAa0a0aAAAa0aAa0aAaAaAa0aAaAaAaAaAaAa")),
    "palo alto api": (
        "curl -k 'https://10.1.1.1/api/?type=op&cmd=<show></show>&key={}'",
        like("AAAAAA0aA0aAa0A0AaaAa0AaAaA0aAa0AAaA"),
    ),
    "aruba": ("wlan ssid-profile gast\n wpa-passphrase {}", like("Aaaaaa#Aaaaaaaa")),
    "ospf key": ("ip ospf message-digest-key 1 md5 {}", like("0aaaAaaa")),
    "radtest": ("radtest anna {} 10.3.3.3 0 testing123x", like("Aaaaaaa*0")),
    "nmcli show": ("$ nmcli -s -g 802-11-wireless-security.psk connection show Buero5G\n{}", like("aaaaa&aaaaa00")),
    "iwd": ("[Security]\nPassphrase={}", like("aaaaa aaa aaaaa")),
    "fritzbox": ("FRITZ!Box-Kennwort (siehe Geräteboden): {}", like("aaaaa0000")),
    "modem at cpin": ('AT+CPIN="{}"\nOK', like("00000000")),
    "secrets.yaml ha": ("# secrets.yaml\nalarm_code: {}\nlatitude_home: 52.1", like("00000000")),
    "nordic ltk": ("Bonded: LTK {} EDIV 0x1f3a", like("HHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHH")),
    "russian prose": (
        "Привет! Пароль от роутера в офисе поменяли, теперь {}, никому не пересылай.",
        like("Ёжик-туман00"),
    ),
    "ukrainian prose": ("Доброго дня, пароль до сервера моніторингу: {}", like("Aaaaaa_00aaa")),
    "finnish prose": ("Hei, palvelimen salasana vaihdettiin: uusi on {}.", like("Aaaaa.aaaaa0")),
    "chinese prose": ("机房交换机的密码改成了 {} ，请尽快登录确认。", like("Aaaa0000!aaa")),
    "swedish prose": ("Hej, larmkoden till stationen är {} och gäller från måndag.", like("00000000")),
    "hungarian prose": ("Szia, az új jelszó a routerhez: {}", like("Aaaaaaaa*aaaaaaa0")),
    "ssh key passphrase prompt": (
        "Enter passphrase for key '/home/noc/.ssh/id_ed25519': {}\nIdentity added",
        like("aaaaaa Aaaaaa aaaaaa"),
    ),
    "impdp": ("impdp system/{} directory=DATA_PUMP dumpfile=a.dmp", like("aaaaaaa#00")),
    "snowsql": ("snowsql -a xy12345 -u etl\nPassword: {}\n* SnowSQL * v1.2.32", like("Aa0aaa.aaaaa")),
    "dbt profiles": (
        "dwh:\n  target: prod\n  outputs:\n    prod:\n      type: redshift\n      user: dbt\n      pass: {}",
        like("aaa.Aaaaa0"),
    ),
    "wandb": ("wandb: Paste an API key from your profile and hit enter: {}", like("h40")),
    "kaggle.json": ('{{"username":"anna","key":"{}"}}', like("h32")),
    "spark conf": ("spark.hadoop.fs.s3a.secret.key {}", like("aAa0aAAaaAAAA/A0AAAAA+aAaAaaAAaAaAa0aAa0")),
    "azure keyvault show": (
        "$ az keyvault secret show --vault-name kv1 -n etl --query value -o tsv\n{}",
        like("Aaaaaaa.Aaaa-0"),
    ),
    "aws secretsmanager": (
        "aws secretsmanager get-secret-value --secret-id etl --query SecretString --output text\n{}",
        like("aAa-Aaaaa-0a"),
    ),
    "kubectl get secret decode": (
        "$ kubectl -n crm get secret db -o jsonpath='{{.data.password}}' | base64 -d\n{}",
        like("A0aaaaa-aaaaa"),
    ),
    "tfstate": (
        '      "type": "random_password",\n      "instances": [{{"attributes": {{"result": "{}"',
        like("aA0$aA0!aAa0"),
    ),
    "vault kv get": ("====== Data ======\nKey         Value\n---         -----\npassword    {}", like("Aaaaaaa_aaa0")),
    "jenkins cli": ("java -jar jenkins-cli.jar -s http://ci:8080 -auth admin:{} list-jobs", like("h34")),
    "gradle.properties": ("nexusUser=deploy\nnexusPwd={}", like("aaaaa.AAAAA0")),
    "sap rfc": ("ashost=10.2.0.4 sysnr=00 client=100 user=RFC_ETL passwd={}", like("A0aaaa.aaa")),
    "romanian prose": ("Salut, parola pentru contul de raportare este {}, te rog să o schimbi.", like("Aaaaaaa-0aaa")),
    "danish/norwegian prose": (
        "Hei! Passordet til rapportbrukeren er endret til {}, si fra om det ikke virker.",
        like("Aaaaa.aaaa0"),
    ),
    "hindi / vietnamese prose": ("Mật khẩu mới của tài khoản báo cáo là {} nhé, đừng gửi cho ai.", like("AaaAa*aaaa0")),
    "rclone conf": (
        '[gdrive]\ntype = drive\ntoken = {{"access_token":"x"}}\n[b2]\ntype = b2\naccount = 0012ab\nkey = {}',
        like("A0000a0AaA0aA0aA0aA0aA0aA0aA0a"),
    ),
    "msmtprc": ("account default\nhost smtp.x.example\nuser bot\npassword {}", like("Aaaaa0aaa.aaaa")),
    "rabbitmq definitions": (
        '{{"name":"app","password_hash":"{}","hashing_algorithm":"rabbit_password_hashing_sha256"}}',
        like("aA0AAaA0AAAAa0aA0aa0A0A0AaAaaAaaAa00+A0aAAAA0AAA"),
    ),
    "nextcloud occ": ("OC_PASS={} php occ user:add --password-from-env anna", like("aaaa.Aaaaaa0")),
    "magento": ("'crypt' => ['key' => '{}'],", like("h32")),
    "salt pillar": ("mysql:\n  root_pw: {}", like("aaaaaa.Aaaaa0")),
    "edgeos pppoe": ("set interfaces ethernet eth0 pppoe 0 password {}", like("A-0aaaaa00")),
    "cisco line": ("line vty 0 4\n password {}\n login", like("aaaA0aaa")),
    "zte/olt": ("user add anna login-password {} role admin", like("aaaaaaaaA0")),
    "lightning": (
        "lncli create: cipher seed: {}",
        like("aaaaaa aaaaa aaaaa aaaaaaa aaaaaa aaaaaa aaaaa aaaaaaa aaaaa aaaaaa aaaaa aaaaaa"),
    ),
    "bip38": ('encrypted wallet, the passphrase is "{}"', like("aaaa aaaaaa Aaaaaaa")),
    "steam guard": ("Steam Guard code: {}", like("0AA0A")),
    "sms otp english": ("G-{} is your Google verification code.", like("00000000")),
    "anydesk": ("echo {} | anydesk --set-password", like("aaaaaAaaaaa0")),
    "arabic": ("كلمة السر الجديدة {} لا تنساها", like("Aaaaaa#0000")),
    "thai": ("รหัสผ่านใหม่คือ {} นะครับ", like("aaaaaa00")),
    "bulgarian": ("Паролата за сървъра е {}, смени я после.", like("Aaaaaa-0000")),
}
