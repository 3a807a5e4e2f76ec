import type { Environment } from "../../src/contract/environment.ts";
import type { ToolContext } from "../../src/contract/tool.ts";
import { noAgents } from "../../src/pipeline/missing-services.ts";
import { noCode } from "../../src/pipeline/missing-services.ts";
import { noDocuments } from "../../src/pipeline/missing-services.ts";
import { noHistory, noTransactions } from "../../src/pipeline/missing-services.ts";
import { noOutputs } from "../../src/pipeline/missing-services.ts";
import { noProcesses, noShells } from "../../src/pipeline/missing-services.ts";
import { noToolFinder } from "../../src/pipeline/missing-services.ts";
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
