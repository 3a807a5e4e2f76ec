import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import type { Access } from "../contract/access.ts";
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

/** Verdict and place of the rule for a command, as a room would decide in mode cautious. */
async function verdictOn(command: string, options: PolicyOptions): Promise<readonly string[]> {
  const access: Access = { kind: "execute", command };
  const { record } = await previewDecision(
    { tool: { name: "shell.run", risk: "execute" }, accesses: [access] },
    {
      policy: (await OpenPolicy.open(options)).current,
      mode: "cautious",
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

it("lets a stronger source win over a weaker one, and any deny over all of them", async () => {
  await using room = furnish({
    "config/rules": "allow run a\nallow run b\ndeny run c\n",
    more: "allow run b\n",
  });
  room.write("workspace/.toolcrib/rules", "ask run a\nask run b\n");
  const options = { ...room.options, rules: ["allow run c"], ruleFiles: [room.at("more")] };
  expect(await Promise.all(["a", "b", "c", "d"].map((command) => verdictOn(command, options)))).toEqual([
    ["ask", ".toolcrib/rules:1"],
    ["allow", `${room.at("more")}:1`],
    ["deny", `${room.at("config/rules")}:3`],
    ["ask", "mode cautious"],
  ]);
});

it("lets the rules of a folder forbid, and allow only once they are trusted, just as they are", async () => {
  await using room = furnish({ "workspace/.toolcrib/rules": "allow run make\ndeny run npm publish **\n" });
  const both = async () => [
    await verdictOn("make", room.options),
    await verdictOn("npm publish", room.options),
    (await OpenPolicy.open(room.options)).project?.trust,
  ];
  const denied = ["deny", ".toolcrib/rules:2"];
  const untrusted = await both();
  trustProjectRules(room.options.workspace, (await OpenPolicy.open(room.options)).project!, room.own);
  const trusted = await both();
  room.write("workspace/.toolcrib/rules", "allow run make\ndeny run npm publish **\nallow run **\n");
  const changed = await both();
  room.write("workspace/.toolcrib/rules", "allow run make\ndeny run npm publish **\n");
  const again = await both();
  expect([untrustProjectRules(room.own), untrustProjectRules(room.own)]).toEqual([true, false]);
  expect([untrusted, trusted, changed, again, await both()]).toEqual([
    [["ask", "mode cautious"], denied, "untrusted"],
    [["allow", ".toolcrib/rules:1"], denied, "trusted"],
    [["ask", "mode cautious"], denied, "changed"],
    [["allow", ".toolcrib/rules:1"], denied, "trusted"],
    [["ask", "mode cautious"], denied, "untrusted"],
  ]);
});

it("takes no folder for another that is trusted, whatever its git files claim (CVE-2026-40068)", async () => {
  await using room = furnish({ "workspace/.toolcrib/rules": "allow run make\n", "workspace/.git/HEAD": "" });
  trustProjectRules(room.options.workspace, (await OpenPolicy.open(room.options)).project!, room.own);
  // A hostile folder of the same content that calls itself a worktree of the trusted one.
  room.write("other/workspace/.toolcrib/rules", "allow run make\n");
  room.write("other/workspace/.git", `gitdir: ${room.at("workspace/.git/worktrees/x")}\n`);
  room.write("other/workspace/commondir", `${room.at("workspace/.git")}\n`);
  const other = { ...room.options, workspace: room.at("other/workspace") };
  // Even the trust file itself names the folder that it is for.
  room.write(
    policyFiles(other.config, other.workspace).trust.slice(room.path.length + 1),
    `{"workspace": "${room.options.workspace}", "sha256": "${(await OpenPolicy.open(other)).project!.hash}"}`,
  );
  expect([await verdictOn("make", room.options), await verdictOn("make", other)]).toEqual([
    ["allow", ".toolcrib/rules:1"],
    ["ask", "mode cautious"],
  ]);
});

it("trusts nothing by a trust file that is damaged", async () => {
  await using room = furnish({ "workspace/.toolcrib/rules": "allow run make\n" });
  const trusts: unknown[] = [];
  for (const text of ["", "{", "null", "7", '"x"', "[]"]) {
    room.write(room.own.trust.slice(room.path.length + 1), text);
    trusts.push((await OpenPolicy.open(room.options)).project?.trust);
  }
  expect(trusts).toEqual(Array(6).fill("untrusted"));
});

it("reads nothing else from the workspace", async () => {
  await using room = furnish({
    "workspace/rules": "deny run a\n",
    "workspace/config/rules": "deny run a\n",
    "workspace/.toolcrib/config/rules": "deny run a\n",
    "workspace/.toolcrib/trust.json": "{}",
    "workspace/.env": "TOOLCRIB_HOME=/evil\n",
  });
  const { sources } = await OpenPolicy.open(room.options);
  expect(sources.map(({ level, name }) => [level, name])).toEqual([["built-in", "built-in"]]);
});

it("does not open with rules that it cannot read or understand, and names file, line and the way out", async () => {
  await using room = furnish({ "config/rules": "allow run a\n\nforbid run b\n" });
  const broken = await refusal(room.options);
  rmSync(room.at("config/rules"));
  room.write("workspace/.toolcrib/rules", "deny run\n");
  const project = await refusal(room.options);
  rmSync(room.at("workspace/.toolcrib"), { recursive: true });
  const missing = await refusal({ ...room.options, ruleFiles: [room.at("none")] });
  const given = await refusal({ ...room.options, rules: ["deny run a", "deny nothing at all"] });
  expect(
    [broken, project, given].map(({ code, message }) => [code, message.split(":").slice(0, 2).join(":")]),
  ).toEqual([
    ["invalid-input", `Bad rule at ${room.at("config/rules")}:3`],
    ["invalid-input", "Bad rule at .toolcrib/rules:1"],
    ["invalid-input", "Bad rule at --rule:2"],
  ]);
  for (const { hint } of [broken, project, given]) expect(hint).toMatch(/\w/);
  expect(missing).toEqual({
    code: "not-found",
    message: `The rule file ${room.at("none")} does not exist`,
    hint: "Check the path after --rules.",
  });
});

it("follows no link of the project out of the workspace", async () => {
  await using room = furnish({ "elsewhere/rules": "allow run a\n" });
  symlinkSync(room.at("elsewhere"), room.at("workspace/.toolcrib"));
  expect(await refusal(room.options)).toEqual({
    code: "unavailable",
    message: "The project's rules cannot be read: .toolcrib/rules leads outside the workspace",
    hint: `Fix or remove .toolcrib/rules in ${room.options.workspace}.`,
  });
});

it("reads the project's rules through the environment that it is given", async () => {
  await using room = furnish({});
  const environment = new MemoryEnvironment({ files: { ".toolcrib/rules": "deny run a\n" } });
  const options = { ...room.options, workspace: environment.workspace, environment };
  expect(await verdictOn("a", options)).toEqual(["deny", ".toolcrib/rules:1"]);
});

it("counts what answers add from then on, and keeps it apart by where it is kept", async () => {
  await using room = furnish({});
  const policy = await OpenPolicy.open(room.options);
  policy.grantForSession(["allow run a"]);
  policy.grantForSession(["allow run b"]);
  await policy.grantAlways(["allow run c"], "a comment");
  expect(policy.sources.slice(1)).toEqual([
    { level: "session", name: "this session", text: "allow run a\nallow run b" },
    { level: "granted", name: room.own.granted, text: "# a comment\nallow run c\n" },
  ]);
  expect(policy.current.sources).toEqual(policy.sources);
});

it("writes down no grant that it could not read again", async () => {
  await using room = furnish({});
  const policy = await OpenPolicy.open(room.options);
  const refused = await policy.grantAlways(["allow run 'a\nb'"], "a comment").catch((error) => error.code);
  expect([refused, existsSync(room.own.granted)]).toEqual(["invalid-input", false]);
});

it("keeps its own directories closed, also when links lead to them from within the workspace", async () => {
  await using room = furnish({ "workspace/dotfiles/config/rules": "allow run ls\n" });
  symlinkSync("workspace/dotfiles/config", room.at("config"));
  const { guard } = await OpenPolicy.open(room.options);
  const paths = [
    "workspace/dotfiles/config/rules",
    "workspace/dotfiles/config/new",
    "workspace/dotfiles/other",
  ];
  expect(paths.map((path) => guard("write", room.at(path))?.reason)).toEqual([
    expect.stringContaining("belongs to Toolcrib itself"),
    expect.stringContaining("belongs to Toolcrib itself"),
    undefined,
  ]);
});
