/** The tools whose work is done in other processes and threads, which get flags of their own. */
import { writeFileSync } from "node:fs";
import { openToolcrib } from "toolcrib";

writeFileSync(
  "door.ts",
  "/** Opens it. */\nexport function openDoor(key: string): boolean {\n  return key === '';\n}\n",
);
const toolcrib = await openToolcrib({ workspace: "." });
const found = await toolcrib.call("code.search", { query: "open a door" });
console.log(found.content.split(" ")[0]);
// prints: door.ts:1-4
const outline = await toolcrib.call("code.symbols", { path: "door.ts" });
console.log(outline.content.includes("openDoor(key: string): boolean"));
// prints: true
const script = await toolcrib.call("tools.script", {
  script: 'return (await tools.file.read({ path: "poem.txt" })).text.includes("two")',
});
console.log(script.content);
// prints: true
await toolcrib.close();
