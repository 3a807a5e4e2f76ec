import type { ProviderServer, ScriptedReply, SeenRequest } from "../providers/provider-server.ts";
import { startProvider } from "../providers/start-provider.ts";

/** The model that the documents use, as variables for the programs that they show. */
export interface DocumentedModel extends AsyncDisposable {
  readonly variables: NodeJS.ProcessEnv;
  readonly server: ProviderServer;
}

/** Behaves like Anthropic's API, on this machine. `await using` ends it. */
export async function startDocumentedModel(): Promise<DocumentedModel> {
  const server = await startProvider("anthropic", nextReply);
  return {
    server,
    variables: {
      ANTHROPIC_BASE_URL: server.url,
      ANTHROPIC_API_KEY: server.settings.providers?.anthropic?.apiKey,
      TOOLCRIB_MODEL: server.model,
    },
    [Symbol.asyncDispose]: () => server.close(),
  };
}

/** The replies to each task, round by round. */
const replies: Readonly<Record<string, readonly ScriptedReply[]>> = {
  "What does src/greet.ts do?": [
    { text: "I'll read it.", calls: [{ name: "Read", input: { file_path: "src/greet.ts" } }] },
    { text: "`greet` makes a greeting for one person." },
  ],
  "Say good day instead of hello": [
    { calls: [{ name: "Grep", input: { pattern: "Hello", output_mode: "content" } }] },
    { calls: [{ name: "Read", input: { file_path: "src/greet.ts" } }] },
    {
      calls: [
        {
          name: "Edit",
          input: { file_path: "src/greet.ts", old_string: "Hello, ", new_string: "Good day, " },
        },
      ],
    },
    { text: "Done: `greet` in src/greet.ts says good day now." },
  ],
  "Now in capitals": [
    {
      calls: [
        {
          name: "Edit",
          input: { file_path: "src/greet.ts", old_string: "Good day", new_string: "GOOD DAY" },
        },
      ],
    },
    { text: "It shouts now." },
  ],
  "In capitals, please": [
    {
      calls: [
        {
          name: "Edit",
          input: { file_path: "src/greet.ts", old_string: "Hello, ", new_string: "GOOD DAY, " },
        },
      ],
    },
    { text: "Done, in capitals." },
  ],
  "How long is README.md?": [
    { calls: [{ name: "count_words", input: { path: "README.md" } }] },
    { text: "It has six words." },
  ],
  "Delete src/main.ts": [
    { calls: [{ name: "Bash", input: { command: "rm src/main.ts", description: "Delete it" } }] },
    { text: "Your program does not let me delete files." },
  ],
  "Who reads src/greet.ts for you?": [
    { calls: [{ name: "agent_spawn", input: { task: "What does src/greet.ts do? Look." } }] },
    { calls: [{ name: "agent_wait", input: { agent: "agent_1" } }] },
    { text: "An agent of mine did: it greets one person." },
  ],
  "What does src/greet.ts do? Look.": [
    { calls: [{ name: "file_read", input: { path: "src/greet.ts" } }] },
    { text: "It greets one person." },
  ],
  "Which functions does src/greet.ts export?": [
    { calls: [{ name: "Read", input: { file_path: "src/greet.ts" } }] },
    { text: '{"functions": ["greet"]}' },
  ],
  "Run the tests": [
    { calls: [{ name: "Bash", input: { command: "npm test", description: "Run the tests" } }] },
    { text: "I could not run them: that needs your approval." },
  ],
};

/** The tasks of examples/fleet. The model gets one of them wrong. */
function sumReply({ messages }: SeenRequest): ScriptedReply | undefined {
  const asked = messages.map(({ text }) =>
    /Write the sum of (\d+) and (\d+) into answer\.txt$/.exec(text.trimEnd()),
  );
  const [, one, other] = asked.find((match) => match !== null) ?? [];
  if (one === undefined) return undefined;
  if (messages.at(-1)?.role !== "user" || messages.some(({ role }) => role === "assistant"))
    return { text: "The sum is in answer.txt." };
  const sum = Number(one) + Number(other) + (one === wrongTerm ? 1 : 0);
  return { calls: [{ name: "Write", input: { file_path: "answer.txt", content: `${sum}\n` } }] };
}

/** The first number of the task sum-5. */
const wrongTerm = "41";

/** Selects by the last known task, and by the number of replies since. */
function nextReply(request: SeenRequest): ScriptedReply {
  const { messages } = request;
  const sum = sumReply(request);
  if (sum !== undefined) return sum;
  const tasks = Object.keys(replies);
  const at = messages.findLastIndex(
    ({ role, text }) => role === "user" && tasks.some((task) => taskIn(text).endsWith(task)),
  );
  const task = tasks.find((known) => taskIn(messages[at]?.text ?? "").endsWith(known));
  const round = messages.slice(at).filter(({ role }) => role === "assistant").length;
  const reply = task === undefined ? undefined : replies[task]?.[round];
  return reply ?? { text: "No document has asked me that." };
}

/** Leaves out the notice about the form of the answer, which follows the task. */
function taskIn(text: string): string {
  return text.split("\n[Your final answer")[0]!.trimEnd();
}
