import { Fragment } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { PendingQuestion } from "../api.ts";
import { Answers } from "./answers.tsx";
import { Diffs } from "./diff.tsx";
import { formatClient, formatCount, printableLine, workspaceName } from "./format.ts";
import { useKeys } from "./keyboard.ts";
import { Age, Icon, Key, RuleText, Verdict } from "./parts.tsx";
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
      <Reason question={question} />
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
      <span class={`tag risk-${question.risk}`}>{question.risk}</span>
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

/** Input as indented JSON; a text of several lines is shown as it is, below its name. */
export function InputText({ input }: { input: unknown }) {
  const isObject = typeof input === "object" && input !== null && !Array.isArray(input);
  const entries = isObject ? Object.entries(input) : [];
  const texts = entries.filter(([, value]) => typeof value === "string" && value.includes("\n"));
  const rest = entries.filter((entry) => !texts.includes(entry));
  const shown = texts.length > 0 ? Object.fromEntries(rest) : input;
  return (
    <>
      {(texts.length === 0 || rest.length > 0) && (
        <pre class="input" tabIndex={0}>
          {typeof shown === "string" ? shown : JSON.stringify(shown, null, 2)}
        </pre>
      )}
      {texts.map(([name, text]) => (
        <div key={name}>
          <p class="muted">{printableLine(name)}</p>
          <pre class="input" tabIndex={0}>
            {text}
          </pre>
        </div>
      ))}
    </>
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
  const facts = [["Network", question.hosts]] as const;
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
