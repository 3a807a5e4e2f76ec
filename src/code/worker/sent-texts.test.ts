import { expect, it } from "vitest";
import { SentTexts } from "./sent-texts.ts";

it("sends only the change of a text that its worker already has", () => {
  const sent = new SentTexts();
  const next = (text: string, process = 1, path = "a.ts") =>
    sent.next({ path, language: "typescript", text }, process, "changes").sent;
  const long = "x".repeat(2_000_000);
  expect([next("one"), next("one two"), next("one two", 2)]).toEqual([
    "one",
    { base: 1, start: 3, oldEnd: 3, text: " two" },
    "one two",
  ]);
  // Fewer long texts are remembered.
  next(long, 2, "long.ts");
  expect(next("one", 2)).toEqual({ base: 3, start: 3, oldEnd: 7, text: "" });
  next(long, 2, "longer.ts");
  expect([next(long, 2, "longer.ts"), next("one", 2), next(long, 2, "long.ts") === long]).toEqual([
    { base: 6, start: 2_000_000, oldEnd: 2_000_000, text: "" },
    { base: 5, start: 3, oldEnd: 3, text: "" },
    true,
  ]);
});
