import { expect, it } from "vitest";
import { examineSearch } from "./examine-installation.ts";

it("tells who answers web.search, without a key", () => {
  expect([
    examineSearch({ TOOLCRIB_SEARCH: "searxng https://search.example/" }),
    examineSearch({ TOOLCRIB_SEARCH: "brave", BRAVE_API_KEY: "k3y" }),
  ]).toEqual([
    { about: "search", state: "well", message: "searxng at https://search.example/" },
    { about: "search", state: "well", message: "brave" },
  ]);
});

it("tells what is missing", () => {
  expect([examineSearch({}), examineSearch({ TOOLCRIB_SEARCH: "tavily" })]).toEqual([
    {
      about: "search",
      state: "note",
      message: "no engine is set up, so that web.search is unavailable",
      hint: "Set TOOLCRIB_SEARCH to one of: searxng https://…, brave, tavily, duckduckgo.",
    },
    {
      about: "search",
      state: "wrong",
      message: "TOOLCRIB_SEARCH names tavily, but TAVILY_API_KEY is not set",
      hint: "Set TAVILY_API_KEY to the key of your account.",
    },
  ]);
});
