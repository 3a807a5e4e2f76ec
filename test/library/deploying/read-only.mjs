// Run with the permissions of an ordinary user: prints what happens when folders are read-only.
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openToolcrib } from "toolcrib";

const [folder] = process.argv.slice(2);
const workspace = join(folder, "work");
mkdirSync(workspace);
writeFileSync(join(workspace, "poem.txt"), "one\n");
chmodSync(workspace, 0o500);
mkdirSync(join(folder, "home"), { mode: 0o500 });
const refused = await openToolcrib({ workspace, stateDirectory: join(folder, "home/state") }).catch(
  (error) => error,
);
const toolcrib = await openToolcrib({ workspace, stateDirectory: join(folder, "state") });
const read = await toolcrib.call("file.read", { path: "poem.txt" });
const written = await toolcrib.call("file.write", { path: "new.txt", content: "" });
await toolcrib.close();
chmodSync(workspace, 0o700);
console.log(JSON.stringify([refused.code, refused.forUser, read.isError, written.error.code]));
