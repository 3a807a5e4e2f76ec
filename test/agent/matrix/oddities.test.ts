import { expect, it } from "vitest";
import type { Fault, ProviderKind } from "../../providers/provider-server.ts";
import { sides } from "./sides.ts";
import { completed, openStage } from "./stage.ts";

/** Irregular replies that must still be accepted. */
const oddities: Readonly<Partial<Record<ProviderKind, readonly Fault[]>>> = {
  openai: ["text-after-calls", "one-piece-arguments", "changing-item-ids", "no-usage", "comments", "crlf"],
  "openai-chat": [
    "text-after-calls",
    "one-piece-arguments",
    "index-from-one",
    "no-usage",
    "comments",
    "crlf",
  ],
  anthropic: [
    ...(["text-after-calls", "one-piece-arguments", "no-usage", "comments", "crlf"] as const),
    ...(["redacted-reasoning", "start-twice"] as const),
  ],
  google: ["text-after-calls", "no-ids", "no-usage", "comments", "crlf"],
  ollama: ["text-after-calls", "no-usage", "crlf"],
  openrouter: ["text-after-calls", "one-piece-arguments", "index-from-one", "no-usage", "comments", "crlf"],
};

const odd = sides.flatMap((side) =>
  side.protocol === "native" ? (oddities[side.kind] ?? []).map((fault) => ({ side, fault })) : [],
);

/** The tests of models read these from every provider but Ollama, and OpenRouter sends the events of openai-chat. */
function isRepeated(kind: ProviderKind, fault: Fault): boolean {
  if (kind === "openrouter") return fault !== "comments";
  return kind !== "ollama" && (fault === "crlf" || fault === "one-piece-arguments");
}

for (const { side, fault } of odd) {
  const tags = isRepeated(side.kind, fault) ? ["slow"] : [];
  it(`accepts ${side.name} with ${fault}`, { tags }, async () => {
    const stage = await openStage(side, (words) => [
      {
        reasoning: "Think.\n\nThink again.",
        text: "Both.",
        calls: [words.create("one.txt", "one\n"), words.create("two.txt", "two\n")],
        fault,
      },
      { reasoning: "Well.", text: "Nearly.", calls: [words.read("two.txt")], fault },
      { reasoning: "Fine.", text: "Done.", fault },
      { text: "Really." },
    ]);
    expect(await stage.ask("Do both")).toEqual(completed("Done.", { rounds: 3, calls: 3 }));
    expect([stage.file("one.txt"), stage.file("two.txt")]).toEqual(["one\n", "two\n"]);
    expect(await stage.ask("Really?")).toEqual(completed("Really.", { turn: 2, rounds: 1, calls: 0 }));
  });
}

// The call in question has no arguments, and other dialects have no such call.
it.each(sides.filter(({ protocol }) => protocol === "native"))(
  "treats empty arguments as no arguments: $name",
  async (side) => {
    const stage = await openStage(
      side,
      () => [
        { reasoning: "Let me see.", calls: [{ name: "process_list", input: {} }], fault: "empty-arguments" },
        { text: "Nothing runs." },
      ],
      { dialect: "toolcrib" },
    );
    expect(await stage.ask("What runs?")).toEqual(completed("Nothing runs.", { rounds: 2, calls: 1 }));
    expect(stage.events.filter((event) => event.type === "tool-end")).toMatchObject([
      { canonical: "process.list", isError: false },
    ]);
  },
);

it("makes the calls that an OpenAI model wraps into a made-up one", async () => {
  const use = (cmd: string) => ({ recipient_name: "functions.exec_command", parameters: { cmd } });
  const input = { tool_uses: [use("echo one >> log.txt"), use("echo two >> log.txt")] };
  const stage = await openStage(sides[0]!, () => [
    { reasoning: "Both at once.", calls: [{ name: "parallel", input }] },
    { reasoning: "Fine.", text: "Both are done." },
    { text: "Yes." },
  ]);
  expect(await stage.ask("Do both")).toEqual(completed("Both are done.", { rounds: 2, calls: 2 }));
  expect(stage.file("log.txt")).toBe("one\ntwo\n");
  expect(await stage.ask("Really?")).toEqual(completed("Yes.", { turn: 2, rounds: 1, calls: 0 }));
});
