import { Journal } from "../../src/journal/journal.ts";
import { makePrivateDirectory, workspaceFiles } from "../../src/system/directories.ts";
import type { Progress } from "./data.ts";

/** The workspace of the calls; it need not exist. */
export const callsWorkspace = "/bench/calls";

/** Records 100,000 calls of 200 sessions. The folder is a state directory. */
export function writeCalls(root: string, progress: Progress): void {
  progress("recording 100,000 calls");
  const { journal: file, outputs } = workspaceFiles(root, callsWorkspace);
  makePrivateDirectory(outputs);
  for (let session = 0; session < 200; session++) {
    const client = { kind: "mcp", name: "claude-code", version: "2.1" } as const;
    const journal = new Journal({ file, session: `session_${session}`, client, workspace: callsWorkspace });
    for (let call = 0; call < 500; call++) record(journal, session * 500 + call);
    journal.close();
  }
}

function record(journal: Journal, number: number): void {
  // A fixed sequence of names that repeat now and then.
  const name = (Math.imul(number, 2_654_435_761) >>> 20).toString(36);
  const path = `src/${name}/${name}-test.ts`;
  const hasFailed = number % 20 === 19;
  const isRare = number % 50_000 === 79;
  const attempt = {
    callId: `call_${number}`,
    ...(number % 3 === 0
      ? { tool: "shell.run", input: { command: `npm run ${name} -- ${path} | grep -v ok` } }
      : { tool: "file.read", input: { path, offset: number % 100, limit: 200 } }),
    startedAt: 1_700_000_000_000 + number,
  };
  journal.finish(attempt, {
    outcome: hasFailed ? "not-found" : "ok",
    message: hasFailed ? `There is no file ${path}${isRare ? " rareneedle" : ""}` : undefined,
    outputHandle: undefined,
    durationMs: 1.5,
    account: {
      accesses: [{ kind: "read", path }],
      decision: { verdict: "allow", rule: "mode cautious", source: "mode cautious", reason: "It only reads" },
    },
  });
}
