import { describe, expect, it, vi } from "vitest";
import * as z from "zod/mini";
import { done, stageCall } from "../../../test/support/stages/stage-call.ts";
import type { ToolAccess } from "../../contract/access.ts";
import type { ToolCall } from "../../contract/call.ts";
import type { ToolError } from "../../contract/error.ts";
import type { AnyTool } from "../../contract/tool.ts";
import type { Next } from "../stage.ts";
import { rejectInvalidInput } from "./reject-invalid-input.ts";

const tool: Partial<AnyTool> = {
  name: "Write",
  input: z.strictObject({
    path: z.string(),
    limit: z._default(z.int().check(z.minimum(1)), 10),
    kind: z.optional(z.enum(["file", "link"])),
  }),
  accesses: ({ path }: { path: string }) => [{ kind: "write", path }],
};

/** The result of the stage: the call that it passes on, or the error. */
async function check(input: unknown, given: Partial<AnyTool> = tool): Promise<ToolCall | ToolError> {
  let passed: ToolCall | undefined;
  const next: Next = async (call) => {
    passed = call;
    return done;
  };
  const call = stageCall({ tool: given, input });
  return rejectInvalidInput({})(call, next).then(
    () => passed!,
    (error: ToolError) => error,
  );
}

describe("rejectInvalidInput", () => {
  it("passes on the parsed input with its accesses, and records them", async () => {
    const accesses: readonly ToolAccess[] = [{ kind: "write", path: "a" }];
    expect(await check({ path: "a" })).toMatchObject({
      input: { path: "a", limit: 10 },
      accesses,
      account: { accesses },
    });
  });

  it.each([
    [{}, "`path` is missing"],
    [{ path: 1 }, "`path` must be a string, not a number"],
    [{ path: "a", limit: 1.5 }, "`limit` must be an integer, not 1.5"],
    [{ path: "a", limit: 0 }, "`limit` must be at least 1"],
    [{ path: "a", kind: "dir" }, '`kind` must be one of "file", "link"'],
    [{ pth: "a", path: "a" }, "unknown key `pth`, did you mean `path`?"],
    ["a", "the input must be an object, not a string"],
    [{ path: null, limit: 0 }, "`path` must be a string, not null; `limit` must be at least 1"],
  ])("explains what is wrong with %j", async (input, faults) => {
    expect(await check(input)).toMatchObject({
      code: "invalid-input",
      message: `Write: ${faults}`,
      hint: "It takes: path, limit, kind.",
    });
  });

  it("does not run a tool with risk read whose call would write", async () => {
    const next = vi.fn<Next>();
    const call = stageCall({ tool: { ...tool, risk: "read" }, input: { path: "a" } });
    await expect(rejectInvalidInput({})(call, next)).rejects.toMatchObject({
      code: "internal",
      message: 'Write has the risk "read", but this call would write',
    });
    expect(next).not.toHaveBeenCalled();
  });
});
