import type { ToolProtocol } from "../../../src/agent/event.ts";
import type { ProviderKind, ScriptedReply } from "../../providers/provider-server.ts";
import { isLong } from "../../support/repetitions.ts";
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

/** In `npm run test:long`, every scenario runs on all of them. */
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
 * The sides of scenarios about tools and conversations: in `npm test`, one of each protocol and each dialect. The two
 * others differ in what they send and receive, which the tests of faults, oddities, endings, scans and turns cover.
 */
export const sidesOfTools: readonly Side[] = isLong
  ? sides
  : sides.filter(({ kind }) => kind !== "ollama" && kind !== "openrouter");

/**
 * The sides of scenarios of the session itself, in which all providers run the same code: in `npm test`, one with native
 * calls and the text protocol.
 */
export const sidesOfSessions: readonly Side[] = isLong
  ? sides
  : sides.filter(({ kind, protocol }) => kind === "openai" || protocol === "text");

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
