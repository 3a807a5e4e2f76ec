/** The MCP App that clients show for a call that changes files: its state, its changes, and its error. */
import { signal } from "@preact/signals";
import { render } from "preact";
import { readDiff } from "../read-diff.ts";
import { Diffs } from "./diff.tsx";
import { escapeAllText } from "./escape-text.ts";
import { connectHost, type ShownResult } from "./host.ts";
import { theme } from "./settings.ts";

type State =
  | { readonly kind: "running" | "cancelled" }
  | { readonly kind: "ended"; readonly result: ShownResult };

const state = signal<State>({ kind: "running" });

function ChangesView() {
  const { value } = state;
  return (
    <>
      <h1 class="page-title">Changes of this call</h1>
      {value.kind === "ended" ? <Ended {...value.result} /> : <p role="status">{sentences[value.kind]}</p>}
    </>
  );
}

function Ended({ isError, text, diff }: ShownResult) {
  const files = readDiff(diff);
  return (
    <>
      <p role="status">{isError ? "The call failed." : "The call is done."}</p>
      {(isError || files.length === 0) && <pre class="output">{text}</pre>}
      <Diffs files={files} />
    </>
  );
}

const sentences = {
  running: "The call is not done yet. If it needs your approval, your client asks you.",
  cancelled: "The call was cancelled.",
} as const;

escapeAllText();
render(<ChangesView />, document.getElementById("app")!);
connectHost({
  onTheme: (wanted) => {
    theme.value = wanted;
  },
  onResult: (result) => {
    state.value = { kind: "ended", result };
  },
  onCancel: () => {
    state.value = { kind: "cancelled" };
  },
});
