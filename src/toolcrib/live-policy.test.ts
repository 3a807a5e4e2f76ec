import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { policyFiles } from "../system/policy-files.ts";
import { openToolcrib, type ToolcribOptions } from "./index.ts";
import { OpenPolicy } from "./open-policy.ts";
import { trustProjectRules } from "./trust.ts";

/** An open instance whose rule files others change in the meantime. */
async function openFixture(options: ToolcribOptions = {}) {
  const folder = temporaryFolder();
  const at = (path: string) => join(folder.path, path);
  const write = (path: string, text: string) => {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), text);
  };
  write("workspace/a.txt", "a\n");
  const folders = { workspace: at("workspace"), stateDirectory: at("state"), configDirectory: at("config") };
  const ruleFiles = options.ruleFiles?.map(at) ?? [];
  for (const file of ruleFiles) writeFileSync(file, "");
  const crib = await openToolcrib({ mode: "safe", ...folders, ...options, ruleFiles });
  const call = async (name: string, input: unknown) => {
    const { error } = await crib.call(name, input);
    return error === null ? "passed" : `${error.code}: ${error.message}`.replaceAll(folder.path, "");
  };
  return {
    crib,
    at,
    write,
    read: (path = "a.txt") => call("file.read", { path }),
    remove: (path = "none.txt") => call("file.delete", { path }),
    [Symbol.asyncDispose]: async () => {
      await crib.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

it("reads the rule files again for each call", { tags: "slow" }, async () => {
  await using fixture = await openFixture({ ruleFiles: ["more rules"] });
  const answers = [await fixture.read()];
  fixture.write("config/rules", "deny read a.txt\n");
  answers.push(await fixture.read());
  fixture.write("config/rules", "# nothing\n");
  answers.push(await fixture.read());
  fixture.write("more rules", "deny read **\n");
  answers.push(await fixture.read());
  fixture.write("more rules", "");
  fixture.write("workspace/.toolcrib/rules", "deny read a.*\nallow delete **\n");
  answers.push(await fixture.read(), await fixture.remove());
  expect(answers).toEqual([
    "passed",
    "denied: Denied: it would read a.txt: it must not be read (deny read a.txt, /config/rules:1)",
    "passed",
    "denied: Denied: it would read a.txt: it must not be read (deny read **, /more rules:1)",
    "denied: Denied: it would read a.txt: it must not be read (deny read a.*, .toolcrib/rules:1)",
    "needs-approval: This call needs approval: it would delete none.txt (mode safe asks before deleting)",
  ]);
});

it("decides a call by the rules that were written before it began, also among calls in flight", async () => {
  await using fixture = await openFixture();
  await fixture.read();
  const earlier = [fixture.read(), fixture.read()];
  fixture.write("config/rules", "deny read a.txt\n");
  const later = await Promise.all([fixture.read(), fixture.read()]);
  await Promise.all(earlier);
  expect(later.map((answer) => answer.split(":")[0])).toEqual(["denied", "denied"]);
});

it("keeps denying when the project's rules are removed, until the user trusts the new state", {
  tags: "slow",
}, async () => {
  await using fixture = await openFixture();
  const rules = "workspace/.toolcrib/rules";
  fixture.write(rules, "deny read a.txt\n");
  const answers = [await fixture.read()];
  rmSync(fixture.at("workspace/.toolcrib"), { recursive: true });
  answers.push(await fixture.read());
  fixture.write(rules, "# nothing\n");
  answers.push(await fixture.read());
  const warned = fixture.crib.warnings;
  const options = {
    workspace: fixture.at("workspace"),
    state: fixture.at("state"),
    config: fixture.at("config"),
  };
  const { project } = await OpenPolicy.open(options);
  trustProjectRules(options.workspace, project!, policyFiles(options.config, options.workspace));
  answers.push(await fixture.read());
  expect([answers.map((answer) => answer.split(":")[0]), warned, fixture.crib.warnings]).toEqual([
    ["denied", "denied", "denied", "passed"],
    [
      ".toolcrib/rules has changed; its former restrictions stay in force in this session. To lift them, run: toolcrib policy trust",
    ],
    [],
  ]);
});

it("refuses every call while the user's rules are behind a dangling symlink", async () => {
  await using fixture = await openFixture();
  fixture.write("dotfiles/rules", "deny read a.txt\n");
  mkdirSync(fixture.at("config"), { recursive: true });
  symlinkSync("../dotfiles/rules", fixture.at("config/rules"));
  const answers = [await fixture.read()];
  renameSync(fixture.at("dotfiles"), fixture.at("moved"));
  answers.push(await fixture.read());
  expect(answers.map((answer) => answer.split(":")[0])).toEqual(["denied", "unavailable"]);
});

it("trusts a project's rules from the moment the user does, and only while they stay the same", async () => {
  await using fixture = await openFixture();
  fixture.write("workspace/.toolcrib/rules", "allow delete **\n");
  const answers = [await fixture.remove()];
  const options = {
    workspace: fixture.at("workspace"),
    state: fixture.at("state"),
    config: fixture.at("config"),
  };
  const { project } = await OpenPolicy.open(options);
  trustProjectRules(options.workspace, project!, policyFiles(options.config, options.workspace));
  answers.push(await fixture.remove());
  fixture.write("workspace/.toolcrib/rules", "allow delete **\nallow run **\n");
  answers.push(await fixture.remove());
  expect([answers.map((answer) => answer.split(":")[0]), fixture.crib.warnings]).toEqual([
    ["needs-approval", "not-found", "needs-approval"],
    [
      ".toolcrib/rules has changed since you trusted it, so its allow rules do not apply. To trust it again, run: toolcrib policy trust",
    ],
  ]);
});

it("hides a file from search as soon as a rule makes it secret", { tags: "slow" }, async () => {
  await using fixture = await openFixture();
  const grep = async () => {
    const { data } = await fixture.crib.call("search.grep", { pattern: "^a$" });
    return (data as { matches: readonly unknown[] }).matches.length;
  };
  const found = [await grep()];
  fixture.write("config/rules", "secret a.txt\n");
  found.push(await grep());
  rmSync(fixture.at("config/rules"));
  found.push(await grep());
  expect(found).toEqual([1, 0, 1]);
});

it("refuses every call while the rules are invalid or unreadable, and names the wrong line", async () => {
  await using fixture = await openFixture({ ruleFiles: ["more"] });
  fixture.write("config/rules", "deny read b.txt\n\nforbid all\n");
  const answers = [await fixture.read(), await fixture.read()];
  const warnings = fixture.crib.warnings.map((text) => text.replaceAll(fixture.at(""), ""));
  rmSync(fixture.at("config/rules"));
  mkdirSync(fixture.at("config/rules"));
  answers.push(await fixture.read());
  rmSync(fixture.at("config/rules"), { recursive: true });
  answers.push(await fixture.read());
  rmSync(fixture.at("more"));
  answers.push(await fixture.read());
  fixture.write("more", "");
  answers.push(await fixture.read());
  const wrong =
    'The rules have changed and cannot be used: Bad rule at /config/rules:3:1: unexpected "forbid"';
  expect([
    answers.map((answer) => answer.replace(/(unexpected "forbid").*/s, "$1")),
    warnings.length,
  ]).toEqual([
    [
      `unavailable: ${wrong}`,
      `unavailable: ${wrong}`,
      "unavailable: The rules have changed and cannot be used: /config/rules cannot be read: it is not a regular file",
      "passed",
      "unavailable: The rules have changed and cannot be used: The rule file /more does not exist",
      "passed",
    ],
    1,
  ]);
});

it("never decides by a rule file that an editor has only half written", { tags: "slow" }, async () => {
  await using fixture = await openFixture();
  fixture.write("config/rules", "deny read a.txt\n");
  const before = await fixture.read();
  // As vim does it: the old file is renamed, and the new one appears a moment later.
  renameSync(fixture.at("config/rules"), fixture.at("config/rules~"));
  const reading = fixture.read();
  setTimeout(() => fixture.write("config/rules", "deny read a.*\n"), 10);
  expect([before, await reading]).toEqual([
    "denied: Denied: it would read a.txt: it must not be read (deny read a.txt, /config/rules:1)",
    "denied: Denied: it would read a.txt: it must not be read (deny read a.*, /config/rules:1)",
  ]);
});

it("hides tools that rules deny entirely, and notifies listeners when that changes", {
  tags: "slow",
}, async () => {
  await using fixture = await openFixture({ rules: ["deny use file.list"] });
  const names = async () => (await fixture.crib.definitions()).map(({ canonical }) => canonical);
  const has = async () =>
    ["file.read", "file.list", "shell.run"].filter((name) => before.concat(now).includes(name));
  const before = await names();
  let now: readonly string[] = [];
  const changes: (() => void)[] = [];
  const changed = new Promise<void>((resolve) => changes.push(fixture.crib.onToolsChange(resolve)));
  fixture.write("config/rules", "deny use shell.*\n");
  await changed;
  now = await names();
  for (const stop of changes) stop();
  expect([
    before.includes("file.list"),
    before.includes("shell.run"),
    now.includes("shell.run"),
    await has(),
    (await fixture.crib.call("shell.run", { command: "true" })).error?.code,
  ]).toEqual([false, true, false, ["file.read", "shell.run"], "denied"]);
});

it("refuses a call that a rule starts to deny during the approval, regardless of the answer", async () => {
  await using fixture = await openFixture({
    approve: () => {
      fixture.write("config/rules", "deny delete a.txt\n");
      return { allow: true };
    },
  });
  expect([await fixture.remove("a.txt"), await fixture.read()]).toEqual([
    "denied: Denied: it would delete a.txt: it must not be deleted (deny delete a.txt, /config/rules:1)",
    "passed",
  ]);
});

it("warns about rules that were bound to program text, and ignores them", async () => {
  await using folder = temporaryFolder();
  const at = (path: string) => join(folder.path, path);
  mkdirSync(at("workspace"));
  const { granted } = policyFiles(at("config"), at("workspace"));
  mkdirSync(dirname(granted), { recursive: true });
  writeFileSync(granted, `# asked\nallow run make while Makefile=${"0".repeat(32)} by shell.run\n`);
  const policy = await OpenPolicy.open({
    workspace: at("workspace"),
    state: at("state"),
    config: at("config"),
  });
  expect([policy.warnings, policy.current.commands.named.get("make") ?? []]).toEqual([
    [
      `${granted}: line 2 is ignored, because rules with "while" no longer exist. To allow the command whatever it runs, remove the end from "while" to "by"`,
    ],
    [],
  ]);
});
