import { useEffect, useRef } from "preact/hooks";
import type { PendingQuestion, ViewPart } from "../api.ts";
import { Answers } from "./answers.tsx";
import { Diffs } from "./diff.tsx";
import { formatClient, formatCount, printableLine, workspaceName } from "./format.ts";
import { useKeys } from "./keyboard.ts";
import { Age, Icon, Key } from "./parts.tsx";
import { href, navigate } from "./router.ts";
import { keyOfQuestion, overview, picked, questions } from "./store.ts";

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
            {formatClient(oldest.client)} wants {oldest.tool}
            {oldest.target !== "local" && ` on ${printableLine(oldest.target)}`}:{" "}
            {printableLine(oldest.title)}
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
      <Facts question={question} />
      <Answers question={question} isSelected={isSelected} />
    </article>
  );
}

function Asker({ question }: { question: PendingQuestion }) {
  const workspace = overview.value?.workspaces.find(({ id }) => id === question.workspace);
  return (
    <header class="question-head">
      {questions.value.length > 1 && <Pick question={question} />}
      <strong>{formatClient(question.client)}</strong>
      {question.agent !== null && <span>· subagent {printableLine(question.agent)}</span>}
      {question.target === "local" ? (
        <span>in {workspace === undefined ? question.workspace : workspaceName(workspace)}</span>
      ) : (
        <span>
          on <strong>{printableLine(question.target)}</strong>
        </span>
      )}
      <a href={href("sessions", { workspace: question.workspace, id: question.session })}>session</a>
      {question.waiting > 1 && <span class="tag">{formatCount(question.waiting, "equal call")} wait</span>}
      <span class="spring" />
      <span class={`tag risk-${question.view.risk}`}>{question.view.risk}</span>
      <span class="muted">
        <Age at={question.askedAt} /> ago
      </span>
    </header>
  );
}

/** Picks a question to answer it together with others. */
function Pick({ question }: { question: PendingQuestion }) {
  const key = keyOfQuestion(question);
  const isPicked = picked.value.has(key);
  return (
    <input
      type="checkbox"
      aria-label="Pick to answer together"
      checked={isPicked}
      onChange={() => {
        const others = [...picked.value].filter((other) => other !== key);
        picked.value = new Set(isPicked ? others : [...others, key]);
      }}
    />
  );
}

function Request({ question: { view, files } }: { question: PendingQuestion }) {
  return (
    <div class="question-what">
      <p class="tool">{view.title}</p>
      {view.body
        .filter(({ isQuoted }) => isQuoted)
        .map((part, index) =>
          part.label === "Changes" && files.length > 0 ? (
            <Diffs key={index} files={files} />
          ) : (
            <pre key={index} class={part.label === "Command" ? "command" : "input"} tabIndex={0}>
              {withMarks(part)}
            </pre>
          ),
        )}
    </div>
  );
}

/** Marks the parts of a command that ask. */
function withMarks({ text, marks }: ViewPart) {
  let at = 0;
  const pieces = marks.flatMap(({ start, end }) => {
    const before = text.slice(at, start);
    at = end;
    return [<>{before}</>, <mark key={start}>{text.slice(start, end)}</mark>];
  });
  return [...pieces, <>{text.slice(at)}</>];
}

function Facts({ question: { view } }: { question: PendingQuestion }) {
  return (
    <dl class="facts question-why">
      {view.body
        .filter(({ isQuoted }) => !isQuoted)
        .flatMap(({ label, text }, index) => [
          <dt key={`label ${index}`}>{label}</dt>,
          <dd key={`text ${index}`} class={label === "Beware" ? "danger" : undefined}>
            {label === "Beware" && <Icon name="warning" />} {text}
          </dd>,
        ])}
    </dl>
  );
}
