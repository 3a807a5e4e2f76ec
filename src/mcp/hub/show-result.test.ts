import { expect, it } from "vitest";
import { showResult } from "./show-result.ts";

it("shows text and pictures, and says of all else what it is", () => {
  const picture = { type: "image", mimeType: "image/png", data: "iVBORw0KGgo=" };
  const content = [
    { type: "text", text: "first" },
    picture,
    { type: "audio", mimeType: "audio/wav", data: "AAAA" },
    { type: "resource", resource: { uri: "file:///a.md", text: "# A" } },
    { type: "resource", resource: { uri: "file:///b", mimeType: "application/zip", blob: "AAAA" } },
    { type: "resource_link", uri: "file:///c", name: "c", description: "The third." },
  ];
  const { type, mimeType } = picture;
  expect(showResult({ content, isError: true })).toEqual({
    data: { content: content.map((block) => (block === picture ? { type, mimeType } : block)) },
    text: [
      "first",
      "[image, image/png, 9 bytes]",
      "[audio, audio/wav, 3 bytes: it cannot be shown]",
      "[resource file:///a.md]\n# A",
      "[resource file:///b, application/zip, 3 bytes: it cannot be shown]",
      "[resource file:///c, c: The third.]",
    ].join("\n"),
    images: [{ mediaType: "image/png", base64: "iVBORw0KGgo=" }],
    isError: true,
  });
});

it("shows data where there are no words, and words alone where there are both", () => {
  const structuredContent = { answer: [1, 2] };
  const text = [{ type: "text", text: "1 and 2" }];
  expect([{ structuredContent }, { content: text, structuredContent }, {}].map(showResult)).toEqual([
    { data: { content: [], structuredContent }, text: '{\n  "answer": [1, 2]\n}' },
    { data: { content: text, structuredContent }, text: "1 and 2" },
    { data: { content: [] }, text: "(no content)" },
  ]);
});
