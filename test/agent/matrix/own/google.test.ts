import { expect, it } from "vitest";
import type { Json } from "../../../providers/json.ts";
import { completed, openStage } from "../stage.ts";
import { picture, sideOf } from "./side.ts";

const side = sideOf("google");

it("sends signatures back in place, over rounds and turns", async () => {
  const stage = await openStage(side, (words) => [
    {
      reasoning: "All.",
      text: "All of it.",
      calls: ["one", "two", "three"].map((word) => words.shell(`echo ${word}`)),
    },
    { calls: [words.shell("echo four")] },
    { reasoning: "Fine.", text: "Done." },
    { text: "Still." },
  ]);
  expect(await stage.ask("Do it")).toEqual(completed("Done.", { rounds: 3, calls: 4 }));
  expect(await stage.ask("Again")).toEqual(completed("Still.", { turn: 2, rounds: 1, calls: 0 }));
  const { contents } = stage.server.requests[3]!.body as Json;
  const signed = contents.map(
    ({ parts }: Json) => parts.filter((part: Json) => part.thoughtSignature).length,
  );
  expect(signed).toEqual([0, 1, 0, 1, 0, 1, 0]);
});

it("keeps calls without ids apart", async () => {
  const stage = await openStage(side, (words) => [
    {
      calls: [words.shell("echo one >> log.txt"), words.shell("echo two >> log.txt")],
      fault: "no-ids",
    },
    { calls: [words.shell("echo three >> log.txt")], fault: "no-ids" },
    { text: "Done." },
  ]);
  expect(await stage.ask("Do it")).toEqual(completed("Done.", { rounds: 3, calls: 3 }));
  expect(stage.file("log.txt")).toBe("one\ntwo\nthree\n");
});

it("is told that a call after its text could not be read, and repeats it", async () => {
  const stage = await openStage(side, (words) => {
    const call = words.shell("echo one >> log.txt");
    return [
      { reasoning: "Now.", text: "I run it.", calls: [{ ...call, raw: "{command" }] },
      { calls: [call] },
      { text: "Done." },
    ];
  });
  const { outcome, text, calls } = await stage.ask("Do it");
  expect({ outcome, text, calls }).toEqual({ outcome: "completed", text: "Done.", calls: 1 });
  expect(stage.file("log.txt")).toBe("one\n");
  expect(stage.server.requests[1]!.messages.at(-1)).toEqual({
    role: "user",
    text: expect.stringContaining("Malformed function call"),
  });
  expect(stage.events.filter(({ type }) => type === "retry")).toEqual([]);
});

it("reports a blocked prompt, and can continue", async () => {
  const stage = await openStage(side, () => [{ text: "", fault: "blocked-prompt" }, { text: "Here." }]);
  const { outcome, error } = await stage.ask("Say something bad");
  expect({ outcome, kind: error?.code }).toEqual({ outcome: "failed", kind: "bad-request" });
  expect(await stage.ask("Something else")).toEqual(completed("Here.", { turn: 2, rounds: 1, calls: 0 }));
});

it("waits as long as the error body asks", { tags: "slow" }, async () => {
  const stage = await openStage(
    side,
    () => [{ fault: { status: 429, retryAfter: "0.3" } }, { text: "Here." }],
    {
      limits: { retryWaitMs: 60_000 },
    },
  );
  expect(await stage.ask("Speak")).toEqual(completed("Here.", { rounds: 1, calls: 0 }));
  const retries = stage.events.filter((event) => event.type === "retry");
  expect(retries.map(({ code, waitMs }) => [code, waitMs >= 300 && waitMs < 1_000])).toEqual([
    ["rate-limit", true],
  ]);
});

it.each(["gemini-3.1-pro-preview", "gemini-2.5-flash"])("sends images to %s", async (model) => {
  const stage = await openStage(side, (words) => [{ calls: [words.read("red.png")] }, { text: "Red." }], {
    files: { "red.png": picture },
    served: [model],
  });
  expect(await stage.ask("What colour?")).toEqual(completed("Red.", { rounds: 2, calls: 1 }));
  const { contents } = stage.server.requests[1]!.body as Json;
  expect(JSON.stringify(contents.slice(2))).toContain('"mimeType":"image/png"');
});

it("continues with another model, and switches back", { tags: "slow" }, async () => {
  const stage = await openStage(
    side,
    (words) => [
      { reasoning: "One.", calls: [words.shell("echo one")] },
      { text: "Done." },
      { reasoning: "Two.", calls: [words.shell("echo two")] },
      { text: "Also done." },
      { text: "Back." },
    ],
    { reasoning: "low" },
  );
  expect(await stage.ask("Do it")).toEqual(completed("Done.", { rounds: 2, calls: 1 }));
  await stage.session.use({ model: "google/gemini-2.5-flash", reasoning: "high" });
  stage.server.forget();
  expect(await stage.ask("Go on")).toEqual(completed("Also done.", { turn: 2, rounds: 2, calls: 1 }));
  await stage.session.use({ model: stage.server.model });
  stage.server.forget();
  expect(await stage.ask("Come back")).toEqual(completed("Back.", { turn: 3, rounds: 1, calls: 0 }));
});

it("counts reasoning tokens and cached tokens", async () => {
  const usage = { input: 1000, cached: 600, output: 50, reasoning: 20 };
  const stage = await openStage(side, () => [{ reasoning: "Hm.", text: "Here.", usage }]);
  await stage.ask("Speak");
  expect(stage.session.usage).toEqual({ ...usage, cacheWritten: 0 });
});
