import { join } from "node:path";
import { expect, it } from "vitest";
import { cliWorkspace } from "../../../test/support/cli-workspace.ts";
import { policyFiles } from "../../system/policy-files.ts";
import { openToolcrib } from "../../toolcrib/index.ts";

it('lists what "always" allowed, when and for whom, and revokes it by id or rule', {
  tags: "slow",
}, async () => {
  await using fixture = cliWorkspace();
  const crib = await openToolcrib({
    workspace: fixture.workspace,
    stateDirectory: fixture.home,
    configDirectory: join(fixture.home, "config"),
    sandbox: "none",
    client: { kind: "mcp", name: "codex", version: "2" },
    approve: ({ hash }) => ({ allow: true, remember: "always", hash }),
  });
  const asked = [
    await crib.call("shell.run", { command: "touch one" }),
    await crib.call("shell.run", { command: "touch two" }),
  ];
  const { granted } = policyFiles(join(fixture.home, "config"), fixture.workspace);
  fixture.write(granted, `${fixture.read(granted)}\n# mine\nask run make\n`);
  const list = async () => JSON.parse((await fixture.run("grants", "--json")).stdout);
  const grants = await list();
  expect(grants).toMatchObject([
    {
      rules: ["allow run touch one by shell.run", "unconfined run touch one by shell.run"],
      grantedAt: expect.any(Number),
      askedBy: asked[0]!.callId,
      client: { kind: "mcp", name: "codex" },
      file: granted,
    },
    { rules: expect.arrayContaining(["allow run touch two by shell.run"]), askedBy: asked[1]!.callId },
    { rules: ["ask run make"], grantedAt: null, askedBy: null, client: null },
  ]);
  const { stdout, stderr } = await fixture.run("grants");
  expect(stdout.split("\n")[0]).toMatch(
    new RegExp(
      `^${grants[0].id} {2}\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d {2}mcp codex 2, ${asked[0]!.callId} {2}allow run touch one`,
    ),
  );
  expect(stderr).toBe(`File: ${granted}\n`);
  expect((await fixture.run("grants", "revoke", grants[0].id)).stdout).toBe(
    grants[0].rules.map((rule: string) => `Revoked: ${rule}\n`).join(""),
  );
  const byRule = await fixture.run("grants", "revoke", "allow", "run", "touch", "two", "--json");
  expect(JSON.parse(byRule.stdout).revoked).toMatchObject([{ id: grants[1].id }]);
  expect(fixture.read(granted).trim()).toBe("# mine\nask run make");
  const asksAgain = await crib.call("shell.run", { command: "touch one" });
  await crib.close();
  expect(asksAgain.error).toBeNull();
  expect((await list()).map(({ rules }: { rules: string[] }) => rules)).toEqual([
    ["ask run make"],
    grants[0].rules,
  ]);
});

it("names what is missing", async () => {
  await using fixture = cliWorkspace();
  expect([
    await fixture.run("grants"),
    await fixture.run("grants", "revoke", "1f0c9a2e"),
    await fixture.run("grants", "revoke"),
    await fixture.run("grants", "remove"),
  ]).toMatchObject([
    { exit: 0, stdout: "", stderr: 'Nothing is allowed by "always" in this folder.\n' },
    {
      exit: 2,
      stderr:
        "No grant in this folder has the id or the rule 1f0c9a2e\nTo list the grants, run: toolcrib grants\n",
    },
    { exit: 2, stderr: "The id of a grant is missing\nUse an id from: toolcrib grants\n" },
    { exit: 2, stderr: expect.stringContaining("remove") },
  ]);
});
