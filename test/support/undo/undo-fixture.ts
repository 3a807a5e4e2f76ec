import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Environment } from "../../../src/contract/environment.ts";
import type { EntryState } from "../../../src/contract/history.ts";
import { openLocalEnvironment } from "../../../src/environment/local/local-environment.ts";
import {
  type CallResult,
  openToolcrib,
  type Toolcrib,
  type ToolcribOptions,
} from "../../../src/toolcrib/index.ts";
import type { TargetWorkspace } from "../remote/target-workspace.ts";

/** An instance on the disk, in memory or on a target, in which calls are made and undone. */
export interface UndoFixture extends AsyncDisposable {
  readonly crib: Toolcrib;
  /** The same workspace, as another program sees and changes it. */
  readonly elsewhere: Environment;
  readonly path: (relative: string) => string;
  readonly state: string;
  /** Makes a call that has to succeed. */
  call(tool: string, input: object): Promise<CallResult>;
  /** Another instance in the same workspace, with its own session. */
  reopen(options?: ToolcribOptions): Promise<Toolcrib>;
}

/** `on`: the workspace of a target, instead of one on this machine. */
export async function openUndoFixture(
  options: ToolcribOptions & {
    readonly files?: Readonly<Record<string, string | Uint8Array>>;
    readonly on?: TargetWorkspace | undefined;
  } = {},
): Promise<UndoFixture> {
  const { files = {}, on, environment = on?.environment, ...rest } = options;
  const home = mkdtempSync(join(tmpdir(), "toolcrib undo "));
  const workspace = on?.here ?? mkdtempSync(join(home, "work space "));
  on?.empty();
  const elsewhere = options.environment ?? openLocalEnvironment({ workspace });
  for (const [path, content] of Object.entries(files)) await elsewhere.writeFile(path, Buffer.from(content));
  const state = join(home, "state");
  const open = (more: ToolcribOptions = {}) =>
    openToolcrib({
      workspace: environment ? undefined : workspace,
      environment,
      stateDirectory: state,
      configDirectory: join(home, "config"),
      mode: "yolo",
      ...(on && { sandbox: "none" }),
      ...rest,
      ...more,
    });
  const crib = await open();
  return {
    crib,
    elsewhere,
    path: (relative) => join(workspace, relative),
    state,
    call: async (tool, input) => {
      const result = await crib.call(tool, input);
      if (result.isError) throw new Error(`${tool} ${JSON.stringify(input)}: ${result.content}`);
      return result;
    },
    reopen: open,
    [Symbol.asyncDispose]: async () => {
      await crib.close();
      await elsewhere.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** Describes every path of a workspace. */
export async function wholeOf(environment: Environment): Promise<Readonly<Record<string, EntryState>>> {
  const whole: Record<string, EntryState> = {};
  const pending = [await environment.openDirectory(".")];
  for (let directory = pending.pop(); directory !== undefined; directory = pending.pop()) {
    for (const { name, kind } of await directory.entries()) {
      const path = directory.path === "" ? name : `${directory.path}/${name}`;
      whole[path] = await environment.state(path);
      if (kind === "directory") pending.push(await directory.openDirectory(name));
    }
    directory.close();
  }
  return Object.fromEntries(Object.entries(whole).sort(([one], [other]) => (one < other ? -1 : 1)));
}
