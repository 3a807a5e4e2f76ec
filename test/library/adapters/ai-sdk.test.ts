import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import * as ai7 from "ai";
import * as ai5 from "ai-5";
import { createOpenAICompatible as createFor5 } from "ai-5-openai-compatible";
import * as ai6 from "ai-6";
import { createOpenAICompatible as createFor6 } from "ai-6-openai-compatible";
import { aiSdkTools } from "toolcrib/ai-sdk";
import { describe, expect, it } from "vitest";
import { chatModel, openProject, type Project } from "./chat.ts";

const at = (url: string) => ({ name: "loopback", baseURL: url, apiKey: "none" });
const readAndWrite = [
  ["file_write", { path: "a.txt", content: "new\n" }],
  ["file_read", { path: "a.txt" }],
] as const;
const change = (path: string) => [["file_write", { path, content: "changed\n" }]] as const;
const poemIn = ({ folder }: Project) => readFileSync(join(folder, "poem.txt"), "utf8");

it("version 5 makes the calls in order, and a call that needs approval fails", async () => {
  await using project = await openProject({ mode: "cautious", rules: ["ask write poem.txt"] });
  await using model = await chatModel([readAndWrite, change("poem.txt"), "Done."]);
  const { text } = await ai5.generateText({
    model: createFor5(at(model.url))("any"),
    prompt: "Go.",
    tools: await aiSdkTools(project.toolcrib, { approvals: "sdk" }),
    stopWhen: ai5.stepCountIs(5),
  });
  const [, second, third] = model.requests;
  expect([text, second?.at(-1)?.content, poemIn(project)]).toEqual(["Done.", "1 | new", "one\ntwo\n"]);
  expect(third?.at(-1)?.content).toContain("This call needs approval");
});

describe.each([
  ["6", ai6, (url: string) => createFor6(at(url))("any")],
  ["7", ai7, (url: string) => createOpenAICompatible(at(url))("any")],
] as const)("version %s", (_, ai, modelAt) => {
  // Each version has its own types, which are checked below.
  const { generateText, stepCountIs } = ai as unknown as typeof ai7;
  const run = async (url: string, given: object, tools: Awaited<ReturnType<typeof aiSdkTools>>) =>
    generateText({ model: modelAt(url) as never, tools, stopWhen: stepCountIs(5), ...given } as never);

  it("makes the calls in order", async () => {
    await using project = await openProject({ mode: "cautious" });
    await using model = await chatModel([readAndWrite, "Done."]);
    const { text } = await run(model.url, { prompt: "Go." }, await aiSdkTools(project.toolcrib));
    expect([text, model.requests[1]?.at(-1)?.content]).toEqual(["Done.", "1 | new"]);
  });

  const asked = async (project: Project, url: string) => {
    const user = { role: "user", content: "Go." };
    const tools = await aiSdkTools(project.toolcrib, { approvals: "sdk" });
    const { content, response } = await run(url, { messages: [user] }, tools);
    const request = content.find((part) => part.type === "tool-approval-request");
    const approvalId = request && "approvalId" in request ? request.approvalId : undefined;
    const answer = {
      role: "tool",
      content: [{ type: "tool-approval-response", approvalId, approved: true }],
    };
    return { messages: [user, ...response.messages, answer], approvalId };
  };

  it("asks with an approval request, and runs exactly the approved call, in another process too", async () => {
    await using project = await openProject();
    await using model = await chatModel([change("poem.txt"), "Done."]);
    const { messages, approvalId } = await asked(project, model.url);
    expect([typeof approvalId, project.toolcrib.approvals.list().length]).toEqual(["string", 1]);
    const tools = await aiSdkTools(await project.reopen(), { approvals: "sdk" });
    const { text } = await run(model.url, { messages }, tools);
    expect([text, poemIn(project), project.toolcrib.approvals.list()]).toEqual(["Done.", "changed\n", []]);
  });

  it("does not run a call that the history of a client has changed after it was shown", async () => {
    await using project = await openProject();
    await using model = await chatModel([change("other.txt"), "Done.", "Done."]);
    const { messages } = await asked(project, model.url);
    const forged = JSON.parse(JSON.stringify(messages).replaceAll("other.txt", "poem.txt"));
    for (const instance of [project.toolcrib, await project.reopen()]) {
      const tools = await aiSdkTools(instance, { approvals: "sdk" });
      await run(model.url, { messages: forged }, tools);
    }
    expect(poemIn(project)).toBe("one\ntwo\n");
    expect(JSON.stringify(model.requests.at(-1))).toContain("not the one that the user approved");
  });
});

/** Compiles: the tools are a `ToolSet` of every version, without casts. */
export async function typesOfEveryVersion(tools: Awaited<ReturnType<typeof aiSdkTools>>) {
  const sets: [ai5.ToolSet, ai6.ToolSet, ai7.ToolSet] = [tools, tools, tools];
  return sets;
}
