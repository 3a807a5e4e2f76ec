import { spawnSync } from "node:child_process";
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { exampleChanges, makeChangeWorld } from "../../test/support/environment/change-world.ts";
import { emptySource } from "../../test/support/tool-source.ts";
import type { ToolAccess } from "../contract/access.ts";
import type { CallEvent } from "../contract/call.ts";
import { ToolError } from "../contract/error.ts";
import type { Tool, ToolContext, ToolOutput } from "../contract/tool.ts";
import { MemoryEnvironment } from "../environment/memory/memory-environment.ts";
import { workspaceFiles } from "../system/directories.ts";
import { withoutApproval } from "./call-result.ts";
import { openToolcrib, type Toolcrib, type ToolcribOptions } from "./index.ts";

let folder: string;
let crib: Toolcrib;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "toolcrib door "));
});
afterEach(async () => {
  await crib?.close();
  rmSync(folder, { recursive: true });
});

async function open(options: ToolcribOptions = {}): Promise<Toolcrib> {
  const own = { stateDirectory: join(folder, ".state"), configDirectory: join(folder, ".config") };
  crib = await openToolcrib({ workspace: folder, ...own, ...options });
  return crib;
}

/** The open files of this process in that folder. Other tests run in it at the same time. */
function handlesBelow(path: string): readonly string[] {
  return readdirSync("/proc/self/fd")
    .map(targetOfHandle)
    .filter((target) => target.startsWith(path));
}

function targetOfHandle(handle: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${handle}`);
  } catch {
    // It was closed in the meantime.
    return "";
  }
}

const anything = z.strictObject({ path: z.optional(z.string()), note: z.optional(z.string()) });
type Anything = z.infer<typeof anything>;

/** A tool that runs the given function. */
function customTool(
  run: (input: Anything, context: ToolContext) => Promise<ToolOutput> | ToolOutput,
  rest: Partial<Tool<Anything>> = {},
): Tool<Anything> {
  return {
    name: "test.act",
    description: "Act.",
    risk: "read",
    input: anything,
    limits: { maxChars: 100, keep: "head" },
    accesses: () => [],
    run: async (input, context) => run(input, context),
    ...rest,
  };
}

const writing = (path: string): readonly ToolAccess[] => [{ kind: "write", path }];

describe("a call", () => {
  it("returns text, data and a call id", async () => {
    const tool = customTool(({ note }) => ({
      data: { note },
      text: `Heard ${note}.`,
      continuation: "More with page 2.",
    }));
    await open({ tools: [tool] });
    expect(await crib.call("test.act", { note: "this" })).toEqual({
      content: "Heard this.\n[More with page 2.]",
      isError: false,
      data: { note: "this" },
      error: null,
      callId: expect.stringMatching(/^call_[0-9a-z]{17}$/),
      truncated: false,
      output: null,
      images: [],
    });
  });

  it("is refused when a read-only tool would change something, since it could not be undone", async () => {
    const done: string[] = [];
    const changes: readonly ToolAccess[] = [
      { kind: "write", path: "a" },
      { kind: "delete", path: "a" },
      { kind: "execute", command: "touch a" },
    ];
    const tools = changes.map((access) =>
      customTool(
        () => {
          done.push(access.kind);
          return { data: null, text: "" };
        },
        { name: `test.${access.kind}`, accesses: () => [{ kind: "read", path: "a" }, access] },
      ),
    );
    await open({ tools, mode: "yolo" });
    const errors = await Promise.all(tools.map(async ({ name }) => (await crib.call(name, {})).error));
    const hint =
      "Nothing was done. This is a bug in the tool: its `risk` must cover everything that its calls can do.";
    expect([done, errors]).toEqual([
      [],
      changes.map(({ kind }) => ({
        code: "internal",
        message: `test.${kind} has the risk "read", but this call would ${kind}`,
        hint,
      })),
    ]);
  });

  it("turns a tool's error into a result with a hint", async () => {
    const tool = customTool(() => {
      throw new ToolError("no-match", "Not there", { hint: "Look elsewhere." });
    });
    await open({ tools: [tool] });
    expect(await crib.call("test.act", {})).toEqual({
      content: "Not there\nLook elsewhere.",
      isError: true,
      data: null,
      error: { code: "no-match", message: "Not there", hint: "Look elsewhere." },
      callId: expect.any(String),
      truncated: false,
      output: null,
      images: [],
    });
  });

  it("reports an unexpected exception as an internal error", async () => {
    const tool = customTool(() => {
      throw new TypeError("x is not a function");
    });
    await open({ tools: [tool] });
    expect((await crib.call("test.act", {})).error).toEqual({
      code: "internal",
      message: "x is not a function",
      hint: null,
    });
  });

  it("accepts the wire name and the canonical name", async () => {
    writeFileSync(join(folder, "a.txt"), "one\n");
    await open();
    const [wire, canonical] = [
      await crib.call("file_read", { path: "a.txt" }),
      await crib.call("file.read", { path: "a.txt" }),
    ];
    expect({ ...wire, callId: "" }).toEqual({ ...canonical, callId: "" });
  });

  it("suggests the nearest tool for an unknown name", async () => {
    await open();
    expect((await crib.call("file.raed", {})).error).toEqual({
      code: "not-found",
      message: 'Unknown tool "file.raed"',
      hint: 'Did you mean "file.read"?',
    });
  });

  it("is refused once the instance is closed", async () => {
    await open();
    await Promise.all([crib.close(), crib.close()]);
    await crib.close();
    expect((await crib.call("file.read", { path: "a" })).error?.code).toBe("unavailable");
  });
});

describe("closing an instance", () => {
  it("rolls back an open transaction, also when a tool source fails to close", async () => {
    const failing = { ...emptySource(), close: () => Promise.reject(new Error("it would not end")) };
    const own = { stateDirectory: join(folder, ".state"), configDirectory: join(folder, ".config") };
    const fixture = await openToolcrib({ workspace: folder, ...own, sources: [failing] });
    await fixture.call("transaction.begin", {});
    await fixture.call("file.write", { path: "half.txt", content: "half" });
    await expect(fixture.close()).rejects.toThrow("it would not end");
    expect(existsSync(join(folder, "half.txt"))).toBe(false);
  });
});

describe("an instance that cannot be opened", () => {
  it("leaves nothing open and explains why", async () => {
    const { transactions } = workspaceFiles(join(folder, ".state"), realpathSync(folder));
    mkdirSync(join(transactions, ".."), { recursive: true });
    symlinkSync("transactions", transactions);
    await expect(open()).rejects.toThrow(ToolError);
    expect(handlesBelow(realpathSync(folder))).toEqual([]);
  });
});

describe("invalid input", () => {
  const cases: [string, unknown, string][] = [
    ["a missing field", {}, "file_read_one: `path` is missing"],
    ["a wrong type", { path: 7 }, "file_read_one: `path` must be a string, not a number"],
    ["null", { path: null }, "file_read_one: `path` must be a string, not null"],
    ["an unknown key", { path: "a", ofset: 3 }, "file_read_one: unknown key `ofset`, did you mean `offset`?"],
    ["a key unlike any known one", { path: "a", zzz: 3 }, "file_read_one: unknown key `zzz`"],
    ["a fraction", { path: "a", offset: 1.5 }, "file_read_one: `offset` must be an integer, not 1.5"],
    ["a number that is too small", { path: "a", offset: 0 }, "file_read_one: `offset` must be at least 1"],
    [
      "a value outside a list",
      { path: "a", keep: "middle" },
      'file_read_one: `keep` must be one of "head", "tail"',
    ],
    [
      "several errors",
      { offset: "x" },
      "file_read_one: `path` is missing; `offset` must be a number, not a string",
    ],
    ["text instead of an object", "path", "file_read_one: the input must be an object, not a string"],
    ["missing input", undefined, "file_read_one: the input is missing"],
    ["a list", [], "file_read_one: the input must be an object, not an array"],
    [
      "a wrong list entry",
      { path: "a", tags: ["x", 1] },
      "file_read_one: `tags.1` must be a string, not a number",
    ],
  ];

  it.each(cases)("explains %s", async (_name, input, message) => {
    const schema = z.strictObject({
      path: z.string(),
      offset: z.optional(z.int().check(z.minimum(1))),
      keep: z.optional(z.enum(["head", "tail"])),
      tags: z.optional(z.array(z.string())),
    });
    const tool = {
      ...customTool(() => ({ data: null, text: "ran" })),
      name: "file.read_one",
      input: schema as never,
    };
    await open({ tools: [tool] });
    expect((await crib.call("file.read_one", input)).error).toEqual({
      code: "invalid-input",
      message,
      hint: "It takes: path, offset, keep, tags.",
    });
  });
});

describe("events", () => {
  it("cover the whole life of a call, with the full output", async () => {
    const tool = customTool((_input, context) => {
      context.progress("half way");
      context.output("stdout", "line");
      return { data: 1, text: "x".repeat(500) };
    });
    await open({ tools: [tool] });
    const seen: CallEvent[] = [];
    crib.events.on((event) => void seen.push(event));
    const { callId, truncated } = await crib.call("test.act", { note: "n" });
    const base = { callId, name: "test.act", canonical: "test.act", at: expect.any(Number) };
    expect(truncated).toBe(true);
    const end = { output: "x".repeat(500), isError: false, error: null, data: 1 };
    expect(seen).toEqual([
      { ...base, type: "tool-start", input: { note: "n" } },
      { ...base, type: "tool-progress", message: "half way" },
      { ...base, type: "tool-output", stream: "stdout", text: "line" },
      { ...base, type: "tool-end", durationMs: expect.any(Number), ...end },
    ]);
  });

  it("distinguish denied calls from failed ones", async () => {
    await open({
      tools: [customTool(() => ({ data: null, text: "" }), { risk: "write", accesses: () => writing("a") })],
      mode: "safe",
    });
    const seen: CallEvent[] = [];
    crib.events.on((event) => void seen.push(event));
    await crib.call("test.act", {});
    await crib.call("file.read", { path: "missing" });
    const codes = seen.map((event) => (event.type === "tool-end" ? event.error?.code : event.type));
    expect(codes).toEqual(["tool-start", "needs-approval", "tool-start", "not-found"]);
  });

  it("can be awaited one after the other", async () => {
    await open({ tools: [customTool(() => ({ data: null, text: "done" }))] });
    const types: string[] = [];
    const listening = (async () => {
      for await (const event of crib.events) types.push(event.type);
    })();
    await crib.call("test.act", {});
    await crib.close();
    await listening;
    expect(types).toEqual(["tool-start", "tool-end"]);
  });
});

describe("approval", () => {
  const deleting = customTool(() => ({ data: null, text: "gone" }), {
    risk: "destructive",
    accesses: () => [{ kind: "delete", path: "a" }],
  });

  it("is required for calls that the mode does not allow", async () => {
    await open({ tools: [deleting], mode: "safe" });
    expect(withoutApproval((await crib.call("test.act", {})).error)).toEqual({
      code: "needs-approval",
      message: "This call needs approval: it would delete a (mode safe asks before deleting)",
      hint: "The user cannot be asked here. Continue without it, or tell the user that it needs a rule or another mode.",
    });
  });

  it("shows the user the call and follows the answer", async () => {
    const requests: unknown[] = [];
    const answers = [
      { allow: true },
      { allow: false, message: "Keep that file." },
      { allow: false },
    ] as const;
    await open({
      tools: [deleting],
      mode: "safe",
      approve: (request) => {
        requests.push(request);
        return answers[requests.length - 1]!;
      },
    });
    const results = [
      await crib.call("test.act", {}),
      await crib.call("test.act", {}),
      await crib.call("test.act", {}),
    ];
    expect(results.map((result) => result.error?.message ?? result.content)).toEqual([
      "gone",
      "The user refused this call and said: Keep that file.",
      "The user refused this call: it would delete a (mode safe asks before deleting)",
    ]);
    expect(requests[0]).toEqual({
      id: expect.stringMatching(/^[a-z0-9]+$/),
      client: { kind: "library" },
      callId: results[0]!.callId,
      tool: "test.act",
      input: {},
      accesses: [{ kind: "delete", path: "a" }],
      risk: "destructive",
      rule: "mode safe: destructive",
      source: "mode safe",
      reason: "it would delete a",
      parts: [
        expect.objectContaining({ verdict: "allow", part: expect.objectContaining({ kind: "use" }) }),
        expect.objectContaining({
          verdict: "ask",
          part: expect.objectContaining({ kind: "delete", path: "a" }),
        }),
      ],
      preview: undefined,
      grants: [`allow delete '${folder}/a' by test.act`],
      widths: [
        {
          rules: [`allow delete '${folder}/a' by test.act`],
          words: `delete '${folder}/a'`,
        },
      ],
      directory: folder,
      environment: expect.stringMatching(/^[0-9a-f]{16}$/),
      sandbox: "none",
      unconfined: false,
      hosts: [],
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      previewHash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  it("is not requested in yolo mode", async () => {
    await open({ tools: [deleting], mode: "yolo" });
    expect((await crib.call("test.act", {})).content).toBe("gone");
  });
});

describe("write locks", () => {
  /** Records when each call begins and ends. Calls continue for some turns, or until `released`. */
  function tracingTool(trace: string[], released?: Promise<unknown>) {
    return customTool(
      async ({ note }) => {
        trace.push(`begin ${note}`);
        await (released ?? new Promise((resolve) => setTimeout(resolve, 20)));
        trace.push(`end ${note}`);
        return { data: null, text: "" };
      },
      { risk: "write", accesses: ({ path }) => writing(path!) },
    );
  }

  it("serialize calls that write the same real path", async () => {
    writeFileSync(join(folder, "a"), "");
    symlinkSync("a", join(folder, "link"));
    const trace: string[] = [];
    await open({ tools: [tracingTool(trace)] });
    await Promise.all(
      ["a", "./a", "link", join(folder, "a")].map((path, note) =>
        crib.call("test.act", { path, note: `${note}` }),
      ),
    );
    expect(trace).toEqual(["begin 0", "end 0", "begin 1", "end 1", "begin 2", "end 2", "begin 3", "end 3"]);
  });

  it("serialize calls when one path is inside the other", async () => {
    const trace: string[] = [];
    await open({ tools: [tracingTool(trace)] });
    await Promise.all(["d/x/y", "d"].map((path) => crib.call("test.act", { path, note: path })));
    expect(trace).toEqual(["begin d/x/y", "end d/x/y", "begin d", "end d"]);
  });

  it("do not block calls on different files", async () => {
    const bothBegun = Promise.withResolvers<void>();
    let begun = 0;
    // Each ends only after both have begun.
    const meeting = customTool(
      async () => {
        begun += 1;
        if (begun === 2) bothBegun.resolve();
        await bothBegun.promise;
        return { data: null, text: "met" };
      },
      { risk: "write", accesses: ({ path }) => writing(path!) },
    );
    await open({ tools: [meeting] });
    const results = await Promise.all(["a", "ab"].map((path) => crib.call("test.act", { path })));
    expect(results.map(({ content }) => content)).toEqual(["met", "met"]);
  });

  it("keep a file intact under fifty concurrent writes", { tags: "slow" }, async () => {
    await open();
    const contents = Array.from({ length: 50 }, (_, index) => `${index}\n`.repeat(1000));
    await Promise.all(contents.map((content) => crib.call("file.write", { path: "a", content })));
    expect(readFileSync(join(folder, "a"), "utf8")).toBe(contents.at(-1));
  });

  it("are released by a call that is cancelled while it waits, without reordering the others", async () => {
    const trace: string[] = [];
    const released = Promise.withResolvers<void>();
    await open({ tools: [tracingTool(trace, released.promise)] });
    const impatient = new AbortController();
    const first = crib.call("test.act", { path: "a", note: "first" });
    const second = crib.call("test.act", { path: "a", note: "second" }, { signal: impatient.signal });
    const third = crib.call("test.act", { path: "a", note: "third" });
    impatient.abort();
    expect((await second).error?.code).toBe("cancelled");
    released.resolve();
    await Promise.all([first, third]);
    expect(trace).toEqual(["begin first", "end first", "begin third", "end third"]);
  });
});

describe("deadlines and cancellation", () => {
  /** Calls the given function at its deadline. */
  const patient = (atTheEnd: () => ToolOutput, begins?: () => void) =>
    customTool(
      (_input, { signal }) =>
        new Promise((resolve, reject) => {
          const end = () => {
            try {
              resolve(atTheEnd());
            } catch (error) {
              reject(error);
            }
          };
          if (signal.aborted) end();
          else signal.addEventListener("abort", end);
          begins?.();
        }),
    );
  const stopped = () => {
    throw new Error("stopped");
  };

  it("end a call at its deadline", async () => {
    await open({ tools: [patient(stopped)] });
    expect((await crib.call("test.act", {}, { timeoutMs: 20 })).error).toEqual({
      code: "timeout",
      message: "The call did not finish within 0.02 s and was ended",
      hint: "Narrow the path or pattern, or allow more time.",
    });
  });

  it("end a call that is cancelled before or while it runs", async () => {
    const controller = new AbortController();
    await open({ tools: [patient(stopped, () => controller.abort())] });
    const running = await crib.call("test.act", {}, { signal: controller.signal });
    const after = await crib.call("test.act", {}, { signal: AbortSignal.abort() });
    expect([running.error?.code, after.error?.code]).toEqual(["cancelled", "cancelled"]);
  });

  it("report work that finished in spite of the deadline as done", async () => {
    await open({ tools: [patient(() => ({ data: null, text: "written" }))] });
    expect((await crib.call("test.act", {}, { timeoutMs: 10 })).content).toBe("written");
  });

  it("cancel running calls when the instance closes", async () => {
    const begun = Promise.withResolvers<void>();
    await open({ tools: [patient(stopped, begun.resolve)] });
    const running = crib.call("test.act", {});
    await begun.promise;
    await crib.close();
    expect((await running).error?.code).toBe("cancelled");
  });
});

describe("a long output", () => {
  it("is cut for the model and stored whole under a handle that tools accept as a path", async () => {
    const lines = Array.from({ length: 400 }, (_, index) => `line ${index + 1}`).join("\n");
    await open({ tools: [customTool(() => ({ data: null, text: lines }))] });
    const result = await crib.call("test.act", {});
    expect(result.output).toMatch(/^out_[0-9a-z]{17}$/);
    const handle = result.output!;
    expect(result.content).toMatch(
      new RegExp(
        `^line 1\\nline 2\\n[^]*\\[… \\d+ characters cut …\\]\\n\\[The whole output is stored as ${handle}; pass it as a path to file.read or search.grep.\\]$`,
      ),
    );
    const [slice, hits] = [
      await crib.call("file.read", { path: handle, offset: 399, limit: 1, line_numbers: false }),
      await crib.call("search.grep", { pattern: "line 400", path: handle }),
    ];
    expect(slice.content.split("\n")[0]).toBe("line 399");
    expect(hits.content).toContain("400:line 400");
  });
});

describe("edge cases", () => {
  it("an unanswered approval does not block a cancelled call or closing", async () => {
    const controller = new AbortController();
    await open({
      mode: "safe",
      approve: () => {
        queueMicrotask(() => controller.abort());
        return new Promise(() => {});
      },
    });
    const result = await crib.call("file.write", { path: "a", content: "" }, { signal: controller.signal });
    expect(result.error).toEqual({
      code: "cancelled",
      message: "The call was cancelled while it waited for approval",
      hint: null,
    });
    const waiting = crib.call("file.write", { path: "a", content: "" });
    await crib.close();
    expect((await waiting).error?.code).toBe("cancelled");
  });

  it("a failing approval callback is not reported as a tool error", async () => {
    await open({
      mode: "safe",
      approve: () => {
        throw new Error("no terminal");
      },
    });
    expect((await crib.call("file.write", { path: "a", content: "" })).error).toEqual({
      code: "needs-approval",
      message: "The user could not be asked: no terminal",
      hint: "Nothing was done. Continue without this call, or repeat it when the user can answer.",
    });
  });

  it("unexpected entries among the stored outputs do not break a call", { tags: "slow" }, async () => {
    await open({ tools: [customTool(() => ({ data: null, text: "x".repeat(500) }))] });
    await crib.call("test.act", {});
    const kept = globSync(join(folder, ".state/workspaces/*/outputs"))[0]!;
    const old = join(kept, "folder");
    mkdirSync(old);
    utimesSync(old, 1, 1);
    await crib.close();
    await open({ tools: [customTool(() => ({ data: null, text: "x".repeat(500) }))] });
    expect((await crib.call("test.act", {})).output).toMatch(/^out_/);
  });

  it("a call succeeds when its full output cannot be stored", async () => {
    await open({ tools: [customTool(() => ({ data: 1, text: "x".repeat(500) }))] });
    rmSync(globSync(join(folder, ".state/workspaces/*/outputs"))[0]!, { recursive: true });
    const { isError, data, truncated, output, content } = await crib.call("test.act", {});
    expect({ isError, data, truncated, output }).toEqual({
      isError: false,
      data: 1,
      truncated: true,
      output: null,
    });
    expect(content).toContain("[The rest could not be stored: ");
  });

  it("input that JSON cannot represent is rejected, announced and recorded", async () => {
    await open();
    const types: string[] = [];
    crib.events.on((event) => void types.push(event.type));
    const circle: Record<string, unknown> = { path: "a" };
    circle.self = circle;
    const results = [
      await crib.call("file.read", { path: "a", offset: 10n as never }),
      await crib.call("file.read", circle),
    ];
    expect(results.map(({ error }) => error?.code)).toEqual(["invalid-input", "invalid-input"]);
    expect(types).toEqual(["tool-start", "tool-end", "tool-start", "tool-end"]);
    expect(crib.log().map(({ input }) => input)).toEqual([
      expect.stringContaining("[cannot be printed: "),
      { path: "a", offset: "10n" },
    ]);
  });

  it("a call of an unknown tool is announced and recorded", async () => {
    await open({ mode: "paranoid" });
    const types: string[] = [];
    crib.events.on((event) => void types.push(event.type));
    expect((await crib.call("no.such", {})).error?.code).toBe("not-found");
    expect([types, crib.log().map(({ tool, outcome }) => [tool, outcome])]).toEqual([
      ["tool-start", "tool-end"],
      [["no.such", "not-found"]],
    ]);
  });

  it.each([0, -1, Number.NaN])("a deadline of %s is refused", async (timeoutMs) => {
    await open();
    expect((await crib.call("file.read", { path: "a" }, { timeoutMs })).error?.message).toBe(
      `A time limit of ${timeoutMs} ms is invalid`,
    );
  });

  it("a deadline beyond the timer limit does not end a call at once", async () => {
    await open({ tools: [customTool(() => ({ data: null, text: "done" }))] });
    expect((await crib.call("test.act", {}, { timeoutMs: Number.POSITIVE_INFINITY })).content).toBe("done");
  });

  it("the next writer waits for one that does not stop at its deadline", { tags: "slow" }, async () => {
    const trace: string[] = [];
    const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
    const stubborn = customTool(
      async ({ note }) => {
        trace.push(`begin ${note}`);
        if (note === "first") await stopped;
        trace.push(`end ${note}`);
        return { data: null, text: "" };
      },
      { risk: "write", accesses: () => writing("a") },
    );
    await open({ tools: [stubborn] });
    const first = await crib.call("test.act", { note: "first" }, { timeoutMs: 500 });
    const second = crib.call("test.act", { note: "second" });
    stop();
    await second;
    expect([first.error?.code, trace]).toEqual([
      "timeout",
      ["begin first", "end first", "begin second", "end second"],
    ]);
  });

  it("symlinks that point outside or form a cycle can be moved and deleted", async () => {
    for (const [name, target] of [
      ["out", "/etc/passwd"],
      ["one", "two"],
      ["two", "one"],
    ] as const) {
      symlinkSync(target, join(folder, name));
    }
    await open({ mode: "yolo" });
    const results = [
      await crib.call("file.move", { from: "out", to: "moved" }),
      await crib.call("file.delete", { path: "moved" }),
      await crib.call("file.delete", { path: "one" }),
    ];
    expect(results.map(({ content }) => content)).toEqual([
      "Moved the link out to moved.",
      "Deleted the link moved; its target was not deleted.",
      "Deleted the link one; its target was not deleted.",
    ]);
  });

  it("output handles can be read, but not written, in another environment", async () => {
    const tools = [customTool(() => ({ data: null, text: "kept ".repeat(100) }))];
    await open({ tools, workspace: undefined, environment: new MemoryEnvironment({ files: { a: "" } }) });
    const { output } = await crib.call("test.act", {});
    expect((await crib.call("file.read", { path: output!, line_numbers: false })).content).toBe(
      "kept ".repeat(100),
    );
    expect((await crib.call("file.write", { path: output!, content: "" })).error?.code).toBe("denied");
  });

  it("closed instances leave no file handles or listeners behind", { tags: "slow" }, async () => {
    const tools = [customTool(() => ({ data: null, text: "x".repeat(500) }))];
    const round = async () => {
      await open({ tools });
      await crib.call("test.act", {});
      const late = crib.call("file.write", { path: "a", content: "" });
      await crib.close();
      await late;
    };
    await round();
    const listeners = process.listenerCount("exit");
    for (let rounds = 0; rounds < 20; rounds += 1) await round();
    expect(handlesBelow(realpathSync(folder))).toEqual([]);
    expect(process.listenerCount("exit")).toBe(listeners);
  });
});

describe("history", () => {
  it("holds every attempt, including refused calls", async () => {
    await open({ mode: "safe" });
    await crib.call("file.write", { path: "a", content: "x" });
    await crib.call("file.read", { path: "missing" });
    expect(crib.log().map(({ tool, outcome, input }) => ({ tool, outcome, input }))).toEqual([
      { tool: "file.read", outcome: "not-found", input: { path: "missing" } },
      { tool: "file.write", outcome: "needs-approval", input: { path: "a", content: "x" } },
    ]);
  });
});

describe("opening an instance", () => {
  it("rejects a workspace that does not exist", async () => {
    await expect(open({ workspace: join(folder, "nowhere") })).rejects.toThrow(
      /The workspace .*nowhere cannot be opened/,
    );
  });

  it("rejects unknown options with the nearest name, and ignores those that are undefined", async () => {
    const wrong = { worksapce: "." } as ToolcribOptions;
    await expect(open(wrong)).rejects.toMatchObject({
      code: "invalid-input",
      message: 'openToolcrib has no option "worksapce"',
      hint: "Did you mean workspace?",
    });
    await expect(openToolcrib("." as never)).rejects.toThrow("openToolcrib takes an object with options");
    await open({ nothing: undefined, mode: undefined } as ToolcribOptions);
  });

  it("rejects a session that the workspace does not have", async () => {
    await expect(open({ session: "session_none" })).rejects.toMatchObject({
      code: "not-found",
      message: "This workspace has no session session_none",
    });
    const { session } = await open();
    await crib.call("file.write", { path: "a.txt", content: "a" });
    await crib.close();
    expect((await open({ session })).session).toBe(session);
  });

  it("rejects an unknown mode or dialect", async () => {
    await expect(open({ mode: "brave" as never })).rejects.toThrow("Unknown mode: brave");
    await expect(open({ dialect: "toolcrip" })).rejects.toThrow('Unknown dialect "toolcrip"');
  });

  it.each(["rules", "ruleFiles", "tools", "onlyTools", "sources"])(
    "requires %s to be a list",
    async (name) => {
      await expect(open({ [name]: "deny run rm" })).rejects.toThrow(`The option ${name} must be a list`);
    },
  );

  it("lets a custom tool replace a built-in tool of the dialect", { tags: "slow" }, async () => {
    await open({ tools: [{ ...customTool(() => ({ data: null, text: "mine" })), name: "file_read" }] });
    expect((await crib.call("file_read", {})).content).toBe("mine");
    expect((await crib.definitions()).filter(({ name }) => name === "file_read").length).toBe(1);
  });
});

it("a new instance reports which change a crash interrupted and how it was recovered", {
  tags: "slow",
}, async () => {
  makeChangeWorld(folder);
  const workspace = realpathSync(join(folder, "workspace"));
  const changer = fileURLToPath(new URL("../../test/support/environment/changer.ts", import.meta.url));
  spawnSync(process.execPath, [changer, folder, "change", JSON.stringify({ killAt: "update" })]);
  const { changes } = workspaceFiles(join(folder, ".state"), workspace);
  mkdirSync(join(changes, ".."), { recursive: true });
  renameSync(join(folder, "records"), changes);
  await open({ workspace });
  const paths = exampleChanges()
    .map(({ path }) => path)
    .toSorted();
  expect(crib.recovered).toEqual([{ outcome: "completed", paths, leftAlone: [] }]);
  expect(crib.log()).toEqual([
    {
      callId: expect.stringMatching(/^call_/),
      session: crib.session,
      tool: "environment.recover",
      input: { paths, leftAlone: [] },
      startedAt: expect.any(Number),
      durationMs: 0,
      outcome: "ok",
      message: "A change that a crash had interrupted was completed",
      outputHandle: null,
      sequence: expect.any(Number),
      decision: null,
      accesses: [],
      sandbox: null,
      notCovered: [],
      parent: null,
      files: { created: 0, changed: 0, removed: 0 },
    },
  ]);
  await crib.close();
  expect((await open({ workspace })).recovered).toEqual([]);
});
