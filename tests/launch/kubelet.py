"""Runs a pod: init containers in order, sidecars beside them, containers, and what the kubelet does when they end."""

import os
import socket
import threading
import time

from containers import Container, Volumes
from controllers import READY
from pods import expanded


class RunningPod(threading.Thread):
    """`codes` has the exit code of each container that has ended."""

    def __init__(self, pod, objects, image, network, folder, delay=0.0):
        super().__init__(daemon=True)
        self.made_of = (pod, objects, image, network, folder)
        self.pod, self.objects, self.network, self.delay = pod, objects, network, delay
        self.namespace = network.add(pod)
        folder = os.path.join(folder, f"{pod.name}-{self.namespace}")
        volumes = Volumes(pod, objects, folder, os.path.join(os.path.dirname(folder), "shared"))

        def made(key):
            return [Container(pod, each, volumes, image, self.namespace, folder) for each in pod.spec.get(key, [])]

        self.init, self.main = made("initContainers"), made("containers")
        self.codes = {}
        self.deleted = self.lost = False
        self.fault = None
        self.awaits = []  # other pods, and what they must be before a controller makes this one

    def run(self):
        try:
            self.wait_for_others()
            time.sleep(self.delay)
            self.work()
        except Exception as error:  # pylint: disable=broad-except
            self.fault = error

    def wait_for_others(self):
        if not self.awaits:
            return
        while not self.deleted:
            if all(each.is_ready() if state == READY else each.code() == 0 for each, state in self.awaits):
                break
            time.sleep(0.1)
        self.network.publish(self.pod)

    def is_ready(self):
        """All containers run, and their probes succeed."""
        for each in self.main:
            if each.process is None or each.ended():
                return False
            probe = each.spec.get("readinessProbe", {})
            if "exec" in probe and not each.execute(probe["exec"]["command"], 30):
                return False
            if "tcpSocket" in probe and not self.listens(each.spec["ports"], probe["tcpSocket"]["port"]):
                return False
        return True

    def listens(self, ports, name):
        port = next((each["containerPort"] for each in ports if each.get("name") == name), name)
        try:
            socket.create_connection((self.pod.ip, port), timeout=1).close()
        except OSError:
            return False
        return True

    def work(self):
        sidecars = []
        try:
            for each in self.init:
                self.start_container(each)
                if each.spec.get("restartPolicy") == "Always":
                    sidecars.append(each)
                    continue
                if self.wait(each) != 0:
                    return
            for each in self.main:
                self.start_container(each)
            for each in self.main:
                self.wait(each)
        finally:
            # Those that started last end first.
            for each in reversed(sidecars):
                each.stop(self.grace())
                self.codes[each.name] = each.status()

    def grace(self):
        return self.pod.spec.get("terminationGracePeriodSeconds", 30)

    def start_container(self, container):
        if self.deleted:
            return
        variables = self.pod.variables(container.spec, self.objects)
        words = container.spec.get("command", []) + container.spec.get("args", [])
        argv = [expanded(each, variables) for each in words]
        container.start(argv, variables, self.network.server_address)
        if self.deleted:  # meanwhile
            container.stop(0)

    def wait(self, container):
        if container.process is not None:
            container.process.wait()
            self.codes[container.name] = container.status()
        return self.codes.get(container.name)

    def containers(self):
        return self.init + self.main

    def delete(self, grace=None):
        """As `kubectl delete pod`: SIGTERM to all containers, SIGKILL after the grace period."""
        self.deleted = True
        for each in self.main:
            if each.process is not None and not each.ended():
                each.stop(self.grace() if grace is None else grace)
        for each in self.init:
            if each.process is not None and not each.ended():
                each.stop(0)

    def kill(self):
        """Its processes are killed, as by the kernel for want of memory: a failed pod has no address."""
        self.lost = True
        self.network.forget(self.pod)
        self.delete(grace=0)

    def lose(self):
        """Its node is gone: no packet says so to the others."""
        self.lost = True
        self.network.cut(self.pod, self.namespace)
        self.delete(grace=0)

    def again(self):
        """What a controller makes in its place: the same names, another address."""
        again = RunningPod(*self.made_of)
        self.network.publish(again.pod)
        return again

    def code(self):
        """That of the pod: of the first container that failed, or 0. None while it runs."""
        if self.is_alive():
            return None
        return next((each for each in self.codes.values() if each), 0)

    def text(self):
        return "".join(each.text() for each in self.containers())
