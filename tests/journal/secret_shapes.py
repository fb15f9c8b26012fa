"""Tokens that are known by their own looks, made up from what their services document about them.

Every maker gets a source of chance, so that no secret stands in the repository.
"""

import base64
import string
from collections.abc import Callable
from random import Random

ALNUM = string.ascii_letters + string.digits
LOWER = string.ascii_lowercase + string.digits
UPPER = string.ascii_uppercase + string.digits
HEX = "0123456789abcdef"
URL_SAFE = ALNUM + "-_"
BASE64 = ALNUM + "+/"

Maker = Callable[[Random], str]


def some(alphabet: str, length: int) -> Maker:
    """Of the given length, with a letter and a digit in it as nearly all have."""

    def make(chance: Random) -> str:
        body = [chance.choice(alphabet) for _ in range(length)]
        letters, digits = [c for c in alphabet if c.isalpha()], [c for c in alphabet if c.isdigit()]
        spots = chance.sample(range(length), 2)
        for spot, kind in zip(spots, (letters, digits), strict=True):
            if kind:
                body[spot] = chance.choice(kind)
        return "".join(body)

    return make


def after(prefix: str, alphabet: str, length: int, *, end: str = "") -> Maker:
    body = some(alphabet, length)
    return lambda chance: prefix + body(chance) + end


def parts(*makers: Maker | str) -> Maker:
    return lambda chance: "".join(maker if isinstance(maker, str) else maker(chance) for maker in makers)


def encoded(what: Maker) -> Maker:
    return lambda chance: base64.b64encode(what(chance).encode()).decode().rstrip("=")


def _jwt(chance: Random) -> str:
    head = encoded(lambda _: '{"alg":"HS256","typ":"JWT"}')(chance)
    body = encoded(lambda c: f'{{"sub":"{c.randrange(10**9)}","iat":{c.randrange(10**9)}}}')(chance)
    return f"{head}.{body}.{some(URL_SAFE, 43)(chance)}"


TOKENS: dict[str, Maker] = {
    "1password service account": after("ops_eyJ", ALNUM, 250),
    "1password secret key": parts("A3-", *(some(UPPER, 6), "-"), some(UPPER, 6), *("-", some(UPPER, 5)) * 4),
    "adafruit": after("aio_", ALNUM, 28),
    "adobe": after("p8e-", ALNUM, 32),
    "age": after("AGE-SECRET-KEY-1", UPPER, 58),
    "airtable": parts(after("pat", ALNUM, 14), ".", some(HEX, 64)),
    "aiven": after("AVNS_", URL_SAFE, 18, end="x"),
    "alibaba": after("LTAI", ALNUM, 20),
    "anthropic": after("sk-ant-api03-", URL_SAFE, 93, end="AA"),
    "anthropic admin": after("sk-ant-admin01-", URL_SAFE, 93, end="AA"),
    "apify": after("apify_api_", ALNUM, 36),
    "artifactory": after("AKCp8", ALNUM, 68),
    "asana": parts("1/", some(string.digits, 16), ":", some(HEX, 32)),
    "asana new": parts("2/", some(string.digits, 16), "/", some(string.digits, 16), ":", some(HEX, 32)),
    "atlassian": after("ATATT3xFfGF0", URL_SAFE, 170, end="=1A2B3C4D"),
    "atlassian connect": after("ATCTT3xFfGN0", URL_SAFE, 170, end="=1A2B3C4D"),
    "aws access key id": after("AKIA", string.ascii_uppercase + "234567", 16),
    "aws bedrock": after("ABSK", BASE64, 120, end="=="),
    "azure client secret": parts(some(ALNUM, 3), "8Q~", some(ALNUM + "_~.-", 33), "x"),
    "azure devops": parts(some(ALNUM, 76), "AZDO", some(ALNUM, 4)),
    "bitbucket": after("ATBB", ALNUM, 32),
    "brevo": parts("xkeysib-", some(HEX, 64), "-", some(ALNUM, 16)),
    "buildkite": after("bkua_", HEX, 40),
    "cerebras": after("csk-", LOWER, 48),
    "circleci": parts("CCIPAT_", some(ALNUM, 22), "_", some(HEX, 40)),
    "clickup": parts("pk_", some(string.digits, 8), "_", some(UPPER, 32)),
    "clojars": after("CLOJARS_", HEX, 60),
    "cloudflare": after("cfut_", ALNUM, 48),
    "cloudflare origin ca": parts("v1.0-", some(HEX, 24), "-", some(HEX, 146)),
    "contentful": after("CFPAT-", URL_SAFE, 43),
    "crates.io": after("cio", ALNUM, 32),
    "cursor": after("key_", HEX, 64),
    "databricks": after("dapi", HEX, 32),
    "digitalocean": after("dop_v1_", HEX, 64),
    "discord bot": parts("MT", some(ALNUM, 24), ".G", some(ALNUM, 5), ".", some(URL_SAFE, 38)),
    "docker hub": after("dckr_pat_", URL_SAFE, 27),
    "doppler": after("dp.pt.", ALNUM, 43),
    "dropbox": after("sl.B", URL_SAFE, 136),
    "duffel": after("duffel_live_", URL_SAFE, 43),
    "dynatrace": parts("dt0c01.", some(UPPER, 24), ".", some(UPPER, 64)),
    "e2b": after("e2b_", HEX, 40),
    "easypost": after("EZAK", ALNUM, 54),
    "elevenlabs": after("sk_", HEX, 48),
    "facebook": after("EAAC", ALNUM, 120),
    "figma": after("figd_", URL_SAFE, 40),
    "firecrawl": after("fc-", HEX, 32),
    "fireworks": after("fw_", ALNUM, 24),
    "flutterwave": after("FLWSECK_TEST-", HEX, 32, end="-X"),
    "fly": after("fm2_", BASE64, 150),
    "fly oauth": after("fo1_", URL_SAFE, 43),
    "frame.io": after("fio-u-", URL_SAFE, 64),
    "github": after("ghp_", ALNUM, 36),
    "github fine-grained": parts("github_pat_", some(ALNUM, 22), "_", some(ALNUM, 59)),
    "gitlab": after("glpat-", URL_SAFE, 20),
    "gitlab agent": after("glagent-", URL_SAFE, 50),
    "google api": after("AIza", URL_SAFE, 35),
    "google oauth": after("ya29.a0", URL_SAFE, 150),
    "google oauth client": after("GOCSPX-", URL_SAFE, 28),
    "google refresh": after("1//0", URL_SAFE, 98),
    "grafana": parts("glsa_", some(ALNUM, 32), "_", some(HEX, 8)),
    "grafana cloud": after("glc_eyJ", BASE64, 100),
    "groq": after("gsk_", ALNUM, 52),
    "harness": parts("pat.", some(URL_SAFE, 22), ".", some(ALNUM, 24), ".", some(ALNUM, 20)),
    "heroku": after("HRKU-AA", URL_SAFE, 58),
    "hubspot": parts("pat-na1-", some(HEX, 8), *("-", some(HEX, 4)) * 3, "-", some(HEX, 12)),
    "hugging face": after("hf_", ALNUM, 34),
    "infracost": after("ico-", ALNUM, 32),
    "inngest": after("signkey-prod-", HEX, 64),
    "jina": parts("jina_", some(HEX, 32), some(URL_SAFE, 28)),
    "jwt": _jwt,
    "langsmith": parts("lsv2_pt_", some(HEX, 32), "_", some(HEX, 10)),
    "linear": after("lin_api_", ALNUM, 40),
    "lob": after("live_", HEX, 35),
    "mailchimp": parts(some(HEX, 32), "-us12"),
    "mailersend": after("mlsn.", HEX, 64),
    "mailgun": after("key-", HEX, 32),
    "mailgun new": parts(some(HEX, 32), "-", some(HEX, 8), "-", some(HEX, 8)),
    "mapbox": parts("sk.eyJ", some(ALNUM, 60), ".", some(URL_SAFE, 22)),
    "neon": after("napi_", LOWER, 64),
    "netlify": after("nfp_", ALNUM, 36),
    "new relic": after("NRAK-", UPPER, 27),
    "new relic license": after("", HEX, 36, end="NRAL"),
    "ngrok": parts("2", some(ALNUM, 26), "_", some(ALNUM, 21)),
    "notion": after("ntn_", ALNUM, 46),
    "npm": after("npm_", ALNUM, 36),
    "nuget": after("oy2", LOWER, 43),
    "nvidia": after("nvapi-", URL_SAFE, 64),
    "octopus": after("API-", UPPER, 26),
    "openai": after("sk-", ALNUM, 48),
    "openai project": after("sk-proj-", URL_SAFE, 120),
    "openrouter": after("sk-or-v1-", HEX, 64),
    "openshift": after("sha256~", URL_SAFE, 43),
    "paypal braintree": parts("access_token$production$", some(LOWER, 16), "$", some(HEX, 32)),
    "perplexity": after("pplx-", ALNUM, 48),
    "pinecone": parts("pcsk_", some(ALNUM, 6), "_", some(ALNUM, 63)),
    "plaid": parts("access-production-", some(HEX, 8), *("-", some(HEX, 4)) * 3, "-", some(HEX, 12)),
    "planetscale": after("pscale_tkn_", URL_SAFE, 43),
    "posthog": after("phx_", ALNUM, 43),
    "postman": parts("PMAK-", some(HEX, 24), "-", some(HEX, 34)),
    "prefect": after("pnu_", ALNUM, 36),
    "pulumi": after("pul-", HEX, 40),
    "pypi": after("pypi-AgEIcHlwaS5vcmc", URL_SAFE, 120),
    "readme": after("rdme_", LOWER, 70),
    "render": after("rnd_", ALNUM, 32),
    "replicate": after("r8_", ALNUM, 37),
    "resend": parts("re_", some(ALNUM, 8), "_", some(ALNUM, 24)),
    "rubygems": after("rubygems_", HEX, 48),
    "runpod": after("rpa_", UPPER, 42),
    "scaleway": after("SCW", UPPER, 17),
    "sendgrid": parts("SG.", some(URL_SAFE, 22), ".", some(URL_SAFE, 43)),
    "sentry org": parts("sntrys_eyJpYXQiO", some(BASE64, 90), "_", some(BASE64, 43)),
    "sentry user": after("sntryu_", HEX, 64),
    "shippo": after("shippo_live_", HEX, 40),
    "shopify": after("shpat_", HEX, 32),
    "shopify shared": after("shpss_", HEX, 32),
    "slack app": parts("xapp-1-A", some(UPPER, 10), "-", some(string.digits, 13), "-", some(HEX, 64)),
    "slack bot": parts("xoxb-", some(string.digits, 12), "-", some(string.digits, 12), "-", some(ALNUM, 24)),
    "snyk service": parts("snyk_sat.", some(HEX, 8), ".", some(URL_SAFE, 40), ".", some(URL_SAFE, 39), "x"),
    "snyk": parts("snyk_uat.", some(HEX, 8), ".", some(URL_SAFE, 80)),
    "sonarqube": after("squ_", HEX, 40),
    "sonarqube project": after("sqp_", HEX, 40),
    "sourcegraph": parts("sgp_", some(HEX, 16), "_", some(HEX, 40)),
    "square": after("sq0atp-", URL_SAFE, 22),
    "square secret": after("sq0csp-", URL_SAFE, 43),
    "square access": after("EAAAE", URL_SAFE, 59),
    "stripe": after("sk_live_", ALNUM, 24),
    "stripe restricted": after("rk_live_", ALNUM, 99),
    "stripe webhook": after("whsec_", ALNUM, 32),
    "supabase": after("sbp_", HEX, 40),
    "supabase secret": after("sb_secret_", URL_SAFE, 31),
    "tailscale": parts("tskey-auth-k", some(ALNUM, 10), "CNTRL-", some(ALNUM, 32)),
    "tavily": after("tvly-dev-", ALNUM, 32),
    "telegram": parts(some(string.digits, 10), ":AA", some(URL_SAFE, 33)),
    "terraform cloud": parts(some(ALNUM, 14), ".atlasv1.", some(URL_SAFE, 67)),
    "tencent": after("AKID", ALNUM, 32),
    "together": after("tgp_v1_", URL_SAFE, 43),
    "trello": parts("ATTA", some(HEX, 64), some(UPPER, 8)),
    "twilio": after("SK", HEX, 32),
    "twitter": parts("A" * 21, some(ALNUM, 40), "%3D", some(ALNUM, 40)),
    "typeform": after("tfp_", ALNUM, 44),
    "vault": after("hvs.", URL_SAFE, 95),
    "vault batch": after("hvb.", URL_SAFE, 140),
    "vercel": after("vcp_", ALNUM, 56),
    "vercel blob": parts("vercel_blob_rw_", some(ALNUM, 16), "_", some(ALNUM, 30)),
    "volcengine": after("AKLT", ALNUM, 44),
    "weights and biases": after("wandb_v1_", URL_SAFE, 77),
    "xai": after("xai-", ALNUM, 80),
    "yandex": after("AQVN", URL_SAFE, 38),
    "zoho": parts("1000.", some(HEX, 32), ".", some(HEX, 32)),
    "zapier hook": parts("https://hooks.zapier.com/hooks/catch/", some(string.digits, 7), "/", some(LOWER, 24), "/"),
    "slack hook": parts(
        "https://hooks.slack.com/services/T", some(UPPER, 8), "/B", some(UPPER, 8), "/", some(ALNUM, 24)
    ),
    "discord hook": parts("https://discord.com/api/webhooks/", some(string.digits, 18), "/", some(URL_SAFE, 68)),
    "teams hook": parts(
        "https://acme.webhook.office.com/webhookb2/",
        some(HEX, 32),
        "@",
        some(HEX, 32),
        "/IncomingWebhook/",
        some(HEX, 32),
        "/",
        some(HEX, 32),
    ),
}
"""By service."""
