"""What controllers do with the roles of a job: which start after others, whose end is the job's, and which come back.

kubernetes-sigs/jobset pkg/controllers/{depends_on,success_policy}.go; volcano-sh/volcano
pkg/controllers/job/{job_controller_actions,job_controller_handler}.go; kubeflow/trainer pkg/runtime/core.
"""

READY, COMPLETE = "Ready", "Complete"


class Roles:
    """Read from the objects alone. Of a job whose roles the controllers treat alike all is empty."""

    def __init__(self, documents):
        self.after = {}  # role -> {other role: Ready or Complete}
        self.ends = set()  # with the end of all of these the job ends, and its other pods are stopped
        self.alone = {}  # role -> how often a pod that failed is made again without the others
        for each in documents:
            kind, spec = each["kind"], each.get("spec", {})
            if kind == "JobSet":
                self.of_job_set(spec)
            elif kind == "TrainingRuntime":
                self.of_job_set(spec["template"]["spec"])
            elif kind == "Job" and each["apiVersion"].startswith("batch.volcano.sh/"):
                self.of_volcano(spec)
            elif kind == "Job":
                role = spec["template"]["metadata"].get("labels", {}).get("trainyard/role")
                self.alone[role] = spec.get("backoffLimit", 6)

    def of_job_set(self, spec):
        self.ends.update(spec.get("successPolicy", {}).get("targetReplicatedJobs", []))
        for each in spec["replicatedJobs"]:
            self.after[each["name"]] = {other["name"]: other["status"] for other in each.get("dependsOn", [])}
            self.alone[each["name"]] = each["template"]["spec"].get("backoffLimit", 6)

    def of_volcano(self, spec):
        for each in spec["tasks"]:
            self.after[each["name"]] = dict.fromkeys(each.get("dependsOn", {}).get("name", []), READY)
            policies = {policy.get("event"): policy["action"] for policy in each.get("policies", [])}
            if policies.get("TaskCompleted") == "CompleteJob":
                self.ends.add(each["name"])
            if policies.get("PodFailed") == "RestartPod":
                self.alone[each["name"]] = spec["maxRetry"] - 1
