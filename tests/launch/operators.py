"""ConfigMaps and Secrets that operators make for a job, and that its pods mount.

kubeflow/mpi-operator pkg/controller/mpi_job_controller.go newConfigMap, newSSHAuthSecret; kubeflow/trainer
pkg/runtime/framework/plugins/mpi/mpi.go; volcano-sh/volcano pkg/controllers/job/plugins/{svc,ssh}.
"""

import os
import subprocess


def of(documents, pods, folder):
    """By the name of the object."""
    made = {}
    for each in documents:
        maker = MAKERS.get(each["kind"] + " " + each["apiVersion"].split("/")[0])
        if maker:
            made.update(maker(each, pods, folder))
    return made


def keys(folder, kind):
    path = os.path.join(folder, "key")
    if not os.path.exists(path):
        subprocess.run(["ssh-keygen", "-q", "-t", kind, "-m", "PEM", "-N", "", "-f", path], check=True)
    with open(path, encoding="ascii") as private, open(path + ".pub", encoding="ascii") as public:
        return private.read(), public.read()


def host_file(hosts, slots):
    return "".join(f"{each} slots={slots}\n" for each in hosts)


def in_role(pods, *roles):
    return [each for each in pods if (each.role or "").lower() in roles]


def mpi_operator(job, pods, folder):
    name, spec = job["metadata"]["name"], job["spec"]
    working = ("launcher", "worker") if spec.get("runLauncherAsWorker") else ("worker",)
    hosts = [f"{each.hostname}.{name}.{each.namespace}.svc" for each in in_role(pods, *working)]
    private, public = keys(folder, "ecdsa")
    return {name + "-config": {"hostfile": host_file(hosts, spec.get("slotsPerWorker", 1)),
                               "discover_hosts.sh": "#!/bin/sh\n" + "".join(f"echo {each}\n" for each in hosts)},
            name + "-ssh": {"ssh-privatekey": private, "ssh-publickey": public}}


def trainer(job, pods, folder):
    name = job["metadata"]["name"]
    nodes = in_role(pods, "node")
    variables = [one for each in pods for container in each.spec["containers"] for one in container.get("env", [])]
    slots = next((one["value"] for one in variables if one["name"] == "OMPI_MCA_orte_set_default_slots"), "1")
    private, public = keys(folder, "ecdsa")
    return {name + "-mpi-hostfile": {"hostfile": host_file([each.address for each in nodes], slots)},
            name + "-mpi-ssh-auth": {"ssh-privatekey": private, "ssh-publickey": public}}


def volcano(job, pods, folder):
    name, plugins = job["metadata"]["name"], job["spec"].get("plugins", {})
    made = {}
    if "svc" in plugins:
        data = {}
        for task in job["spec"]["tasks"]:
            hosts = [each.address for each in in_role(pods, task["name"].lower())]
            variable = "VC_" + task["name"].upper().replace("-", "_")
            data.update({variable + "_HOSTS": ",".join(hosts), variable + "_NUM": str(len(hosts)),
                         task["name"] + ".host": "\n".join(hosts)})
        made[name + "-svc"] = data
    if "ssh" in plugins:
        private, public = keys(folder, "rsa")
        config = "StrictHostKeyChecking no\nUserKnownHostsFile /dev/null\n"
        config += "".join(f"Host {each.hostname}\n  HostName {each.address}\n" for each in pods)
        made[name + "-ssh"] = {"id_rsa": private, "id_rsa.pub": public, "authorized_keys": public, "config": config}
    return made


MAKERS = {
    "MPIJob kubeflow.org": mpi_operator,
    "TrainJob trainer.kubeflow.org": trainer,
    "Job batch.volcano.sh": volcano,
}
