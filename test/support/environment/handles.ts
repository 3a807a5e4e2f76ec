/** Repeats everything that can fail, and prints how many handles are open before and after. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { FileChange } from "../../../src/contract/environment.ts";
import { openLocalEnvironment } from "../../../src/environment/local/local-environment.ts";
import { contentHash } from "../../../src/lib/bytes/content-hash.ts";

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

const add = (path: string): FileChange => ({ path, before: "nothing", after: Buffer.from("x") });

/** Change sets that succeed, and that fail after everything is prepared. */
async function changeTogether(): Promise<void> {
  const before = contentHash(Buffer.from("x"));
  const paths = ["changed/one", "changed/two"];
  await environment.change(paths.map(add));
  await Promise.allSettled([
    environment.change(
      paths.map((path) => ({ path, before: contentHash(Buffer.from(path)), after: "nothing" })),
    ),
    environment.change([...paths.map((path) => ({ ...add(path), before })), add("changed/three")]),
    environment.change([{ ...add("changed/one"), before, mode: 0o600 }, add("changed/three/four")]),
  ]);
  for (const path of [...paths, "changed/three"])
    await environment.delete(path, { recursive: true }).catch(() => {});
}

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
      environment.change([add(path), add("changed/new/x"), { ...add("changed/y"), like: path }]),
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
  // The pipes of programs that did not start are closed in a later turn of the event loop.
  for (let time = 0; time < 50; time += 1) await setTimeout(1);
  return readdirSync("/proc/self/fd").length;
}

await everything();
await changeTogether();
const before = await openHandles();
for (let time = 0; time < 5; time += 1) {
  await everything();
  await changeTogether();
}
const after = await openHandles();
process.stdout.write(JSON.stringify({ before, after }));
