import { expect, it } from "vitest";
import type { ProviderKind } from "../providers/provider-server.ts";
import { sessionOnLoopback } from "./session-on-loopback.ts";

const act = (tool: string, args: object) => JSON.stringify({ action: "tool_call", tool, args });

it.each<ProviderKind>(["openai", "openai-chat", "anthropic", "google", "openrouter", "ollama"])(
  "works by actions with the quirks of a model of %s",
  async (kind) => {
    const script = [
      { reasoning: "Hm.", text: `I look.\n\`\`\`json\n${act("read_file", { path: "a.txt" })}\n\`\`\`` },
      {
        reasoning: "So.",
        text: `${act("write_file", { path: "b.txt", content: "é\n" })}\n${act("nothing", {})}`,
      },
      { text: 'Now: {"action": "tool_call", "tool": }' },
      { text: "It is made, I think." },
      { text: '{"action": "done", "summary": "Made b.txt."}' },
    ];
    const { session, events, server, close } = await sessionOnLoopback(script, {
      kind,
      protocol: "text",
      dialect: "surgical",
      reasoning: "medium",
      files: { "a.txt": "hello" },
    });
    const { outcome, rounds, calls } = await session.run("Make b.txt.").result;
    const shown = events.flatMap((event) => (event.type === "text-end" ? [event.text] : []));
    const ended = events.flatMap((event) =>
      event.type === "tool-end" ? [`${event.name}${event.isError ? " failed" : ""}`] : [],
    );
    const last = server.requests.at(-1)?.messages.map(({ role }) => role);
    expect([outcome, rounds, calls, shown, ended, last, await close()]).toEqual([
      "completed",
      5,
      3,
      ["I look.", "Now:", "It is made, I think.", "Made b.txt."],
      ["read_file", "write_file", "nothing failed"],
      ["user", "assistant", "user", "assistant", "user", "assistant", "user", "assistant", "user"],
      [],
    ]);
  },
);
