"""Checks a dispute packet with Python and OpenSSL alone: `python check_packet.py PACKET.json log.key.pub`."""

import base64, hashlib, json, subprocess, sys, tempfile


def sha(data):
    return hashlib.sha256(data).digest()


def canonical(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def openssl_verifies(key, message, signature):
    with tempfile.TemporaryDirectory() as folder:
        for file, data in (("key", bytes.fromhex("302a300506032b6570032100") + key), ("text", message), ("sig", signature)):
            open(f"{folder}/{file}", "wb").write(data)
        command = "openssl pkeyutl -verify -pubin -keyform DER -inkey key -rawin -in text -sigfile sig"
        return subprocess.run(command.split(), cwd=folder, stdout=subprocess.DEVNULL).returncode == 0


def opened(note, key_text):
    """The lines of a signed note, if this key signed it."""
    name, key_id, key = key_text.split("+", 2)
    text, signatures = note.split("\n\n")
    for line in signatures.splitlines():
        _, signer, data = line.split(" ")
        data = base64.b64decode(data)
        if signer == name and data[:4].hex() == key_id:
            assert openssl_verifies(base64.b64decode(key)[1:], (text + "\n").encode(), data[4:]), "the signature does not fit"
            return text.split("\n")
    return None


def root_from(leaf):  # RFC 9162, 2.1.3.2
    place, last, value = leaf["index"], int(size) - 1, sha(b"\0" + leaf["line"].encode())
    for each in map(bytes.fromhex, leaf["path"]):
        if place & 1 or place == last:
            value = sha(b"\1" + each + value)
            while place and not place & 1:
                place, last = place >> 1, last >> 1
        else:
            value = sha(b"\1" + value + each)
        place, last = place >> 1, last >> 1
    assert last == 0, "the path has another length"
    return value


def root_of(begin, end, leaves, outside):
    """The root over the leaves from one number to another: from those at hand, and the hashes outside."""
    if not any(begin <= number < end for number in leaves):
        return bytes.fromhex(outside.pop(0))
    if end - begin == 1:
        return leaves[begin]
    middle = begin + (1 << (end - begin - 1).bit_length() - 1)
    left = root_of(begin, middle, leaves, outside)
    return sha(b"\1" + left + root_of(middle, end, leaves, outside))


data, given = open(sys.argv[1], "rb").read(), open(sys.argv[2]).read().strip()
packet = json.loads(data)
assert canonical(packet) == data, "not in canonical form"
keys, in_force, retired = [given], [], []  # given, with the keys for which it, or one of these, vouches
for stored in packet["streams"].get("property/main", {"events": []})["events"]:
    said = stored["event"]["payload"]
    if stored["event"]["type"] == "key_published":
        vouched = f"rack/key/v1\n{said['public_key']}\n\n{said['vouch']}\n"
        older = [key for key in in_force if key != said["public_key"] and said["vouch"] and opened(vouched, key)]
        assert older or not said["vouch"], f"event {stored['event']['seq']}: vouched for by a key that is not in force"
        keys += [said["public_key"]] if any(key in keys for key in older) else []
        in_force += [said["public_key"]] if said["public_key"] not in retired else []
    elif stored["event"]["type"] == "key_retired":
        retired.append(said["public_key"])
        in_force = [key for key in in_force if key not in retired]
keys = [key for key in keys if key not in retired]

form, log, *lines = next(found for key in keys if (found := opened(packet["note"], key)))
parts = {name: packet[name] for name in ("about", "adjudication", "checkpoint", "findings")} | packet["streams"]
assert form == packet["about"]["format"] and log == given.split("+")[0], "of another log"
assert {name: sha(canonical(part)).hex() for name, part in parts.items()} == dict(line.split(" ") for line in lines)

origin, size, signed = next(found for key in keys if (found := opened(packet["checkpoint"]["note"], key)))
time = packet["checkpoint"]["time"]
assert origin == log and root_from(time) == base64.b64decode(signed), "not in the checkpoint"
for stream, part in packet["streams"].items():
    head, leaves, outside, before = json.loads(part["head"]["line"]), {}, list(part["outside"]), None
    assert head["stream"] == stream and root_from(part["head"]) == base64.b64decode(signed), "not in the checkpoint"
    for stored in part["events"]:
        event, bytes_ = stored["event"], canonical(stored["event"])
        assert (event["stream"], f"discard-rack/{event['property_id']}/{event['log_id']}") == (stream, log), "from another log"
        assert sha(b"\0" + bytes_).hex() == stored["leaf"], f"event {event['seq']} is another one"
        if before and before["event"]["seq"] == event["seq"] - 1:
            assert sha(b"rack/chain/v1\0" + bytes.fromhex(before["chain"]) + bytes_).hex() == stored["chain"], "not in the chain"
        leaves[event["seq"] - 1], before = bytes.fromhex(stored["leaf"]), stored
    assert root_of(0, head["size"], leaves, outside).hex() == head["root"] and not outside, "not in the stream"
    assert all(number - 1 in leaves for number in range(part["begins"] or 1, part["ends"] + 1)), "an event is missing"
    print(stream, len(leaves), "events of", head["size"], "stood in the log at", json.loads(time["line"])["at_us"])
print(packet["adjudication"]["verdict"], *(found["code"] for found in packet["adjudication"]["findings"]))
