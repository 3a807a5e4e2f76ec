import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it } from "vitest";
import { isInstalled } from "../../../test/support/shells/is-installed.ts";
import { giveUp, opening, shellArguments } from "./driver.ts";

it.runIf(isInstalled("bash"))("ignores the cancel signal while it reads", async () => {
  const shell = spawn("bash", shellArguments, { stdio: ["pipe", "pipe", "ignore"] });
  shell.stdin.write(opening);
  const reply = async () => String((await once(shell.stdout, "data"))[0]);
  expect(await reply()).toBe(`${shell.pid}\0`);
  const codes: string[] = [];
  for (let round = 0; round < 20; round += 1) {
    process.kill(shell.pid!, giveUp);
    shell.stdin.write("\\builtin printf '%s\\0' \"$?\" >&190\n");
    codes.push(await reply());
  }
  shell.stdin.end();
  expect([codes, await once(shell, "exit")]).toEqual([Array(20).fill("0\0"), [0, null]]);
});
