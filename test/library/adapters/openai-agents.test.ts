import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Agent, OpenAIChatCompletionsModel, Runner, RunState } from "@openai/agents";
import OpenAI from "openai";
import { openAiAgentsTools } from "toolcrib/openai-agents";
import { expect, it } from "vitest";
import { type ChatModel, chatModel, openProject, type Project } from "./chat.ts";

const poemIn = ({ folder }: Project) => readFileSync(join(folder, "poem.txt"), "utf8");
const change = (path: string) => [["file_write", { path, content: "changed\n" }]] as const;

async function agentOn(model: ChatModel, { toolcrib }: Pick<Project, "toolcrib">) {
  const client = new OpenAI({ baseURL: model.url, apiKey: "none" });
  return new Agent({
    name: "Poet",
    model: new OpenAIChatCompletionsModel(client, "any"),
    tools: await openAiAgentsTools(toolcrib, { approvals: "sdk" }),
  });
}

const runner = new Runner({ tracingDisabled: true });

it("makes the calls in order, and answers calls that it cannot read", async () => {
  await using project = await openProject({ mode: "cautious" });
  await using model = await chatModel([
    [...change("a.txt"), ["file_read", { path: "a.txt" }], ["file_read", { nonsense: 1 }]],
    "Done.",
  ]);
  const { finalOutput } = await runner.run(await agentOn(model, project), "Go.");
  const answers = model.requests[1]?.filter(({ role }) => role === "tool").map(({ content }) => content);
  expect([finalOutput, answers?.[1]]).toEqual(["Done.", "1 | changed"]);
  expect(answers?.[2]).toContain("nonsense");
});

it("interrupts the run for approval, and makes exactly the approved call, in another process too", async () => {
  await using project = await openProject();
  await using model = await chatModel([change("poem.txt"), "Done."]);
  const { interruptions, state } = await runner.run(await agentOn(model, project), "Go.");
  expect([interruptions.length, project.toolcrib.approvals.list().length, poemIn(project)]).toEqual([
    1,
    1,
    "one\ntwo\n",
  ]);
  const agent = await agentOn(model, { toolcrib: await project.reopen() });
  const restored = await RunState.fromString(agent, state.toString());
  for (const interruption of restored.getInterruptions()) restored.approve(interruption);
  const { finalOutput } = await runner.run(agent, restored);
  expect([finalOutput, poemIn(project), project.toolcrib.approvals.list()]).toEqual([
    "Done.",
    "changed\n",
    [],
  ]);
});

it("does not make a call that a stored state has changed after it was shown", async () => {
  await using project = await openProject();
  await using model = await chatModel([change("other.txt"), "Done."]);
  const { state } = await runner.run(await agentOn(model, project), "Go.");
  const agent = await agentOn(model, { toolcrib: await project.reopen() });
  const restored = await RunState.fromString(agent, state.toString().replaceAll("other.txt", "poem.txt"));
  for (const interruption of restored.getInterruptions()) restored.approve(interruption);
  await runner.run(agent, restored);
  expect(poemIn(project)).toBe("one\ntwo\n");
  expect(JSON.stringify(model.requests.at(-1))).toContain("not the one that the user approved");
});
