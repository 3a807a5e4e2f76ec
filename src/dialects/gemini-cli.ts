import type { Dialect } from "./dialect.ts";
import { backgroundTools, runShellCommand } from "./gemini-cli/commands.ts";
import { listDirectory, readFile, readManyFiles, replace, writeFile } from "./gemini-cli/files.ts";
import { googleWebSearch, webFetch, writeTodos } from "./gemini-cli/others.ts";
import { glob, grepSearch } from "./gemini-cli/search.ts";
import { agentTools } from "./shared/agent-tools.ts";

/** What Google's gemini-cli of today offers the models of its third generation. */
export const geminiCliDialect: Dialect = {
  name: "gemini-cli",
  tools: [
    readFile,
    readManyFiles,
    writeFile,
    replace,
    runShellCommand,
    ...backgroundTools,
    grepSearch,
    glob,
    listDirectory,
    googleWebSearch,
    webFetch,
    writeTodos,
    ...agentTools,
  ],
};
