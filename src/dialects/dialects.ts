import { ToolError } from "../contract/error.ts";
import { nearest } from "../lib/nearest.ts";
import type { Dialect } from "./dialect.ts";
import { toolcribDialect } from "./toolcrib.ts";

/** Every dialect by name, loaded when it is wanted. A new dialect is its file, its golden and a line here. */
const dialects: Readonly<Record<string, () => Promise<Dialect>>> = {
  toolcrib: async () => toolcribDialect,
  openai: async () => (await import("./openai.ts")).openaiDialect,
  anthropic: async () => (await import("./anthropic.ts")).anthropicDialect,
  gemini: async () => (await import("./gemini.ts")).geminiDialect,
  omega: async () => (await import("./omega.ts")).omegaDialect,
  rustant: async () => (await import("./rustant.ts")).rustantDialect,
  "agent-loop": async () => (await import("./agent-loop.ts")).agentLoopDialect,
  surgical: async () => (await import("./surgical.ts")).surgicalDialect,
  codex: async () => (await import("./codex.ts")).codexDialect,
  "anthropic-native": async () => (await import("./anthropic-native.ts")).anthropicNativeDialect,
  "claude-code": async () => (await import("./claude-code.ts")).claudeCodeDialect,
  "gemini-cli": async () => (await import("./gemini-cli.ts")).geminiCliDialect,
};

export const dialectNames: readonly string[] = Object.keys(dialects);

export async function findDialect(name: string): Promise<Dialect> {
  if (Object.hasOwn(dialects, name)) return dialects[name]!();
  const meant = nearest(name, dialectNames);
  throw new ToolError("invalid-input", `There is no dialect "${name}"`, {
    hint: meant ? `Did you mean "${meant}"?` : `Known: ${dialectNames.join(", ")}.`,
  });
}
