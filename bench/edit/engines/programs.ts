import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { dataPath } from "../../data/data.ts";
import { packInto } from "../packages.ts";
import { readTarball } from "../tar.ts";
import { type Call, type Engine, type Form, Refusal } from "../task.ts";

/** Codex's own program, called by the name under which it applies patches. */
export function openCodex(): Engine {
  const program = codexProgram();
  return programEngine("codex apply_patch", "v4a", (text, folder) => {
    // Passes the patch as an argument, as its agent does; a longer patch through standard input.
    const isLong = Buffer.byteLength(text) > 100_000;
    return spawnSync(program, isLong ? [] : [text], { cwd: folder, ...(isLong && { input: text }) });
  });
}

export function openGitApply(...options: readonly string[]): Engine {
  return programEngine(["git apply", ...options].join(" "), "udiff", (input, folder) =>
    spawnSync("git", ["apply", ...options, depth(input), "-"], { cwd: folder, input }),
  );
}

export function openGnuPatch(): Engine {
  return programEngine("GNU patch", "udiff", (input, folder) =>
    spawnSync(
      "patch",
      [depth(input), "--batch", "--forward", "--no-backup-if-mismatch", "--reject-file=-", "--silent"],
      {
        cwd: folder,
        input,
      },
    ),
  );
}

/** How many folders to strip from the names in a diff. */
function depth(diff: string): string {
  return /^(---|\+\+\+|diff --git) "?[ab]\//m.test(diff) ? "-p1" : "-p0";
}

const codexVersion = "0.166.0";

/** Downloaded with npm on first use; about 170 MB. */
function codexProgram(): string {
  const build = `${process.platform}-${process.arch}`;
  const folder = join(dataPath("edit"), "codex");
  const link = join(folder, "apply_patch");
  if (!existsSync(link)) {
    mkdirSync(folder, { recursive: true });
    packInto(folder, [`@openai/codex@${codexVersion}-${build}`]);
    const archive = join(folder, `openai-codex-${codexVersion}-${build}.tgz`);
    const [path, bytes] =
      [...readTarball(readFileSync(archive))].find(([each]) => each.endsWith("/bin/codex")) ?? [];
    if (path === undefined) throw new Error("The package of codex holds no program.");
    writeFileSync(join(folder, "codex"), bytes!, { mode: 0o755 });
    rmSync(archive);
    symlinkSync("codex", link);
  }
  return link;
}

/** A program that changes files in a folder. Its result counts unless it reports a failure. */
function programEngine(
  name: string,
  form: Form,
  run: (text: string, folder: string) => SpawnSyncReturns<Buffer>,
): Engine {
  // Outside any repository, because git would look for the files from the top of the repository.
  const root = mkdtempSync(join(tmpdir(), "toolcrib bench "));
  return {
    name,
    forms: [form],
    apply(call: Call, files) {
      if (call.form === "edit") return new Refusal("cannot");
      const folder = mkdtempSync(join(root, "files "));
      try {
        for (const [path, bytes] of files) {
          mkdirSync(dirname(join(folder, path)), { recursive: true });
          writeFileSync(join(folder, path), bytes);
        }
        const { status, stderr, error } = run(call.text, folder);
        if (error) throw error;
        if (status !== 0) return new Refusal(stderr.toString().slice(0, 500));
        return readChanges(folder, files);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
    close: () => rmSync(root, { recursive: true, force: true }),
  };
}

function readChanges(folder: string, files: ReadonlyMap<string, Uint8Array>) {
  const changes = new Map<string, Uint8Array | undefined>([...files.keys()].map((path) => [path, undefined]));
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    changes.set(path.slice(folder.length + 1), readFileSync(path));
  }
  return changes;
}
