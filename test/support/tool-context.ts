import type { Environment } from "../../src/contract/environment.ts";
import type { ToolContext } from "../../src/contract/tool.ts";
import {
  noAgents,
  noCode,
  noDocuments,
  noHistory,
  noOutputs,
  noProcesses,
  noShells,
  noToolFinder,
  noTransactions,
} from "../../src/pipeline/missing-services.ts";
import { KeptPages } from "../../src/pipeline/page-memory.ts";
import { SeenMemory } from "../../src/pipeline/seen-memory.ts";

/** What a tool is given behind the counter; nobody listens. */
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
    agents: noAgents,
    code: noCode,
    documents: noDocuments,
    pages: new KeptPages(),
    plan: { plan: { steps: [], explanation: undefined } },
    tools: noToolFinder,
    settings: {},
    outputs: noOutputs,
    signal,
    wording: (text) => text,
    progress: () => {},
    uncovered: () => {},
    output: () => {},
  };
}
