import { readFileSync } from "node:fs";
import { join } from "node:path";

// node --expose-gc measure-memory.mjs INSTALLED WORKSPACE STATE: prints megabytes (resident, heap, children) as JSON.

const [installed, workspace, stateDirectory] = process.argv.slice(2);
const before = now();
const { openToolcrib } = await import(join(installed, "dist", "toolcrib.js"));
const toolcrib = await openToolcrib({
  workspace,
  stateDirectory,
  rules: ["allow run **"],
  approve: async () => ({ allow: true }),
});
const opened = growth();
await call("file.write", { path: "memory.txt", content: "one\n" });
await call("edit.replace", { path: "memory.txt", find: "one", replace: "two" });
await call("search.grep", { pattern: "nothing_has_this_name" });
const edited = growth();
for (let lap = 0; lap < 3; lap++) await call("shell.run", { command: `echo ${lap} > memory.txt` });
const commanded = growth();
await call("file.delete", { path: "memory.txt" });
await toolcrib.close();
console.log(
  JSON.stringify({ opened, "after an edit and a search": edited, "after three commands": commanded }),
);

async function call(name, input) {
  const result = await toolcrib.call(name, input);
  if (result.isError) throw new Error(`${name}: ${result.content}`);
}

function growth() {
  const [resident, heap, children] = now();
  return [resident - before[0], heap, children];
}

function now() {
  gc();
  const megabytes = 2 ** 20;
  const memory = process.memoryUsage();
  const children = childrenOf("self").reduce((sum, pid) => sum + anonymousMbOf(pid), 0);
  return [memory.rss / megabytes, (memory.heapUsed + memory.external) / megabytes, children];
}

function childrenOf(pid) {
  const own = readFileSync(`/proc/${pid}/task/${pid === "self" ? process.pid : pid}/children`, "utf8").trim();
  return own === "" ? [] : own.split(" ").flatMap((child) => [child, ...childrenOf(child)]);
}

function anonymousMbOf(pid) {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/RssAnon:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}
