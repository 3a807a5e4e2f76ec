import { describe, expect, it } from "vitest";
import { temporaryToolcrib } from "../../test/support/temporary-toolcrib.ts";
import type { Approval, PendingApproval } from "../toolcrib/index.ts";
import { type LangChainConfig, type LangChainOutput, langChainTools } from "./langchain.ts";

type Make = (input: unknown, config: LangChainConfig) => Promise<LangChainOutput>;

/** A graph whose node makes all calls of a reply in one task, which LangGraph runs again for each answer. */
async function graph({ crib }: Pick<Awaited<ReturnType<typeof temporaryToolcrib>>, "crib">) {
  const task = { asked: 0, answers: [] as unknown[] };
  const interrupt = (pending: PendingApproval) => {
    task.asked += 1;
    if (task.asked <= task.answers.length) return task.answers[task.asked - 1];
    throw Object.assign(new Error("interrupted"), { pending });
  };
  const made = await langChainTools(crib, { tool: (make: Make, { name }) => ({ name, make }), interrupt });
  const write = made.find(({ name }) => name === "file_write")!.make;
  /** Runs the task from the start. Returns the first question, or the outputs. */
  return async (files: readonly string[], ...answers: unknown[]) => {
    Object.assign(task, { asked: 0, answers });
    const ended = await Promise.allSettled(
      files.map((path, id) =>
        write(
          { path, content: `${path}\n` },
          { configurable: { thread_id: "1", checkpoint_ns: "tools:1" }, toolCall: { id: `call_${id}` } },
        ),
      ),
    );
    const question = ended.find(({ status }) => status === "rejected") as PromiseRejectedResult | undefined;
    return {
      question: question?.reason.pending as PendingApproval | undefined,
      outputs: ended.map((one) => (one.status === "fulfilled" ? String(one.value) : "interrupted")),
    };
  };
}

const yes = (question: PendingApproval | undefined, more: object = {}): Approval => ({
  allow: true,
  hash: question?.hash,
  ...more,
});

it("gives each question of a task its own answer, and makes each call once", async () => {
  await using made = await temporaryToolcrib({ mode: "safe" });
  const run = await graph(made);
  const files = ["a.txt", "b.txt", "c.txt"];
  const first = yes((await run(files)).question, { remember: "session" });
  const second = (await run(files, first)).question;
  const third = (await run(files, first, { allow: false })).question;
  const { outputs } = await run(files, first, { allow: false }, yes(third));
  const writes = made.crib.log({ limit: 20 }).filter(({ outcome }) => outcome === "ok");
  expect([writes.length, made.read("a.txt"), made.read("c.txt")]).toEqual([2, "a.txt\n", "c.txt\n"]);
  expect(outputs[1]).toMatch(/^The user refused this call/);
  expect(() => made.read("b.txt")).toThrow("ENOENT");
  expect(new Set([first.allow && first.hash, second?.hash, third?.hash]).size).toBe(3);
});

it("does not take the answer to another question, also in another process", async () => {
  await using made = await temporaryToolcrib({ mode: "safe" });
  const files = ["a.txt", "b.txt"];
  const first = (await (await graph(made))(files)).question;
  const answers = [yes(first, { remember: "always" }), { allow: false }];
  await (await graph(made))(files, ...answers.slice(0, 1));
  // The rule allows the first call now: the second one is the first to ask.
  const { outputs } = await (await graph(made))(files, ...answers);
  expect(outputs[1]).toContain("an answer that is not to this question");
  expect(() => made.read("b.txt")).toThrow("ENOENT");
});

it("never makes a call again that another process has made by the same answer", async () => {
  await using made = await temporaryToolcrib({ mode: "safe" });
  const files = ["a.txt", "b.txt"];
  const first = yes((await (await graph(made))(files)).question);
  for (const _ of [1, 2, 3]) await (await graph(made))(files, first);
  expect(made.crib.log({ limit: 20 }).filter(({ outcome }) => outcome === "ok")).toHaveLength(1);
});

it.each([[true], ["yes"], [null], [{ allow: true }], [{ allow: "true" }], [{ allow: true, hash: "" }]])(
  "does not take %j for an approval",
  async (answer) => {
    await using made = await temporaryToolcrib({ mode: "safe" });
    const run = await graph(made);
    await run(["a.txt"]);
    const { outputs } = await run(["a.txt"], answer);
    expect(outputs[0]).toContain("an answer that is not to this question");
    expect(() => made.read("a.txt")).toThrow("ENOENT");
  },
);

describe("a call that fails", () => {
  it("is answered with the status of an error", async () => {
    await using made = await temporaryToolcrib({ mode: "yolo" });
    const tools = await langChainTools(made.crib, { tool: toolOfLangChain });
    const invoke = (name: string, args: object) =>
      tools.find((tool) => tool.name === name)!.invoke({ type: "tool_call", id: "call_1", name, args });
    const answers = [
      await invoke("file_read", { path: "missing.txt" }),
      await invoke("shell_run", { command: "exit 3" }),
      await invoke("shell_run", { command: "exit 0" }),
    ];
    expect(answers.map(({ status, tool_call_id }) => [status, tool_call_id])).toEqual([
      ["error", "call_1"],
      ["error", "call_1"],
      ["success", "call_1"],
    ]);
  });
});

/** Does what LangChain's `tool` does with calls. test/library has the same test with LangChain itself. */
function toolOfLangChain(make: Make, { name }: { readonly name: string }) {
  return {
    name,
    async invoke(call: { type: "tool_call"; id: string; name: string; args: object }) {
      const content = await make(call.args, { toolCall: call });
      return { status: "success", content, tool_call_id: call.id };
    },
  };
}
