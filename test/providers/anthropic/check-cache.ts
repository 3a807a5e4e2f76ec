import { type AnthropicRequest, type Block, blocksOf, type CacheControl } from "./request.ts";

const most = 4;

/** Checks the cache marks: at most four, only on cacheable blocks, longer ones first. */
export function cacheFaults({ tools, system, messages, cache_control }: AnthropicRequest): string[] {
  const marks: CacheControl[] = [];
  const faults: string[] = [];
  const look = (block: Block, at: string) => {
    if (block.cache_control == null) return;
    marks.push(block.cache_control);
    if (unmarkable.has(block.type) || block.text === "")
      faults.push(`${at}: cache_control cannot be set for ${block.type} blocks.`);
  };
  for (const { cache_control: mark } of tools ?? []) if (mark) marks.push(mark);
  if (typeof system === "object") for (const block of system) look(block, "system");
  for (const [index, { content }] of messages.entries())
    for (const block of blocksOf(content)) {
      look(block, `messages.${index}`);
      if (block.type === "tool_result")
        for (const inner of blocksOf(block.content ?? [])) look(inner, `messages.${index}`);
    }
  if (cache_control) marks.push(cache_control);
  return [
    ...faults,
    ...(marks.length > most
      ? [`A maximum of ${most} blocks with cache_control may be provided. Found ${marks.length}.`]
      : []),
    ...marks.filter((mark) => !isLegal(mark)).map((mark) => `cache_control: ${JSON.stringify(mark)}.`),
    ...(marks.some(({ ttl }, index) => ttl === "1h" && marks.slice(0, index).some(isShort))
      ? ["cache_control: a ttl of 1h must not come after one of 5m."]
      : []),
  ];
}

const unmarkable = new Set(["thinking", "redacted_thinking"]);

function isShort({ ttl }: CacheControl): boolean {
  return ttl !== "1h";
}

function isLegal({ type, ttl, ...rest }: CacheControl): boolean {
  return type === "ephemeral" && ["5m", "1h", undefined].includes(ttl) && Object.keys(rest).length === 0;
}
