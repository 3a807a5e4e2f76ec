import { describe, expect, it } from "vitest";
import { randomLetters } from "../../../test/support/policy/random-letters.ts";
import { done, stageCall } from "../../../test/support/stages/stage-call.ts";
import type { Failure } from "../../contract/call.ts";
import { ToolError } from "../../contract/error.ts";
import type { AnyTool } from "../../contract/tool.ts";
import { catchErrors } from "./catch-errors.ts";

async function failureOf(thrown: unknown, tool: Partial<AnyTool> = {}): Promise<ToolError> {
  const outcome = await catchErrors(undefined)(stageCall({ tool }), () => Promise.reject(thrown));
  return (outcome as Failure).error;
}

describe("catchErrors", () => {
  it("passes outcomes through", async () => {
    expect(await catchErrors(undefined)(stageCall(), async () => done)).toBe(done);
  });

  it("returns a ToolError without secrets unchanged", async () => {
    const error = new ToolError("not-found", "There is no a.txt", { details: { kind: "no-repository" } });
    expect(await failureOf(error)).toBe(error);
  });

  it("redacts secrets in every text, and keeps code and details", async () => {
    const key = `ghp_${randomLetters()("[A-Za-z0-9]", 36)}`;
    const { code, message, hint, output, details, forUser } = await failureOf(
      new ToolError("unavailable", `Rejected: ${key}`, {
        hint: `Replace ${key}.`,
        output: `token ${key}`,
        details: { kind: "no-repository" },
        forUser: { message: `Rejected for you: ${key}`, hint: `Replace your ${key}.` },
      }),
    );
    const texts = [message, hint, output, forUser?.message, forUser?.hint];
    expect(texts.filter((text) => !text || text.includes(key))).toEqual([]);
    expect([code, details]).toEqual(["unavailable", { kind: "no-repository" }]);
  });

  it("redacts a secret that only the text for the user contains", async () => {
    const key = `ghp_${randomLetters()("[A-Za-z0-9]", 36)}`;
    const { message, forUser } = await failureOf(
      new ToolError("denied", "Denied", { forUser: { message: `Denied: ${key}`, hint: null } }),
    );
    expect([message, forUser?.message?.includes(key), forUser?.hint]).toEqual(["Denied", false, null]);
  });

  it("reports any other exception as an internal error with its cause", async () => {
    const cause = new TypeError("x is undefined");
    const { code, message, cause: kept } = await failureOf(cause);
    expect([code, message, kept]).toEqual([
      "internal",
      "The tool failed unexpectedly: x is undefined",
      cause,
    ]);
  });

  it("words the faults of arguments for the caller's dialect, and no other message", async () => {
    const messageOf = async (details?: { readonly kind: "bad-arguments" }) => {
      const error = new ToolError("invalid-input", "Use file.read", { hint: "It takes: path.", details });
      return (await failureOf(error, { wording: (text) => text.replace("file.read", "Read") })).message;
    };
    expect([await messageOf({ kind: "bad-arguments" }), await messageOf()]).toEqual([
      "Use Read",
      "Use file.read",
    ]);
  });

  it("words the hint for the caller's dialect", async () => {
    const error = new ToolError("no-match", "No match", { hint: "Use file.read." });
    const { hint } = await failureOf(error, { wording: (text) => text.replace("file.read", "Read") });
    expect(hint).toBe("Use Read.");
  });
});
