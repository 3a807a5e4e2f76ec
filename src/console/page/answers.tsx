import { effect } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { AnswerRequest, ApprovalChoice, Overview, PendingQuestion } from "../api.ts";
import { formatCount } from "./format.ts";
import { holdKeys, useKeys } from "./keyboard.ts";
import { Key } from "./parts.tsx";
import { get, post, RequestError } from "./request.ts";
import { answered, keyOfQuestion, overview, picked, questions, toast, toastError } from "./store.ts";

type Answer = Pick<AnswerRequest, "answer" | "message">;

/** Sends an answer, bound to what was shown. */
async function sendAnswer(question: PendingQuestion, answer: Answer): Promise<void> {
  const { workspace, id, shown } = question;
  const bound = { workspace, id, shown };
  try {
    await post<object, AnswerRequest>("/api/approvals/answer", { ...bound, ...answer });
    answered.value = new Set([...answered.value, keyOfQuestion(question)]);
  } catch (error) {
    if (!(error instanceof RequestError) || error.status !== 409) throw error;
    overview.value = await get<Overview>("/api/overview");
    toast(error.message, { kind: "error" });
  }
}

/** Keys count only for the selected question. No answer counts in the moment in which another question takes its place. */
const settleMs = 400;

let lastMove = Number.NEGATIVE_INFINITY;
let shown: ReadonlySet<string> = new Set();
effect(() => {
  const now = new Set(questions.value.map(keyOfQuestion));
  if ([...shown].some((key) => !now.has(key))) lastMove = performance.now();
  shown = now;
});

function isInView(element: Element | null): boolean {
  if (element === null) return false;
  const { top, bottom } = element.getBoundingClientRect();
  return top >= 0 && bottom <= innerHeight;
}

/** The bar that answers all picked questions; nothing when none is picked. */
export function AnswerTogether() {
  const [isBusy, setBusy] = useState(false);
  const chosen = questions.value.filter((question) => picked.value.has(keyOfQuestion(question)));
  if (chosen.length === 0) return null;
  const answerAll = async (answer: Answer) => {
    if (isBusy || performance.now() - lastMove < settleMs) return;
    setBusy(true);
    // One that can no longer be answered must not keep the others waiting.
    for (const question of chosen) await sendAnswer(question, answer).catch(toastError);
    picked.value = new Set();
    setBusy(false);
  };
  return (
    <div class="answers" role="group" aria-label="Answer the picked questions">
      <span>{formatCount(chosen.length, "question")} picked</span>
      <button
        type="button"
        class="primary"
        disabled={isBusy}
        onClick={() => void answerAll({ answer: "once" })}
      >
        Allow all once
      </button>
      <button type="button" disabled={isBusy} onClick={() => void answerAll({ answer: "no" })}>
        Deny all
      </button>
      <button
        type="button"
        disabled={isBusy}
        onClick={() => {
          picked.value = new Set();
        }}
      >
        Pick none
      </button>
    </div>
  );
}

interface AnswersProps {
  readonly question: PendingQuestion;
  readonly isSelected: boolean;
}

/** Keeps what the user chooses for a question. Returns the keys for it, and the function that sends an answer. */
function useAnswer({ question, isSelected }: AnswersProps) {
  const [isBusy, setBusy] = useState(false);
  const selectedAt = useRef(0);
  const buttons = useRef<HTMLDivElement>(null);
  // Before the keys count, which is as soon as the question is in the document.
  useLayoutEffect(() => {
    selectedAt.current = performance.now();
  }, [isSelected, question.shown]);
  const answer = (how: Answer) => {
    if (isBusy || performance.now() - lastMove < settleMs) return;
    setBusy(true);
    sendAnswer(question, how)
      .catch(toastError)
      .finally(() => setBusy(false));
  };
  const byKey = (run: () => void) => (event: KeyboardEvent) => {
    if (event.repeat || performance.now() - selectedAt.current <= settleMs) return;
    // The first key shows a question that the user has scrolled away.
    if (isInView(buttons.current)) run();
    else buttons.current?.scrollIntoView({ block: "nearest" });
  };
  return { isBusy, buttons, answer, byKey };
}

export function Answers({ question, isSelected }: AnswersProps) {
  const [isDenying, setDenying] = useState(false);
  const { isBusy, buttons, answer, byKey } = useAnswer({ question, isSelected });
  const choices = question.view.choices.filter(({ adds }) => adds !== undefined);
  const keys = {
    y: byKey(() => answer({ answer: "once" })),
    ...Object.fromEntries(choices.map(({ id }) => [keyOf(id), byKey(() => answer({ answer: id }))])),
    n: byKey(() => {
      holdKeys();
      setDenying(true);
    }),
  };
  useKeys(isSelected ? keys : {});
  if (isDenying) return <DenyForm isBusy={isBusy} answer={answer} close={() => setDenying(false)} />;
  return (
    <div class="answers" ref={buttons}>
      <button type="button" class="primary" disabled={isBusy} onClick={() => answer({ answer: "once" })}>
        Allow once <Key>y</Key>
      </button>
      <button type="button" disabled={isBusy} onClick={() => setDenying(true)}>
        Deny… <Key>n</Key>
      </button>
      {choices.length === 0 ? (
        <span class="muted">It can only be allowed once.</span>
      ) : (
        <ol class="widths" aria-label="Allow it from now on">
          {choices.map((choice) => (
            <Width key={choice.id} choice={choice} saved={savedBy(choice, question)}>
              <button type="button" disabled={isBusy} onClick={() => answer({ answer: choice.id })}>
                <Key>{keyOf(choice.id)}</Key> {choice.label}
              </button>
            </Width>
          ))}
        </ol>
      )}
    </div>
  );
}

/** The same keys as on a terminal. */
function keyOf(id: ApprovalChoice["id"]): string {
  return id.startsWith("always ") ? id.slice(-1) : id[0]!;
}

function savedBy({ id }: ApprovalChoice, { saved }: PendingQuestion): number {
  const width = ["always", "always 2", "always 3"].indexOf(id);
  return saved[width] ?? 0;
}

function Width({
  choice: { adds, rules },
  saved,
  children,
}: {
  choice: ApprovalChoice;
  saved: number;
  children: ComponentChildren;
}) {
  return (
    <li>
      {children} {adds}
      {rules.map((rule) => (
        <code key={rule}>{rule}</code>
      ))}
      {saved > 0 && <span class="muted">would have answered {formatCount(saved, "earlier question")}</span>}
    </li>
  );
}

interface StepProps {
  readonly isBusy: boolean;
  readonly answer: (how: Answer) => void;
}

function DenyForm({ isBusy, answer, close }: StepProps & { close: () => void }) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  return (
    <form
      class="answers"
      onSubmit={(event) => {
        event.preventDefault();
        const message = field.current?.value.trim();
        answer({ answer: "no", message: message || undefined });
      }}
    >
      <input
        ref={field}
        class="grow"
        aria-label="Message to the model (optional)"
        placeholder="Message to the model (optional)"
        onKeyDown={(event) => {
          if (event.key === "Escape") close();
        }}
      />
      <button type="submit" class="primary" disabled={isBusy}>
        Deny
      </button>
      <button type="button" disabled={isBusy} onClick={close}>
        Back
      </button>
    </form>
  );
}
