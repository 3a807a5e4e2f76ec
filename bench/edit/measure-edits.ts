import { fork } from "node:child_process";
import type { CaseResult } from "../harness.ts";
import { bigFileResult, classesResult, enginesResult } from "./edit-results.ts";
import type { LaneReport } from "./engine-lane.ts";
import { engines } from "./engines.ts";
import { measureAnchors } from "./measure-anchors.ts";
import { showFailures } from "./show.ts";
import { ensureTasks } from "./task-store.ts";

export interface EditOptions {
  /** The path of the engine under test, if it is not this repository's. */
  readonly engine?: string | undefined;
  /** Prints failures of these classes instead of measuring. */
  readonly show?: string | undefined;
  /** Only engines whose name contains these words. */
  readonly only: string;
}

/** Lets every engine apply the same calls, each in its own process, one after the other. */
export async function* measureEdits({ engine, show, only }: EditOptions): AsyncGenerator<CaseResult> {
  await ensureTasks();
  const names = Object.keys(engines).filter((name) => name.includes(only));
  if (show !== undefined) {
    console.log(await showFailures(names[0]!, { kind: show, module: engine, limit: 5 }));
    return;
  }
  const reports: (LaneReport | EngineFailure)[] = [];
  for (const name of names) {
    process.stderr.write(`${name} …\n`);
    reports.push(await runInProcess(name, name === "toolcrib" ? engine : undefined));
  }
  yield enginesResult(reports);
  yield bigFileResult(reports);
  yield classesResult(reports);
  yield await measureAnchors(20_000);
}

/** An engine that could not be opened, or that crashed its process. */
export interface EngineFailure {
  readonly engine: string;
  readonly failure: string;
}

function runInProcess(name: string, module = ""): Promise<LaneReport | EngineFailure> {
  const { promise, resolve } = Promise.withResolvers<LaneReport | EngineFailure>();
  const child = fork(new URL("engine-process.ts", import.meta.url), [name, module, ""], {
    execArgv: ["--disable-warning=ExperimentalWarning"],
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  let complaint = "";
  child.stderr!.on("data", (bytes) => {
    complaint = (complaint + bytes).slice(-2000);
  });
  child.on("message", (report) => resolve(report as LaneReport));
  child.on("close", () => {
    const [line = "its process ended"] = complaint.split("\n").filter((each) => /Error/.test(each));
    resolve({ engine: name, failure: line });
  });
  return promise;
}
