/**
 * The dialect that a model was trained on, by its name as any provider writes it: "gpt-5.2", "openai/gpt-5",
 * "us.anthropic.claude-sonnet-4-5-v1:0", "models/gemini-3-pro", "openrouter/google/gemini-3-flash". `toolcrib` for all others.
 */
export function dialectFor(model: string): string {
  const words = model.toLowerCase().split(/[/.:@\s]+/);
  return families.find(({ names }) => words.some((word) => names.test(word)))?.dialect ?? "toolcrib";
}

const families = [
  { names: /^claude(?:-|$)/, dialect: "claude-code" },
  { names: /^gemini(?:-|$)/, dialect: "gemini-cli" },
  // gpt-oss, too, was trained to call codex's tools; chat models before the fourth generation called none.
  { names: /^(?:gpt-(?:[4-9]|[1-9]\d|oss)|chatgpt-|o[1-9](?:-|$)|codex(?:-|$))/, dialect: "codex" },
] as const;
