import { expect, it } from "vitest";
import { cliRoom } from "../../test/support/cli-room.ts";
import { hasTerminals } from "../../test/support/pseudo-terminal.ts";

const control = "\u001b[2J";
const shown = "<U+001B>[2J";

it.skipIf(!hasTerminals)("makes control characters in a hint visible on a terminal", async () => {
  await using room = cliRoom();
  room.write(`odd${control}/.env`, "KEY=1\n");
  const words = ["call", "file.read", "--path", `odd${control}/.env`];
  const { screen } = await room.onTerminal(words, []);
  expect(screen).toContain(`'open odd${shown}/.env'`);
  expect(screen).not.toContain(control);
});

it("passes the bytes of a hint unchanged to a program", async () => {
  await using room = cliRoom();
  room.write(`odd${control}/.env`, "KEY=1\n");
  const { stderr } = await room.run("call", "file.read", "--path", `odd${control}/.env`);
  expect(stderr).toContain(`'open odd${control}/.env'`);
});
