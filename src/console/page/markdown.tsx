import type { ComponentChildren } from "preact";
import { Fragment } from "preact";

/**
 * Shows the Markdown that models write as elements: paragraphs, headings, lists, code blocks, quotes, and inline code and
 * emphasis. Links and images stay text, because the page leads only to its own routes.
 */
export function Markdown({ text }: { text: string }) {
  return <div class="markdown">{blocksOf(text).map((block, index) => showBlock(block, index))}</div>;
}

type Block =
  | { readonly kind: "code" | "heading" | "quote" | "paragraph"; readonly lines: string[] }
  | { readonly kind: "list"; readonly isOrdered: boolean; readonly lines: string[] };

function blocksOf(text: string): readonly Block[] {
  const blocks: Block[] = [];
  let fence: string | null = null;
  let isNew = true;
  const add = (block: Block, continues: boolean) => {
    const last = blocks.at(-1);
    if (continues && !isNew && last?.kind === block.kind) last.lines.push(...block.lines);
    else blocks.push(block);
    isNew = false;
  };
  for (const line of text.split("\n")) {
    const opening = /^\s*(```+|~~~+)/.exec(line)?.[1];
    if (fence !== null) {
      if (opening !== undefined && line.trim().startsWith(fence)) {
        fence = null;
        isNew = true;
      } else blocks.at(-1)!.lines.push(line);
    } else if (opening !== undefined) {
      fence = opening;
      blocks.push({ kind: "code", lines: [] });
    } else if (line.trim() === "") isNew = true;
    else addLine(line, add);
  }
  return blocks;
}

function addLine(line: string, add: (block: Block, continues: boolean) => void): void {
  const item = /^\s*(?:([-*+])|\d+[.)])\s+(.*)$/.exec(line);
  const heading = /^#{1,6}\s+(.*)$/.exec(line);
  const quote = /^>\s?(.*)$/.exec(line);
  if (heading) add({ kind: "heading", lines: [heading[1]!] }, false);
  else if (quote) add({ kind: "quote", lines: [quote[1]!] }, true);
  else if (item) add({ kind: "list", isOrdered: item[1] === undefined, lines: [item[2]!] }, true);
  else add({ kind: "paragraph", lines: [line] }, true);
}

function showBlock(block: Block, key: number) {
  if (block.kind === "code") return <pre key={key}>{block.lines.join("\n")}</pre>;
  if (block.kind === "heading")
    return (
      <p key={key} class="markdown-heading">
        {inline(block.lines.join(" "))}
      </p>
    );
  if (block.kind === "quote") return <blockquote key={key}>{inline(block.lines.join("\n"))}</blockquote>;
  if (block.kind !== "list") return <p key={key}>{inline(block.lines.join("\n"))}</p>;
  const items = block.lines.map((line, index) => <li key={index}>{inline(line)}</li>);
  return block.isOrdered ? <ol key={key}>{items}</ol> : <ul key={key}>{items}</ul>;
}

/** Splits at `code`, **strong** and *emphasis*. */
function inline(text: string): ComponentChildren {
  const pieces = text.split(/(`[^`\n]+`|\*\*[^*\n]+\*\*|(?<![\w*])\*[^*\s][^*\n]*\*(?![\w*]))/);
  return pieces.map((piece, index) => {
    if (index % 2 === 0) return <Fragment key={index}>{piece}</Fragment>;
    if (piece.startsWith("`")) return <code key={index}>{piece.slice(1, -1)}</code>;
    if (piece.startsWith("**")) return <strong key={index}>{piece.slice(2, -2)}</strong>;
    return <em key={index}>{piece.slice(1, -1)}</em>;
  });
}
