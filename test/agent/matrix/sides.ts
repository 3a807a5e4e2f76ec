import { describe } from "vitest";
import type { ToolProtocol } from "../../../src/agent/event.ts";
import type { ProviderKind, ScriptedReply } from "../../providers/provider-server.ts";
import { claudeCodeVocabulary } from "./vocabularies/claude-code.ts";
import { codexVocabulary } from "./vocabularies/codex.ts";
import { geminiCliVocabulary } from "./vocabularies/gemini-cli.ts";
import { toolcribVocabulary } from "./vocabularies/toolcrib.ts";
import type { Vocabulary } from "./vocabulary.ts";

/** One way to reach a model: its API, how tools are called through it, and the names of the tools. */
export interface Side {
  readonly name: string;
  readonly kind: ProviderKind;
  readonly protocol: ToolProtocol;
  /** How its tools are called, in a workspace. */
  words(workspace: string): Vocabulary;
  /** Returns a reply as its model writes it. */
  writes(reply: ScriptedReply): ScriptedReply;
}

const native = { protocol: "native" as const, writes: (reply: ScriptedReply) => reply };

export const sides: readonly Side[] = [
  { ...native, name: "openai", kind: "openai", words: () => codexVocabulary },
  { ...native, name: "openai-chat", kind: "openai-chat", words: () => toolcribVocabulary },
  { ...native, name: "anthropic", kind: "anthropic", words: claudeCodeVocabulary },
  { ...native, name: "google", kind: "google", words: () => geminiCliVocabulary },
  { ...native, name: "ollama", kind: "ollama", words: () => toolcribVocabulary },
  { ...native, name: "openrouter", kind: "openrouter", words: claudeCodeVocabulary },
  {
    name: "text protocol",
    kind: "openai-chat",
    protocol: "text",
    words: () => toolcribVocabulary,
    writes: inActions,
  },
];

/**
 * Describes a scenario on every side. It is slow on sides that run no other code in it than the others: providers differ in
 * what they send and receive, which the tests of faults, oddities, endings, scans and turns cover, and tools in their
 * dialects. A scenario of the session itself runs the same code on all sides with native calls.
 */
export function describeSides(about: "tools" | "session", scenario: (side: Side) => void): void {
  for (const side of sides) {
    describe(side.name, { tags: isRepeated(about, side) ? ["slow"] : [] }, () => scenario(side));
  }
}

function isRepeated(about: "tools" | "session", { kind, protocol }: Side): boolean {
  if (about === "tools") return kind === "ollama" || kind === "openrouter";
  return kind !== "openai" && protocol === "native";
}

/** Writes calls as JSON actions in the text, and the last text as the end of the task. */
function inActions({ text, calls = [], ...reply }: ScriptedReply): ScriptedReply {
  if (calls.length === 0)
    return {
      ...reply,
      ...(text !== undefined && { text: JSON.stringify({ action: "done", summary: text }) }),
    };
  const actions = calls.map(
    ({ name, input, raw }) =>
      `{"action": "tool_call", "tool": ${JSON.stringify(name)}, "args": ${raw ?? JSON.stringify(input)}}`,
  );
  return { ...reply, text: [...(text === undefined ? [] : [text]), ...actions].join("\n") };
}
