/** Reads something and ends without a word to the host. Prints who that was. */

import { childProcesses } from "../../../hosts/trials/child-processes.ts";
import { openCode } from "../../open-code.ts";

const code = openCode({ workspace: "/", directory: "/nowhere", guard: () => undefined });
const { signal } = new AbortController();
await code.outline({ path: "a.json", text: "[]" }, { signal });
console.log(JSON.stringify(childProcesses()));
