import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openToolcrib, type Toolcrib, type ToolcribOptions } from "toolcrib";
import { type Loopback, serveTurns } from "../../../examples/loopback.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** A call that the model makes: its name and its arguments. */
export type ModelCall = readonly [name: string, input: object];

export interface ChatModel extends Loopback {
  /** The messages of each request. */
  readonly requests: readonly (readonly { readonly role: string; readonly content: unknown }[])[];
}

/** A Chat Completions server on this machine that makes calls, or says a text, one turn after the other. */
export async function chatModel(turns: readonly (readonly ModelCall[] | string)[]): Promise<ChatModel> {
  const requests: ChatModel["requests"][number][] = [];
  let calls = 0;
  const served = await serveTurns(
    turns.map((turn) => ({ messages }) => {
      requests.push(messages);
      const message =
        typeof turn === "string"
          ? { content: turn }
          : {
              content: null,
              tool_calls: turn.map(([name, input]) => {
                calls += 1;
                return {
                  id: `call_${calls}`,
                  type: "function",
                  function: { name, arguments: JSON.stringify(input) },
                };
              }),
            };
      const finish_reason = typeof turn === "string" ? "stop" : "tool_calls";
      const choices = [{ index: 0, finish_reason, message: { role: "assistant", ...message } }];
      const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
      return {
        id: `chatcmpl_${requests.length}`,
        object: "chat.completion",
        created: 0,
        model: "any",
        choices,
        usage,
      };
    }),
  );
  return { ...served, requests };
}

export interface Project extends AsyncDisposable {
  readonly folder: string;
  readonly toolcrib: Toolcrib;
  /** Opens another instance of the workspace, as another process would. */
  reopen(): Promise<Toolcrib>;
}

/** A workspace with `poem.txt`, in a mode that asks before each change. */
export async function openProject(options: ToolcribOptions = {}): Promise<Project> {
  const temporary = temporaryFolder();
  const folder = join(temporary.path, "work");
  mkdirSync(folder);
  writeFileSync(join(folder, "poem.txt"), "one\ntwo\n");
  const opened: Toolcrib[] = [];
  const reopen = async () => {
    const directories = { stateDirectory: `${folder}-state`, configDirectory: `${folder}-config` };
    const instance = await openToolcrib({ workspace: folder, mode: "safe", ...directories, ...options });
    opened.push(instance);
    return instance;
  };
  return {
    folder,
    toolcrib: await reopen(),
    reopen,
    [Symbol.asyncDispose]: async () => {
      await Promise.all(opened.map((instance) => instance.close()));
      await temporary[Symbol.asyncDispose]();
    },
  };
}
