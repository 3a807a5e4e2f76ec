import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ToolError } from "../contract/error.ts";
import type { Processes, ProcessStatus, Waiting } from "../contract/process.ts";
import { openLocalEnvironment } from "../environment/local/local-environment.ts";
import { RedactedStream } from "../guardian/redaction/redacted-stream.ts";
import { temporaryFolder } from "../../test/temporary-folder.ts";
import { openProcesses, type ProcessesParts } from "./open-processes.ts";

const server = (port = 0) =>
  `exec node -e 'const s = require("node:http").createServer((q, r) => { r.statusCode = q.url === "/bad" ? 503 : 302; r.end() })
    .listen(${port}, "127.0.0.1", () => console.log("serving on " + s.address().port))'`;

it("starts a server, knows when it serves, and ends it", async () => {
  await using room = processRoom();
  const { processes, waiting } = room;
  const started = await processes.start(
    { command: server(), name: "web", ready: { line: "serving on" } },
    waiting,
  );
  const { text } = await processes.output("web", { maxChars: 100 });
  const port = Number(/\d+/.exec(text));
  const answered = await fetch(`http://127.0.0.1:${port}/`, { redirect: "manual" });
  const ended = await processes.stop("web");
  expect([started.state, text, answered.status, ended]).toEqual([
    "ready",
    `serving on ${port}\n`,
    302,
    { ...started, ...timeless(ended), state: "ended", signal: "SIGTERM" },
  ]);
  await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow();
});
