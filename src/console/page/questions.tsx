import { effect } from "@preact/signals";
import { Fragment } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { AnswerRequest, Overview, PendingQuestion } from "../api.ts";
import { Diffs } from "./diff.tsx";
import { formatClient, formatCount, printableLine, workspaceName } from "./format.ts";
import { holdKeys, useKeys } from "./keyboard.ts";
import { Age, Icon, Key, RuleText, Verdict } from "./parts.tsx";
import { get, post, RequestError } from "./request.ts";
import { href, navigate } from "./router.ts";
import { answered, keyOfQuestion, overview, questions, toast, toastError } from "./store.ts";

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
    const isOpen = questions.value.some((one) => one.workspace === workspace && one.id === id);
    const text = isOpen
      ? "The request changed after it was shown, so your answer was not used. Check it again."
      : "This question was already answered elsewhere, or its client has ended. Your answer was not used.";
    toast(text, { kind: "error" });
  }
}

/** The bar on top of every page while a question waits. */
export function QuestionBar({ questions }: { questions: readonly PendingQuestion[] }) {
  const count = questions.length;
  const [oldest] = questions;
  useKeys({ "g q": oldest && (() => navigate(hrefOfQuestion(oldest))) });
  return (
    <div class="question-bar" role="status">
      {oldest !== undefined && (
        <a href={hrefOfQuestion(oldest)}>
          <Icon name="ask" />
          <strong>{count === 1 ? "A question waits" : `${count} questions wait`}</strong>
          <span class="question-bar-text">
            {formatClient(oldest.client)} wants {oldest.tool}: {printableLine(oldest.title)}
          </span>
          <span class="question-bar-open">
            Open <Key>g q</Key>
          </span>
        </a>
      )}
    </div>
  );
}

function hrefOfQuestion({ workspace, id }: PendingQuestion): string {
  return href("now", { workspace, id });
}

interface CardProps {
  readonly question: PendingQuestion;
  readonly isSelected: boolean;
}

/** One question: who asks, what exactly, why, and the answers. */
export function QuestionCard({ question, isSelected }: CardProps) {
  const card = useRef<HTMLElement>(null);
  useEffect(() => {
    if (isSelected) card.current?.scrollIntoView({ block: "nearest" });
  }, [isSelected]);
  return (
    <article
      ref={card}
      class={isSelected ? "question selected" : "question"}
      aria-current={isSelected}
      aria-label={`${formatClient(question.client)} asks: ${question.tool}`}
      onFocusIn={() => {
        if (!isSelected) navigate(hrefOfQuestion(question), { replace: true });
      }}
    >
      <Asker question={question} />
      <Request question={question} />
      <Reason question={question} />
      <Answers question={question} isSelected={isSelected} />
    </article>
  );
}

function Asker({ question }: { question: PendingQuestion }) {
  const workspace = overview.value?.workspaces.find(({ id }) => id === question.workspace);
  return (
    <header class="question-head">
      <strong>{formatClient(question.client)}</strong>
      {question.agent !== null && <span>· subagent {printableLine(question.agent)}</span>}
      <span>in {workspace === undefined ? question.workspace : workspaceName(workspace)}</span>
      <a href={href("sessions", { workspace: question.workspace, id: question.session })}>session</a>
      {question.waiting > 1 && <span class="tag">{formatCount(question.waiting, "equal call")} wait</span>}
      <span class="spring" />
      <span class={`tag risk-${question.risk}`}>{question.risk}</span>
      <span class="muted">
        <Age at={question.askedAt} /> ago
      </span>
    </header>
  );
}

function Request({ question }: { question: PendingQuestion }) {
  return (
    <div class="question-what">
      <p class="tool">{question.tool}</p>
      {commandsOf(question).map((command, index) => (
        <pre key={index} class="command" tabIndex={0}>
          {markParts(command, question)}
        </pre>
      ))}
      {question.input !== null && <InputText input={question.input} />}
      {question.files.length > 0 && <Diffs files={question.files} />}
      {question.preview !== null && <pre tabIndex={0}>{question.preview}</pre>}
    </div>
  );
}

function commandsOf({ accesses }: PendingQuestion): readonly string[] {
  return accesses.flatMap((access) => (access.kind === "execute" ? [access.command] : []));
}

/** Input as indented JSON; a single text is shown as it is. */
export function InputText({ input }: { input: unknown }) {
  const text = typeof input === "string" ? input : JSON.stringify(input, null, 2);
  return (
    <pre class="input" tabIndex={0}>
      {text}
    </pre>
  );
}

/** Marks the parts of a command that ask. */
function markParts(command: string, { parts }: PendingQuestion) {
  const asking = parts.filter(({ verdict, text }) => verdict !== "allow" && text !== "" && text !== command);
  const pieces = [];
  let rest = command;
  for (const { text, reason } of asking) {
    const start = rest.indexOf(text);
    if (start < 0) continue;
    pieces.push(<>{rest.slice(0, start)}</>, <mark title={reason}>{text}</mark>);
    rest = rest.slice(start + text.length);
  }
  return [...pieces, <>{rest}</>];
}

function Reason({ question }: { question: PendingQuestion }) {
  const asking = question.parts.filter(({ verdict }) => verdict !== "allow");
  const isCommand = question.accesses.some(({ kind }) => kind === "execute");
  const facts = [
    ["Network", question.hosts],
    ["Bound to", question.boundTo],
    ["Not bound to", question.notBoundTo],
  ] as const;
  return (
    <div class="question-why">
      <dl class="facts">
        <dt>Why</dt>
        <dd>{question.reason}</dd>
        <dt>Rule</dt>
        <dd>
          <RuleText rule={question.rule} source={question.source} />
        </dd>
        {(isCommand || question.unconfined) && (
          <>
            <dt>Sandbox</dt>
            <dd>
              {question.unconfined || question.sandbox === "none" ? (
                <span class="danger">
                  <Icon name="warning" /> none: the command can reach everything that you can
                </span>
              ) : (
                question.sandbox
              )}
            </dd>
          </>
        )}
        {facts.map(
          ([label, texts]) =>
            texts.length > 0 && (
              <Fragment key={label}>
                <dt>{label}</dt>
                <dd>{texts.map(printableLine).join(", ")}</dd>
              </Fragment>
            ),
        )}
      </dl>
      {asking.length > 1 && (
        <ul class="parts">
          {asking.map(({ text, verdict, reason }) => (
            <li key={text}>
              <Verdict verdict={verdict} /> <code>{printableLine(text)}</code> {reason}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
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

function Answers({ question, isSelected }: CardProps) {
  const [step, setStep] = useState<"choose" | "width" | "deny">("choose");
  const [isBusy, setBusy] = useState(false);
  const selectedAt = useRef(0);
  const buttons = useRef<HTMLDivElement>(null);
  useEffect(() => {
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
  const [narrowest] = question.widths;
  const forSession = narrowest && (() => answer({ answer: "session", rules: narrowest.rules }));
  const digits = question.widths.map(({ rules }, at) => [
    String(at + 1),
    byKey(() => answer({ answer: "always", rules })),
  ]);
  const keys = {
    y: byKey(() => answer({ answer: "once" })),
    s: forSession && byKey(forSession),
    a: forSession ? byKey(() => setStep("width")) : undefined,
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
        answer({ answer: "no", ...(message && { message }) });
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
