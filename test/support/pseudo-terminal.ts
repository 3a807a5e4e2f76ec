import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { toCommandLine } from "../../src/lib/text/shell-quote.ts";

/** Whether a program can get a terminal here, through `script` of util-linux. */
export const hasTerminals: boolean =
  spawnSync("script", ["-qec", "true", "/dev/null"], { stdio: "ignore" }).status === 0;

export interface TerminalRun {
  /** The input, each part typed as soon as the screen shows the text before it. */
  readonly typed: readonly (readonly [shown: string, keys: string])[];
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** Runs a program on its own terminal, 80 columns wide; `screen` is everything that was written to it. */
export async function onTerminal(
  words: readonly string[],
  { typed, cwd, env = process.env }: TerminalRun,
): Promise<{ readonly exit: number | null; readonly screen: string }> {
  const line = `stty cols 80 rows 40 && exec ${toCommandLine(words)}`;
  const child = spawn("script", ["-qec", line, "/dev/null"], { cwd, env: { ...env, SHELL: "/bin/sh" } });
  const waiting = [...typed];
  let screen = "";
  let seen = 0;
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    screen += text;
    for (let next = waiting[0]; next && screen.indexOf(next[0], seen) >= 0; next = waiting[0]) {
      seen = screen.indexOf(next[0], seen) + next[0].length;
      child.stdin.write(next[1]);
      waiting.shift();
    }
  });
  const [exit] = await once(child, "close");
  return { exit, screen: screen.replaceAll("\r\n", "\n") };
}
