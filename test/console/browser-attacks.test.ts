/** @module-tag slow */
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createSession } from "../../src/agent/create-session.ts";
import type { Overview, PendingQuestion } from "../../src/console/api.ts";
import type { Toolcrib } from "../../src/toolcrib/index.ts";
import { startProvider } from "../providers/start-provider.ts";
import { builtProgram } from "../support/built-program.ts";
import { type OpenConsole, openTestConsole } from "../support/console/open-console.ts";
import { missingBrowser, startBrowser, still } from "./browser.ts";

/**
 * The attacker serves pages on another port and under another name of this machine. He even knows the secret path of the
 * API and the hashes of the question that waits; the user is signed in, in the same browser.
 */
let console: OpenConsole;
let browser: Browser;
let context: BrowserContext;
let user: Page;
let attacker: Page;
let evil: Server;
let evilPort: number;
let crib: Toolcrib;
let api: string;
let question: PendingQuestion;
let signedIn: Awaited<ReturnType<OpenConsole["login"]>>;
/** The requests that reached the attacker's server. */
const stolen: { readonly url: string; readonly cookie: string | undefined }[] = [];
/** The answers of the console to the attacker's page. */
let answers: number[] = [];

beforeAll(async () => {
  if (missingBrowser !== undefined) return;
  evil = createServer((request, response) => {
    stolen.push({ url: request.url ?? "", cookie: request.headers.cookie });
    const planted = new URL(request.url ?? "/", "http://x").searchParams.get("plant");
    if (planted !== null) response.setHeader("set-cookie", planted);
    response.setHeader("content-type", "text/html").end("<!doctype html><title>Evil</title><body>");
  }).listen(0, "127.0.0.1");
  await once(evil, "listening");
  evilPort = (evil.address() as AddressInfo).port;
  console = await openTestConsole({ pageFolder: join(builtProgram, "../console") });
  crib = await console.open("shop", {
    mode: "safe",
    pendingApprovals: true,
    client: { kind: "mcp", name: hostile("client") },
  });
  writeFileSync(join(crib.workspace, "a.txt"), "");
  await crib.call("file.delete", { path: "a.txt" });
  // Chromium resolves the name to this machine, as a rebound name does.
  browser = await startBrowser(["--host-resolver-rules=MAP evil.example 127.0.0.1"]);
  context = await browser.newContext({ ...still, viewport: { width: 1440, height: 900 } });
  context.setDefaultTimeout(30_000);
  user = await context.newPage();
  await user.goto(`${console.origin}/#code=${console.newCode()}`);
  await user.getByText("A question waits").waitFor();
  api = console.origin + (await user.evaluate<string>('localStorage.getItem("toolcrib.api")'));
  signedIn = await console.login();
  [question] = (await signedIn.get<Overview>("/overview")).approvals as [PendingQuestion];
  attacker = await context.newPage();
  attacker.on("response", (response) => {
    if (response.url().startsWith(console.origin)) answers.push(response.status());
  });
});

afterAll(async () => {
  await browser?.close();
  evil?.close();
  evil?.closeAllConnections();
  await console?.[Symbol.asyncDispose]();
});

const elsewhere = {
  "on another port": () => `http://127.0.0.1:${evilPort}/`,
  "of another site": () => `http://evil.example:${evilPort}/`,
};

/** The answer that the attacker wants to give. */
function approval(): string {
  const { workspace, id, shown } = question;
  return JSON.stringify({ workspace, id, shown, answer: "always" });
}

async function expectUnanswered(): Promise<void> {
  const { approvals } = await signedIn.get<Overview>("/overview");
  expect(approvals.map(({ id, isAnswered }) => [id, isAnswered])).toEqual([[question.id, false]]);
}

/** Runs a script in the attacker's page: an async function body, with `api`, `origin` and `body`. */
function attack<Result>(script: string): Promise<Result> {
  const given = JSON.stringify([api, console.origin, approval()]);
  return attacker.evaluate<Result>(`(async ([api, origin, body]) => { ${script} })(${given})`);
}

const outcome = "then((answer) => answer.type + answer.status, (error) => error.name)";
/** Resolves with the event by which an element says whether it could load. */
const loading = (element: string) => `
  const element = ${element};
  const ended = new Promise((resolve) => { element.onload = () => resolve("load"); element.onerror = () => resolve("error"); });
  document.body.append(element);
  return ended;`;

describe.skipIf(missingBrowser).each(Object.entries(elsewhere))(
  "a page %s, in the browser of the user (with Chromium)",
  (_name, address) => {
    beforeAll(async () => {
      await attacker.goto(address());
    });
    beforeEach(() => {
      answers = [];
    });

    it.each([
      ["reads by fetch", `return fetch(api + "/overview", { credentials: "include" }).${outcome}`],
      [
        "reads by fetch without CORS",
        `return fetch(api + "/overview", { mode: "no-cors", credentials: "include" }).${outcome}`,
      ],
      [
        "answers by fetch",
        `return fetch(api + "/approvals/answer", { method: "POST", credentials: "include", headers: { "content-type": "application/json" }, body }).${outcome}`,
      ],
      [
        "answers by fetch without CORS",
        `return fetch(api + "/approvals/answer", { method: "POST", mode: "no-cors", credentials: "include", body }).${outcome}`,
      ],
      [
        "answers by a request that outlives its page, as a beacon",
        `return fetch(api + "/approvals/answer", { method: "POST", mode: "no-cors", keepalive: true, credentials: "include", body }).${outcome}`,
      ],
      [
        "signs in by fetch",
        `return fetch(origin + "/api/login", { method: "POST", mode: "no-cors", body: '{"code":"x"}' }).${outcome}`,
      ],
    ])("fails: %s", async (_attack, script) => {
      expect(await attack(script)).toBe("TypeError");
      for (const status of answers) expect([403, 405]).toContain(status);
      await expectUnanswered();
    });

    it.each([
      ["a form", "application/x-www-form-urlencoded", '"body"', "body"],
      // As text/plain, a field is sent as NAME=VALUE: the sign becomes part of a string in the JSON.
      ["a form that writes JSON as plain text", "text/plain", `body.slice(0, -1) + ',"message":"'`, `'"}'`],
    ])("fails: answers by %s", async (_form, type, name, value) => {
      const answered = attacker.waitForResponse((response) => response.url().endsWith("/answer"));
      await attack(`
        const frame = document.createElement("iframe"); frame.name = "sent"; document.body.append(frame);
        const form = document.createElement("form");
        Object.assign(form, { method: "post", action: api + "/approvals/answer", enctype: "${type}", target: "sent" });
        const field = document.createElement("input"); field.name = ${name}; field.value = ${value};
        form.append(field); document.body.append(form); form.submit();`);
      expect((await answered).status()).toBe(403);
      await expectUnanswered();
      await attacker.reload();
    });

    it.each([
      ["an image", 'Object.assign(new Image(), { src: api + "/overview" })'],
      ["a script", 'Object.assign(document.createElement("script"), { src: api + "/calls" })'],
      [
        "the script of the page",
        'Object.assign(document.createElement("script"), { src: origin + "/page.js" })',
      ],
      [
        "a style",
        'Object.assign(document.createElement("link"), { rel: "stylesheet", href: api + "/overview" })',
      ],
      ["an object", 'Object.assign(document.createElement("object"), { data: api + "/overview" })'],
    ])("fails: includes an address of the API as %s", async (_element, element) => {
      expect(await attack(loading(element))).toBe("error");
      expect(answers.filter((status) => status < 400)).toEqual([]);
    });

    it("fails: shows the page in a frame", async () => {
      await attack(loading('Object.assign(document.createElement("iframe"), { src: origin + "/" })'));
      const frames = () => attacker.frames().map((frame) => frame.url());
      await expect.poll(frames).toEqual([address(), "chrome-error://chromewebdata/"]);
      await attacker.reload();
    });

    it("fails: follows the events, or opens a socket", async () => {
      const first = (source: string) =>
        attack(`return new Promise((resolve) => {
          const source = ${source}; source.onmessage = source.onopen = () => resolve("open"); source.onerror = () => resolve("error"); })`);
      expect(await first('new EventSource(api + "/events", { withCredentials: true })')).toBe("error");
      expect(await first('new WebSocket(api.replace("http", "ws") + "/events")')).toBe("error");
      expect(answers.filter((status) => status < 400)).toEqual([]);
    });

    it("fails: asks from a frame without an origin", async () => {
      const script = `fetch("${api}/overview", { credentials: "include" }).${outcome}.then((said) => parent.postMessage(said, "*"))`;
      const said = await attack(`return new Promise((resolve) => {
        addEventListener("message", ({ data }) => resolve(data), { once: true });
        const frame = document.createElement("iframe"); frame.sandbox = "allow-scripts";
        frame.srcdoc = ${JSON.stringify(`<script>${script}</script>`).replaceAll("</", "<\\/")};
        document.body.append(frame); })`);
      expect(said).toBe("TypeError");
    });

    it("opens the page only in a tab that it can neither read nor send messages to", async () => {
      const opening = context.waitForEvent("page");
      await attack('globalThis.tab = open(origin + "/#code=guessed")');
      const tab = await opening;
      await tab.getByText("The code of this address is wrong").waitFor();
      await expect.poll(() => attacker.evaluate("tab.closed")).toBe(true);
      await attack('tab.postMessage({ answer: "always" }, "*")');
      expect(await tab.evaluate("opener")).toBe(null);
      // The wrong code did not sign the user out.
      await tab.getByText("A question waits").waitFor();
      await tab.close();
      await expectUnanswered();
    });

    it("fails: opens an address of the API in a tab", async () => {
      expect((await attacker.goto(address()))?.status()).toBe(200);
      const answered = attacker.waitForResponse((response) => response.url() === `${api}/overview`);
      await attack('location.href = api + "/overview"');
      expect((await answered).status()).toBe(403);
      await attacker.waitForURL(`${api}/overview`);
      await attacker.goto(address());
    });

    it("fails: registers a service worker for the console", async () => {
      const failure = await attack(
        'return navigator.serviceWorker?.register(origin + "/page.js").then(() => "registered", ({ name }) => name) ?? "none"',
      );
      expect(["SecurityError", "none"]).toContain(failure);
    });

    it("gets no cookie of the console, whatever its path", async () => {
      stolen.length = 0;
      await attack(
        `await fetch("/"); await fetch("/api/"); await fetch(new URL(api).pathname.slice(0, -1));`,
      );
      expect([stolen.length >= 3, stolen.filter(({ cookie }) => cookie !== undefined)]).toEqual([true, []]);
    });
  },
);

describe.skipIf(missingBrowser)("a stolen address or a planted cookie (with Chromium)", () => {
  it("does not sign in a name that DNS leads to this machine", async () => {
    const answer = await attacker.goto(`http://evil.example:${console.port}/#code=${console.newCode()}`);
    expect(answer?.status()).toBe(403);
    expect(await attacker.content()).toContain("The console answers only at its own address.");
  });

  it("does not sign in with an address that was used, nor with planted cookies", async () => {
    const code = console.newCode();
    await user.goto(`${console.origin}/#code=${code}`);
    await user.reload();
    await user.getByText("A question waits").waitFor();
    const other = await browser.newContext();
    const page = await other.newPage();
    await page.goto(`${console.origin}/#code=${code}`);
    await page.getByText("The code of this address was already used.").waitFor();
    await page.getByRole("heading", { name: "Sign in from the terminal" }).waitFor();
    const { name, value } = (await context.cookies(`${api}/`)).find(({ name }) =>
      name.startsWith("toolcrib"),
    )!;
    // The name of the cookie is random too; a cookie of another port cannot replace the value.
    const plant = encodeURIComponent(`${name}=${value.replace(/^./, "x")}x; Path=/`);
    await page.goto(`http://127.0.0.1:${evilPort}/?plant=${plant}`);
    const path = JSON.stringify(new URL(api).pathname);
    await page.goto(`${console.origin}/`);
    await page.evaluate(`localStorage.setItem("toolcrib.api", ${path})`);
    await page.reload();
    await page.getByRole("heading", { name: "Sign in from the terminal" }).waitFor();
    await other.close();
  });

  it("keeps the cookie from scripts, and the code from the address and the history", async () => {
    expect(await user.evaluate("[document.cookie, location.hash, document.referrer]")).toEqual([
      "",
      "#/now",
      "",
    ]);
  });
});

/** Text that runs a script or loads something when it is used as HTML, as an address, or in an attribute. */
function hostile(name: string): string {
  return `"'><img src=x onerror="ran('${name}')"><script>ran("${name}")</script><svg onload=ran(1)>javascript:ran(1)`;
}

describe.skipIf(missingBrowser)("hostile text (with Chromium)", () => {
  const requests: string[] = [];
  const ran: string[] = [];
  const violations: string[] = [];

  beforeAll(async () => {
    const name = hostile("file").replaceAll("/", "\u2215");
    const other = await console.open(`work <img src=x onerror=ran(0)>`, {
      mode: "yolo",
      sandbox: "none",
      client: { kind: "mcp", name: hostile("client"), version: hostile("version") },
    });
    await other.call("file.write", { path: name, content: `${hostile("before")}\n` });
    await other.call("file.write", { path: name, content: `${hostile("after")}\n` });
    const output = `\u001b]8;;javascript:ran(2)\u0007${hostile("output")}\u001b]8;;\u0007`;
    await other.call("shell.run", {
      command: `printf '%s' ${JSON.stringify(output).replaceAll("$", "")}; exit 1`,
    });
    await other.call("file.read", { path: hostile("missing") });
    mkdirSync(join(other.workspace, ".toolcrib"));
    writeFileSync(join(other.workspace, ".toolcrib/rules"), `ask run "echo <img src=x onerror=ran(3)>"\n`);
    await runHostileAgent(other.workspace);
    await user.exposeFunction("ran", (what: string) => ran.push(what));
    user.on("request", (request) => requests.push(request.url()));
    user.on("dialog", (dialog) => ran.push(dialog.message()));
    user.on("console", (message) => {
      if (message.text().includes("Content Security Policy")) violations.push(message.text());
    });
  });

  async function runHostileAgent(workspace: string): Promise<void> {
    const markdown = [
      hostile("model"),
      "![x](http://evil.example/x.png) [link](javascript:ran(4)) <http://evil.example>",
      `# ${hostile("heading")}`,
      `\`\`\`html\n${hostile("code")}\n\`\`\``,
      "- <iframe src=http://evil.example></iframe>",
    ].join("\n\n");
    const plan = { name: "plan_update", input: { steps: [{ step: hostile("plan"), status: "pending" }] } };
    const server = await startProvider(
      "anthropic",
      [{ text: markdown, reasoning: hostile("reasoning"), calls: [plan] }, { text: markdown }],
      { strict: false },
    );
    const session = await createSession({
      workspace,
      stateDirectory: console.directories.state,
      configDirectory: console.directories.config,
      ...{ model: server.model, models: server.settings, dialect: "toolcrib", sandbox: "none" },
      client: { kind: "chat", version: hostile("version") },
    });
    await session.run(hostile("title")).result;
    await session.close();
    await server.close();
  }

  const shown = async (hash: string, text: string) => {
    await user.goto(`${console.origin}/${hash}`);
    await user.locator("main, #details").getByText(text).filter({ visible: true }).first().waitFor();
    const unsafe =
      "main :is(img, script, iframe, object, embed, base, form[action]), main a:not([href^='#'],[download])";
    return user.locator(unsafe).count();
  };

  it("stays text in names of files, clients and workspaces, in diffs, input, output and messages", async () => {
    expect(await shown("#/now", "ran('client')")).toBe(0);
    expect(await shown("#/trace", "ran('missing')")).toBe(0);
    const { workspace, calls } = await recorded();
    for (const { callId, state } of calls)
      expect(
        await shown(`#/trace/${workspace}/${callId}`, state === "failed" ? "ran('output')" : "ran("),
      ).toBe(0);
  });

  async function recorded() {
    const { calls } = await signedIn.get<{ calls: { callId: string; state: string; workspace: string }[] }>(
      "/calls",
    );
    const { workspace } = calls[0]!;
    return { workspace, calls: calls.filter((call) => call.workspace === workspace) };
  }

  it("stays text in titles, Markdown, reasoning and plans of agents, and in rules", async () => {
    const { workspace } = await recorded();
    const { sessions } = await signedIn.get<{ sessions: { session: string; title: string | null }[] }>(
      `/sessions?workspace=${workspace}`,
    );
    expect(await shown("#/sessions", "ran('title')")).toBe(0);
    const { session } = sessions.find(({ title }) => title !== null)!;
    expect(await shown(`#/sessions/${workspace}/${session}`, "ran('heading')")).toBe(0);
    await user.getByText("ran('plan')").first().waitFor();
    expect(await shown(`#/rules/${workspace}`, "echo <img src=x onerror=ran(3)>")).toBe(0);
  });

  it("ran no script, loaded nothing from elsewhere, and needed no policy to stop it", async () => {
    const foreign = requests.filter(
      (url) => !url.startsWith(`${console.origin}/`) && !url.startsWith("data:"),
    );
    expect([ran, foreign, violations, requests.length > 10]).toEqual([[], [], [], true]);
  });

  it("could do nothing if it were used as HTML: the policy of the page stops scripts and requests", async () => {
    stolen.length = 0;
    const elsewhereUrl = JSON.stringify(`http://127.0.0.1:${evilPort}/stolen`);
    const tried = await user.evaluate(`(async () => {
      const attempt = (work) => { try { work(); return "done"; } catch (error) { return error.name; } };
      const script = document.createElement("script");
      const link = document.createElement("a");
      const parsed = new DOMParser;
      const image = new Image(); const failed = new Promise((resolve) => { image.onerror = () => resolve("blocked"); image.onload = () => resolve("loaded"); });
      image.src = ${elsewhereUrl};
      return [
        attempt(() => { document.body.innerHTML += "<b onclick=ran(5)>"; }),
        attempt(() => { script.text = "ran(6)"; }),
        attempt(() => { link.href = "javascript:ran(7)"; link.click(); }),
        attempt(() => parsed.parseFromString("<p>", "text/html")),
        await fetch(${elsewhereUrl}, { mode: "no-cors" }).catch(({ name }) => name),
        await failed,
        await navigator.serviceWorker.register("/page.js").catch(({ name }) => name),
      ];
    })()`);
    expect(tried).toEqual([
      ...["TypeError", "TypeError", "done", "TypeError", "TypeError", "blocked", "TypeError"],
    ]);
    expect([ran, stolen]).toEqual([[], []]);
  });
});
