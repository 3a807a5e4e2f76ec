import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import {
  BaseTool,
  getDefaultTools,
  type LoopTool,
  MetadataOnlyTool,
  openToolLoop,
  type ToolLoop,
  type ToolLoopOptions,
} from "./agent-loop.ts";

class Greet extends BaseTool {
  readonly name = "greet";
  readonly description = "Greet somebody.";
  readonly parameters = {
    type: "object",
    properties: { who: { type: "string", description: "Whom." } },
    required: ["who"],
  };
  override readonly risk = "read";

  override handler({ who }: Readonly<Record<string, unknown>>): string {
    if (who === "nobody") throw new Error("there is nobody to greet");
    return `Hello ${who}`;
  }
}

class Deploy extends MetadataOnlyTool {
  readonly name = "deploy";
  readonly description = "Put it on the server.";
  readonly parameters = { type: "object", properties: {} };
}

const count: LoopTool = {
  name: "count",
  description: "Count the characters.",
  parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  risk: "read",
  handler: async ({ text }) => ({ characters: String(text).length }),
};

it("has calculate and get_current_time as default tools, which need nothing else", async () => {
  const [calculate, time, ...others] = getDefaultTools();
  expect([calculate?.name, time?.name, others]).toEqual(["calculate", "get_current_time", []]);
  expect(calculate?.handler({ expression: "(2+3)*4" })).toBe("20");
  expect(() => calculate?.handler({ expression: "__import__('os')" })).toThrow(
    "is not allowed in strict mode",
  );
  expect(() => calculate?.handler({})).toThrow("`expression` is missing");
  expect(time?.handler({})).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/);
});

it("lists classes and objects in OpenAI's tool format, and runs them", async () => {
  await using fixture = await loopFixture({ tools: [new Greet(), count] });
  expect(await fixture.loop.definitions()).toEqual([
    {
      type: "function",
      function: { name: "greet", description: "Greet somebody.", parameters: new Greet().parameters },
    },
    {
      type: "function",
      function: { name: "count", description: "Count the characters.", parameters: count.parameters },
    },
  ]);
  expect(await fixture.loop.execute("greet", { who: "Ada" })).toBe("Hello Ada");
  expect(await fixture.loop.execute("count", { text: "four" })).toBe('{"characters":4}');
});

it("reports exceptions of a handler and invalid arguments as Tool execution error", async () => {
  await using fixture = await loopFixture({ tools: [new Greet()] });
  const answers = [{ who: "nobody" }, {}, { who: 3 }].map((args) => fixture.loop.execute("greet", args));
  expect(await Promise.all([...answers, fixture.loop.execute("nothing", {})])).toEqual([
    "Tool execution error: there is nobody to greet",
    "Tool execution error: greet: `who` is missing\nIt takes: who.",
    "Tool execution error: greet: `who` must be a string, not a number\nIt takes: who.",
    'Tool execution error: Unknown tool "nothing"\nKnown tools: greet.',
  ]);
});

it("lists a tool without a handler, and answers its calls with an error", async () => {
  await using fixture = await loopFixture({ tools: [new Deploy()] });
  const names = (await fixture.loop.definitions()).map((tool) => tool.function.name);
  expect([names, await fixture.loop.execute("deploy", {})]).toEqual([
    ["deploy"],
    "Tool execution error: deploy has no handler\nUse another tool.",
  ]);
});

it("has only the given tools, also one named like a set", async () => {
  await using fixture = await loopFixture({ tools: [{ ...count, name: "v3" }] });
  const names = (await fixture.loop.definitions()).map((tool) => tool.function.name);
  expect([names, await fixture.loop.execute("v3", { text: "four" })]).toEqual([["v3"], '{"characters":4}']);
});

it("runs the default tools by default", async () => {
  await using fixture = await loopFixture({});
  const names = (await fixture.loop.definitions()).map((tool) => tool.function.name);
  expect([names, await fixture.loop.execute("calculate", { expression: "2**8" })]).toEqual([
    ["calculate", "get_current_time"],
    "256",
  ]);
});

it("has the file tools of v3 along with custom tools; the last of a name wins", async () => {
  const ls: LoopTool = { ...count, name: "ls", handler: () => "mine" };
  await using fixture = await loopFixture({ set: "v3", tools: [new Greet(), count, ls] });
  writeFileSync(join(fixture.workspace, "a.txt"), "one\n");
  const names = (await fixture.loop.definitions()).map((tool) => tool.function.name);
  expect(names).toEqual(["read", "write", "edit", "grep", "find", "ls", "greet", "count"]);
  expect(await fixture.loop.execute("read", { path: "a.txt" })).toBe("one\n");
  expect(await fixture.loop.execute("ls", { text: "" })).toBe("mine");
  await fixture.loop.execute("edit", { path: "a.txt", old_text: "one", new_text: "two" });
  expect(readFileSync(join(fixture.workspace, "a.txt"), "utf8")).toBe("two\n");
});

it("runs a subclass of BaseTool that has the documented members, without approval", async () => {
  class Shout extends BaseTool {
    readonly name = "shout";
    readonly description = "Say it louder.";
    readonly parameters = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
    handler({ text }: Readonly<Record<string, unknown>>): string {
      return String(text).toUpperCase();
    }
  }
  await using fixture = await loopFixture({ tools: [...getDefaultTools(), new Shout()] });
  const names = (await fixture.loop.definitions()).map((tool) => tool.function.name);
  expect([names, await fixture.loop.execute("shout", { text: "hello" })]).toEqual([
    ["calculate", "get_current_time", "shout"],
    "HELLO",
  ]);
});

it("asks before it runs a tool that declares such a risk", async () => {
  const risky: LoopTool = { ...count, risk: "execute" };
  await using fixture = await loopFixture({ tools: [risky] });
  expect(await fixture.loop.execute("count", { text: "x" })).toMatch(
    /^Tool execution error: This call needs approval/,
  );
  await using open = await loopFixture({ tools: [risky], approve: async () => ({ allow: true }) });
  expect(await open.loop.execute("count", { text: "x" })).toBe('{"characters":1}');
});

it("describes each tool by summary, principle, usage and fault tolerance", async () => {
  await using v2 = await loopFixture({});
  await using v3 = await loopFixture({ set: "v3" });
  const definitions = [...(await v2.loop.definitions()), ...(await v3.loop.definitions())];
  const parts = definitions.map(({ function: { description } }) =>
    description
      .split("\n")
      .map((line) => /^(Principle|Usage|Fault tolerance): \S/.exec(line)?.[1] ?? "Summary"),
  );
  expect(parts).toEqual(Array(8).fill(["Summary", "Principle", "Usage", "Fault tolerance"]));
});

interface LoopFixture extends AsyncDisposable {
  readonly workspace: string;
  readonly loop: ToolLoop;
}

async function loopFixture(options: ToolLoopOptions): Promise<LoopFixture> {
  const folder = temporaryFolder();
  const workspace = join(folder.path, "workspace");
  mkdirSync(workspace);
  const loop = await openToolLoop({
    ...options,
    workspace,
    stateDirectory: join(folder.path, "state"),
    configDirectory: join(folder.path, "config"),
  });
  return {
    workspace,
    loop,
    [Symbol.asyncDispose]: async () => {
      await loop.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}
