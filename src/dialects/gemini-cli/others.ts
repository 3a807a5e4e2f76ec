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
    "Fetch the pages or files whose URLs stand in the prompt, at most 20, as Markdown. The pages themselves are the answer. To find pages use web.search.",
  input: (z) =>
    z.strictObject({
      prompt: z.string().check(z.describe("The URLs, https://..., and what you look for there.")),
    }),
  means: ({ prompt }) => {
    const [url, ...others] = urlsIn(prompt);
    return ["web.fetch", { url, ...(others.length > 0 && { more_urls: others }) }];
  },
  limits: { maxChars: 100_000, keep: "head" },
});

const maxUrls = 20;

function urlsIn(prompt: string): readonly [string, ...string[]] {
  const written = prompt.match(/https?:\/\/[^\s<>"'`]+/g) ?? [];
  const [url, ...others] = new Set(written.map((each) => asFile(withoutEnd(each))));
  if (url === undefined)
    throw new ToolError("invalid-input", "There is no URL in the prompt", {
      hint: "Write it out: https://example.com/page",
    });
  if (others.length >= maxUrls)
    throw new ToolError("invalid-input", `There are ${others.length + 1} URLs in the prompt`, {
      hint: `Fetch at most ${maxUrls} at once.`,
    });
  return [url, ...others];
}

/** The page of a file at GitHub shows it in a frame; the file itself is elsewhere. */
function asFile(url: string): string {
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
