import { describe, expect, it } from "vitest";
import type { Fault } from "../../providers/provider-server.ts";
import { withEnoughTime } from "../../support/enough-time.ts";
import { type Side, sides } from "./sides.ts";
import { completed, openStage } from "./stage.ts";

/**
 * Faults before the reply, after which the same request is repeated. Every provider is asked by the same function, which
 * src/agent/failures.test.ts tests with all of them.
 */
const beforeReply: readonly Fault[] = [
  { status: 429 },
  { status: 429, retryAfter: "0.01" },
  { status: 500 },
  { status: 503 },
  "drop-before-headers",
];

/** Faults in the reply, which each protocol reports in its own way. */
const withinReply: readonly Fault[] = [
  "cut-in-text",
  "cut-in-arguments",
  "end-in-text",
  "end-in-arguments",
  "no-terminal-event",
  "error-event",
  "empty",
];

describe.each(sides)("$name", (side) => {
  // The tests of models have all faults with every provider but Ollama, and the tests of failures have all with openai.
  const shownHere = [
    ...(side === sides[0] ? beforeReply.slice(0, 1) : []),
    ...(side.kind === "ollama" ? withinReply : withinReply.slice(0, 2)),
  ];

  for (const fault of [...beforeReply, ...withinReply]) {
    const tags = shownHere.includes(fault) ? [] : ["slow"];
    it(`retries after ${JSON.stringify(fault)}, and makes no call of the broken reply`, {
      tags,
    }, async () => {
      const stage = await openStage(side, (words) => [
        {
          text: "I shall do something now",
          calls: [words.create("broken.txt", "no\n")],
          fault: faultOf(side, fault),
        },
        { text: "I do it.", calls: [words.create("whole.txt", "yes\n")] },
        { text: "Done." },
      ]);
      expect(await stage.ask("Do it")).toEqual(completed("Done.", { rounds: 2, calls: 1 }));
      expect(stage.files()).toEqual(["whole.txt"]);
      expect(stage.file("whole.txt")).toBe("yes\n");
      const retries = stage.events.filter((event) => event.type === "retry");
      expect(retries.map(({ attempt }) => attempt)).toEqual([1]);
    });
  }

  it.each(["hang-before", "hang-during"] as const)(
    "times out after %s, and retries",
    { tags: "slow" },
    async (fault) => {
      // On a busy machine the next answer also takes long, and is waited for longer.
      const next = Array.from({ length: 6 }, () => ({ text: "Here." }));
      const [{ outcome, retries }] = await withEnoughTime(
        300,
        async (silenceMs) => {
          const limits = { silenceMs };
          const stage = await openStage(side, () => [{ text: "I am about to", fault }, ...next], { limits });
          const outcome = await stage.ask("Speak");
          return { outcome, retries: stage.events.filter((event) => event.type === "retry") };
        },
        ({ retries }) => retries.length <= 1,
      );
      expect(outcome).toEqual(completed("Here.", { rounds: 1, calls: 0 }));
      expect(retries.map(({ code }) => code)).toEqual(["timeout"]);
    },
  );

  it("does not retry with a wrong key, and can continue", async () => {
    const stage = await openStage(side, () => [{ fault: { status: 401 } }, { text: "Here." }]);
    const { outcome, error, rounds } = await stage.ask("Speak");
    expect({ outcome, kind: error?.code, rounds }).toEqual({ outcome: "failed", kind: "auth", rounds: 1 });
    expect(await stage.ask("Speak")).toEqual(completed("Here.", { turn: 2, rounds: 1, calls: 0 }));
  });

  it("does not wait when the provider asks for too long a wait", async () => {
    const stage = await openStage(side, () => [{ fault: { status: 429, retryAfter: "86400" } }]);
    const { outcome, error } = await stage.ask("Speak");
    expect({ outcome, kind: error?.code }).toEqual({ outcome: "failed", kind: "rate-limit" });
  });

  it("reads a reply that arrives one byte at a time", async () => {
    const poem = "Grüße, 世界 🎉\n";
    const stage = await openStage(
      side,
      (words) => [
        { reasoning: "Über …", text: "Schön 🎈:", calls: [words.create("poem.txt", poem)] },
        { text: "Fertig 🏁." },
      ],
      { chunks: "bytes" },
    );
    expect(await stage.ask("Schreib")).toEqual(completed("Fertig 🏁.", { rounds: 2, calls: 1 }));
    expect(stage.file("poem.txt")).toBe(poem);
  });
});

/** In the text protocol, arguments are text. */
function faultOf({ protocol }: Side, fault: Fault): Fault {
  if (protocol === "native") return fault;
  if (fault === "cut-in-arguments") return "cut-in-text";
  return fault === "end-in-arguments" ? "end-in-text" : fault;
}
