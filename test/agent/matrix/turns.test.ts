import { describe, expect, it } from "vitest";
import type { AgentEvent } from "../../../src/agent/event.ts";
import { runningWith } from "./running-with.ts";
import { describeSides, sides } from "./sides.ts";
import { completed, openStage, type Play } from "./stage.ts";

describe.each(sides)("$name", (side) => {
  it("makes several calls of one reply, with writes in order", async () => {
    const stage = await openStage(
      side,
      (words) => [
        {
          text: "All of it.",
          calls: [
            words.read("a.txt"),
            words.read("b.txt"),
            ...["one", "two", "three"].map((word) => words.shell(`echo ${word} >> log.txt`)),
            words.read("log.txt"),
          ],
        },
        { text: "All done." },
      ],
      { files: { "a.txt": "alpha\n", "b.txt": "beta\n" } },
    );
    expect(await stage.ask("Do all of it")).toEqual(completed("All done.", { rounds: 2, calls: 6 }));
    expect(stage.file("log.txt")).toBe("one\ntwo\nthree\n");
    const answers = stage.answers();
    expect([answers[0], answers[1], answers[5]]).toEqual(
      ["alpha", "beta", "three"].map((word) => expect.stringContaining(word)),
    );
  });

  it("uses more effort from the next round on, without changing earlier messages", async () => {
    const stage = await openStage(
      side,
      (words) => [
        { reasoning: "Easy.", calls: [words.shell("pwd")] },
        { reasoning: "Hm.", text: "Done." },
        { reasoning: "Well, well.", text: "Done again." },
      ],
      { reasoning: "low" },
    );
    expect(await stage.ask("Think")).toEqual(completed("Done.", { rounds: 2, calls: 1 }));
    await stage.session.use({ reasoning: "high" });
    expect(await stage.ask("Think harder")).toEqual(
      completed("Done again.", { turn: 2, rounds: 1, calls: 0 }),
    );
    // For most models on Ollama, thinking can only be turned on or off.
    const efforts = side.kind === "ollama" ? ["true", "true", "true"] : ["low", "low", "high"];
    expect(stage.server.requests.map(({ reasoning }) => reasoning)).toEqual(efforts);
  });
});

describeSides("session", (side) => {
  it("is steered between two rounds, and gets a follow-up after the end", async () => {
    const stage = await openStage(side, (words) => ({ messages }) => {
      const lastText = messages.at(-1)!.text;
      if (messages.length === 1) {
        stage.session.steer("In French, please.");
        stage.session.followUp("And thank her.");
        return { text: "I look around.", calls: [words.shell("pwd")] };
      }
      if (lastText.includes("In French")) return { text: "Bonjour." };
      return { text: lastText.includes("thank") ? "Merci." : "Hello." };
    });
    expect(await stage.ask("Greet her")).toEqual(completed("Bonjour.", { rounds: 2, calls: 1 }));
    const ends = stage.events.filter((event) => event.type === "turn-end");
    expect(ends.map(({ turn, outcome, text }) => ({ turn, outcome, text }))).toEqual([
      { turn: 1, outcome: "completed", text: "Bonjour." },
      { turn: 2, outcome: "completed", text: "Merci." },
    ]);
  });

  it("is stopped during a reply, and continues", async () => {
    const stage = await openStage(side, () => ({ number }) => {
      if (number > 1) return { text: "Short, then." };
      setTimeout(() => void stage.session.abort(), 100);
      return { text: "Once upon a time there was a long story", fault: "hang-during" };
    });
    const { outcome } = await stage.ask("Tell me a story");
    expect(outcome).toBe("aborted");
    expect(await stage.ask("Shorter")).toEqual(completed("Short, then.", { turn: 2, rounds: 1, calls: 0 }));
    expect(stage.server.requests.map(({ aborted }) => aborted)).toEqual([true, false]);
  });

  it("is stopped during a command, which ends, and continues", async () => {
    const seconds = `3000.${Math.floor(Math.random() * 1e9)}`;
    const stage = await openStage(side, (words) => [
      { calls: [words.shell(`sleep ${seconds}`), words.shell("echo never > never.txt")] },
      { text: "As you like." },
    ]);
    const stop = stage.session.on((event) => {
      if (event.type !== "tool-start") return;
      stop();
      setTimeout(() => void stage.session.abort(), 100);
    });
    const { outcome, calls } = await stage.ask("Run it");
    expect({ outcome, calls }).toEqual({ outcome: "aborted", calls: 2 });
    expect(runningWith(seconds)).toEqual([]);
    expect(() => stage.file("never.txt")).toThrow();
    expect(await stage.ask("Enough")).toEqual(completed("As you like.", { turn: 2, rounds: 1, calls: 0 }));
  });

  it("is stopped at any moment, repeatedly, and continues", { tags: "slow" }, async () => {
    const play: Play = (words) => (request) => {
      const [task] = /Task \d+$/.exec(request.messages.at(-1)!.text) ?? [];
      if (task === undefined) return { reasoning: "Fine.", text: "All is well." };
      const calls = [words.shell(`echo ${task} >> log.txt`), words.shell(`echo ${task}`)];
      return { reasoning: `About ${task}.`, text: `I do ${task}.`, calls };
    };
    const stage = await openStage(side, play, { reasoning: "low" });
    for (const [index, moment] of moments.entries()) {
      const stop = stage.session.on((event) => {
        if (event.type === moment) void stage.session.abort();
      });
      const { turn, outcome } = await stage.ask(`Task ${index + 1}`);
      stop();
      expect({ moment, turn, outcome }).toEqual({ moment, turn: index + 1, outcome: "aborted" });
    }
    const last = moments.length + 1;
    expect(await stage.ask("Is all well?")).toEqual(
      completed("All is well.", { turn: last, rounds: 1, calls: 0 }),
    );
  });
});

/** The events of a turn at which a user may stop it. */
const moments: readonly AgentEvent["type"][] = [
  "turn-start",
  "user-input",
  "round-start",
  "reasoning-start",
  "reasoning-delta",
  "reasoning-end",
  "text-start",
  "text-delta",
  "text-end",
  "reply-end",
  "usage",
  "tool-start",
  "tool-end",
];
