import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tool } from "@langchain/core/tools";
import { Command, interrupt, MemorySaver } from "@langchain/langgraph";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { ChatOpenAI } from "@langchain/openai";
import { langChainTools } from "toolcrib/langchain";
import { describe, expect, it } from "vitest";
import { type ChatModel, chatModel, openProject, type Project } from "./chat.ts";

const poemIn = ({ folder }: Project) => readFileSync(join(folder, "poem.txt"), "utf8");
const change = (path: string) => [["file_write", { path, content: "changed\n" }]] as const;
const go = { messages: [{ role: "user", content: "Go." }] };
const thread = { configurable: { thread_id: "1" } };

async function agentOn(
  model: ChatModel,
  { toolcrib }: Pick<Project, "toolcrib">,
  checkpointer = new MemorySaver(),
) {
  const llm = new ChatOpenAI({ model: "any", apiKey: "none", configuration: { baseURL: model.url } });
  return createReactAgent({ llm, tools: await langChainTools(toolcrib, { tool, interrupt }), checkpointer });
}

it("makes the calls in order", async () => {
  await using project = await openProject({ mode: "cautious" });
  await using model = await chatModel([[...change("a.txt"), ["file_read", { path: "a.txt" }]], "Done."]);
  const { messages } = await (await agentOn(model, project)).invoke(go, thread);
  const answers = model.requests[1]?.filter(({ role }) => role === "tool").map(({ content }) => content);
  expect([messages.at(-1)?.content, answers?.[1]]).toEqual(["Done.", "1 | changed"]);
});

it("answers a failed call with the status of an error", async () => {
  await using project = await openProject({ mode: "cautious" });
  const tools = await langChainTools(project.toolcrib, { tool });
  const read = tools.find(({ name }) => name === "file_read")!;
  const call = (path: string) => ({ type: "tool_call", id: "1", name: "file_read", args: { path } }) as const;
  const messages = [await read.invoke(call("missing.txt")), await read.invoke(call("poem.txt"))];
  expect(messages.map(({ status }) => status)).toEqual(["error", "success"]);
});

describe("a call that needs approval", () => {
  it.each([
    [{ allow: true }, "changed\n", "Created|Wrote|Overwrote"],
    [{ allow: false, message: "Leave it." }, "one\ntwo\n", "Leave it."],
  ])("interrupts the graph, which resumes with %j", async (resume, content, answer) => {
    await using project = await openProject();
    await using model = await chatModel([change("poem.txt"), "Done."]);
    const saver = new MemorySaver();
    await (await agentOn(model, project, saver)).invoke(go, thread);
    const [pending] = project.toolcrib.approvals.list();
    expect([pending?.waiting, poemIn(project)]).toEqual([0, "one\ntwo\n"]);
    const later = await agentOn(model, { toolcrib: await project.reopen() }, saver);
    const { messages } = await later.invoke(
      new Command({ resume: { ...resume, hash: pending?.hash } }),
      thread,
    );
    expect([messages.at(-1)?.content, poemIn(project)]).toEqual(["Done.", content]);
    expect(JSON.stringify(model.requests.at(-1))).toMatch(new RegExp(answer));
  });

  it("does not run by an answer to what has changed since", async () => {
    await using project = await openProject();
    await using model = await chatModel([change("poem.txt"), "Done."]);
    const agent = await agentOn(model, project);
    await agent.invoke(go, thread);
    const [pending] = project.toolcrib.approvals.list();
    writeFileSync(join(project.folder, "poem.txt"), "by the user\n");
    await agent.invoke(new Command({ resume: { allow: true, hash: pending?.hash } }), thread);
    expect(poemIn(project)).toBe("by the user\n");
  });
});
