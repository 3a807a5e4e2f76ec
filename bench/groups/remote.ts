import { execFileSync } from "node:child_process";
import { lstatSync } from "node:fs";
import { join } from "node:path";
import { rgPath } from "@vscode/ripgrep";
import { connectTarget } from "../../src/environment/remote/connect-target.ts";
import { openRemoteEnvironment } from "../../src/environment/remote/remote-environment.ts";
import { parseTarget } from "../../src/environment/remote/target.ts";
import { shellQuote } from "../../src/lib/text/shell-quote.ts";
import { dataPath } from "../data/data.ts";
import { absentWord, rareWord } from "../data/source-text.ts";
import { tenKilobyteFile } from "../data/tree.ts";
import type { Case, Contender, Group } from "../harness.ts";
import { lineFlags } from "../ripgrep.ts";
import { SshShell, startSsh } from "../ssh-link.ts";
import { openSubject } from "../subject.ts";
import { buildAndInstall } from "./start.ts";

const tree = dataPath("git-tree");

/** Measures the tools on a target behind a real ssh server on loopback. Peers use one ssh connection that stays open. */
export const group: Group = {
  needs: ["ten-kilobytes", "git-tree"],
  prepare: buildAndInstall,
  cases: [
    {
      name: "a read",
      about:
        "`file.read` of 20 lines, after 400 calls, compared with a line that `cat` on the target sends back.",
      rounds: 30,
      warmUpRounds: 20,
      lapsPerRound: 20,
      goals: [{ measure: "p50Ms", overReferenceUs: 1000 }],
      contenders: {
        "a round trip": async () => {
          const { shell, close } = await openShell();
          await shell.startEcho();
          return { run: () => shell.echo("x".repeat(100)), close };
        },
        toolcrib: () =>
          onTarget(dataPath("ten-kilobytes"), async (call) => {
            await call("file.read", { path: tenKilobyteFile, limit: 20 });
          }),
      },
    },
    {
      name: "200 reads at once",
      about:
        "200 files of 4 to 48 kB, all calls of `file.read` started at once, compared with one `tar` of the files. For information: the same calls on this machine (`file.read here`), which pass the same pipeline and journal without a connection, and reads of the environment of the target, which pass only the connection.",
      rounds: 15,
      goals: [{ measure: "p50Ms", timesReference: 2 }],
      contenders: {
        tar: async () => {
          const { shell, close } = await openShell();
          const command = `cd ${shellQuote(tree)} && tar -cf - ${filesToRead().map(shellQuote).join(" ")}`;
          const run = async () => {
            await shell.run(command);
            return filesToRead().length;
          };
          return { run, close };
        },
        toolcrib: () => onTarget(tree, readAll),
        environment: async () => {
          const server = startSsh();
          const channel = await connectTarget(parseTarget(`ssh:test-host:${tree}`));
          const environment = await openRemoteEnvironment(channel);
          const run = async () => {
            const reads = filesToRead().map((path) => environment.readFile(path, { maxBytes: 1_000_000 }));
            return (await Promise.all(reads)).length;
          };
          const close = async () => {
            await environment.close();
            await server[Symbol.asyncDispose]();
          };
          return { run, close };
        },
        "file.read here": async () => {
          const subject = await openSubject({ workspace: tree });
          return { run: () => readAll(subject.call), close: subject.close };
        },
      },
    },
    {
      name: "30 000 files, all hits of a rare word",
      about: "`search.grep` compared with ripgrep, run there by a shell.",
      rounds: 12,
      goals: [{ measure: "p50Ms", timesReference: 1.2 }],
      contenders: grepContenders(rareWord),
    },
    {
      name: "30 000 files, no hit",
      about: "The same for a word that does not occur.",
      rounds: 12,
      goals: [{ measure: "p50Ms", timesReference: 1.2 }],
      contenders: grepContenders(absentWord),
    },
    {
      name: "attach",
      about:
        "`openToolcrib({ target })` with a server that is stored on the target, compared with `ssh host true`: a new connection each.",
      rounds: 15,
      goals: [{ measure: "p50Ms", atMostUs: 1_000_000 }],
      contenders: {
        "ssh host true": () => {
          const server = startSsh();
          return {
            run: () => void execFileSync("ssh", ["test-host", "true"]),
            close: () => server[Symbol.asyncDispose](),
          };
        },
        toolcrib: () => {
          const server = startSsh();
          let opened: Subject;
          return {
            run: async () => {
              opened = await openTarget(dataPath("ten-kilobytes"));
            },
            settle: () => opened.close(),
            close: () => server[Symbol.asyncDispose](),
          };
        },
      },
    },
  ],
};

async function readAll(call: Subject["call"]): Promise<number> {
  return (await Promise.all(filesToRead().map((path) => call("file.read", { path })))).length;
}

function grepContenders(word: string): Case["contenders"] {
  return {
    ripgrep: async () => {
      const { shell, close } = await openShell();
      const args = [rgPath, ...lineFlags, word, "./"].map(shellQuote).join(" ");
      const run = async () => {
        const output = await shell.run(`cd ${shellQuote(tree)} && ${args}`);
        return output.toString("latin1").split("\n").length - 1;
      };
      return { run, close };
    },
    toolcrib: () =>
      onTarget(tree, async (call) => {
        const { data } = await call("search.grep", { pattern: word, limit: 10_000 });
        return (data as { matches: unknown[] }).matches.length;
      }),
  };
}

type Subject = Awaited<ReturnType<typeof openSubject>>;

function openTarget(directory: string): ReturnType<typeof openSubject> {
  return openSubject({ target: `ssh:test-host:${directory}`, sandbox: "none" });
}

async function onTarget(
  directory: string,
  run: (call: Subject["call"]) => Promise<unknown>,
): Promise<Contender> {
  const server = startSsh();
  const subject = await openTarget(directory);
  return {
    run: () => run(subject.call),
    close: async () => {
      await subject.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

async function openShell(): Promise<{ readonly shell: SshShell; readonly close: () => Promise<void> }> {
  const server = startSsh();
  const shell = new SshShell();
  return {
    shell,
    close: async () => {
      await shell.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

let found: readonly string[] | undefined;

/** 200 text files of the tree of a usual size. */
function filesToRead(): readonly string[] {
  if (found !== undefined) return found;
  const all = execFileSync("git", ["-C", tree, "ls-files", "-z", "*.ts"], {
    encoding: "utf8",
    maxBuffer: 1e8,
  });
  const isUsual = (path: string) => {
    // Not a link, of which `tar` would send only the name.
    const stats = lstatSync(join(tree, path));
    return stats.isFile() && stats.size >= 4000 && stats.size < 48_000;
  };
  found = all.split("\0").filter(Boolean).filter(isUsual).slice(0, 200);
  return found;
}
