/** The program of a host: answers the process that started it, and ends with it. */
import { Channel } from "./channel.ts";
import { readingService } from "./reading.ts";

const channel = new Channel((message) => {
  if (process.memoryUsage.rss() > mostMemory) retire();
  send(message);
}, readingService(retire));

process.on("message", (message) => channel.receive(message));
process.on("disconnect", () => process.exit());
// Ctrl-C in a terminal reaches us too; whoever started us decides what it means.
process.on("SIGINT", () => {});

/** WebAssembly never gives memory back. */
const mostMemory = 1_000_000_000;

/** Asks to be asked no more: another process is started in place of this one. */
function retire(): void {
  send("retire");
}

function send(message: unknown): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
}
