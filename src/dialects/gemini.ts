import type { Dialect } from "./dialect.ts";
import { answerListing } from "./forge/answers.ts";
import { editFile, glob, grepWithModes, readFile, shell, writeFile } from "./forge/tools.ts";
import { rename } from "./rename.ts";
import { agentTools } from "./shared/agent-tools.ts";

/** Forge's tools for Google's models: Anthropic's, and four more. */
export const geminiDialect: Dialect = {
  name: "gemini",
  tools: [
    readFile,
    writeFile,
    shell({ timeoutMs: 10_000 }),
    grepWithModes,
    glob,
    editFile,
    rename("file.read", {
      name: "read_many_files",
      summary: "Read several text files or pictures at once, by their paths or by patterns.",
      fields: { paths: "include" },
      only: ["paths"],
      require: ["paths"],
      describe: { paths: 'Up to 50 files: paths, and patterns as "src/**/*.ts".' },
      limits: { maxChars: 50_000, keep: "both" },
    }),
    rename("file.list", {
      name: "list_dir",
      only: ["path", "depth"],
      limits: { maxChars: 20_000, keep: "head" },
      answer: answerListing,
    }),
    rename("web.search", { name: "web_search", fields: { limit: "max_results" }, only: ["query", "limit"] }),
    rename("web.fetch", { name: "web_fetch", only: ["url"] }),
    ...agentTools,
  ],
};
