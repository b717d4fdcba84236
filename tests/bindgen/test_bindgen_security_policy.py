"""WS-SecurityPolicy of a WSDL is read into the description of the package, or refused by name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.security.policies import (
    ENCRYPT_BODY,
    SIGN_BODY,
    USER,
    X509,
    asymmetric,
    generate,
    nested,
    policy,
    suite,
    symmetric,
    token,
    transport,
)

BINDING = {"binding": "asymmetric", "suite": "Basic256Sha256", "layout": "Strict", "timestamp": True}
TOKENS = {
    "initiator": {"kind": "x509", "include": "AlwaysToRecipient"},
    "recipient": {"kind": "x509", "include": "Never", "reference": "thumbprint"},
}
ASYMMETRIC = BINDING | TOKENS
HTTPS = {"binding": "transport", "suite": "Basic256", "timestamp": True, "recipient": {"kind": "https"}}
SYMMETRIC_TOKEN = {"kind": "x509", "include": "Never", "reference": "thumbprint", "derived": True}
SYMMETRIC = {"binding": "symmetric", "suite": "Basic256Sha256", "timestamp": True}
SYMMETRIC |= {"recipient": SYMMETRIC_TOKEN}
SIGNED = {"signed": ["Body"], "response_signed": ["Body"]}
ENCRYPTED = {"encrypted": ["Body"], "response_encrypted": ["Body"]}
USERNAME = {"kind": "username", "include": "AlwaysToRecipient"}
DIGEST, NO_PASSWORD = ({"kind": "username", "password": how} for how in ("digest", "none"))
ONE = policy(asymmetric())


def rows(folder: Path, **places: str) -> tuple[list[dict[str, Any]], dict[str, Any], list[str]]:
    """Return the policies and the port in schema.json, and the notes."""
    result = generate(folder, **places)
    schema = json.loads(result.files["schema.json"])
    return schema.get("security", []), schema["ports"][0], [str(note) for note in result.contract.notes]


def supporting(flags: str = "", token: dict[str, str] = USERNAME) -> dict[str, object]:
    """Return the row of a supporting token. `flags` are words such as SignedEndorsing."""
    words = [word for word in ("Signed", "Encrypted", "Endorsing") if word in flags]
    return {"supporting": [{"token": token} | {word.lower(): True for word in words}]}


def parts(*names: str) -> dict[str, object]:
    return {"signed": [*names], "response_signed": [*names]}


ADDRESSING = "http://www.w3.org/2005/08/addressing"
TO = f"{{{ADDRESSING}}}To"


def elements(*paths: str, name: str = "SignedElements") -> str:
    return f"<sp:{name}>{''.join(f'<sp:XPath>{path}</sp:XPath>' for path in paths)}</sp:{name}>"


READ: dict[str, tuple[str, list[dict[str, object]]]] = {  # policy of the binding, rows
    "asymmetric": (policy(asymmetric(), SIGN_BODY, ENCRYPT_BODY), [ASYMMETRIC | SIGNED | ENCRYPTED]),
    "transport": (policy(transport()), [HTTPS]),
    "symmetric": (policy(symmetric(), SIGN_BODY), [SYMMETRIC | SIGNED]),
    "symmetric of version 1.1": (
        policy(symmetric()).replace("sp:", "sp1:"),
        [SYMMETRIC | {"recipient": SYMMETRIC_TOKEN | {"old": True}}],
    ),
    "client certificate": (
        policy(transport(https="<sp:RequireClientCertificate/>")),
        [HTTPS | {"recipient": {"kind": "https", "authentication": "certificate"}}],
    ),
    "attribute for the client certificate": (
        policy(transport()).replace("<sp:HttpsToken ", '<sp:HttpsToken RequireClientCertificate="true" '),
        [HTTPS | {"recipient": {"kind": "https", "authentication": "certificate"}}],
    ),
    **{
        f"{flags or 'plain'} supporting token": (
            policy(transport(), nested(f"{flags}SupportingTokens", USER)),
            [HTTPS | supporting(flags)],
        )
        for flags in ("", "Signed", "Encrypted", "SignedEncrypted")
    },
    **{
        f"{flags} supporting token": (
            policy(transport(), nested(f"{flags}SupportingTokens", X509)),
            [HTTPS | supporting(flags, TOKENS["initiator"])],
        )
        for flags in ("Endorsing", "SignedEndorsing", "EndorsingEncrypted", "SignedEndorsingEncrypted")
    },
    "passwords": (
        policy(
            nested(
                "SupportingTokens",
                token("UsernameToken", "<sp:HashPassword/>"),
                token("UsernameToken", "<sp:NoPassword/>"),
                token("SamlToken"),
            )
        ),
        [{"supporting": [{"token": token} for token in (DIGEST, NO_PASSWORD, {"kind": "saml"})]}],
    ),
    "headers": (
        policy(
            asymmetric(),
            f'<sp:SignedParts><sp:Body/><sp:Header Name="To" Namespace="{ADDRESSING}"/>'
            f'<sp:Header Namespace="{ADDRESSING}"/><sp:Header Namespace="urn:x"/></sp:SignedParts>',
        ),
        [ASYMMETRIC | parts("Body", TO, "Addressing", "{urn:x}*")],
    ),
    "all parts": (policy(asymmetric(), "<sp:SignedParts/>"), [ASYMMETRIC | parts("Header", "Body")]),
    "elements": (
        policy(
            asymmetric(),
            elements(
                "//wsse:UsernameToken",
                "/soap:Envelope/soap:Header/wsse:Security/u:Timestamp",
                "/soap:Envelope/soap:Body",
                "//*[local-name()='Body']",
                "//wsa:To",
                "/soap:Envelope/soap:Header/t:Who",
            ),
        ),
        [ASYMMETRIC | parts("UsernameToken", "Timestamp", "Body", TO, "{urn:example:shop}Who")],
    ),
    "required": (
        policy(asymmetric(), elements("//u:Timestamp", "//wsa:To", name="RequiredElements")),
        [ASYMMETRIC | {name: ["Timestamp", TO] for name in ("present", "response_present")}],
    ),
    "properties": (
        policy(
            asymmetric("<sp:EncryptBeforeSigning/>", "<sp:ProtectTokens/>"),
            nested("Wss11", "<sp:MustSupportRefThumbprint/>", "<sp:RequireSignatureConfirmation/>"),
            nested("Trust13", "<sp:MustSupportIssuedTokens/>"),
        ),
        [
            ASYMMETRIC
            | {"encrypt_first": True, "protect_tokens": True, "confirmation": True}
            | {"initiator": {"kind": "x509", "include": "AlwaysToRecipient", "reference": "thumbprint"}}
        ],
    ),
    "version 1.1": (
        policy(asymmetric(), SIGN_BODY)
        .replace("sp:", "sp1:")
        .replace("xmlns:sp1:", "xmlns:sp:")
        .replace("200702/IncludeToken", "200507/IncludeToken")
        .replace("p:Policy", "old:Policy"),
        [ASYMMETRIC | SIGNED],
    ),
    "alternatives": (
        policy(
            f"<p:ExactlyOne><p:All>{transport()}</p:All><p:All>{asymmetric()}"
            f"<p:ExactlyOne>{SIGN_BODY}{ENCRYPT_BODY}</p:ExactlyOne></p:All></p:ExactlyOne>"
        ),
        [HTTPS, ASYMMETRIC | SIGNED, ASYMMETRIC | ENCRYPTED],
    ),
    "optional": (
        policy(transport(), nested("SupportingTokens", USER, attributes='p:Optional="true"')),
        [HTTPS | supporting(), HTTPS],
    ),
    "nested alternatives": (
        policy(
            asymmetric().replace(
                suite("Basic256Sha256"),
                nested("AlgorithmSuite", "<p:ExactlyOne><sp:Basic256/><sp:TripleDesRsa15/></p:ExactlyOne>"),
            )
        ),
        [ASYMMETRIC | {"suite": "Basic256"}, ASYMMETRIC | {"suite": "TripleDesRsa15"}],
    ),
    "nothing": (policy("<p:ExactlyOne><p:All/></p:ExactlyOne>"), []),
}


@pytest.mark.parametrize("name", READ)
def test_policy_is_read_as_data(tmp_path: Path, name: str) -> None:
    text, expected = READ[name]
    policies, port, notes = rows(tmp_path, binding=text)
    assert policies == expected
    assert port.get("policies", []) == list(range(len(expected)))
    assert notes == []


REFUSED = {  # policy of the binding: the assertion that the note names
    "IssuedToken in SignedSupportingTokens": nested("SignedSupportingTokens", token("IssuedToken")),
    "KerberosToken in InitiatorToken": nested(
        "AsymmetricBinding", nested("InitiatorToken", token("KerberosToken"))
    ),
    "SecureConversationToken in ProtectionToken": nested(
        "SymmetricBinding", nested("ProtectionToken", token("SecureConversationToken"))
    ),
    "UsernameToken in InitiatorToken": nested("AsymmetricBinding", nested("InitiatorToken", USER)),
    "X509Token in SignedSupportingTokens": transport() + nested("SignedSupportingTokens", X509),
    "WssX509PkiPathV1Token10": asymmetric().replace("WssX509V3Token10", "WssX509PkiPathV1Token10"),
    "InclusiveC14N in AlgorithmSuite": asymmetric().replace("<sp:Basic256Sha256/>", "<sp:InclusiveC14N/>"),
    "Basic999 in AlgorithmSuite": asymmetric(algorithms="Basic999"),
    "TripleDes in AlgorithmSuite": asymmetric(algorithms="TripleDes") + ENCRYPT_BODY,
    "Odd in Layout": asymmetric().replace("sp:Strict", "sp:Odd"),
    "IncludeToken Sometimes": asymmetric().replace("AlwaysToRecipient", "Sometimes"),
    "RequireDerivedKeys in AsymmetricBinding": asymmetric().replace(
        "<sp:WssX509V3Token10/>", "<sp:RequireDerivedKeys/>"
    ),
    "EncryptSignature": asymmetric("<sp:EncryptSignature/>"),
    "Attachments in SignedParts": asymmetric() + "<sp:SignedParts><sp:Attachments/></sp:SignedParts>",
    "SignedElements with the XPath //t:Buy[1]": asymmetric() + elements("//t:Buy[1]"),
    "EncryptedElements with the XPath //t:article": asymmetric()
    + elements("//t:article", name="EncryptedElements"),
    "EndorsingSupportingTokens with a binding": asymmetric() + nested("EndorsingSupportingTokens", X509),
    "SymmetricBinding without a ProtectionToken": nested("SymmetricBinding", "<sp:IncludeTimestamp/>"),
    "SymmetricBinding without signed parts": symmetric().replace("<sp:IncludeTimestamp/>", ""),
    "ProtectTokens in SymmetricBinding": symmetric("<sp:ProtectTokens/>"),
    "TripleDesRsa15 in AlgorithmSuite": symmetric(algorithms="TripleDesRsa15"),
    "RequireImpliedDerivedKeys in ProtectionToken": symmetric().replace(
        "RequireDerivedKeys", "RequireImpliedDerivedKeys"
    ),
    "EndorsingSupportingTokens with a binding that": symmetric() + nested("EndorsingSupportingTokens", X509),
    "encrypted parts besides the body with EncryptBeforeSigning": symmetric("<sp:EncryptBeforeSigning/>")
    + elements("//t:Buy", name="EncryptedElements").replace("//t:Buy", "//wsa:To"),
    "SignedEncryptedSupportingTokens with EncryptBeforeSigning": asymmetric("<sp:EncryptBeforeSigning/>")
    + nested("SignedEncryptedSupportingTokens", USER),
    "signed and encrypted parts besides the body with": asymmetric("<sp:EncryptBeforeSigning/>")
    + elements("//wsa:To")
    + elements("//wsa:To", name="EncryptedElements"),
    "EndorsingSupportingTokens without IncludeTimestamp": transport().replace("<sp:IncludeTimestamp/>", "")
    + nested("EndorsingSupportingTokens", X509),
    "parts without a binding": SIGN_BODY,
    "SomethingElse": "<sp:SomethingElse/>",
    "TransportBinding in addition to another binding": asymmetric() + transport(),
}


@pytest.mark.parametrize("name", REFUSED)
def test_unsupported_assertion_is_noted_by_name(tmp_path: Path, name: str) -> None:
    policies, _, notes = rows(tmp_path, binding=policy(REFUSED[name]))
    assert len(notes) == 1, notes
    assert f"it requires {name}" in notes[0]
    assert any(reason.startswith(name) for reason in policies[0]["unsupported"])


def test_unsupported_alternative_is_only_a_remark(tmp_path: Path) -> None:
    text = policy(f"<p:ExactlyOne><sp:SomethingElse/>{transport()}</p:ExactlyOne>")
    result = generate(tmp_path, binding=text)
    assert not result.contract.notes
    assert ["SomethingElse" in str(remark) for remark in result.contract.remarks] == [True]


ATTACHED = {  # places of the WSDL
    "in the binding": {"binding": ONE},
    "by wsu:Id": {
        "top": policy(asymmetric(), attributes='u:Id="one"'),
        "binding": '<p:PolicyReference URI="#one"/>',
    },
    "by xml:id": {
        "top": policy(asymmetric(), attributes='xml:id="one"'),
        "binding": '<old:PolicyReference URI="#one"/>',
    },
    "by a policy": {
        "top": policy(asymmetric(), attributes='u:Id="one"')
        + policy('<p:PolicyReference URI="#one"/>', attributes='u:Id="two"'),
        "binding": '<p:PolicyReference URI="#two"/>',
    },
    "by policies that refer to each other": {
        "top": policy(asymmetric(), '<p:PolicyReference URI="#two"/>', attributes='u:Id="one"')
        + policy('<p:PolicyReference URI="#one"/>', attributes='u:Id="two"'),
        "binding": '<p:PolicyReference URI="#two"/>',
    },
}


@pytest.mark.parametrize("name", ATTACHED)
def test_policies_are_found_where_they_are_attached(tmp_path: Path, name: str) -> None:
    policies, port, _ = rows(tmp_path, **ATTACHED[name])
    assert policies == [ASYMMETRIC]
    assert (port["policies"], port.get("operation_policies")) == ([0], None)


def test_policies_of_operations_and_messages_are_merged(tmp_path: Path) -> None:
    policies, port, _ = rows(
        tmp_path, binding=ONE, operation=policy(nested("Wss11", "<sp:RequireSignatureConfirmation/>")),
        input=policy(SIGN_BODY), output=policy(ENCRYPT_BODY),
    )  # fmt: skip
    merged = ASYMMETRIC | {"confirmation": True, "signed": ["Body"], "response_encrypted": ["Body"]}
    assert policies == [merged, ASYMMETRIC]
    assert (port["policies"], port["operation_policies"]) == ([0], {"Look": [1]})


def test_many_alternatives_end(tmp_path: Path) -> None:
    optional = nested("SupportingTokens", USER, attributes='p:Optional="true"')
    policies, _, _ = rows(tmp_path, binding=policy(*[optional] * 40))
    assert 0 < len(policies) <= 64
