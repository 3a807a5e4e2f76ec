import { mayBeStopped } from "../stopped-reply.ts";
import { isThinking } from "./check-request.ts";
import { type AnthropicRequest, type Block, blocksOf, type MessageParam, textOf } from "./request.ts";
import type { SentReplies } from "./sent-replies.ts";

export function messageFaults(body: AnthropicRequest, sent: SentReplies): string[] {
  const { messages } = body;
  if (!Array.isArray(messages) || messages.length === 0)
    return ["messages: at least one message is required."];
  const names = new Set((body.tools ?? []).map(({ name }) => name));
  const deferred = new Set((body.tools ?? []).flatMap((tool) => (tool.defer_loading ? [tool.name] : [])));
  const ids = new Set<string>();
  const faults = messages.flatMap((message, index) => {
    const tell = (fault: string) => `messages.${index}: ${fault}`;
    const blocks = blocksOf(message.content);
    const needsThoughts = isThinking(body) && !isStopped(blocks, messages[index + 1]);
    const own =
      message.role === "assistant"
        ? assistantFaults(blocks, { ids, sent, model: String(body.model), needsThoughts })
        : [...userFaults(blocks, usesOf(messages[index - 1])), ...referenceFaults(blocks, deferred)];
    return [...shapeFaults(message, messages[index - 1]), ...blocks.flatMap(blockFaults), ...own].map(tell);
  });
  return [
    ...faults,
    ...unreasonedFaults(body),
    ...(messages[0]!.role === "user" ? [] : ["messages: first message must use the user role."]),
    ...(messages.at(-1)!.role === "user"
      ? []
      : ["messages: the conversation must end with a user message; this model does not support prefill."]),
    ...(ids.size > 0 && names.size === 0
      ? ["tools: must be given while messages hold tool_use blocks."]
      : []),
  ];
}

/**
 * Models with a thinking budget do not start thinking while the calls of a reply without thinking are being answered.
 */
function unreasonedFaults({ messages, thinking }: AnthropicRequest): string[] {
  const reply = messages.findLast(({ role }) => role === "assistant");
  if (thinking?.type !== "enabled" || reply === undefined || usesOf(reply).length === 0) return [];
  const [first] = blocksOf(reply.content);
  return isThought(first!)
    ? []
    : [
        `Expected thinking or redacted_thinking, but found ${first!.type}. When thinking is enabled, a final assistant message must start with a thinking block.`,
      ];
}

function shapeFaults(message: MessageParam, before: MessageParam | undefined): string[] {
  const { role, content, ...rest } = message;
  return [
    ...Object.keys(rest).map((field) => `${field}: Extra inputs are not permitted.`),
    ...(role === "user" || role === "assistant" ? [] : [`role: ${role} is not a role.`]),
    ...(before?.role === role ? [`roles must alternate, but two of "${role}" follow each other.`] : []),
    ...(content.length > 0 ? [] : ["content must not be empty."]),
  ];
}

/** The fields that a block may have besides its type. Cache marks are checked elsewhere. */
const blockFields: Record<string, readonly string[]> = {
  text: ["text", "cache_control"],
  image: ["source", "cache_control"],
  thinking: ["thinking", "signature"],
  redacted_thinking: ["data"],
  tool_use: ["id", "name", "input", "cache_control"],
  tool_result: ["tool_use_id", "content", "is_error", "cache_control"],
  tool_reference: ["tool_name"],
};

function blockFaults(block: Block): string[] {
  const known = blockFields[block.type];
  if (known === undefined) return [`${block.type} is not a known block type.`];
  const extra = Object.keys(block).filter((field) => field !== "type" && !known.includes(field));
  return [
    ...extra.map((field) => `${block.type}.${field}: Extra inputs are not permitted.`),
    ...(block.type === "text" && !block.text?.trim() ? ["text content blocks must be non-empty."] : []),
    ...(block.type === "image" ? imageFaults(block) : []),
  ];
}

const pictures: Record<string, RegExp> = {
  "image/png": /^iVBORw0KGgo/,
  "image/jpeg": /^\/9j\//,
  "image/gif": /^R0lGOD/,
  "image/webp": /^UklGR/,
};

function imageFaults({ source }: Block): string[] {
  const { type, media_type = "", data = "" } = source ?? {};
  if (type !== "base64") return [`image.source: ${type} is not base64.`];
  const form = pictures[media_type];
  if (!form)
    return [`image.source.media_type: ${media_type} is not one of ${Object.keys(pictures).join(", ")}.`];
  return form.test(data)
    ? []
    : [`The image was specified as ${media_type} and appears to be something else.`];
}

interface Reply {
  readonly ids: Set<string>;
  readonly sent: SentReplies;
  readonly model: string;
  readonly needsThoughts: boolean;
}

function assistantFaults(blocks: readonly Block[], { ids, sent, model, needsThoughts }: Reply): string[] {
  const uses = blocks.filter(({ type }) => type === "tool_use");
  const thoughts = blocks.filter(isThought);
  const firstUse = blocks.findIndex(({ type }) => type === "tool_use");
  const isAfterUse = ({ type }: Block, index: number) => type === "text" && index > firstUse;
  return [
    ...blocks
      .filter(({ type }) => type === "tool_result" || type === "image")
      .map(({ type }) => `${type} blocks can only be in user messages.`),
    ...(firstUse >= 0 && blocks.some(isAfterUse) ? ["text must not follow tool_use."] : []),
    ...uses.flatMap((use) => useFaults(use, ids, sent)),
    ...thoughts
      .filter((thought) => !sent.isThought(thought, model))
      .map(
        ({ type }) => `Invalid signature in ${type} block: it was not given with these words by this model.`,
      ),
    ...(thoughts.length > 0 && !isThought(blocks[0]!)
      ? ["thinking blocks must be first in an assistant message."]
      : []),
    ...(needsThoughts && sent.hasItsThoughts(blocks, model) === false
      ? ["thinking blocks must be sent back unchanged, and these have changed."]
      : []),
  ];
}

function useFaults(use: Block, ids: Set<string>, sent: SentReplies): string[] {
  const { id = "", name = "", input } = use;
  const isTwice = ids.has(id);
  ids.add(id);
  return [
    ...(/^[a-zA-Z0-9_-]+$/.test(id) ? [] : [`tool_use.id: ${id} must match ^[a-zA-Z0-9_-]+$.`]),
    ...(/^[a-zA-Z0-9_-]{1,128}$/.test(name) ? [] : [`tool_use.name: ${name} is invalid.`]),
    ...(isTwice ? [`tool_use ids must be unique: ${id}.`] : []),
    ...(typeof input === "object" && input !== null && !Array.isArray(input)
      ? []
      : [`tool_use.input: Input should be a valid dictionary (${id}).`]),
    ...(sent.hasItsInput(use) === false ? [`tool_use.input: ${id} is sent back with other arguments.`] : []),
  ];
}

function userFaults(blocks: readonly Block[], uses: readonly Block[]): string[] {
  const results = blocks.filter(({ type }) => type === "tool_result");
  const wanted = uses.map(({ id }) => id!);
  const given = results.map(({ tool_use_id }) => tool_use_id!);
  const firstOther = blocks.findIndex(({ type }) => type !== "tool_result");
  return [
    ...blocks
      .filter(({ type }) => type === "tool_use" || isThought({ type }))
      .map(({ type }) => `${type} blocks can only be in assistant messages.`),
    ...wanted
      .filter((id) => !given.includes(id))
      .map((id) => `tool_use ids were found without tool_result blocks immediately after: ${id}.`),
    ...given
      .filter((id) => !wanted.includes(id))
      .map((id) => `unexpected tool_use_id found in tool_result blocks: ${id}.`),
    ...given
      .filter((id, index) => given.indexOf(id) !== index)
      .map(
        (id) => `each tool_use must have a single result. Found multiple tool_result blocks with id ${id}.`,
      ),
    ...(firstOther >= 0 && blocks.slice(firstOther).some(({ type }) => type === "tool_result")
      ? ["tool_result blocks must be first in the message."]
      : []),
    ...results.flatMap(resultFaults),
  ];
}

function resultFaults({ content = "", is_error }: Block): string[] {
  const inner = typeof content === "string" ? [] : content;
  return [
    ...inner.flatMap(blockFaults),
    ...inner
      .filter(({ type }) => type !== "text" && type !== "image" && type !== "tool_reference")
      .map(({ type }) => `tool_result.content: ${type} is not allowed.`),
    ...(is_error && inner.some(({ type }) => type !== "text")
      ? ['tool_result: all content must be type "text" if "is_error" is true.']
      : []),
  ];
}

/** A result may refer only to deferred tools, and then contains nothing else. */
function referenceFaults(blocks: readonly Block[], deferred: ReadonlySet<string>): string[] {
  return blocks.flatMap(({ type, content = "" }) => {
    const inner = type === "tool_result" && typeof content !== "string" ? content : [];
    const references = inner.filter((block) => block.type === "tool_reference");
    return [
      ...references
        .filter(({ tool_name }) => !deferred.has(String(tool_name)))
        .map(({ tool_name }) => `Tool reference '${tool_name}' not found in available deferred tools.`),
      ...(references.length > 0 && references.length < inner.length
        ? ["tool_result: tool_reference blocks cannot be mixed with others."]
        : []),
    ];
  });
}

function isStopped(blocks: readonly Block[], next: MessageParam | undefined): boolean {
  const isBareText = blocks.every(({ type }) => type === "text");
  return mayBeStopped({ isBareText }, next && textOf(blocksOf(next.content)));
}

function usesOf(message: MessageParam | undefined): readonly Block[] {
  if (message?.role !== "assistant") return [];
  return blocksOf(message.content).filter(({ type }) => type === "tool_use");
}

function isThought({ type }: Block): boolean {
  return type === "thinking" || type === "redacted_thinking";
}
