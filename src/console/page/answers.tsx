import { effect } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { AnswerRequest, Overview, PendingQuestion } from "../api.ts";
import { formatCount } from "./format.ts";
import { holdKeys, useKeys } from "./keyboard.ts";
import { Key } from "./parts.tsx";
import { get, post, RequestError } from "./request.ts";
import { answered, keyOfQuestion, overview, picked, questions, toast, toastError } from "./store.ts";

type Answer = Pick<AnswerRequest, "answer" | "rules" | "message">;

/** Sends an answer, bound to what was shown. */
async function sendAnswer(question: PendingQuestion, answer: Answer): Promise<void> {
  const { workspace, id, hash, previewHash, hosts, unconfined } = question;
  const bound = { workspace, id, hash, previewHash, hosts, unconfined };
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
  }, [isSelected, question.hash, question.previewHash]);
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
  const [step, setStep] = useState<"choose" | "width" | "deny">("choose");
  const { isBusy, buttons, answer, byKey } = useAnswer({ question, isSelected });
  const [narrowest] = question.widths;
  const forSession = narrowest && (() => answer({ answer: "session", rules: narrowest.rules }));
  const digits = question.widths.map(({ rules }, at) => [
    String(at + 1),
    byKey(() => answer({ answer: "always", rules })),
  ]);
  const keys = {
    y: byKey(() => answer({ answer: "once" })),
    s: forSession && byKey(forSession),
    a: forSession && byKey(() => setStep("width")),
    n: byKey(() => {
      holdKeys();
      setStep("deny");
    }),
    ...(step === "width" && { ...Object.fromEntries(digits), Escape: () => setStep("choose") }),
  };
  useKeys(isSelected ? keys : {});
  if (step === "deny") return <DenyForm isBusy={isBusy} answer={answer} close={() => setStep("choose")} />;
  return (
    <div class="answers" ref={buttons}>
      <button type="button" class="primary" disabled={isBusy} onClick={() => answer({ answer: "once" })}>
        Allow once <Key>y</Key>
      </button>
      {forSession && (
        <>
          <button type="button" disabled={isBusy} onClick={forSession}>
            For this session <Key>s</Key>
          </button>
          <button
            type="button"
            disabled={isBusy}
            aria-expanded={step === "width"}
            onClick={() => setStep(step === "width" ? "choose" : "width")}
          >
            Always… <Key>a</Key>
          </button>
        </>
      )}
      <button type="button" disabled={isBusy} onClick={() => setStep("deny")}>
        Deny… <Key>n</Key>
      </button>
      {step === "width" && <Widths question={question} isBusy={isBusy} answer={answer} />}
    </div>
  );
}

interface StepProps {
  readonly isBusy: boolean;
  readonly answer: (how: Answer) => void;
}

function Widths({ question, isBusy, answer }: StepProps & { question: PendingQuestion }) {
  return (
    <ol class="widths" aria-label="How much to allow">
      {question.widths.map(({ label, rules, saved }, at) => (
        <li key={label}>
          <button type="button" disabled={isBusy} onClick={() => answer({ answer: "always", rules })}>
            <Key>{String(at + 1)}</Key> {label}
          </button>
          {rules.join("; ") !== label && rules.map((rule) => <code key={rule}>{rule}</code>)}
          {saved !== null && saved > 0 && (
            <span class="muted">would have answered {formatCount(saved, "earlier question")}</span>
          )}
        </li>
      ))}
    </ol>
  );
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
