import { existsSync } from "node:fs";
import { expect, it } from "vitest";
import { temporaryToolcrib } from "../../test/support/temporary-toolcrib.ts";
import { aiSdkTools } from "./ai-sdk.ts";
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
