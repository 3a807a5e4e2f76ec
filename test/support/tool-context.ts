import type { Environment } from "../../src/contract/environment.ts";
import type { ToolContext } from "../../src/contract/tool.ts";
import { PageCache } from "../../src/pipeline/page-memory.ts";
import { noCalls } from "../../src/pipeline/run-tool.ts";
import { SeenMemory } from "../../src/pipeline/seen-memory.ts";
import { noHistory, noProcesses, noServers, noServices, noShells, noTransactions } from "./no-services.ts";

/** The context of a tool whose services all refuse. Progress is dropped. */
export function toolContext(
  environment: Environment,
  signal: AbortSignal = new AbortController().signal,
): ToolContext {
  return {
    environment,
    seen: new SeenMemory(environment),
    history: noHistory(),
    transactions: noTransactions(),
    processes: noProcesses(),
    shells: noShells(),
    agents: noServices.agents,
    code: noServices.code,
    servers: noServers(),
    documents: noServices.documents,
    pages: new PageCache(),
    plan: { plan: { steps: [], explanation: undefined } },
    tools: noServices.tools,
    scripts: noServices.scripts,
    calls: noCalls,
    settings: {},
    outputs: noServices.outputs,
    signal,
    wording: (text) => text,
    progress: () => {},
    uncovered: () => {},
    output: () => {},
  };
}
