import { describe, expect, it } from "vitest";
import { ToolError } from "../contract/error.ts";
import { parseWebUrl } from "./parse-web-url.ts";

describe("parseWebUrl", () => {
  it.each([
    ["https://example.com", "https://example.com/"],
    [" HTTP://EXAMPLE.com:80/a b?c=d e#f ", "http://example.com/a%20b?c=d%20e"],
    ["https://bücher.example/ü", "https://xn--bcher-kva.example/%C3%BC"],
    ["http://１２７.1/", "http://127.0.0.1/"],
    ["http://0x7f000001/", "http://127.0.0.1/"],
    ["http://[::FFFF:127.0.0.1]/", "http://[::ffff:7f00:1]/"],
    ["http://localhost.:3000/", "http://localhost.:3000/"],
  ])("reads %s", (text, href) => {
    expect(parseWebUrl(text).href).toBe(href);
  });

  it.each([
    ["example.com", "is not a URL"],
    ["/a/b", "is not a URL"],
    ["", "is not a URL"],
    ["https://", "is not a URL"],
    ["http://good.example evil.example/", "is not a URL"],
    ["http://[fe80::1%25eth0]/", "is not a URL"],
    ["http://256.256.256.256/", "is not a URL"],
    ["ftp://example.com/", "is neither http nor https"],
    ["file:///etc/passwd", "is neither http nor https"],
    ["javascript:alert(1)", "is neither http nor https"],
    ["http://user@example.com/", "contains a user name or password"],
    ["http://good.example:80@evil.example/", "contains a user name or password"],
    ["http://good.example\\@evil.example/", "contains a control character or a backslash"],
    ["http://good.example\n.evil.example/", "contains a control character or a backslash"],
    ["http://a!b/", "names no host"],
  ])("refuses %j", (text, fault) => {
    const refused = () => parseWebUrl(text);
    expect(refused).toThrow(ToolError);
    expect(refused).toThrow(`"${text}" ${fault}`);
  });
});
