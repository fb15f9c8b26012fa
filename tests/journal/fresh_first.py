"""Sixty ways in which secrets come up, written down in one go from what tools and vendors do, before any rule was made
for them: how much the rules know beyond what they were made for. Values are made up in each run."""

import base64
import string
import uuid
from random import Random

from tests.journal.secret_shapes import ALNUM, BASE64, HEX, LOWER, URL_SAFE, Maker, parts, some


def password(chance: Random) -> str:
    """As a careful person makes it up."""
    return chance.choice(("Tr0ub4dor", "Wint3r", "k9Xmq")) + some(ALNUM, 6)(chance) + chance.choice("!#%+=?")


def identifier(chance: Random) -> str:
    return str(uuid.UUID(int=chance.getrandbits(128), version=4))


def basic(chance: Random) -> str:
    return base64.b64encode(f"deploy:{password(chance)}".encode()).decode()


_AWS_SECRET = some(BASE64, 40)
_BASE32 = some(string.ascii_uppercase + "234567", 32)

FIRST: dict[str, tuple[str, Maker]] = {
    "service account of Google": (
        '{{\n  "type": "service_account",\n  "private_key_id": "{0}",\n  "client_email": "a@b.iam"\n}}',
        some(HEX, 40),
    ),
    "service principal of Azure": ('{{\n  "appId": "x",\n  "password": "{}",\n  "tenant": "y"\n}}', some(URL_SAFE, 34)),
    "shared access signature": (
        "https://acme.blob.core.windows.net/c?sv=2022-11-02&ss=b&srt=sco&sig={}%3D",
        some(ALNUM, 43),
    ),
    "session token of AWS": ('{{"Credentials": {{"SessionToken": "{}", "Expiration": "2025"}}}}', some(BASE64, 300)),
    "keys as CSV": ("Access key ID,Secret access key\nAKIA" + "Z2" * 8 + ",{}\n", _AWS_SECRET),
    "s3cmd": ("s3cmd --access_key=x --secret_key={} ls", _AWS_SECRET),
    "rclone": ("[remote]\ntype = sftp\nhost = x\nuser = bob\npass = {}\n", some(URL_SAFE, 32)),
    "borg": ("export BORG_PASSPHRASE='{}'; borg create ::x .", password),
    "inventory of Ansible": ("web1 ansible_host=10.0.0.3 ansible_user=root ansible_ssh_pass={}\n", password),
    "variable of Terraform": ("terraform apply -auto-approve -var 'db_password={}'", password),
    "docker-registry secret": (
        "kubectl create secret docker-registry r --docker-server=x --docker-username=y --docker-password={}",
        password,
    ),
    "docker config": ('{{"auths": {{"https://index.docker.io/v1/": {{"auth": "{}"}}}}}}', basic),
    "values of Helm": ("helm install pg bitnami/postgresql --set auth.postgresPassword={},auth.database=x", password),
    "kubeadm": (
        "kubeadm join 10.0.0.1:6443 --token {} --discovery-token-ca-cert-hash sha256:00",
        parts(some(LOWER, 6), ".", some(LOWER, 16)),
    ),
    "k3s": ("K3S_URL=https://x:6443 K3S_TOKEN={} sh -", parts("K10", some(HEX, 64), "::server:", some(HEX, 32))),
    "extra header of git": ('git -c http.extraheader="AUTHORIZATION: basic {}" fetch', basic),
    "remote of git": ("origin\thttps://oauth2:{}@gitlab.example.com/a/b.git (fetch)\n", some(ALNUM, 20)),
    "auth of npm": ("//npm.example.com/:_auth={}\nalways-auth=true\n", basic),
    "yarn": ('npmRegistryServer: "https://x"\nnpmAuthToken: "{}"\n', identifier),
    "pip": ("[global]\nindex-url = https://bob:{}@pypi.example.com/simple\n", password),
    "poetry": ("poetry config http-basic.private bob {}", password),
    "Maven": ("<server><id>x</id><username>bob</username><password>{}</password></server>", password),
    "Gradle": ("signing.keyId=24875D73\nsigning.password={}\nsigning.secretKeyRingFile=x.gpg\n", password),
    "NuGet": ("nuget sources add -Name x -Source https://x -Username bob -Password {}", password),
    "RubyGems": ("---\n:rubygems_api_key: {}\n", some(HEX, 48)),
    "libpq": ('psql "host=db.example.com user=app password={} dbname=shop"', password),
    "option file of MySQL": ("[client]\nuser=root\npassword={}\n", password),
    "AUTH of Redis": ("127.0.0.1:6379> AUTH default {}\nOK\n", password),
    "rabbitmqctl": ("rabbitmqctl add_user bob {}", password),
    "JAAS": (
        'sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required username="u" password="{}";',
        password,
    ),
    "reset of Elasticsearch": ("Password for the [elastic] user successfully reset.\nNew value: {}\n", some(ALNUM, 20)),
    "mc": ("mc alias set local http://localhost:9000 minio {}", some(ALNUM, 32)),
    "netsh": ("    Security key           : Present\n    Key Content            : {}\n", password),
    "iwctl": ("iwctl --passphrase {} station wlan0 connect Home", password),
    "ipsec.secrets": ('%any %any : PSK "{}"\n', password),
    "community of a switch": ("snmp-server community {} RO\n", password),
    "key of a switch": ("crypto isakmp key {} address 10.0.0.1\n", password),
    "net user": ("net user bob {} /add", password),
    "cmdkey": ("cmdkey /add:server01 /user:bob /pass:{}", password),
    "schtasks": ("schtasks /create /tn x /tr y /sc daily /ru bob /rp {}", password),
    "PowerShell": ('$p = ConvertTo-SecureString "{}" -AsPlainText -Force', password),
    "header of Azure OpenAI": ("curl https://x.openai.azure.com/ -H 'api-key: {}'", some(HEX, 32)),
    "Mistral": ("client = Mistral(api_key='{}')", some(ALNUM, 32)),
    "Matrix": (
        "curl -H 'X: y' https://m.org/_matrix/client?z=1 # uses {}",
        parts("syt_", some(ALNUM, 12), "_", some(ALNUM, 20), "_", some(ALNUM, 6)),
    ),
    "swaks": ("swaks --to a@b.c --auth LOGIN --auth-user bob --auth-password {}", password),
    "Postfix": ("[smtp.gmail.com]:587 bob@gmail.com:{}\n", password),
    "AUTH PLAIN": ("C: AUTH PLAIN {}\nS: 235 ok\n", basic),
    "ESP32": ('const char* ssid = "Home";\nconst char* wifi_pass = "{}";\n', password),
    "ESPHome": ('api:\n  encryption:\n    key: "{}="\n', some(BASE64, 43)),
    "chpasswd": ('echo "root:{}" | chpasswd', password),
    "unsealing Vault": ("Unseal Key 1: {}\nUnseal Key 2: x\n", some(BASE64, 44)),
    "Consul": ("CONSUL_HTTP_TOKEN={} consul members", identifier),
    "Bitwarden": ('export BW_SESSION="{}=="', some(BASE64, 86)),
    "global key of Cloudflare": ("curl -H 'X-Auth-Email: a@b.c' -H 'X-Auth-Key: {}' https://x", some(HEX, 37)),
    "Fastly": ("curl -H 'Fastly-Key: {}' https://api.fastly.com/", some(URL_SAFE, 32)),
    "fragment of a URL": ("https://example.com/cb#access_token={}&token_type=bearer", some(URL_SAFE, 40)),
    "Laravel": ("APP_NAME=x\nAPP_KEY=base64:{}=\n", some(BASE64, 43)),
    "master key of Rails": ("echo {} > config/master.key", some(HEX, 32)),
    "otpauth": ("otpauth://totp/acme:bob?secret={}&issuer=acme", _BASE32),
    "key of a wallet": ("PRIVATE_KEY=0x{} npx hardhat deploy", some(HEX, 64)),
}
