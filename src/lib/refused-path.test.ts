import { describe, expect, it } from "vitest";
import { RefusedPath } from "./refused-path.ts";

describe("RefusedPath", () => {
  const secret = { reason: "is secret and cannot be read", rule: "secret .env (built-in)" };
  const hintsOf = (path: string, refusal: object = {}) => {
    const { hint, forUser } = new RefusedPath(path, path, { ...secret, ...refusal });
    return [
      hint?.replace(/^Do not work around it\. Continue without it(?:, or ask the user to )?/, ""),
      forUser?.hint,
    ];
  };

  it("quotes the path in the rule that opens it, and the rule in the shell", () => {
    expect([".env", "a b/.env", "it's/.env"].map((path) => hintsOf(path))).toEqual([
      ["add the rule: open .env", "To allow it, add --rule 'open .env'"],
      ["add the rule: open 'a b/.env'", `To allow it, add --rule 'open '\\''a b/.env'\\'''`],
      [`add the rule: open "it's/.env"`, `To allow it, add --rule 'open "it'\\''s/.env"'`],
    ]);
  });

  it("offers no rule for a path that no rule can open", () => {
    expect(hintsOf("state/journal", { isFinal: true })).toEqual([".", null]);
  });
});
