/** The sessions at a terminal that the documents show. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { afterAll, expect, it } from "vitest";
import { escapeRegex } from "../../src/lib/text/escape-regex.ts";
import { runInHost } from "./command-host.ts";
import { type Block, named, prepareWorkspace, variablesIn } from "./documented-blocks.ts";
import { startDocumentedModel } from "./documented-model.ts";
import { startPostgres, type TestPostgres } from "./fleet/postgres.ts";
import { missingHere } from "./sandbox-fixture.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** The pages show commands as they run in bubblewrap. */
const noBubblewrap = await missingHere("bwrap");
const needsBubblewrap = ({ text }: Block) =>
  /policy explain|code\.(?:hover|diagnostics)|transaction\.check|shell\.run|process\.|doctor|git\.(?:stage|commit|branch)|Run the tests|fleet (?:submit fleet|work)/.test(
    text,
  );

/** Pages whose sessions take longest. They have a test file of their own, so that they run beside the others. */
export const longPages: readonly string[] = ["docs/code.md", "docs/fleet.md", "docs/language-servers.md"];

/** Pages whose sessions run in `npm test`, except for those that build an index. */
const fastPages: readonly string[] = ["docs/tour.md", "docs/undo.md"];

function isFast({ document, text }: Block): boolean {
  return fastPages.includes(document) && !text.includes(" call code.");
}

/**
 * Tests the sessions of these documents. In a console block a line with `$` is typed, and the lines after it are its output; a
 * line `…` matches any lines.
 */
export function testSessions(isIncluded: (document: string) => boolean): void {
  let postgres: Promise<TestPostgres> | undefined;
  afterAll(async () => (await postgres)?.[Symbol.asyncDispose]());
  const sessions = named(({ language, document }) => language === "console" && isIncluded(document));
  for (const [name, block] of sessions) {
    const isSkipped = noBubblewrap !== undefined && needsBubblewrap(block);
    it.skipIf(isSkipped)(name, { tags: isFast(block) ? [] : ["slow"] }, async () => {
      await using folder = temporaryFolder();
      await prepareWorkspace(folder.path, block);
      await using model = await startDocumentedModel();
      if (block.hasDatabase) postgres ??= startPostgres();
      const database = {
        TOOLCRIB_FLEET_DATABASE: block.hasDatabase ? await (await postgres)?.newDatabase() : undefined,
      };
      for (const { command, answer } of readSession(block.text)) {
        const env = variablesIn(folder.path, {
          ...(block.hasNoModel ? { OLLAMA_HOST: "127.0.0.1:1" } : model.variables),
          ...database,
        });
        const output = await runTyped(command, folder.path, env);
        expect(`$ ${command}\n${output}`.trimEnd()).toMatch(answerPattern(command, answer));
      }
      expect(model.server.breaches).toEqual([]);
    });
  }
}

/**
 * Returns the output of a command. A command that only starts toolcrib runs in a shared process; all others run in a
 * shell, and those that start a parser, which starts faster from the build.
 */
async function runTyped(command: string, cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  const [, typed, quiet, echo] =
    /^npx toolcrib (?!call code\.)(.*?)( 2> \/dev\/null)?(; echo "exit code \$\?")?$/.exec(command) ?? [];
  if (typed === undefined || /[$`|&;<>(){}*?~\\#]/.test(typed.replace(/\$?'[^']*'|"[^"$`]*"/g, ""))) {
    const child = spawn("bash", ["-c", `{ ${command}; } 2>&1`], {
      cwd,
      env,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [stdout] = await Promise.all([text(child.stdout), once(child, "close")]);
    return stdout;
  }
  const split = execFileSync("bash", ["-c", `printf '%s\\0' ${typed}`], { encoding: "utf8" });
  const words = split.split("\0").slice(0, -1);
  const { exit, stdout } = await runInHost({ words, cwd, env, merged: quiet === undefined });
  return echo === undefined ? stdout : `${stdout}exit code ${exit}\n`;
}

function readSession(text: string): { command: string; answer: string[] }[] {
  const steps: { command: string; answer: string[] }[] = [];
  for (const line of text.trimEnd().split("\n")) {
    if (line.startsWith("$ ")) steps.push({ command: line.slice(2), answer: [] });
    else steps.at(-1)?.answer.push(line);
  }
  return steps;
}

function answerPattern(command: string, answer: readonly string[]): RegExp {
  const lines = [`$ ${command}`, ...answer].map((line) =>
    line.trim() === "…" ? "[^]*" : line.split("…").map(escapeRegex).join(".*"),
  );
  return new RegExp(`^${lines.join("\\n")}$`);
}
