/** A small offline agent: its model is a recording. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSession, recordedModel } from "toolcrib/agent";

const workspace = mkdtempSync(join(tmpdir(), "toolcrib example "));
writeFileSync(join(workspace, "poem.txt"), "Two roads diverged in a blue wood\n");

const correction = { path: "poem.txt", find: "blue", replace: "yellow" };
const model = recordedModel({
  name: "poet",
  replies: [
    { calls: [{ name: "file_read", input: { path: "poem.txt" } }] },
    { calls: [{ name: "edit_replace", input: correction }] },
    { text: "The wood is yellow." },
  ],
});

const stateDirectory = join(workspace, ".state");
const session = await createSession({ model, workspace, stateDirectory });
for await (const event of session.run("Correct the poem.")) {
  if (event.type === "tool-end") console.log(event.canonical);
  if (event.type === "text-end") console.log(event.text);
}
await session.close();
console.log(readFileSync(join(workspace, "poem.txt"), "utf8").trim());
rmSync(workspace, { recursive: true });
