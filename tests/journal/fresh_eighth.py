"""Sixty kinds by a third person who had not seen the rules."""

# ruff: noqa: E501, RUF001 - texts as they were written, with the signs of many languages

from tests.journal.secret_shapes import Maker
from tests.journal.shapes import like

EIGHTH: dict[str, tuple[str, Maker]] = {
    "smbclient user%password": (
        "$ smbclient //fs03.emea.example.net/backup$ -W CORP -U 'svc_veeam%{}' -c 'ls nightly/*'",
        like("Aa0aaaa-Aaaaaa00"),
    ),
    "ldapsearch -w": (
        "$ ldapsearch -x -H ldaps://dc01.corp.local -D 'cn=ldap-ro,ou=svc,dc=corp,dc=local' -w {} -b dc=corp,dc=local '(memberOf=cn=vpn*)' sAMAccountName",
        like("a0Aa.aAaaa_00"),
    ),
    "ipmitool -P": (
        "for i in 11 12 13; do ipmitool -I lanplus -H 10.20.0.$i -U ADMIN -P {} chassis power status; done",
        like("AAAAAAAAAA"),
    ),
    "xfreerdp /p": (
        "$ xfreerdp /v:jump02.apac.example.net /d:APAC /u:kwong.adm /p:{} /cert:ignore /dynamic-resolution +clipboard",
        like("Aaaaaa#Aaaaa0000"),
    ),
    "snmpv3 auth pass": (
        "$ snmpget -v3 -l authNoPriv -u nmsmon -a SHA -A {} 10.8.0.254 sysUpTime.0\nDISMAN-EVENT-MIB::sysUpTimeInstance = Timeticks: (918273645) 106 days, 6:45:36.45",
        like("a0aaa0a-Aaaaaaa"),
    ),
    "openssl -passin": (
        "openssl pkcs12 -in wildcard_2025.pfx -nocerts -nodes -passin pass:{} -out /etc/ssl/private/wildcard.key",
        like("0aAa0aAa"),
    ),
    "7z -p attached": ("$ 7z a -mhe=on -p{} incident-4471-evidence.7z ./pcap ./memdump.raw", like("aA00aaAaa0Aa")),
    "skopeo creds": (
        "skopeo copy --src-tls-verify=false --dest-creds 'robot$ml-push:{}' docker-archive:triton.tar docker://harbor.example.net/ml/triton:24.09",
        like("aAaaaaaAaAa00aaaaAa0AaaAa0Aa0a0A"),
    ),
    "chpasswd pipe": (
        "ansible all -i edge.ini -b -m shell -a \"echo 'fieldops:{}' | chpasswd\"",
        like("Aaaaaaa.Aaaaa.000"),
    ),
    "evil-winrm NT hash": (
        "$ evil-winrm -i 10.10.14.7 -u Administrator -H {}\nEvil-WinRM shell v3.5\nInfo: Establishing connection to remote endpoint",
        like("h32"),
    ),
    "powershell securestring": (
        'PS> $pw = ConvertTo-SecureString "{}" -AsPlainText -Force\nPS> New-ADUser -Name "svc-sccm" -AccountPassword $pw -Enabled $true -Path "OU=Service,DC=corp,DC=local"',
        like("Aaa0+aaaaaaAaaa"),
    ),
    "kubeadm join token": (
        "Then you can join any number of worker nodes by running the following on each as root:\n\nkubeadm join 10.40.0.10:6443 --token {} \\\n\t--discovery-token-ca-cert-hash sha256:dc6aa5db59b3250f5d50b74151d62ac32096402aef5dc45a981d0ea1827eff2d",
        like("a0aaaa.aaaaa00000000aaa"),
    ),
    "bitlocker numerical password": (
        "C:\\Windows\\system32> manage-bde -protectors -get C:\n    Numerical Password:\n      ID: {{7D1B3C5E-2A64-4F0B-9C11-58E0A2D6F913}}\n      Password:\n        {}",
        like("000000-000000-000000-000000-000000-000000-000000-000000"),
    ),
    "netsh wlan key content": (
        'C:\\> netsh wlan show profile name="HQ-Guest-Mgmt" key=clear\nSecurity settings\n-----------------\n    Authentication         : WPA2-Personal\n    Security key           : Present\n    Key Content            : {}',
        like("Aaaaaa_Aaaaaaa_00"),
    ),
    "elasticsearch first start": (
        "✅ Elasticsearch security features have been automatically configured!\n✅ Authentication is enabled and cluster communication is encrypted.\n\nℹ️  Password for the elastic user (reset with `bin/elasticsearch-reset-password -u elastic`):\n  {}",
        like("aaaA0AAA0aA0*0aaaaaa"),
    ),
    "vault unseal key": (
        "$ vault operator init -key-shares=1 -key-threshold=1\nUnseal Key 1: {}\n\nVault initialized with 1 key shares and a key threshold of 1.",
        like("a+AA0A0AaaaaAaaaAaA0A0AaA00a0AaAAAaa0Aa0A/a="),
    ),
    "smtp auth plain trace": (
        "<- 220 mx1.example.net ESMTP Postfix\n -> EHLO scan-mfp07\n<- 250-AUTH PLAIN LOGIN\n -> AUTH PLAIN {}\n<- 235 2.7.0 Authentication successful",
        like("AAAaAA0aAAAAAAaaaAAaAA0aAAAAA00aaAAaAAAaAa0AAa=="),
    ),
    "strace tty read": (
        '[pid 20714] write(4, "jmeyer@bastion\'s password: ", 27) = 27\n[pid 20714] read(4, "{}\\n", 511) = 13',
        like("aaaaa_0Aaaaa"),
    ),
    "az sp create-for-rbac": (
        '$ az ad sp create-for-rbac --name gh-deploy --role Contributor --scopes /subscriptions/6b0f2c3d-93ee-4a6e-8f0e-1d55b1f2a7c4\n{{\n  "appId": "c1f9b6de-0a57-4f3c-a6d4-91e2f80d7b35",\n  "displayName": "gh-deploy",\n  "password": "{}",\n  "tenant": "2e8d41b7-65c0-4d9e-b3f5-70ac19e84d02"',
        like("AAa0A~aAAAa0aAaaa0a0aa-aaaA00Aa0A0AA0A_A"),
    ),
    "kubectl secret base64": (
        "$ kubectl -n billing get secret pg-app -o yaml | head -5\napiVersion: v1\ndata:\n  password: {}\n  username: YmlsbGluZw==\nkind: Secret",
        like("aAAaAa0AAAaaA0AaAAAaAAA="),
    ),
    "jupyter server token": (
        "[I 2025-02-04 09:31:07.442 ServerApp] Jupyter Server 2.14.2 is running at:\n[I 2025-02-04 09:31:07.442 ServerApp] http://gpu-node-05:8888/lab?token={}",
        like("h48"),
    ),
    "Get-LapsADPassword": (
        "PS C:\\> Get-LapsADPassword -Identity WS-FR-0193 -AsPlainText\n\nComputerName        : WS-FR-0193\nAccount             : Administrator\nPassword            : {}\nExpirationTimestamp : 4/19/2025 6:02:11 PM",
        like("}A0a,0[aAa&0aA"),
    ),
    "freeradius client secret": (
        "client wlc-sin-01 {{\n    ipaddr = 10.66.0.5\n    secret = {}\n    nas_type = cisco\n}}",
        like("aaaaaa-Aaaaaa-00a"),
    ),
    "bind tsig key": (
        'key "ddns-dhcp." {{\n    algorithm hmac-sha256;\n    secret "{}";\n}};',
        like("a0aAAaaAAAAaA0AaaaAAaAaaaaAAA0AAAaaA0A/aaAA="),
    ),
    "unattend.xml": (
        "<AutoLogon>\n  <Password><Value>{}</Value><PlainText>true</PlainText></Password>\n  <Enabled>true</Enabled><LogonCount>3</LogonCount>\n  <Username>imgbuild</Username>\n</AutoLogon>",
        like("Aaaaaa0Aaaaaaa!"),
    ),
    "gpp cpassword": (
        '<Properties action="U" newName="" fullName="" description="local admin" cpassword="{}" changeLogon="0" noChange="1" neverExpires="1" acctDisabled="0" userName="LocalAdm"/>',
        like("aaAaAa/Aa0aaAAaaAaa0+0+AaaA0A0AaAA0AaaA0A/AaA00aAAAAa/AAaA0AaaAA"),
    ),
    "chap-secrets": (
        "# /etc/ppp/chap-secrets\n# client        server  secret                  IP addresses\ndsl-4471902@isp.example  *  {}  *",
        like("00000000"),
    ),
    "npmrc authToken": (
        "registry=https://registry.npmjs.org/\n@acme:registry=https://registry.npmjs.org/\n//registry.npmjs.org/:_authToken=npm_{}\nalways-auth=true",
        like("aa0AA0aaAaAa0AAAaaAaaaAAAA00a00A0aaa"),
    ),
    "wireguard private key": (
        "[Interface]\nAddress = 10.99.3.2/32\nPrivateKey = {}\nDNS = 10.99.0.1",
        like("aAaAA/0AA0aaAA+aAAaaAaaa0aaAA0a00AA0aAAa0AA="),
    ),
    "airflow fernet key": (
        "# airflow.cfg\n[core]\nexecutor = CeleryExecutor\nfernet_key = {}\nload_examples = False",
        like("aaa0AaAA0Aa_A0AAaAaaA0a0Aa0aAaAa-A_AAa0AaAA="),
    ),
    "cisco type 7 tacacs": (
        "tacacs server ISE-FRA\n address ipv4 10.1.4.20\n key 7 {}\n timeout 3",
        like("00000A0A000000000A000A000A"),
    ),
    "fortigate psksecret": (
        'config vpn ipsec phase1-interface\n    edit "to-warsaw"\n        set interface "wan1"\n        set remote-gw 203.0.113.44\n        set psksecret {}\n    next',
        like("Aaaaa0Aaaaa!aaaaaa"),
    ),
    "frr bgp neighbor password": (
        "router bgp 64512\n neighbor 192.0.2.1 remote-as 65010\n neighbor 192.0.2.1 description transit-ams\n neighbor 192.0.2.1 password {}",
        like("aaaaaaaaaa-00000"),
    ),
    "go sql.Open dsn": (
        'db, err := sql.Open("mysql", "ingest:{}@tcp(10.3.1.9:3306)/telemetry?parseTime=true")\nif err != nil {{\n\tlog.Fatal(err)\n}}',
        like("Aa0aAa0aAa"),
    ),
    "c# connection string": (
        'using var conn = new SqlConnection("Server=tcp:erp-sql.example.net,1433;Initial Catalog=ERP;User ID=erp_report;Pwd={};Encrypt=True;");\nawait conn.OpenAsync();',
        like("A!aa-Aaaaaaa00"),
    ),
    "sql identified by": (
        'SQL> CREATE USER gg_admin IDENTIFIED BY "{}" DEFAULT TABLESPACE gg_data QUOTA UNLIMITED ON gg_data;\n\nUser created.',
        like("Aaaa0aAaaa#Aaa"),
    ),
    "python huggingface token": (
        'from huggingface_hub import snapshot_download\nsnapshot_download("meta-llama/Llama-3.1-8B-Instruct", local_dir="/models/l31", token="hf_{}")',
        like("aaaAaAaaAaAaaaaaAAaAaAAAAaAaAAaaAa"),
    ),
    "azure blob sas signature": (
        "azcopy copy ./shards 'https://mldatawe.blob.core.windows.net/train?sv=2023-11-03&ss=b&srt=co&sp=rwl&se=2026-01-31T22:00:00Z&spr=https&sig={}' --recursive",
        like("aaAA0aaA0aa0AaAAAaaaaA0aAAaAAA0Aaaa0AaaaaaA%0A"),
    ),
    "slack webhook url": (
        "receivers:\n  - name: oncall\n    slack_configs:\n      - channel: '#noc-alerts'\n        api_url: https://hooks.slack.com/services/{}",
        like("\\T00AAAAAAA0/\\BA00A0AA0AA/0a0a00AaaAAaaAAaaaa0AAa0"),
    ),
    "jwt bearer header": (
        "> GET /v2/assets?site=osl HTTP/1.1\n> Host: cmdb.example.net\n> Authorization: Bearer eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.{}\n> Accept: application/json",
        like(
            "aaAaaAAaAaAaa0AaaA0aaA0aAaaaa0AaaAAaAaAaaAAaAaaaaAAaAaaaaAA0AaaaAaAaAaaaAAAaAAAaaAAaAaA0AaAaAAAaAAA0.0a0AaA0A-AAaAa_0AAaaa0a_aa0a0AA0A00a0Aaaa0A"
        ),
    ),
    "github token in clone url": (
        "$ git -C /srv/build/firmware-blobs remote -v\norigin\thttps://x-access-token:ghp_{}@github.com/acme-net/firmware-blobs.git (fetch)",
        like("aaAaa00A0AAAAAaAaAaAAa00AAAAaA0aaa0a"),
    ),
    "EC private key pem": (
        "$ cat /etc/haproxy/certs/api.key\n-----BEGIN EC PRIVATE KEY-----\n{}\n-----END EC PRIVATE KEY-----",
        like(
            "AAaAAAAAAAAaaAaa/aa0/0a0aAAaAa0aAaAA0aA0aAAaaaAAaaa0aAaAAAaAAA00\nAaAAaAAAAaAAaa0aaAAAaAAaAAAAAaaAA0AAaa00Aaa0aA0aaAAAa+aAa0aA0AaA\na0a0aaa0aa0aA0aaaaaAaAAAaaaaAaAAaa=="
        ),
    ),
    "age identity": (
        "# created: 2025-01-22T14:03:51+01:00\n# sops key for cluster prod-eu, keep offline\nAGE-SECRET-KEY-1{}",
        like("A0A0A0AAAAAAAAAAAAAA00AAAAA0AAAAA0A00AAAA0A0AA0A0AAAAA0A0A"),
    ),
    "german chat password": (
        "Moin Jens, der alte Switch im Serverraum Nord hängt wieder. Login ist admin, Kennwort lautet {} – bitte nach dem Tausch gleich ändern.",
        like("Aaaaaaaaaa!00"),
    ),
    "french mail password": (
        "Bonjour Élodie, pour ouvrir la session sur le poste de supervision, le mot de passe du compte « exploitation » est désormais {} (changé ce matin par Karim).",
        like("Aaaaaaa-00-aaaaa"),
    ),
    "spanish chat vpn": (
        "oye, la VPN de Monterrey ya quedó: usuario rlopez.ext y la contraseña es {}, entra antes de las 6 porque a esa hora reinician el firewall",
        like("Aaaaaaa&Aaaaa0"),
    ),
    "japanese chat": (
        "お疲れ様です。検証環境DBの管理者パスワードは {} です。作業が終わったらチケットを閉じてください。",
        like("Aaaaaaa_0aaaa"),
    ),
    "russian chat root": (
        "Коллеги, на новом гипервизоре (10.7.2.15) завёл учётку root, пароль: {} — в Vaultwarden добавлю вечером.",
        like("Aaaaaa!aaaa00"),
    ),
    "portuguese pin": (
        "Pessoal, o PIN do token HSM do ambiente de homologação mudou para {}. Depois de 3 erros ele bloqueia, então cuidado ao digitar.",
        like("00000000"),
    ),
    "polish 2fa recovery code": (
        "Cześć, klucz do odzyskania konta Bitwarden firmy (kod odzyskiwania 2FA): {}\nSchowaj go do sejfu, drugi raz nam go nie pokażą.",
        like("00a0 0aaa a0aa aaaa aa00 a0a0 000a a000"),
    ),
    "italian prose luks passphrase": (
        "Ciao Marta, il portatile di scorta è nel cassetto: all'avvio ti chiede la passphrase del disco cifrato, che è {} (tutto minuscolo, con i trattini).",
        like("aaaaaaaaa-aaaa-aaaaaaaa-aaaa"),
    ),
    "turkish chat modem": (
        "Selam Emre, Ankara ofisindeki yeni modemin yönetici şifresi {} oldu, arayüze 192.168.1.1 üzerinden girebilirsin.",
        like("Aaaaaaa*aaaaa00"),
    ),
    "chinese chat bastion": (
        "小李,堡垒机账号已开通,用户名 liwei,初始密码:{},首次登录后请尽快修改。",
        like("Aaaaaa@0000aa"),
    ),
    "korean chat temp password": (
        "김 대리님, 수집 서버 etl02 계정의 임시 비밀번호는 {} 입니다. 오늘 안으로 변경 부탁드려요.",
        like("aaaaaa!0Aaaa"),
    ),
    "rclone config dialog": (
        "y/g/n> g\nPassword strength in bits.\n64 is just about memorable\nBits> 128\nYour password is: {}\nUse this password? Please note that an obscured version of this ",
        like("aaAAaA0aaaAAaaA0aAAa0a"),
    ),
    "aws configure prompt": (
        "$ aws configure --profile dr-restore\nAWS Access Key ID [None]: AKIAFDRBE43V4ZRDEUWF\nAWS Secret Access Key [None]: {}\nDefault region name [None]: eu-north-1\nDefault output format [None]: json",
        like("AaAa00AaAaAaAA0Aaa0aaa00aaAaAAaA0A00AaAA"),
    ),
    "javascript totp seed": (
        "import * as OTPAuth from 'otpauth';\nconst totp = new OTPAuth.TOTP({{ issuer: 'vpn', label: 'breakglass', digits: 6, period: 30, secret: '{}' }});\nconsole.log(totp.generate());",
        like("0A0AAAAAAA0AAAAA0A00AAAAAAAAA0AA"),
    ),
    "rust telegram bot url": (
        'let resp = reqwest::Client::new()\n    .post("https://api.telegram.org/bot{}/sendMessage")\n    .form(&[("chat_id", "-1001847302915"), ("text", "ups-2 on battery")])\n    .send().await?;',
        like("0000000000:\\A\\AaAAA0AAaAAAaA-AAAAaaA0AAaAa0aAaaA"),
    ),
    "gitlab-runner register": (
        "gitlab-runner register --non-interactive --url https://gitlab.example.net/ --executor docker --docker-image debian:12 --token glrt-{}",
        like("aa0aaaAaAaAAAaAAAAaa"),
    ),
    "celery redis broker url": (
        "# docker-compose.override.yml\nservices:\n  worker:\n    environment:\n      CELERY_BROKER_URL: redis://:{}@cache-01.internal:6379/2",
        like("aAa00aAaAa0aAaAa"),
    ),
}
