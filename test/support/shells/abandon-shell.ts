// Starts a shell in the given workspace, prints how to join it, and waits to be killed.
import { openLocalEnvironment } from "../../../src/environment/local/local-environment.ts";
import { openShells } from "../../../src/environment/shells/open-shells.ts";

const environment = openLocalEnvironment({ workspace: process.argv[2]! });
const shells = openShells({ tmux: "auto" });
const { signal } = new AbortController();
const running = await shells.forCall({ environment }).run("main", { command: "echo $$", signal });
const pieces: string[] = [];
for await (const piece of running.stdout) pieces.push(Buffer.from(piece).toString());
await running.exit;
console.log(JSON.stringify({ shell: Number(pieces.join("")), attach: running.attach }));
setInterval(() => {}, 1000);
