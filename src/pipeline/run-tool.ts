import type { Agents } from "../contract/agents.ts";
import type { CallerMemory, ToolCall } from "../contract/call.ts";
import type { CodeService } from "../contract/code.ts";
import type { Documents } from "../contract/document.ts";
import type { Environment } from "../contract/environment.ts";
import { ToolError } from "../contract/error.ts";
import type { ChangeHistory, Transactions } from "../contract/history.ts";
import type { LanguageServers } from "../contract/language-server.ts";
import type { Outputs } from "../contract/output.ts";
import type { Processes, Shells } from "../contract/process.ts";
import type { Scripts, ToolCalls } from "../contract/script.ts";
import type { ToolFinder, ToolSettings } from "../contract/tool.ts";
import { checkImages } from "./check-images.ts";
import { mayUndo } from "./declared-writes.ts";
import { PageCache } from "./page-memory.ts";
import { SeenMemory } from "./seen-memory.ts";
import type { Next } from "./stage.ts";

/** Everything that tools use besides the environment. */
export interface Services {
  /** The changes of earlier calls, as one call may see and undo them. */
  readonly historyFor: (call: ToolCall) => ChangeHistory;
  readonly transactions: { forCall(call: ToolCall, mayUndo: boolean): Transactions };
  readonly processes: { forCall(call: ToolCall): Processes };
  readonly shells: { forCall(call: ToolCall): Shells };
  readonly agents: Agents;
  readonly code: CodeService;
  readonly servers: { forCall(call: ToolCall): LanguageServers };
  readonly documents: Documents;
  readonly tools: ToolFinder;
  readonly scripts: Scripts;
  readonly settings: ToolSettings;
  readonly outputs: Outputs;
}

/** The agents of a caller that has no other agents: every method fails. */
export const noAgents: Agents = {
  spawn: refuseAgents,
  send: refuseAgents,
  wait: refuseAgents,
  close: refuseAgents,
};

async function refuseAgents(): Promise<never> {
  throw new ToolError("unavailable", "No other agents are available", {
    hint: "Do the work yourself.",
    forUser: { hint: "To use agents, pass `agents` to openToolcrib." },
  });
}

/** Returns the memory of a caller that has not seen anything yet. */
export function newCallerMemory(
  environment: Environment,
  { agents, tools }: Pick<Services, "agents" | "tools">,
): CallerMemory {
  const seen = new SeenMemory(environment);
  return { seen, plan: { plan: { steps: [], explanation: undefined } }, agents, tools };
}

/** For a call outside of a toolset, which has no tools to call. */
export const noCalls: ToolCalls = {
  areNested: false,
  tools: async () => [],
  call: async (name) => ({ ok: false, error: { code: "not-found", message: `Unknown tool "${name}"` } }),
  callWhole: async (name) => {
    throw new ToolError("not-found", `Unknown tool "${name}"`);
  },
};

/** Returns the last step of the pipeline, which runs the tool itself. */
export function runTool(environment: Environment, services: Services): Next {
  const owner = newCallerMemory(environment, services);
  const pages = new PageCache();
  return async (call) => {
    const { seen, plan, agents, tools } = call.caller ?? owner;
    const {
      text: given,
      data,
      images: produced,
      isError: isGivenError,
      failed = isGivenError ? "The tool reported a failure" : undefined,
      ...output
    } = await call.tool.run(call.input, {
      environment: call.environment,
      seen,
      history: services.historyFor(call),
      transactions: services.transactions.forCall(call, mayUndo(call)),
      processes: services.processes.forCall(call),
      shells: services.shells.forCall(call),
      agents,
      code: services.code,
      servers: services.servers.forCall(call),
      documents: services.documents,
      pages,
      plan,
      tools,
      scripts: services.scripts,
      calls: call.innerCalls?.({ id: call.id, clock: call.clock, parent: call.parent }) ?? noCalls,
      settings: services.settings,
      outputs: services.outputs,
      signal: call.signal,
      wording: call.tool.wording ?? ((text) => text),
      progress: (message) => call.notify({ type: "progress", message }),
      uncovered: (what) => {
        call.account.notCovered = [...(call.account.notCovered ?? []), what];
      },
      output: (stream, text) => call.notify({ type: "output", stream, text }),
    });
    const { text, images } = checkImages({ text: given, images: produced });
    const isError = isGivenError ?? failed !== undefined;
    return { ok: true, text, fullText: text, data, images, ...output, failed, ...(isError && { isError }) };
  };
}
