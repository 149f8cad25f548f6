"""Whether the pods of a case did what the case expects."""

import json

PREFIX = "launched "


def lines_of(pod):
    found = []
    for line in pod.text().splitlines():
        at = line.find(PREFIX)  # launchers write names in front
        if at >= 0:
            found.append(json.loads(line[at + len(PREFIX):]))
    return found


def faults(expect, running, until):
    """What is wrong, as sentences; nothing if all is well."""
    text = "".join(each.text() for each in running)
    running = [each for each in running if not each.lost]
    found = list(exit_faults(expect, running, until))
    found += [f"no pod says `{each}`" for each in expect.get("says", []) if each not in text]
    lines = [line for each in running for line in lines_of(each)]
    if "alone" in expect:
        size = expect["alone"]
        found += [f"rank {each['rank']} on {each['host']} is one of {each['world']}: expected {size}, alone"
                  for each in lines if each["world"] != size]
        nodes = {each["host"] for each in lines}
        if len(nodes) < 2:
            found.append(f"{len(nodes)} nodes train: expected several, each alone")
    elif "world" in expect:
        found += rank_faults(expect, running, lines)
    return found


def exit_faults(expect, running, until):
    allowed = expect.get("fails", {})
    for each in running:
        if each.fault is not None:
            yield f"{each.pod.name}: {each.fault}"
            continue
        code, role = each.code(), (each.pod.role or "all").lower()
        if until and role not in until:
            continue
        codes = allowed.get(role, allowed.get("all", [0]))
        if code is None or (each.deleted and not expect.get("deleted")):
            yield f"{each.pod.name} does not end in time"
        elif code not in codes:
            yield f"{each.pod.name} ends with exit code {code}: expected {' or '.join(map(str, codes))}"


def rank_faults(expect, running, lines):
    world, on_each = expect["world"], expect["on-each"]
    if sorted(each["rank"] for each in lines) != list(range(world)):
        yield f"ranks {sorted(each['rank'] for each in lines)}: expected 0 to {world - 1}"
        return
    total = world * (world + 1) // 2
    for each in lines:
        if each["world"] != world:
            yield f"rank {each['rank']} is one of {each['world']}: expected {world}"
        if each["sum"] != total:
            yield f"rank {each['rank']} has the sum {each['sum']}: expected {total}"
    hosts = [each.pod.hostname for each in running]
    ranks = {host: sorted(each["rank"] for each in lines if each["host"] == host) for host in hosts}
    unknown = {each["host"] for each in lines} - set(hosts)
    if unknown:
        yield f"{', '.join(sorted(unknown))}: no pod has this host name"
    working = [host for host in hosts if ranks[host]]
    for node, host in enumerate(working):
        first = ranks[host][0] if expect.get("joined") else node * on_each
        if first % on_each or ranks[host] != list(range(first, first + on_each)):
            yield f"{host} has ranks {ranks[host]}: expected {list(range(first, first + on_each))}"
        for each in lines:
            if each["host"] == host and each["node_rank"] not in (None, str(node)):
                yield f"{host} has NODE_RANK {each['node_rank']}: expected {node}"
