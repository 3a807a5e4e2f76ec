import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openLocalEnvironment } from "../../src/environment/local/local-environment.ts";
import { openBlobs } from "../../src/journal/blobs.ts";
import { Journal } from "../../src/journal/journal.ts";
import { keepingEnvironment } from "../../src/journal/keep/keeping-environment.ts";
import { makePrivateDirectory, workspaceFiles } from "../../src/system/directories.ts";
import { type SummaryFilter, WorkspaceJournal } from "../../src/toolcrib/workspace-journal.ts";
import { editPatch } from "../../src/tools/edit/patch.ts";
import { editReplace } from "../../src/tools/edit/replace.ts";
import { toolContext } from "../../test/support/tool-context.ts";
import { callsWorkspace } from "../data/calls.ts";
import { dataPath } from "../data/data.ts";
import type { Case, Contender, Group } from "../harness.ts";
import { ShadowGit } from "../shadow-git.ts";
import { openSubject } from "../subject.ts";

const small = dataPath("journal");
const project = dataPath("shadowed-project");
const calls = workspaceFiles(dataPath("calls"), callsWorkspace);

/** Measures the cost of recording a change for undo, and the undo itself. */
export const group: Group = {
  needs: ["shadowed-project", "calls"],
  prepare: () => {
    rmSync(small, { recursive: true, force: true });
    mkdirSync(small, { recursive: true });
  },
  cases: [
    {
      ...writing(small, 10_240),
      name: "replace a file of 10 KB",
      goals: [{ measure: "p50Ms", overReferenceUs: 1000 }],
    },
    {
      ...writing(project, 10_240),
      name: "replace a file of 10 KB among 17 503 files",
      goals: [{ measure: "p50Ms", overReferenceUs: 1000 }],
    },
    { ...writing(small, 1024 * 1024), name: "replace a file of 1 MB", goals: [] },
    {
      ...editing(1),
      name: "edit one file",
      goals: [{ measure: "p50Ms", overReferenceUs: 1000 }],
    },
    {
      ...editing(20),
      name: "patch 20 files",
      goals: [{ measure: "p50Ms", overReferenceUs: 20_000 }],
    },
    {
      name: "undo one call among 17 503 files",
      about:
        "journal.undo, through the door, against `git checkout` of the one file from a shadow repository.",
      rounds: 20,
      goals: [{ measure: "p50Ms", atMostUs: 10_000 }],
      contenders: { "shadow git": restoreFromGit, toolcrib: undoCall },
    },
    {
      name: "change one file so that it can be undone, among 17 503 files",
      about: "file.write, through the door, against a snapshot into a shadow repository and a write.",
      rounds: 20,
      goals: [{ measure: "p50Ms", timesReference: 0.1 }],
      contenders: {
        "shadow git": () => {
          const git = new ShadowGit(project, dataPath("shadow-git-journal"));
          git.begin();
          const write = writer(join(project, "bench-git.txt"));
          return {
            run: () => {
              git.snapshot();
              write();
            },
          };
        },
        toolcrib: async () => {
          const subject = await openSubject({ workspace: project });
          const content = contents(10_240);
          return {
            run: async () => {
              await subject.call("file.write", { path: "bench-toolcrib.txt", content: content() });
            },
            close: subject.close,
          };
        },
      },
    },
    listing("the first page", { limit: 100 }, 10_000),
    listing("a rare word", { text: "rareneedle" }, 50_000),
    listing("a common and an absent word", { text: "npm rareneedlx" }, 50_000),
    listing("failed calls", { failed: true, limit: 100 }, 10_000),
    listing("a path", { path: "src/none" }, 50_000),
  ],
};

function listing(name: string, filter: SummaryFilter, atMostUs: number): Case {
  return {
    name: `list 100 000 calls: ${name}`,
    about:
      "One page of the list that `toolcrib log` and the console show, against a look at every record. The list was prepared before.",
    rounds: 20,
    goals: [{ measure: "cpuMs", atMostUs }],
    contenders: {
      "every record": () => {
        const journal = new Journal({ file: calls.journal, session: "session_bench" });
        const read = () => {
          let [count, last] = [0, 0];
          for (let rows = journal.page(0, 1000); rows.length > 0; rows = journal.page(last, 1000)) {
            count += rows.filter(({ body }) => body.includes("rareneedle")).length;
            last = rows.at(-1)!.sequence;
          }
          return count;
        };
        return { run: () => void read(), close: () => journal.close() };
      },
      toolcrib: async () => {
        const journal = new WorkspaceJournal({ files: calls, workspace: callsWorkspace });
        await journal.prepare();
        return { run: () => void journal.summaries(filter), close: () => journal.close() };
      },
    },
  };
}

function writing(workspace: string, bytes: number): Case {
  return {
    name: "",
    about:
      "The environment's own write against the same on record: the old content kept, the change and the ends of the call in the journal. Every content is new.",
    rounds: 20,
    lapsPerRound: 20,
    goals: [],
    contenders: {
      "the write itself": () => {
        const environment = openLocalEnvironment({ workspace, changeRecords: dataPath("journal-changes") });
        const content = contents(bytes);
        return {
          run: () => environment.writeFile("bench-bare.txt", Buffer.from(content())),
          close: () => environment.close(),
        };
      },
      toolcrib: () => keptWriting(workspace, bytes),
    },
  };
}

function keptWriting(workspace: string, bytes: number): Contender {
  const state = dataPath(`journal-state-${process.pid}`);
  makePrivateDirectory(state);
  const environment = openLocalEnvironment({ workspace, changeRecords: join(state, "changes") });
  const journal = new Journal({ file: join(state, "journal.sqlite"), session: "session_bench" });
  const blobs = openBlobs(join(state, "blobs"));
  const content = contents(bytes);
  let calls = 0;
  return {
    run: async () => {
      calls += 1;
      const callId = `call_${calls}`;
      const attempt = {
        callId,
        tool: "file.write",
        input: { path: "bench-kept.txt" },
        startedAt: Date.now(),
      };
      journal.begin(attempt);
      const kept = keepingEnvironment(environment, { callId, journal, blobs });
      await kept.writeFile("bench-kept.txt", Buffer.from(content()));
      journal.finish(attempt, {
        outcome: "ok",
        message: undefined,
        outputHandle: undefined,
        durationMs: 0,
        account: {},
      });
    },
    close: async () => {
      journal.close();
      await environment.close();
      rmSync(state, { recursive: true });
    },
  };
}

function editing(files: number): Case {
  return {
    name: "",
    about: `${files === 1 ? "edit.replace" : "edit.patch"} on the bare environment against the same through the door: all stages, journal, old contents kept.`,
    rounds: 20,
    lapsPerRound: 10,
    goals: [],
    contenders: {
      "the edit itself": () => {
        const folder = fill("bare", files);
        const environment = openLocalEnvironment({
          workspace: folder,
          changeRecords: dataPath("journal-changes"),
        });
        const context = toolContext(environment);
        const input = edits(files);
        return {
          run: async () => {
            if (files === 1) await editReplace.run(input() as never, context);
            else await editPatch.run(input() as never, context);
          },
          close: () => environment.close(),
        };
      },
      toolcrib: async () => {
        const subject = await openSubject({ workspace: fill("kept", files) });
        const input = edits(files);
        const tool = files === 1 ? "edit.replace" : "edit.patch";
        return { run: async () => void (await subject.call(tool, input())), close: subject.close };
      },
    },
  };
}

const nameOf = (file: number) => `file-${file}.txt`;

function fill(name: string, files: number): string {
  const folder = join(small, `${name}-${files}`);
  mkdirSync(folder, { recursive: true });
  for (let file = 0; file < files; file++)
    writeFileSync(join(folder, nameOf(file)), `lap 0\n${"a line of text\n".repeat(680)}`);
  return folder;
}

/** The next edit, which starts from the result of the previous one. */
function edits(files: number): () => object {
  let lap = 0;
  return () => {
    const [before, after] = [`lap ${lap}`, `lap ${lap + 1}`];
    lap += 1;
    if (files === 1) return { path: nameOf(0), find: before, replace: after };
    const hunks = Array.from(
      { length: files },
      (_, file) => `*** Update File: ${nameOf(file)}\n@@\n-${before}\n+${after}\n`,
    );
    return { patch: `*** Begin Patch\n${hunks.join("")}*** End Patch\n` };
  };
}

function restoreFromGit(): Contender {
  const git = new ShadowGit(project, dataPath("shadow-git-undo"));
  git.begin();
  const write = writer(join(project, "bench-git-undo.txt"));
  write();
  const tree = git.snapshot();
  return { reset: write, run: () => git.restore(tree, ["bench-git-undo.txt"]) };
}

async function undoCall(): Promise<Contender> {
  const subject = await openSubject({ workspace: project });
  const content = contents(10_240);
  let callId = "";
  return {
    reset: async () => {
      ({ callId } = await subject.call("file.write", { path: "bench-undo.txt", content: content() }));
    },
    run: async () => void (await subject.call("journal.undo", { call: callId })),
    close: subject.close,
  };
}

function writer(file: string): () => void {
  const content = contents(10_240);
  return () => writeFileSync(file, content());
}

/** A new text of this size. */
function contents(bytes: number): () => string {
  let lap = 0;
  return () => {
    lap += 1;
    return `${process.pid} ${lap}\n`.repeat(Math.ceil(bytes / 8)).slice(0, bytes);
  };
}
