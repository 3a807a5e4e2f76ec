import { expect, it } from "vitest";
import * as z from "zod/mini";
import { noServices } from "../../../test/support/no-services.ts";
import type { ToolAccess } from "../../contract/access.ts";
import type { SandboxLevel, ToolCall } from "../../contract/call.ts";
import type { Confinement } from "../../contract/confinement.ts";
import type { Environment, ProcessStartOptions, RunningProcess } from "../../contract/environment.ts";
import type { AnyTool } from "../../contract/tool.ts";
import type { WebRequest } from "../../contract/web.ts";
import { MemoryEnvironment } from "../../environment/memory/memory-environment.ts";
import type { PolicyMode } from "../../policy/policy.ts";
import { compilePolicy } from "../../policy/rules/compile-policy.ts";
import { runTool } from "../run-tool.ts";
import { compose } from "../stage.ts";
import { checkPolicy } from "./check-policy.ts";
import { confineCommands } from "./confine-commands.ts";

/** An environment that only records what it was asked to start. */
function openStarting() {
  const started: ProcessStartOptions[] = [];
  const now: { level: SandboxLevel } = { level: "bwrap" };
  const environment: Environment = Object.assign(new MemoryEnvironment(), {
    start: async (_program: string, options: ProcessStartOptions) => {
      started.push(options);
      return {} as RunningProcess;
    },
    exchange: async ({ mayConnect }: WebRequest) => ({
      status: (await mayConnect?.("example.com", 443)) ? 200 : 403,
      headers: {},
      body: new Uint8Array(),
      isCut: false,
    }),
    sandbox: async () => ({ ...now, missing: [], gaps: [] }),
  });
  return { environment, started, now };
}

interface Setup {
  readonly lines?: string;
  readonly mode?: PolicyMode;
  readonly tool?: Partial<AnyTool>;
  readonly accesses?: readonly ToolAccess[];
  readonly confinement?: ProcessStartOptions["confinement"];
  readonly approve?: boolean;
  /** The sandbox that is available when the command starts. */
  readonly later?: SandboxLevel;
}

/** What one call, which starts one program, may reach; or the code of its error. */
async function start(setup: Setup): Promise<ProcessStartOptions["confinement"] | string> {
  const { environment, started, now } = openStarting();
  const {
    lines = "",
    mode = "cautious",
    tool = {},
    accesses = [{ kind: "execute", command: "make" }],
  } = setup;
  const source = { level: "user", name: "rules", text: lines } as const;
  const directories = { workspace: environment.workspace, home: "/home/ada", own: [] };
  const policyStage = checkPolicy(
    {
      mode,
      rules: {
        refreshed: () => compilePolicy([source], directories),
        grantForSession: () => {},
        grantAlways: async () => {},
      },
      surroundings: { sandbox: async () => now.level, variables: () => ({}) },
      ...(setup.approve && {
        // Hosts that the command connects to are refused.
        approverOf: () => (request) => ({ allow: request.accesses.some(({ kind }) => kind === "execute") }),
      }),
    },
    noServices,
  );
  const counter = compose([policyStage, confineCommands], runTool(environment, noServices));
  const { signal } = new AbortController();
  const call: ToolCall = {
    id: "call_1",
    tool: {
      name: "shell.run",
      description: "",
      risk: "execute",
      input: z.any(),
      limits: { maxChars: 100, keep: "both" },
      accesses: () => accesses,
      run: async (_input, context) => {
        if (setup.later) now.level = setup.later;
        const { confinement } = setup;
        await context.environment.start("make", { args: [], signal, ...(confinement && { confinement }) });
        return { data: null, text: "" };
      },
      ...tool,
    },
    input: {},
    accesses,
    environment,
    account: {},
    signal,
    timeoutMs: undefined,
    outlivedBy: () => {},
    notify: () => {},
  };
  try {
    await counter(call);
  } catch (error) {
    return (error as { code: string }).code;
  }
  return started[0]!.confinement;
}

it("starts commands with the confinement that the policy decided and the files the tool shares", async () => {
  const lines = "allow run make\nvariables none\nlimit cpu 5";
  const held = { variables: { base: "none", extra: [] }, limits: { cpuSeconds: 5 }, limitsAtMost: {} };
  const connecting = { mayConnect: expect.any(Function), heldMs: expect.any(Function), hosts: [] };
  const rest = {
    isHidden: expect.any(Function),
    isReadOnly: expect.any(Function),
    isReadOnlyByRules: expect.any(Function),
    pathRules: expect.any(Function),
    pathsKey: expect.any(String),
    absent: [],
    lifted: [],
    readsOnly: undefined,
    writableIfHidden: undefined,
    hiddenOutside: [],
    readable: [],
    writable: [],
    ...connecting,
  };
  const own: Confinement = { writable: ["/run/own"], unconfined: true, mayConnect: () => true };
  expect([
    await start({ lines }),
    await start({ lines, confinement: own }),
    await start({ lines: `${lines}\nunconfined run make` }),
    await start({ lines, confinement: "ours" }),
  ]).toEqual([
    { ...held, ...rest },
    { ...held, ...rest, writable: ["/run/own"] },
    { ...held, unconfined: true, readable: [], writable: [] },
    "ours",
  ]);
});

it("confines tools that may run unnamed commands, and starts nothing for others", async () => {
  const confined = async (risk: AnyTool["risk"], accesses: readonly ToolAccess[], setup: Setup = {}) => {
    const found = await start({ mode: "yolo", tool: { risk }, accesses, ...setup });
    return typeof found === "object" ? "confined" : found;
  };
  expect([
    await confined("execute", []),
    await confined("network", []),
    await confined("destructive", []),
    await confined("read", [{ kind: "execute", command: "ls" }]),
    await confined("write", [{ kind: "write", path: "a" }]),
    await confined("read", [{ kind: "read", path: "a" }], { confinement: { unconfined: true } }),
    await confined("read", [{ kind: "read", path: "a" }], { confinement: "ours" }),
  ]).toEqual(["confined", "confined", "confined", "confined", "denied", "denied", "ours"]);
});

it("connects where the call may, and gains no access because its commands run unconfined", async () => {
  const statuses: (number | undefined)[] = [];
  const tool: Partial<AnyTool> = {
    run: async (_input, { environment, signal }) => {
      const url = new URL("https://example.com/");
      const answer = await environment.exchange?.({ url, maxBytes: 1, signal, mayConnect: () => true });
      statuses.push(answer?.status);
      await environment.start("make", { args: [], signal });
      return { data: null, text: "" };
    },
  };
  const lines = "allow run make";
  await start({ tool, lines });
  await start({ tool, lines: `${lines}\nallow connect example.com` });
  await start({ tool, lines: `${lines}\nunconfined run make` });
  expect(statuses).toEqual([403, 200, 403]);
});

it("starts nothing in a sandbox other than the one the call was checked for", async () => {
  const lines = "allow run make";
  expect([
    await start({ lines, later: "none" }),
    await start({ lines, later: "landlock" }),
    typeof (await start({ lines, later: "bwrap" })),
    typeof (await start({ lines: `${lines}\nunconfined run make`, later: "none" })),
  ]).toEqual(["denied", "denied", "object", "object"]);
});

it("gives an approved call what was approved, and not the same call when it was not asked about", async () => {
  const accesses = [{ kind: "execute", command: "curl https://example.com/ -o /srv/out" }] as const;
  const lines = "allow run curl **\nallow connect other.org";
  const reached = async (setup: Setup) => {
    const found = await start({ accesses, ...setup });
    if (typeof found !== "object") return found;
    const { mayConnect, writable } = found;
    const hosts: string[] = [];
    for (const host of ["example.com", "other.org", "third.net"])
      if (await mayConnect?.(host, 443)) hosts.push(host);
    return [hosts, writable];
  };
  expect([
    await reached({ approve: true }),
    await reached({ approve: true, lines }),
    await reached({ lines }),
  ]).toEqual([
    [["example.com"], ["/srv/out"]],
    [["example.com", "other.org"], ["/srv/out"]],
    "needs-approval",
  ]);
});
