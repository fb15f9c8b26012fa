"""Sixty more, after the second sixty: the check that what was learned is not only these lists."""

# ruff: noqa: RUF001 - one to a line, in many languages

from random import Random

from tests.journal.fresh_first import identifier, password
from tests.journal.fresh_second import plain_word
from tests.journal.secret_shapes import ALNUM, BASE64, HEX, URL_SAFE, Maker, parts, some


def wifi(chance: Random) -> str:
    return chance.choice(("blue", "Haus", "nube")) + some(ALNUM, 8)(chance)


THIRD: dict[str, tuple[str, Maker]] = {
    # clouds
    "IBM": ("ibmcloud login --apikey {} -r eu-de", some(URL_SAFE, 44)),
    "Oracle": ("oci iam customer-secret-key create; secret_key={}", some(BASE64, 44)),
    "Hetzner": ("HCLOUD_TOKEN={} hcloud server list", some(ALNUM, 64)),
    "Linode": ("[DEFAULT]\ntoken = {}\nregion = eu\n", some(HEX, 64)),
    "OVH": ("application_secret={}\nconsumer_key=x\n", some(ALNUM, 32)),
    "Backblaze": ("b2 authorize-account 0012345 {}", parts("K001", some(ALNUM, 27))),
    "Wasabi": ("aws --endpoint-url https://s3.wasabisys.com configure set aws_secret_access_key {}", some(ALNUM, 40)),
    "Azure storage": ("az storage blob upload --account-name x --account-key {}== -f y", some(BASE64, 86)),
    "Azure connection": (
        "Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey={}=",
        some(BASE64, 43),
    ),
    "Google, gcloud": ("gcloud secrets versions add db --data-file=- <<< '{}'", password),
    "AWS, RDS": ("aws rds create-db-instance --master-username root --master-user-password {}", password),
    "AWS, in a table": (
        "| AccessKeyId | SecretAccessKey |\n|---|---|\n| AKIA" + "Q4" * 8 + " | {} |\n",
        some(BASE64, 40),
    ),
    # build
    "GitLab variable": ('curl --form "key=DB_PASS" --form "value={}" https://gitlab/api', password),
    "CircleCI": ("curl -H 'Circle-Token: {}' https://circleci.com/api/v2/me", some(HEX, 40)),
    "Travis": ("travis encrypt DEPLOY_KEY={} --add", some(ALNUM, 24)),
    "Drone": ("drone secret add --repository a/b --name token --data {}", some(ALNUM, 32)),
    "Sonar": ("sonar-scanner -Dsonar.login={}", some(HEX, 40)),
    "Maven": ("mvn deploy -Dgpg.passphrase={}", plain_word),
    "cargo": ('[registry]\ntoken = "{}"\n', some(ALNUM, 32)),
    "PyPI": ("[pypi]\nusername = bob\npassword = {}\n", password),
    "Docker build": ("docker build --build-arg NPM_TOKEN={} .", identifier),
    "ARG": ("FROM node\nARG GITHUB_TOKEN={}\nRUN x\n", some(HEX, 40)),
    "kubectl set env": ("kubectl set env deploy/x DB_PASSWORD={}", password),
    "sealed": ("kubectl create secret generic x --from-literal=username=a --from-literal=pass={}", plain_word),
    "argocd": ("argocd login x --username admin --password {}", password),
    "Terraform output": ('db_password = "{}"\nregion = "eu"\n', plain_word),
    "Terraform plan": ('      + password             = "{}"\n      + user = "x"\n', password),
    "ansible-vault": ("ansible-vault encrypt_string '{}' --name 'db_password'", password),
    "Puppet": ("class {{ 'mysql::server': root_password => '{}' }}", password),
    "Chef": ("default['postgresql']['password']['postgres'] = '{}'", password),
    # data
    "pgbouncer": ('"bob" "{}"\n"ann" "md5x"\n', parts("md5", some(HEX, 32))),
    "psql, role": ("ALTER USER bob WITH ENCRYPTED PASSWORD '{}';", plain_word),
    "mysql, set": ("SET PASSWORD FOR 'root'@'localhost' = PASSWORD('{}');", password),
    "Mongo shell": ('db.createUser({{user: "bob", pwd: "{}", roles: []}})', password),
    "Redis URL": ("REDIS_URL=rediss://default:{}@x.upstash.io:6379", some(ALNUM, 40)),
    "Kafka": ("kcat -b x -X sasl.mechanisms=PLAIN -X sasl.username=u -X sasl.password={}", password),
    "RabbitMQ": ("rabbitmqadmin -u admin -p {} list queues", password),
    "Neo4j": ("NEO4J_AUTH=neo4j/{}", password),
    "Influx": ("influx write --token {}== --org x", some(BASE64, 86)),
    "Elastic cloud": ("ELASTIC_PASSWORD={}\nKIBANA_PASSWORD=x\n", some(ALNUM, 24)),
    "SQLAlchemy": ("create_engine('mysql+pymysql://root:{}@localhost/db')", password),
    "ODBC": ("DRIVER={{ODBC Driver 18}};SERVER=x;UID=sa;PWD={}", password),
    "pymysql": ("pymysql.connect(host='x', user='root', passwd='{}')", plain_word),
    "JDBC": ('DriverManager.getConnection("jdbc:mysql://x/db", "root", "{}")', password),
    # talking
    "Slack signing": ("SLACK_SIGNING_SECRET={}", some(HEX, 32)),
    "Discord": ("client.login('{}')", parts("MT", some(ALNUM, 22), ".", some(ALNUM, 6), ".", some(URL_SAFE, 38))),
    "Twilio": ("TWILIO_AUTH_TOKEN={}", some(HEX, 32)),
    "LINE": ("LINE_CHANNEL_ACCESS_TOKEN={}=", some(BASE64, 170)),
    "WhatsApp": (
        "curl -H 'Authorization: Bearer {}' https://graph.facebook.com/v19.0/1/messages",
        parts("EAA", some(ALNUM, 180)),
    ),
    "SMTP in Python": ("server.login('bob@example.com', '{}')", password),
    "msmtp": ("account default\nhost smtp.x\nuser bob\npassword {}\n", password),
    # people
    "Slack message": ("hey, vpn pw is {} - don't tell", password),
    "Dutch": ("Het wachtwoord is {}", password),
    "Polish": ("Hasło do bazy: {}", password),
    "Turkish": ("Veritabanı şifresi: {}", password),
    "German, API": ("Der API-Schlüssel lautet {}", some(ALNUM, 40)),
    "French, key": ("Voici la clé API : {}", some(ALNUM, 40)),
    "Wi-Fi": ("WIFI:T:WPA;S:Home;P:{};;", wifi),
    "ESP-IDF": ('CONFIG_ESP_WIFI_PASSWORD="{}"\n', wifi),
    "Nextcloud": ("'dbpassword' => '{}',\n'installed' => true,\n", some(ALNUM, 30)),
}
