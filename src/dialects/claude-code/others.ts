import type { DialectTool } from "../dialect.ts";
import { reshape } from "../reshape.ts";
import { oneInProgress } from "../shared/one-in-progress.ts";

export const todoWrite: DialectTool = reshape(["plan.update"], {
  name: "TodoWrite",
  summary:
    "Keep a list of what is to be done, for work of several steps: the whole list each time, one in_progress, each " +
    "completed as soon as it is done.",
  input: (z) =>
    z.strictObject({
      todos: z
        .array(
          z.strictObject({
            content: z.string().check(z.minLength(1), z.describe("What to do: Run the tests")),
            status: z.enum(["pending", "in_progress", "completed"]),
            activeForm: z.string().check(z.minLength(1), z.describe("While it is done: Running the tests")),
          }),
        )
        .check(oneInProgress(z), z.describe("The whole list.")),
    }),
  means: ({ todos }) => [
    "plan.update",
    {
      steps: todos.map(({ content, status, activeForm }) => ({
        step: content,
        status,
        activity: activeForm,
      })),
    },
  ],
  answer: () => "The todo list is updated. Go on with the current task.",
});

export const webFetch: DialectTool = reshape(["web.fetch"], {
  name: "WebFetch",
  summary:
    "Fetch a web page as Markdown, or another file by its URL. The page itself is the answer. To find pages use web.search.",
  input: (z) =>
    z.strictObject({
      url: z.string().check(z.describe("https://...")),
      prompt: z.string().check(z.describe("What you look for in it.")),
      offset: z.optional(
        z.int().check(z.minimum(0), z.describe("Where to read on, as the last answer told.")),
      ),
    }),
  means: ({ url, offset = 0 }) => ["web.fetch", { url, ...(offset > 0 && { part: `from ${offset + 1}` }) }],
  limits: { maxChars: 100_000, keep: "head" },
  answer: ({ data, text, continuation }) => {
    const next = data.kind === "page" ? /^from (\d+)$/.exec(data.next ?? "")?.[1] : undefined;
    return {
      text,
      continuation: next === undefined ? continuation : `The page goes on: give offset ${Number(next) - 1}.`,
    };
  },
});

export const webSearch: DialectTool = reshape(["web.search"], {
  name: "WebSearch",
  summary: "Search the web: title, URL and snippet of each page found. To read one use web.fetch.",
  input: (z) =>
    z.strictObject({
      query: z.string().check(z.minLength(2), z.describe("What to look for.")),
      allowed_domains: z.optional(z.array(z.string()).check(z.describe("Only pages of these."))),
      blocked_domains: z.optional(z.array(z.string()).check(z.describe("No pages of these."))),
    }),
  means: ({ query, allowed_domains, blocked_domains }) => [
    "web.search",
    {
      query,
      only_domains: allowed_domains?.map(domainOf),
      without_domains: blocked_domains?.map(domainOf),
    },
  ],
  fields: { only_domains: "allowed_domains", without_domains: "blocked_domains" },
});

/** Some give a URL. */
function domainOf(site: string): string {
  return site.replace(/^https?:\/\//, "").replace(/\/.*$/, "");
}
