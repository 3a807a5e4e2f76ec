import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { sessionOnLoopback } from "../../../test/agent/session-on-loopback.ts";
import type { ScriptedReply } from "../../../test/providers/provider-server.ts";
import type { Message } from "../../models/message.ts";
import type { Tool } from "../../toolcrib/index.ts";
import { oldImages } from "./clear-images.ts";

const photo = readFileSync(new URL("../../../test/samples/documents/photo.png", import.meta.url));
const base64 = photo.toString("base64");

/** Shows the photo, or another image. */
function pictureTool(shown = base64): Tool<{ number?: number | undefined }, null> {
  return {
    name: "picture",
    description: "Shows a picture.",
    risk: "read",
    input: z.strictObject({ number: z.optional(z.number()) }),
    limits: { maxChars: 1_000, keep: "head" },
    accesses: () => [],
    run: async () => ({ data: null, text: "Here.", images: [{ mediaType: "image/png", base64: shown }] }),
  };
}

const see: ScriptedReply = { calls: [{ name: "picture", input: {} }] };

describe("a session with images", () => {
  it.each(["anthropic", "openai", "google"] as const)(
    "asks %s again without the new images when it refuses a request with them",
    async (kind) => {
      const refusal = { fault: { status: 400, body: { error: { message: "Could not process image" } } } };
      const { session, events, server, close } = await sessionOnLoopback([see, refusal, { text: "Done." }], {
        kind,
        tools: [pictureTool()],
        server: { strict: false },
      });
      const result = await session.run("Look.").result;
      expect([result.outcome, result.text]).toEqual(["completed", "Done."]);
      const warnings = events.flatMap((event) => (event.type === "warning" ? [event.message] : []));
      expect(warnings.at(-1)).toMatch(
        /^The provider refused the request \(.*\)\. 1 new image was removed from it\.$/,
      );
      expect(JSON.stringify(server.requests.at(-1))).not.toContain(base64.slice(0, 100));
      const [answer] = session.messages.flatMap((message) =>
        message.role === "tool" ? message.answers : [],
      );
      expect(answer).toMatchObject({
        content:
          "Here.\n[The provider refused the request with the images of this result, so they were removed.]",
        images: [],
      });
      await close();
    },
  );

  it("fails as usual when the provider refuses a request without new images", async () => {
    const refusal = { fault: { status: 400, body: { error: { message: "No." } } } };
    const { session, close } = await sessionOnLoopback([refusal], { server: { strict: false } });
    expect((await session.run("Look.").result).error?.code).toBe("bad-request");
    await close();
  });

  it("does not send an image that providers would refuse", async () => {
    const { session, close } = await sessionOnLoopback([see, { text: "Done." }], {
      tools: [pictureTool(photo.subarray(0, -6).toString("base64"))],
    });
    await session.run("Look.").result;
    const [answer] = session.messages.flatMap((message) => (message.role === "tool" ? message.answers : []));
    expect(answer).toMatchObject({
      content:
        "Here.\n[An image is not shown: it is damaged: its end is missing. Make a smaller or valid copy with a command to see it.]",
      images: [],
    });
    expect(await close()).toEqual([]);
  });

  it("keeps at most 20 images, and never removes new ones", { tags: "slow" }, async () => {
    const { session, close } = await sessionOnLoopback(
      (request) => {
        const number = request.messages.filter(({ role }) => role === "assistant").length;
        return number < 25 ? { calls: [{ name: "picture", input: { number } }] } : { text: "Done." };
      },
      { tools: [pictureTool()], server: { strict: false } },
    );
    await session.run("Look.").result;
    const kept = session.messages.flatMap((message) => (message.role === "tool" ? message.answers : []));
    const withImages = kept.filter(({ images }) => images.length > 0).length;
    expect(withImages).toBeLessThanOrEqual(20);
    expect(kept.at(-1)?.images).toHaveLength(1);
    expect(kept[0]?.content).toContain("Its images were removed to save space");
    await close();
  });

  it("chooses the oldest images until half of the limit is left", () => {
    const reply: Message = { role: "assistant", model: "a/b", content: [] };
    const answer = (id: string): Message => ({
      role: "tool",
      answers: [{ id, name: "x", content: "", isError: false, images: [{ mediaType: "image/png", base64 }] }],
    });
    const rounds = (count: number) =>
      Array.from({ length: count }, (_, index) => [reply, answer(`${index + 1}`)]).flat();
    expect(oldImages(rounds(20))).toEqual([]);
    expect(oldImages(rounds(21)).map(({ id }) => id)).toEqual(
      Array.from({ length: 11 }, (_, index) => `${index + 1}`),
    );
  });
});
