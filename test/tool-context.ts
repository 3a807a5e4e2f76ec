import type { Environment } from "../src/contract/environment.ts";
import type { ToolContext } from "../src/contract/tool.ts";
import { noAgents } from "../src/runtime/no-agents.ts";
import { noCode } from "../src/runtime/no-code.ts";
import { noDocuments } from "../src/runtime/no-documents.ts";
import { noHistory, noTransactions } from "../src/runtime/no-history.ts";
import { noOutputs } from "../src/runtime/no-outputs.ts";
import { noProcesses, noShells } from "../src/runtime/no-processes.ts";
import { noToolFinder } from "../src/runtime/no-tool-finder.ts";
import { KeptPages } from "../src/runtime/page-memory.ts";
import { SeenMemory } from "../src/runtime/seen-memory.ts";

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
