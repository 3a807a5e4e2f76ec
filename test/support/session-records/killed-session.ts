/**
 * A session that kills its own process at one moment. Arguments: JSON of the options of createSession, the moment,
 * the task. Prints the id of the session first.
 */
import { writeSync } from "node:fs";
import { createSession } from "../../../src/agent/create-session.ts";
import { noteTool } from "./note-tool.ts";

const [options, moment, task] = process.argv.slice(2) as [string, string, string];

function die(now: string): void {
  if (now === moment) process.kill(process.pid, "SIGKILL");
}

const session = await createSession({
  ...JSON.parse(options),
  tools: [noteTool(die)],
  hooks: {
    PreToolUse: ({ input }) => {
      die(`before ${(input as { text: string }).text}`);
      return undefined;
    },
    PostToolUse: ({ input }) => {
      die(`after ${(input as { text: string }).text}`);
      return undefined;
    },
  },
});
writeSync(1, session.id);
session.on((event) => {
  die(event.type === "tool-end" ? `told ${event.output}` : event.type);
});
await session.run(task).result;
await session.close();
