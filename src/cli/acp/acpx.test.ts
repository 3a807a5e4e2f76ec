/** @module-tag slow */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { launcher } from "../../../test/support/built-program.ts";
import { cliWithModel } from "../../../test/support/cli-with-model.ts";
import { isAlive } from "../../../test/support/is-alive.ts";
import { isLong } from "../../../test/support/repetitions.ts";

const acpx = join(import.meta.dirname, "../../../node_modules/acpx/dist/cli.js");

it("works with acpx, a client from npm", async () => {
  await using fixture = await cliWithModel(({ messages }) => {
    const { role, text } = messages.at(-1)!;
    if (role !== "user") return { text: "That was it." };
    const cmd = `echo $PPID > ${text}; echo from the command`;
    return { text: "I run it.", calls: [{ name: "exec_command", input: { cmd } }] };
  });
  const words = [process.execPath, launcher, "acp", "--sandbox", "none"];
  const agent = words.map((word) => JSON.stringify(word)).join(" ");
  const run = async (policy: string, prompt: string) => {
    const { workspace, home, env } = fixture;
    const child = spawn(
      process.execPath,
      [acpx, "--agent", agent, "--cwd", workspace, policy, "exec", prompt],
      {
        cwd: workspace,
        env: { ...env, HOME: home },
      },
    );
    child.stdin.end();
    const [shown, [exit]] = await Promise.all([text(child.stdout), once(child, "close")]);
    return { exit, shown };
  };
  const approved = await run("--approve-all", "approved");
  expect([approved.exit, approved.shown]).toEqual([
    0,
    expect.stringMatching(/I run it\..*\(completed\).*from the command.*That was it\..*\[done\] end_turn/s),
  ]);
  // The parent of the command was `toolcrib acp`.
  expect(isAlive(Number(fixture.read("approved")))).toBe(false);
  // The tests of our own client show denied calls.
  if (!isLong) return;
  const denied = await run("--deny-all", "denied");
  expect([denied.shown, existsSync(join(fixture.workspace, "denied"))]).toEqual([
    expect.stringMatching(/\(failed\).*That was it\./s),
    false,
  ]);
});
