import { spawn } from "node:child_process";
import { once } from "node:events";
import { rgPath } from "@vscode/ripgrep";
import type { Contender } from "./harness.ts";

/** The flags that a careful tool uses: plain text, and never a whole line of 200 MB. */
export const lineFlags: readonly string[] = [
  ...["--line-number", "--no-heading", "--null", "--no-config"],
  ...["--max-columns", "500", "--max-columns-preview"],
];

/** Starts ripgrep in `cwd` and counts the lines it prints. Stops at `stopAt`. */
export function ripgrep(
  cwd: string,
  args: readonly string[],
  { stopAt = Number.POSITIVE_INFINITY } = {},
): Contender {
  let exit: Promise<unknown>;
  return {
    run: async () => {
      const child = spawn(rgPath, args, { cwd, stdio: ["ignore", "pipe", "ignore"] });
      exit = once(child, "exit");
      let lines = 0;
      for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
        for (let at = chunk.indexOf(10); at !== -1 && lines < stopAt; at = chunk.indexOf(10, at + 1)) lines++;
        if (lines < stopAt) continue;
        child.kill("SIGKILL");
        break;
      }
      return lines;
    },
    settle: () => exit,
  };
}

/** The files that ripgrep lists, relative to `cwd`. */
export async function ripgrepFiles(cwd: string, args: readonly string[]): Promise<string[]> {
  const child = spawn(rgPath, ["--files", "--no-config", ...args], {
    cwd,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const exit = once(child, "exit");
  const chunks: Buffer[] = [];
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) chunks.push(chunk);
  await exit;
  return Buffer.concat(chunks).toString("utf8").split("\n").slice(0, -1);
}
