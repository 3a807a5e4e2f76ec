import { useEffect, useState } from "preact/hooks";
import type { OutputPage } from "../api.ts";
import { type AnsiStyle, parseAnsi, plainStyle, type StyledText } from "./ansi.ts";
import { formatBytes } from "./format.ts";
import { ActionButton } from "./parts.tsx";
import { apiPath, get } from "./request.ts";
import { toastError } from "./store.ts";

/** A text of a terminal, with its colours. */
export function AnsiText({ text }: { text: string }) {
  return <StyledTexts parts={parseAnsi(text).parts} />;
}

function StyledTexts({ parts }: { parts: readonly StyledText[] }) {
  return (
    <>
      {parts.map(({ text, classes }, index) =>
        classes === "" ? (
          <>{text}</>
        ) : (
          <span key={index} class={classes}>
            {text}
          </span>
        ),
      )}
    </>
  );
}

/** A stored output, part by part. */
export function Output({ workspace, first }: { workspace: string; first: OutputPage }) {
  const [more, setMore] = useState<readonly OutputPage[]>([]);
  useEffect(() => setMore([]), [first.handle, first.bytes]);
  const pages = [first, ...more];
  const next = pages.at(-1)!.next;
  const load = async () => {
    const page = await get<OutputPage>(apiPath("outputs", workspace, first.handle), { offset: String(next) });
    setMore([...more, page]);
  };
  let style: AnsiStyle = plainStyle;
  return (
    <section aria-label="Output">
      <h3>
        Output <span class="muted">{formatBytes(first.bytes)}</span>
      </h3>
      <div class="output" role="group" aria-label="Output of the call" tabIndex={0}>
        {pages.map((page) => {
          const { parts, style: next } = parseAnsi(page.text, style);
          style = next;
          return (
            <pre key={page.offset}>
              <StyledTexts parts={parts} />
            </pre>
          );
        })}
      </div>
      {next !== null && (
        <ActionButton run={() => load().catch(toastError)}>
          Show more ({formatBytes(first.bytes - next)} left)
        </ActionButton>
      )}
    </section>
  );
}
