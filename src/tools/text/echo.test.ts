import { expect, it } from "vitest";
import { toolFixture } from "../../../test/support/tool-fixture.ts";
import { textEcho } from "./echo.ts";

it.each(["", "hello", " a\r\n\tb\0\u{1f600}\n", "é\u0301 \ufeff"])("returns %j unchanged", async (text) => {
  await using opened = toolFixture();
  expect(await opened.run(textEcho, { text })).toEqual({ data: { text }, text });
  expect(textEcho.accesses({ text })).toEqual([]);
});
