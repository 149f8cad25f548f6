"""The page of `trainyard report` in a real browser: what people do with it, on a desk and on a phone.

usage: report_page.py TRAINYARD SOURCE_FOLDER [SCREENSHOT_FOLDER]

Needs a Chromium (Debian: `chromium`) and, for axe-core, npm. Exits 77, saying why, without the one or the other; what
needs no axe-core has been checked then.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import chromium  # pylint: disable=wrong-import-position

AXE = "axe-core@4.10.3"
CLUSTER = "examples/clusters/gke-a3-mega.yaml"
EXAMPLES = ["gke-a3-mega", "grpo-3-programs", "tao-dino-4-nodes", "deepspeed-finetune"]
JOBS = 1000
MOST_BYTES = 15_000_000
PHONE = {"width": 390, "height": 844, "phone": True}


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def expect(what, found, wanted):
    if found != wanted:
        sys.exit(f"{what}: found {found!r}, wanted {wanted!r}")
    print(f"{what}: as it has to be")


def expect_part(what, text, part):
    if part not in text:
        sys.exit(f"{what}: no {part!r} in {text!r}")
    print(f"{what}: as it has to be")


def axe_script():
    """The text of axe-core, from npm once; None where it cannot be had."""
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "trainyard"
    script = cache / AXE.replace("@", "-") / "package" / "axe.min.js"
    if script.exists():
        return script.read_text(encoding="utf-8")
    if not shutil.which("npm"):
        return None
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache) as made:
        packed = subprocess.run(["npm", "pack", "--silent", AXE], cwd=made, capture_output=True, text=True, check=False)
        if packed.returncode != 0:
            return None
        unpacked = pathlib.Path(made) / "unpacked"
        unpacked.mkdir()
        subprocess.run(["tar", "-xzf", packed.stdout.strip().splitlines()[-1], "-C", "unpacked"], cwd=made, check=True)
        if not script.parent.parent.exists():
            unpacked.rename(script.parent.parent)
    return script.read_text(encoding="utf-8")


class Reports:
    """Writes pages."""

    def __init__(self, program, source, scratch):
        self.program = program
        self.source = source
        self.scratch = scratch

    def write(self, name, *inputs, code=0):
        path = self.scratch / name
        done = subprocess.run([self.program, "report", *map(str, inputs), "-o", str(path)], cwd=self.source,
                              capture_output=True, text=True, check=False)
        if done.returncode != code:
            sys.exit(f"report ended with {done.returncode}:\n{done.stderr[-3000:]}")
        return path

    def fleet(self):
        """Many specs, each with its name and a line of its own."""
        folder = self.scratch / "fleet"
        folder.mkdir()
        for number in range(JOBS):
            text = (self.source / "examples" / EXAMPLES[number % len(EXAMPLES)] / "spec.yaml").read_text()
            text = text.replace("name: ", f"name: j{number}-", 1)
            (folder / f"job-{number}.yaml").write_text(f"# Job {number} of the fleet.\n{text}")
        return folder


def drive_table(page):
    """Sorting and filtering."""
    def gpus():
        return page.evaluate("[...document.querySelectorAll('#rows tr')]"
                             ".map(row => Number(row.children[column('GPUs')].textContent))")

    page.evaluate("void (window.column = title => [...document.getElementById('head').children]"
                  ".findIndex(each => each.textContent === title))")
    place = page.evaluate("column('GPUs') + 1")
    title = f"#head th:nth-child({place}) button"
    page.click(title)
    expect("a click on a title sorts", gpus(), sorted(gpus()))
    sort = page.evaluate(f"document.querySelector('#head th:nth-child({place})').ariaSort")
    expect("the title says how", sort, "ascending")
    page.click(title)
    expect("another click sorts the other way round", gpus(), sorted(gpus(), reverse=True))
    page.click("#filter")
    page.type("GRPO")
    expect("words in the field filter", page.count("#rows tr"), 1)
    expect_part("and the number of jobs is told", page.text("#counted"), "1 of ")
    page.evaluate("void (document.getElementById('filter').value = '')")
    page.type(" ")
    expect("without words all jobs are there", page.count("#rows tr"), len(EXAMPLES))


def line_of(page, side, text):
    """The selector of the first line of the spec or of the manifests that has a text."""
    number = page.evaluate(f"[...document.querySelectorAll('[id^={side}-]')]"
                           f".findIndex(line => line.textContent.includes({text!r})) + 1")
    if number == 0:
        sys.exit(f"no line of {side} has {text!r}")
    return f"#{side}-{number}"


def lit(page, kind="lit"):
    return page.evaluate(f"[...document.querySelectorAll('[id^=spec-].{kind}')].map(line => line.textContent.trim())")


def drive_lines(page):
    """Pointing, clicking, and the keyboard."""
    page.click("#filter")
    page.type("llama-gke")
    page.click("#rows tr button")
    expect_part("a click on a job opens it", page.text("#detail h2"), "llama-gke")
    expect("with its picture", page.evaluate("document.querySelector('#detail img').complete && "
                                             "document.querySelector('#detail img').naturalWidth > 300"), True)
    line = line_of(page, "made", "numNodes: 2")
    page.point(line)
    expect("pointing at a line lights up its line of the spec", lit(page), ["nodes: 2"])
    expect_part("and tells the template", page.text(".why"), "templates/trainjob/")
    page.point("h1")
    expect("it goes out when the pointer leaves", lit(page), [])
    page.click(line)
    page.point("h1")
    expect("a click keeps it", lit(page, "kept"), ["nodes: 2"])
    page.click(line)
    page.point("h1")
    expect("another click lets it go", lit(page, "kept"), [])
    page.point(line_of(page, "spec", "gpusPerNode"))
    made = page.evaluate("[...document.querySelectorAll('[id^=made-].lit')].map(line => line.textContent).join()")
    expect_part("a line of the spec lights up what it leads to", made, 'nvidia.com/gpu: "8"')


def drive_keys(page):
    """The same without a pointer, from the field of the filter on."""
    page.evaluate("void document.getElementById('filter').focus()")
    page.press("Tab", "Tab")  # the table, which scrolls, and its first title
    while page.evaluate("document.activeElement.closest('#rows') === null"):
        page.press("Tab")
    page.press("Enter")
    expect("Enter on a job opens it and goes there", page.evaluate("document.activeElement.tagName"), "H2")
    while page.evaluate("document.activeElement.getAttribute('role') !== 'listbox'"):
        page.press("Tab")
    page.press("Tab", "Home")
    number = int(line_of(page, "made", "numNodes: 2").split("-")[1])
    page.press(*["ArrowDown"] * (number - 1))
    expect("arrows go to a line and light up its origin", lit(page), ["nodes: 2"])
    page.press("Enter", "ArrowDown")
    page.press("ArrowUp", "Escape")
    expect("Escape lets a kept line go", lit(page, "kept"), [])
    page.press("Enter")
    expect("Enter keeps a line", lit(page, "kept"), ["nodes: 2"])
    expect("the line is told to readers of screens",
           page.evaluate("document.activeElement.getAttribute('aria-activedescendant')"), f"made-{number}")


def check_axe(page, script, what):
    if script is None:
        return
    page.evaluate("void document.querySelectorAll('details').forEach(each => { each.open = true; })")
    page.call("Runtime.evaluate", expression=script)
    found = page.evaluate("axe.run().then(result => result.violations.map(each => "
                          "`${each.impact}: ${each.id}: ${each.nodes[0].html.slice(0, 200)}`))")
    expect(f"axe-core finds nothing on {what}", found, [])


def check_small(browser, path, axe, shot):
    page = browser.page(width=1400, height=1000)
    page.open(path)
    page.screenshot(shot("wide-light"))
    drive_table(page)
    drive_lines(page)
    drive_keys(page)
    page.screenshot(shot("wide-light-lines"))
    check_axe(page, axe, "a wide light page")
    named = page.evaluate("location.hash")
    expect("a wide light page has no fault", page.faults(), [])

    page = browser.page(width=1400, height=1000, dark=True)
    page.open(f"{path}{named}")
    expect_part("the address names a job", page.text("#detail h2"), "llama-gke")
    page.screenshot(shot("wide-dark"))
    check_axe(page, axe, "a wide dark page")
    expect("a dark page has no fault", page.faults(), [])

    for dark in (False, True):
        page = browser.page(dark=dark, **PHONE)
        page.open(path)
        name = "narrow-dark" if dark else "narrow-light"
        page.screenshot(shot(name))
        page.tap("#rows tr button")
        line = line_of(page, "made", "numNodes: 2")
        page.tap(line)
        expect("a tap keeps a line on a phone", lit(page, "kept"), ["nodes: 2"])
        page.screenshot(shot(name + "-lines"))
        fits = page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        expect("a phone need not scroll sideways", fits, True)
        check_axe(page, axe, f"a phone, {name}")
        expect("a page on a phone has no fault", page.faults(), [])


def check_findings(browser, path, shot):
    page = browser.page()
    page.open(path)
    page.screenshot(shot("findings"))
    expect_part("findings are told with their effect", page.text("#findings"), "unknown-field, refused")
    page.click("#findings .finding button")
    expect_part("the place of a finding opens its file", page.text("#detail h2"), "wrong.yaml")
    expect_part("at its line", page.text("#detail .kept"), "gpuPerNode")
    expect_part("with the finding below", page.text(".why"), "unknown field")
    expect("hostile text has made no element", page.count("#hostile"), 0)
    expect("a page with findings has no fault", page.faults(), [])


def check_many(browser, path, shot):
    size = path.stat().st_size
    print(f"{JOBS} jobs: {size} bytes")
    expect(f"{JOBS} jobs stay below {MOST_BYTES} bytes", size < MOST_BYTES, True)
    page = browser.page(width=1400, height=1000)
    print(f"opened in {page.open(path):.0f} ms")
    expect_part("all jobs are counted", page.text("#summary"), f"{JOBS} jobs")
    expect("few rows are drawn at first", page.count("#rows tr"), 200)
    page.screenshot(shot("many"))
    steps = {
        "sort": "document.querySelectorAll('#head button')[0].click()",
        "filter": "(filter => { filter.value = 'j77'; filter.dispatchEvent(new Event('input')); })"
                  "(document.getElementById('filter'))",
        "open": "document.querySelector('#rows button').click()",
        "point": "document.querySelector('#made-20').dispatchEvent(new PointerEvent('pointerover', {bubbles: true}))",
    }
    for name, step in steps.items():
        took = page.evaluate(f"(() => {{ const begin = performance.now(); {step}; document.body.offsetHeight;"
                             "return performance.now() - begin; })()")
        print(f"{name}: {took:.1f} ms in the page")
    expect_part("a job among many opens", page.text("#detail h2"), "j77")
    expect("a page of many jobs has no fault", page.faults(), [])


def main():
    program, source = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    path = chromium.program()
    if path is None:
        skip("no Chromium is installed (Debian: apt-get install chromium)")
    with tempfile.TemporaryDirectory(prefix="trainyard-report-") as folder:
        scratch = pathlib.Path(folder)
        shots = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else scratch
        shots.mkdir(parents=True, exist_ok=True)
        reports = Reports(program, source, scratch)
        small = reports.write("small.html", CLUSTER, *[f"examples/{each}/spec.yaml" for each in EXAMPLES])
        wrong = scratch / "wrong.yaml"
        wrong.write_text("apiVersion: trainyard/v1alpha1\nkind: TrainingJob\nmetadata: {name: wrong}\nspec:\n"
                         "  image: x:1\n  run: {script: a.py}\n  gpuPerNode: 1\n"
                         "  env: {A: '</script><b id=hostile>'}\n")
        findings = reports.write("findings.html", wrong, "examples/smoke-1-gpu/spec.yaml", code=1)
        many = reports.write("many.html", CLUSTER, reports.fleet())
        axe = axe_script()

        def shot(name):
            return shots / f"{name}.png"

        with chromium.Chromium(path) as browser:
            check_small(browser, small, axe, shot)
            check_findings(browser, findings, shot)
            check_many(browser, many, shot)
    if axe is None:
        skip("axe-core cannot be had without npm and a network; all else holds")


if __name__ == "__main__":
    main()
