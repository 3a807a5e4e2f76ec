import { describe, expect, it } from "vitest";
import type { PolicyMode } from "../policy/policy.ts";
import { checkMode, checkValues, searchSettings } from "./check-options.ts";

const hint = "Set it to one of: searxng https://…, brave, tavily, duckduckgo.";

describe("searchSettings", () => {
  it.each([
    [{}, undefined],
    [{ TOOLCRIB_SEARCH: "  " }, undefined],
    [{ BRAVE_API_KEY: "key" }, undefined],
    [{ TOOLCRIB_SEARCH: "searxng https://s.example/x" }, { engine: "searxng", url: "https://s.example/x" }],
    [{ TOOLCRIB_SEARCH: "http://localhost:8080" }, { engine: "searxng", url: "http://localhost:8080" }],
    [
      { TOOLCRIB_SEARCH: "Brave", BRAVE_API_KEY: " key\n" },
      { engine: "brave", key: "key", url: undefined },
    ],
    [
      { TOOLCRIB_SEARCH: "tavily http://127.0.0.1:1/search", TAVILY_API_KEY: "key" },
      { engine: "tavily", key: "key", url: "http://127.0.0.1:1/search" },
    ],
    [{ TOOLCRIB_SEARCH: "duckduckgo" }, { engine: "duckduckgo", url: undefined }],
  ])("reads %j", (variables, settings) => {
    expect(searchSettings(variables)).toEqual(settings);
  });

  it.each([
    [{ TOOLCRIB_SEARCH: "gogle" }, { problem: 'TOOLCRIB_SEARCH names the unknown engine "gogle"', hint }],
    [{ TOOLCRIB_SEARCH: "searxng" }, { problem: "TOOLCRIB_SEARCH names searxng without its URL", hint }],
    [
      { TOOLCRIB_SEARCH: "searxng file:///etc" },
      { problem: "TOOLCRIB_SEARCH has no valid URL after searxng", hint },
    ],
    [
      { TOOLCRIB_SEARCH: "duckduckgo x" },
      { problem: "TOOLCRIB_SEARCH has no valid URL after duckduckgo", hint },
    ],
    [
      { TOOLCRIB_SEARCH: "brave a b" },
      { problem: "TOOLCRIB_SEARCH has more than an engine and a URL", hint },
    ],
    [
      { TOOLCRIB_SEARCH: "searxng https://user:word@s.example" },
      { problem: "TOOLCRIB_SEARCH has no valid URL after searxng", hint },
    ],
    [
      { TOOLCRIB_SEARCH: "brave" },
      {
        problem: "TOOLCRIB_SEARCH names brave, but BRAVE_API_KEY is not set",
        hint: "Set BRAVE_API_KEY to the key of your account.",
      },
    ],
    [
      { TOOLCRIB_SEARCH: "tavily", TAVILY_API_KEY: "a\r\nx: b" },
      {
        problem: "TOOLCRIB_SEARCH names tavily, but TAVILY_API_KEY contains invalid characters",
        hint: "Set TAVILY_API_KEY to the key of your account.",
      },
    ],
  ])("explains what is wrong with %j", (variables, problem) => {
    expect(searchSettings(variables)).toEqual(problem);
  });
});

describe("checkValues", () => {
  it.each([
    [{ maxShownTokens: -5 }, "maxShownTokens must be a whole number from 1, not -5", "10_000"],
    [{ maxShownTokens: "9" }, 'maxShownTokens must be a whole number from 1, not "9"', "10_000"],
    [{ maxShownTokens: Number.NaN }, "maxShownTokens must be a whole number from 1, not NaN", "10_000"],
    [
      { approvalWaitMs: 1e18 },
      "approvalWaitMs must be a whole number of milliseconds, up to 24 days, not 1000000000000000000",
      "60_000",
    ],
    [{ undoScope: "__proto__" }, 'undoScope must be "session" or "workspace", not "__proto__"', '"session"'],
    [{ readOnly: "false" }, 'readOnly must be true or false, not "false"', "true"],
    [{ pendingApprovals: null }, "pendingApprovals must be true or false, not null", "true"],
    [{ rules: "deny run rm" }, 'rules must be a list of strings, not "deny run rm"', '["…"]'],
    [{ onlyTools: [7] }, "onlyTools must be a list of strings, not a value of type object", '["…"]'],
    [{ stateDirectory: "" }, 'stateDirectory must be a path, not ""', '"/home/ada/project"'],
    [{ approve: true }, "approve must be a function, not a value of type boolean", "(given) => …"],
    [
      { journal: { maxDays: -1 } },
      "journal must be an object with limits over 0, not a value of type object",
      "{ maxBytes: 2 ** 30, maxDays: 30 }",
    ],
  ])("refuses %j", (options, problem, example) => {
    const [name] = Object.keys(options);
    expect(() => checkValues(options as never)).toThrow(
      expect.objectContaining({
        code: "invalid-input",
        message: `The option ${problem}`,
        hint: `Write: ${name}: ${example}`,
      }),
    );
  });

  it("accepts what the types allow", () => {
    expect(() =>
      checkValues({
        ...{ readOnly: false, rules: [], workspace: ".", approvalWaitMs: 0, undoScope: "workspace" },
        ...{ journal: { maxDays: Infinity }, maxShownTokens: 1, approve: undefined, tools: [] },
      }),
    ).not.toThrow();
  });
});

it("accepts modes in any case", () => {
  expect(["Safe", "CAUTIOUS", "yolo"].map((mode) => checkMode(mode as PolicyMode))).toEqual([
    "safe",
    "cautious",
    "yolo",
  ]);
});
