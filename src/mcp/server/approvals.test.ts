import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ElicitResult } from "@modelcontextprotocol/client";
import { describe, expect, it, vi } from "vitest";
import {
  type ClientFixture,
  type ClientFixtureOptions,
  clientFixture,
  eras,
  resultOf,
} from "../../../test/support/mcp/client-fixture.ts";

interface Asked {
  readonly message: string;
  readonly choices: unknown;
  readonly preset: unknown;
}

/** A client that asks its user, who gives this answer. */
async function askedFixture(
  options: ClientFixtureOptions,
  answer: (fixture: ClientFixture) => ElicitResult,
): Promise<ClientFixture & { readonly asked: Asked[] }> {
  const asked: Asked[] = [];
  const fixture = await clientFixture({
    files: { "a.txt": "one\n", "b.txt": "two\n" },
    capabilities: { elicitation: {} },
    mode: "safe",
    ...options,
  });
  fixture.client.setRequestHandler("elicitation/create", ({ params }) => {
    if (!("requestedSchema" in params)) throw new Error("this is no form");
    const { properties } = params.requestedSchema;
    const { enum: choices, default: preset } = properties.answer as { enum?: unknown; default?: unknown };
    asked.push({ message: params.message, choices, preset });
    return answer(fixture);
  });
  return { ...fixture, asked };
}

const says = (answer: string) => (): ElicitResult => ({ action: "accept", content: { answer } });
const remove = (path: string) => ({ name: "file_delete", arguments: { path } });

describe.each(eras)("a client with %s that supports elicitation", (era) => {
  it("shows the user the call, the reason and the change, and allows it once", { tags: "slow" }, async () => {
    await using fixture = await askedFixture({ era }, says("once"));
    const first = await fixture.client.callTool(remove("a.txt"));
    const second = await fixture.client.callTool(remove("b.txt"));
    expect([resultOf(first), resultOf(second), fixture.asked.length]).toEqual([
      { content: [{ type: "text", text: "Deleted the file a.txt (4 bytes)." }] },
      { content: [{ type: "text", text: "Deleted the file b.txt (4 bytes)." }] },
      2,
    ]);
    expect(fixture.asked[0]).toEqual({
      message: [
        "trial 1 asks: allow file.delete? (risk: destructive)",
        "    Would delete the file a.txt (4 bytes).",
        "Would: delete a.txt",
        "Why: mode safe asks before deleting",
        `"session": Until this session ends, file.delete may delete '${fixture.workspace}/a.txt'`,
        `"always": In this folder from now on, file.delete may delete '${fixture.workspace}/a.txt'`,
      ].join("\n"),
      choices: ["once", "session", "always", "no"],
      // Without it, a client that shows the form refuses a plain "Accept".
      preset: "once",
    });
  });

  it("shows the changed line of an edit at once, for clients that show only the first lines", async () => {
    await using fixture = await askedFixture({ era }, says("once"));
    writeFileSync(join(fixture.workspace, "a.txt"), "1\n2\n3\n4\n5\n6\n");
    const edit = { path: "a.txt", find: "5", replace: "five" };
    await fixture.client.callTool({ name: "edit_replace", arguments: edit });
    expect(fixture.asked[0]?.message.split("\n").slice(0, 4)).toEqual([
      "trial 1 asks: allow edit.replace in a.txt, line 5? (risk: write)",
      "    -5",
      "    +five",
      "     6",
    ]);
  });

  it("never repeats a script to ask about one of its calls", { tags: "slow" }, async () => {
    await using fixture = await askedFixture({ era }, says("once"));
    const script = 'await tools.file.read({ path: "b.txt" }); await tools.file.delete({ path: "a.txt" })';
    const result = await fixture.client.callTool({ name: "tools_script", arguments: { script } });
    const crib = await fixture.crib();
    const canAsk = fixture.asked.length === 1;
    expect([result.isError ?? false, existsSync(join(fixture.workspace, "a.txt"))]).toEqual([
      !canAsk,
      !canAsk,
    ]);
    expect(crib.log().filter(({ tool }) => tool === "tools.script" || tool === "file.read")).toHaveLength(2);
    if (!canAsk)
      expect(JSON.stringify(result.content)).toContain("Make this call by itself, outside of the script.");
  });

  it("does not ask again about a call allowed for the session", async () => {
    await using fixture = await askedFixture({ era }, says("session"));
    await fixture.client.callTool(remove("a.txt"));
    writeFileSync(join(fixture.workspace, "a.txt"), "again\n");
    await fixture.client.callTool(remove("a.txt"));
    expect([fixture.asked.length, existsSync(join(fixture.workspace, "a.txt"))]).toEqual([1, false]);
  });

  it("passes on a refusal", async () => {
    await using fixture = await askedFixture({ era }, says("no"));
    const result = await fixture.client.callTool(remove("a.txt"));
    const crib = await fixture.crib();
    expect([
      result.isError,
      existsSync(join(fixture.workspace, "a.txt")),
      crib.log({ limit: 1 })[0]?.decision?.answer,
    ]).toEqual([true, true, "no"]);
  });

  it("takes a form that the user declined as a no", async () => {
    await using fixture = await askedFixture({ era, pendingApprovals: true, reflexMs: 0 }, () => ({
      action: "decline",
    }));
    const result = await fixture.client.callTool(remove("a.txt"));
    const crib = await fixture.crib();
    expect([resultOf(result), crib.log({ limit: 1 })[0]?.decision?.answer, fixture.asked.length]).toEqual([
      {
        content: [
          {
            type: "text",
            text: expect.stringMatching(/^The user refused this call: .*\nDo not repeat it\./s),
          },
        ],
        isError: true,
      },
      "no",
      1,
    ]);
  });

  it.each([
    ["declines at once, by itself", { action: "decline" }],
    ["cancels", { action: "cancel" }],
    ["accepts without an answer", { action: "accept" }],
    ["gives an answer that is not one of the choices", { action: "accept", content: { answer: "perhaps" } }],
  ] as const)("is refused, with how to allow the call, when it %s", async (_name, answer) => {
    // On a busy machine, even a client that declines by itself takes a while.
    await using fixture = await askedFixture(
      { era, pendingApprovals: true, reflexMs: 600_000 },
      () => answer,
    );
    const result = await fixture.client.callTool(remove("a.txt"));
    expect([resultOf(result), fixture.asked.length, existsSync(join(fixture.workspace, "a.txt"))]).toEqual([
      { content: [{ type: "text", text: expect.stringMatching(/toolcrib approve \w+/) }], isError: true },
      1,
      true,
    ]);
  });

  it("does nothing when the shown files changed before the answer, and asks again", async () => {
    let answers = 0;
    await using fixture = await askedFixture({ era }, ({ workspace }) => {
      answers += 1;
      if (answers === 1) writeFileSync(join(workspace, "a.txt"), "longer than before\n");
      return { action: "accept", content: { answer: answers === 1 ? "once" : "no" } };
    });
    await fixture.client.callTool(remove("a.txt"));
    expect([
      fixture.asked.map(({ message }) => /\d+ bytes/.exec(message)?.[0]),
      existsSync(join(fixture.workspace, "a.txt")),
    ]).toEqual([["4 bytes", "19 bytes"], true]);
  });
});

it("goes on at once when its question is answered elsewhere while the form is open", async () => {
  const cancelled = vi.fn();
  await using fixture = await clientFixture({
    era: "2025-11-25",
    files: { "a.txt": "one\n" },
    capabilities: { elicitation: {} },
    mode: "safe",
  });
  fixture.client.setRequestHandler("elicitation/create", (_request, { mcpReq }) => {
    mcpReq.signal.addEventListener("abort", cancelled);
    return new Promise<ElicitResult>(() => {});
  });
  const call = fixture.client.callTool(remove("a.txt"));
  const crib = await fixture.crib();
  await vi.waitFor(() => expect(crib.approvals.list()).toHaveLength(1), { timeout: 60_000 });
  const [question] = crib.approvals.list();
  await fixture.desk.answer(question!, { allow: true });
  expect(resultOf(await call)).toEqual({
    content: [{ type: "text", text: "Deleted the file a.txt (4 bytes)." }],
  });
  await vi.waitFor(() => expect(cancelled).toHaveBeenCalledOnce(), { timeout: 60_000 });
  expect([question?.client, crib.approvals.list()]).toEqual([
    { kind: "mcp", name: expect.any(String), version: expect.any(String) },
    [],
  ]);
});

it("passes the message of a refusal in the form to the model", async () => {
  await using fixture = await askedFixture({ era: "2025-11-25" }, () => ({
    action: "accept",
    content: { answer: "no", message: "Move it instead." },
  }));
  const result = await fixture.client.callTool(remove("a.txt"));
  expect(resultOf(result)).toMatchObject({
    content: [{ text: "The user refused this call and said: Move it instead.\nNothing was done." }],
  });
});

it("is refused, with how to allow the call, when it fails to ask despite its capabilities", async () => {
  await using fixture = await askedFixture({ era: "2025-11-25", pendingApprovals: true }, () => {
    throw new Error("no window");
  });
  const result = await fixture.client.callTool(remove("a.txt"));
  expect([resultOf(result), fixture.asked.length, existsSync(join(fixture.workspace, "a.txt"))]).toEqual([
    { content: [{ type: "text", text: expect.stringMatching(/toolcrib approve \w+/) }], isError: true },
    1,
    true,
  ]);
});

describe.each(eras)("a client with %s that does not support elicitation", (era) => {
  it("is refused, with how to allow the call", async () => {
    await using fixture = await clientFixture({
      era,
      files: { "a.txt": "one\n" },
      mode: "safe",
      pendingApprovals: true,
    });
    const result = await fixture.client.callTool(remove("a.txt"));
    expect(resultOf(result)).toEqual({
      content: [{ type: "text", text: expect.stringMatching(/toolcrib approve \w+/) }],
      isError: true,
    });
  });
});
