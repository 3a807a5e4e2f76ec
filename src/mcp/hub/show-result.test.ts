import { expect, it } from "vitest";
import { showResult } from "./show-result.ts";

const png =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

it("shows text and images, and describes all other content", () => {
  const picture = { type: "image", mimeType: "image/png", data: png };
  const content = [
    { type: "text", text: "first" },
    picture,
    { type: "audio", mimeType: "audio/wav", data: "AAAA" },
    { type: "resource", resource: { uri: "file:///a.md", text: "# A" } },
    { type: "resource", resource: { uri: "file:///b", mimeType: "application/zip", blob: "AAAA" } },
    { type: "resource_link", uri: "file:///c", name: "c", description: "The third." },
  ];
  const { type, mimeType } = picture;
  expect(showResult({ content, isError: true }, "srv")).toEqual({
    data: {
      server: "srv",
      content: content.map((block) => (block === picture ? { type, mimeType } : block)),
    },
    text: [
      "first",
      "[image, image/png, 72 bytes]",
      "[audio, audio/wav, 3 bytes: not shown]",
      "[resource file:///a.md]\n# A",
      "[resource file:///b, application/zip, 3 bytes: not shown]",
      "[resource file:///c, c: The third.]",
    ].join("\n"),
    images: [{ mediaType: "image/png", base64: png }],
    isError: true,
  });
});

it("shows data when there is no text, and only text when there are both", () => {
  const structuredContent = { answer: [1, 2] };
  const text = [{ type: "text", text: "1 and 2" }];
  expect(
    [{ structuredContent }, { content: text, structuredContent }, {}].map((each) => showResult(each, "srv")),
  ).toEqual([
    { data: { server: "srv", content: [], structuredContent }, text: '{\n  "answer": [1, 2]\n}' },
    { data: { server: "srv", content: text, structuredContent }, text: "1 and 2" },
    { data: { server: "srv", content: [] }, text: "(no content)" },
  ]);
});

it("does not show an invalid image", () => {
  const data = ["A", "AAAA", "iVBORw0KGgo=", png];
  const content = data.map((one, index) => ({
    type: "image",
    mimeType: index < 3 ? "image/png" : "image/gif",
    data: one,
  }));
  const { text, images } = showResult({ content }, "srv");
  expect([text.match(/not shown/g)?.length, images]).toEqual([4, undefined]);
});

it("removes terminal control characters, and keeps the rest", () => {
  const text = "\u001b]0;owned\u0007\u001b[2J\u202Ea\u009b\u0000b\tc\nd é 👩\u200d🚀";
  expect(showResult({ content: [{ type: "text", text }] }, "srv").text).toBe("ab\tc\nd é 👩\u200d🚀");
});
