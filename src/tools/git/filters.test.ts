import { chmodSync, existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type GitFixture, openGitFixture } from "../../../test/support/git-tools/git-fixture.ts";

/** A filter that stores upper case and checks out lower case. */
async function openFiltered(
  lines = "",
  settings: Readonly<Record<string, string>> = usual,
): Promise<GitFixture> {
  const opened = await openGitFixture({
    files: { ".gitattributes": "*.up filter=up\n", a: "1\n" },
    lines,
    sandbox: "auto",
  });
  for (const [key, value] of Object.entries(settings)) opened.configure({ [`filter.up.${key}`]: value });
  return opened;
}

const usual = { clean: "tr a-z A-Z", smudge: "tr A-Z a-z" };

/** Without a sandbox both rules are needed; with one, the test passes too. */
const allowing = (command: string) => `allow run ${command}\nunconfined run ${command}\n`;

async function rulesFor(opened: GitFixture, command: string): Promise<string> {
  return (await opened.crib.sandbox()).level === "none"
    ? `the rules "allow run ${command}" and, without a sandbox, "unconfined run ${command}"`
    : `the rule "allow run ${command}"`;
}

describe("staging a file with a filter", () => {
  it("is refused unless a rule allows the filter, and stages no wrong content", {
    tags: "slow",
  }, async () => {
    await using opened = await openFiltered();
    opened.write({ "x.up": "hello\n", y: "y\n" });
    const { error } = await opened.call("git.stage", { all: true });
    const other = await opened.call("git.stage", { paths: ["y"] });
    expect([error, other.error, opened.git("diff", "--cached", "--name-only")]).toEqual([
      {
        code: "denied",
        message: "x.up needs the filter up (tr a-z A-Z), which may not run",
        hint: `Ask the user to allow it with ${await rulesFor(opened, "tr a-z A-Z")}.`,
      },
      null,
      "y",
    ]);
  });

  it("is refused for any form of command", { tags: "slow" }, async () => {
    const commands = ["./x.sh", "/bin/x.y.z", "cat\n./x.sh", "a=b.c cat", "tr a.b A.B\n"];
    const found: unknown[] = [];
    for (const clean of commands) {
      await using opened = await openFiltered("", { clean });
      opened.write({ "x.up": "hello\n", "x.sh": "#!/bin/sh\ntouch ran\n" });
      chmodSync(join(opened.workspace, "x.sh"), 0o755);
      const { error } = await opened.call("git.stage", { paths: ["x.up"] });
      found.push([error?.code, existsSync(join(opened.workspace, "ran"))]);
    }
    expect(found).toEqual(commands.map(() => ["denied", false]));
  });

  it("runs the filter if a rule allows it", { tags: "slow" }, async () => {
    await using opened = await openFiltered(allowing("tr a-z A-Z"));
    opened.write({ "x.up": "hello\n" });
    const { error } = await opened.call("git.stage", { all: true });
    expect([error, opened.git("show", ":x.up")]).toEqual([null, "HELLO"]);
  });

  it("requires a rule for the filter process instead of the command, if there is one", async () => {
    await using opened = await openFiltered(allowing("tr a-z A-Z"), {
      ...usual,
      process: "some-lfs process %f",
    });
    opened.write({ "x.up": "hello\n" });
    const { error } = await opened.call("git.stage", { all: true });
    expect([error?.message, error?.hint]).toEqual([
      "x.up needs the filter up (some-lfs process %f), which may not run",
      `Ask the user to allow it with ${await rulesFor(opened, "some-lfs process *")}.`,
    ]);
  });

  it("needs no filter for a deletion, or if none is configured", { tags: "slow" }, async () => {
    await using opened = await openFiltered("", {});
    opened.write({ "x.up": "hello\n" });
    const plain = await opened.call("git.stage", { all: true });
    opened.git("commit", "-q", "-m", "x");
    opened.configure({ "filter.up.clean": "false", "filter.up.required": "true" });
    rmSync(join(opened.workspace, "x.up"));
    const gone = await opened.call("git.stage", { all: true });
    expect([plain.error, gone.error, opened.git("status", "--short")]).toEqual([null, null, "D  x.up"]);
  });
});

it("runs only the commands of a filter that are allowed", { tags: "slow" }, async () => {
  const settings = { ...usual, clean: "tee ran" };
  await using opened = await openFiltered(allowing("tr A-Z a-z"), settings);
  opened.write({ "x.up": "HELLO\n" });
  opened.sh(`for command in "switch -q -c other" "add -A" "commit -q -m x" "switch -q main"
    do git -c filter.up.clean=cat $command; done`);
  opened.write({ a: "changed\n" });
  const { error } = await opened.call("git.branch", { name: "other", switch: true });
  expect([
    error,
    readFileSync(join(opened.workspace, "x.up"), "utf8"),
    existsSync(join(opened.workspace, "ran")),
  ]).toEqual([null, "hello\n", false]);
});

describe("switching to a branch with filtered files", () => {
  /** The branch `other` has a filtered file, with its attributes on request. */
  async function openSwitch(lines: string, attributes: "before" | "on the branch"): Promise<GitFixture> {
    const opened = await openFiltered(lines);
    if (attributes === "on the branch") opened.sh(": > .gitattributes && git commit -q -a -m None");
    opened.sh(`git switch -q -c other
      echo "*.up filter=up" > .gitattributes
      echo hello > x.up
      git add -A
      git commit -q -m Filtered
      git switch -q main`);
    return opened;
  }

  it.each(["before", "on the branch"] as const)("is refused with attributes set %s", async (attributes) => {
    await using opened = await openSwitch("", attributes);
    const { error } = await opened.call("git.branch", { name: "other", switch: true });
    const path = attributes === "before" ? "x.up" : ".gitattributes";
    expect([error?.code, error?.message, existsSync(join(opened.workspace, "x.up"))]).toEqual([
      "denied",
      `${path} needs the filter up (tr A-Z a-z), which may not run`,
      false,
    ]);
  });

  it.each(["before", "on the branch"] as const)(
    "runs the filter by rule with attributes set %s",
    { tags: "slow" },
    async (attributes) => {
      await using opened = await openSwitch(allowing("tr A-Z a-z"), attributes);
      const { error } = await opened.call("git.branch", { name: "other", switch: true });
      expect([
        error,
        readFileSync(join(opened.workspace, "x.up"), "utf8"),
        opened.git("show", "HEAD:x.up"),
      ]).toEqual([null, "hello\n", "HELLO"]);
    },
  );
});
