import { expect, it } from "vitest";
import { isNear } from "./parse-web-url.ts";

it("recognizes local URLs in every spelling", () => {
  const near = [
    "localhost",
    "a.LOCALHOST.",
    "127.1",
    "0",
    "10.0.0.1",
    "2852039166",
    "[::1]",
    "[::ffff:7f00:1]",
  ];
  const far = ["example.com", "localhost.example", "9.9.9.9", "[2a00::1]", "[::ffff:9.9.9.9]"];
  const seen = (hosts: readonly string[]) => hosts.filter((host) => isNear(new URL(`http://${host}:80/`)));
  expect([seen(near), seen(far)]).toEqual([near, []]);
});
