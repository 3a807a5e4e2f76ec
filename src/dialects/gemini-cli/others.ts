import { ToolError } from "../../contract/error.ts";
import { planStatuses } from "../../contract/plan.ts";
import type { DialectTool } from "../dialect.ts";
import { rename } from "../rename.ts";
import { reshape } from "../reshape.ts";
import { oneInProgress } from "../shared/one-in-progress.ts";

export const googleWebSearch: DialectTool = rename("web.search", {
  name: "google_web_search",
  only: ["query"],
});

export const webFetch: DialectTool = reshape(["web.fetch"], {
  name: "web_fetch",
  summary:
    "Fetch the page or file whose URL stands in the prompt, as Markdown. The page itself is the answer. To find pages use web.search.",
  input: (z) =>
    z.strictObject({
      prompt: z.string().check(z.describe("One URL, https://…, and what you look for there.")),
    }),
  means: ({ prompt }) => ["web.fetch", { url: urlIn(prompt) }],
  limits: { maxChars: 100_000, keep: "head" },
});

/** The page of a file at GitHub shows it in a frame; what it says is elsewhere. */
function urlIn(prompt: string): string {
  const urls = [...new Set(prompt.match(/https?:\/\/[^\s<>"'`]+/g)?.map(withoutEnd))];
  const [url] = urls;
  if (url === undefined)
    throw new ToolError("invalid-input", "There is no URL in the prompt", {
      hint: "Write it out: https://example.com/page",
    });
  if (urls.length > 1)
    throw new ToolError("invalid-input", `There are ${urls.length} URLs in the prompt`, {
      hint: "Fetch each with a call of its own.",
    });
  return url.replace(
    /^https:\/\/github\.com\/([^/]+\/[^/]+)\/blob\//,
    "https://raw.githubusercontent.com/$1/",
  );
}

/** What ends a sentence, or closes a bracket that was opened before it, does not belong to it. */
function withoutEnd(url: string): string {
  const plain = url.replace(/[.,;:!?]+$/, "");
  return plain.endsWith(")") && !plain.includes("(") ? withoutEnd(plain.slice(0, -1)) : plain;
}

export const writeTodos: DialectTool = reshape(["plan.update"], {
  name: "write_todos",
  summary:
    "Keep a list of what is to be done, for work of several steps: the whole list each time, one in_progress.",
  input: (z) =>
    z.strictObject({
      todos: z
        .array(
          z.strictObject({
            description: z.string().check(z.minLength(1), z.describe("What to do.")),
            status: z.enum(planStatuses),
          }),
        )
        .check(oneInProgress(z), z.describe("The whole list; it replaces the one before.")),
    }),
  means: ({ todos }) => [
    "plan.update",
    { steps: todos.map(({ description, status }) => ({ step: description, status })) },
  ],
  answer: ({ data: { steps } }) =>
    steps.length === 0
      ? "The todo list is cleared."
      : [
          "The todo list is now:",
          ...steps.map(({ step, status }, index) => `${index + 1}. [${status}] ${step}`),
        ].join("\n"),
});
