import { mkdirSync } from "node:fs";
import { join } from "node:path";

// node write-journal.ts CHECKOUT STATE WORKSPACE COUNT: writes a journal with the code of that checkout.

const [checkout, state, workspace, count] = process.argv.slice(2);
const { Journal } = await import(join(checkout!, "src/journal/journal.ts"));
const { workspaceFiles } = await import(join(checkout!, "src/system/directories.ts"));

const calls = Number(count);
const callsPerSession = 500;
const everyMs = (60 * 24 * 3_600_000) / calls;
const began = Date.now() - 60 * 24 * 3_600_000;
const files = workspaceFiles(state, workspace);
mkdirSync(files.outputs, { recursive: true, mode: 0o700 });
let at = began;
for (let first = 0; first < calls; first += callsPerSession) {
  const session = `session_growth${first / callsPerSession}`;
  const client = { kind: "mcp", name: "bench", version: "1" };
  const journal = new Journal({ file: files.journal, session, client, workspace, now: () => at });
  for (let call = first; call < Math.min(first + callsPerSession, calls); call++) {
    at = Math.round(began + call * everyMs);
    record(journal, call);
  }
  journal.close();
}

function record(journal: { finish(attempt: object, ending: object): void }, number: number): void {
  const name = (Math.imul(number, 2_654_435_761) >>> 20).toString(36);
  const path = `src/${name}/${name}-test.ts`;
  const hasFailed = number % 20 === 19;
  const isRare = number % Math.min(calls / 2, 50_000) === 79;
  journal.finish(
    {
      callId: `call_${number}`,
      ...(number % 3 === 0
        ? { tool: "shell.run", input: { command: `npm run ${name} -- ${path} | grep -v ok` } }
        : number % 1000 === 1
          ? { tool: "web.fetch", input: { url: `https://example.com/${name}` } }
          : { tool: "file.read", input: { path, offset: number % 100, limit: 200 } }),
      startedAt: at,
    },
    {
      outcome: hasFailed ? "not-found" : "ok",
      message: hasFailed ? `There is no file ${path}${isRare ? " rareneedle" : ""}` : undefined,
      outputHandle: undefined,
      durationMs: 1.5,
      account: {
        accesses: [{ kind: "read", path }],
        decision: {
          verdict: "allow",
          rule: "mode cautious",
          source: "mode cautious",
          reason: "It only reads",
        },
      },
    },
  );
}
