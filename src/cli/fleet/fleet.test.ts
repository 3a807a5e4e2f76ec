import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { ScriptedReply, SeenRequest } from "../../../test/providers/provider-server.ts";
import { type CliWithModel, cliWithModel } from "../../../test/support/cli-with-model.ts";
import { cliWorkspace } from "../../../test/support/cli-workspace.ts";
import { hasTerminals } from "../../../test/support/pseudo-terminal.ts";
import { missingHere } from "../../../test/support/sandbox-fixture.ts";
import { runVariable } from "../../system/environment-variables.ts";

/** A model that writes the file that its task names, with the number that it wants, unless the task says "fail". */
const writer = ({ messages }: SeenRequest): ScriptedReply => {
  const isDone = messages.some(({ role }) => role === "assistant");
  const task = messages.find(({ role, text }) => role === "user" && /Make \w+/.test(text))?.text ?? "";
  const name = /Make (\w+)/.exec(task)?.[1];
  if (isDone) return { text: `Made ${name}.` };
  const path = task.includes("fail") ? "other" : name;
  return {
    calls: [{ name: "apply_patch", input: `*** Begin Patch\n*** Add File: ${path}\n+made\n*** End Patch` }],
  };
};

const noBubblewrap = (await missingHere("bwrap")) !== undefined;
const example = fileURLToPath(new URL("../../../examples/fleet", import.meta.url));

/** Without a sandbox, which not every machine has. */
const unguarded = ["--mode", "yolo", "--sandbox", "none"];
const spec = (tasks: readonly string[], top = "") =>
  `name: small\n${top}tasks:\n${tasks.map((name) => `  - { name: ${name}, mode: yolo, prompt: Make ${name}, check: "test -f ${name.replace("fail", "x")}" }\n`).join("")}`;

const submit = (fixture: CliWithModel, ...more: readonly string[]) =>
  fixture.run("fleet", "submit", "fleet.yaml", ...unguarded, ...more);

describe("toolcrib fleet", () => {
  it("runs a spec, does nothing twice, and shows its results", { tags: "slow" }, async () => {
    await using fixture = await cliWithModel(writer);
    fixture.write("fleet.yaml", spec(["a", "b", "failed"]));
    const first = await submit(fixture);
    expect([first.exit, first.stdout.replace(/, \$.*/, "")]).toEqual([0, "small: 2 solved, 1 unsolved\n"]);
    expect(first.stderr).toMatch(/^small: 3 new runs, 0 known\n/);
    expect(first.stderr).toMatch(/^solved {4}a .*The check passed\.$/m);
    const requests = fixture.server.requests.length;
    const second = await submit(fixture);
    expect([second.exit, second.stdout, second.stderr]).toEqual([
      0,
      first.stdout,
      "small: 0 new runs, 3 known\n",
    ]);
    expect(fixture.server.requests.length).toBe(requests);

    const { runs, summary } = JSON.parse((await fixture.run("fleet", "results", "small", "--json")).stdout);
    expect([runs.length, summary.outcomes.solved, summary.solved.total]).toEqual([3, 2, 3]);
    const status = JSON.parse((await fixture.run("fleet", "status", "small", "--json")).stdout);
    expect(status).toMatchObject({
      name: "small",
      states: { ended: 3 },
      outcomes: { solved: 2 },
      secondsLeft: null,
    });
    expect((await fixture.run("fleet", "status")).stdout).toMatch(
      /^small {2}3 of 3 ended {2}2 solved, 1 unsolved/,
    );
    const logs = await fixture.run("fleet", "logs", "small/failed");
    expect([logs.exit, logs.stdout.includes("Make failed"), logs.stderr]).toEqual([
      0,
      true,
      "failed: unsolved, delivery 1. The check failed: exit code 1.\n",
    ]);
    expect((await fixture.run("fleet", "export", "small", "--swe-bench", "p.jsonl")).exit).toBe(0);
    const [prediction] = fixture
      .read("p.jsonl")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(prediction).toEqual({
      instance_id: "a",
      model_name_or_path: fixture.server.model,
      model_patch: expect.stringContaining("+made"),
    });
    expect(fixture.server.breaches).toEqual([]);
  });

  it("runs again what a user retries, and nothing that was cancelled", { tags: "slow" }, async () => {
    await using fixture = await cliWithModel(writer);
    fixture.write("fleet.yaml", spec(["a", "b"]).replaceAll("test -f", "test -d"));
    expect((await submit(fixture)).stdout).toMatch(/^small: 2 unsolved/);
    const nothing = await fixture.run("fleet", "retry", "small");
    expect(nothing.stderr).toBe("No run ended as infrastructure. Select others with --outcome.\n");
    const unknown = await fixture.run("fleet", "cancel", "small", "a", "c");
    expect([unknown.exit, unknown.stderr]).toEqual([
      2,
      "No task of small is named c\nUse a name from: toolcrib fleet results small\n",
    ]);
    const retried = await fixture.run("fleet", "retry", "small", "a", "--outcome", "unsolved");
    expect([retried.exit, retried.stdout]).toEqual([
      0,
      "1 run of small will run again: submit the spec again.\n",
    ]);
    const cancelled = await fixture.run("fleet", "cancel", "small", "--json");
    expect(JSON.parse(cancelled.stdout).runs).toHaveLength(1);
    const { exit, stdout } = await submit(fixture);
    expect([exit, stdout.replace(/, \$.*/, "")]).toEqual([1, "small: 1 unsolved, 1 cancelled\n"]);
  });

  it("selects all repetitions of a task by its name", { tags: "slow" }, async () => {
    await using fixture = await cliWithModel(writer);
    fixture.write("fleet.yaml", spec(["a", "b"], "repetitions: 2\n"));
    await submit(fixture);
    const { stderr } = await fixture.run("fleet", "logs", "small/a");
    expect(stderr).toBe("No run is named small/a\nUse one of its runs: toolcrib fleet logs 'small/a 1'\n");
    const retried = await fixture.run("fleet", "retry", "small", "a", "--outcome", "solved");
    expect(retried.stdout).toBe("2 runs of small will run again: submit the spec again.\n");
  });

  it.skipIf(noBubblewrap)(
    "runs the example with its own model, whose price is unknown",
    { tags: "slow" },
    async () => {
      await using fixture = cliWorkspace();
      cpSync(example, fixture.workspace, { recursive: true });
      // A task that the model solves and the one that it does not.
      const tasks = fixture.read("tasks.jsonl").split("\n");
      fixture.write("tasks.jsonl", tasks.slice(3, 5).join("\n"));
      const model = spawn(process.execPath, [join(example, "model.mjs")], {
        env: { ...process.env, PORT: "0" },
        stdio: ["ignore", "pipe", "inherit"],
      });
      try {
        const [line] = await once(createInterface({ input: model.stdout }), "line");
        const address = String(line).split(" ").at(-1);
        const variables = {
          OPENAI_BASE_URL: address,
          OPENAI_API_KEY: "none",
          TOOLCRIB_MODEL: "openai-chat/adder",
        };
        Object.assign(fixture.env, variables);
        const preview = await fixture.run("fleet", "submit", "fleet.yaml", "--preview");
        expect(preview.stdout).toContain("Not counted: openai-chat/adder. No budget holds without a price");
        const refused = await fixture.run("fleet", "submit", "fleet.yaml");
        expect([refused.exit, refused.stderr]).toEqual([
          2,
          "The price of openai-chat/adder is not known, so no budget or limit holds\nSet prices in models.json, or allow it with --allow-unpriced.\n",
        ]);
        const { exit, stdout } = await fixture.run("fleet", "submit", "fleet.yaml", "--allow-unpriced");
        expect([exit, stdout]).toEqual([0, "sums: 1 solved, 1 unsolved, $0.00\n"]);
      } finally {
        model.kill("SIGKILL");
      }
    },
  );

  it("hides the specs of all runs from models, also in mode yolo and without a sandbox", {
    tags: "slow",
  }, async () => {
    let database = "";
    await using fixture = await cliWithModel(({ messages }) =>
      messages.at(-1)?.role === "tool"
        ? { text: "Done." }
        : { calls: [{ name: "exec_command", input: { cmd: `cat '${database}'` } }] },
    );
    fixture.write("fleet.yaml", spec(["a"]));
    database = join(fixture.home, "fleet/fleet.sqlite");
    await submit(fixture);
    expect(existsSync(database)).toBe(true);
    const answer = fixture.server.requests.at(-1)?.messages.at(-1)?.text;
    expect(answer).toContain("it is secret and cannot be read");
  });

  it("makes branches of solved runs, and pushes them only with the user's command", {
    tags: "slow",
  }, async () => {
    await using fixture = await cliWithModel(writer);
    const git = (...words: readonly string[]) =>
      execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", ...words], {
        cwd: fixture.workspace,
        encoding: "utf8",
      });
    git("init", "-q", "-b", "main", "code");
    fixture.write("code/README", "code\n");
    git("-C", "code", "add", "README");
    git("-C", "code", "commit", "-qm", "Begin");
    fixture.write("git.config", "[user]\nname = Ada\nemail = ada@example.com\n");
    fixture.env.GIT_CONFIG_GLOBAL = join(fixture.workspace, "git.config");
    fixture.write(
      "fleet.yaml",
      spec(["a", "failed"], "repository: ./code\npublish: { branch: 'f/{task}', message: 'Make {task}' }\n"),
    );
    await submit(fixture);
    const words = [
      "fleet",
      "export",
      "small",
      "--branches",
      "out",
      "--push-command",
      'echo "$TOOLCRIB_BRANCH"',
    ];
    const published = await fixture.run(...words, "--json");
    expect([published.exit, JSON.parse(published.stdout)]).toEqual([
      0,
      [expect.objectContaining({ task: "a", branch: "f/a", state: "new", message: "f/a" })],
    ]);
    expect(JSON.parse((await fixture.run(...words, "--json")).stdout)).toMatchObject([{ state: "same" }]);
  });

  it("previews what would run and the most it can cost, and stores nothing", async () => {
    await using fixture = await cliWithModel(writer);
    fixture.write("fleet.yaml", spec(["a", "b"], "limits: { dollars: 0.5 }\n"));
    const { exit, stdout } = await submit(fixture, "--preview");
    expect(exit).toBe(0);
    expect(stdout).toMatch(/^TASK +MODEL/);
    // One request of gpt-5 costs at most 400,000 · $1.25 + 128,000 · $10 per million tokens = $1.78.
    expect(stdout).toContain(
      "2 runs. They have limits of $1.00, and cost at most $4.56: the last request of a run may pass a limit. Each run that `toolcrib fleet retry` repeats may cost as much again.\n2 runs with mode yolo:",
    );
    expect(JSON.parse((await submit(fixture, "--preview", "--json")).stdout)).toMatchObject({
      mostDollars: expect.closeTo(4.56, 6),
      runs: [{ task: "a" }, { task: "b" }],
    });
    fixture.write("fleet.yaml", spec(["a"], "budget: 0.25\n"));
    expect((await submit(fixture, "--preview")).stdout).toContain(
      "a budget of $0.25, and cost at most $2.03:",
    );
    fixture.write("fleet.yaml", spec(["a"]));
    expect((await submit(fixture, "--preview")).stdout).toContain("no limit on what they cost");
    expect(existsSync(join(fixture.home, "fleet"))).toBe(false);
    expect(fixture.server.requests).toEqual([]);
  });

  it("says in the preview which key is missing and which model is not known, and does not start without the key", async () => {
    await using fixture = cliWorkspace({ OPENAI_API_KEY: "none" });
    const models = "models: [anthropic/claude-sonnet-5-5, openai/gpt-99]\n";
    fixture.write("fleet.yaml", spec(["a"], models));
    const key = "No key for Anthropic is configured.";
    const { exit, stdout } = await fixture.run("fleet", "submit", "fleet.yaml", "--preview");
    expect([exit, stdout.split("\n").filter((line) => /^\w+\/\S+: /.test(line))]).toEqual([
      0,
      [
        expect.stringMatching(`^anthropic/claude-sonnet-5-5: ${key} Set ANTHROPIC_API_KEY`),
        "openai/gpt-99: The model is not known. Check its name: toolcrib models openai",
      ],
    ]);
    const started = await fixture.run("fleet", "submit", "fleet.yaml");
    expect([started.exit === 0, started.stderr.split("\n")[0]]).toEqual([false, key]);
    expect(existsSync(join(fixture.home, "fleet"))).toBe(false);
  });

  it("shows pass@k of repetitions, and how many runs are not in the rate", { tags: "slow" }, async () => {
    await using fixture = await cliWithModel(writer);
    const failing = "  - { name: b, mode: yolo, prompt: Make b, setup: exit 3 }\n";
    fixture.write("fleet.yaml", spec(["a", "failed"], "repetitions: 2\n") + failing);
    await submit(fixture);
    const { stdout } = await fixture.run("fleet", "results", "small");
    expect(stdout.split("\n").slice(-3)).toEqual([
      expect.stringMatching(/^\S+ +2 solved of 4 +50 % \(9–91 %\) +pass@1 50 % ± 50, pass@2 50 % ± 50 /),
      "Not in the rate: 2 infrastructure.",
      "",
    ]);
  });

  it("counts an edited task once, and keeps the result of the old one", { tags: "slow" }, async () => {
    await using fixture = await cliWithModel(writer);
    fixture.write("fleet.yaml", spec(["a", "b"]));
    await submit(fixture);
    fixture.write("fleet.yaml", spec(["a", "b"]).replace("test -f b", "test -d b"));
    const edited = await submit(fixture);
    expect(edited.stderr.split("\n")[0]).toBe("small: 1 new run, 1 known, 1 superseded");
    expect(edited.stdout).toMatch(/^small: 1 solved, 1 unsolved/);
    const { stdout } = await fixture.run("fleet", "results", "small");
    expect(stdout).toMatch(/^solved \(superseded\) +b /m);
    expect(stdout).toMatch(/ 1 solved of 2 /);
    expect(stdout).toContain("Not counted: 1 superseded run, because the task was edited.\n");
    const logs = await fixture.run("fleet", "logs", "small/b");
    expect(logs.stderr).toContain("b: unsolved");
  });

  it("refuses a check that needs approval before anything is paid, and says so in the preview", async () => {
    await using fixture = await cliWithModel(writer);
    fixture.write(
      "fleet.yaml",
      spec(["a", "b"]).replaceAll("test -f a", "npm test").replaceAll("test -f b", "npm test"),
    );
    const cautious = ["fleet", "submit", "fleet.yaml", "--sandbox", "none"];
    const preview = await fixture.run(...cautious, "--preview");
    const refusal = "The check command needs approval, and no user is there to ask: npm test";
    expect([preview.exit, preview.stdout]).toEqual([
      0,
      expect.stringContaining(
        `2 runs would be refused: ${refusal}. To allow it, start the worker with a sandbox, or with --mode yolo.\n`,
      ),
    ]);
    const started = await fixture.run(...cautious);
    expect([started.exit === 0, started.stderr.split("\n")[0]]).toEqual([false, refusal]);
    const allowed = await fixture.run(...cautious, "--preview", "--mode", "yolo");
    expect(allowed.stdout).not.toContain("would be refused");
    expect(existsSync(join(fixture.home, "fleet"))).toBe(false);
    expect(fixture.server.requests).toEqual([]);
  });

  it("stops at Ctrl-C, and the same command resumes", { tags: "slow" }, async () => {
    const tasks = Array.from({ length: 6 }, (_, index) => `t${index}`);
    let isHeld = true;
    const held = Promise.withResolvers<void>();
    await using fixture = await cliWithModel(async (request) => {
      // The third task waits until the user has interrupted the command.
      if (isHeld && request.messages.some(({ text }) => /Make t[2-5]/.test(text))) await held.promise;
      return writer(request);
    });
    fixture.write("fleet.yaml", spec(tasks));
    const child = fixture.start("fleet", "submit", "fleet.yaml", "--slots", "2", ...unguarded);
    const lines = createInterface({ input: child.stderr });
    let ended = 0;
    for await (const line of lines) {
      if (line.startsWith("solved")) ended += 1;
      if (line.startsWith("solved") && ended === 2) child.kill("SIGINT");
      if (line.startsWith("Stopping")) held.resolve();
    }
    if (child.exitCode === null) await once(child, "close");
    expect(child.exitCode).toBe(130);
    isHeld = false;
    const { exit, stdout, stderr } = await submit(fixture);
    expect([exit, stdout.replace(/, \$.*/, "")]).toEqual([0, "small: 6 solved\n"]);
    expect(stderr).toMatch(/^small: 0 new runs, 6 known\n/);
  });

  it.skipIf(!hasTerminals)("shows a live line on a terminal", { tags: "slow" }, async () => {
    await using fixture = await cliWithModel(writer);
    fixture.write("fleet.yaml", spec(["a", "b"], "budget: 3\n"));
    const { screen } = await fixture.onTerminal(["fleet", "submit", "fleet.yaml", ...unguarded], []);
    expect(screen).toMatch(/0 of 2 ended · .*\$0\.00 of \$3\.00/);
    expect(screen).toContain("small: 2 solved");
  });
});

describe("toolcrib fleet refuses", () => {
  it.each([
    [["fleet"], "A subcommand is missing: submit, work, status, logs, results, retry, cancel, export"],
    [["fleet", "submti"], "Unknown subcommand: toolcrib fleet submti"],
    [["fleet", "submit"], "A spec is missing"],
    [["fleet", "submit", "missing.yaml"], "missing.yaml does not exist"],
    [["fleet", "results", "nothing"], "No fleet is named nothing"],
    [["fleet", "results"], "The name of a fleet is missing"],
    [["fleet", "logs", "run_1"], "No run is named run_1"],
    [["fleet", "export", "x"], "Choose one export: --swe-bench FILE or --branches DIR"],
    [
      ["fleet", "export", "x", "--swe-bench", "a", "--branches", "b"],
      "Choose one export: --swe-bench FILE or --branches DIR",
    ],
    [["fleet", "export", "x", "--patches", "a"], "Unknown option for toolcrib fleet: --patches"],
    [["fleet", "status", "--preview"], "--preview has no effect in toolcrib fleet status"],
    [
      ["fleet", "status", "--database", "mysql://user:secret@host/db"],
      "The address of the database does not begin with postgres://",
    ],
  ])("%j", async (words, message) => {
    await using fixture = cliWorkspace();
    const { exit, stdout, stderr } = await fixture.run(...words);
    expect([exit, stdout, stderr.split("\n")[0]]).toEqual([2, "", message]);
    expect(stderr).not.toContain("secret");
  });

  it("to start, retry and cancel for an agent's tool", async () => {
    await using fixture = cliWorkspace({ [runVariable]: "call_1" });
    fixture.write("fleet.yaml", spec(["a"], "model: ollama/any\n"));
    for (const words of [["submit", "fleet.yaml"], ["work"], ["retry", "x"], ["cancel", "x"]])
      expect(await fixture.run("fleet", ...words)).toMatchObject({ exit: 3, stdout: "" });
    expect((await fixture.run("fleet", "submit", "fleet.yaml", "--preview")).exit).toBe(0);
  });
});

it("prints the JSON Schema of specs", async () => {
  await using fixture = cliWorkspace();
  const { stdout } = await fixture.run("fleet", "submit", "--schema");
  expect(stdout).toBe(readFileSync(join(import.meta.dirname, "../../../docs/fleet.schema.json"), "utf8"));
});
