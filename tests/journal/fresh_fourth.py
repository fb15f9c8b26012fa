"""What was missed of 273 more ways, again written down before a look at the rules, and is known now."""

import string
from random import Random

from tests.journal.fresh_first import password
from tests.journal.secret_shapes import ALNUM, BASE64, HEX, LOWER, URL_SAFE, Maker, parts, some

_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_SALT = some(ALNUM + "!@%^&*()-_[]~;:,.?", 60)


def jumbled(chance: Random) -> str:
    return "b4" + some(ALNUM, 14)(chance) + "Q7x"


def word_with_number(chance: Random) -> str:
    return "Hazel" + some(string.ascii_lowercase, 6)(chance) + str(chance.randint(10, 9999))


FOURTH: dict[str, tuple[str, Maker]] = {
    # prompts and tables
    "aws configure": (
        "AWS Access Key ID [None]: AKIA"
        + "Q3" * 8
        + "\nAWS Secret Access Key [None]: {}\nDefault region name [None]: x",
        some(BASE64, 40),
    ),
    "aws, a table": ("|  SecretAccessKey |  {}  |", parts("k7Q", some(ALNUM, 37))),
    "argocd": ("$ argocd admin initial-password -n argocd\n{}\n\n This password must be only used once.", password),
    "pass": ("$ pass show work/vpn\n{}", password),
    "op": ("$ op read op://prod/db/password\n{}", jumbled),
    "lpass": ("lpass show --password github.com\n{}", password),
    "master key": ("$ cat config/master.key\n{}", some(HEX, 32)),
    "new value": ("Resetting.\nNew value: {}", jumbled),
    "recovery codes": ("Recovery codes:\n  {}\n  8f3a2-b11c9", parts(some(HEX, 3), "07-", some(HEX, 3), "19")),
    "NTLM": ("Administrator:500:aad3b435b51404eeaad3b435b51404ee:{}:::", some(HEX, 32)),
    # files
    "requirepass": ("# security\nrequirepass {}\nmaxmemory 2gb", jumbled),
    "WordPress": ("define('AUTH_KEY',         '{}');", parts("a7", _SALT)),
    "WordPress, a salt": ("define('NONCE_SALT',       '{}');", parts("aq7", some(ALNUM, 40))),
    "Juniper": ("set system root-authentication plain-text-password-value {}", password),
    "preseed": ("d-i passwd/root-password password {}", password),
    "msmtp": ("user jane@acme.com\npassword {}", jumbled),
    "appsettings": ('  "Jwt": {{ "Key": "{}", "Issuer": "acme" }}', jumbled),
    "GRUB": (
        "grub.pbkdf2.sha512.10000.{}",
        parts(some(HEX[:10] + "ABCDEF", 128), ".", some(HEX[:10] + "ABCDEF", 128)),
    ),
    # programs
    "nuget": ("dotnet nuget add source https://x/v3/index.json -n acme -u jane -p {} --store-password", password),
    "knife": ("knife bootstrap 10.1.1.1 -U Administrator -P '{}' -N web1", password),
    "openssl": ("openssl passwd -6 {}", password),
    "mkpasswd": ("mkpasswd -m sha-512 {}", password),
    "swaks": ("swaks -to a@b.c -s mail -au jane -ap {}", password),
    "conan": ("conan remote login acme jane -p {}", password),
    "racadm": ("racadm -r 10.0.0.9 -u root -p {} getsysinfo", jumbled),
    "bundle": ("bundle config set --global gems.acme.com jane:{}", jumbled),
    "skopeo": ("skopeo copy --src-creds jane:{} docker://a docker://b", jumbled),
    "az": ("az keyvault secret set --vault-name kv --name db --value {}", password),
    "oathtool": ("oathtool --totp -b {}", parts("A2", some(string.ascii_uppercase + "234567", 30))),
    "influx": ('influx write -b x -o y -t {}== "m v=1"', some(URL_SAFE, 86)),
    "bitcoin": ("bitcoin-cli importprivkey {}", parts("L5", some(_BASE58, 50))),
    "metasploit": ("use exploit/x\nset SMBPass {}", jumbled),
    # pipes and files of two lines
    "wrangler": ("echo {} | wrangler secret put STRIPE_KEY", jumbled),
    "cryptsetup": ("echo -n '{}' | cryptsetup luksOpen /dev/sdb1 data -", password),
    "gcloud": ("printf '{}' | gcloud secrets create db-pass --data-file=-", password),
    "vncpasswd": ("echo '{}' | vncpasswd -f > ~/.vnc/passwd", some(LOWER, 8)),
    "openvpn": ("cat > auth.txt <<EOF\njane\n{}\nEOF\nopenvpn --auth-user-pass auth.txt", password),
    "expect": ('expect "assword:"\nsend "{}\\r"', password),
    # talking
    "FTP": ("> USER jane\n< 331\n> PASS {}\n< 230", jumbled),
    "NickServ": ("/msg NickServ IDENTIFY {}", jumbled),
    "a PIN": ("The PIN of the HSM is {}.", some("123456789", 6)),
    "in a chat": ("Use jane / {} to log in to the staging box.", jumbled),
    # code
    "requests": ("requests.get(url, auth=('jane', '{}'))", password),
    "SMTP": ("server.login('jane@acme.com', '{}')", some(string.ascii_lowercase, 16)),
    "OAuth": ("GET /callback?code={}&state=xyz HTTP/1.1", parts("4/0A", some(URL_SAFE, 60), "x7")),
    "xprv": ("{}", parts("xprv9s21ZrQH143K", some(_BASE58, 95))),
    # two more lists of sixty
    "German": ("Benutzer root, das Passwort lautet {}. Bitte installiere dort nginx.", word_with_number),
    "Russian": ("зайди на сервер под deploy, пароль {}, и посмотри логи", word_with_number),
    "French": ("utilisateur lecture, le mot de passe c'est {}, et regarde la table", word_with_number),
    "before the word": ("use admin and {} as the password, then run the migrations", word_with_number),
    "java.sql": ('DriverManager.getConnection("jdbc:oracle:thin:@db:1521/ORCL", "scott", "{}");', word_with_number),
    "Go's smtp": ('smtp.PlainAuth("", "bot@example.com", "{}", "smtp.example.com")', jumbled),
    "Go's drivers": ('sql.Open("mysql", "app:{}@tcp(127.0.0.1:3306)/shop?parseTime=true")', jumbled),
    "PDO": ("new PDO('mysql:host=localhost;dbname=shop', 'shop', '{}', [PDO::ATTR_ERRMODE => 2]);", jumbled),
    "the line after": ("Password for the elastic user (reset with `x`):\n  {}\n", jumbled),
}
