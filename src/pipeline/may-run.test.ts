import fc from "fast-check";
import { expect, it } from "vitest";
import * as z from "zod/mini";
import { noServices } from "../../test/support/no-services.ts";
import { decide } from "../../test/support/policy/decide.ts";
import { rounds } from "../../test/support/rounds.ts";
import type { ToolAccess } from "../contract/access.ts";
import type { SandboxLevel, ToolCall } from "../contract/call.ts";
import type { Environment, ProcessStartOptions, RunningProcess } from "../contract/environment.ts";
import type { ToolContext } from "../contract/tool.ts";
import { MemoryEnvironment } from "../environment/memory/memory-environment.ts";
import { builtInRules } from "../policy/built-in-rules.ts";
import { type PolicyMode, policyModes } from "../policy/policy.ts";
import { compilePolicy } from "../policy/rules/compile-policy.ts";
import { runTool } from "./run-tool.ts";
import { compose } from "./stage.ts";
import { checkPolicy } from "./stages/check-policy.ts";
import { confineCommands } from "./stages/confine-commands.ts";

const directories = { workspace: "/workspace", home: "/home/ada", own: [] };

function policyOf(lines: string) {
  return compilePolicy([builtInRules, { level: "user", name: "rules", text: lines }], directories);
}

interface Setup {
  readonly lines?: string;
  readonly mode?: PolicyMode;
  readonly level?: SandboxLevel;
}

/** Runs a tool that starts programs on its own, and names none. */
async function within<Found>(
  { lines = "", mode = "cautious", level = "bwrap" }: Setup,
  run: (context: ToolContext, found: { level: SandboxLevel }) => Promise<Found>,
): Promise<{ found: Found; account: ToolCall["account"]; asked: number; started: ProcessStartOptions[] }> {
  const now = { level };
  let asked = 0;
  const started: ProcessStartOptions[] = [];
  const environment: Environment = Object.assign(new MemoryEnvironment(), {
    start: async (_program: string, options: ProcessStartOptions) => {
      started.push(options);
      return {} as RunningProcess;
    },
    sandbox: async () => ({ ...now, missing: [], gaps: [] }),
  });
  const stage = checkPolicy(
    {
      mode,
      rules: { refreshed: () => policyOf(lines), grantForSession: () => {}, grantAlways: async () => {} },
      surroundings: {
        sandbox: async () => {
          asked += 1;
          return now.level;
        },
        variables: () => ({}),
      },
      approverOf: () => () => ({ allow: true }),
    },
    noServices,
  );
  let found: Found | undefined;
  const account: ToolCall["account"] = {};
  await compose(
    [stage, confineCommands],
    runTool(environment, noServices),
  )({
    id: "call_1",
    tool: {
      name: "git.commit",
      description: "",
      risk: "write",
      startsPrograms: true,
      input: z.any(),
      limits: { maxChars: 100, keep: "both" },
      accesses: () => [],
      run: async (_input, context) => {
        found = await run(context, now);
        return { data: null, text: "" };
      },
    },
    input: {},
    accesses: [],
    environment,
    account,
    signal: new AbortController().signal,
    timeoutMs: undefined,
    outlivedBy: () => {},
    notify: () => {},
  });
  return { found: found!, account, asked, started };
}

const mayRun = (context: ToolContext, command: string) => context.environment.confinement!.mayRun!(command);

it("lets a tool run only commands that a rule or the mode allows", { tags: "slow" }, async () => {
  const hook = "git hook run pre-commit";
  const verdict = async (setup: Setup, command = hook) =>
    (await within(setup, (context) => mayRun(context, command))).found;
  const lines = "allow run git hook run *";
  expect({
    cautious: await verdict({}),
    "by a rule": await verdict({ lines }),
    "by a rule for this tool": await verdict({ lines: `${lines} by git.commit` }),
    "by a rule for another tool": await verdict({ lines: `${lines} by git.branch` }),
    "denied by a rule": await verdict({ lines: `${lines}\ndeny run git hook run pre-*`, mode: "yolo" }),
    "by a rule without a sandbox": await verdict({ lines, level: "none" }),
    "out of the sandbox": await verdict({ lines: `${lines}\nunconfined run git hook **`, level: "none" }),
    "of another rule": await verdict({ lines }, `${hook}; rm -rf /srv`),
    "by a rule in mode paranoid": await verdict({ lines, mode: "paranoid" }),
    yolo: await verdict({ mode: "yolo" }),
    "what nobody understands": await verdict({ lines: "allow run **" }, "$(cat x) '"),
  }).toEqual({
    cautious: false,
    "by a rule": true,
    "by a rule for this tool": true,
    "by a rule for another tool": false,
    "denied by a rule": false,
    "by a rule without a sandbox": false,
    "out of the sandbox": true,
    "of another rule": false,
    "by a rule in mode paranoid": false,
    yolo: true,
    "what nobody understands": false,
  });
});

it("starts the command only in the sandbox it was checked for, and records it", async () => {
  const start = async (context: ToolContext) => {
    try {
      await context.environment.start("git", { args: [], signal: context.signal });
      return "started";
    } catch (error) {
      return (error as { code: string }).code;
    }
  };
  const lines = "allow run git hook run *";
  const run = (command: string, later: SandboxLevel) =>
    within({ lines }, async (context, now) => {
      await mayRun(context, command);
      now.level = later;
      return start(context);
    });
  const [same, other, unasked] = [
    await run("git hook run post-commit", "bwrap"),
    await run("git hook run post-commit", "none"),
    await run("make", "none"),
  ];
  expect([same, other, unasked].map(({ found, account }) => [found, account.sandbox])).toEqual([
    ["started", "bwrap"],
    ["denied", "bwrap"],
    ["started", undefined],
  ]);
});

it("looks for a sandbox and parses commands only when needed", async () => {
  expect([
    (await within({}, async () => {})).asked,
    (await within({}, (context) => mayRun(context, "make"))).asked,
  ]).toEqual([0, 1]);
});

const commands = ["make", "git hook run pre-commit", "git-lfs clean -- %f", "cat .env", "tee /srv/x", "a $b"];

it("never allows a command that the policy would ask about or deny", { tags: "slow" }, async () => {
  const rule = fc
    .tuple(
      fc.constantFrom("allow", "ask", "deny", "unconfined"),
      fc.constantFrom("**", "git **", "git hook run *", "make", "git-lfs **", "cat *", "tee **"),
      fc.constantFrom("", " by git.*", " by shell.*"),
    )
    .map(([effect, pattern, by]) => `${effect} run ${pattern}${by}`);
  await fc.assert(
    fc.asyncProperty(
      fc.array(rule, { maxLength: 5 }),
      fc.constantFrom(...policyModes),
      fc.constantFrom<SandboxLevel>("bwrap", "landlock", "none"),
      fc.constantFrom(...commands),
      async (rules, mode, level, command) => {
        const lines = rules.join("\n");
        const { found } = await within({ lines, mode, level }, (context) => mayRun(context, command));
        const accesses: readonly ToolAccess[] = [{ kind: "execute", command }];
        const question = {
          mode,
          tool: { name: "git.commit", risk: "write" },
          accesses,
          sandbox: level,
          realPaths: new Map(),
          asksBeforeCommands: true,
        } as const;
        expect(found).toBe(decide(question, policyOf(lines)).verdict === "allow");
      },
    ),
    { numRuns: rounds(40) },
  );
});
