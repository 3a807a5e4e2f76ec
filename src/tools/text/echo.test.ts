import { expect, it } from "vitest";
import { toolRoom } from "../../../test/support/tool-room.ts";
import { textEcho } from "./echo.ts";

it.each(["", "hello", " a\r\n\tb\0\u{1f600}\n", "é\u0301 \ufeff"])("gives back %j as it is", async (text) => {
  await using room = toolRoom();
  expect(await room.run(textEcho, { text })).toEqual({ data: { text }, text });
  expect(textEcho.accesses({ text })).toEqual([]);
});
