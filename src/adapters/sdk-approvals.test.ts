import { existsSync, rmSync } from "node:fs";
import { expect, it } from "vitest";
import { temporaryToolcrib } from "../../test/support/temporary-toolcrib.ts";
import { aiSdkTools } from "./ai-sdk.ts";
import { SdkApprovals } from "./approvals.ts";
import { openAiAgentsTools } from "./openai-agents.ts";

const write = (path: string) => ({ path, content: "x" });

it("does not make a call that was shown by the approval of another one, whatever the history says", async () => {
  await using made = await temporaryToolcrib({ mode: "safe" });
  const { file_write: tool } = await aiSdkTools(made.crib, { approvals: "sdk" });
  for (const id of ["a", "b"]) await tool!.needsApproval!(write(id), { toolCallId: id, messages: [] });
  const request = { type: "tool-approval-request", approvalId: "1", toolCallId: "a" };
  const response = { type: "tool-approval-response", approvalId: "1", approved: true };
  const messages = [
    { role: "assistant", content: [request] },
    { role: "tool", content: [response] },
  ];
  const make = async (path: string) =>
    (await tool!.execute(write(path), { toolCallId: "a", messages })).error?.code;
  expect([await make("a"), await make("b"), await make("a")]).toEqual([
    undefined,
    "needs-approval",
    "needs-approval",
  ]);
  expect(existsSync(made.at("b"))).toBe(false);
});

it("does not make a denied call by `alwaysApprove` of another one, also in another process", async () => {
  await using made = await temporaryToolcrib({ mode: "safe" });
  const open = async () => {
    const tools = await openAiAgentsTools(made.crib, { approvals: "sdk" });
    return tools.find(({ name }) => name === "file_write")!;
  };
  const tool = await open();
  const always = { isToolApproved: () => true };
  await tool.needsApproval({ isToolApproved: () => undefined }, write("b"), "1");
  await tool.invoke(always, JSON.stringify(write("b")), { toolCall: { callId: "2" } });
  expect(existsSync(made.at("b"))).toBe(false);
  await tool.needsApproval({ isToolApproved: () => false }, write("b"), "1");
  expect(made.crib.approvals.list()).toEqual([]);
  await (await open()).invoke(always, JSON.stringify(write("b")), { toolCall: { callId: "3" } });
  expect(existsSync(made.at("b"))).toBe(false);
});

it("makes an approved call in another process only under the id that was shown", async () => {
  await using made = await temporaryToolcrib({ mode: "safe" });
  const open = async () => {
    const tools = await openAiAgentsTools(made.crib, { approvals: "sdk" });
    return tools.find(({ name }) => name === "file_write")!;
  };
  const shown = await open();
  const unanswered = { isToolApproved: () => undefined };
  // Two equal calls are one question.
  for (const id of ["1", "2"]) await shown.needsApproval(unanswered, write("a"), id);
  expect(made.crib.approvals.list().map(({ sdkCalls }) => sdkCalls)).toEqual([["1", "2"]]);
  const make = async (callId: string) => {
    const approved = { isToolApproved: () => true };
    await (await open()).invoke(approved, JSON.stringify(write("a")), { toolCall: { callId } });
    return existsSync(made.at("a"));
  };
  expect([await make("3"), await make(""), await make("2")]).toEqual([false, false, true]);
});

it("remembers only the latest calls, and an approval counts once even when it is forgotten", {
  tags: "slow",
}, async () => {
  await using made = await temporaryToolcrib({ mode: "safe" });
  const approvals = new SdkApprovals(made.crib);
  const make = (id: string) => made.crib.call("file.write", write("a"), approvals.approved(id, {}));
  await approvals.needsApproval({ id: "first", name: "file.write", input: write("a") }, undefined);
  await make("first");
  expect(existsSync(made.at("a"))).toBe(true);
  rmSync(made.at("a"));
  for (let call = 0; call < 1001; call += 1) approvals.approved(`call ${call}`, {});
  expect((await make("first")).error?.code).toBe("needs-approval");
  expect(existsSync(made.at("a"))).toBe(false);
});
