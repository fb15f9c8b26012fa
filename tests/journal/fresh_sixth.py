"""Sixty more kinds by somebody else, who had not seen the rules either."""

# ruff: noqa: E501 - texts as they were written, with the signs of many languages

from tests.journal.secret_shapes import Maker
from tests.journal.shapes import like

SIXTH: dict[str, tuple[str, Maker]] = {
    "mysqldump glued -p": (
        "$ mysqldump -h db2.lan -u tienda -p{} --single-transaction tienda_prod | gzip > /backup/tienda-$(date +%F).sql.gz",
        like("Aaaaaaaaa_00aaa"),
    ),
    "smbclient user%pass": (
        "smbclient //nas.home.arpa/fotos -U 'marek%{}' -c 'cd 2024; prompt OFF; mget *.HEIC'",
        like("Aaaaaa!Aa0aaa"),
    ),
    "apksigner ks-pass": (
        "$ apksigner sign --ks release.jks --ks-key-alias upload --ks-pass pass:{} --out app-release-signed.apk app-release-aligned.apk",
        like("aA0aAaaaaaAaa0aa"),
    ),
    "macOS security unlock-keychain": (
        "security unlock-keychain -p '{}' ~/Library/Keychains/login.keychain-db && xcodebuild -scheme Entregas -configuration Release archive",
        like("a0aa-Aaaaa0a-Aaaaa"),
    ),
    "notarytool app-specific password": (
        "xcrun notarytool submit Kanji.dmg --apple-id yuki.tanabe@icloud.com --team-id 9QX4T7LM2K --password {} --wait",
        like("aaaa-aaaa-aaaa-aaaa"),
    ),
    "snmpwalk v3 privacy passphrase": (
        'snmpwalk -v3 -l authPriv -u monitor -a SHA -A "$SNMP_AUTH" -x AES -X {} 192.168.10.2 IF-MIB::ifDescr',
        like("aa0a-aaaaaa-aaaaaa"),
    ),
    "ldapsearch -w": (
        "$ ldapsearch -x -H ldaps://ldap.firma.pl -D 'cn=gitea,ou=svc,dc=firma,dc=pl' -w {} -b dc=firma,dc=pl '(uid=kowalskaj)' mail",
        like("a0aaaAaaa#0000"),
    ),
    "chpasswd pipe": ("echo 'pi:{}' | sudo chpasswd && sudo systemctl restart ssh", like("aaaaaAaa-aaaaa0")),
    "tailscale up authkey": (
        "curl -fsSL https://tailscale.com/install.sh | sh && sudo tailscale up --auth-key=tskey-auth-{} --advertise-routes=192.168.10.0/24",
        like("a0aa00aaAAaAAAAA-a0aaaAaaAAAaA0A00aAAAAAAAaAAaaAa"),
    ),
    "PowerShell SecureString": (
        "$pw = ConvertTo-SecureString '{}' -AsPlainText -Force\n$cred = New-Object System.Management.Automation.PSCredential('CONTOSO\\svc_deploy', $pw)\nEnter-PSSession -ComputerName iis03 -Credential $cred",
        like("Aa0aaaa-Aaaaaaa!"),
    ),
    "kubectl from-literal": (
        "kubectl -n checkout create secret generic pix-gateway --from-literal=client_id=loja-br --from-literal=client_secret=gih-{}",
        like("aAaAAaaaa000AaaAAaaAaAaa0aa-AAaaaAAa"),
    ),
    "PGPASSWORD prefix": (
        "PGPASSWORD={} psql -h 10.20.0.14 -U reports -d bookings -Atc 'select count(*) from reservations'",
        like("0aA+aaa.Aaaaaaa"),
    ),
    "GitHub recovery code": (
        "GitHub recovery codes for @tkowal-dev\nKeep these somewhere safe. Each can be used once.\n  {}",
        like("a0000-00a00"),
    ),
    "vault operator init unseal key": (
        "$ vault operator init -key-shares=1 -key-threshold=1\nUnseal Key 1: {}\n\nVault initialized with 1 key shares and a key threshold of 1.",
        like("aaAaAa+Aaa0AaAA00aaAaaAAAAaaAaaaaaa0AAAAaAa="),
    ),
    "Jenkins initial admin password": (
        "Jenkins initial setup is required. An admin user has been created and a password generated.\nPlease use the following password to proceed to installation:\n\n{}\n\nThis may also be found at: /var/lib/jenkins/secrets/initialAdminPassword",
        like("h32"),
    ),
    "aws sts session token": (
        '$ aws sts assume-role --role-arn arn:aws:iam::482019375561:role/deploy --role-session-name ci --query Credentials\n{{\n    "AccessKeyId": "ASIAXX73H7CD3PYYHEWY",\n    "SessionToken": "{}",\n    "Expiration": "2025-03-11T10:02:44+00:00"\n}}',
        like(
            "AAaAa0AaA0aaA0AaAaaa0aAaA0aaaaaa0aaA0aaAAAaAA0a0A0A0A0A00aA+AaAaaa0aaa00AAaAaAaAa0aAAa0aaAAAAAA00a0Aa0AAAaaaaaaAAaa0AA000AA0aaA0AaA0AAaaaAAaAaAAaAaA0aAAAA0aA0AaAaaaaaaAa000Aa0AAAAAAaaAaaA0aa0AAAaaaaAaaaAAAAaa00AaaaAaAaAaaa0AaaA0Aa00A+aAAaAaAaAaA/AaaaAaaaaaaAa0A00aaaA0AaAaaAaaA0AAaaA0A0aaa+Aa/a0AAa0Aaaa0AAaA0/aaaaAa0aAa+aa/aaaa0AaAaAaA="
        ),
    ),
    "node stack dump of pool config": (
        "error: connect ETIMEDOUT 10.4.1.9:5432\nPool options: {{\n  user: 'api_rw',\n  host: '10.4.1.9',\n  password: '{}',\n  database: 'entregas', port: 5432 }}",
        like("aA0-aaaaaaaa.aa"),
    ),
    "aws configure prompt": (
        "$ aws configure --profile loja-br\nAWS Access Key ID [None]: AKIAIEKQ7EFPR2I7SKVJ\nAWS Secret Access Key [None]: {}\nDefault region name [None]: sa-east-1\nDefault output format [None]: json",
        like("a0aAAAAAAa+AaAAa/a00aaaAaaaAAaAAaaaA0Aaa"),
    ),
    "Google app password dialog": (
        "Generated app password\nYour app password for your device\n\n{}\n\nHow to use it: go to the settings for your Google Account in the application or device you are trying to set up.",
        like("aaaa aaaa aaaa aaaa"),
    ),
    "gitlab-ci EXPO_TOKEN": (
        'build-android:\n  image: node:20\n  variables:\n    EXPO_TOKEN: "{}"\n  script:\n    - npx eas-cli build --platform android --non-interactive',
        like("00Aaa00AaAaAAAAaAAaAaA0aAA0A0aaAA0AaAaAA"),
    ),
    "op item get reveal": (
        "$ op item get 'Vercel billing' --reveal --fields label=username,label=password\nnuria@botigues.cat,{}",
        like("aAa.0aaaAA0_aaAAaAaa"),
    ),
    "OAuth token response": (
        'HTTP/1.1 200 OK\nContent-Type: application/json; charset=utf-8\n\n{{"access_token":"[cut]","expires_in":3599,"refresh_token":"{}","scope":"https://www.googleapis.com/auth/androidpublisher","token_type":"Bearer"}}',
        like(
            "0//0AaAaAAAAAAAAaAAaA-A0AaaAAAaa00AaAaa0AA0aA0AaAAAaaaa0aaAaaaA00Aa0aA0AaA0aAAA00a00A00aaaa0Aaa0AA0aAaA00a"
        ),
    ),
    "password reset link in mailer log": (
        "[ActionMailer] Sent mail to ines@floristeria.es (212.4ms)\nHola Inés, para restablecer tu contraseña entra aquí:\nhttps://app.floristeria.es/users/password/edit?reset_password_token={}",
        like("A00a0aa0-AaAaa0AAaAA"),
    ),
    "SMS one-time code in gateway log": (
        '2025-03-11T08:14:52Z twilio-mock INFO -> +5511987710423 body="Seu código de verificação do EntregaJá é {}. Não compartilhe com ninguém. Expira em 10 min."',
        like("00000000"),
    ),
    "git remote -v with PAT": (
        "$ git remote -v\norigin\thttps://mkowal:ghp_{}@github.com/paczkomat/mobile-app.git (push)",
        like("0aAAAaa0a0AAAAAAAAAAa0AaaaaAAaAaa0Aa"),
    ),
    "npmrc authToken": (
        "@paczkomat:registry=https://registry.npmjs.org/\n//registry.npmjs.org/:_authToken=npm_{}\nalways-auth=true",
        like("aAAA0aaAA00aa0aAa0AaAaa00AaaaaaAaAaa"),
    ),
    "wireguard private key": (
        "[Interface]\nAddress = 10.66.0.3/32\nPrivateKey = {}\nDNS = 10.66.0.1\n[Peer]\nEndpoint = casa.duckdns.org:51820",
        like("0aAaaaAaAaaAAAAaAaAAaaaaaAaAaAaaAA0AaaAaAaA="),
    ),
    "openwrt wireless option key": (
        "config wifi-iface 'default_radio1'\n\toption device 'radio1'\n\toption mode 'ap'\n\toption ssid 'LaCueva'\n\toption encryption 'sae-mixed'\n\toption key '{}'",
        like("aaaaaaaa-aaa-aaaaaaa"),
    ),
    "zigbee2mqtt network key": (
        "advanced:\n  pan_id: 6754\n  channel: 20\n  network_key: [{}]",
        like("000, 00, 000, 000, 000, 000, 00, 000, 000, 000, 000, 00, 000, 000, 0, 00"),
    ),
    "esphome api encryption key": (
        'api:\n  encryption:\n    key: "{}"\nota:\n  - platform: esphome',
        like("a0aA0aaa0aaaAAaA0AAaAaAaaA/AAaaAaA0Aa0A0a/0="),
    ),
    "laravel APP_KEY": (
        "APP_NAME=Reservas\nAPP_ENV=production\nAPP_KEY={}\nAPP_DEBUG=false",
        like("aaaa00:aaaaAaaA0a0AaAAaaaa0a0AAAAAa+aAaAAaA+0aa0aa="),
    ),
    "maven settings.xml password": (
        "<server>\n  <id>nexus-releases</id>\n  <username>deployer</username>\n  <password>{}</password>\n</server>",
        like("a0aaaAaaaaa_aaa"),
    ),
    "appsettings SQL Server connection": (
        '"ConnectionStrings": {{\n  "Default": "Server=tcp:sql-spain.database.windows.net,1433;Database=crm;User ID=crmapp;Password={};Encrypt=True;"\n}}',
        like("Aaa0a-Aaaaaaa$0"),
    ),
    "pgpass line": ("# ~/.pgpass\npg.internal:5432:inventory:app_ro:{}", like("aAa0aaaaaaa")),
    "netrc": (
        "machine git.heroku.com\n  login rafael@entregaja.com.br\n  password HRKU-c025e867-67af-{}",
        like("0a00-0000-a0a0aa00000a"),
    ),
    "ansible inventory become pass": (
        "[nodes]\nrpi-dach ansible_host=192.168.10.31 ansible_user=tomek ansible_become_pass='{}'",
        like("aaaaa_a_aaaaaa0"),
    ),
    "k8s Secret base64 data": (
        "apiVersion: v1\nkind: Secret\nmetadata:\n  name: grafana-admin\ndata:\n  admin-password: {}",
        like("AAaaaa0aaA00AAaaaAAaaAAaAa=="),
    ),
    "terraform.tfvars cloudflare token": (
        '# terraform.tfvars\nzone               = "floristeria.es"\ncloudflare_api_token = "{}"',
        like("AAaaaAaAAaaaAaAA0aAaAAAAaaA00A__aAA0Aa0A"),
    ),
    "mikrotik pppoe-client export": (
        '/interface pppoe-client\nadd add-default-route=yes disabled=no interface=ether1 name=pppoe-vivo user=cliente@cliente password="{}"',
        like("aaaaa0Aaaaaaaaa"),
    ),
    "cisco ios username secret": (
        "sw-piwnica(config)# username admin privilege 15 secret 0 {}\nsw-piwnica(config)# line vty 0 4\nsw-piwnica(config-line)# login local",
        like("Aaaaa.Aaaa00"),
    ),
    "wifi QR payload": ("$ qrencode -t ansiutf8 'WIFI:T:WPA;S:Convidados_Lapa;P:{};;'", like("aaaaaaaaaa0aaaa")),
    "rtsp camera URL": (
        "ffmpeg -rtsp_transport tcp -i 'rtsp://viewer:{}@192.168.20.14:554/Streaming/Channels/101' -c copy porch.mkv",
        like("Aaa0aaaa"),
    ),
    "php PDO constructor": (
        "$db = new PDO('mysql:host=127.0.0.1;dbname=tienda;charset=utf8mb4', 'tienda_web', '{}', [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION]);",
        like("aaa0aa&Aaaaaaaa"),
    ),
    "go smtp.PlainAuth": (
        'auth := smtp.PlainAuth("", "avisos@botigues.cat", "{}", "smtp.fastmail.com")\nerr := smtp.SendMail("smtp.fastmail.com:587", auth, from, to, msg)',
        like("a00000aaaa000aa0"),
    ),
    "swift HMAC signing key": (
        '// TODO move to server\nlet signingKey = SymmetricKey(data: Data("{}".utf8))\nlet mac = HMAC<SHA256>.authenticationCode(for: body, using: signingKey)',
        like("AAa00aAaaAAAAaaaAAaaAAAAaaAaaAA0aaaaaaaA"),
    ),
    "discord client.login": (
        "client.once('ready', () => console.log('bot up'));\nclient.login('{}');",
        like("\\MAA0AAAaAaA0AaA0AAa0AAAaAa.AaaaAA.AAAaAa0AA00000A0A0Aaa0aaaaAAaAaa-0aAAa"),
    ),
    "SQL alter role": ("ALTER ROLE metabase WITH LOGIN PASSWORD '{}' VALID UNTIL 'infinity';", like("aA-aaaaa#aaaa0")),
    "slack incoming webhook": (
        "curl -X POST -H 'Content-type: application/json' --data '{{\"text\":\"deploy ok\"}}' https://hooks.slack.com/services/{}",
        like("A0A0A0AAAA0/A0AAAAA0A0A/AaaAAAaa0A0aaaAAAAAaAAAA"),
    ),
    "stripe live key header": (
        'curl https://api.stripe.com/v1/payment_intents -H "Authorization: Bearer sk_live_{}" -d amount=1999 -d currency=eur',
        like("00aAAAAaAa0a0AAaaAa0aaaaAaaa00AaA0aaaAAaAAaaaAAAA0AaAAAAaAAA0aAAaaaAaAA0aAAa0aAaaA00aA0aAaAA0aAaA0A"),
    ),
    "telegram bot URL": (
        "2025-02-02 21:03:11 WARNING urllib3 Retrying: https://api.telegram.org/bot{}/sendMessage?chat_id=-1001482230519",
        like("0000000000:\\A\\AaAaaAAaaAaa0Aa0aaA0_aAaaaa0a0a0aa"),
    ),
    "EC private key p8 file": (
        "$ cat AuthKey_7K2QW9X4PD.p8\n-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----",
        like(
            "AAAAAaAAAAAAAaaAAA00AaAAAAaAAA00AaAAAA0aaaAAAAAaaAaAAa0AaAaaAaAa\na0aaAaAA0AAA0AaA0AaAAAAaA0+aAAAAAAAa0aAa/A0aaaa0aAaaaaAAaaAa0+AA\n00aaaa0A+AaaAAA0a0A/Aa0AAa0aaAa0+a0AAa0AaaaaAaAA0aaaAA0a"
        ),
    ),
    "Japanese chat staging login": (
        "田辺: ステージングの管理画面、ログインできました?\n佐藤: IDは admin で、パスワードは「{}」です。あとで変えておいてください。",
        like("Aaaaaa#0000aaa"),
    ),
    "Spanish voice-style prose": (
        "Oye, la clave del FTP del cliente es {}, con la eme mayúscula. No la pongas en el ticket, porfa.",
        like("Aaaaaaaaa_00"),
    ),
    "Polish chat router admin": (
        "Tomek: hasło do panelu routera u rodziców to {} (login admin), zmień proszę kanał na 6, bo im się rwie",
        like("aaaaaaaAaaaaa00"),
    ),
    "Brazilian Portuguese chat db": (
        "Rafa, a senha nova do banco de homologação ficou {} — usuário continua o mesmo, troquei hoje cedo por causa do vazamento",
        like("aaaaaaaaaa*Aaa0"),
    ),
    "German mail NAS": (
        "Hallo Jonas, für das Backup-NAS im Keller lautet das Kennwort jetzt {}. Benutzername ist weiterhin »sicherung«.",
        like("Aaaaaaaaaa-00-Aaa"),
    ),
    "French message alarm door code": (
        "Le code d'accès de la baie serveur à Lyon a changé : c'est {} maintenant, puis la touche #.",
        like("00A000"),
    ),
    "Korean chat VPN": (
        "민수님, VPN 계정 만들어 드렸어요. 아이디는 minsu.k, 비밀번호는 {} 입니다. 첫 로그인 후 꼭 변경해 주세요.",
        like("Aaaaaaaaa!000"),
    ),
    "Italian chat cert passphrase": (
        "Ti ho mandato il file .ovpn; quando lo importi ti chiede la passphrase della chiave: {}",
        like("aaaaaaa aaaaa aaa aaaaa"),
    ),
    "Catalan note wp-admin": (
        "Núria, per entrar al WordPress de la botiga: usuari «nuria», contrasenya {} (està provada, funciona)",
        like("Aaaçaaa+Aaaaaaa0"),
    ),
}
