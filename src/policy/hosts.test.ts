import { expect, it } from "vitest";
import { hostOf } from "./hosts.ts";

it.each([
  ["example.org", "example.org"],
  ["EXAMPLE.org.", "example.org"],
  ["example.org:8080", "example.org"],
  ["https://example.org/a?b#c", "example.org"],
  ["HTTPS://User:Pass@Example.ORG:443/", "example.org"],
  ["https://good.example@evil.example/", "evil.example"],
  ["https://evil.example#@good.example/", "evil.example"],
  ["https://evil.example?@good.example/", "evil.example"],
  ["git@github.com:a/b.git", "github.com"],
  ["host:path/to", "host"],
  ["rsync://host/module", "host"],
  ["@resolver.example", "resolver.example"],
  ["/dev/tcp/evil.example/80", "evil.example"],
  ["bücher.example", "xn--bcher-kva.example"],
  ["ｅｘａｍｐｌｅ．org", "example.org"],
  ["xn--bcher-kva.example", "xn--bcher-kva.example"],
  ["127.1", "127.0.0.1"],
  ["2130706433", "127.0.0.1"],
  ["http://0x7f.1/", "127.0.0.1"],
  ["http://0177.0.0.1/", "127.0.0.1"],
  ["[::1]", "::1"],
  ["::1", "::1"],
  ["http://[::ffff:127.0.0.1]:80/", "127.0.0.1"],
  ["[64:ff9b::7f00:1]", "127.0.0.1"],
  ["[::127.0.0.1]", "127.0.0.1"],
  ["[::ffff:0:127.0.0.1]", "127.0.0.1"],
  ["[::ffff:0:1]", "0.0.0.1"],
  ["[2002:7f00:1::]", "127.0.0.1"],
  ["[fe80::1]", "fe80::1"],
  ["*.example.org", "*.example.org"],
])("parses %j as %s", (address, host) => {
  expect(hostOf(address)).toBe(host);
});

it.each([
  "",
  "a b",
  "evil\0.good.example",
  "http://evil.example\\@good.example/",
  "http://a\nb/",
  "http:///x",
  "999.1.1.1",
  "[::1",
])("finds no host in %j", (address) => {
  expect(hostOf(address)).toBe(undefined);
});
