/** Undo, redo, diff and the log, in the dialect of a model that has none of these tools. */
import { readFileSync } from "node:fs";
import { openToolcrib } from "toolcrib";

const toolcrib = await openToolcrib({ workspace: ".", dialect: "claude-code" });
const { callId } = await toolcrib.call("Edit", { file_path: "poem.txt", old_string: "two", new_string: "2" });
const { data } = await toolcrib.diff();
console.log(data?.files.map(({ path, after }) => `${path}: ${after.kind}`).join());
// prints: poem.txt: file
await toolcrib.undo({ call: callId });
console.log(readFileSync("poem.txt", "utf8").split("\n")[1]);
// prints: two
await toolcrib.redo();
console.log(readFileSync("poem.txt", "utf8").split("\n")[1]);
// prints: 2
console.log(
  toolcrib
    .log({ limit: 2 })
    .map(({ tool }) => tool)
    .join(),
);
// prints: journal.undo,journal.undo
await toolcrib.close();
