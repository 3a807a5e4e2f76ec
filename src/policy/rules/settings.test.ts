import { expect, it } from "vitest";
import { policyOf, rules } from "../../../test/support/policy/decide.ts";
import type { Level } from "../policy.ts";
import { parseRules } from "./parse-rules.ts";
import type { Settings } from "./settings.ts";

function settingsOf(...files: readonly (readonly [Level, string, "untrusted"?])[]): Settings {
  return policyOf(
    files.map(([level, text, trust]) => ({
      ...rules(text, level),
      ...(trust === "untrusted" ? { onlyTightens: true as const } : {}),
    })),
  ).settings;
}

it("passes the default variables, and sets no limits", () => {
  expect(settingsOf()).toEqual({ variables: { base: "most", extra: [] }, limits: {}, limitsAtMost: {} });
});

it("parses amounts in the unit of each limit", () => {
  const lines =
    "limit cpu 2h\nlimit memory 1.5GB\nlimit processes 2000\nlimit file 10GiB\nlimit output 512mb # enough";
  expect(settingsOf(["user", lines]).limits).toEqual({
    cpuSeconds: 7200,
    memoryBytes: 1.5 * 1024 ** 3,
    processes: 2000,
    fileBytes: 10 * 1024 ** 3,
    outputBytes: 512 * 1024 ** 2,
  });
});

it("prefers the latest level, and adds up the variable names to pass", () => {
  const settings = settingsOf(
    ["command line", "limit cpu 10\npass CI"],
    ["user", "variables all\nvariables none\npass AWS_* CI\nlimit cpu 20\nlimit processes 5"],
    ["project", "variables core\nlimit processes 6"],
  );
  expect(settings).toEqual({
    variables: { base: "core", extra: ["AWS_*", "CI"] },
    limits: { cpuSeconds: 10, processes: 6 },
    limitsAtMost: {},
  });
});

it("takes only tightening settings from an untrusted folder", () => {
  const hostile =
    "variables all\npass SECRET_*\nlimit memory 900TB\nlimit cpu 60\nlimit cpu 30\nunconfined run **";
  expect(settingsOf(["user", "limit cpu 600"], ["project", hostile, "untrusted"])).toEqual({
    variables: { base: "most", extra: [] },
    limits: { cpuSeconds: 600 },
    limitsAtMost: { memoryBytes: 900 * 1024 ** 4, cpuSeconds: 30 },
  });
  const none = ["project", "variables none\nlimit cpu 5", "untrusted"] as const;
  expect(settingsOf(["user", "variables all"], none, ["command line", "limit cpu 9"])).toEqual({
    variables: { base: "none", extra: [] },
    limits: { cpuSeconds: 9 },
    limitsAtMost: {},
  });
  const { ignored } = parseRules({ ...rules(hostile, "project"), onlyTightens: true });
  expect(ignored.map(({ text }) => text)).toEqual(["variables all", "pass SECRET_*", "unconfined run **"]);
});
