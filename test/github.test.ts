import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { launcher } from "./support/built-program.ts";
import { type CliWithModel, cliWithModel } from "./support/cli-with-model.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const repository = join(import.meta.dirname, "..");
const readYaml = (path: string) => parse(readFileSync(join(repository, path), "utf8"));
const action = readYaml("action.yml");

/** Runs the step of the action as a runner does: inputs become variables, results are written to files. */
async function runAction(
  fixture: CliWithModel,
  inputs: Record<string, string>,
  { npm }: { readonly npm?: string } = {},
) {
  const { env, run } = action.runs.steps.find(({ id }: { id?: string }) => id === "work");
  const temporary = join(fixture.home, "runner");
  mkdirSync(temporary, { recursive: true });
  const files = { GITHUB_OUTPUT: join(temporary, "output"), GITHUB_STEP_SUMMARY: join(temporary, "summary") };
  for (const file of Object.values(files)) writeFileSync(file, "");
  const program = join(temporary, "program");
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${launcher}" "$@"\n`, { mode: 0o755 });
  const programs = join(temporary, "bin");
  mkdirSync(programs, { recursive: true });
  if (npm !== undefined) writeFileSync(join(programs, "npm"), `#!/bin/sh\n${npm}\n`, { mode: 0o755 });
  const valueIn = (template: string) => {
    const name = /^\$\{\{ inputs\.(\w+) \}\}$/.exec(template)![1]!;
    return inputs[name] ?? action.inputs[name].default ?? "";
  };
  const variables = Object.entries<string>(env).map(([name, template]) => [name, valueIn(template)]);
  const child = spawn("bash", ["-e", "-o", "pipefail", "-c", run], {
    cwd: fixture.workspace,
    env: {
      ...fixture.env,
      ...files,
      ...Object.fromEntries(variables),
      GITHUB_ACTION_PATH: repository,
      RUNNER_TEMP: temporary,
      ...(npm === undefined && { TOOLCRIB_PROGRAM: program }),
      PATH: `${programs}:${join(process.execPath, "..")}:${fixture.env.PATH}`,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  const outputs = readFileSync(files.GITHUB_OUTPUT, "utf8");
  const report = (name: string) => readFileSync(join(temporary, "toolcrib-report", name), "utf8");
  return { code, stdout, stderr, outputs, summary: readFileSync(files.GITHUB_STEP_SUMMARY, "utf8"), report };
}

function makeRepository({ workspace, write }: CliWithModel) {
  write("a.txt", "one\n");
  const git = (...words: string[]) => execFileSync("git", words, { cwd: workspace, stdio: "pipe" });
  git("init", "-q");
  git("add", ".");
  git("-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-qm", "First");
}

describe("the GitHub action", () => {
  it("does a task with a budget, and keeps answer, changes and journal", { tags: "slow" }, async () => {
    await using fixture = await cliWithModel([
      { calls: [{ name: "file_write", input: { path: "b.txt", content: "two\n" } }] },
      { text: "Wrote b.txt." },
    ]);
    makeRepository(fixture);
    fixture.write(join(fixture.home, "runner/toolcrib/config/config.toml"), 'dialect = "toolcrib"\n');
    const { code, stderr, outputs, summary, report } = await runAction(fixture, {
      task: 'Write "two" to b.txt; $(touch pwned) `touch pwned`',
    });
    expect([code, stderr]).toEqual([0, expect.not.stringContaining("error")]);
    expect(outputs).toMatch(/^outcome=completed$/m);
    expect(JSON.parse(report("answer.json"))).toMatchObject({ text: "Wrote b.txt." });
    expect(report("changes.patch")).toContain("+two");
    expect(report("changes.patch")).not.toContain("pwned");
    expect(report("journal.json")).toContain("file.write");
    expect(summary).toContain("b.txt");
    expect(JSON.stringify(fixture.server.requests[0])).toContain("$(touch pwned)");
  });

  it("installs Toolcrib outside of the repository, whose .npmrc may name another registry", {
    tags: "slow",
  }, async () => {
    await using fixture = await cliWithModel([{ text: "Done." }]);
    makeRepository(fixture);
    fixture.write(".npmrc", "registry=http://127.0.0.1:1/\n");
    const npm =
      'pwd > ../folder; echo "$@" > ../words; mkdir -p node_modules/.bin; ln -s ../../../program node_modules/.bin/toolcrib';
    const { code, stderr } = await runAction(fixture, { task: "Do it." }, { npm });
    expect([code, stderr]).toEqual([0, expect.not.stringContaining("error")]);
    const runner = join(fixture.home, "runner");
    const noted = (name: string) => readFileSync(join(runner, name), "utf8").trim();
    expect(realpathSync(noted("folder"))).toBe(realpathSync(join(runner, "toolcrib-program")));
    expect(noted("words")).toMatch(/^install --ignore-scripts .*toolcrib@latest$/);
  });

  it("says when Toolcrib cannot be installed", async () => {
    await using fixture = await cliWithModel([]);
    const { code, stdout } = await runAction(
      fixture,
      { task: "Do it.", version: "0.0.0" },
      { npm: "exit 1" },
    );
    expect([code, stdout]).toEqual([2, "::error title=Toolcrib::Toolcrib 0.0.0 could not be installed.\n"]);
  });

  it.each([
    [{}, "Give a task or a fleet"],
    [{ task: "a", fleet: "b.yaml" }, "not both"],
    [{ task: "a", budget: "much" }, "budget must be a number"],
    [{ task: "a", version: "latest; touch pwned" }, "version must be"],
    [{ task: "a", folder: "missing" }, "The folder does not exist: missing"],
  ])("says what is wrong with %o", async (inputs, message) => {
    await using fixture = await cliWithModel([]);
    const { code, stdout } = await runAction(fixture, inputs);
    expect([code, stdout]).toEqual([2, expect.stringContaining(message)]);
    expect(stdout).toMatch(/^::error /);
  });

  it("puts no input into a command", () => {
    for (const { run } of action.runs.steps) if (run !== undefined) expect(run).not.toContain("${{");
  });
});

describe("npm run release", () => {
  it.each([[], ["next"], ["0.2.0", "now"]])("names the missing version for %o", (...words) => {
    const { status, stderr } = spawnSync(process.execPath, ["scripts/release.ts", ...words], {
      cwd: repository,
      encoding: "utf8",
    });
    expect([status, stderr]).toEqual([2, "Name the new version: npm run release -- 0.2.0\n"]);
  });

  it("refuses a clone that is not ready, and changes nothing", { tags: "slow" }, async () => {
    await using folder = temporaryFolder();
    const clone = join(folder.path, "clone");
    const git = (...words: string[]) => execFileSync("git", words, { cwd: clone, encoding: "utf8" }).trim();
    execFileSync("git", ["clone", "-q", "--no-checkout", repository, clone]);
    git("checkout", "-q", "-B", "other");
    git("tag", "v9.9.9");
    appendFileSync(join(clone, "README.md"), "more\n");
    const { status, stderr } = spawnSync(process.execPath, ["scripts/release.ts", "9.9.9"], {
      cwd: clone,
      encoding: "utf8",
    });
    expect([status, stderr]).toEqual([
      1,
      [
        "Version 9.9.9 was not released:",
        "- there are uncommitted changes: git status",
        "- the branch is not main: git switch main",
        "- the tag v9.9.9 exists",
        "",
        "",
      ].join("\n"),
    ]);
    expect(git("log", "-1", "--format=%s")).toBe(
      execFileSync("git", ["log", "-1", "--format=%s"], { cwd: repository, encoding: "utf8" }).trim(),
    );
  });
});
