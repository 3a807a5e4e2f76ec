import type { ToolImage } from "../contract/tool.ts";
import type { CallOptions, Toolcrib } from "../toolcrib/index.ts";
import type { OpenAiChatTool, OpenAiTool } from "../wire/openai.ts";
import { type ReadInput, readArguments, readFreeform, readStrict } from "../wire/read-arguments.ts";
import { type Answered, answerCalls, definitionOf, type ModelCall, patchTool } from "./calls.ts";

export type { OpenAiChatTool, OpenAiCustomTool, OpenAiFunction, OpenAiTool } from "../wire/openai.ts";

/** Returns the tools for `openai.responses.create({ tools })`. */
export async function responsesTools(crib: Toolcrib): Promise<OpenAiTool[]> {
  return [...(await crib.definitions({ for: "openai" }))];
}

/** Makes the calls in `response.output`. Returns the items that answer them, for the input of the next request. */
export async function answerResponses(
  crib: Toolcrib,
  output: readonly { readonly type: string }[],
  options: CallOptions = {},
): Promise<ResponsesAnswer[]> {
  const items = output as readonly ResponsesItem[];
  const calls = await Promise.all(items.filter((item) => item !== null).map((item) => readItem(crib, item)));
  return answerCalls(crib, calls.flat(), options, ({ item }, result) => {
    const { call_id } = item;
    switch (item.type) {
      case "custom_tool_call":
        return { type: "custom_tool_call_output", call_id, output: contentOf(result) };
      case "apply_patch_call": {
        const status = result.isError ? "failed" : "completed";
        return { type: "apply_patch_call_output", call_id, status, output: result.content };
      }
      default:
        return { type: "function_call_output", call_id, output: contentOf(result) };
    }
  });
}

export type ResponsesAnswer =
  | {
      type: "function_call_output" | "custom_tool_call_output";
      call_id: string;
      output: string | ResponsesContent[];
    }
  | { type: "apply_patch_call_output"; call_id: string; status: "completed" | "failed"; output: string };

export type ResponsesContent =
  | { type: "input_text"; text: string }
  | { type: "input_image"; image_url: string; detail: "auto" };

/** Returns the tools for `openai.chat.completions.create({ tools })`, and for compatible servers. */
export async function chatTools(crib: Toolcrib): Promise<OpenAiChatTool[]> {
  return [...(await crib.definitions({ for: "openai-chat" }))];
}

/**
 * Makes the calls of `completion.choices[0].message`. Returns the messages that answer them. Images follow in a message
 * of their own, because an answer takes only text.
 */
export async function answerChat(
  crib: Toolcrib,
  message: { readonly tool_calls?: readonly ChatCall[] | null | undefined },
  options: CallOptions = {},
): Promise<ChatAnswer[]> {
  const calls = await Promise.all((message.tool_calls ?? []).map((call) => readChatCall(crib, call)));
  const answers = await answerCalls(crib, calls, options, ({ item, name }, { content, images }) => ({
    answer: { role: "tool" as const, tool_call_id: item.id, content },
    shown:
      images.length === 0 ? [] : [{ type: "text" as const, text: `From ${name}:` }, ...images.map(chatImage)],
  }));
  const shown = answers.flatMap((answer) => answer.shown);
  return [
    ...answers.map(({ answer }) => answer),
    ...(shown.length === 0 ? [] : [{ role: "user" as const, content: shown }]),
  ];
}

export type ChatCall =
  | {
      readonly id: string;
      readonly type: "function";
      readonly function: { readonly name: string; readonly arguments: string };
    }
  | {
      readonly id: string;
      readonly type: "custom";
      readonly custom: { readonly name: string; readonly input: string };
    };

export type ChatAnswer =
  | { role: "tool"; tool_call_id: string; content: string }
  | { role: "user"; content: ChatContent[] };

export type ChatContent = { type: "text"; text: string } | { type: "image_url"; image_url: { url: string } };

interface ResponsesItem {
  readonly type: string;
  readonly call_id: string;
  readonly name: string;
  readonly arguments: unknown;
  readonly input: unknown;
  readonly operation: unknown;
}

async function readItem(crib: Toolcrib, item: ResponsesItem): Promise<readonly ModelCall<ResponsesItem>[]> {
  const { call_id: id, name } = item;
  switch (item.type) {
    case "function_call":
      return [{ item, id, name, input: await readObject(crib, name, item.arguments) }];
    case "custom_tool_call":
      return [{ item, id, name, input: await readText(crib, name, item.input) }];
    case "apply_patch_call": {
      const tool = (await patchTool(crib)) ?? "edit.patch";
      const patch = patchOf(item.operation);
      const input = patch.ok ? await readText(crib, tool, patch.value) : patch;
      return [{ item, id, name: tool, input }];
    }
    default:
      return [];
  }
}

async function readChatCall(crib: Toolcrib, item: ChatCall): Promise<ModelCall<ChatCall>> {
  const { id } = item;
  if (item.type === "custom") {
    const { name = "", input } = item.custom ?? {};
    return { item, id, name, input: await readText(crib, name, input) };
  }
  const { name = "", arguments: given } = item.function ?? {};
  return { item, id, name, input: await readObject(crib, name, given) };
}

async function readObject(crib: Toolcrib, name: string, given: unknown): Promise<ReadInput> {
  return readStrict(await definitionOf(crib, name), readArguments(given));
}

async function readText(crib: Toolcrib, name: string, text: unknown): Promise<ReadInput> {
  return readFreeform(await definitionOf(crib, name), { name, text });
}

/** Writes the patch for one operation of OpenAI's `apply_patch`, which may touch only the file that the operation names. */
function patchOf(operation: unknown): ReadInput {
  const { type, path, diff = "" } = (operation ?? {}) as Record<string, unknown>;
  const verb = typeof type === "string" ? patchVerbs.get(type) : undefined;
  if (verb === undefined || typeof path !== "string" || typeof diff !== "string")
    return { ok: false, problem: "The operation is not create_file, update_file or delete_file of a path." };
  if (/[\r\n]/.test(path)) return { ok: false, problem: "The path of the operation contains a line break." };
  if (/^\*\*\*(?! End of File\s*$)/m.test(diff))
    return { ok: false, problem: "The diff of the operation contains a patch header (***)." };
  const body = diff === "" ? "" : `${diff.replace(/\n$/, "")}\n`;
  return { ok: true, value: `*** Begin Patch\n*** ${verb} File: ${path}\n${body}*** End Patch` };
}

const patchVerbs = new Map([
  ["create_file", "Add"],
  ["update_file", "Update"],
  ["delete_file", "Delete"],
]);

function contentOf({ content, images }: Answered): string | ResponsesContent[] {
  if (images.length === 0) return content;
  const pictures = images.map((image) => ({
    type: "input_image" as const,
    image_url: dataUrl(image),
    detail: "auto" as const,
  }));
  return content === "" ? pictures : [{ type: "input_text", text: content }, ...pictures];
}

function chatImage(image: ToolImage): ChatContent {
  return { type: "image_url", image_url: { url: dataUrl(image) } };
}

function dataUrl({ mediaType, base64 }: ToolImage): string {
  return `data:${mediaType};base64,${base64}`;
}
