import { render } from "preact";
import { App } from "./app.tsx";
import { escapeAllText } from "./escape-text.ts";
import { announceQuestions } from "./notify.ts";
import { start } from "./stream.ts";

escapeAllText();
announceQuestions();
void start();
render(<App />, document.getElementById("app")!);
