import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, expectTypeOf, it } from "vitest";
import * as z from "zod";
import {
  defineTool,
  type OwnTool,
  openToolcrib,
  type StandardSchema,
  type ToolcribOptions,
} from "./index.ts";

let folder: string;
const opened: AsyncDisposable[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "toolcrib own tools "));
  mkdirSync(join(folder, "work"));
});
afterEach(async () => {
  for (const each of opened.splice(0)) await each[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

async function open(tools: readonly OwnTool[], options: ToolcribOptions = {}) {
  const folders = { stateDirectory: join(folder, "state"), configDirectory: join(folder, "config") };
  const crib = await openToolcrib({ workspace: join(folder, "work"), ...folders, tools, ...options });
  opened.push(crib);
  return crib;
}

/** A schema as another library gives it: a city with a name in capitals. */
function citySchema(options: { readonly vendor: string; readonly withJsonSchema: boolean }) {
  const schema: StandardSchema<{ city: string }, { city: string }> = {
    "~standard": {
      version: 1,
      vendor: options.vendor,
      validate: (value) => {
        const { city } = value as { city?: unknown };
        if (typeof city === "string") return { value: { city: city.toUpperCase() } };
        return { issues: [{ message: "a city has a name", path: [{ key: "city" }] }] };
      },
      jsonSchema: options.withJsonSchema ? { input: () => cityJson } : undefined,
    },
  };
  return schema;
}

const cityJson = {
  type: "object",
  properties: { city: { type: "string", minLength: 2 } },
  required: ["city"],
} as const;

const weather = { name: "weather", description: "Tell the weather.", risk: "read" } as const;

describe("defineTool", () => {
  it("infers the input from zod, Standard Schema and JSON Schema", () => {
    const schema = z.object({ city: z.string(), days: z.number().optional() });
    defineTool({
      ...weather,
      input: schema,
      run: (input) => expectTypeOf(input).toEqualTypeOf<{ city: string; days?: number | undefined }>(),
    });
    defineTool({
      ...weather,
      input: citySchema({ vendor: "other", withJsonSchema: true }),
      run: ({ city }) => expectTypeOf(city).toEqualTypeOf<string>(),
    });
    defineTool({
      ...weather,
      input: {
        type: "object",
        properties: {
          city: { type: "string" },
          unit: { enum: ["C", "F"] },
          hours: { type: "array", items: { type: "integer" } },
        },
        required: ["city"],
      },
      run: ({ city, unit, hours }) => {
        expectTypeOf(city).toEqualTypeOf<string>();
        expectTypeOf(unit).toEqualTypeOf<"C" | "F" | undefined>();
        expectTypeOf(hours).toEqualTypeOf<readonly number[] | undefined>();
      },
    });
    const typed = defineTool({ ...weather, run: async () => ({ sunny: true }) });
    expectTypeOf(typed).toEqualTypeOf<OwnTool<object, { sunny: boolean }>>;
  });

  it("checks the arguments with each kind of schema, before the tool runs", async () => {
    const ran: unknown[] = [];
    const tool = (name: string, input: OwnTool["input"]) =>
      defineTool({ ...weather, name, input, run: (given) => void ran.push([name, given]) });
    const crib = await open([
      tool("of_zod", z.object({ city: z.string().min(2) })),
      tool("of_other", citySchema({ vendor: "other", withJsonSchema: true })),
      tool("of_json", cityJson),
    ]);
    const names = ["of_zod", "of_other", "of_json"];
    const results = await Promise.all(
      names.flatMap((name) => [crib.call(name, { city: "Rome" }), crib.call(name, {}), crib.call(name, [])]),
    );
    expect(results.map(({ error }) => error && [error.code, error.message, error.hint])).toEqual([
      ...[null, ["invalid-input", "of_zod: `city` is missing", "It takes: city."]],
      ["invalid-input", "of_zod: the input must be an object, not an array", "It takes: city."],
      ...[null, ["invalid-input", "of_other: `city`: a city has a name", "It takes: city."]],
      ["invalid-input", "of_other: the input must be an object, not an array", "It takes: city."],
      ...[null, ["invalid-input", "of_json: `city` is missing", "It takes: city."]],
      ["invalid-input", "of_json: the input must be an object, not an array", "It takes: city."],
    ]);
    expect(ran).toEqual([
      ["of_zod", { city: "Rome" }],
      ["of_other", { city: "ROME" }],
      ["of_json", { city: "Rome" }],
    ]);
    const definitions = (await crib.definitions()).filter(({ name }) => names.includes(name));
    const properties = definitions.map(({ inputSchema }) => Object.keys(inputSchema.properties as object));
    expect(properties).toEqual([["city"], ["city"], ["city"]]);
  });

  it("returns a text, data, or both", async () => {
    const results: Readonly<Record<string, unknown>> = {
      text: "Sunny.",
      data: { sunny: true },
      both: { data: 21, text: "21 degrees" },
      nothing: undefined,
    };
    const tools = Object.entries(results).map(([name, result]) =>
      defineTool({ ...weather, name, run: () => result }),
    );
    const crib = await open(tools);
    const called = await Promise.all(Object.keys(results).map((name) => crib.call(name, {})));
    expect(called.map(({ content, data }) => [content, data])).toEqual([
      ["Sunny.", "Sunny."],
      ['{\n  "sunny": true\n}', { sunny: true }],
      ["21 degrees", 21],
      ["null", null],
    ]);
  });

  it("passes policy, journal, limits and undo like every tool", async () => {
    writeFileSync(join(folder, "work/.env"), "KEY=1\n");
    const path = z.object({ path: z.string() });
    const tools = [
      defineTool({ name: "any", description: "Do anything.", run: () => "done" }),
      defineTool({
        ...{ name: "save", description: "Save a file.", input: path, risk: "write" },
        accesses: ({ path }) => [{ kind: "write", path }],
        run: async ({ path }, { environment }) => {
          await environment.writeFile(path, new TextEncoder().encode("saved"));
          return "x".repeat(50_000);
        },
      }),
      defineTool({
        ...weather,
        name: "fails",
        run: () => {
          throw new Error("No station is near.");
        },
      }),
    ];
    const crib = await open(tools);
    const any = await crib.call("any", {});
    const saved = await crib.call("save", { path: "a.txt" });
    const secret = await crib.call("save", { path: ".env" });
    const failed = await crib.call("fails", {});
    expect([any, secret, failed].map(({ error }) => [error?.code, error?.message])).toEqual([
      ["needs-approval", expect.stringContaining("it would use the tool any")],
      ["denied", expect.any(String)],
      ["internal", "No station is near."],
    ]);
    expect([saved.truncated, saved.content.length < 31_000]).toEqual([true, true]);
    const undone = await crib.call("journal.undo", { call: saved.callId });
    expect(undone.content).toContain("removed a.txt");
    const yolo = await open(tools, { mode: "yolo" });
    const { callId } = await yolo.call("any", {});
    expect(yolo.findCall(callId)).toMatchObject({
      tool: "any",
      notCovered: ["what any did outside the workspace"],
    });
    const readOnly = await open(tools, { readOnly: true });
    expect((await readOnly.call("any", {})).error?.code).toBe("denied");
  });

  const mistakes: readonly (readonly [unknown, string, string])[] = [
    [undefined, "tools[0] is not a tool", "Make it with defineTool"],
    [{ ...weather, name: undefined }, "tools[0] has no name", "name:"],
    [{ ...weather, name: "the weather" }, '"the weather" is not a name for a tool', "letters, digits"],
    [{ ...weather, description: "" }, "The tool weather has no description", "description:"],
    [weather, "The tool weather has no function run", "run:"],
    [{ ...weather, risk: "low", run }, "The tool weather has the unknown risk low", "read, write"],
    [{ ...weather, accesses: [], run }, "`accesses` of the tool weather is not a function", "accesses:"],
    [{ ...weather, input: 7, run }, "The input is not a schema", "z.object"],
    [{ ...weather, input: { city: z.string() }, run }, "a list of fields, not a schema", "z.object"],
    [{ ...weather, input: z.string(), run }, "not the schema of an object, but of string", "z.object"],
    [{ ...weather, input: z.object({ at: z.date() }), run }, "Date cannot be represented", "inputSchema"],
    [{ ...weather, input: { type: "object", if: {} }, run }, "(if/then/else) are not supported", "zod 4"],
    [
      { ...weather, input: citySchema({ vendor: "valibot", withJsonSchema: false }), run },
      "valibot gives no JSON Schema",
      "toStandardJsonSchema",
    ],
  ];

  it.each(mistakes)("refuses a mistake when the instance opens: %o", async (tool, message, hint) => {
    const error = await open([tool as OwnTool]).catch((thrown) => thrown);
    expect(error).toMatchObject({
      code: "invalid-input",
      message: expect.stringContaining(message),
      hint: expect.stringContaining(hint),
    });
  });

  it("refuses two tools that models could not tell apart", async () => {
    const named = (name: string) => defineTool({ ...weather, name, run });
    await expect(open([named("a"), named("a")])).rejects.toThrow("Two tools have the name a");
    await expect(open([named("a.b"), named("a_b")])).rejects.toThrow("Models see a.b and a_b as a_b");
  });

  it("takes the JSON Schema beside a schema that gives none", async () => {
    const input = citySchema({ vendor: "valibot", withJsonSchema: false });
    const crib = await open([{ ...weather, input, inputSchema: cityJson, run: ({ city }) => city }]);
    expect((await crib.call("weather", { city: "Rome" })).content).toBe("ROME");
  });

  function run() {
    return "";
  }
});

describe("a tool that calls other tools of the instance", () => {
  const copy = defineTool({
    name: "copy_file",
    description: "Copy a file.",
    risk: "read",
    input: z.object({ from: z.string(), to: z.string() }),
    run: async ({ from, to }, { call }) => {
      const { data, error } = await call("file.read", { path: from, line_numbers: false });
      const [file] = data?.files ?? [];
      if (file?.kind !== "text") return { data: error, text: "Not read", failed: error?.message };
      const written = await call("file.write", { path: to, content: file.text });
      return { data: written.data, text: written.content, failed: written.error?.message };
    },
  });

  it("makes them by the rules, as calls of their own, and undoes them together", async () => {
    const asked: string[] = [];
    const crib = await open([copy], {
      mode: "safe",
      approve: ({ tool, parent }) => {
        asked.push(`${tool} ${parent === undefined ? "alone" : "inside"}`);
        return { allow: true };
      },
    });
    writeFileSync(join(folder, "work/a.txt"), "one\n");
    const { callId, content } = await crib.call("copy_file", { from: "a.txt", to: "b.txt" });
    expect([content, asked]).toEqual(["Created b.txt: 4 bytes written.", ["file.write inside"]]);
    const made = crib.log().filter(({ parent }) => parent === callId);
    expect(made.map(({ tool }) => tool)).toEqual(["file.write", "file.read"]);
    await crib.undo({ call: callId });
    expect(existsSync(join(folder, "work/b.txt"))).toBe(false);
    await crib.redo();
    expect(existsSync(join(folder, "work/b.txt"))).toBe(true);
    const failed = await crib.call("copy_file", { from: "none.txt", to: "c.txt" });
    expect([failed.isError, failed.failed]).toEqual([true, "none.txt does not exist"]);
  });

  it("does not wait for its own turn with a file that both write", async () => {
    const both = defineTool({
      name: "write_twice",
      description: "Write a file twice.",
      risk: "write",
      accesses: () => [{ kind: "write", path: "a.txt" }],
      run: async (_, { environment, call }) => {
        await environment.writeFile("a.txt", Buffer.from("first\n"));
        return (await call("file.write", { path: "a.txt", content: "second\n" })).content;
      },
    });
    const crib = await open([both], { mode: "yolo" });
    const { error } = await crib.call("write_twice", {});
    expect([error, readFileSync(join(folder, "work/a.txt"), "utf8")]).toEqual([null, "second\n"]);
    await crib.undo();
    expect(existsSync(join(folder, "work/a.txt"))).toBe(false);
  });
});

describe("a misspelled key", () => {
  const tool = { name: "count", description: "Count.", run: () => 1 };

  it.each([
    [{ ...tool, acesses: () => [] }, 'The tool count has no key "acesses"', "Did you mean accesses?"],
    [{ ...tool, colour: "red" }, 'The tool count has no key "colour"', /^Keys: accesses, /],
  ])("of a tool is refused", async (misspelled, message, hint) => {
    await expect(open([misspelled])).rejects.toMatchObject({
      code: "invalid-input",
      message,
      hint: typeof hint === "string" ? hint : expect.stringMatching(hint),
    });
  });

  it("is not state of a tool that is an instance of a class", async () => {
    class Counter {
      readonly name = "count";
      readonly description = "Count.";
      readonly risk = "read";
      count = 0;
      run() {
        this.count += 1;
        return this.count;
      }
    }
    const crib = await open([new Counter()]);
    expect((await crib.call("count", {})).data).toBe(1);
  });

  it("of the options of a call is refused", async () => {
    const crib = await open([]);
    const { error } = await crib.call("file.list", {}, { timeout: 5 } as object);
    const check = await crib.check("file.list", {}, { timeout: 5 } as object);
    expect([error?.message, error?.hint, check.verdict]).toEqual([
      'call has no option "timeout"',
      "Did you mean timeoutMs?",
      "deny",
    ]);
  });
});
