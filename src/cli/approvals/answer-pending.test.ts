import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type CliWorkspace, cliWorkspace } from "../../../test/support/cli-workspace.ts";
import { hasTerminals } from "../../../test/support/pseudo-terminal.ts";
import { policyFiles } from "../../system/policy-files.ts";
import { openToolcrib, type Toolcrib } from "../../toolcrib/index.ts";

/** A server that keeps running while a user answers in another terminal. */
async function openServer(
  fixture: CliWorkspace,
): Promise<AsyncDisposable & { crib: Toolcrib; remove(): Promise<string> }> {
  fixture.write("a.txt", "one\n");
  const crib = await openToolcrib({
    workspace: fixture.workspace,
    mode: "safe",
    stateDirectory: fixture.home,
    configDirectory: join(fixture.home, "config"),
    pendingApprovals: true,
  });
  return {
    crib,
    remove: async () => (await crib.call("file.delete", { path: "a.txt" })).error?.code ?? "passed",
    [Symbol.asyncDispose]: () => crib.close(),
  };
}

it("lists pending approvals, shows one, and approves it in the running server", async () => {
  await using fixture = cliWorkspace();
  await using server = await openServer(fixture);
  const nothing = await fixture.run("approve");
  await server.remove();
  const { id } = server.crib.approvals.list()[0]!;
  const listed = await fixture.run("approve");
  const elsewhere = await fixture.run("approve", "--target", "ssh:host");
  const approved = await fixture.run("approve", id, "--yes");
  const later = await fixture.run("approve");
  const answered = await fixture.run("approve", "--all");
  const outputs = [nothing, listed, elsewhere, later, answered].map(({ stdout }) => stdout);
  expect([...outputs, approved, await server.remove()]).toEqual([
    "No approvals are pending.\n",
    expect.stringMatching(new RegExp(`^${id}  \\d+ s ago  library  file.delete  it would delete a.txt\\n$`)),
    "No approvals are pending on ssh:host. To list those of other workspaces: toolcrib approve --all\n",
    "No approvals are pending.\n",
    expect.stringContaining("allowed"),
    {
      exit: 0,
      stdout: "Allowed once. The same call runs if it is made within 10 minutes.\n",
      stderr: expect.stringMatching(
        /^\nAllow {2}file\.delete\?\n[\s\S]*\n {2}\| Would delete the file a\.txt \(4 bytes\)\.\n[\s\S]*Folder /,
      ),
    },
    "passed",
  ]);
});

if (!hasTerminals) it.skip("on a terminal (skipped: `script` of util-linux is missing)", () => {});

it.runIf(hasTerminals)("asks the user on a terminal, below the request", { tags: "slow" }, async () => {
  await using fixture = cliWorkspace();
  await using server = await openServer(fixture);
  await server.remove();
  const { id } = server.crib.approvals.list()[0]!;
  const { screen } = await fixture.onTerminal(["approve", id], [["[e]xplain", "a\n"]]);
  const { granted } = policyFiles(join(fixture.home, "config"), fixture.workspace);
  expect([
    screen.indexOf("Would delete") < screen.indexOf("[y]es once"),
    screen.includes("Allowed in this folder from now on."),
    fixture.read(granted).split("\n")[1],
    await server.remove(),
  ]).toEqual([true, true, `allow delete '${join(fixture.workspace, "a.txt")}' by file.delete`, "passed"]);
});

it.runIf(hasTerminals)(
  "allows nothing without confirmation, and nothing from a tool's command",
  { tags: "slow" },
  async () => {
    await using fixture = cliWorkspace();
    await using server = await openServer(fixture);
    await server.remove();
    const { id } = server.crib.approvals.list()[0]!;
    const piped = await fixture.run("approve", id, "--session");
    const no = await fixture.onTerminal(["approve", id, "--always"], [["Allow it?", "n\n"]]);
    const tool = await fixture.onTerminal(["approve", id, "--yes"], [], { TOOLCRIB_RUN: "run_1" });
    expect([
      piped.exit,
      piped.stderr.split("\n").slice(-3),
      no.screen.includes("The approval is still pending"),
    ]).toEqual([
      4,
      ["There is no terminal to ask for confirmation", "Review the call, then add --yes or --deny.", ""],
      true,
    ]);
    expect(tool.screen).toContain("A command that a tool runs cannot approve calls");
    expect([await server.remove(), existsSync(join(fixture.workspace, "a.txt"))]).toEqual([
      "needs-approval",
      true,
    ]);
  },
);

it("passes the reason of a denial to the model, and prints JSON for programs", async () => {
  await using fixture = cliWorkspace();
  await using server = await openServer(fixture);
  await server.remove();
  const { id } = server.crib.approvals.list()[0]!;
  const { stdout, exit } = await fixture.run("approve", id, "--json", "--deny", "not", "today");
  const { content } = await server.crib.call("file.delete", { path: "a.txt" });
  const { answer, ...question } = JSON.parse(stdout);
  expect([exit, answer, question.id, content]).toEqual([
    0,
    { allow: false, message: "not today" },
    id,
    "The user refused this call and said: not today\nNothing was done.",
  ]);
});

it("reports unknown ids and conflicting options", async () => {
  await using fixture = cliWorkspace();
  const answers = await Promise.all([
    fixture.run("approve", "zzzzzz"),
    fixture.run("approve", "../../x", "--yes"),
    fixture.run("approve", "zzzzzz", "--session", "--deny"),
    fixture.run("approve", "zzzzzz", "more"),
  ]);
  expect(answers.map(({ exit, stderr }) => [exit, stderr.split("\n")[0]])).toEqual([
    [2, "No approval with the id zzzzzz is pending"],
    [2, "No approval with the id ../../x is pending"],
    [2, "--session and --deny cannot be combined"],
    [2, "No approval with the id zzzzzz is pending"],
  ]);
});

it("answers nothing when an operand is no id, or when there is none", async () => {
  await using fixture = cliWorkspace();
  await using server = await openServer(fixture);
  await server.remove();
  const { id } = server.crib.approvals.list()[0]!;
  const refused = await Promise.all([
    fixture.run("approve", id, "typo", "--deny"),
    fixture.run("approve", "typo", id, "--yes"),
    fixture.run("approve", "all", "typo", "--deny"),
    fixture.run("approve", "--all", "--yes"),
    fixture.run("approve", "--deny", id),
  ]);
  expect(refused.map(({ exit, stdout, stderr }) => [exit, stdout, ...stderr.trim().split("\n")])).toEqual([
    [2, "", "No approval with the id typo is pending", expect.any(String)],
    [2, "", "No approval with the id typo is pending", expect.any(String)],
    [2, "", "Unexpected argument: typo", "See: toolcrib help approve"],
    [
      2,
      "",
      "--yes needs the ids to answer, or all",
      "To answer them together, run: toolcrib approve all --all --yes",
    ],
    [
      2,
      "",
      "--deny needs the ids to answer, or all",
      "To answer them together, run: toolcrib approve all --deny",
    ],
  ]);
  expect(server.crib.approvals.list().map(({ answer }) => answer)).toEqual([undefined]);
  expect((await fixture.run("approve", id, "--deny", "typo")).exit).toBe(0);
  expect((await server.crib.call("file.delete", { path: "a.txt" })).content).toContain("and said: typo");
});

it("answers several questions together, and says which call cannot run any more", async () => {
  await using fixture = cliWorkspace();
  const open = () =>
    openToolcrib({
      workspace: fixture.workspace,
      mode: "safe",
      stateDirectory: fixture.home,
      configDirectory: join(fixture.home, "config"),
      pendingApprovals: true,
    });
  await using crib = await open();
  const remove = async (name: string, from: Toolcrib = crib) => {
    if (!existsSync(join(fixture.workspace, name))) fixture.write(name, "x\n");
    return (await from.call("file.delete", { path: name })).error?.code ?? "passed";
  };
  for (const name of ["a.txt", "b.txt", "c.txt"]) await remove(name);
  const ids = crib.approvals.list().map(({ id }) => id);
  const two = await fixture.run("approve", ids[0]!, ids[1]!, "--yes");
  const all = await fixture.run("approve", "all", "--deny", "not", "now");
  const none = await fixture.run("approve", "all", "--yes");
  const other = await open();
  await remove("d.txt", other);
  const { id } = other.approvals.list().find(({ request }) => JSON.stringify(request).includes("d.txt"))!;
  await other.close();
  const ended = await fixture.run("approve", id, "--yes");
  expect({
    two: two.stdout,
    all: all.stdout,
    none: none.stdout,
    ended: [ended.exit, ended.stderr.split("\n")[0]],
    calls: [await remove("a.txt"), await remove("b.txt"), await remove("c.txt")],
  }).toEqual({
    two: ids
      .slice(0, 2)
      .map((one) => `${one}  Allowed once. The same call runs if it is made within 10 minutes.\n`)
      .join(""),
    all: `${ids[2]}  Denied. The same call fails for the next 10 minutes.\n`,
    none: "No approvals are pending.\n",
    ended: [1, `The call of approval ${id} cannot run any more: its session has ended`],
    calls: ["passed", "passed", "denied"],
  });
});
