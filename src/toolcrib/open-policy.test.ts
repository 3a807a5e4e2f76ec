import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import type { ToolAccess } from "../contract/access.ts";
import type { ToolError } from "../contract/error.ts";
import { MemoryEnvironment } from "../environment/memory/memory-environment.ts";
import { policyFiles } from "../system/policy-files.ts";
import { OpenPolicy, type PolicyOptions } from "./open-policy.ts";
import { previewDecision } from "./replay-calls.ts";
import { trustProjectRules, untrustProjectRules } from "./trust.ts";

/** A workspace and a config directory, with these files below them. */
function furnish(files: Readonly<Record<string, string>>) {
  const folder = temporaryFolder();
  const options: PolicyOptions = {
    workspace: join(folder.path, "workspace"),
    config: join(folder.path, "config"),
    state: join(folder.path, "state"),
  };
  const at = (path: string) => join(folder.path, path);
  const write = (path: string, text: string) => {
    mkdirSync(join(at(path), ".."), { recursive: true });
    writeFileSync(at(path), text);
  };
  mkdirSync(options.workspace);
  for (const [path, text] of Object.entries(files)) write(path, text);
  return { ...folder, options, at, write, own: policyFiles(options.config, options.workspace) };
}

/** Verdict and location of the rule for a command, as an instance would decide in mode safe. */
async function verdictOn(command: string, options: PolicyOptions): Promise<readonly string[]> {
  const access: ToolAccess = { kind: "execute", command };
  const { record } = await previewDecision(
    { tool: { name: "shell.run", risk: "execute" }, accesses: [access] },
    {
      policy: (await OpenPolicy.open(options)).current,
      mode: "safe",
      environment: new MemoryEnvironment(),
      sandbox: async () => "bwrap",
    },
  );
  return [record.verdict, record.source];
}

async function refusal(options: PolicyOptions): Promise<Pick<ToolError, "code" | "message" | "hint">> {
  const error = await OpenPolicy.open(options).then(
    () => undefined,
    (thrown: ToolError) => thrown,
  );
  const { code, message, hint } = error!;
  return { code, message, hint };
}

it("ranks stronger sources above weaker ones, and any deny above all", async () => {
  await using fixture = furnish({
    "config/rules": "allow run a\nallow run b\ndeny run c\n",
    more: "allow run b\n",
  });
  fixture.write("workspace/.toolcrib/rules", "ask run a\nask run b\n");
  const options = { ...fixture.options, rules: ["allow run c"], ruleFiles: [fixture.at("more")] };
  expect(await Promise.all(["a", "b", "c", "d"].map((command) => verdictOn(command, options)))).toEqual([
    ["ask", ".toolcrib/rules:1"],
    ["allow", `${fixture.at("more")}:1`],
    ["deny", `${fixture.at("config/rules")}:3`],
    ["ask", "mode safe"],
  ]);
});

it("applies a folder's deny rules always, and its allow rules only while trusted unchanged", async () => {
  await using fixture = furnish({ "workspace/.toolcrib/rules": "allow run make\ndeny run npm publish **\n" });
  const both = async () => [
    await verdictOn("make", fixture.options),
    await verdictOn("npm publish", fixture.options),
    (await OpenPolicy.open(fixture.options)).project?.trust,
  ];
  const denied = ["deny", ".toolcrib/rules:2"];
  const untrusted = await both();
  trustProjectRules(
    fixture.options.workspace,
    (await OpenPolicy.open(fixture.options)).project!,
    fixture.own,
  );
  const trusted = await both();
  fixture.write("workspace/.toolcrib/rules", "allow run make\ndeny run npm publish **\nallow run **\n");
  const changed = await both();
  fixture.write("workspace/.toolcrib/rules", "allow run make\ndeny run npm publish **\n");
  const again = await both();
  expect([untrustProjectRules(fixture.own), untrustProjectRules(fixture.own)]).toEqual([true, false]);
  expect([untrusted, trusted, changed, again, await both()]).toEqual([
    [["ask", "mode safe"], denied, "untrusted"],
    [["allow", ".toolcrib/rules:1"], denied, "trusted"],
    [["ask", "mode safe"], denied, "changed"],
    [["allow", ".toolcrib/rules:1"], denied, "trusted"],
    [["ask", "mode safe"], denied, "untrusted"],
  ]);
});

it("does not confuse a folder with a trusted one, regardless of its git files (CVE-2026-40068)", async () => {
  await using fixture = furnish({
    "workspace/.toolcrib/rules": "allow run make\n",
    "workspace/.git/HEAD": "",
  });
  trustProjectRules(
    fixture.options.workspace,
    (await OpenPolicy.open(fixture.options)).project!,
    fixture.own,
  );
  // A hostile folder of the same content that calls itself a worktree of the trusted one.
  fixture.write("other/workspace/.toolcrib/rules", "allow run make\n");
  fixture.write("other/workspace/.git", `gitdir: ${fixture.at("workspace/.git/worktrees/x")}\n`);
  fixture.write("other/workspace/commondir", `${fixture.at("workspace/.git")}\n`);
  const other = { ...fixture.options, workspace: fixture.at("other/workspace") };
  // Even the trust file itself names the folder that it is for.
  fixture.write(
    policyFiles(other.config, other.workspace).trust.slice(fixture.path.length + 1),
    `{"workspace": "${fixture.options.workspace}", "sha256": "${(await OpenPolicy.open(other)).project!.hash}"}`,
  );
  expect([await verdictOn("make", fixture.options), await verdictOn("make", other)]).toEqual([
    ["allow", ".toolcrib/rules:1"],
    ["ask", "mode safe"],
  ]);
});

it("trusts nothing when the trust file is damaged", async () => {
  await using fixture = furnish({ "workspace/.toolcrib/rules": "allow run make\n" });
  const trusts: unknown[] = [];
  for (const text of ["", "{", "null", "7", '"x"', "[]"]) {
    fixture.write(fixture.own.trust.slice(fixture.path.length + 1), text);
    trusts.push((await OpenPolicy.open(fixture.options)).project?.trust);
  }
  expect(trusts).toEqual(Array(6).fill("untrusted"));
});

it("reads nothing else from the workspace", async () => {
  await using fixture = furnish({
    "workspace/rules": "deny run a\n",
    "workspace/config/rules": "deny run a\n",
    "workspace/.toolcrib/config/rules": "deny run a\n",
    "workspace/.toolcrib/trust.json": "{}",
    "workspace/.env": "TOOLCRIB_HOME=/evil\n",
  });
  const { sources } = await OpenPolicy.open(fixture.options);
  expect(sources.map(({ level, name }) => [level, name])).toEqual([["built-in", "built-in"]]);
});

it("refuses to open with unreadable or invalid rules, and names the file, the line and a fix", async () => {
  await using fixture = furnish({ "config/rules": "allow run a\n\nforbid run b\n" });
  const broken = await refusal(fixture.options);
  rmSync(fixture.at("config/rules"));
  fixture.write("workspace/.toolcrib/rules", "deny run\n");
  const project = await refusal(fixture.options);
  rmSync(fixture.at("workspace/.toolcrib"), { recursive: true });
  const missing = await refusal({ ...fixture.options, ruleFiles: [fixture.at("none")] });
  const given = await refusal({ ...fixture.options, rules: ["deny run a", "deny nothing at all"] });
  expect(
    [broken, project, given].map(({ code, message }) => [code, message.split(":").slice(0, 2).join(":")]),
  ).toEqual([
    ["invalid-input", `Bad rule at ${fixture.at("config/rules")}:3`],
    ["invalid-input", "Bad rule at .toolcrib/rules:1"],
    ["invalid-input", "Bad rule at --rule:2"],
  ]);
  for (const { hint } of [broken, project, given]) expect(hint).toMatch(/\w/);
  expect(missing).toEqual({
    code: "not-found",
    message: `The rule file ${fixture.at("none")} does not exist`,
    hint: "Check the path after --rule-file.",
  });
});

it("does not follow symlinks of the project out of the workspace", async () => {
  await using fixture = furnish({ "elsewhere/rules": "allow run a\n" });
  symlinkSync(fixture.at("elsewhere"), fixture.at("workspace/.toolcrib"));
  expect(await refusal(fixture.options)).toEqual({
    code: "unavailable",
    message: "The project's rules cannot be read: .toolcrib/rules leads outside the workspace",
    hint: `Fix or remove .toolcrib/rules in ${fixture.options.workspace}.`,
  });
});

it("reads the project's rules through the given environment", async () => {
  await using fixture = furnish({});
  const environment = new MemoryEnvironment({ files: { ".toolcrib/rules": "deny run a\n" } });
  const options = { ...fixture.options, workspace: environment.workspace, environment };
  expect(await verdictOn("a", options)).toEqual(["deny", ".toolcrib/rules:1"]);
});

it("keeps removed rules in force for a moment, because an editor may write them again", async () => {
  await using fixture = furnish({ "config/rules": "deny read a.txt\n" });
  const policy = await OpenPolicy.open({ ...fixture.options, removalMs: 100 });
  const rules = () => policy.current.sources.map(({ text }) => text).slice(1);
  // As vim does it: the old file is renamed, and the new one appears a moment later.
  renameSync(fixture.at("config/rules"), fixture.at("config/rules~"));
  const reading = policy.refreshed();
  setTimeout(() => fixture.write("config/rules", "deny read a.*\n"), 60);
  await reading;
  expect(rules()).toEqual(["deny read a.*\n"]);
  rmSync(fixture.at("config/rules"));
  await policy.refreshed();
  expect(rules()).toEqual([]);
});

it("keeps the restrictions of a removed project file until the user trusts the new state", async () => {
  await using fixture = furnish({ "workspace/.toolcrib/rules": "deny read a.txt\n" });
  const policy = await OpenPolicy.open({ ...fixture.options, removalMs: 100 });
  const rules = () => policy.current.sources.map(({ text }) => text).slice(1);
  fixture.write("workspace/.toolcrib/rules", "# nothing\n");
  await policy.refreshed();
  expect(rules()).toEqual(["# nothing\n", "deny read a.txt\n"]);
  expect(policy.warnings).toEqual([expect.stringContaining("its former restrictions stay in force")]);
  trustProjectRules(fixture.options.workspace, policy.project!, fixture.own);
  await policy.refreshed();
  expect(rules()).toEqual(["# nothing\n"]);
  expect(policy.warnings).toEqual([]);
});

it("applies new grants at once, and keeps session and saved grants apart", async () => {
  await using fixture = furnish({});
  const policy = await OpenPolicy.open(fixture.options);
  policy.grantForSession(["allow run a"]);
  policy.grantForSession(["allow run b"]);
  await policy.grantAlways(["allow run c"], "call_1");
  expect(policy.sources.slice(1)).toEqual([
    { level: "session", name: "this session", text: "allow run a\nallow run b" },
    {
      level: "granted",
      name: fixture.own.granted,
      text: expect.stringMatching(/^# .* UTC, asked for by call_1\nallow run c\n$/),
    },
  ]);
  expect(policy.current.sources).toEqual(policy.sources);
});

it("refuses to save a grant that it could not read back", async () => {
  await using fixture = furnish({});
  const policy = await OpenPolicy.open(fixture.options);
  const refused = await policy.grantAlways(["allow run 'a\nb'"], "call_1").catch((error) => error.code);
  expect([refused, existsSync(fixture.own.granted)]).toEqual(["invalid-input", false]);
});

it("protects its own directories, also when symlinks in the workspace point to them", async () => {
  await using fixture = furnish({ "workspace/dotfiles/config/rules": "allow run ls\n" });
  symlinkSync("workspace/dotfiles/config", fixture.at("config"));
  const { guard } = await OpenPolicy.open(fixture.options);
  const paths = [
    "workspace/dotfiles/config/rules",
    "workspace/dotfiles/config/new",
    "workspace/dotfiles/other",
  ];
  expect(paths.map((path) => guard("write", fixture.at(path))?.reason)).toEqual([
    expect.stringContaining("belongs to Toolcrib itself"),
    expect.stringContaining("belongs to Toolcrib itself"),
    undefined,
  ]);
});
