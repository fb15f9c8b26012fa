"""Sixty kinds that somebody wrote down who had not seen the rules: an engineer's day in many languages."""

# ruff: noqa: E501, RUF001 - texts as they were written, with the signs of many languages

from tests.journal.secret_shapes import Maker
from tests.journal.shapes import like

FIFTH: dict[str, tuple[str, Maker]] = {
    "az login service principal": (
        "$ az login --service-principal -u 7c1b0e52-93a4-4d0f-8a6e-2f5d7b90c1e3 -p {} --tenant contoso-eu.onmicrosoft.com",
        like("0Aa0A~A0a0.AAAaa00a0~AAaAAaAa0AaAaAAAaAA"),
    ),
    "mysqldump attached -p": (
        "mysqldump --single-transaction -h db-fra-02.intern -u backup -p{} bestellungen | gzip > /backup/bestellungen.sql.gz",
        like("Aa0aaaa_aaaaaa00"),
    ),
    "ldapsearch bind password": (
        "$ ldapsearch -x -H ldaps://ldap.rheintal.example -D 'cn=svc-gitlab,ou=services,dc=rheintal,dc=example' -w {} -b dc=rheintal,dc=example '(uid=mdurand)'",
        like("aA0-aaaaAaaaaa"),
    ),
    "redis-cli -a": (
        "root@cache-0:/data# redis-cli -h redis-master.prod.svc -p 6379 -a {} INFO replication",
        like("aAa0aAa0AaAa00aa"),
    ),
    "smbclient user%pass": (
        "smbclient //nas-lyon/sauvegardes -U 'RHEINTAL\\svc_backup%{}' -c 'ls'",
        like("Aaaaaaaaa#0000"),
    ),
    "ipmitool -P": (
        "for n in 11 12 13; do ipmitool -I lanplus -H 10.40.8.$n -U ADMIN -P {} chassis power status; done",
        like("AAAAAAAAAA"),
    ),
    "xfreerdp /p:": (
        "xfreerdp /v:jump-muc01.corp.example /u:k.brandt /d:CORP /p:{} /cert:ignore +clipboard",
        like("Aaaa0aaaa+Aaaaa"),
    ),
    "openssl -passin pass:": (
        "openssl pkcs12 -in wildcard_2024.pfx -nocerts -out wildcard.key -passin pass:{} -nodes",
        like("aa0aaaaaa-AAA-aaa"),
    ),
    "keytool -storepass": (
        "keytool -importcert -noprompt -alias corp-root -file corp-root.crt -keystore /etc/kafka/truststore.jks -storepass {}",
        like("a0Aa0aAa0aAa"),
    ),
    "helm --set password": (
        "helm upgrade --install pg oci://registry-1.docker.io/bitnamicharts/postgresql -n billing \\\n  --set auth.username=billing --set auth.password={} \\\n  --set primary.persistence.size=50Gi",
        like("aAaAaaAA0aa0AaAa0aaA"),
    ),
    "kubectl from-literal": (
        "kubectl -n ingress create secret generic oauth2-proxy --from-literal=client-id=oauth2-proxy --from-literal=cookie-secret={}",
        like("a0A_aaaaA0aaaA0AAAaaaaAAa0a0aAAA"),
    ),
    "mount cifs options": (
        "sudo mount -t cifs //fs01.corp.example/builds /mnt/builds -o username=svc-ci,password={},domain=CORP,vers=3.0,uid=1000",
        like("Aaaaa.Aaaa.00"),
    ),
    "sqlplus user/pass@": (
        "oracle@ora-prd1:~$ sqlplus -s lagerverw/{}@//ora-prd1.intern:1521/LAGERPDB @check_tablespaces.sql",
        like("Aaa0aaa_Aaaa"),
    ),
    "mc alias set": (
        "mc alias set archive https://minio.strasbourg.example:9000 ci-uploader {} --api S3v4",
        like("AAaaAaAa0aaAAa00aAAAaA00aaAaaa0AaaaaAaaa"),
    ),
    "rabbitmqctl change_password": (
        "docker exec rabbit rabbitmqctl change_password commandes '{}'",
        like("aaaaa&Aaaaaaa_00"),
    ),
    "curl -u user:pass": (
        "curl -fsS -u jenkins-deploy:{} -T target/app-2.14.0.jar https://nexus.corp.example/repository/releases/com/corp/app/2.14.0/app-2.14.0.jar",
        like("a0aAa.Aaa0aa-Aaaa"),
    ),
    "vault operator init output": (
        "Unseal Key 1: {}\n\nVault initialized with 1 key shares and a key threshold of 1. Please securely\ndistribute the key shares printed above.",
        like("0AaAaaaaaa00aa0AaaaA00aA0A/AAAAAaA0AAAAAAaaa"),
    ),
    "kubeadm join token": (
        "You can now join any number of worker nodes by running the following on each as root:\n\nkubeadm join 10.20.0.10:6443 --token {} \\\n\t--discovery-token-ca-cert-hash sha256:28061add75ac7fc30fd8cb686ba3efb7791619147d51cf0ade4da1ddaf201753",
        like("aaa0a0.000aaaa0a0aaaaa0"),
    ),
    "jenkins initial admin password log": (
        "Jenkins initial setup is required. An admin user has been created and a password generated.\nPlease use the following password to proceed to installation:\n\n{}\n\nThis may also be found at: /var/jenkins_home/secrets/initialAdminPassword",
        like("h32"),
    ),
    "elasticsearch first start": (
        "ℹ️  Password for the elastic user (reset with `bin/elasticsearch-reset-password -u elastic`):\n  {}\n\nℹ️  HTTP CA certificate SHA-256 fingerprint:\n  98c7c2052878be1f76876b6950d4bb7ef47cf779fd32c409bf438a240e18eee1",
        like("AaaAaa0A*AaAa0A=aaaa"),
    ),
    "argocd initial secret decode": (
        "$ kubectl -n argocd get secret argocd-initial-admin-secret -o jsonpath='{{.data.password}}' | base64 -d; echo\n{}",
        like("00AA0AA-0aAaaaAA"),
    ),
    "kubectl secret yaml base64": (
        "apiVersion: v1\nkind: Secret\nmetadata: {{name: keycloak-db, namespace: iam}}\ndata:\n  username: a2V5Y2xvYWs=\n  password: {}",
        like("A0AaaAAaaa0Aa0aaa0AaAAA0AAa="),
    ),
    "aws sts session token json": (
        '        "AccessKeyId": "ASIAPNLEEVKRF37ZPR6W",\n        "SessionToken": "{}",\n        "Expiration": "2024-11-19T22:41:07+00:00"\n    }},',
        like(
            "AAaAa0AaA0aaA0AaAA0AaaaaAA0Aa0AAAAa/AaAa0A0+a0Aaa/AAaaAA0aAaaa+aa0aAaAAAaAAa0aAAaaAa0/0Aaaaa00AAaaaaAaaAaAaa0AAaaaAaaaaaaAaa00aAaa+AAaaAAaAaAaaaaa+AaAA00a00AA0AaAaaaAAa0aAAAAAaaa00AaaA0aaAaa000aAaa0aAA0aAAaaAaaAaAAAAA0AAAAAA0AAA00Aa0AAaaAaAaAAA0A0A/AaAaaAaa0aaa0A/0AA0aA0aAaAAaaaaAAAAaAAaAAAAAAAaA0/A0AaaAAA/aaaaaaA0aAA0a00AAAAAAaA0/Aaa0aaaAA0Aaa0AaaA0aAa0AA/aaAA00A0aAa00aaAAAaAA0aaAA0AAAAaAa0AAAAAaaAAA0AAaA0AAA0aAAA0aaAaaaaAaaa0A00A0aAa00a0AaaAaAaaaaA00A"
        ),
    ),
    "tfstate random_password": (
        '      "type": "random_password",\n      "name": "rds_master",\n      "instances": [ {{ "attributes": {{ "length": 24, "special": true,\n            "result": "{}",',
        like("aA0#aa!Aa0Aa_0Aa%aAa0aA]"),
    ),
    "bitlocker recovery manage-bde": (
        "C:\\> manage-bde -protectors -get C:\n    Numerical Password:\n      ID: {{5E1C0D7A-4B83-4F2E-9C61-A07D3B92F614}}\n      Password:\n        {}",
        like("000000-000000-000000-000000-000000-000000-000000-000000"),
    ),
    "curl -v session cookie": (
        "< HTTP/2 302\n< location: /dashboard\n< set-cookie: grafana_session={}; Path=/; Max-Age=2592000; HttpOnly; Secure; SameSite=Lax",
        like("h32"),
    ),
    "bearer jwt request header": (
        "> GET /apis/apps/v1/namespaces/prod/deployments HTTP/2\n> Host: k8s-api.fra.corp.example:6443\n> authorization: Bearer eyJhbGciOiJSUzI1NiIsImtpZCI6InZFZ2tDU3d0bDMwOHk3VnYwZkd5RTA3ZGNhSjNzSWhJc0tCS0VUc2JqUGkifQ.{}\n> accept: application/json",
        like(
            "aaAaaAAaAaaaaAA0aAA0Aa0aaAAaaa0aaAAaAaAaAaA0aAAaa0AaAa0aAaA0aAA0AAa0AaA0AaaaAAaaaAAaAaaaaAA0aAA0Aa0aaAAaaa0aaAAaAaAaAaA0aAAaa0AaAaaaa0AaAaaaa0aaaAAaAaAaaaAaA0AaA0AaaA00AaAaa0A0AAAaaA00AAAaaA.AaaaAaaaaaAA00AaAAAaaAAAAaAAa0aAAAA0aA0AaAAAAAaAaA_a0Aa-aA0a0AAaAaaaA0aaaAa0aaA00aAaAaaaaaAa0AA0A0aAA0A_aAAaa0AAAAAA0aaAA00AaAAAaAAaa-0Aaaaa0AaAAAAA0A0aaaAa0AAAaaAaaAaa0aAAa0-AaAAAA0aaaaaAaaaA0AAAAaaa0AAAAAaAaAaaA0aAA-0A00A0A_AaAaaAA0aaaaA0AAaAAaA0A0AAa00aa0aaAaA_0aAAaaaA00AaaAAAaa0Aaa00Aa00AaA00AaAa0AaaAAaaaA00a0aAAa0AaAaA0a00Aaaaaa_aaAAAA"
        ),
    ),
    "visible prompt in expect debug": (
        'spawn ssh netadmin@sw-core-01.strasbourg\nnetadmin@sw-core-01\'s password: \nsend: sending "{}\\r" to {{ exp4 }}\nsw-core-01#',
        like("Aaéaaa.aaaaa00"),
    ),
    "jdbc url in stack trace": (
        "2024-11-18 06:12:44,881 ERROR [main] c.z.h.p.HikariPool - Exception during pool initialization: cannot connect to\njdbc:postgresql://pg-prd.intern:5432/rechnung?user=rechnung_app&password={}&sslmode=require",
        like("a0aaaAaaa0000"),
    ),
    "pgpass line": ("$ cat ~/.pgpass\npg-replica.lyon.example:5432:*:replicator:{}", like("a0aA0aaAa0aAa0")),
    "npmrc authToken": (
        "@corp:registry=https://registry.npmjs.org/\n//registry.npmjs.org/:_authToken=npm_{}\nalways-auth=true",
        like("aAaaAa0aaAAAaaAaaAAaAAaaAaaaaAAaAAa0"),
    ),
    "maven settings.xml": (
        "<server>\n  <id>artifactory-releases</id>\n  <username>ci-maven</username>\n  <password>{}</password>\n</server>",
        like("AAAa0AaaAAaA0AAaAAaAaAAAaAAA0aAaAaaaAA0AAAA0aaa00aaAaAaaaaaa0AAAAaaaa0Aaa"),
    ),
    "ovh.conf application_secret": (
        "[ovh-eu]\nendpoint=ovh-eu\napplication_key=30899f3f8388784b\napplication_secret={}",
        like("h32"),
    ),
    "azure storage connection string": (
        'AZURE_STORAGE_CONNECTION_STRING="DefaultEndpointsProtocol=https;AccountName=stlogsgwc01;AccountKey={};EndpointSuffix=core.windows.net"',
        like("AAaAaAaaa/00AaA0aaaAaa0aAaAAaA0AaaaaaAaAaa0AaAA/AAAaAa00aaaAAAaA0+AAaaaAaaAaAAAAaa0aAA=="),
    ),
    "wireguard PrivateKey": (
        "[Interface]\nAddress = 10.99.0.7/32\nPrivateKey = {}\nDNS = 10.99.0.1",
        like("aaAaa0+AAAAaAaAAa0AaAAaAAaaa0AAaa+AAaAAAaa0="),
    ),
    "kafka jaas": (
        'security.protocol=SASL_SSL\nsasl.mechanism=SCRAM-SHA-512\nsasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required username="stock-events" password="{}";',
        like("Aaaaa0-Aaaaaaaaa"),
    ),
    "symfony DATABASE_URL .env.local": (
        '# .env.local (prod)\nAPP_ENV=prod\nDATABASE_URL="mysql://facturation:{}@db.interne:3306/facturation?serverVersion=8.0.36&charset=utf8mb4"',
        like("A0aaaaaaa%00Aaa"),
    ),
    "ansible inventory become": (
        "[datenbanken]\ndb-str-01 ansible_host=10.31.4.21 ansible_user=deploy ansible_become_pass='{}'",
        like("Aaaa0a+Aaaaa"),
    ),
    "docker config.json auth": (
        '{{\n  "auths": {{\n    "registry.gitlab.example.fr": {{ "auth": "{}" }}\n  }}\n}}',
        like("aa0aa0AaA0a0AAAAaA0AaAA0aaAaA0AaAA=="),
    ),
    "cloud-init chpasswd": (
        "#cloud-config\nssh_pwauth: true\nchpasswd:\n  expire: false\n  users:\n    - {{name: ubuntu, password: {}, type: text}}",
        like("Aaaaaaa-Aaaaa-00"),
    ),
    "consul gossip key": (
        'datacenter = "eu-fra"\nserver     = true\nencrypt    = "{}"\nretry_join = ["10.8.0.11", "10.8.0.12"]',
        like("AAAA/aAAAA0AAAa00a0aA0AA/aaA0AA0A00aAaAAaaA="),
    ),
    "ipsec.secrets psk": (
        '# /etc/ipsec.secrets  -- tunnel Stuttgart <-> Lyon\n185.12.44.7 91.208.33.19 : PSK "{}"',
        like("a0Aa0Aa_Aaaaaa-AaaaAaa-00"),
    ),
    "java DriverManager": (
        'Connection c = DriverManager.getConnection("jdbc:oracle:thin:@ora-prd1:1521/PERSO", "paie_batch", "{}");',
        like("A0aaaaa.Aaaaaaa"),
    ),
    "python stripe key": (
        'import stripe\n\nstripe.api_key = "sk_live_{}"  # compte de production\ncharges = stripe.Charge.list(limit=100)',
        like("00AaAAa00aaAAAaaAAaAaaa0aaAAaaaAAaAaA0A0aaA0aAaA0aAaA0aAAAAAAaaaaaaAaaa0aAaAAa0aa0a0aAaAAaAaaAa0a00aA"),
    ),
    "powershell ConvertTo-SecureString": (
        "$pw   = ConvertTo-SecureString '{}' -AsPlainText -Force\n$cred = New-Object System.Management.Automation.PSCredential('CORP\\svc-sccm', $pw)\nInvoke-Command -ComputerName app-muc07 -Credential $cred -ScriptBlock {{ Restart-Service W3SVC }}",
        like("Aaaaaa!Aaa0000"),
    ),
    "sql alter role": (
        "ALTER ROLE grafana_ro WITH LOGIN PASSWORD '{}' VALID UNTIL '2025-06-30';",
        like("aaaaa-Aaa_0aA0"),
    ),
    "git remote with PAT": (
        "$ git remote -v\norigin\thttps://x-access-token:ghp_{}@github.com/rheintal-gmbh/infra-live.git (fetch)",
        like("AAAaaA0Aa0aaAAAAaaaaAaAaaAaaaA0aa0Aa"),
    ),
    "gitlab-runner register": (
        "gitlab-runner register --non-interactive --url https://gitlab.corp.example --token glrt-{} --executor kubernetes",
        like("A0AaAa00aAaaAaa0aaAa"),
    ),
    "slack webhook url": (
        "- name: notify\n  run: |\n    curl -X POST -H 'Content-type: application/json' --data '{{\"text\":\"deploy ok\"}}' https://hooks.slack.com/services/T02QMAB15KE/B055HKK7B71/{}",
        like("a0A0AA0a0aA0AaaA00A0AAAA"),
    ),
    "azure SAS url": (
        'azcopy copy ./dump.bak "https://stbackupgwc.blob.core.windows.net/sql/dump.bak?sv=2022-11-02&sr=c&sp=rwl&se=2025-01-31T23:59:59Z&sig={}"',
        like("a0AAAA0aAAaa0aaaaaAa0AAaaAAAaAAA0aAAaAa0AAA%0A"),
    ),
    "openssh private key body": (
        "-----BEGIN OPENSSH PRIVATE KEY-----\n{}\n-----END OPENSSH PRIVATE KEY-----",
        like(
            "a0AaaaAaaA0aAAaaaaAAAAAAAA0aaaAAAAAAaa0aAAAAAAAAAAAAAAAAAaAAAAaaa0aaAA\nAaAAAaAAAAAAAaAaAaAAAa0aaaaAaA00aAaaAAA+AaaaAA0AAa00A00AAAAAaAaAAaaaAa\nAaAAAAaaa0aaAAAaAAAaAAAAAAAaAaAaAAAa0aaaaAaA00aAaaAAA+AaaaAA0AAa00A00A\nAAAAA0Aa0AAa0aAAaaaaAAaAAAAaaAaAA0aaaa+0aaA0aAAA0A0A00AAaaAAaAaaaaaAaa\nAAAa0a+Aa0AaaaaaAaaaAAAAAaAaaAaaaAAaAAA0aA0aAAA0aaAAAa=="
        ),
    ),
    "cisco snmp rw community": (
        "sw-core-01(config)# snmp-server location Strasbourg DC2 rack 14\nsw-core-01(config)# snmp-server community {} RW 98",
        like("aaaaa0aa0aa"),
    ),
    "German chat": (
        "Moin Jens, der Vault-Admin ist neu aufgesetzt. Zugang: Benutzer opsadmin, das Kennwort lautet {} – bitte nach dem ersten Login ändern.",
        like("Aaaaaaaaa-0000a"),
    ),
    "French mail": (
        "Bonjour Claire,\nj'ai réinitialisé ton accès au bastion. Ton mot de passe provisoire est {}, tu devras le changer à la première connexion.\nBonne journée, Hugo",
        like("Aa0aa-Aaaaaaaaaa"),
    ),
    "Spanish chat": (
        "oye, para entrar al panel de Proxmox usa root y la contraseña {}, la otra ya no funciona desde ayer",
        like("aaaaaa-Aaaa_00"),
    ),
    "Polish chat": (
        "Cześć, hasło do konta serwisowego svc-zabbix na produkcji to {} , wrzuć je proszę do sejfu",
        like("Aaaa.Aaaaaaaaaa0"),
    ),
    "Italian wifi note": (
        "Per la sala server di Torino la rete è DC-TORINO-MGMT, la chiave Wi-Fi è {} (non darla agli ospiti!)",
        like("aaaaaaaa0000aaaa"),
    ),
    "Turkish chat": (
        "Selam, test değil canlı veritabanının şifresi: {} — kullanıcı adı rapor_okuma, port 5433",
        like("Aaaaaaaaa.aaaaa0"),
    ),
    "Japanese chat": (
        "お疲れさまです。本番踏み台サーバーのパスワードは {} です。ユーザー名は ops-jp のままです。",
        like("Aaaaaa#Aaaa_0000"),
    ),
    "Portuguese recovery code": (
        "Perdi o telemóvel, por isso entrei no GitHub da empresa com um código de recuperação. Ainda sobra este, guarda-o bem: {}",
        like("aaaa0-0aaaa"),
    ),
}
