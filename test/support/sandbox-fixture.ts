import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { SandboxLevel } from "../../src/contract/call.ts";
import type { Confinement } from "../../src/contract/confinement.ts";
import type { Environment } from "../../src/contract/environment.ts";
import { openLocalEnvironment } from "../../src/environment/local/local-environment.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** Why a level of the sandbox does not work here, with a warning; undefined when it does. */
export async function missingHere(level: SandboxLevel): Promise<string | undefined> {
  await using folder = temporaryFolder();
  const workspace = join(folder.path, "workspace");
  mkdirSync(workspace);
  const environment = openLocalEnvironment({
    workspace,
    sandbox: { want: level, directory: join(folder.path, "state") },
  });
  try {
    await environment.sandbox?.();
    return undefined;
  } catch (error) {
    console.warn(`\nSkipped, because ${(error as Error).message}\n`);
    return (error as Error).message;
  } finally {
    await environment.close();
  }
}

export interface SandboxFixture extends AsyncDisposable {
  readonly workspace: string;
  /** A directory outside the workspace and Toolcrib's own state. */
  readonly outside: string;
  readonly environment: Environment;
  /** Creates a file with its directories; the path is absolute or relative to the workspace. */
  put(path: string, content?: string): string;
  run(command: string, confinement?: Confinement): Promise<Ran>;
}

interface Ran {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number | undefined;
  readonly remarks: readonly string[];
}

/** A workspace whose commands run at one level of the sandbox. `programs`: their paths; undefined when one is not available. */
export function openSandboxFixture(
  level: SandboxLevel,
  programs: Readonly<Record<string, string | undefined>> = {},
): SandboxFixture {
  const folder = temporaryFolder();
  const [workspace, outside] = [join(folder.path, "work space"), join(folder.path, "outside")];
  for (const path of [workspace, outside]) mkdirSync(path);
  const environment = openLocalEnvironment({
    workspace,
    programs,
    sandbox: { want: level, directory: join(folder.path, "state") },
  });
  return {
    workspace,
    outside,
    environment,
    put: (path, content = "") => {
      const absolute = path.startsWith("/") ? path : join(workspace, path);
      mkdirSync(dirname(absolute), { recursive: true });
      writeFileSync(absolute, content);
      return absolute;
    },
    run: async (command, confinement = {}) => {
      const program = await environment.start("/bin/bash", {
        args: ["--noprofile", "--norc", "-c", command],
        signal: new AbortController().signal,
        confinement,
      });
      const [stdout, stderr, { code, remarks }] = await Promise.all([
        textOf(program.stdout),
        textOf(program.stderr),
        program.exit,
      ]);
      return { stdout, stderr, code, remarks };
    },
    [Symbol.asyncDispose]: async () => {
      await environment.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

export async function textOf(output: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of output) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}
