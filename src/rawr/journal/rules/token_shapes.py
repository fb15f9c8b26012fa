"""Tokens that are known by their own form: which service, what they begin with, what follows.

The table holds all the knowledge; a new service is a new line. A shape must be rare in ordinary text by itself, because
its surroundings are not checked: a prefix that is also a word needs letters and digits after it (``random``).
"""

import re
from typing import NamedTuple

from rawr.journal.rules.rule import Found, Pattern, Rule, behind
from rawr.journal.values import is_irregular, looks_random

_ALNUM = "[A-Za-z0-9]"
_URL_SAFE = "[A-Za-z0-9_-]"
_BASE64 = "[A-Za-z0-9+/]"
_HEX = "[0-9a-fA-F]"
_UPPER = "[A-Z0-9]"


class Shape(NamedTuple):
    kind: str
    clues: str
    """Words in lower case; every token contains one of them."""
    pattern: str
    """One pattern, or several separated by `` | ``."""
    random: bool = False
    irregular: bool = False
    """Otherwise it could be a name of several words."""
    bare: bool = False
    """Letters and digits from the start, so that it could occur in the middle of base64 or of a path."""


SHAPES: tuple[Shape, ...] = (
    # -- models --
    Shape("api-key", "sk-", rf"sk-{_URL_SAFE}{{16,}}", random=True),
    Shape("cerebras-key", "csk-", rf"csk-{_ALNUM}{{40,}}", random=True),
    Shape("cursor-key", "key_", rf"key_{_HEX}{{64}}"),
    Shape("e-two-b-key", "e2b_", rf"e2b_{_HEX}{{40}}"),
    Shape("elevenlabs-key", "sk_", rf"sk_{_HEX}{{48}}"),
    Shape("fireworks-key", "fw_", rf"fw_{_ALNUM}{{20,}}", random=True),
    Shape("groq-key", "gsk_", rf"gsk_{_ALNUM}{{20,}}", random=True),
    Shape("hugging-face-token", "hf_ api_org_", rf"hf_{_ALNUM}{{20,}} | api_org_{_ALNUM}{{20,}}", random=True),
    Shape("jina-key", "jina_", rf"jina_{_HEX}{{32}}{_URL_SAFE}{{20,}}"),
    Shape("langsmith-key", "lsv2_", rf"lsv2_(?:pt|sk)_{_ALNUM}{{16,}}(?:_{_ALNUM}+)?"),
    Shape("nvidia-key", "nvapi-", rf"nvapi-{_URL_SAFE}{{20,}}", random=True),
    Shape("perplexity-key", "pplx-", rf"pplx-{_ALNUM}{{20,}}", random=True),
    Shape("pinecone-key", "pcsk_", rf"pcsk_{_ALNUM}{{4,8}}_{_ALNUM}{{40,}}"),
    Shape("replicate-token", "r8_", rf"r8_{_ALNUM}{{20,}}", random=True),
    Shape("runpod-key", "rpa_", rf"rpa_{_UPPER}{{36,}}[a-z0-9]{{0,8}}", random=True),
    Shape("tavily-key", "tvly-", rf"tvly-(?:[a-z]{{3,5}}-)?{_ALNUM}{{28,}}", random=True),
    Shape("together-key", "tgp_v1_", rf"tgp_v1_{_URL_SAFE}{{40,}}"),
    Shape("wandb-key", "wandb_v1_", rf"wandb_v1_{_URL_SAFE}{{20,}}", random=True),
    Shape("xai-key", "xai-", rf"xai-{_ALNUM}{{20,}}", random=True),
    # -- code and packages --
    Shape("github-token", "gh github_pat_", rf"gh[pousr]_{_ALNUM}{{16,}} | github_pat_[A-Za-z0-9_]{{16,}}"),
    Shape(
        "gitlab-token",
        "gl",
        rf"gl(?:pat|[dfr]t|rtr|ptt|cbt|soat|agent|imt|oas|ffct|wt)-[A-Za-z0-9_.-]{{15,}}{_URL_SAFE}",
    ),
    Shape("bitbucket-token", "atbb", rf"ATBB{_ALNUM}{{24,}}", bare=True),
    Shape("atlassian-token", "att3 ctt3", rf"AT[AC]TT3{_URL_SAFE}{{20,}}=?{_ALNUM}*", bare=True),
    Shape("npm-token", "npm_", rf"npm_{_ALNUM}{{20,}}", random=True),
    Shape("pypi-token", "pypi-", rf"pypi-(?:AgE{_URL_SAFE}{{13,}}|{_URL_SAFE}{{32,}})", random=True),
    Shape("rubygems-key", "rubygems_", rf"rubygems_{_HEX}{{32,}}"),
    Shape("crates-token", "cio", rf"cio{_ALNUM}{{32}}", random=True, bare=True),
    Shape("nuget-key", "oy2", r"oy2[a-z0-9]{43}", bare=True),
    Shape("clojars-token", "clojars_", rf"CLOJARS_{_HEX}{{60}}"),
    Shape("artifactory-key", "akcp", rf"AKCp{_ALNUM}{{40,}}", random=True, bare=True),
    Shape("sourcegraph-token", "sgp_", rf"sgp_(?:{_HEX}{{16}}_)?{_HEX}{{40}}"),
    Shape("sonar-token", "sq", rf"sq[aup]_{_HEX}{{40}}"),
    Shape("snyk-token", "snyk_", rf"snyk_[a-z]{{3}}\.{_ALNUM}{{4,}}(?:\.{_URL_SAFE}{{16,}})+"),
    # -- building and running --
    Shape("apify-token", "apify_api_", rf"apify_api_{_ALNUM}{{32,}}"),
    Shape("azure-devops-token", "azdo", rf"{_ALNUM}{{76}}AZDO{_ALNUM}{{4}}", bare=True),
    Shape("buildkite-token", "bk", rf"bk[a-z]{{2}}_{_ALNUM}{{32,}}", random=True),
    Shape("circleci-token", "ccip", rf"CCIP(?:AT|RJ)_{_ALNUM}{{16,}}_{_HEX}{{40}}"),
    Shape("docker-token", "dckr_", rf"dckr_[po]at_{_URL_SAFE}{{20,}}"),
    Shape("digitalocean-token", "_v1_", rf"do[opr]_v1_{_ALNUM}{{16,}}"),
    Shape("aiven-password", "avns_", rf"AVNS_{_URL_SAFE}{{19}}"),
    Shape("doppler-token", "dp.", rf"dp\.[a-z]{{2,5}}\.(?:[a-z0-9_-]{{1,40}}\.)?{_ALNUM}{{40,44}}"),
    Shape(
        "fly-token",
        "fo1_ fm",
        rf"fo1_{_URL_SAFE}{{40,}} | fm[12][ar]?_{_BASE64}{{60,}}=*(?:,fm[12][ar]?_{_BASE64}{{60,}}=*)*",
    ),
    Shape("firecrawl-key", "fc-", rf"fc-{_HEX}{{32}}"),
    Shape("harness-key", "at.", rf"[ps]at\.{_URL_SAFE}{{22}}\.{_ALNUM}{{24}}\.{_ALNUM}{{20}}"),
    Shape("heroku-key", "hrku-", rf"HRKU-{_URL_SAFE}{{30,}}"),
    Shape("infracost-key", "ico-", rf"ico-{_ALNUM}{{32}}", random=True),
    Shape("inngest-key", "signkey-", rf"signkey-[a-z]{{3,12}}-{_HEX}{{32,}}"),
    Shape("neon-key", "napi_", rf"napi_{_ALNUM}{{40,}}", random=True),
    Shape("netlify-token", "nf", rf"nf[a-z]_{_ALNUM}{{36,}}", random=True),
    Shape("ngrok-token", "_", rf"[12]{_ALNUM}{{26}}_{_ALNUM}{{20,22}}", random=True, bare=True),
    Shape("octopus-key", "api-", rf"API-{_UPPER}{{26,32}}", random=True),
    Shape("openshift-token", "sha256~", rf"sha256~{_URL_SAFE}{{43}}"),
    Shape("planetscale-token", "pscale_", r"pscale_(?:tkn|pw|oauth)_[\w=.-]{24,}"),
    Shape("prefect-key", "pnu_ pnb_", rf"pn[ub]_{_ALNUM}{{36}}"),
    Shape("pulumi-token", "pul-", rf"pul-{_HEX}{{40}}"),
    Shape("render-key", "rnd_", rf"rnd_{_ALNUM}{{28,}}", random=True),
    Shape("supabase-key", "sbp_ sb_secret_", rf"sbp_{_HEX}{{40}} | sb_secret_{_URL_SAFE}{{20,}}"),
    Shape("tailscale-key", "tskey-", rf"tskey-[a-z]{{3,12}}-{_ALNUM}{{6,}}-{_ALNUM}{{16,}}"),
    Shape("terraform-token", ".atlasv1.", rf"{_ALNUM}{{14}}\.atlasv1\.[\w=-]{{40,}}"),
    Shape("vault-token", "hv", rf"hv[bsr]\.{_URL_SAFE}{{20,}}"),
    Shape("vault-token", "s. b. r.", rf"[sbr]\.{_ALNUM}{{24}}", irregular=True, bare=True),
    Shape("vercel-token", "vc", rf"vc[a-z]_{_ALNUM}{{24,}}", random=True),
    Shape("vercel-token", "vercel_blob_rw_", rf"vercel_blob_rw_{_ALNUM}{{12,}}_{_ALNUM}{{20,}}"),
    # -- clouds --
    Shape("alibaba-key-id", "ltai", rf"LTAI{_ALNUM}{{16,20}}", random=True, bare=True),
    Shape("aws-key-id", "akia asia abia acca", r"A(?:[KS]IA|BIA|CCA)[A-Z0-9]{16}", bare=True),
    Shape(
        "aws-bedrock-key",
        "absk bedrock-api-key-",
        rf"ABSK{_BASE64}{{60,}}=* | bedrock-api-key-{_BASE64}{{60,}}=*",
        bare=True,
    ),
    Shape("azure-secret", "q~", r"[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,34}"),
    Shape("cloudflare-token", "cf", rf"cf(?:k|ut|at)_{_ALNUM}{{40,}}", random=True),
    Shape("cloudflare-key", "v1.0-", rf"v1\.0-{_HEX}{{24}}-{_HEX}{{100,}}"),
    Shape("databricks-token", "dapi", rf"dapi{_HEX}{{32}}(?:-\d+)?", bare=True),
    Shape("google-key", "aiza", rf"AIza{_URL_SAFE}{{30,}}", bare=True),
    Shape("google-token", "ya29.", r"ya29\.[\w-]{30,}(?:\.[\w-]+)*"),
    Shape("google-token", "1//0", rf"1//0{_URL_SAFE}{{40,}}"),
    Shape("google-code", "4/0a", rf"4/0A{_URL_SAFE}{{30,}}", random=True),
    Shape("google-secret", "gocspx-", rf"GOCSPX-{_URL_SAFE}{{24,}}"),
    Shape("scaleway-key-id", "scw", rf"SCW{_UPPER}{{17}}", random=True, bare=True),
    Shape("tencent-key-id", "akid", rf"AKID{_ALNUM}{{32}}", random=True, bare=True),
    Shape("volcengine-key-id", "aklt", rf"AKLT{_ALNUM}{{36,}}", random=True, bare=True),
    Shape("yandex-key", "aqvn", rf"AQVN{_URL_SAFE}{{34,}}", bare=True),
    # -- watching --
    Shape("dynatrace-token", "dt0", rf"dt0[a-z]\d{{2}}\.{_UPPER}{{24}}\.{_UPPER}{{64}}"),
    Shape("grafana-token", "gl", rf"glsa_{_ALNUM}{{32}}_{_HEX}{{8}} | glc_{_BASE64}{{32,}}=*"),
    Shape("new-relic-key", "nr", rf"NR(?:AK|JS|II|IQ|SP|AL|AA)-{_ALNUM}{{20,}}", random=True),
    Shape("new-relic-key", "nral", rf"{_HEX}{{36}}NRAL", bare=True),
    Shape("posthog-key", "phc_ phx_", rf"ph[cx]_{_ALNUM}{{40,}}", random=True),
    Shape("sentry-token", "sntry", r"sntry[a-z]_[A-Za-z0-9+/=_-]{30,}"),
    # -- talking --
    Shape("brevo-key", "sib-", rf"x(?:key|smtp)sib-{_HEX}{{64}}-{_ALNUM}{{16}}"),
    Shape("discord-token", ".", rf"[MNO][A-Za-z0-9]{{23,27}}\.[A-Za-z0-9_-]{{6}}\.{_URL_SAFE}{{27,}}"),
    Shape("mailchimp-key", "-us", rf"{_HEX}{{32}}-us\d{{1,2}}", bare=True),
    Shape("mailgun-key", "key-", rf"key-{_HEX}{{32}}"),
    Shape("mailgun-key", "-", rf"{_HEX}{{32}}-{_HEX}{{8}}-{_HEX}{{8}}(?!-)"),
    Shape("mailersend-token", "mlsn.", rf"mlsn\.{_HEX}{{64}}"),
    Shape("resend-key", "re_", rf"re_{_ALNUM}{{8}}_{_ALNUM}{{24}}", random=True),
    Shape("sendgrid-key", "sg.", rf"SG\.{_URL_SAFE}{{16,}}\.{_URL_SAFE}{{16,}}"),
    Shape("slack-token", "xox xapp-", r"xox[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{8,} | xapp-\d-[A-Za-z0-9-]{20,}"),
    Shape("twilio-key", "sk", rf"SK{_HEX}{{32}}", bare=True),
    # -- paying and selling --
    Shape("easypost-key", "ez", rf"EZ[AT]K{_ALNUM}{{54}}", bare=True),
    Shape("braintree-token", "access_token", rf"access_token\\*\$[a-z]+\\*\$[0-9a-z]{{16}}\\*\${_HEX}{{32}}"),
    Shape("duffel-token", "duffel_", r"duffel_(?:live|test)_[\w=-]{40,}"),
    Shape("flutterwave-key", "flwseck", rf"FLWSECK(?:_TEST)?-{_ALNUM}{{12,}}(?:-X)?"),
    Shape("lob-key", "live_ test_", rf"live_{_HEX}{{35}} | test_{_HEX}{{35}}"),
    Shape(
        "plaid-token",
        "access-",
        rf"access-(?:production|development|sandbox)-{_HEX}{{8}}(?:-{_HEX}{{4}}){{3}}-{_HEX}{{12}}",
    ),
    Shape("shippo-token", "shippo_", rf"shippo_(?:live|test)_{_HEX}{{40}}"),
    Shape("shopify-token", "shp", rf"shp[a-z]{{2,3}}_{_HEX}{{32}}"),
    Shape(
        "square-token",
        "sq0 eaaa",
        rf"sq0[a-z]{{3}}-{_URL_SAFE}{{22,}} | EAAA{_URL_SAFE}{{50,}}",
        random=True,
        bare=True,
    ),
    Shape("stripe-key", "k_live_ k_test_ k_prod_", rf"[rs]k_(?:live|test|prod)_{_ALNUM}{{10,}}"),
    Shape("webhook-secret", "whsec_", r"whsec_[A-Za-z0-9+/_-]{16,}={0,2}", random=True),
    Shape("matrix-token", "syt_", rf"syt_{_URL_SAFE}{{4,}}_{_ALNUM}{{16,}}_{_ALNUM}{{4,}}"),
    # -- working together --
    Shape("maxmind-key", "_mmk", rf"{_ALNUM}{{6}}_{_ALNUM}{{29}}_mmk", bare=True),
    Shape("scalingo-token", "tk-us-", rf"tk-us-{_URL_SAFE}{{40,}}"),
    Shape("settlemint-token", "sm_", rf"sm_[aps]at_{_ALNUM}{{16}}"),
    Shape(
        "onepassword-token",
        "ops_eyj a3-",
        rf"ops_eyJ{_BASE64}{{60,}}=* | A3-{_UPPER}{{6}}-{_UPPER}{{6}}(?:-?{_UPPER}{{5}}){{4}}",
    ),
    Shape("adobe-secret", "p8e-", rf"p8e-{_ALNUM}{{32}}", random=True),
    Shape("adafruit-key", "aio_", rf"aio_{_ALNUM}{{28}}", random=True),
    Shape("airtable-token", "pat", rf"pat{_ALNUM}{{14}}\.{_HEX}{{64}}", bare=True),
    Shape("asana-token", ":", rf"[12]/\d{{13,20}}(?:/\d{{13,20}})?:{_HEX}{{32}}"),
    Shape("clickup-token", "pk_", rf"pk_\d{{5,12}}_{_UPPER}{{32}}"),
    Shape("contentful-token", "cfpat-", rf"CFPAT-{_URL_SAFE}{{43}}"),
    Shape("dropbox-token", "sl.", rf"sl\.(?:u\.)?{_URL_SAFE}{{60,}}", random=True),
    Shape("facebook-token", "eaa", rf"EAA[A-Z0-9]{_ALNUM}{{60,}}", random=True, bare=True),
    Shape("figma-token", "fig", rf"fig[dour]_{_URL_SAFE}{{30,}}", random=True),
    Shape("frame-io-token", "fio-u-", rf"fio-u-{_URL_SAFE}{{60,}}"),
    Shape("hubspot-token", "pat-", rf"pat-[a-z]{{2,3}}\d-{_HEX}{{8}}(?:-{_HEX}{{4}}){{3}}-{_HEX}{{12}}"),
    Shape("linear-key", "lin_", rf"lin_(?:api|oauth|wh)_{_ALNUM}{{30,}}"),
    Shape("mapbox-token", "sk.eyj tk.eyj", rf"[st]k\.eyJ{_URL_SAFE}{{20,}}\.{_URL_SAFE}{{16,}}"),
    Shape("notion-token", "ntn_ secret_", rf"ntn_{_ALNUM}{{40,}} | secret_{_ALNUM}{{43}}", random=True),
    Shape("postman-key", "pmak-", rf"PMAK-{_HEX}{{24}}-{_HEX}{{34}}"),
    Shape("readme-key", "rdme_", r"rdme_[a-z0-9]{60,}", random=True),
    Shape("trello-token", "atta", rf"ATTA{_ALNUM}{{64,76}}", bare=True),
    Shape("twitter-token", "aaaaaaaaaaaaaaaaaaaaa", r"A{21}[A-Za-z0-9%]{60,}", random=True, bare=True),
    Shape("typeform-token", "tfp_", rf"tfp_{_URL_SAFE}{{40,}}", random=True),
    Shape("zoho-token", "1000.", rf"1000\.{_HEX}{{32}}\.{_HEX}{{32}}"),
    # -- everywhere --
    Shape("jwt", "eyj", rf"eyJ{_URL_SAFE}{{6,}}(?:\.{_URL_SAFE}{{2,}}){{1,4}}", bare=True),
    Shape(
        "password-hash",
        "{ssha {sha {smd5 {crypt {pbkdf2 {argon2",
        r"[{](?:S?SHA(?:256|384|512)?|SMD5|CRYPT|PBKDF2[\w-]*|ARGON2)\}[A-Za-z0-9+/$=.,*_-]{12,}",
    ),
    Shape("password-hash", "md5", rf"md5{_HEX}{{32}}", bare=True),
    Shape("wallet-key", "prv", r"[tuvxyz]prv[1-9A-HJ-NP-Za-km-z]{107,108}", bare=True),
    Shape("password-hash", "grub.pbkdf2", rf"grub\.pbkdf2\.sha512\.\d{{3,8}}\.{_UPPER}{{32,}}\.{_UPPER}{{32,}}"),
    Shape("password-hash", "scram-sha-256$", rf"SCRAM-SHA-256\\*\$\d+:{_BASE64}+=*\\*\${_BASE64}+=*:{_BASE64}+=*"),
    Shape("password-hash", "$", r"\$(?:y|gy|[156]|2[aby]|argon2(?:id?|d))\\*\$[./A-Za-z0-9$=,+\\]{30,}"),
)

_PREFIXED = re.compile(r"sk-(?:ant|proj|svcacct|admin|or)-")


def _is_random(found: Found) -> bool:
    """ "sk-" also begins class names in style sheets, and other prefixes begin other names; those are words."""
    return looks_random(found[0]) or _PREFIXED.match(found[0]) is not None


def _is_irregular(found: Found) -> bool:
    return is_irregular(found[0].rpartition(".")[2])


_FIRST = re.compile(r"\\?[^\[\](){}|?*+]|\[[^\]]+\](?!\{)")
_SEVERAL = re.compile(r"\[[^\]]+\]\{\d+\}")


def _begun(pattern: str, *, not_behind: str) -> str:
    """A pattern that begins with its own first character is found faster than one that begins with a lookbehind."""
    if first := _FIRST.match(pattern):
        return first[0] + behind(not_behind, then=first[0]) + pattern[first.end() :]
    several = _SEVERAL.match(pattern)
    return f"{f'(?={several[0]})' if several else ''}{behind(not_behind)}{pattern}"


def _rule(shape: Shape) -> Rule:
    around = "A-Za-z0-9+/" if shape.bare else "A-Za-z0-9"
    before = f"{around}_-" if shape.bare else around
    begun = "|".join(_begun(one, not_behind=before) for one in shape.pattern.split(" | "))
    rule = Rule(shape.kind, tuple(shape.clues.split()), Pattern(f"(?:{begun})(?![{around}])"))
    if shape.irregular:
        return rule._replace(judge=_is_irregular)
    return rule._replace(judge=_is_random) if shape.random else rule


RULES: tuple[Rule, ...] = tuple(map(_rule, SHAPES))
