import { dialectFor } from "../../dialects/dialect-for.ts";

/** Whose habits a model has, as far as its prompt is concerned. */
export type Family = "openai" | "anthropic" | "google" | "other";

/** By the tools that it is given, which say most; else by its name. */
export function familyOf(dialect: string, model: string): Family {
  return families[dialect] ?? families[dialectFor(model)] ?? "other";
}

const families: Readonly<Record<string, Family>> = {
  codex: "openai",
  openai: "openai",
  "claude-code": "anthropic",
  anthropic: "anthropic",
  "anthropic-native": "anthropic",
  "gemini-cli": "google",
  gemini: "google",
};

/** The files by which a project instructs agents of a family, in each directory in this order. */
export const instructionFiles: Readonly<Record<Family, readonly string[]>> = {
  openai: ["AGENTS.override.md", "AGENTS.md", ".codex/AGENTS.md"],
  anthropic: ["AGENTS.md", "CLAUDE.md"],
  google: ["AGENTS.md", "GEMINI.md"],
  other: ["AGENTS.md"],
};
