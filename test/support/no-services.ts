import type { CodeService } from "../../src/contract/code.ts";
import type { Documents } from "../../src/contract/document.ts";
import { ToolError } from "../../src/contract/error.ts";
import type { ChangeHistory, Transactions } from "../../src/contract/history.ts";
import type { LanguageServers } from "../../src/contract/language-server.ts";
import type { Outputs } from "../../src/contract/output.ts";
import type { Processes, Shells } from "../../src/contract/process.ts";
import type { ToolFinder } from "../../src/contract/tool.ts";
import { newIdentifier } from "../../src/lib/identifier.ts";
import { noAgents, type Services } from "../../src/pipeline/run-tool.ts";

/** For a pipeline without a code reader. */
const noCode: CodeService = { outline: refuseCode, occurrences: refuseCode, index: refuseCode };

async function refuseCode(): Promise<never> {
  throw new ToolError("unavailable", "Code cannot be read here", {
    hint: "Open the tools with openToolcrib.",
  });
}

/** For a pipeline without language servers. */
export function noServers(): LanguageServers {
  return {
    serverFor: async () => ({
      missing: "No language server runs here",
      hint: undefined,
      isKnown: false,
    }),
    newErrors: async () => [],
  };
}

/** For a pipeline without a document reader. */
const noDocuments: Documents = {
  read: async () => {
    throw new ToolError("unavailable", "Documents cannot be read here", {
      hint: "Open the tools with openToolcrib.",
    });
  },
};

/** For a pipeline without a journal. */
export function noHistory(): ChangeHistory {
  return {
    changes: refuseHistory,
    undo: refuseHistory,
    setCheckpoint: refuseHistory,
    checkpoints: refuseHistory,
  };
}

export function noTransactions(): Transactions {
  return { begin: refuseHistory, current: refuseHistory, commit: refuseHistory, rollback: refuseHistory };
}

async function refuseHistory(): Promise<never> {
  throw new ToolError("unavailable", "No journal is kept here: nothing can be undone", {
    hint: "Open the tools with openToolcrib, which keeps one.",
  });
}

/** For a pipeline that cannot store outputs: whatever is written is lost. */
const noOutputs: Outputs = {
  begin: () => ({
    handle: newIdentifier("out"),
    isFull: true,
    isLost: true,
    write: async () => {},
    end: async () => ({ keptBytes: 0, isWhole: false }),
  }),
};

/** For a pipeline without background processes. */
export function noProcesses(): Processes {
  return {
    start: refuseProcesses,
    list: refuseProcesses,
    status: refuseProcesses,
    output: refuseProcesses,
    input: refuseProcesses,
    wait: refuseProcesses,
    stop: refuseProcesses,
  };
}

export function noShells(): Shells {
  return { run: refuseProcesses };
}

async function refuseProcesses(): Promise<never> {
  throw new ToolError("unavailable", "Nothing can be left running here", {
    hint: "Open the tools with openToolcrib, and run the command without a session and not in the background.",
  });
}

async function refuseScripts(): Promise<never> {
  throw new ToolError("unavailable", "Scripts cannot run here");
}

/** For a toolset that lists all of its tools. */
const noToolFinder: ToolFinder = { find: async () => ({ tools: [], hidden: 0 }) };

/** The services of a pipeline that has none of them. */
export const noServices: Services = {
  historyFor: noHistory,
  transactions: { forCall: noTransactions },
  processes: { forCall: noProcesses },
  shells: { forCall: noShells },
  agents: noAgents,
  code: noCode,
  servers: { forCall: noServers },
  documents: noDocuments,
  tools: noToolFinder,
  scripts: { run: refuseScripts },
  settings: {},
  outputs: noOutputs,
};
