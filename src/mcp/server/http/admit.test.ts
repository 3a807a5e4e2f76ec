import { expect, it } from "vitest";
import { refusalOf } from "./serve-http.ts";

const statusOf = (headers: Record<string, string>) =>
  refusalOf(headers, ["tools.example"], ["http://localhost:6274", "https://app.example"])?.status;

it.each(["localhost:1", "127.0.0.1:7777", "[::1]:80", "10.1.2.3:80", "tools.example", "tools.example:443"])(
  "admits requests to host %s",
  (host) => {
    expect(statusOf({ host })).toBeUndefined();
  },
);

it.each(["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", ""])(
  "refuses a foreign host name (DNS rebinding): %s",
  (host) => {
    expect(statusOf({ host })).toBe(403);
  },
);

it.each(["a b", "127.0.0.1@evil.example", "x@127.0.0.1", "127.0.0.1/x"])(
  "refuses a Host header that is not a name and a port: %s",
  (host) => {
    expect(statusOf({ host })).toBe(400);
  },
);

it.each([
  ...["https://evil.example", "null", "http://10.1.2.3", "file://", "nonsense", "http://localhost:5173"],
  ...["http://127.0.0.1", "http://localhost", "https://tools.example", "http://app.example"],
  ...["https://app.example:8443", "https://app.example.evil.example", "http://localhost:62740"],
])("refuses pages from other origins: %s", (origin) => {
  expect(statusOf({ host: "localhost", origin })).toBe(403);
});

it("refuses its own origin, because it serves no pages and another program may have had its port", () => {
  for (const host of ["localhost:4000", "127.0.0.1:4000", "[::1]:4000"])
    expect(statusOf({ host, origin: `http://${host}` })).toBe(403);
});

it.each(["http://localhost:6274", "https://app.example"])(
  "admits pages from configured origins: %s",
  (origin) => {
    expect(statusOf({ host: "localhost", origin })).toBeUndefined();
  },
);
