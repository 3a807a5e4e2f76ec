import { useState } from "preact/hooks";
import type { DiffLine, FileDiff, Hunk } from "../api.ts";
import { formatCount, printableLine } from "./format.ts";
import { highlightLine } from "./highlight.ts";
import { diffView } from "./settings.ts";

/** Lines of a file that are shown before the user asks for more. */
const shownLines = 400;

interface DiffsProps {
  readonly files: readonly FileDiff[];
  /** Offers to undo a hunk. */
  readonly undoHunk?: ((file: FileDiff, hunk: Hunk) => void) | undefined;
}

export function Diffs({ files, undoHunk }: DiffsProps) {
  return (
    <div class="diffs">
      {files.map((file) => (
        <FileChange key={`${file.movedFrom} ${file.path}`} file={file} undoHunk={undoHunk} />
      ))}
    </div>
  );
}

export function DiffViewSwitch() {
  const other = diffView.value === "unified" ? "split" : "unified";
  return (
    <button
      type="button"
      class="plain only-wide"
      aria-keyshortcuts="v"
      onClick={() => {
        diffView.value = other;
      }}
    >
      {other === "split" ? "Side by side" : "Unified"}
    </button>
  );
}

function FileChange({ file, undoHunk }: { file: FileDiff; undoHunk: DiffsProps["undoHunk"] }) {
  const [limit, setLimit] = useState(shownLines);
  const all = file.hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0);
  const { added, removed } = countLines(file);
  let left = limit;
  return (
    <section class="file-diff" aria-label={`Changes of ${printableLine(file.path)}`}>
      <header>
        <span class={`file-kind kind-${file.kind}`}>{file.kind}</span>
        <span class="path" title={printableLine(file.path)}>
          {file.movedFrom !== null && `${printableLine(file.movedFrom)} → `}
          {printableLine(file.path)}
        </span>
        {all > 0 && (
          <span class="line-counts">
            <span class="added">+{added}</span> <span class="removed">−{removed}</span>
          </span>
        )}
      </header>
      {file.note !== null && <p class="note">{file.note}</p>}
      {file.hunks.map((hunk) => {
        const lines = hunk.lines.slice(0, Math.max(0, left));
        left -= hunk.lines.length;
        return lines.length === 0 ? null : (
          <HunkLines
            key={hunk.number}
            hunk={{ ...hunk, lines }}
            path={file.path}
            undo={undoHunk && (() => undoHunk(file, hunk))}
            isOnly={file.hunks.length === 1}
          />
        );
      })}
      {all > limit && (
        <button type="button" class="more-lines" onClick={() => setLimit(limit * 10)}>
          Show {formatCount(Math.min(all - limit, limit * 9), "more line")}
        </button>
      )}
    </section>
  );
}

interface HunkProps {
  readonly hunk: Hunk;
  readonly path: string;
  readonly undo: (() => void) | undefined;
  /** Whether the file has no other hunk. */
  readonly isOnly: boolean;
}

function HunkLines({ hunk, path, undo, isOnly }: HunkProps) {
  const isSplit = diffView.value === "split";
  return (
    <div class={isSplit ? "hunk split" : "hunk"}>
      <div class="hunk-head">
        <span>
          @@ −{hunk.oldStart} +{hunk.newStart}
        </span>
        {undo !== undefined && (
          <button type="button" class="plain" onClick={undo}>
            {isOnly ? "Undo this change" : `Undo hunk ${hunk.number}`}
          </button>
        )}
      </div>
      {/* Long lines scroll, also with the keyboard. */}
      <div class="hunk-lines" role="group" aria-label={`Hunk ${hunk.number}`} tabIndex={0}>
        <table>
          <tbody>{isSplit ? splitRows(hunk, path) : unifiedRows(hunk, path)}</tbody>
        </table>
      </div>
    </div>
  );
}

function unifiedRows(hunk: Hunk, path: string) {
  let oldLine = hunk.oldStart;
  let newLine = hunk.newStart;
  return hunk.lines.map((line, index) => (
    <tr key={index} class={rowClass(line)}>
      <td class="number">{line.kind === "+" ? "" : oldLine++}</td>
      <td class="number">{line.kind === "-" ? "" : newLine++}</td>
      <td class="mark">{line.kind === "-" ? "−" : line.kind}</td>
      <td class="code">
        <LineText line={line} path={path} />
      </td>
    </tr>
  ));
}

function splitRows(hunk: Hunk, path: string) {
  let oldLine = hunk.oldStart;
  let newLine = hunk.newStart;
  return pairLines(hunk.lines).map(([left, right], index) => (
    <tr key={index}>
      <td class={`number ${rowClass(left)}`}>{left && oldLine++}</td>
      <td class={`code ${rowClass(left)}`}>{left && <LineText line={left} path={path} isMarked />}</td>
      <td class={`number ${rowClass(right)}`}>{right && newLine++}</td>
      <td class={`code ${rowClass(right)}`}>{right && <LineText line={right} path={path} isMarked />}</td>
    </tr>
  ));
}

/** Puts removed lines next to the added lines that replace them. */
function pairLines(
  lines: readonly DiffLine[],
): readonly (readonly [DiffLine | undefined, DiffLine | undefined])[] {
  const rows: [DiffLine | undefined, DiffLine | undefined][] = [];
  let open = 0;
  for (const line of lines) {
    if (line.kind === " ") {
      rows.push([line, line]);
      open = rows.length;
    } else if (line.kind === "-") rows.push([line, undefined]);
    else {
      const row = rows.slice(open).find(([, right]) => right === undefined);
      if (row === undefined) rows.push([undefined, line]);
      else row[1] = line;
    }
  }
  return rows;
}

function rowClass(line: DiffLine | undefined): string {
  if (line === undefined) return "blank";
  return line.kind === "+" ? "added" : line.kind === "-" ? "removed" : "";
}

function LineText({ line, path, isMarked = false }: { line: DiffLine; path: string; isMarked?: boolean }) {
  const mark = isMarked ? `${line.kind === "-" ? "−" : line.kind} ` : "";
  const pieces = [];
  let end = 0;
  for (const [start, stop, kind] of line.spans ?? highlightLine(line.text, path)) {
    if (start > end) pieces.push(<>{line.text.slice(end, start)}</>);
    pieces.push(
      <span class={`hl-${kind.split(/[^a-z]/, 1)[0]}`}>{line.text.slice(Math.max(start, end), stop)}</span>,
    );
    end = Math.max(end, stop);
  }
  return (
    <>
      {mark}
      {pieces}
      {line.text.slice(end)}
    </>
  );
}

function countLines({ hunks }: FileDiff): { added: number; removed: number } {
  const lines = hunks.flatMap((hunk) => hunk.lines);
  return {
    added: lines.filter(({ kind }) => kind === "+").length,
    removed: lines.filter(({ kind }) => kind === "-").length,
  };
}
