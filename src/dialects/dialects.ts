import { ToolError } from "../contract/error.ts";
import { nearest } from "../lib/text/nearest.ts";
import type { Dialect } from "./dialect.ts";
import { toolcribDialect } from "./toolcrib.ts";

/** All dialects by name, loaded on first use. A new dialect needs a file, a golden file and a line here. */
const dialects: Readonly<Record<string, () => Promise<Dialect>>> = {
  toolcrib: async () => toolcribDialect,
  openai: async () => (await import("./forge.ts")).openaiDialect,
  anthropic: async () => (await import("./forge.ts")).anthropicDialect,
  gemini: async () => (await import("./forge.ts")).geminiDialect,
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

const found = new WeakSet<Dialect>();

/** Whether a dialect is one of these, which need no check. */
export function isBuiltIn(dialect: Dialect): boolean {
  return found.has(dialect);
}

/** Returns a dialect without its tools about agents, for those who have none. */
export function withoutAgents(dialect: Dialect): Dialect {
  const tools = dialect.tools.filter(({ needs }) => needs === undefined);
  const alone = { ...dialect, tools };
  if (isBuiltIn(dialect)) found.add(alone);
  return alone;
}

export async function findDialect(name: string): Promise<Dialect> {
  if (Object.hasOwn(dialects, name)) {
    const dialect = await dialects[name]!();
    found.add(dialect);
    return dialect;
  }
  const near = nearest(name, dialectNames);
  throw new ToolError("invalid-input", `Unknown dialect "${name}"`, {
    hint: near ? `Did you mean "${near}"?` : `Known dialects: ${dialectNames.join(", ")}.`,
  });
}

/**
 * Returns the dialect that a model was trained on, by its name at any provider: "gpt-5.2", "openai/gpt-5",
 * "models/gemini-3-pro", "openrouter/google/gemini-3-flash". Default: `toolcrib`.
 */
export function dialectFor(model: string): string {
  const parts = model.toLowerCase().split(/[/.:@\s]+/);
  return families.find(({ names }) => parts.some((part) => names.test(part)))?.dialect ?? "toolcrib";
}

const families = [
  { names: /^claude(?:-|$)/, dialect: "claude-code" },
  { names: /^gemini(?:-|$)/, dialect: "gemini-cli" },
  // gpt-oss was trained on Codex's tools, too; chat models before GPT-4 called none.
  { names: /^(?:gpt-(?:[4-9]|[1-9]\d|oss)|chatgpt-|o[1-9](?:-|$)|codex(?:-|$))/, dialect: "codex" },
] as const;
