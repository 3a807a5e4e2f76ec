/** Does everything that can fail, many times, and prints how many handles are open before and after. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { contentHash } from "../../../text/content-hash.ts";
import { openLocalEnvironment } from "../local-environment.ts";

const workspace = process.argv[2]!;
const environment = openLocalEnvironment({ workspace, changeRecords: join(workspace, "../changes") });
const { signal } = new AbortController();
const paths = [
  "file",
  "folder",
  "missing",
  "missing/below",
  "fifo",
  "out",
  "out/x",
  "loop",
  "file/x",
  "dangling",
];

async function everything(): Promise<void> {
  for (const path of paths) {
    await Promise.allSettled([
      environment.realPath(path),
      environment.info(path),
      environment.readFile(path, { maxBytes: 2 }),
      environment.readLines(path, { first: 1, count: 1, maxBytes: 10 }),
      environment.readBytes(path, { offset: 0, length: 1 }),
      environment.writeFile(path, Buffer.from("x"), { ifExists: "refuse", durable: false }),
      environment.delete(path),
      environment.change([
        { path, before: "nothing", after: Buffer.from("x") },
        { path: "file", before: "nothing", after: "nothing" },
        { path: "folder/new/x", before: "nothing", after: Buffer.from("x"), like: path },
      ]),
      environment.change([
        { path, before: contentHash(Buffer.from("text")), after: Buffer.from("text"), mode: 0o600 },
      ]),
      environment.move(path, "folder"),
      environment.move("folder", `${path}/below`),
      environment.start("/nonexistent", { args: [], cwd: path, signal }),
      environment.openDirectory(path).then(async (directory) => {
        await Promise.allSettled([directory.openDirectory("x"), directory.readFile("fifo", 1)]);
        directory.close();
      }),
    ]);
  }
}

async function openHandles(): Promise<number> {
  // The pipes of programs that did not start are closed in a later turn. Time alone is no measure of turns.
  for (let turn = 0; turn < 50; turn += 1) await setTimeout(1);
  return readdirSync("/proc/self/fd").length;
}

await everything();
const before = await openHandles();
for (let time = 0; time < 20; time += 1) await everything();
const after = await openHandles();
process.stdout.write(JSON.stringify({ before, after }));
