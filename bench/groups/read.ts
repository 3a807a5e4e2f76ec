import { closeSync, openSync, readFileSync, readSync, utimesSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { PathGuard } from "../../src/contract/guard.ts";
import { openLocalEnvironment } from "../../src/environment/local/local-environment.ts";
import { OpenPolicy } from "../../src/toolcrib/open-policy.ts";
import { dataPath } from "../data/data.ts";
import { logFile } from "../data/lines.ts";
import { tenKilobyteFile } from "../data/tree.ts";
import type { Contender, Group } from "../harness.ts";
import { fileSystemServer, piTool } from "../peers.ts";
import { callContender, openSubject, warmUp } from "../subject.ts";

const log = join(dataPath("log"), logFile);
const middleLine = 3_840_000;
const lineCount = 50;
const quickLaps = 100;
const smallFile = join(dataPath("ten-kilobytes"), tenKilobyteFile);

/** Reads lines of a huge file, and a small file whole. */
export const group: Group = {
  needs: ["log", "ten-kilobytes"],
  cases: [
    {
      name: "50 lines from the middle of a 1 GB log, first time",
      about:
        "`file.read` with an offset, on a file it knows nothing of, against counting line ends by hand with a buffer of 1 MB.",
      rounds: 7,
      goals: [{ measure: "cpuMs", timesReference: 1 }],
      contenders: {
        "Buffer.indexOf scan": () => ({ run: () => scanFor(middleLine, lineCount) }),
        toolcrib: () => readLog(middleLine, { knowsFile: false }),
      },
    },
    {
      name: "50 lines from the middle of a 1 GB log, again",
      about:
        "The same once more: Toolcrib remembers where lines begin, as long as size, time and inode stay the same.",
      rounds: 7,
      goals: [{ measure: "p50Ms", timesReference: 0.001 }],
      contenders: {
        "Buffer.indexOf scan": () => ({ run: () => scanFor(middleLine, lineCount) }),
        toolcrib: () => readLog(middleLine, { knowsFile: true }),
      },
    },
    {
      name: "the last 50 lines of a 1 GB log, first time",
      about: "`file.read` with a negative offset, on a file it knows nothing of.",
      rounds: 5,
      goals: [{ measure: "cpuMs", timesReference: 0.001 }],
      contenders: {
        "Buffer.indexOf scan": () => ({ run: () => scanForLast(lineCount) }),
        toolcrib: () => readLog(-lineCount, { knowsFile: false }),
        "server-filesystem": async () => {
          const { tailFile } = await fileSystemServer(dataPath("log"));
          return { run: async () => (await tailFile(log, lineCount)).length, laps: quickLaps };
        },
      },
    },
    {
      name: "a 1 GB log, memory",
      about: "Lines from the middle twice and the last lines, in a process that has read only its beginning.",
      rounds: 1,
      warmUpRounds: 0,
      goals: [{ measure: "peakMb", atMostMb: 8 }],
      contenders: {
        "Buffer.indexOf scan": () => ({ run: () => scanFor(middleLine, lineCount) }),
        toolcrib: readLogOften,
      },
    },
    {
      name: "a file of 10 KB, whole",
      about:
        "The race-safe read of the environment against the plain one; then the tool with all stages, and peers (without their protocol).",
      rounds: 30,
      lapsPerRound: 200,
      goals: [{ measure: "p50Ms", timesReference: 2 }],
      contenders: {
        readFileSync: () => ({ run: () => readFileSync(smallFile).length }),
        "fs.promises.readFile": () => ({ run: async () => (await readFile(smallFile)).length }),
        toolcrib: () => readSmallFile(),
        "toolcrib, guarded": async () => {
          const { guard } = await OpenPolicy.open({ workspace: dataPath("ten-kilobytes"), ...nowhere });
          return readSmallFile(guard);
        },
        "toolcrib, by file.read": () =>
          callContender(
            dataPath("ten-kilobytes"),
            "file.read",
            { path: smallFile, line_numbers: false },
            () => 10240,
          ),
        "server-filesystem": async () => {
          const { validatePath, readFileContent } = await fileSystemServer(dataPath("ten-kilobytes"));
          return { run: async () => (await readFileContent(await validatePath(smallFile))).length };
        },
        "pi-coding-agent": async () => {
          const read = await piTool("read", dataPath("ten-kilobytes"));
          return { run: async () => (await read({ path: smallFile })).length };
        },
      },
    },
  ],
};

const nowhere = { state: "/nowhere/state", config: "/nowhere/config" };

function readSmallFile(guard?: PathGuard): Contender {
  const environment = openLocalEnvironment({
    workspace: dataPath("ten-kilobytes"),
    ...(guard === undefined ? {} : { guard }),
  });
  const run = async () => (await environment.readFile(smallFile, { maxBytes: 1e6 })).bytes.length;
  return { run, close: () => environment.close() };
}

async function readLog(offset: number, { knowsFile }: { knowsFile: boolean }): Promise<Contender> {
  await warmUp(dataPath("log"), "file.read", linesAt(1), 300);
  const contender = await callContender<{ files: { text: string }[] }>(
    dataPath("log"),
    "file.read",
    linesAt(offset),
    (data) => data.files[0]!.text.length,
  );
  const laps = knowsFile || offset < 0 ? quickLaps : 1;
  if (knowsFile) return { ...contender, laps };
  let time = 1_767_225_600;
  // A file with another modification time counts as another file, so cached data is dropped.
  return { ...contender, laps, reset: () => utimesSync(log, ++time, time) };
}

/** The middle, the middle again, the end. */
async function readLogOften(): Promise<Contender> {
  await warmUp(dataPath("log"), "file.read", linesAt(1), 300);
  const subject = await openSubject({ workspace: dataPath("log") });
  const run = async () => {
    for (const offset of [middleLine, middleLine, -lineCount])
      await subject.call("file.read", linesAt(offset));
  };
  return { run, close: subject.close };
}

function linesAt(offset: number): object {
  return { path: logFile, offset, limit: lineCount, line_numbers: false };
}

/** The manual way: counts line ends in chunks of 1 MB. Returns the bytes of the wanted lines. */
function scanFor(line: number, count: number): number {
  let start = 0;
  let stop = 0;
  scan((ended, end) => {
    if (ended === line - 1) start = end;
    stop = end;
    return ended === line - 1 + count;
  });
  return stop - start;
}

function scanForLast(count: number): number {
  const latest = new Array<number>(count + 1).fill(0);
  let total = 0;
  scan((ended, end) => {
    total = ended;
    latest[ended % latest.length] = end;
    return false;
  });
  return latest[total % latest.length]! - latest[(total + 1) % latest.length]!;
}

/** Calls `visit` with the number and the end of each line until it returns true. */
function scan(visit: (line: number, end: number) => boolean): void {
  const handle = openSync(log, "r");
  const buffer = Buffer.allocUnsafeSlow(2 ** 20);
  let line = 0;
  try {
    for (let position = 0; ; position += buffer.length) {
      const read = readSync(handle, buffer, 0, buffer.length, position);
      if (read === 0) return;
      const piece = buffer.subarray(0, read);
      for (let at = piece.indexOf(10); at !== -1; at = piece.indexOf(10, at + 1)) {
        line++;
        if (visit(line, position + at + 1)) return;
      }
    }
  } finally {
    closeSync(handle);
  }
}
