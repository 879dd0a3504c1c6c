"""Signs and verifies eddsa-rdfc-2022 proofs (Data Integrity EdDSA Cryptosuites 1.0, section 3.2) with PyLD and cryptography.

Reads {"contexts", "credential", "verify"} and writes {"key", "credential"} or {"verified"}.
"""

import hashlib
import json
import sys

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from pyld import jsonld

DIGITS = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
PREFIX = b"\xed\x01"


def encode(data):
    number, text = int.from_bytes(data, "big"), ""
    while number:
        number, digit = divmod(number, 58)
        text = DIGITS[digit] + text
    zeros = len(data) - len(data.lstrip(b"\0"))
    return "z" + DIGITS[0] * zeros + text


def decode(text, length):
    number = 0
    for digit in text[1:]:
        number = number * 58 + DIGITS.index(digit)
    return number.to_bytes(length, "big")


request = json.load(sys.stdin)
contexts = request["contexts"]


def load(url, _options):
    return {"contextUrl": None, "documentUrl": url, "document": contexts[url], "contentType": "application/ld+json"}


def digest(document):
    options = {"algorithm": "URDNA2015", "format": "application/n-quads", "documentLoader": load}
    return hashlib.sha256(jsonld.normalize(document, options).encode()).digest()


def hashed(credential, proof):
    config = {name: value for name, value in proof.items() if name != "proofValue"}
    return digest({**config, "@context": credential["@context"]}) + digest(credential)


credential = request["credential"]
if "verify" in request:
    proof = credential.pop("proof")
    key = Ed25519PublicKey.from_public_bytes(decode(request["verify"], 34)[2:])
    try:
        key.verify(decode(proof["proofValue"], 64), hashed(credential, proof))
        print(json.dumps({"verified": True}))
    except InvalidSignature:
        print(json.dumps({"verified": False}))
else:
    private = Ed25519PrivateKey.generate()
    raw = private.public_key().public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
    key = encode(PREFIX + raw)
    did = f"did:key:{key}"
    credential = {**credential, "issuer": {"id": did, "type": ["Profile"]}}
    proof = {
        "type": "DataIntegrityProof",
        "cryptosuite": "eddsa-rdfc-2022",
        "created": "2026-01-01T00:00:00Z",
        "verificationMethod": f"{did}#{key}",
        "proofPurpose": "assertionMethod",
    }
    proof["proofValue"] = encode(private.sign(hashed(credential, proof)))
    print(json.dumps({"key": key, "credential": {**credential, "proof": proof}}))
