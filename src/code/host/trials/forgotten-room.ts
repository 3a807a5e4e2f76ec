/** Reads something and ends without a word to the host. Prints who that was. */
import { readdirSync, readFileSync } from "node:fs";
import { openCode } from "../../open-code.ts";

const code = openCode({ workspace: "/", directory: "/nowhere", guard: () => undefined });
const { signal } = new AbortController();
await code.outline({ path: "a.json", text: "[]" }, { signal });
const children = readdirSync("/proc").filter((pid) => {
  try {
    return (
      readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)!.split(" ")[1] === String(process.pid)
    );
  } catch {
    return false;
  }
});
console.log(JSON.stringify(children.map(Number)));
