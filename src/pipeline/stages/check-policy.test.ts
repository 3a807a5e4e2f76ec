import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import * as z from "zod/mini";
import { noServices } from "../../../test/support/no-services.ts";
import type { SandboxLevel, ToolCall } from "../../contract/call.ts";
import type { ToolError } from "../../contract/error.ts";
import type { ApprovalRequest } from "../../engine/approvals/approval-request.ts";
import { MemoryEnvironment } from "../../environment/memory/memory-environment.ts";
import { compilePolicy } from "../../policy/rules/compile-policy.ts";
import { compose } from "../stage.ts";
import { checkPolicy } from "./check-policy.ts";
import { takeTurns } from "./take-turns.ts";

interface Surroundings {
  readonly sandbox: SandboxLevel;
  readonly variables: Readonly<Record<string, string>>;
}

const policy = compilePolicy([], { workspace: "/workspace", home: "/home/ada", own: [] });

function commandCall(command: string): ToolCall {
  return {
    id: "call_1",
    tool: {
      name: "run_it",
      canonical: "shell.run",
      description: "",
      risk: "execute",
      input: z.any(),
      limits: { maxChars: 100, keep: "both" },
      accesses: () => [],
      run: async () => ({ data: null, text: "" }),
    },
    input: { command },
    accesses: [{ kind: "execute", command }],
    environment: new MemoryEnvironment({}),
    account: {},
    signal: new AbortController().signal,
    timeoutMs: undefined,
    outlivedBy: () => {},
    notify: () => {},
  } as ToolCall;
}

/** The result of a call whose surroundings have changed to the second ones when the answer comes. */
async function answerAfter(before: Surroundings, after: Surroundings) {
  let surroundings = before;
  const requests: ApprovalRequest[] = [];
  const stage = checkPolicy(
    {
      mode: "safe",
      rules: { refreshed: () => policy, grantForSession: () => {}, grantAlways: async () => {} },
      surroundings: { sandbox: async () => surroundings.sandbox, variables: () => surroundings.variables },
      approverOf: () => (request) => {
        requests.push(request);
        surroundings = after;
        return { allow: true };
      },
    },
    noServices,
  );
  const call = commandCall("make");
  const outcome = await stage(call, async () => ({
    ok: true,
    text: "",
    data: 0,
    images: [],
    fullText: "",
  })).then(
    ({ ok }) => ok,
    ({ code }) => code,
  );
  return { outcome, request: requests[0]!, account: call.account };
}

const bare: Surroundings = { sandbox: "bwrap", variables: { PATH: "/usr/bin" } };

it("runs an approved call when nothing has changed, and records the answer and the sandbox", async () => {
  const { outcome, account } = await answerAfter(bare, { sandbox: "bwrap", variables: { PATH: "/usr/bin" } });
  expect([outcome, account]).toEqual([
    true,
    {
      sandbox: "bwrap",
      decision: {
        verdict: "ask",
        rule: "mode safe: execute",
        source: "mode safe",
        reason: "it would run `make`",
        answer: "once",
      },
    },
  ]);
});

it("refuses an approved call when the variables or the sandbox changed (GHSA-2j8v-hwgc-x698)", async () => {
  const changes: Surroundings[] = [
    { ...bare, variables: { PATH: "/workspace/bin:/usr/bin" } },
    { ...bare, variables: { ...bare.variables, LD_PRELOAD: "evil.so" } },
    { ...bare, variables: {} },
    { ...bare, sandbox: "none" },
  ];
  const outcomes = await Promise.all(changes.map(async (after) => (await answerAfter(bare, after)).outcome));
  expect(outcomes).toEqual(["denied", "denied", "denied", "denied"]);
});

it("changes the fingerprint with the variables and the sandbox, and never exposes the variables", async () => {
  const secret: Surroundings = { sandbox: "bwrap", variables: { PATH: "/usr/bin", LC_SECRET: "hunter2" } };
  const [one, other] = [await answerAfter(bare, bare), await answerAfter(secret, secret)];
  expect(one.request.environment).not.toBe(other.request.environment);
  expect(JSON.stringify(other.request)).not.toContain("hunter2");
});

it("checks a command of a persistent shell against that shell's earlier commands", async () => {
  let past = { commands: ["true"], isWhole: true, cwd: "/workspace" };
  const source = { level: "user", name: "rules", text: "allow run ls\nallow run cat **" } as const;
  const directories = { workspace: "/workspace", home: "/home/ada", own: [] };
  const outcomeOf = async (command: string, whileAsked?: () => void) => {
    const stage = checkPolicy(
      {
        mode: "safe",
        rules: {
          refreshed: () => compilePolicy([source], directories),
          grantForSession: () => {},
          grantAlways: async () => {},
        },
        surroundings: {
          sandbox: async () => "bwrap",
          variables: () => ({}),
          shell: (name) => (name === "main" ? past : undefined),
        },
        ...(whileAsked && {
          approverOf: () => () => {
            whileAsked();
            return { allow: true };
          },
        }),
      },
      noServices,
    );
    const call = {
      ...commandCall(command),
      accesses: [{ kind: "execute", command, session: "main" }] as const,
    };
    return stage(call, async () => ({ ok: true, text: "", data: 0, images: [], fullText: "" })).then(
      () => "ran",
      ({ code }) => code,
    );
  };
  const outcomes = [await outcomeOf("ls")];
  past = { ...past, commands: ["ls() { rm -rf /; }"] };
  outcomes.push(await outcomeOf("ls"), await outcomeOf("ls", () => {}));
  outcomes.push(
    await outcomeOf("ls", () => (past = { ...past, commands: [...past.commands, "alias ls=evil"] })),
  );
  past = { commands: ["cd /srv"], isWhole: true, cwd: "/srv" };
  outcomes.push(await outcomeOf("cat passwd"));
  expect(outcomes).toEqual(["ran", "needs-approval", "ran", "denied", "needs-approval"]);
});

it("refuses a call checked before another call put a symlink in its path", async () => {
  const environment = new MemoryEnvironment({ files: { "deep/a.txt": "" } });
  const written: string[] = [];
  const holding = Promise.withResolvers<void>();
  const counter = compose(
    [
      checkPolicy(
        {
          mode: "cautious",
          rules: { refreshed: () => policy, grantForSession: () => {}, grantAlways: async () => {} },
          surroundings: { sandbox: async () => "none", variables: () => ({}) },
        },
        noServices,
      ),
      takeTurns(environment),
    ],
    async ({ id, input }) => {
      if (id === "call_1") await holding.promise;
      written.push(String(input));
      return { ok: true, text: "", data: 0, images: [], fullText: "" };
    },
  );
  const writing = (id: string, path: string): ToolCall => ({
    ...commandCall(""),
    id,
    input: path,
    environment,
    account: {},
    accesses: [{ kind: "write", path }],
  });
  const codeOf = ({ code }: { code: string }) => code;
  const ends = [
    counter(writing("call_1", "way")),
    counter(writing("call_2", "way/b.txt")).catch(codeOf),
    counter(writing("call_3", "way")).catch(codeOf),
  ];
  // Everything in memory is done by now.
  await setImmediate();
  environment.link("way", "deep");
  holding.resolve();
  expect((await Promise.all(ends)).slice(1)).toEqual(["stale", "stale"]);
  expect(written).toEqual(["way"]);
});

it("says once why there is no sandbox, and what fixes that, to the model and to the user", async () => {
  const missing = [
    "bwrap: AppArmor forbids user namespaces: run the fix.",
    "Landlock cannot be used: no perl.",
  ];
  const environment = Object.assign(new MemoryEnvironment(), {
    sandbox: async () => ({ level: "none" as const, missing, gaps: [] }),
  });
  const requests: ApprovalRequest[] = [];
  const settings = {
    mode: "cautious",
    rules: { refreshed: () => policy, grantForSession: () => {}, grantAlways: async () => {} },
    surroundings: { sandbox: async () => "none" as const, variables: () => ({}) },
  } as const;
  const refuse = checkPolicy(settings, noServices);
  const ask = checkPolicy(
    {
      ...settings,
      approverOf: () => (request) => {
        requests.push(request);
        return { allow: true };
      },
    },
    noServices,
  );
  const run = (stage: typeof ask, command: string) =>
    stage({ ...commandCall(command), environment }, async () => nothingDone).catch(
      (error: ToolError) => error,
    );
  const first = (await run(refuse, "make")) as ToolError;
  const second = (await run(refuse, "make all")) as ToolError;
  const fix = `No sandbox works here: ${missing.join(" ")}`;
  expect([first.hint, first.forUser?.hint].every((hint) => hint?.includes(fix))).toBe(true);
  expect([second.hint, second.forUser?.hint].some((hint) => hint?.includes(fix))).toBe(false);
  await run(ask, "make");
  await run(ask, "make all");
  expect(requests.map(({ noSandbox }) => noSandbox)).toEqual([missing.join(" "), undefined]);
});

const nothingDone = { ok: true, text: "", data: 0, images: [], fullText: "" } as const;
