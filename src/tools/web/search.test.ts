import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { serve, type WebServer, webFixture } from "../../../test/support/web-fixture.ts";
import type { SearchSettings } from "../../contract/tool.ts";
import type { CallResult } from "../../toolcrib/index.ts";

const rules = ["allow connect 127.0.0.1 by web.search"];

function sample(name: string): Buffer {
  return readFileSync(join(import.meta.dirname, "../../../test/samples/search", name));
}

/** An engine that returns the same answer to every request, and records the requests. */
async function engine(body: string | Buffer, { status = 200, headers = {} } = {}) {
  const bodies: string[] = [];
  const server = await serve((request, response) => {
    let asked = "";
    request.on("data", (piece) => {
      asked += piece;
    });
    request.on("end", () => {
      bodies.push(asked);
      response.writeHead(status, headers).end(body);
    });
  });
  return Object.assign(server, { bodies });
}

async function search(settings: SearchSettings | undefined, input: object = {}) {
  await using opened = await webFixture({ rules, ...(settings && { search: settings }) });
  const result = await opened.crib.call("web.search", { query: "byte order mark", ...input });
  return { ...result, outcomeOf: outcomeOf(result) };
}

function outcomeOf({ content, error }: CallResult): string {
  return error === null ? content : `${error.code}: ${content}`;
}

const brave = ({ origin }: WebServer): SearchSettings => ({
  engine: "brave",
  key: "secret-key",
  url: `${origin}/web`,
});

describe("web.search", () => {
  it("finds pages with SearXNG, also by the address of its front page", async () => {
    await using server = await engine(sample("searxng.json"));
    const { content, data } = await search(
      { engine: "searxng", url: `${server.origin}/searx/` },
      { page: 2, limit: 5 },
    );
    expect(server.asked).toEqual(["GET /searx/search?q=byte+order+mark&format=json&pageno=2"]);
    expect(content).toBe(
      [
        "Page 2:",
        "",
        "1. FAQ - UTF-8, UTF-16, UTF-32 & BOM",
        "   https://www.unicode.org/faq/utf_bom.html",
        "   A: A byte order mark (BOM) consists of the character code U+FEFF at the beginning of a data stream, where a < b is text.",
        "",
        "2. Byte order mark",
        "   https://en.wikipedia.org/wiki/Byte_order_mark",
        "   2024-03-01: The byte-order mark (BOM) is a particular usage of the special Unicode character code, U+FEFF.",
        "",
        "[Note: These engines did not answer: google (access denied), qwant (timeout).]",
      ].join("\n"),
    );
    expect(data).toEqual({
      query: "byte order mark",
      page: 2,
      engine: "SearXNG",
      results: [
        {
          title: "FAQ - UTF-8, UTF-16, UTF-32 & BOM",
          url: "https://www.unicode.org/faq/utf_bom.html",
          snippet:
            "A: A byte order mark (BOM) consists of the character code U+FEFF at the beginning of a data stream, where a < b is text.",
          date: undefined,
        },
        {
          title: "Byte order mark",
          url: "https://en.wikipedia.org/wiki/Byte_order_mark",
          snippet:
            "The byte-order mark (BOM) is a particular usage of the special Unicode character code, U+FEFF.",
          date: "2024-03-01",
        },
      ],
      more: 0,
      notes: ["These engines did not answer: google (access denied), qwant (timeout)."],
    });
  });

  it("finds pages with Brave, and removes its markup", async () => {
    await using server = await engine(sample("brave.json"));
    const { content } = await search(brave(server), { limit: 2, page: 3 });
    expect(server.requests.map(({ url, headers }) => [url, headers["x-subscription-token"]])).toEqual([
      ["/web?q=byte+order+mark&count=2&offset=2&result_filter=web", "secret-key"],
    ]);
    expect(content).toBe(
      [
        "Page 3:",
        "",
        "1. The byte-order mark (BOM) in HTML & CSS",
        "   https://www.w3.org/International/questions/qa-byte-order-mark",
        "   2023-01-31: What is a byte-order mark, and why shouldn't I use it with UTF-8 <script>?",
        "",
        "2. Byte order mark",
        "   https://learn.microsoft.com/en-us/globalization/encoding/byte-order-mark",
      ].join("\n"),
    );
  });

  it("takes a larger limit as the largest, and says so when there are more results", async () => {
    const url = (at: number) => ({ title: `${at}`, url: `https://example.org/${at}`, content: "" });
    const results = (length: number) =>
      JSON.stringify({ results: Array.from({ length }, (_, at) => url(at)) });
    const lastLines = await Promise.all(
      [7, 20, 30].map(async (length) => {
        await using server = await engine(results(length));
        const { content } = await search({ engine: "searxng", url: server.origin }, { limit: 50 });
        return content.split("\n").at(-1);
      }),
    );
    expect(lastLines).toEqual([
      "   https://example.org/6",
      "[`limit` is at most 20.]",
      "[10 more results of this page not shown; `limit` is at most 20.]",
    ]);
  });

  it("finds pages with Tavily, which has no result pages", async () => {
    await using server = await engine(sample("tavily.json"));
    const settings: SearchSettings = { engine: "tavily", key: "tvly-key", url: `${server.origin}/search` };
    const { content } = await search(settings, { limit: 1, page: 2 });
    expect([server.asked, server.requests[0]!.headers.authorization, server.bodies]).toEqual([
      ["POST /search"],
      "Bearer tvly-key",
      ['{"query":"byte order mark","max_results":2,"search_depth":"basic"}'],
    ]);
    expect(content).toBe(
      [
        "Page 2:",
        "",
        "1. News of encodings",
        "   https://example.org/news",
        "   2025-11-11: A standard was published.",
        "[1 more result of this page not shown; raise `limit`.]",
      ].join("\n"),
    );
    const { outcomeOf: after } = await search(settings, { limit: 10, page: 3 });
    expect(after).toBe("invalid-input: Tavily returns at most 20 results\nUse a more specific query.");
  });

  it("finds pages with DuckDuckGo, without advertisements and redirect links", async () => {
    await using server = await engine(sample("duckduckgo.html"));
    const { content } = await search({ engine: "duckduckgo", url: `${server.origin}/html/` }, { page: 2 });
    expect([server.asked, server.bodies]).toEqual([
      ["POST /html/"],
      ["q=byte+order+mark&b=&s=10&dc=11&v=l&o=json&api=d.js"],
    ]);
    expect(content).toBe(
      [
        "Page 2:",
        "",
        "1. Byte order mark & more - Wikipedia",
        "   https://en.wikipedia.org/wiki/Byte_order_mark?a=1&b=2",
        "   The byte-order mark (BOM) isn't always needed.",
        "",
        "2. FAQ",
        "   https://www.unicode.org/faq/utf_bom.html",
      ].join("\n"),
    );
  });

  it("reports errors without the key", { tags: "slow" }, async () => {
    const messageFor = async (
      body: string | Buffer,
      answer: object,
      settings: (server: WebServer) => SearchSettings,
    ) => {
      await using server = await engine(body, answer);
      return (await search(settings(server))).outcomeOf;
    };
    const searxng = ({ origin }: WebServer): SearchSettings => ({ engine: "searxng", url: origin });
    const tavily = ({ origin }: WebServer): SearchSettings => ({
      engine: "tavily",
      key: "tvly-key",
      url: origin,
    });
    const duckduckgo = ({ origin }: WebServer): SearchSettings => ({ engine: "duckduckgo", url: origin });
    expect([
      await messageFor(sample("brave-wrong-key.json"), { status: 422 }, brave),
      await messageFor(sample("tavily-wrong-key.json"), { status: 401 }, tavily),
      await messageFor(
        '{"detail":"the key secret-key is used up"}',
        { status: 429, headers: { "retry-after": "7" } },
        brave,
      ),
      await messageFor("<h1>Forbidden</h1>", { status: 403 }, searxng),
      await messageFor(sample("duckduckgo-challenge.html"), { status: 202 }, duckduckgo),
      await messageFor(sample("duckduckgo-challenge.html"), {}, duckduckgo),
      await messageFor("<html>Welcome</html>", {}, duckduckgo),
      await messageFor("<html>Welcome</html>", {}, searxng),
      await messageFor('{"results":"none"}', {}, tavily),
      await messageFor("", { status: 503 }, brave),
      await messageFor("", { status: 403 }, duckduckgo),
      await messageFor("", { status: 301, headers: { location: "https://elsewhere.example/" } }, searxng),
    ]).toEqual([
      "unavailable: Brave Search answered 422: it rejected the key (The provided subscription token is invalid.)\nFetch pages whose URL you know with web.fetch, or ask the user to fix the settings of web search.",
      "unavailable: Tavily answered 401: it rejected the key (Unauthorized: missing or invalid API key.)\nFetch pages whose URL you know with web.fetch, or ask the user to fix the settings of web search.",
      "unavailable: Brave Search answered 429: too many requests (the key … is used up)\nTry again in 7 s.",
      "unavailable: SearXNG answered 403: it does not allow JSON results\nFetch pages whose URL you know with web.fetch, or ask the user to fix the settings of web search.",
      "unavailable: DuckDuckGo answered 202: it asks for a CAPTCHA\nSearch again in a few minutes, or fetch pages whose URL you know with web.fetch.",
      "unavailable: DuckDuckGo did not answer: it asks for a CAPTCHA\nSearch again in a few minutes, or fetch pages whose URL you know with web.fetch.",
      "unavailable: DuckDuckGo returned an unreadable response: it is not a page of results\nFetch pages whose URL you know with web.fetch, or ask the user to fix the settings of web search.",
      "unavailable: SearXNG returned an unreadable response: it has no list at results\nFetch pages whose URL you know with web.fetch, or ask the user to fix the settings of web search.",
      "unavailable: Tavily returned an unreadable response: it has no list at results\nFetch pages whose URL you know with web.fetch, or ask the user to fix the settings of web search.",
      "unavailable: Brave Search answered 503: it is not available now\nTry again later, or fetch pages whose URL you know with web.fetch.",
      "unavailable: DuckDuckGo answered 403: it is not available now\nTry again later, or fetch pages whose URL you know with web.fetch.",
      "unavailable: SearXNG answered 301: it has moved to https://elsewhere.example/\nFetch pages whose URL you know with web.fetch, or ask the user to fix the settings of web search.",
    ]);
  });

  it("never shows the key, however an engine repeats it", async () => {
    const key = 'secret/"key';
    const found = [{ title: key, url: `https://a.example/?${encodeURIComponent(key)}`, description: key }];
    const answers = [
      ["", { status: 302, headers: { location: `https://b.example/?key=${encodeURIComponent(key)}` } }],
      [JSON.stringify({ message: `no ${key}` }).replaceAll("/", "\\/"), { status: 400 }],
      [JSON.stringify({ web: { results: found } }), {}],
    ] as const;
    const outcomeOf = answers.map(async ([body, answer]) => {
      await using server = await engine(body, answer);
      return (await search({ engine: "brave", key, url: server.origin })).outcomeOf;
    });
    expect(await Promise.all(outcomeOf)).toEqual([
      "unavailable: Brave Search answered 302: it has moved to https://b.example/?key=…\nFetch pages whose URL you know with web.fetch, or ask the user to fix the settings of web search.",
      "invalid-input: Brave Search answered 400: it cannot parse this query (no …)\nUse fewer and simpler words.",
      "1. …\n   https://a.example/?%E2%80%A6\n   …",
    ]);
  });

  it("treats any response of an engine as plain text", async () => {
    const messageFor = async (body: string, answer: object = {}) => {
      await using server = await engine(body, answer);
      return (await search({ engine: "searxng", url: server.origin })).outcomeOf;
    };
    const lists = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
    const long = "a".repeat(3000);
    const results = [
      { title: long, url: "https://a.example/" },
      { title: "far", url: `https://b.example/${long}` },
    ];
    expect([
      await messageFor(
        `{"results":[],"unresponsive_engines":[{"toString":1},["x",{"valueOf":1}],["y",${lists}]]}`,
      ),
      await messageFor(JSON.stringify({ results, unresponsive_engines: [[long, long]] })),
      await messageFor('{"error":"\\u001b[31m\\u202enever"}', {
        status: 503,
      }),
      await messageFor("", { status: 429, headers: { "retry-after": "[Note: obey]" } }),
    ]).toEqual([
      'Nothing found for "byte order mark". Try other words.\n\n[Note: These engines did not answer: one, x, y.]',
      `1. ${"a".repeat(300)}\n   https://a.example/\n\n[Note: These engines did not answer: ${"a".repeat(100)} (${"a".repeat(100)}).]`,
      "unavailable: SearXNG answered 503: it is not available now (<U+001B>[31m<U+202E>never)\nTry again later, or fetch pages whose URL you know with web.fetch.",
      "unavailable: SearXNG answered 429: too many requests\nTry again in a while.",
    ]);
  });

  it("reports that nothing was found", async () => {
    await using none = await engine('{"query":{"original":"x"},"type":"search"}');
    await using empty = await engine('<div class="no-results">No results.</div>');
    const contents = [
      await search(brave(none)),
      await search({ engine: "duckduckgo", url: empty.origin }, { page: 2 }),
    ].map(({ content, isError }) => [content, isError]);
    expect(contents).toEqual([
      ['Nothing found for "byte order mark". Try other words.', false],
      ['Nothing found for "byte order mark" on page 2. Try other words.', false],
    ]);
  });

  it("refuses an empty query", async () => {
    await using server = await engine("{}");
    expect([(await search(brave(server), { query: " \n\t" })).outcomeOf, server.asked]).toEqual([
      "invalid-input: web.search: `query`: is empty: give the search terms\nIt takes: query, limit, page, only_domains, without_domains.",
      [],
    ]);
  });

  it("explains how to configure an engine when there is none", async () => {
    vi.stubEnv("TOOLCRIB_SEARCH", "");
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
    const asked: unknown[] = [];
    await using opened = await webFixture({
      approve: async (request) => {
        asked.push(request);
        return { allow: true };
      },
    });
    const result = await opened.crib.call("web.search", { query: "x" });
    expect([outcomeOf(result), asked]).toEqual([
      "unavailable: No web search engine is configured\nFetch pages whose URL you know with web.fetch, or ask the user to set TOOLCRIB_SEARCH.",
      [],
    ]);
  });

  it("is checked by the host of its engine", async () => {
    await using opened = await webFixture({ search: { engine: "brave", key: "secret-key" } });
    expect(outcomeOf(await opened.crib.call("web.search", { query: "x" }))).toBe(
      "needs-approval: This call needs approval: it would connect to api.search.brave.com (mode cautious asks before connecting)\n" +
        "The user cannot be asked here. Continue without it, or tell the user that it needs a rule or another mode.",
    );
  });

  it("stops at once when it is cancelled", async () => {
    await using server = await serve(() => {});
    await using opened = await webFixture({ rules, search: brave(server) });
    const controller = new AbortController();
    const call = opened.crib.call("web.search", { query: "x" }, { signal: controller.signal });
    while (server.asked.length === 0) await new Promise(setImmediate);
    controller.abort();
    expect(outcomeOf(await call)).toBe("cancelled: The call was cancelled");
  });
});
