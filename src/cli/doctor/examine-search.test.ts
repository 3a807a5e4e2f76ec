import { expect, it } from "vitest";
import { examineSearch } from "./examine-installation.ts";

it("reports the provider of web.search, without its key", () => {
  expect([
    examineSearch({ TOOLCRIB_SEARCH: "searxng https://search.example/" }),
    examineSearch({ TOOLCRIB_SEARCH: "brave", BRAVE_API_KEY: "k3y" }),
  ]).toEqual([
    { about: "search", state: "well", message: "searxng at https://search.example/" },
    { about: "search", state: "well", message: "brave" },
  ]);
});

it("reports what is missing", () => {
  expect([examineSearch({}), examineSearch({ TOOLCRIB_SEARCH: "tavily" })]).toEqual([
    {
      about: "search",
      state: "note",
      message: "no search engine is configured: web.search is not available",
      hint: "Set TOOLCRIB_SEARCH to duckduckgo, brave, tavily, or: searxng https://HOST",
    },
    {
      about: "search",
      state: "wrong",
      message: "TOOLCRIB_SEARCH names tavily, but TAVILY_API_KEY is not set",
      hint: "Set TAVILY_API_KEY to the key of your account.",
    },
  ]);
});
