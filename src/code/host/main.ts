/** The program of a host: answers the process that started it, and ends with it. */
import { Channel } from "./channel.ts";
import { readingService } from "./reading.ts";

const channel = new Channel((message) => {
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
}, readingService());

process.on("message", (message) => channel.receive(message));
process.on("disconnect", () => process.exit());
// Ctrl-C in a terminal reaches us too; whoever started us decides what it means.
process.on("SIGINT", () => {});
