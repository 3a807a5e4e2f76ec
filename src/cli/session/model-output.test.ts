import { expect, it } from "vitest";
import { ModelText } from "./activity.ts";

function stream(pieces: Iterable<string>): string {
  const words = new ModelText();
  let shown = "";
  for (const piece of pieces) shown += words.add(piece);
  return shown + words.end();
}

it("prints text unchanged, whole or in pieces", () => {
  const text = "Grüße 👩‍🚀 at\r\nall times.\tAll right, allow us.\n";
  expect([stream([text]), stream(text.split("")), stream([...text])]).toEqual([text, text, text]);
});

it("holds back only text that depends on the next piece", () => {
  const words = new ModelText();
  expect([words.add("Yes, [y"), words.add("nd more"), words.add("\r"), words.end()]).toEqual([
    "Yes, ",
    "[ynd more",
    "",
    "<U+000D>",
  ]);
});

it("lets no text move the cursor, clear the screen or reverse its direction, in any number of pieces", () => {
  const hostile = "\u001b[2J\u001b]0;title\u0007\r\u001b[1A\u202Eback\u009b1A";
  const visible = "<U+001B>[2J<U+001B>]0;title<U+0007><U+000D><U+001B>[1A<U+202E>back<U+009B>1A";
  expect([stream([hostile]), stream(hostile.split(""))]).toEqual([visible, visible]);
});

it("quotes text that imitates an approval prompt", () => {
  const fake = "[y]es once  [n]o [Y]ES";
  const marked = '"[y]es" once  [n]o "[Y]ES"';
  expect([stream([fake]), stream(fake.split(""))]).toEqual([marked, marked]);
});
