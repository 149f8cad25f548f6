"use strict";
// The page of `trainyard report`. The data is JSON in the page (report_data.h says its form). Rows and findings come in
// portions, and a file becomes elements when it is opened: a page of a thousand jobs opens at once.
const data = JSON.parse(document.getElementById("data").textContent);
const mostRows = 200;
const mostFindings = 10;
const order = new Intl.Collator("en", {numeric: true});

function make(name, properties, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties || {})) {
    if (key === "text") element.textContent = value;
    else if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}

function byId(id) { return document.getElementById(id); }
function count(number, noun) { return number + " " + noun + (number === 1 ? "" : "s"); }
function textOf(numbers) { return numbers.map(number => data.lines[number]).join("\n"); }
function scrolled(label, ...children) {
  return make("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": label}, ...children);
}

// Shows some of the items below `parent`, and a button for more of them in `below`.
function showSome(parent, below, items, most, draw) {
  let shown = 0;
  const more = make("button", {type: "button", onclick: () => next()});
  function next() {
    parent.append(...items.slice(shown, shown + most).map(draw));
    shown = Math.min(items.length, shown + most);
    more.textContent = "Show more: " + (items.length - shown) + " left";
    if (shown === items.length) more.remove();
  }
  parent.replaceChildren();
  below.replaceChildren(...(items.length > most ? [more] : []));
  next();
}

// Findings, the worst first.
const effects = ["refused", "never-runs", "runs-wrong", "risky", "style"];
const severities = ["error", "warning", "note"];
const findings = data.findings.flatMap(report => report.diagnostics);
findings.sort((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity) ||
                        effects.indexOf(a.effect) - effects.indexOf(b.effect));
const findingsOfFile = new Map();
for (const each of findings) {
  if (!each.file) continue;
  if (!findingsOfFile.has(each.file)) findingsOfFile.set(each.file, []);
  findingsOfFile.get(each.file).push(each);
}

function drawFinding(finding) {
  const place = finding.file ? finding.file + ":" + finding.start.line : "";
  const at = data.files.findIndex(file => file.path === finding.file);
  const where = at < 0 ? make("span", {class: "dim", text: place})
                       : make("button", {type: "button", text: place, onclick: () => go(at, null, finding.start.line)});
  const notes = [...finding.labels.map(label => (label.file ? label.file + ":" + label.start.line + ": " : "") + label.text),
                 ...finding.notes, ...finding.fixes.map(fix => fix.text)];
  return make("div", {class: "finding " + finding.severity},
              make("div", {}, make("strong", {text: finding.severity + ": "}), finding.message + " ",
                   make("span", {class: "dim", text: "[" + (finding.check || finding.kind) + ", " + finding.effect + "] "}),
                   where),
              ...(notes.length ? [make("ul", {class: "dim"}, ...notes.map(note => make("li", {text: note})))] : []));
}

function startFindings() {
  const row = byId("effects");
  const show = (button, chosen) => {
    for (const other of row.children) other.setAttribute("aria-pressed", String(other === button));
    const list = make("div", {});
    const below = make("div", {});
    byId("findings").replaceChildren(list, below);
    showSome(list, below, chosen, mostFindings, drawFinding);
  };
  if (findings.length === 0) return byId("findings").append(make("p", {class: "dim", text: "No findings."}));
  const groups = [["all", findings], ...effects.map(effect => [effect, findings.filter(each => each.effect === effect)])];
  for (const [name, chosen] of groups) {
    if (chosen.length === 0) continue;
    const button = make("button", {type: "button", text: name + " " + chosen.length, onclick: () => show(button, chosen)});
    row.append(button);
  }
  show(row.firstChild, findings);
}

// Capacity.
function cell(text, isNumber) { return make("td", isNumber ? {class: "number"} : {}, text); }

function drawUse(used, all, noun, name) {
  if (all === null) return make("td", {}, count(used, noun));
  const text = used + " of " + count(all, noun);
  const told = used > all ? make("span", {class: "over", text: text + ", more than there are"}) : text;
  const worst = used > all ? {low: 0.01, high: 0.02, optimum: 0} : {};  // which browsers draw in red
  const meter = make("meter", {min: 0, max: Math.max(all, 1), value: used, "aria-label": name + ": " + text, ...worst});
  return make("td", {}, meter, told);
}

function drawTable(caption, titles, rows) {
  return scrolled(caption, make("table", {}, make("caption", {text: caption}),
    make("thead", {}, make("tr", {}, ...titles.map(title => make("th", {scope: "col", text: title})))),
    make("tbody", {}, ...rows)));
}

function drawPicture(drawn, label) {
  const described = textOf(drawn.described);
  const source = "data:image/svg+xml," + encodeURIComponent(textOf(drawn.picture));
  return [scrolled(label, make("img", {alt: described.split("\n")[0], src: source})),
          make("details", {}, make("summary", {text: "The picture in words"}), make("pre", {tabindex: "0", text: described}))];
}

function startCapacity() {
  const section = byId("capacity");
  for (const cluster of data.clusters) {
    if (cluster.pools.length === 0 && cluster.queues.length === 0) continue;
    section.append(make("h2", {text: "Capacity" + (cluster.name ? " of " + cluster.name : "")}));
    if (cluster.pools.length) {
      section.append(drawTable("Pools, with the nodes that the jobs would take, each job on its own", ["pool", "nodes", "jobs would take"],
        cluster.pools.map(pool => make("tr", {}, make("th", {scope: "row", text: pool.name}), cell(pool.about),
                                       drawUse(pool.taken, pool.nodes, "node", pool.name)))));
    }
    if (cluster.queues.length) {
      section.append(drawTable("Queues, with what their jobs ask for together", ["queue", "bounds", "jobs", "pods", "GPUs"],
        cluster.queues.map(queue => make("tr", {},
          make("th", {scope: "row", text: queue.name || "no queue"}),
          cell(queue.known || !queue.name ? queue.amounts.join("; ") : cluster.name ? "the Cluster does not have it" : ""),
          cell(queue.jobs), cell(queue.pods), drawUse(queue.gpus, queue.quota, "GPU", queue.name)))));
    }
    if (cluster.picture) {
      const details = make("details", {}, make("summary", {text: "Picture"}));
      details.addEventListener("toggle", () => details.append(...drawPicture(cluster, "picture of the capacity")), {once: true});
      section.append(details);
    }
  }
}

// Jobs.
const jobs = data.files.flatMap((file, at) => file.jobs.map((job, number) => {
  const own = findingsOfFile.get(file.path) || [];
  const errors = own.filter(each => each.severity === "error").length;
  const warnings = own.filter(each => each.severity === "warning").length;
  return {...job, at, number, path: file.path, cluster: data.clusters[file.cluster].name, worst: errors * 1e6 + warnings,
          found: [errors && count(errors, "error"), warnings && count(warnings, "warning")].filter(Boolean).join(", ")};
}));
for (const job of jobs) job.words = [job.name, job.cluster, job.namespace, job.queue, job.path, job.found].join(" ").toLowerCase();
const columns = [
  {key: "name", title: "job"}, {key: "cluster", title: "cluster", optional: true}, {key: "namespace", title: "namespace", optional: true},
  {key: "queue", title: "queue", optional: true}, {key: "pods", title: "pods", number: true}, {key: "gpus", title: "GPUs", number: true},
  {key: "found", title: "findings", by: "worst"}, {key: "path", title: "file"}
].filter(column => !column.optional || jobs.some(job => job[column.key]));
let sortedBy = null;
let descending = false;

function drawRows() {
  const words = byId("filter").value.toLowerCase().split(/\s+/).filter(Boolean);
  const chosen = jobs.filter(job => words.every(word => job.words.includes(word)));
  if (sortedBy) {
    const key = sortedBy.by || sortedBy.key;
    const sign = descending ? -1 : 1;
    chosen.sort((a, b) => sign * (typeof a[key] === "number" ? a[key] - b[key] : order.compare(a[key], b[key])));
  }
  showSome(byId("rows"), byId("more-rows"), chosen, mostRows, drawRow);
  byId("counted").textContent = chosen.length + " of " + count(jobs.length, "job");
}

function drawRow(job) {
  const row = make("tr", {onclick: () => go(job.at, job.number)}, ...columns.map(column => {
    if (column.key === "name") return make("th", {scope: "row"}, make("button", {type: "button", text: job.name}));
    return make("td", {class: column.number ? "number" : column.key === "path" ? "path" : "", text: job[column.key]});
  }));
  row.dataset.hash = hashOf(job.at, job.number);
  mark(row);
  return row;
}

function mark(row) {
  if (row.dataset.hash === location.hash) row.setAttribute("aria-current", "true");
  else row.removeAttribute("aria-current");
}

function startJobs() {
  const head = byId("head");
  for (const column of columns) {
    const title = make("th", {scope: "col", class: column.number ? "number" : ""}, make("button", {type: "button", text: column.title, onclick: () => {
      descending = sortedBy === column && !descending;
      sortedBy = column;
      for (const other of head.children) other.removeAttribute("aria-sort");
      title.setAttribute("aria-sort", descending ? "descending" : "ascending");
      drawRows();
    }}));
    head.append(title);
  }
  byId("filter").addEventListener("input", drawRows);
  drawRows();
}

// One file: the picture of a job, and the spec beside what is made of it. The address of the page names it, so that the
// buttons of the browser and links work.
function hashOf(at, number) {
  const file = data.files[at];
  const job = number === null ? [] : [file.jobs[number].name];
  return "#" + [data.clusters[file.cluster].name, file.path, ...job].map(encodeURIComponent).join("&");
}

function go(at, number, line) {
  const hash = hashOf(at, number);
  if (location.hash === hash) open(at, number, line);
  else {
    lineToShow = line;
    location.hash = hash;
  }
}
let lineToShow;

function openNamed() {
  const line = lineToShow;
  lineToShow = undefined;
  for (let at = 0; at < data.files.length; ++at) {
    if (location.hash === hashOf(at, null)) return open(at, null, line);
    for (let number = 0; number < data.files[at].jobs.length; ++number) {
      if (location.hash === hashOf(at, number)) return open(at, number, line);
    }
  }
}

function open(at, number, line) {
  for (const row of byId("rows").children) mark(row);
  const file = data.files[at];
  const job = file.jobs[number === null ? 0 : number];
  const title = make("h2", {text: job ? job.name : file.path, tabindex: "-1"});
  const detail = byId("detail");
  detail.replaceChildren(title);
  if (job && job.picture) detail.append(...drawPicture(job, "picture of the job"));
  if (job && job.whyNone) detail.append(make("p", {class: "dim", text: "No picture: " + job.whyNone}));
  const lines = new Lines(file);
  detail.append(...lines.elements);
  title.focus({preventScroll: true});
  title.scrollIntoView();
  if (line) lines.reveal(line);
}

// One or two texts whose lines lead to each other. The line that the pointer or the keyboard is at lights up what it is
// linked with; a click or Enter keeps it, and Escape lets it go.
class Lines {
  constructor(file) {
    this.file = file;
    this.kept = null;
    this.lit = [];
    this.index(file);
    this.why = make("div", {class: "why", role: "status", "aria-label": "origin of the line"});
    const sides = [];
    if (file.spec) sides.push(this.spec = this.side("Spec: " + file.path, file.spec, "spec"));
    if (file.made) sides.push(this.made = this.side(file.spec ? "Manifests" : "Manifest: " + file.path, file.made, "made"));
    this.elements = [make("div", {class: sides.length === 1 ? "sides one" : "sides"}, ...sides.map(side => side.column)), this.why];
    this.say(null);
  }

  // By line: the values of the output on it, and those that a line of the spec led to.
  index(file) {
    this.ofMade = new Map();
    this.ofSpec = new Map();
    const add = (map, line, leaf) => { if (map.get(line)?.push(leaf) === undefined) map.set(line, [leaf]); };
    for (let i = 0; i < file.leaves.length; i += 3) {
      const [first, last, chain] = file.leaves.slice(i, i + 3);
      const leaf = {first, last, steps: data.chains[chain].map(step => this.step(data.steps[step]))};
      for (let line = first; line <= last; ++line) add(this.ofMade, line, leaf);
      for (const line of new Set(leaf.steps.filter(step => step.ownLine).map(step => step.ownLine))) add(this.ofSpec, line, leaf);
    }
  }

  step([kind, name, file, line, depth, text]) {
    const told = number => number < 0 ? "" : data.lines[number];
    return {kind: told(kind), name: told(name), file: told(file), line, depth, text: told(text), ownLine: file < 0 ? line : 0};
  }

  side(title, numbers, which) {
    const box = make("div", {class: "code", role: "listbox", tabindex: "0", "aria-label": title});
    const lines = numbers.map((number, at) =>
      make("div", {role: "option", id: which + "-" + (at + 1), "data-line": at + 1, "aria-selected": "false", text: data.lines[number] || " "}));
    box.append(...lines);
    const side = {which, lines, box, now: 0, column: make("div", {}, make("h3", {text: title}), box), findings: new Map()};
    const holdsFindings = which === "spec" || !this.file.spec;
    for (const each of holdsFindings ? findingsOfFile.get(this.file.path) || [] : []) this.markFinding(side, each);
    const lineOf = event => Number(event.target.closest("[data-line]")?.dataset.line || 0);
    box.addEventListener("pointerover", event => { if (lineOf(event)) this.at(side, lineOf(event), false); });
    box.addEventListener("pointerleave", () => this.show(this.kept));
    box.addEventListener("click", event => { if (lineOf(event)) this.at(side, side.now = lineOf(event), true); });
    box.addEventListener("keydown", event => this.key(side, event));
    return side;
  }

  markFinding(side, finding) {
    const line = finding.start.line;
    const element = side.lines[line - 1];
    if (!element) return;
    const known = side.findings.get(line) || [];
    known.push(finding);
    side.findings.set(line, known);
    element.classList.add(known[0].severity);
    element.setAttribute("aria-description", known.map(each => each.severity + ": " + each.message).join("; "));
  }

  key(side, event) {
    const step = {ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15, Home: -1e9, End: 1e9}[event.key];
    if (event.key === "Escape") {
      this.kept = null;
      return this.show(null);
    }
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (step !== undefined) side.now = Math.max(1, Math.min(side.lines.length, side.now + step));
    else if ((event.key !== "Enter" && event.key !== " ") || !side.now) return;
    event.preventDefault();
    this.moveTo(side, side.now);
    this.at(side, side.now, step === undefined);
  }

  moveTo(side, line) {
    side.box.querySelector(".at")?.classList.remove("at");
    side.lines[line - 1].classList.add("at");
    side.lines[line - 1].scrollIntoView({block: "nearest"});
    side.box.setAttribute("aria-activedescendant", side.which + "-" + line);
  }

  // Keeps a line of the side in which findings are.
  reveal(line) {
    const side = this.spec || this.made;
    if (!side?.lines[line - 1]) return;
    side.now = line;
    side.box.focus({preventScroll: true});
    side.box.scrollIntoView({block: "nearest"});
    this.moveTo(side, line);
    this.kept = null;
    this.at(side, line, true);
  }

  at(side, line, keep) {
    const leaves = (side === this.made ? this.ofMade : this.ofSpec).get(line) || [];
    const isKept = this.kept && this.kept.side === side && this.kept.line === line;
    const chosen = {side, line, leaves};
    if (keep) this.kept = isKept ? null : chosen;
    this.show(keep ? this.kept : chosen);
  }

  show(chosen) {
    for (const line of this.lit) {
      line.classList.remove("lit", "kept");
      line.setAttribute("aria-selected", "false");
    }
    this.lit = [];
    if (chosen) this.light(chosen);
    this.say(chosen);
  }

  light(chosen) {
    const style = chosen === this.kept ? "kept" : "lit";
    const light = (side, line) => {
      const element = side?.lines[line - 1];
      if (!element) return;
      element.classList.add(style);
      this.lit.push(element);
      return element;
    };
    light(chosen.side, chosen.line)?.setAttribute("aria-selected", "true");
    const others = [];
    for (const leaf of chosen.leaves) {
      if (chosen.side === this.made) others.push(...leaf.steps.map(step => light(this.spec, step.ownLine)));
      else for (let line = leaf.first; line <= leaf.last; ++line) others.push(light(this.made, line));
    }
    if (style === "kept") scrollInside(others.filter(Boolean));
  }

  say(chosen) {
    this.why.replaceChildren();
    if (!chosen) {
      const both = this.spec && this.made;
      return this.why.append(make("span", {class: "dim", text: both
        ? "Point at a line, or move to it by the arrow keys, to see where it comes from. A click or Enter keeps it."
        : "Point at a line with a mark to read its findings."}));
    }
    const own = chosen.side.findings.get(chosen.line) || [];
    this.why.append(...own.map(drawFinding));
    if (chosen.side === this.made && this.spec) this.sayOrigin(chosen);
    else if (this.made && this.spec) {
      const values = chosen.leaves.length ? count(chosen.leaves.length, "value") : "no value by itself";
      this.why.append("line " + chosen.line + " of the spec leads to " + values);
    } else if (own.length === 0) {
      this.why.append(make("span", {class: "dim", text: "line " + chosen.line + ": no findings"}));
    }
  }

  sayOrigin(chosen) {
    if (chosen.leaves.length === 0) {
      return this.why.append(make("span", {class: "dim", text: "line " + chosen.line + " has no value of its own"}));
    }
    const told = new Map();
    for (const step of chosen.leaves.flatMap(leaf => leaf.steps)) {
      const line = this.told(step);
      if (!told.has(line.textContent)) told.set(line.textContent, line);
    }
    this.why.append("line " + chosen.line + " comes from", make("ul", {}, ...told.values()));
  }

  told(step) {
    const text = step.ownLine ? data.lines[this.file.spec[step.ownLine - 1]] : step.text;
    const place = step.ownLine ? "line " + step.ownLine : step.file ? step.file + ":" + step.line : "";
    const line = make("li", {}, make("strong", {text: step.kind}), [" " + step.name, place].filter(part => part.trim()).join(" ") && " " + [step.name, place].filter(Boolean).join(" "));
    if (text) line.append(": ", step.kind === "rule" ? text : make("code", {text: text.trim()}));
    line.style.marginLeft = step.depth * 1.2 + "em";
    return line;
  }
}

// Brings the first of some lines into view, within its own box alone.
function scrollInside(lines) {
  const first = lines.sort((a, b) => a.dataset.line - b.dataset.line)[0];
  if (!first) return;
  const box = first.parentElement;
  const top = first.offsetTop - box.offsetTop;
  if (top < box.scrollTop || top > box.scrollTop + box.clientHeight - 30) box.scrollTop = top - box.clientHeight / 3;
}

function start() {
  const sum = key => jobs.reduce((all, job) => all + job[key], 0);
  const amounts = severities.map(severity => [severity, findings.filter(each => each.severity === severity).length]);
  byId("title").textContent = data.title;
  document.title = data.title + " – Trainyard report";
  byId("summary").textContent = [count(jobs.length, "job"), count(sum("pods"), "pod"), count(sum("gpus"), "GPU"),
    ...amounts.filter(([, number]) => number).map(([severity, number]) => count(number, severity))].join(", ");
  startFindings();
  startCapacity();
  startJobs();
  addEventListener("hashchange", openNamed);
  openNamed();
}
start();
