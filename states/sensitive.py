"""Topics that a person must always look at (behaviour of the Alfred seed's autonomous safeguards)."""

import re
from collections.abc import Iterable

_REMOVE = r"(?:remov\w*|delet\w*|drop\w*|deprecat\w*|retir\w*|discontinu\w*|sunset\w*)"
_API = (
    r"(?:apis?|endpoints?|routes?|public (?:function|method|class|interface)s?|webhooks?|graphql)"
    r"(?! docs?\b)"
)

TOPICS: dict[str, re.Pattern[str]] = {
    topic: re.compile(rf"\b(?:{words})\b")
    for topic, words in {
        "security models": r"security|permissions?|privileges?|rbac|acls?|authoriz\w*|authoris\w*|"
        r"encrypt\w*|decrypt\w*|crypto\w*|ciphers?|secrets?|csrf|xss|cors|tls|ssl|vulnerab\w*|"
        r"access control|sandbox\w*",
        "data privacy": r"privacy|gdpr|ccpa|hipaa|pii|personal data|personally identifiable|sensitive data|"
        r"anonymi[sz]\w*|pseudonymi[sz]\w*|consents?|data retention|social security",
        "API removal": rf"{_REMOVE} (?:\w+ ){{0,6}}{_API}|{_API} (?:\w+ ){{0,3}}(?:is |are |be )?{_REMOVE}|"
        r"breaking changes?",
        "database schemas": r"(?:database|db|sql|tables?) schemas?|schemas? (?:changes?|migrations?|sql|rb|"
        r"prisma)|migrations?|alembic|flyway|liquibase|(?:alter|create|drop|add|rename) (?:\w+ ){0,2}"
        r"(?:tables?|columns?)|foreign keys?|ddl",
        "authentication": r"auth\d*|authenticat\w*|oauth\d*|log ?ins?|log ?outs?|sign ?in|passwords?|"
        r"passkeys?|credentials?|jwt|sso|saml|oidc|openid|ldap|kerberos|mfa|2fa|totp|bearer|"
        r"(?:api|access) (?:keys?|tokens?)",
    }.items()
}

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_NOT_A_WORD = re.compile(r"[^a-z0-9]+")


def sensitive_topics(texts: Iterable[str], removes_code: bool = False) -> tuple[str, ...]:
    """The topics that any of the texts touches, in the order of TOPICS. Errs on the side of asking a person.

    Texts are prose, names or paths: `src/LegacyAuthService.py` touches authentication.
    `removes_code` is whether a file is deleted, which removes whatever it offered.
    """
    prepared = [form for text in texts for form in _forms(text)]
    return tuple(
        topic
        for topic, words in TOPICS.items()
        if (removes_code and topic == "API removal") or any(words.search(form) for form in prepared)
    )


def _forms(text: str) -> tuple[str, str]:
    """The text as lower-case words, once as written and once with camelCase taken apart."""
    return _NOT_A_WORD.sub(" ", text.lower()), _NOT_A_WORD.sub(" ", _CAMEL.sub(" ", text).lower())
