/** Parses something and ends without stopping its worker. Prints the process id of that worker. */

import { openCode } from "../../../src/code/open-code.ts";
import { childProcesses } from "../workers/child-processes.ts";

const code = openCode({
  workspace: "/",
  directory: "/nowhere",
  reads: () => ({ key: "", guard: () => undefined }),
});
const { signal } = new AbortController();
await code.outline({ path: "a.json", text: "[]" }, { signal });
console.log(JSON.stringify(childProcesses()));
