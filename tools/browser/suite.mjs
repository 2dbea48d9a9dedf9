// The review page as people use it, in Debian's Chromium: node suite.mjs EXACTA [SHOTS]
// EXACTA is the program; into SHOTS, if it is given, go the pictures that the documents show.
import { chromium } from "playwright-core";
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import assert from "node:assert/strict";

const [exacta, shots] = process.argv.slice(2);
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const DESKTOP = { width: 1280, height: 800 }, PHONE = { width: 390, height: 844 };

/** A throw-away user with a throw-away project, and the server between them. */
class World {
  constructor(name = "greeter") {
    this.folder = mkdtempSync(join(tmpdir(), "exacta-browser-"));
    this.project = join(this.folder, name);
    mkdirSync(this.project);
    this.write("src/greet.py", "import sys\n\n\ndef greet(name):\n    return f\"hello {name}\"\n\n\ndef main():\n    name = \"world\"\n    print(greet(name))\n\n\nif __name__ == \"__main__\":\n    main()\n");
    this.run("init", "--approver", "ann", "--no-passphrase");
  }
  env() { return { PATH: process.env.PATH, EXACTA_HOME: join(this.folder, "home") }; }
  write(path, text) {
    mkdirSync(dirname(join(this.project, path)), { recursive: true });
    writeFileSync(join(this.project, path), text);
  }
  read(path) { return readFileSync(join(this.project, path), "utf8"); }
  run(...args) { return execFileSync(exacta, args, { cwd: this.project, env: this.env(), encoding: "utf8" }); }
  submit(plan, code = 30) {
    const file = join(this.folder, "plan.json");
    writeFileSync(file, JSON.stringify(plan));
    try { this.run("submit", file, "--json", "--agent", "codex"); } catch (error) {
      const told = JSON.parse(error.stdout);
      assert.equal(error.status, code, `exit code ${error.status}`);
      return told.plan_id;
    }
    throw new Error("nobody had to be asked");
  }
  async serve() {
    this.server = spawn(exacta, ["serve", "--listen", "127.0.0.1:0", "--json"], { cwd: this.project, env: this.env(), stdio: ["ignore", "pipe", "inherit"] });
    const told = await new Promise((resolve, reject) => {
      let text = "";
      this.server.stdout.on("data", (piece) => { text += piece; if (text.includes("\n")) resolve(JSON.parse(text)); });
      this.server.on("exit", (code) => reject(new Error(`the server ended with ${code}`)));
    });
    this.base = `http://${told.address}`;
    return told.session_url;
  }
  async end() {
    if (this.server) {
      const ended = new Promise((resolve) => { this.server.removeAllListeners("exit"); this.server.on("exit", resolve); });
      this.server.kill("SIGTERM");
      assert.equal(await ended, 0, "the server ends in order");
    }
    this.run("audit", "verify");
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const step = (id, target, rest) => ({ id, type: "file_modify", target, dependencies: [], ...rest });
const proposal = (text, steps, more = {}) => ({
  schema: "exacta.plan/1", intent: { type: "FixBug", text, target: { files: steps.map((step) => step.target) } },
  model: { provider: "openai", model: "gpt-5.5" }, steps, ...more,
});
const fix = () => proposal("greet takes the name from the first argument", [
  step("s1", "src/greet.py", {
    description: "Take the name from the first argument, and fall back to `world` where there is none.",
    edits: [{ find: "    name = \"world\"\n", replace: "    name = sys.argv[1] if len(sys.argv) > 1 else \"world\"\n" }],
  }),
  { id: "s2", type: "file_create", target: "tests/test_greet.py", dependencies: ["s1"], description: "A regression test: the greeting names its argument.",
    content: "from src.greet import greet\n\n\ndef test_greet():\n    assert greet(\"ann\") == \"hello ann\"\n" },
]);

const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--force-color-profile=srgb"] });

/** Opens the review page in a browser of its own. */
async function opened(world, options = {}) {
  const url = await world.serve();
  const context = await browser.newContext({ viewport: DESKTOP, reducedMotion: "reduce", ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  page.on("dialog", () => { throw new Error("a dialog came up"); });
  page.on("console", (message) => { if (message.type() === "error" && !/ERR_|Failed to load resource/.test(message.text())) throw new Error(message.text()); });
  await page.goto(url);
  if (options.javaScriptEnabled === false) await page.getByRole("button", { name: "Open the review page" }).click();
  await page.waitForSelector("h1:has-text('Waiting for you')");
  return page;
}

async function noSeriousFinding(page, what) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => axe.run());
  const serious = violations.filter((it) => ["serious", "critical"].includes(it.impact));
  assert.deepEqual(serious.map((it) => `${it.id}: ${it.nodes.map((node) => node.html).slice(0, 3).join(" | ")}`), [], what);
}

/** The plan's page, whole: its style and its script have come, too. Before that, the boxes on it are not where people see them. */
async function shownPlan(page) {
  await page.waitForSelector(".hunk");
  await page.waitForLoadState("load");
}

/** Everything that one decides by is seen without scrolling, and nothing is cut off at the side. */
async function decidable(page) {
  const boxes = await page.evaluate(() => {
    const parts = { title: "h1", why: ".why", files: ".files", hunk: ".hunk .diff tr:nth-child(3)", actions: ".actions" };
    const box = (query) => {
      const { left, top, right, bottom } = document.querySelector(query)?.getBoundingClientRect() ?? {};
      return { left, top, right, bottom };
    };
    const found = Object.fromEntries(Object.entries(parts).map(([name, query]) => [name, box(query)]));
    return { ...found, page: { left: 0, top: 0, right: innerWidth, bottom: innerHeight, wide: document.documentElement.scrollWidth } };
  });
  const told = Object.entries(boxes).map(([name, box]) => `  ${name}: ${JSON.stringify(box)}`).join("\n");
  for (const name of ["title", "why", "files", "hunk", "actions"]) {
    const box = boxes[name], below = name === "actions" ? boxes.page.bottom : boxes.actions.top;
    assert.ok(box.right > box.left && box.top >= 0 && box.bottom <= below, `${name} is not in the first view:\n${told}`);
  }
  assert.ok(boxes.page.wide <= boxes.page.right, `something is wider than the screen:\n${told}`);
}

const shot = async (page, name) => { if (shots) await page.screenshot({ path: join(shots, `${name}.png`) }); };
const open = (page, words) => page.getByRole("link", { name: words }).first().click();

const tests = {
  async "review, approve and run, undo, on a desk"() {
    const world = new World();
    world.submit(fix());
    const page = await opened(world);
    await noSeriousFinding(page, "inbox");
    await shot(page, "inbox");
    await open(page, "greet takes the name");
    await shownPlan(page);
    await decidable(page);
    await noSeriousFinding(page, "plan");
    await shot(page, "review");
    await page.getByRole("link", { name: "Two columns" }).click();
    await page.waitForSelector(".diff.split");
    await page.getByRole("button", { name: "Approve and run" }).click();
    await page.waitForSelector("h2:has-text('Run completed')");
    assert.match(world.read("src/greet.py"), /sys\.argv\[1\]/);
    await noSeriousFinding(page, "run");
    await shot(page, "run");
    await page.getByRole("link", { name: "Undo…" }).click();
    await noSeriousFinding(page, "undo");
    await page.getByRole("button", { name: "Undo it" }).click();
    await page.waitForSelector("h2:has-text('Run undone')");
    assert.doesNotMatch(world.read("src/greet.py"), /sys\.argv\[1\]/);
    await page.getByRole("link", { name: "History" }).click();
    await page.waitForSelector("text=undone");
    await world.end();
  },

  async "review on a phone, in the dark"() {
    const world = new World();
    world.submit(fix());
    const page = await opened(world, { viewport: PHONE, hasTouch: true, isMobile: true, colorScheme: "dark" });
    await open(page, "greet takes the name");
    await shownPlan(page);
    await decidable(page);
    await noSeriousFinding(page, "phone");
    await shot(page, "review-phone");
    await page.locator("summary", { hasText: "Reject…" }).click();
    await page.getByLabel("Why, for the record").fill("not in this release");
    await page.getByRole("button", { name: "Reject", exact: true }).click();
    await page.waitForSelector("text=not in this release");
    await world.end();
  },

  async "long names and large letters leave room for the first change"() {
    const world = new World("the-greeter-of-the-department-for-long-names-and-their-abbreviations");
    const plan = fix();
    plan.intent.text = "greet takes the name from the first argument of the command line, because everybody who tried it on the first day wanted just that, and nobody found out how";
    plan.steps[0].description = `Take the name from the first argument. ${"The reasons for it are many, and all of them are good. ".repeat(20)}`;
    world.submit(plan);
    const page = await opened(world, { viewport: PHONE, hasTouch: true, isMobile: true });
    await open(page, "greet takes the name");
    await shownPlan(page);
    await decidable(page);
    await page.evaluate(() => { document.documentElement.style.fontSize = "18px"; });
    await decidable(page);
    await shot(page, "review-phone-long");
    await world.end();
  },

  async "hunks are selected, and the new plan is judged and approved on its own"() {
    const world = new World();
    const lines = Array.from({ length: 30 }, (_, at) => `line ${at + 1}\n`);
    world.write("notes.txt", lines.join(""));
    world.submit(proposal("three changes in the notes", [step("s1", "notes.txt", {
      description: "Change the first, the fifteenth and the last line.",
      edits: [1, 15, 30].map((at) => ({ find: `line ${at}\n`, replace: `line ${at}, changed\n` })),
    })]));
    const page = await opened(world);
    await open(page, "three changes");
    await page.getByLabel("Select parts").check();
    await page.getByLabel("select hunk 2 of notes.txt").check();
    await page.getByRole("button", { name: "Make a plan of what is selected" }).click();
    await page.waitForSelector("text=has only hunk 2");
    assert.equal(await page.locator(".hunk").count(), 1);
    await noSeriousFinding(page, "derived");
    await page.getByRole("button", { name: "Approve and run" }).click();
    await page.waitForSelector("h2:has-text('Run completed')");
    const after = world.read("notes.txt").split("\n");
    assert.deepEqual([after[0], after[14], after[29]], ["line 1", "line 15, changed", "line 30"]);
    await world.end();
  },

  async "a target that changes expires the plan before one's eyes"() {
    const world = new World();
    world.submit(fix());
    const page = await opened(world);
    await open(page, "greet takes the name");
    await page.waitForSelector(".hunk");
    world.write("src/greet.py", "changed = True\n");
    await page.waitForSelector("#over:has-text('src/greet.py')");
    assert.equal(await page.getByRole("button", { name: "Approve", exact: true }).count(), 0);
    assert.match(world.run("list", "--status", "expired"), /greet takes/);
    await world.end();
  },

  async "keys alone"() {
    const world = new World();
    world.submit(fix());
    const page = await opened(world);
    await page.waitForSelector("html.keys");
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await shownPlan(page);
    await page.waitForSelector("html.keys");
    await page.keyboard.press("n");
    assert.equal(await page.evaluate(() => document.activeElement.className), "hunk");
    await page.keyboard.press("v");
    await page.waitForSelector(".step.seen");
    await page.keyboard.press("a");
    await page.waitForSelector("dialog");
    await page.keyboard.press("n");
    await page.keyboard.press("Enter");
    assert.equal(world.read("src/greet.py").includes("sys.argv[1]"), false);
    await page.keyboard.press("x");
    await page.waitForSelector("dialog");
    await page.keyboard.press("y");
    await page.waitForSelector("h2:has-text('Run completed')");
    assert.match(world.read("src/greet.py"), /sys\.argv\[1\]/);
    await world.end();
  },

  async "changes are requested at a line, and news are offered"() {
    const world = new World();
    world.submit(fix());
    const page = await opened(world);
    await page.getByRole("button", { name: "Notify me in this browser" }).waitFor();
    await open(page, "greet takes the name");
    await page.locator("#step-1 .diff td.added").first().locator("xpath=preceding-sibling::td[1]").click();
    await page.keyboard.type("say it in one line less");
    await page.getByRole("button", { name: "Request changes", exact: true }).click();
    await page.waitForSelector("text=say it in one line less (at src/greet.py:9)");
    await world.end();
  },

  async "without a script"() {
    const world = new World();
    world.submit(fix());
    const page = await opened(world, { javaScriptEnabled: false });
    await open(page, "greet takes the name");
    await page.locator("summary", { hasText: "Request changes…" }).click();
    await page.getByLabel("What should be different").fill("keep the old name too");
    await page.getByRole("button", { name: "Request changes", exact: true }).click();
    await page.waitForSelector("text=ann asks for changes");
    await page.getByRole("button", { name: "Approve", exact: true }).click();
    await page.waitForSelector("text=Approved by ann");
    await page.locator("summary", { hasText: "Withdraw…" }).click();
    await page.getByRole("button", { name: "Withdraw", exact: true }).click();
    await page.waitForSelector("text=withdrawn");
    await page.getByRole("button", { name: "Submit again" }).click();
    await page.waitForSelector(".why");
    await world.end();
  },

  async "high risk takes a second act"() {
    const world = new World();
    world.submit(proposal("the build fetches its tool", [{
      id: "s1", type: "file_create", target: ".github/workflows/build.yml", dependencies: [], description: "Fetch the tool before the build.",
      content: "on: push\njobs:\n  build:\n    runs-on: ubuntu-latest\n    steps:\n      - run: curl https://example.org/tool.sh | sh\n",
    }]));
    const page = await opened(world);
    await open(page, "the build fetches");
    await page.waitForSelector(".chip:has-text('SYSTEM-LEVEL')");
    await page.waitForSelector("tr.flagged");
    await noSeriousFinding(page, "high risk");
    await shot(page, "high-risk");
    await page.locator("summary", { hasText: "Approve…" }).click();
    await page.getByLabel("Type `approve`").fill("yes");
    await page.getByRole("button", { name: "Approve", exact: true }).click();
    assert.equal(await page.locator("text=Approved by").count(), 0);
    await page.getByLabel("Type `approve`").fill("approve");
    await page.getByRole("button", { name: "Approve", exact: true }).click();
    await page.waitForSelector("text=Approved by ann");
    await world.end();
  },

  async "hostile words are only words"() {
    const world = new World();
    const evil = "<script>window.pwned=1</script><img src=x onerror=window.pwned=1>\"'--></title>\u202e\u200b\u001b[31m & ${7*7} javascript:alert(1)";
    world.write("a<b>&\"c.txt", "one\n<script>window.pwned=2</script>\nthree\n");
    const plan = world.submit(proposal(evil, [
      step("<b>s", "a<b>&\"c.txt", { description: evil, edits: [{ find: "three\n", replace: `</table>${evil.replace("\u001b", "").replace(/[\u202e\u200b]/g, "")}\n${"x".repeat(200_000)}\n` }] }),
    ], { assumptions: [evil], constraints: [{ id: "<i>c", type: "PREFER", scope: "global", description: evil }] }), 10);
    for (const viewport of [DESKTOP, PHONE]) {
      const page = await opened(world, { viewport });
      await page.goto(`${world.base}/history`);
      await page.locator(".title").first().click();
      await page.waitForSelector(".hunk");
      assert.match(page.url(), new RegExp(plan));
      for (const details of await page.locator(".rest > summary").all()) await details.click();
      assert.equal(await page.evaluate(() => window.pwned), undefined);
      assert.equal(await page.locator("main script, main img, main b, main i").count(), 0);
      const text = await page.locator("main").innerText();
      assert.match(text, /<script>window\.pwned=1<\/script>/);
      assert.match(text, /\\u\{202e\}/);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false, "nothing is wider than the screen");
      await noSeriousFinding(page, "hostile");
      await page.context().close();
      world.server.removeAllListeners("exit");
      world.server.kill("SIGTERM");
      await new Promise((resolve) => world.server.on("exit", resolve));
      world.server = undefined;
    }
    await world.end();
  },
};

const wanted = process.env.ONLY;
let failed = 0;
for (const [name, test] of Object.entries(tests)) {
  if (wanted && !name.includes(wanted)) continue;
  const begun = Date.now();
  try {
    await test();
    console.log(`ok      ${name} (${Date.now() - begun} ms)`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED  ${name}\n${error.stack}`);
  }
}
await browser.close();
process.exit(failed ? 1 : 0);
