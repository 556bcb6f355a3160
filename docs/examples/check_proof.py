"""Checks a proof of `rack prove` with Python and OpenSSL alone: `python check_proof.py proof.json floor.key.pub`."""

import base64, hashlib, json, subprocess, sys, tempfile


def node(left, right):
    return hashlib.sha256(b"\1" + left + right).digest()


def root(leaf, size):  # RFC 9162, 2.1.3.2
    place, last, value = leaf["index"], size - 1, hashlib.sha256(b"\0" + leaf["data"].encode()).digest()
    assert 0 <= place <= last, "there is no such leaf"
    for each in map(bytes.fromhex, leaf["path"]):
        assert last, "the path has another length"
        if place & 1 or place == last:
            value = node(each, value)
            while place and not place & 1:
                place, last = place >> 1, last >> 1
        else:
            value = node(value, each)
        place, last = place >> 1, last >> 1
    assert last == 0, "the path has another length"
    return value


def openssl_verifies(key, message, signature):
    with tempfile.TemporaryDirectory() as folder:
        for name, data in (("key", bytes.fromhex("302a300506032b6570032100") + key), ("text", message), ("sig", signature)):
            open(f"{folder}/{name}", "wb").write(data)
        command = "openssl pkeyutl -verify -pubin -keyform DER -inkey key -rawin -in text -sigfile sig"
        return subprocess.run(command.split(), cwd=folder, stdout=subprocess.DEVNULL).returncode == 0


proof, public = json.load(open(sys.argv[1])), open(sys.argv[2]).read().strip()
name, key_id, key = public.split("+", 2)
text, lines = proof["checkpoint"].split("\n\n")
line = next(line for line in lines.splitlines() if line.startswith(f"— {name} "))
signature = base64.b64decode(line.split(" ")[2])
assert signature[:4].hex() == key_id, "signed by another key"
assert openssl_verifies(base64.b64decode(key)[1:], (text + "\n").encode(), signature[4:]), "the signature does not fit"
origin, size, signed = text.split("\n")
assert origin == name, "another log"
for leaf in proof["head"], proof["time"]:
    assert root(leaf, int(size)) == base64.b64decode(signed), "not in the checkpoint"
head, time = json.loads(proof["head"]["data"]), json.loads(proof["time"]["data"])
for event in proof["events"]:
    stated = json.loads(event["data"])
    assert root(event, head["size"]).hex() == head["root"], "not in the stream"
    assert (stated["stream"], stated["seq"]) == (head["stream"], event["index"] + 1), "from another place"
    assert f"discard-rack/{stated['property_id']}/{stated['log_id']}" == origin, "from another log"
    print(stated["stream"], stated["seq"], stated["type"], "was in the log at", time["at_us"])
