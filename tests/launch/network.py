"""A network of pods: a bridge, a network namespace for each pod, and a DNS server that answers as CoreDNS does."""

import ipaddress
import itertools
import socketserver
import struct
import subprocess
import threading

A, PTR = 1, 12
NUMBERS = itertools.count()
NO_SUCH_NAME = 3


def ip(*arguments):
    subprocess.run(["ip", *arguments], check=True, capture_output=True)


class Network:
    """One for each case: addresses 10.99.<number>.0/24."""

    def __init__(self, number):
        self.number = number
        self.bridge = f"br{number}"
        self.server_address = f"10.99.{number}.254"
        self.records = {}  # full name -> addresses
        self.services = []
        self.made = []

    def __enter__(self):
        ip("link", "add", "name", self.bridge, "type", "bridge")
        ip("address", "add", self.server_address + "/24", "dev", self.bridge)
        ip("link", "set", self.bridge, "up")
        network = self

        class Answer(socketserver.BaseRequestHandler):
            def handle(self):
                query, sock = self.request
                sock.sendto(network.answer(query), self.client_address)

        self.server = socketserver.ThreadingUDPServer((self.server_address, 53), Answer)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
        for name in self.made:
            ip("netns", "delete", name)
        ip("link", "delete", self.bridge)

    def add(self, pod):
        """Gives the pod a namespace and an address. Its names come with `publish`."""
        # The kernel takes links of a namespace away some time after the namespace: no name is used twice.
        number = next(NUMBERS)
        namespace, cable = f"pod{number}", f"veth{number}"
        pod.ip = f"10.99.{self.number}.{len(self.made) + 1}"
        ip("netns", "add", namespace)
        self.made.append(namespace)
        ip("link", "add", "name", cable, "type", "veth", "peer", "name", "eth0", "netns", namespace)
        ip("link", "set", cable, "master", self.bridge, "up")
        ip("-netns", namespace, "address", "add", pod.ip + "/24", "dev", "eth0")
        for each in ("eth0", "lo"):
            ip("-netns", namespace, "link", "set", each, "up")
        # Container runtimes let every user bind all ports.
        every_port = ["sysctl", "-qw", "net.ipv4.ip_unprivileged_port_start=0"]
        subprocess.run(["ip", "netns", "exec", namespace, *every_port], check=True)
        return namespace

    def cut(self, pod, namespace):
        """Takes the pod from the network, and its address from all names."""
        ip("-netns", namespace, "link", "set", "eth0", "down")
        self.forget(pod)

    def forget(self, pod):
        for addresses in self.records.values():
            if pod.ip in addresses:
                addresses.remove(pod.ip)

    def publish(self, pod):
        for name in pod.names():
            self.records.setdefault(name.lower(), []).append(pod.ip)
        labels = pod.object["metadata"].get("labels", {})
        for each in self.services:
            if all(labels.get(key) == value for key, value in each["spec"].get("selector", {"": "none"}).items()):
                name = f"{each['metadata']['name']}.{pod.namespace}.svc.cluster.local"
                self.records.setdefault(name, []).append(pod.ip)

    def answer(self, query):
        """RFC 1035: the question again, and an answer for each address or name."""
        at, labels = 12, []
        while query[at]:
            labels.append(query[at + 1:at + 1 + query[at]].decode("ascii", "replace").lower())
            at += query[at] + 1
        kind = struct.unpack("!H", query[at + 1:at + 3])[0]
        question, name = query[12:at + 5], ".".join(labels)
        answers, exists = [], name in self.records
        if kind == A:
            answers = [ipaddress.IPv4Address(each).packed for each in self.records.get(name, [])]
        elif kind == PTR and name.endswith(".in-addr.arpa"):
            address = ".".join(reversed(labels[:4]))
            answers = [encoded(full) for full, known in sorted(self.records.items()) if address in known][:1]
            exists = bool(answers)
        head = query[:2] + struct.pack("!HHHHH", 0x8580 | (0 if exists else NO_SUCH_NAME), 1, len(answers), 0, 0)
        body = b"".join(b"\xc0\x0c" + struct.pack("!HHIH", kind, 1, 0, len(each)) + each for each in answers)
        return head + question + body


def encoded(name):
    return b"".join(bytes([len(each)]) + each.encode() for each in name.split(".")) + b"\0"

