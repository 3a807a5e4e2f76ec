/**
 * Changes files whose old contents do not fit on the disk; prints the result as JSON. Argument: the world's folder.
 */
import { openKeepFixture } from "./keep-world.ts";

const [home] = process.argv.slice(2) as [string];
const crib = await openKeepFixture(home);
const results: unknown[] = [];
for (const [tool, input] of [
  ["file.write", { path: "large.bin", content: "small" }],
  ["file.delete", { path: "large.bin" }],
  ["file.delete", { path: "large", recursive: true }],
  ["file.move", { from: "a.txt", to: "large.bin", replace: true }],
  ["edit.replace", { path: "large.bin", find: "the only line", replace: "" }],
  ["file.write", { path: "fits.txt", content: "small" }],
] as const)
  results.push((await crib.call(tool, input)).error?.code ?? "ok");
await crib.close();
process.stdout.write(JSON.stringify(results));
