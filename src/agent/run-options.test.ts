import { describe, expect, it } from "vitest";
import * as z from "zod";
import { sessionOnLoopback } from "../../test/agent/session-on-loopback.ts";
import type { ProviderKind } from "../../test/providers/provider-server.ts";
import { checkHistory } from "../../test/support/check-history.ts";
import type { SessionHooks } from "./session-hooks.ts";

describe("system", () => {
  it("replaces the prompt, or changes the built one", async () => {
    const fixed = await sessionOnLoopback([{ text: "Yes." }], { system: "You are a pirate." });
    await fixed.session.run("Are you?").result;
    expect([fixed.session.system, fixed.server.requests[0]?.system]).toEqual([
      "You are a pirate.",
      "You are a pirate.",
    ]);
    const changed = await fixed.again({ system: (base) => `${base}\n\nYou are a pirate.` });
    expect(changed.system).toMatch(/\S[\s\S]+\n\nYou are a pirate\.$/);
    await expect(fixed.again({ system: (async () => "late") as never })).rejects.toMatchObject({
      code: "invalid-input",
    });
    expect(await fixed.close()).toEqual([]);
  });
});

describe("sampling", () => {
  const sampling = { temperature: 0.5, topP: 0.9, maxOutputTokens: 900, seed: 7, stop: ["END"] };
  const sent: Readonly<Record<Exclude<ProviderKind, "openrouter">, object>> = {
    openai: { max_output_tokens: 900 },
    "openai-chat": { temperature: 0.5, top_p: 0.9, max_tokens: 900, seed: 7, stop: ["END"] },
    anthropic: { max_tokens: 900, stop_sequences: ["END"] },
    google: {
      generationConfig: {
        temperature: 0.5,
        topP: 0.9,
        maxOutputTokens: 900,
        seed: 7,
        stopSequences: ["END"],
      },
    },
    ollama: { options: { temperature: 0.5, top_p: 0.9, num_predict: 900, seed: 7, stop: ["END"] } },
  };
  it.each(Object.keys(sent) as (keyof typeof sent)[])(
    "is sent to %s as far as its API has it, and the rest is a warning",
    async (kind) => {
      const { session, server, events, close } = await sessionOnLoopback([{ text: "Yes." }], {
        kind,
        sampling,
      });
      await session.run("Go.").result;
      const body = server.requests[0]?.body as object;
      expect(body).toMatchObject(sent[kind]);
      const warned = events.flatMap((event) => (event.type === "warning" ? [event.message] : []));
      const text = `${JSON.stringify(body)} ${warned.join(" ")}`;
      for (const name of [/temperature/, /top_?p/i, /seed/, /stop/]) expect(text).toMatch(name);
      expect(await close()).toEqual([]);
    },
  );

  it("is checked when the session opens", async () => {
    const wrong = [{ temperature: 3 }, { topP: -1 }, { seed: 1.5 }, { stop: "x" }, { maxOutputTokens: 0 }];
    const { again, close } = await sessionOnLoopback([]);
    for (const given of [...wrong, { effort: "high" }])
      await expect(again({ sampling: given as never })).rejects.toMatchObject({ code: "invalid-input" });
    expect(await close()).toEqual([]);
  });
});

describe("signal", () => {
  it("aborts its turn only, and the session can continue", async () => {
    const { session, close } = await sessionOnLoopback(
      [{ text: "Slow.", fault: "hang-during" }, { text: "Quick." }],
      { limits: { retries: 0 } },
    );
    const controller = new AbortController();
    session.on(({ type }) => void (type === "text-delta" && controller.abort()));
    const first = await session.run("One.", { signal: controller.signal }).result;
    expect(first.outcome).toBe("aborted");
    expect((await session.run("Two.").result).text).toBe("Quick.");
    expect((await session.run("Three.", { signal: controller.signal }).result).outcome).toBe("aborted");
    expect(session.state).toBe("idle");
    expect(checkHistory(session.messages)).toEqual([]);
    expect(await close()).toEqual([]);
  });
});

describe("output", () => {
  const Answer = z.object({ lines: z.number().int(), names: z.array(z.string()).default([]) });

  it("is the validated answer, typed by the schema", async () => {
    const { session, server, close } = await sessionOnLoopback([{ text: '{"lines": 3}' }]);
    const { output, text } = await session.run("Count.", { output: Answer }).result;
    const lines: number | undefined = output?.lines;
    expect([output, text, lines]).toEqual([{ lines: 3, names: [] }, '{"lines": 3}', 3]);
    expect(server.requests[0]?.body).toMatchObject({
      text: { format: { type: "json_schema", strict: false, schema: { type: "object" } } },
    });
    expect(await close()).toEqual([]);
  });

  it.each(["anthropic", "google", "ollama"] as const)(
    "gives a model of %s one more attempt, with the reason",
    async (kind) => {
      const { session, server, close } = await sessionOnLoopback(
        [{ text: "There are three." }, { text: '```json\n{"lines": 3}\n```' }],
        { kind },
      );
      const { output, rounds } = await session.run("Count.", { output: Answer }).result;
      expect([output, rounds]).toEqual([{ lines: 3, names: [] }, 2]);
      const asked = server.requests.map(({ messages }) => messages.at(-1)?.text ?? "");
      expect(asked[0]).toContain('"lines"');
      expect(asked[1]).toContain("it is not JSON");
      expect(await close()).toEqual([]);
    },
  );

  it("fails the turn after a second answer that does not match, and the next turn has no schema", async () => {
    const { session, close } = await sessionOnLoopback([
      { text: '{"lines": "many"}' },
      { text: '{"lines": 1.5}' },
      { text: "Plain." },
    ]);
    const schema = { type: "object", properties: { lines: { type: "integer" } }, required: ["lines"] };
    const { outcome, error, output } = await session.run("Count.", { output: schema }).result;
    expect([outcome, error?.code, output]).toEqual(["failed", "invalid-output", null]);
    expect(error?.message).toContain("lines");
    const next = await session.run("And now?").result;
    expect([next.outcome, next.text, "output" in next]).toEqual(["completed", "Plain.", false]);
    expect(await close()).toEqual([]);
  });

  it("takes Standard Schema, and refuses other things", async () => {
    const standard = {
      "~standard": {
        version: 1,
        vendor: "mine",
        validate: (value: unknown) => (value === 1 ? { value: "one" } : { issues: [{ message: "not 1" }] }),
        jsonSchema: { input: () => ({ const: 1 }) },
      },
    } as const;
    const { session, close } = await sessionOnLoopback([{ text: "1" }]);
    expect((await session.run("One?", { output: standard }).result).output).toBe("one");
    expect(() => session.run("Two?", { output: "object" as never })).toThrow("is not a schema");
    const unreadable = await session.run("Three?", { output: { if: {} } }).result;
    expect(unreadable).toMatchObject({ outcome: "failed", output: null });
    expect(await close()).toEqual([]);
  });

  it("works in the text protocol", async () => {
    const done = { action: "done", summary: '{"lines": 4}' };
    const { session, close } = await sessionOnLoopback([{ text: JSON.stringify(done) }], {
      dialect: "toolcrib",
      protocol: "text",
    });
    expect((await session.run("Count.", { output: Answer }).result).output).toEqual({ lines: 4, names: [] });
    expect(await close()).toEqual([]);
  });
});

describe("hooks", () => {
  const hooked = async (hooks: SessionHooks, replies: readonly string[] = ["One.", "Two."]) =>
    sessionOnLoopback(
      replies.map((text) => ({ text })),
      { hooks },
    );

  it("see and change each request, and see each reply", async () => {
    const seen: unknown[] = [];
    const { session, server, close } = await hooked({
      PreModelRequest: ({ model, purpose, request }) => {
        seen.push([model, purpose, request.messages.length]);
        return { request: { system: "Changed." } };
      },
      PostModelRequest: ({ request }, { message, reason }) => {
        seen.push([request.system, message.content.length, reason]);
      },
    });
    await session.run("Go.").result;
    expect(seen).toEqual([
      ["openai/gpt-5", "reply", 1],
      ["Changed.", 1, "stop"],
    ]);
    expect(server.requests[0]?.system).toBe("Changed.");
    expect(session.system).not.toBe("Changed.");
    expect(await close()).toEqual([]);
  });

  it("fail the turn when they block a request, a reply or a message", async () => {
    for (const name of ["PreModelRequest", "PostModelRequest", "UserPromptSubmit"] as const) {
      const { session, close } = await hooked({ [name]: () => ({ block: "Not today." }) });
      const { outcome, error } = await session.run("Go.").result;
      expect([outcome, error?.code, error?.message]).toEqual([
        "failed",
        "blocked",
        `The ${name} hook blocked this turn: Not today.`,
      ]);
      expect(checkHistory(session.messages)).toEqual([]);
      expect(await close()).toEqual([]);
    }
  });

  it("fail the turn when they throw, and never the session", { tags: "slow" }, async () => {
    const names = ["PreModelRequest", "PostModelRequest", "UserPromptSubmit", "Stop"] as const;
    for (const name of names) {
      let isBroken = true;
      const { session, close } = await hooked({
        [name]: () => {
          if (isBroken) throw new Error("no connection");
        },
      });
      const { outcome, error } = await session.run("Go.").result;
      expect([outcome, error?.message]).toEqual(["failed", `The ${name} hook failed: no connection`]);
      isBroken = false;
      expect((await session.run("Again.").result).outcome).toBe("completed");
      expect(await close()).toEqual([]);
    }
  });

  it("add context to a message, and keep the model from stopping", async () => {
    const stops: unknown[] = [];
    const { session, server, close } = await hooked({
      UserPromptSubmit: ({ text, turn }) => ({ context: `Turn ${turn} says ${text}` }),
      Stop: ({ text, isContinued }) => {
        stops.push([text, isContinued]);
        return isContinued ? undefined : { block: "Say more." };
      },
    });
    expect((await session.run("Go.").result).text).toBe("Two.");
    expect(stops).toEqual([
      ["One.", false],
      ["Two.", true],
    ]);
    const texts = server.requests[1]?.messages.map(({ text }) => text).join("|");
    expect(texts).toContain("[Hook: Turn 1 says Go.]");
    expect(texts).toContain("[Hook: Say more.]");
    expect(await close()).toEqual([]);
  });

  it("keep the conversation from being compacted", async () => {
    const asked: unknown[] = [];
    const { session, events, close } = await hooked({
      PreCompact: ({ trigger, window }) => {
        asked.push([trigger, typeof window]);
        return { block: "Keep it." };
      },
    });
    await session.run("Go.").result;
    expect(await session.compact()).toBe(false);
    expect(asked).toEqual([["manual", "number"]]);
    expect(events.find(({ type }) => type === "warning")).toMatchObject({
      message: "The conversation was not compacted: The PreCompact hook blocked it: Keep it.",
    });
    expect(await close()).toEqual([]);
  });
});
