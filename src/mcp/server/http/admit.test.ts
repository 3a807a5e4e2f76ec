import { expect, it } from "vitest";
import { refusalOf } from "./serve-http.ts";

const admission = { token: "a-very-secret-token", allowedHosts: ["tools.example"] };
const authorization = "Bearer a-very-secret-token";
const statusOf = (headers: Record<string, string>) => refusalOf(headers, admission)?.status;

it.each(["localhost:1", "127.0.0.1:7777", "[::1]:80", "10.1.2.3:80", "tools.example", "tools.example:443"])(
  "admits requests to host %s with the token",
  (host) => {
    expect(statusOf({ host, authorization })).toBeUndefined();
  },
);

it.each(["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", ""])(
  "refuses a foreign host name (DNS rebinding): %s",
  (host) => {
    expect(statusOf({ host, authorization })).toBe(403);
  },
);

it.each(["a b", "127.0.0.1@evil.example", "x@127.0.0.1", "127.0.0.1/x"])(
  "refuses a Host header that is not a name and a port: %s",
  (host) => {
    expect(statusOf({ host, authorization })).toBe(400);
  },
);

it.each(["https://evil.example", "null", "http://10.1.2.3", "file://", "nonsense"])(
  "refuses pages from other origins: %s",
  (origin) => {
    expect(statusOf({ host: "localhost", origin, authorization })).toBe(403);
  },
);

it.each(["http://localhost:5173", "http://127.0.0.1", "https://tools.example"])(
  "admits pages from its own host names: %s",
  (origin) => {
    expect(statusOf({ host: "localhost", origin, authorization })).toBeUndefined();
  },
);

it.each([
  "",
  "Bearer",
  "Bearer ",
  "Bearer a-very-secret-toke",
  "Bearer a-very-secret-token2",
  "Basic a-very-secret-token",
  "a-very-secret-token",
])("refuses requests without the right token: %s", (given) => {
  expect(refusalOf({ host: "localhost", authorization: given }, admission)).toEqual({
    status: 401,
    message: "Send the server's token: Authorization: Bearer TOKEN",
    headers: { "www-authenticate": 'Bearer realm="toolcrib"' },
  });
});
